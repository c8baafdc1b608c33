//! The contents of a report on one input, in order: the same for every format for people. Renderers
//! only choose how much of it to show.

mod chart;
mod event_rows;
mod evidence;
mod notices;
mod quiet;
mod quotes;
mod read;

use std::borrow::Cow;

use crate::diagnosis::action::{Action, Urgent, at_once as urgent};
use crate::diagnosis::destination::Destination;
use crate::diagnosis::{Diagnosis, Finding, Owner};
use crate::event::Observed;
use crate::event::device::Device;
use crate::event::log::{Boot, Log};

use super::ReportPart;
use super::certainty::Statements;
use super::consequence::{before, behind, consequence, fails_again, in_short as shorter, panicked};
use super::state::{after_a_program, at_once, failure, of_a_program, result};
use super::time::{Zone, in_short, when};
use super::words::{
    counted, driver, firmware, gpu_among, headline, short_gpu, state_of, title, tone, unexplained,
};
use crate::diagnosis::verdict::Verdict;
use crate::document::counts::{distinct, span};
use crate::document::{Fact, Text, Timeline, Tone};
use crate::kind;
use crate::pattern::distribution::System;
use crate::record::Stamp;
use crate::value::{FailureClass, Micros, Named};

pub(super) use event_rows::{LOOK_BACK, Row, likeness};
pub(super) use evidence::Evidence;
pub(super) use notices::NoticeView;
pub(super) use quiet::{Problem, Quiet};
pub(super) use quotes::{Telling, quotes};

/// The shown part of a long list: its beginning and end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// The number of first items.
    pub(super) first: usize,
    /// The number of last items.
    pub(super) last: usize,
}

impl Ends {
    /// All items.
    pub(super) const ALL: Self = Self { first: usize::MAX, last: 0 };

    /// Whether item `number` (from 1) of `all` is shown.
    pub(super) const fn has(self, number: usize, all: usize) -> bool {
        number <= self.first || number.saturating_add(self.last) > all
    }

    /// The number of items that are not shown.
    pub(super) const fn hidden(self, all: usize) -> usize {
        all.saturating_sub(self.first).saturating_sub(self.last)
    }

    /// The first items, the number of hidden ones, and the last items.
    pub(super) fn split<T>(self, all: &[T]) -> (&[T], usize, &[T]) {
        let hidden = self.hidden(all.len());
        let (first, rest) = all.split_at(if hidden > 0 { self.first } else { all.len() });
        (first, hidden, rest.split_at(hidden).1)
    }
}

/// One input.
#[derive(Debug)]
pub(super) struct PartView<'r> {
    /// The name.
    pub(super) name: &'r str,
    pub(super) verdict: Verdict,
    /// The same in a few words.
    pub(super) state: &'static str,
    /// The result, if there is no incident.
    pub(super) quiet: Option<Quiet>,
    /// The number of incidents, in words.
    pub(super) counted: String,
    /// The timeline of the log, if something happened.
    pub(super) chart: Option<Timeline>,
    /// The index of the worst incident.
    worst: Option<usize>,
    /// The incidents.
    pub(super) incidents: Vec<IncidentView<'r>>,
    /// The notices.
    pub(super) notices: Vec<NoticeView<'r>>,
    /// What was read, and what was unusable.
    pub(super) reading: String,
    /// The same without the input's name.
    pub(super) reading_in_short: String,
    /// Whether the input was read completely.
    pub(super) is_whole: bool,
    /// A remark about what the report cannot explain.
    pub(super) remark: Option<String>,
    /// What errors of the driver mean that no diagnosis explains, where something failed: else the
    /// result says it.
    pub(super) unexplained: Option<String>,
    /// The distribution of the machine, if it was given or the log shows it.
    pub(super) system: Option<&'r System>,
}

#[derive(Debug)]
pub(super) struct IncidentView<'r> {
    /// Its number, from 1.
    pub(super) number: usize,
    /// The incident with its diagnoses.
    pub(super) finding: &'r Finding,
    /// Its state in a few words: `GPU hang, recovered`.
    pub(super) state: String,
    /// How bad it is.
    pub(super) tone: Tone,
    /// The GPU, in a few words.
    pub(super) gpu: Option<String>,
    /// When it began.
    pub(super) when: Option<String>,
    /// How long it lasted.
    pub(super) lasted: Option<String>,
    /// The failure in a sentence.
    pub(super) title: String,
    /// What this log says about it, if the title leaves that open.
    pub(super) detail: Option<&'r str>,
    /// Whose work it was, as far as the kernel says it.
    pub(super) owner: Option<String>,
    /// The outcome, and what it means for whoever was using the GPU.
    pub(super) consequence: Cow<'static, str>,
    /// The same in fewer words, if it has many.
    shorter_consequence: Option<String>,
    /// What to do now, if no advice says it.
    pub(super) at_once: Option<&'static str>,
    /// The result in one sentence.
    pub(super) headline: String,
    /// How each of its diagnoses is known, and what is known about its cause.
    pub(super) statements: Vec<Statements>,
    /// The GPU, kernel and program.
    pub(super) facts: Vec<Fact>,
    /// The lines that show it best.
    pub(super) quotes: Vec<Telling<'r>>,
    /// The timeline of events.
    pub(super) rows: Vec<Row>,
    /// The explanation if there is no diagnosis.
    pub(super) unexplained: &'static str,
    /// The evidence of each diagnosis.
    pub(super) evidence: Vec<Evidence<'r>>,
    /// Questions that the log does not answer, each once.
    pub(super) unsaid: Vec<&'r str>,
    /// What to do.
    pub(super) actions: Vec<&'r Action>,
    /// The number of the first earlier incident with exactly the same actions.
    pub(super) as_after: Option<usize>,
    /// Where to report it.
    pub(super) tracker: Option<&'r Destination>,
}

impl<'r> PartView<'r> {
    /// The contents of a report on `part`.
    pub(super) fn new(part: &'r ReportPart) -> Self {
        let findings = &part.conclusions.findings;
        let incidents = findings.iter().enumerate();
        Self {
            name: &part.name,
            verdict: part.verdict(),
            state: state_of(part),
            quiet: findings.is_empty().then(|| Quiet::new(part)),
            counted: counted(part),
            chart: chart::chart(part),
            worst: part.conclusions.worst(),
            incidents: compared(
                incidents.map(|(at, finding)| IncidentView::new(part, finding, at + 1)).collect(),
            ),
            notices: notices::once_each(&part.conclusions.notices, &part.log),
            reading: read::sentence(part, Some(&part.name)),
            reading_in_short: read::sentence(part, None),
            is_whole: part.log.is_whole() && !part.log.filtered,
            remark: super::unknown::remark(&part.log.unknown, findings.is_empty())
                .into_iter()
                .chain(super::words::uncovered(&part.log).filter(|_| !findings.is_empty()))
                .reduce(|one, other| format!("{one} {other}")),
            unexplained: super::words::unused(part).filter(|_| !findings.is_empty()),
            system: part.log.boots.iter().rev().find_map(|boot| boot.system.as_ref()),
        }
    }

    /// The worst incident.
    pub(super) fn worst(&self) -> Option<&IncidentView<'r>> {
        self.incidents.get(self.worst?)
    }

    /// The result in one line.
    pub(super) fn answer(&self) -> String {
        match (self.incidents.as_slice(), &self.quiet) {
            ([only], _) => only.headline.clone(),
            ([..], None) if !self.incidents.is_empty() => {
                let worst = self.worst().map_or("", |worst| worst.headline.as_str());
                format!("{}; the worst: {worst}", self.counted)
            }
            (_, Some(quiet)) => quiet.answer.clone(),
            (_, None) => unreachable!("a log without an incident has a quiet answer"),
        }
    }
}

impl<'r> IncidentView<'r> {
    pub(super) fn new(part: &'r ReportPart, finding: &'r Finding, number: usize) -> Self {
        let log = &part.log;
        let rows = event_rows::rows(log, finding);
        let (class, outcome) = (finding.class(log), finding.incident.outcome);
        let after = finding.aftermath;
        let told = finding.is_only_told_by_programs(log);
        Self {
            number,
            finding,
            state: state(finding, log),
            tone: tone(finding.severity),
            gpu: log.device(finding.incident.boot, finding.incident.device).map(short_gpu),
            when: first_time(log, finding, |stamp| in_short(stamp, part.zone)),
            lasted: lasted(log, finding),
            title: format!("{}.", title(finding).trim_end_matches('.')),
            detail: finding.diagnoses.first().and_then(|head| head.detail.as_deref()),
            owner: owner(finding, log)
                .filter(|_| !told)
                .and_then(|owner| work_of(owner, finding, log))
                .into_iter()
                .chain(hang_after_fault(finding, log))
                .reduce(|owner, hang| format!("{owner} {hang}")),
            consequence: match (ends_with(after.panic, log), ends_with(after.dump, log)) {
                (Some(panic), _) => panicked(class, panic).into(),
                (None, Some(dump)) => fails_again(dump).into(),
                (None, None) if told => of_a_program(class, log.is_of_windows()).into(),
                (None, None) => before(after)
                    .map(Cow::from)
                    .chain([consequence(class, outcome, after)])
                    .chain(behind(after).map(Cow::from))
                    .reduce(|one, other| format!("{one} {other}").into())
                    .unwrap_or_default(),
            },
            shorter_consequence: (!told
                && after.panic.is_none()
                && before(after).next().is_none()
                && behind(after).is_none())
            .then(|| shorter(class, outcome, after))
            .flatten(),
            at_once: match finding.diagnoses.first() {
                Some(head) if head.repeats => None,
                _ if told => after_a_program(class),
                _ => at_once(finding.class_to_act_on(log), outcome, after),
            },
            headline: headline(finding, log),
            statements: finding.diagnoses.iter().map(|one| Statements::new(one, log)).collect(),
            facts: facts(log, part.zone, finding),
            quotes: quotes::telling(log, finding, &rows, QUOTES),
            rows,
            unexplained: unexplained(finding),
            evidence: evidence(&finding.diagnoses, log),
            unsaid: unsaid(finding),
            actions: finding.actions(),
            as_after: None,
            tracker: finding.diagnoses.first().and_then(|head| head.destination.as_ref()),
        }
    }
}

/// The event with which a log ends.
fn ends_with(at: Option<usize>, log: &Log) -> Option<&Observed> {
    log.events.get(at?)
}

/// What is said over what may help, where it is not over.
pub(super) const TO_TRY: &str = "What to try, one at a time";

/// Maximum number of lines to quote.
const QUOTES: usize = 3;

impl IncidentView<'_> {
    /// Its state with the word for a lesser failure at the end.
    pub(super) fn state_last(&self) -> String {
        match self.state.strip_prefix(WARNING) {
            Some(state) => format!("{state} (warning)"),
            None => self.state.clone(),
        }
    }

    /// The part after the title: what this log says, and the outcome.
    pub(super) fn lead(&self) -> Vec<Text> {
        self.lead_to(&self.consequence)
    }

    /// The same in fewer words.
    pub(super) fn lead_in_short(&self) -> Vec<Text> {
        self.lead_to(self.shorter_consequence.as_deref().unwrap_or(&self.consequence))
    }

    fn lead_to(&self, consequence: &str) -> Vec<Text> {
        let detail = self.detail.filter(|text| !text.is_empty()).map(Text::from);
        let owner = self.owner.as_deref().map(Text::from);
        detail.into_iter().chain(owner).chain([consequence.into()]).collect()
    }

    /// The GPU, the time and the duration.
    pub(super) fn about(&self) -> Vec<String> {
        let over = if self.is_over() { "for" } else { "errors over" };
        let lasted = self.lasted.as_ref().map(|lasted| format!(", {over} {lasted}"));
        let when = self.when.as_ref().map(|when| format!("{when}{}", lasted.unwrap_or_default()));
        self.gpu.clone().into_iter().chain(when).collect()
    }

    /// The same without the duration.
    pub(super) fn about_in_short(&self) -> Vec<String> {
        self.gpu.iter().chain(&self.when).cloned().collect()
    }

    /// The heading of things to try.
    pub(super) fn to_try(&self) -> &'static str {
        if self.is_over() { "If it happens again, try these one at a time" } else { TO_TRY }
    }

    /// Whether the log shows that it is over.
    fn is_over(&self) -> bool {
        self.finding.incident.outcome.is_usable() == Some(true)
    }

    /// What to do at once; without advice, what is said of the outcome.
    pub(super) fn now(&self) -> Vec<Urgent<'_>> {
        let comes_back = self.is_over() && self.finding.aftermath.comes_back;
        let mut now = urgent(&self.actions, comes_back);
        now.retain(|one| self.at_once.is_some() || !matches!(one, Urgent::ByOutcome));
        now
    }

    /// What to try afterwards.
    pub(super) fn later(&self) -> Vec<&Action> {
        self.actions.iter().copied().filter(|action| !action.is_urgent()).collect()
    }
}

/// Finds incidents with the same actions as an earlier one.
fn compared(mut incidents: Vec<IncidentView<'_>>) -> Vec<IncidentView<'_>> {
    let mut known: Vec<(Vec<&Action>, usize)> = Vec::new();
    for incident in incidents.iter_mut().filter(|incident| !incident.actions.is_empty()) {
        let same = known.iter().find(|(actions, _)| *actions == incident.actions);
        incident.as_after = same.map(|(_, number)| *number);
        if incident.as_after.is_none() {
            known.push((incident.actions.clone(), incident.number));
        }
    }
    incidents
}

/// The failure and its outcome: `GPU hang, recovered`; with a word before it if that is no failure
/// of the log.
fn state(finding: &Finding, log: &Log) -> String {
    let (class, outcome) = (finding.class(log), finding.incident.outcome);
    let failure = failure(class, outcome);
    let state = match result(class, outcome, finding.aftermath) {
        _ if finding.is_only_told_by_programs(log) => failure.to_owned(),
        "" => failure.to_owned(),
        result => format!("{failure}, {result}"),
    };
    if finding.is_failure() { state } else { format!("{WARNING}{state}") }
}

/// What stands before the state of a lesser failure.
const WARNING: &str = "Warning: ";

/// How long it lasted.
fn lasted(log: &Log, finding: &Finding) -> Option<String> {
    let first = log.at(&finding.incident.events).next()?;
    let lasted = first.stamp.elapsed(&finding.incident.end(log)?.stamp)?;
    if lasted.0 < LEAST.0 {
        return None;
    }
    let tenths = lasted.0 / LEAST.0;
    let short = tenths < 600;
    Some(if short {
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else {
        span(Micros(tenths * LEAST.0))
    })
}

/// Shorter durations are not shown.
const LEAST: Micros = Micros(100_000);

fn facts(log: &Log, zone: Zone, finding: &Finding) -> Vec<Fact> {
    let boot = finding.incident.boot;
    let mut facts = Vec::new();
    if log.boots.len() > 1 {
        let maybe =
            if log.is_boot_certain(boot) { "" } else { ", or an excerpt of another of them" };
        let text = format!("{} of {} in this log{maybe}", boot + 1, log.boots.len());
        facts.push(Fact::new("Boot", text));
    }
    let when = first_time(log, finding, |stamp| when(stamp, zone));
    facts.extend(when.map(|text| Fact::new("When", text)));
    facts.append(&mut identity(log, boot, log.device(boot, finding.incident.device)));
    facts.extend(owner(finding, log).map(|owner| Fact::new("Process", process(owner))));
    facts
}

/// The time of the first line of an incident that has one: titles and damaged lines have none.
fn first_time(
    log: &Log,
    finding: &Finding,
    shown: impl Fn(&Stamp) -> Option<String>,
) -> Option<String> {
    log.at(&finding.incident.events).find_map(|observed| shown(&observed.stamp))
}

fn identity(log: &Log, boot: usize, device: Option<&Device>) -> Vec<Fact> {
    let known = log.boots.get(boot);
    let gpu = device.map_or_else(
        || "not named in this log".to_owned(),
        |device| gpu_among(&log.devices, device),
    );
    let kernel = known.map_or_else(|| kernel(&Boot::default()), kernel);
    let always = [Fact::new("GPU", gpu), Fact::new("Kernel", kernel)];
    let driver = known.and_then(driver).map(|text| Fact::new("Driver", text));
    let firmware = device.and_then(firmware).map(|text| Fact::new("Firmware", text));
    always.into_iter().chain(driver).chain(firmware).collect()
}

fn kernel(boot: &Boot) -> String {
    match (&boot.kernel, &boot.told_kernel) {
        (Some(kernel), _) => Named(kernel).to_string(),
        (None, Some(kernel)) => format!("{} (from the text)", Named(kernel)),
        (None, None) => "not in this log".to_owned(),
    }
}

/// Whose work failed. The process of a job that hung after a fault did not make that access: it is
/// named with the job.
fn owner<'r>(finding: &'r Finding, log: &Log) -> Option<&'r Owner> {
    let is_apart = |owner: &&Owner| {
        owner.by == kind::Owner::Process && hang_after_fault(finding, log).is_some()
    };
    finding.owner.as_ref().filter(|owner| !is_apart(owner))
}

fn process(owner: &Owner) -> String {
    let pid = owner.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
    format!("{}{pid}", Named(&owner.name))
}

/// Whose work failed; `None` if that is work of the driver, which has no process.
fn work_of(owner: &Owner, finding: &Finding, log: &Log) -> Option<String> {
    let process = (!owner.name.is_empty() && owner.pid != Some(0)).then(|| process(owner))?;
    let head = finding.diagnoses.first().and_then(|head| head.class);
    let is_fault = head.or_else(|| finding.class(log)) == Some(FailureClass::Fault);
    let access = if is_fault { "The access" } else { "An invalid access" };
    let mut proof = finding.diagnoses.first().into_iter().flat_map(|head| log.at(&head.proof));
    let (whose, but) = match owner.by {
        kind::Owner::Nobody => return None,
        kind::Owner::Process => {
            let whose = match &owner.later_ring {
                Some(ring) => {
                    format!(
                        "On ring {ring}, which hung as well, the GPU was running work of {process}"
                    )
                }
                None => format!("The GPU was running work of {process}"),
            };
            (whose, ", not necessarily at fault")
        }
        kind::Owner::AddressSpace => (
            format!("{access} was in the address space of {process}"),
            "; the bug may be in the program, a library or the driver",
        ),
        kind::Owner::Program if proof.all(Observed::is_stated_by_a_program) => {
            (format!("Reported by {process}"), "")
        }
        kind::Owner::Program => (format!("{process} was using the GPU and reported an error"), ""),
    };
    let desktop = ", the desktop: if that crashes, you are logged out";
    Some(format!("{whose}{}.", if owner.is_desktop { desktop } else { but }))
}

/// The job that hung after a page fault, where the heading is about that hang or the fault names no
/// process.
fn hang_after_fault(finding: &Finding, log: &Log) -> Option<String> {
    let is_fault = finding.diagnoses.first()?.class == Some(FailureClass::Fault);
    let is_hang = finding.class(log) == Some(FailureClass::Hang);
    let is_apart = finding.owner.as_ref().is_some_and(|owner| owner.by == kind::Owner::Process);
    let fault = log.at(&finding.diagnoses.first()?.proof).next()?.sequence;
    let timeouts = log.at(&finding.incident.events);
    let timeout = { timeouts }
        .filter(|seen| is_fault && (is_hang || is_apart) && seen.sequence > fault)
        .find(|seen| seen.event.kind() == kind::Kind::RingTimeout)?;
    let event = &timeout.event;
    let process = event.text("process").filter(|name| !name.is_empty());
    let whose = process.map_or("A job".to_owned(), |name| format!("Work of {}", Named(name)));
    let ring = event.field_in_words("ring").map(|ring| format!(" on {ring}"));
    let ring = ring.unwrap_or_default();
    Some(format!("{whose}{ring} then did not finish in time (line {}).", timeout.line()))
}

/// The evidence of each diagnosis: all that the first one takes into account, and what proves the
/// others.
fn evidence<'r>(diagnoses: &[Diagnosis], log: &'r Log) -> Vec<Evidence<'r>> {
    let [first, others @ ..] = diagnoses else { return Vec::new() };
    let others = others.iter().map(|other| Evidence::proof(other, log));
    std::iter::once(Evidence::new(first, log)).chain(others).collect()
}

fn unsaid(finding: &Finding) -> Vec<&str> {
    let all = finding.diagnoses.iter().flat_map(|diagnosis| &diagnosis.unsaid);
    distinct(all.map(String::as_str))
}
