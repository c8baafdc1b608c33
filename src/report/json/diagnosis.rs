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

/// A notice: worth knowing, but not a failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct NoticeObject<'r> {
    /// The id of the signature.
    id: &'r str,
    /// The GPU; null if it concerns none, or no line names it.
    device: Option<PciAddress>,
    /// The severity.
    severity: Severity,
    /// The boot, as the `index` of an entry of `boots`.
    boot: usize,
    /// The title.
    title: &'r str,
    /// Its role.
    role: Role,
    #[serde(flatten)]
    rest: DiagnosisRest<'r>,
}

/// A diagnosis of a failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct DiagnosisObject<'r> {
    /// The id of the signature.
    id: &'r str,
    /// The title.
    title: &'r str,
    /// Its role in the incident.
    role: Role,
    /// The severity.
    severity: Severity,
    #[serde(flatten)]
    rest: DiagnosisRest<'r>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DiagnosisRest<'r> {
    /// The certainty: `stated` literally by the log, `inferred` from several lines, or `suspected`
    /// from versions or lines that have other explanations.
    certainty: Certainty,
    /// Whether the cause is known.
    cause: Cause,
    /// How well the lines match the signature, from 0 to 1. Not a probability.
    #[cfg_attr(test, schemars(range(min = 0, max = 1)))]
    match_score: f64,
    /// A description of the failure in plain words.
    summary: &'r str,
    /// The events that prove it, in order; of very many, only the first and the last ones.
    evidence: Vec<EvidenceObject<'r>>,
    /// Actions to take, most useful first.
    actions: &'r [Action],
    /// URLs of the sources.
    references: &'r [String],
    /// An explanation of its meaning.
    explain: &'r str,
    /// What the log does not show.
    not_shown: &'r [String],
    /// Why the cause is unknown; null if it is known.
    cause_reason: Option<CauseReason>,
    /// Possible causes; empty unless `cause` is `candidates`.
    cause_candidates: &'r [String],
    /// The known cause in a few words; null if it is unknown, or if the diagnosis itself is the cause.
    cause_shown: Option<&'r str>,
    /// The reasons that changed the match score.
    reasons: &'r [Counted],
    /// The layers in which the cause may be, most likely first.
    layers: &'r [Layer],
    /// The number of events that prove it, including those that `evidence` omits.
    evidence_events: usize,
    /// Whether it only repeats the meaning of a line, because no specific signature matches.
    fallback: bool,
}

/// An event that proves a diagnosis.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EvidenceObject<'r> {
    /// The event kind.
    event: Kind,
    /// The input that contains it, as an index into `inputs`.
    input: usize,
    /// The number of its first line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The number of its last line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    last_line: u64,
    /// The text of its first line, without time and sender.
    text: &'r str,
    /// Further lines that describe it; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    quoted: Vec<QuotedLineObject<'r>>,
}

/// A line of the log.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct QuotedLineObject<'r> {
    /// The line number, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The text of the line.
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
        cause_shown: known.cause.shown.as_deref(),
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
