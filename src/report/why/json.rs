//! The result of `patterns explain` as one JSON document.

mod matched;

use std::io;

use serde::Serialize;

use matched::{ResultObject, result};

use super::{Input, words};
use crate::diagnosis::sequence::Absence;
use crate::diagnosis::why::{
    Answer, Applicability, Displaced, Elsewhere, Evaluation, First, Inconclusive, MatchScope,
    Missing, NeverAnswer, Seen, StepAnswer, StepState, UnanchoredMatches,
};
use crate::event::device::Device;
use crate::event::log::Log;
use crate::incident::outcome::Outcome;
use crate::pattern::signature::{Scope, Signature};
use crate::report::json::{Head, whole};
use crate::report::time::Time;
use crate::value::{DeviceKind, GfxGeneration, GfxTarget, PciAddress};

/// Writes the document; `patterns` is the digest of the patterns.
pub(crate) fn write(
    signature: &Signature,
    inputs: &[Input<'_>],
    patterns: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let document = WhyDocument {
        head: Head::new(patterns),
        signature: &signature.id,
        scope: signature.scope,
        inputs: inputs.iter().map(|input| object(input, signature)).collect(),
    };
    whole(&document, out)
}

/// Why a signature was or was not reported for logs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Why"))]
pub(in crate::report) struct WhyDocument<'w> {
    #[serde(flatten)]
    head: Head<'w>,
    /// The id of the signature.
    signature: &'w str,
    /// The events that it is matched against: those of an incident, or of a boot.
    scope: Scope,
    /// The results, one for each log.
    inputs: Vec<InputObject<'w>>,
}

/// The result for one log.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WhyInput"))]
struct InputObject<'w> {
    /// The name of the input.
    name: &'w str,
    /// The results of holding the signature against each incident or boot, in the order of the log.
    held: Vec<EvaluationObject<'w>>,
    /// The number of further incidents or boots.
    left_out: usize,
    /// The number of those in which it matches.
    left_out_matches: usize,
    /// The events that would match single steps; null if there is an incident or boot to evaluate.
    would_fit: Option<Vec<LooseObject<'w>>>,
}

/// The evaluation of the signature for one incident or boot.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Evaluation"))]
struct EvaluationObject<'w> {
    /// Whether the signature was held against the events of an incident or of a boot.
    against: Against,
    /// The number of the incident in this input; null for a boot.
    incident: Option<usize>,
    /// The boot, counted from 0.
    boot: usize,
    /// The GPU; null if none is named.
    device: Option<PciAddress>,
    /// Where the first event begins.
    first: Option<Position>,
    /// Where the last event ends.
    last: Option<Position>,
    /// The outcome of the incident; null for a boot.
    outcome: Option<Outcome>,
    /// What the log states about the GPU.
    gpu: Gpu<'w>,
    /// Whether the signature applies to this GPU.
    applies: AppliesObject,
    /// Whether the signature matches.
    matches: bool,
    /// The first reason why it does not match; null if it matches.
    reason: Option<ReasonObject<'w>>,
    /// The result in one sentence.
    sentence: String,
    /// Each step, in the order of the file.
    steps: Vec<StepObject<'w>>,
    /// The events that must not occur, in the order of the file.
    nevers: Vec<NeverObject<'w>>,
    /// The result of the match; null if the signature does not match.
    result: Option<ResultObject<'w>>,
}

/// The subject of an evaluation.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Against {
    Incident,
    Boot,
}

/// A line, and its time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LineAndTime"))]
struct Position {
    /// The line number, from 1.
    line: u64,
    /// The time of the line.
    time: Time,
}

/// What the log states about a GPU.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KnownGpu"))]
struct Gpu<'w> {
    /// The gfx target (instruction set).
    gfx_target: Option<GfxTarget>,
    /// The generation of the graphics core.
    gfx_generation: Option<GfxGeneration>,
    /// The public name of the chip.
    asic: Option<&'w str>,
    /// Whether it is a discrete GPU or part of an APU; null if unknown.
    kind: Option<DeviceKind>,
}

/// Whether a signature applies to a GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
struct AppliesObject {
    /// Whether it may apply: no known fact excludes it.
    allows: bool,
    #[serde(flatten)]
    parts: Applicability,
}

/// The first reason why a signature does not match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Mismatch"))]
struct ReasonObject<'w> {
    /// The kind of reason.
    kind: ReasonKind,
    /// The name of the step or of the `never`; null for other reasons.
    name: Option<&'w str>,
}

/// The kind of reason why a signature does not match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MismatchKind"))]
#[serde(rename_all = "kebab-case")]
enum ReasonKind {
    OtherGpu,
    StepMissing,
    NeverRefuted,
    NeverUnknown,
    NotEvaluated,
}

/// An event, with the fields that were compared.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SeenObject<'w> {
    /// The number of its first line, from 1.
    line: u64,
    /// The number of its last line, from 1.
    last_line: u64,
    /// The text of its first line, without time and sender.
    text: &'w str,
    /// The fields that were compared.
    fields: Vec<FieldObject<'w>>,
}

/// A field and its value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SeenField"))]
struct FieldObject<'w> {
    /// The name of the field.
    name: &'w str,
    /// Its value; null if the log does not state it.
    value: Option<&'w str>,
}

/// The result for a step.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StepAnswer"))]
struct StepObject<'w> {
    /// The name.
    name: &'w str,
    /// Whether the step may be missing.
    optional: bool,
    /// The result.
    state: State,
    /// The number of events that match the step, or would without their context.
    times: usize,
    /// The first of them.
    events: Vec<SeenObject<'w>>,
    /// The number of further ones, which are not in `events`.
    events_left_out: usize,
    /// Why no event matches; null if one does.
    missing: Option<MissingObject<'w>>,
}

/// The result for a step.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StepState"))]
#[serde(rename_all = "kebab-case")]
enum State {
    Found,
    Missing,
    NotAsked,
}

/// Why no event matches a step.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MissingStep"))]
struct MissingObject<'w> {
    /// The kind of mismatch.
    why: Lack,
    /// The reason in one sentence.
    sentence: String,
    /// The reference step for its position in time; null for none.
    anchor: Option<&'w str>,
    /// The events that come closest.
    events: Vec<NearObject>,
}

/// The kind of mismatch of a step.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "StepLack"))]
#[serde(rename_all = "kebab-case")]
enum Lack {
    NoEvent,
    FieldsDiffer,
    Order,
    TooFar,
    NotTheSame,
    TooFew,
    NoAnchor,
}

/// An event that nearly matches.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NearObject {
    /// The number of its first line, from 1.
    line: u64,
    /// How it differs; `outside`, `other-gpu`, `no-gpu` or `other-boot` if it is not among the
    /// evaluated events.
    what: String,
    /// The delay after the reference event, in microseconds.
    distance_us: Option<i64>,
}

/// Whether an event occurred that must not.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NeverObject<'w> {
    /// The name.
    name: &'w str,
    /// The result.
    state: NeverState,
    /// The event that refutes it; null for none.
    by: Option<SeenObject<'w>>,
    /// How long the log continues after the reference event, in microseconds; null if unknown.
    log_goes_on_us: Option<i64>,
    /// Why it is unknown; null if it is known.
    unknown_because: Option<Inconclusive>,
    /// Whether the signature may match with this result; null if it was not evaluated.
    accepted: Option<bool>,
}

/// Whether an event that must not occur did occur.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum NeverState {
    Shown,
    Refuted,
    Unknown,
    NotAsked,
}

/// The events of a log that would match a step.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FittingEvents"))]
struct LooseObject<'w> {
    /// The name of the step.
    step: &'w str,
    /// The number of events of its kinds.
    of_kind: usize,
    /// The number of those that have its fields, too.
    fitting: usize,
    /// The first of those that match.
    events: Vec<SeenObject<'w>>,
    /// The number of further ones, which are not in `events`.
    events_left_out: usize,
}

fn object<'w>(input: &'w Input<'w>, signature: &'w Signature) -> InputObject<'w> {
    let Input { name, log, why } = input;
    let loose = |one: &'w UnanchoredMatches<'_>| LooseObject {
        step: &one.step.name,
        of_kind: one.of_kind,
        fitting: one.fitting,
        events: seen_objects(&one.examples, log),
        events_left_out: one.fitting.saturating_sub(one.examples.len()),
    };
    InputObject {
        name,
        held: why.held.iter().map(|held| held_object(held, signature, log)).collect(),
        left_out: why.more.all,
        left_out_matches: why.more.matched,
        would_fit: why.unanchored.as_ref().map(|all| all.iter().map(loose).collect()),
    }
}

fn held_object<'w>(
    held: &'w Evaluation<'_>,
    signature: &'w Signature,
    log: &'w Log,
) -> EvaluationObject<'w> {
    let events = || held.events.iter().filter_map(|at| log.events.get(*at));
    let first = events()
        .next()
        .map(|observed| Position { line: observed.line(), time: Time::certain(&observed.stamp) });
    let last = events().next_back().map(|observed| Position {
        line: observed.last_line(),
        time: Time::certain(&observed.stamp),
    });
    let (against, incident, outcome) = match &held.scope {
        MatchScope::Incident { number, incident } => {
            (Against::Incident, *number, Some(incident.outcome))
        }
        MatchScope::Boot { .. } => (Against::Boot, None, None),
    };
    let (matches, reason, result) = match &held.answer {
        Answer::Matches(matched) => (true, None, Some(result(matched, signature))),
        Answer::No(first) => (false, Some(reason(*first, held)), None),
    };
    EvaluationObject {
        against,
        incident,
        boot: held.scope.boot(),
        device: held.scope.device(),
        first,
        last,
        outcome,
        gpu: held.device.map(gpu).unwrap_or_default(),
        applies: AppliesObject { allows: held.applies.allows(), parts: held.applies },
        matches,
        reason,
        sentence: words::answer(held, signature, log),
        steps: held.steps.iter().map(|answer| step_object(answer, held, log)).collect(),
        nevers: held.nevers.iter().map(|answer| never_object(answer, log)).collect(),
        result,
    }
}

fn gpu(device: &Device) -> Gpu<'_> {
    Gpu {
        gfx_target: device.target,
        gfx_generation: device.generation,
        asic: device.asic.as_deref(),
        kind: device.kind,
    }
}

fn reason<'w>(first: First, held: &'w Evaluation<'_>) -> ReasonObject<'w> {
    let (kind, name) = match first {
        First::OtherGpu => (ReasonKind::OtherGpu, None),
        First::Step(index) => (ReasonKind::StepMissing, Some(&held.steps[index].step.name)),
        First::Never(index) => {
            let answer = &held.nevers[index];
            let came = answer.judged.as_ref().is_some_and(|judged| judged.by.is_some());
            let kind = if came { ReasonKind::NeverRefuted } else { ReasonKind::NeverUnknown };
            (kind, Some(&answer.never.name))
        }
        First::GaveUp => (ReasonKind::NotEvaluated, None),
    };
    ReasonObject { kind, name: name.map(String::as_str) }
}

fn seen_object<'w>(seen: &'w Seen, log: &'w Log) -> SeenObject<'w> {
    let observed = &log.events[seen.event];
    let fields = seen.fields.iter();
    SeenObject {
        line: observed.line(),
        last_line: observed.last_line(),
        text: &observed.text,
        fields: fields.map(|(name, value)| FieldObject { name, value: value.as_deref() }).collect(),
    }
}

fn seen_objects<'w>(seen: &'w [Seen], log: &'w Log) -> Vec<SeenObject<'w>> {
    seen.iter().map(|one| seen_object(one, log)).collect()
}

fn step_object<'w>(
    answer: &'w StepAnswer<'_>,
    held: &Evaluation<'_>,
    log: &'w Log,
) -> StepObject<'w> {
    let (state, times, examples, missing) = match &answer.state {
        StepState::Found { times, examples } => (State::Found, *times, examples.as_slice(), None),
        StepState::Missing(missing) => (State::Missing, 0, [].as_slice(), Some(missing)),
        StepState::NotAsked { fitting, examples } => {
            (State::NotAsked, *fitting, examples.as_slice(), None)
        }
    };
    StepObject {
        name: &answer.step.name,
        optional: answer.step.optional,
        state,
        times,
        events: seen_objects(examples, log),
        events_left_out: times.saturating_sub(examples.len()),
        missing: missing.map(|missing| missing_object(missing, answer, held, log)),
    }
}

fn missing_object<'w>(
    missing: &'w Missing,
    answer: &StepAnswer<'_>,
    held: &Evaluation<'_>,
    log: &Log,
) -> MissingObject<'w> {
    let line = |event: usize| log.events[event].line();
    let (why, anchor, events) = match missing {
        Missing::NoEvent { elsewhere } => {
            let near = |one: &Elsewhere| NearObject {
                line: line(one.event),
                what: <&str>::from(one.place).to_owned(),
                distance_us: None,
            };
            (Lack::NoEvent, None, elsewhere.iter().map(near).collect())
        }
        Missing::Differs { near, .. } => {
            let near = near.iter();
            let near = near.map(|one| NearObject {
                line: line(one.event),
                what: words::differs(one, log),
                distance_us: None,
            });
            (Lack::FieldsDiffer, None, near.collect())
        }
        Missing::Displaced { anchor, near, how, .. } => {
            let near = near.iter();
            let near = near.map(|one| NearObject {
                line: line(one.seen.event),
                what: words::seen(&one.seen, log),
                distance_us: one.distance.map(|distance| distance.0),
            });
            let anchor = anchor.as_ref().map(|(name, _)| name.as_str());
            (displacement(how), anchor, near.collect())
        }
        Missing::NoAnchor(name) => (Lack::NoAnchor, Some(name.as_str()), Vec::new()),
    };
    MissingObject { why, sentence: words::missing(missing, held, answer.step, log), anchor, events }
}

const fn displacement(how: &Displaced) -> Lack {
    match how {
        Displaced::Order { .. } => Lack::Order,
        Displaced::TooFar { .. } => Lack::TooFar,
        Displaced::NotSame(_) => Lack::NotTheSame,
        Displaced::TooFew { .. } => Lack::TooFew,
    }
}

fn never_object<'w>(answer: &'w NeverAnswer<'_>, log: &'w Log) -> NeverObject<'w> {
    let state = answer.judged.as_ref();
    NeverObject {
        name: &answer.never.name,
        state: match state.map(|state| state.absence) {
            Some(Absence::Shown) => NeverState::Shown,
            Some(Absence::Refuted) => NeverState::Refuted,
            Some(Absence::Unknown) => NeverState::Unknown,
            None => NeverState::NotAsked,
        },
        by: state.and_then(|state| state.by.as_ref()).map(|by| seen_object(by, log)),
        log_goes_on_us: state.and_then(|state| Some(state.seen?.0)),
        unknown_because: state.and_then(|state| state.inconclusive),
        accepted: state.map(|state| state.bearable),
    }
}
