//! Diagnoses and notices.

use serde::Serialize;

use super::Base;
use crate::diagnosis::action::Action;
use crate::diagnosis::certainty::CauseReason;
use crate::diagnosis::confidence::Counted;
use crate::diagnosis::{Diagnosis, Notice};
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::Kind;
use crate::pattern::signature::{Cause, Certainty, Layer, Role, Severity};
use crate::report::view::Evidence;
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
    severity: Severity,
    /// The boot: the `index` of one of `boots`.
    boot: usize,
    /// What it is called.
    title: &'r str,
    /// The part that it plays.
    role: Role,
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
    role: Role,
    /// How bad it is.
    severity: Severity,
    #[serde(flatten)]
    rest: DiagnosisRest<'r>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DiagnosisRest<'r> {
    /// How it is known: in so many words (`stated`), from several lines together (`inferred`), or from
    /// versions or lines that have other explanations, too (`suspected`).
    certainty: Certainty,
    /// Whether its cause is known.
    cause: Cause,
    /// How well the lines fit the signature, from 0 to 1. It measures no probability.
    #[cfg_attr(test, schemars(range(min = 0, max = 1)))]
    match_score: f64,
    /// What happened, in plain words.
    summary: &'r str,
    /// The events that prove it, in order; of a storm the first and the last.
    evidence: Vec<EvidenceObject<'r>>,
    /// What to do, most useful first.
    actions: &'r [Action],
    /// Where the facts come from: URLs.
    references: &'r [String],
    /// What it means.
    explain: &'r str,
    /// What the log does not show.
    not_shown: &'r [String],
    /// Why its cause is not known; null where it is.
    cause_reason: Option<CauseReason>,
    /// Possible causes; empty unless `cause` is `candidates`.
    cause_candidates: &'r [String],
    /// What changed the match score.
    reasons: &'r [Counted],
    /// Where the cause sits, most likely first.
    layers: &'r [Layer],
    /// How many events prove it, those included that `evidence` leaves out.
    evidence_events: usize,
    /// Whether it only says what a line says, because no signature knows more of the incident.
    fallback: bool,
}

/// An event that proves a diagnosis.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EvidenceObject<'r> {
    /// What it is.
    event: Kind,
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
    /// Further lines of it that say what happened; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    quoted: Vec<QuotedLineObject<'r>>,
}

/// A line of the log.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct QuotedLineObject<'r> {
    /// The line, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// What it says.
    text: &'r str,
}

pub(super) fn diagnosis<'r>(
    known: &'r Diagnosis,
    log: &'r Log,
    base: &Base,
) -> DiagnosisObject<'r> {
    DiagnosisObject {
        id: &known.id,
        title: &known.title,
        role: known.role,
        severity: known.severity,
        rest: rest(known, log, base),
    }
}

pub(super) fn notice<'r>(notice: &'r Notice, log: &'r Log, base: &Base) -> NoticeObject<'r> {
    let known = &notice.diagnosis;
    NoticeObject {
        id: &known.id,
        device: notice.device,
        severity: known.severity,
        boot: base.boot + notice.boot,
        title: &known.title,
        role: known.role,
        rest: rest(known, log, base),
    }
}

fn rest<'r>(known: &'r Diagnosis, log: &'r Log, base: &Base) -> DiagnosisRest<'r> {
    DiagnosisRest {
        certainty: known.certainty,
        cause: known.cause.cause,
        match_score: known.match_score,
        summary: &known.summary,
        evidence: evidence(known, log, base),
        actions: &known.actions,
        references: &known.references,
        explain: &known.explain,
        not_shown: &known.unsaid,
        cause_reason: known.cause.reason,
        cause_candidates: &known.cause.candidates,
        reasons: &known.reasons,
        layers: &known.layers,
        evidence_events: known.evidence_events,
        fallback: known.fallback,
    }
}

fn evidence<'r>(known: &Diagnosis, log: &'r Log, base: &Base) -> Vec<EvidenceObject<'r>> {
    let object = |observed: &'r Observed| EvidenceObject {
        event: observed.event.kind(),
        input: base.input,
        line: observed.line(),
        last_line: observed.last_line(),
        text: &observed.text,
        quoted: quoted(observed),
    };
    Evidence::new(known, log).shown.into_iter().map(object).collect()
}

fn quoted(observed: &Observed) -> Vec<QuotedLineObject<'_>> {
    let each = observed.quoted.iter();
    each.map(|one| QuotedLineObject { line: one.line, text: &one.text }).collect()
}
