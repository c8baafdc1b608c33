//! What it was, and what to do: diagnoses and notices.

use serde::Serialize;

use super::Base;
use crate::diagnosis::action::{Action, Standing};
use crate::diagnosis::{Diagnosis, Notice};
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::Kind;
use crate::pattern::advice::Trust;
use crate::pattern::signature::{Layer, Role, Severity};
use crate::report::view::Evidence;
use crate::report::word::Word;
use crate::value::PciAddress;

/// Something worth knowing that is no failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct NoticeObject<'r> {
    /// The signature's name.
    id: &'r str,
    /// The GPU; null where it is about none or no line names it.
    device: Option<PciAddress>,
    /// How bad it is.
    severity: Word<Severity>,
    /// The boot: the `index` of one of `boots`.
    boot: usize,
    /// What it is called.
    title: &'r str,
    /// The part that it plays.
    role: Word<Role>,
    #[serde(flatten)]
    rest: DiagnosisRest<'r>,
}

/// What a failure was.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct DiagnosisObject<'r> {
    /// The signature's name.
    id: &'r str,
    /// What it is called.
    title: &'r str,
    /// The part that it plays in the incident.
    role: Word<Role>,
    /// How bad it is.
    severity: Word<Severity>,
    #[serde(flatten)]
    rest: DiagnosisRest<'r>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DiagnosisRest<'r> {
    /// How sure it is, from 0 to 1.
    #[cfg_attr(test, schemars(range(min = 0, max = 1)))]
    confidence: f64,
    /// What happened, in plain words.
    summary: &'r str,
    /// The events that prove it, in order; of a storm the first and the last.
    evidence: Vec<EvidenceObject<'r>>,
    /// What to do, most useful first.
    actions: Vec<ActionObject<'r>>,
    /// Where the facts come from: URLs.
    references: &'r [String],
    /// What it means.
    explain: &'r str,
    /// What the log does not show.
    not_shown: &'r [String],
    /// What changed the confidence.
    reasons: Vec<ReasonObject<'r>>,
    /// Where the cause sits, most likely first.
    layers: Vec<Word<Layer>>,
    /// How many events prove it, those included that `evidence` leaves out.
    evidence_events: usize,
}

/// A change of the confidence.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReasonObject<'r> {
    /// By how much, from -1 to 1.
    #[cfg_attr(test, schemars(range(min = -1, max = 1)))]
    by: f64,
    /// Why.
    because: &'r str,
}

/// An event that proves a diagnosis.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EvidenceObject<'r> {
    /// What it is.
    event: Word<Kind>,
    /// The input that it is in, as an index into `inputs`.
    input: usize,
    /// The line that begins it, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The last line that belongs to it, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    last_line: u64,
    /// The first line, without its time and sender.
    text: &'r str,
}

/// One thing to do.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct ActionObject<'r> {
    /// What to do, in one line.
    summary: &'r str,
    /// What to type; lines that begin with `#` say for whom.
    command: Option<&'r str>,
    /// Why it may help.
    why: &'r str,
    /// What it may cost.
    risk: &'r str,
    /// How to see that it took effect.
    verify: String,
    /// How well it is founded: A documented, B reproduced by several users, C one report.
    trust: Word<Trust>,
    /// Whether it is new to this machine.
    status: Word<Standing>,
    /// Its stable name.
    id: &'r str,
    /// On what it is founded.
    source: &'r str,
}

pub(super) fn diagnosis<'r>(
    known: &'r Diagnosis,
    log: &'r Log,
    base: &Base,
) -> DiagnosisObject<'r> {
    DiagnosisObject {
        id: &known.id,
        title: &known.title,
        role: Word(known.role),
        severity: Word(known.severity),
        rest: rest(known, log, base),
    }
}

pub(super) fn notice<'r>(notice: &'r Notice, log: &'r Log, base: &Base) -> NoticeObject<'r> {
    let known = &notice.diagnosis;
    NoticeObject {
        id: &known.id,
        device: notice.device,
        severity: Word(known.severity),
        boot: base.boot + notice.boot,
        title: &known.title,
        role: Word(known.role),
        rest: rest(known, log, base),
    }
}

fn rest<'r>(known: &'r Diagnosis, log: &'r Log, base: &Base) -> DiagnosisRest<'r> {
    DiagnosisRest {
        confidence: known.confidence,
        summary: &known.summary,
        evidence: evidence(known, log, base),
        actions: actions(known),
        references: &known.references,
        explain: &known.explain,
        not_shown: &known.unsaid,
        reasons: reasons(known),
        layers: known.layers.iter().copied().map(Word).collect(),
        evidence_events: known.evidence_events,
    }
}

fn reasons(known: &Diagnosis) -> Vec<ReasonObject<'_>> {
    known.reasons.iter().map(|r| ReasonObject { by: r.by, because: &r.because }).collect()
}

fn evidence<'r>(known: &Diagnosis, log: &'r Log, base: &Base) -> Vec<EvidenceObject<'r>> {
    let object = |observed: &'r Observed| EvidenceObject {
        event: Word(observed.event.kind()),
        input: base.input,
        line: observed.line(),
        last_line: observed.last_line(),
        text: &observed.text,
    };
    Evidence::new(known, log).shown.into_iter().map(object).collect()
}

fn actions(known: &Diagnosis) -> Vec<ActionObject<'_>> {
    known.actions.iter().map(action).collect()
}

pub(in crate::report) fn action(action: &Action) -> ActionObject<'_> {
    ActionObject {
        summary: &action.advice.summary,
        command: action.advice.command.as_deref(),
        why: &action.advice.why,
        risk: &action.advice.risk,
        verify: action.advice.verify.to_string(),
        trust: Word(action.advice.trust),
        status: Word(action.standing),
        id: &action.advice.id,
        source: &action.advice.source,
    }
}
