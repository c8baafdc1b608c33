//! Sentences about how a diagnosis is known, and what is known about its cause.

use crate::diagnosis::certainty::{CauseReason, KnownCause};
use crate::diagnosis::{Diagnosis, Notice};
use crate::document::counts::{distinct, joined, lines};
use crate::event::Observed;
use crate::event::log::Log;
use crate::pattern::signature::{Cause, Certainty};

/// Maximum number of lines to list individually.
const NAMED: usize = 3;

/// The two statements that belong to each diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statements {
    /// The certainty.
    pub(super) certainty: String,
    /// What is known about its cause; `None` for harmless notices, and if it is the cause.
    pub(super) cause: Option<String>,
    /// Whether the log has the cause, or names possible ones.
    names_cause: bool,
}

impl Statements {
    /// The statements about a diagnosis of `log`.
    pub(super) fn new(diagnosis: &Diagnosis, log: &Log) -> Self {
        let names_cause = diagnosis.cause.cause != Cause::NotInLog;
        Self { certainty: certainty(diagnosis, log), cause: cause(&diagnosis.cause), names_cause }
    }

    /// The statements about a notice.
    pub(super) fn of_notice(notice: &Notice, log: &Log) -> Self {
        let all = Self::new(&notice.diagnosis, log);
        Self { cause: all.cause.filter(|_| !notice.benign), ..all }
    }

    /// The same without a cause that is not known.
    pub(super) fn in_short(&self) -> String {
        if self.names_cause { self.line() } else { self.certainty.clone() }
    }

    /// Both in one line.
    pub(super) fn line(&self) -> String {
        let cause = self.cause.as_ref().map(|cause| format!(" {cause}"));
        format!("{}{}", self.certainty, cause.unwrap_or_default())
    }
}

fn certainty(diagnosis: &Diagnosis, log: &Log) -> String {
    let proof: Vec<&Observed> = log.at(&diagnosis.proof).collect();
    let mut numbers = distinct(proof.iter().map(|observed| observed.line()));
    numbers.sort_unstable();
    if !proof.is_empty() && proof.iter().all(|observed| observed.in_prose) {
        let not = if numbers.len() == 1 { "not a log line" } else { "not log lines" };
        return format!("Quoted in the text ({}), {not}.", said_in(&proof, &numbers));
    }
    match diagnosis.certainty {
        Certainty::Stated => {
            format!("Stated by {} ({}).", speaker(&proof), said_in(&proof, &numbers))
        }
        Certainty::Inferred => match numbers.as_slice() {
            [line] => format!("Inferred from line {line}."),
            numbers => format!("Inferred from {}.", named(numbers)),
        },
        Certainty::Suspected => {
            format!("Suspected from {}, which can also mean something else.", named(&numbers))
        }
    }
}

/// The source of the lines.
fn speaker(proof: &[&Observed]) -> &'static str {
    if proof.iter().all(|observed| observed.is_listed_process()) {
        "a process list"
    } else if proof.iter().all(|observed| observed.is_stated_by_a_program()) {
        "a program"
    } else {
        "the kernel"
    }
}

/// The location of a statement that a single line makes. The first one in time need not have the
/// lowest number: a journal may be printed newest first.
fn said_in(proof: &[&Observed], numbers: &[u64]) -> String {
    match proof {
        [first, ..] if numbers.len() > NAMED => format!("first in line {}", first.line()),
        _ => named(numbers),
    }
}

/// `line 3`, `lines 3 and 7`, `5 lines, 3 to 90`.
fn named(numbers: &[u64]) -> String {
    match numbers {
        [line] => format!("line {line}"),
        [first, .., last] if numbers.len() > NAMED => {
            format!("{} lines, {first} to {last}", numbers.len())
        }
        [most @ .., last] => format!("lines {} and {last}", joined(most, ", ")),
        [] => lines(0, 0),
    }
}

/// The cause in a sentence; `None` if it is the diagnosis itself.
fn cause(known: &KnownCause) -> Option<String> {
    let KnownCause { cause, reason, candidates, shown } = known;
    Some(match cause {
        Cause::Known => format!("Cause: {}.", shown.as_ref()?),
        Cause::Candidates => match candidates.as_slice() {
            [only] => format!("Possible cause (the log does not name it): {only}."),
            all => format!("Possible causes (the log names none): {}.", joined(all, "; ")),
        },
        Cause::NotInLog => format!("Cause: not in this log{}.", reason.map_or("", absence)),
    })
}

const fn absence(reason: CauseReason) -> &'static str {
    match reason {
        CauseReason::LogFiltered => ", which is filtered",
        CauseReason::LogStartsLate => "; earlier lines may show it",
        CauseReason::LogHasHoles => ", which has gaps",
        CauseReason::NotPrinted | CauseReason::Undecided => "",
    }
}
