//! How a diagnosis is known, and what is known about its cause: in words, because nothing measures
//! a probability.

use crate::pattern::constraint::LogCondition;
use crate::pattern::signature::{Cause, Certainty, Role, Signature};
use crate::value::words;

use super::Diagnosis;
use super::confidence::{Circumstances, holds};
use super::reach::Group;
use super::sequence::Match;

words! {
    /// The reason why a cause is unknown.
    pub(crate) CauseReason {
        /// The log was filtered.
        LogFiltered,
        /// The log begins after the start of the boot.
        LogStartsLate,
        /// Lines are missing from the log.
        LogHasHoles,
        /// No line distinguishes between the candidates.
        Undecided,
        /// No line of this log names it.
        NotPrinted,
    }
}

/// What is known about a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownCause {
    pub cause: Cause,
    /// Why it is not known; `None` if it is.
    pub reason: Option<CauseReason>,
    /// The possible causes.
    pub candidates: Vec<String>,
    /// What the log shows as the cause; `None` if no line does, or if the diagnosis is the cause.
    pub shown: Option<String>,
}

/// The certainty of a match of `signature`.
pub(crate) fn certainty(
    signature: &Signature,
    found: &Match<'_>,
    around: &Circumstances,
) -> Certainty {
    if is_quoted(signature, found) {
        return Certainty::Suspected;
    }
    let is_doubted = signature.less_certain.iter().any(|when| holds(when, found, around));
    match signature.certainty {
        Certainty::Stated if is_doubted => Certainty::Inferred,
        Certainty::Inferred if is_doubted => Certainty::Suspected,
        word @ (Certainty::Stated | Certainty::Inferred | Certainty::Suspected) => word,
    }
}

/// Whether a person quotes all that proves it: that may be of another machine, or of another time.
fn is_quoted(signature: &Signature, found: &Match<'_>) -> bool {
    let is_needed = |name: &str| signature.step(name).is_some_and(|step| !step.optional);
    let mut proof =
        found.steps.iter().filter(|(name, _)| is_needed(name)).map(|(_, group)| group).peekable();
    proof.peek().is_some()
        && proof.all(|group| match group {
            Group::Own(events) => events.iter().all(|observed| observed.in_prose),
            Group::Boot(..) => false,
        })
}

/// What is known about the cause of a match of `signature`, whose placeholders have these values.
pub(crate) fn cause(
    signature: &Signature,
    found: &Match<'_>,
    around: &Circumstances,
    value: impl Fn(&str) -> Option<String>,
) -> KnownCause {
    let other = signature.cause_if.iter().find(|other| holds(&other.when, found, around));
    let (cause, candidates, shown) = other
        .map_or((signature.cause, signature.candidates.as_slice(), &signature.shown), |other| {
            (other.cause, other.candidates.as_slice(), &other.shown)
        });
    let reason = match cause {
        Cause::Known => None,
        Cause::Candidates => Some(CauseReason::Undecided),
        Cause::NotInLog => Some(reason(around)),
    };
    let shown = shown.as_ref().map(|shown| shown.filled(value));
    KnownCause { cause, reason, candidates: candidates.to_vec(), shown }
}

/// Why the cause is not in a log.
fn reason(around: &Circumstances) -> CauseReason {
    // Without times, nothing says when it begins.
    let is_timeless = around.log.contains(&LogCondition::NoTimes);
    let of_the_log = [
        (LogCondition::LogFiltered, CauseReason::LogFiltered),
        (LogCondition::LogStartsLate, CauseReason::LogStartsLate),
        (LogCondition::LogHasHoles, CauseReason::LogHasHoles),
    ];
    let holding = of_the_log.into_iter().find(|(condition, reason)| {
        around.log.contains(condition) && !(is_timeless && *reason == CauseReason::LogStartsLate)
    });
    holding.map_or(CauseReason::NotPrinted, |(_, reason)| reason)
}

/// Makes the first diagnosis a possible cause of the other failures in the incident, unless it only
/// sums them up.
pub(super) fn suspect_the_first(diagnoses: &mut [Diagnosis]) {
    let Some((first, rest)) = diagnoses.split_first_mut() else { return };
    if first.role != Role::RootCause {
        return;
    }
    for other in rest {
        if first.sums_up && other.proof.first() < first.proof.first() {
            continue;
        }
        let follows = match other.role {
            Role::Mechanism | Role::Consequence => true,
            Role::RootCause | Role::Context => false,
        };
        if follows && other.cause.cause == Cause::NotInLog {
            other.cause = KnownCause {
                cause: Cause::Candidates,
                reason: Some(CauseReason::Undecided),
                candidates: vec![first.title.clone()],
                shown: None,
            };
        }
    }
}
