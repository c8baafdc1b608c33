//! The same for programs: one document.

use std::io;

use serde::Serialize;

use super::{Input, words};
use crate::diagnosis::sequence::Absence;
use crate::diagnosis::why::{
    Answer, Elsewhere, Evaluation, First, Ground, Loose, Matched, Missing, NeverAnswer, Seen,
    Shown, StepAnswer, StepState, Whereabouts,
};
use crate::event::log::Log;
use crate::pattern::signature::Signature;
use crate::report::explain::words::condition;
use crate::report::json::{SCHEMA_VERSION, Tool, whole};
use crate::report::time::Time;
use crate::value::DeviceKind;

/// Writes the answers; `patterns` is the digest of the patterns.
///
/// # Errors
/// What the writer returns.
pub fn write(
    signature: &Signature,
    inputs: &[Input<'_>],
    patterns: &str,
    out: &mut impl io::Write,
) -> io::Result<()> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool::new(patterns),
        signature: &signature.id,
        scope: signature.scope.name(),
        inputs: inputs.iter().map(|input| object(input, signature)).collect(),
    };
    whole(&document, out)
}

#[derive(Serialize)]
struct Document<'w> {
    schema_version: u32,
    tool: Tool<'w>,
    signature: &'w str,
    scope: &'static str,
    inputs: Vec<InputObject<'w>>,
}

#[derive(Serialize)]
struct InputObject<'w> {
    name: &'w str,
    held: Vec<HeldObject<'w>>,
    left_out: usize,
    left_out_matches: usize,
    /// The events that would fit, where there is nothing to hold the signature against.
    would_fit: Option<Vec<LooseObject<'w>>>,
}

#[derive(Serialize)]
struct HeldObject<'w> {
    against: &'static str,
    /// Its number among the incidents of this input.
    incident: Option<usize>,
    boot: usize,
    device: Option<String>,
    first: Option<Position>,
    last: Option<Position>,
    outcome: Option<&'static str>,
    gpu: Gpu,
    applies: AppliesObject,
    matches: bool,
    reason: Option<ReasonObject<'w>>,
    sentence: String,
    steps: Vec<StepObject<'w>>,
    nevers: Vec<NeverObject<'w>>,
    result: Option<ResultObject<'w>>,
}

#[derive(Serialize)]
struct Position {
    line: u64,
    time: Time,
}

#[derive(Serialize)]
struct Gpu {
    gfx_target: Option<String>,
    gfx_generation: Option<String>,
    asic: Option<String>,
    kind: Option<DeviceKind>,
}

#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
struct AppliesObject {
    allows: bool,
    gfx: bool,
    kind: bool,
    kernel: Option<bool>,
}

#[derive(Serialize)]
struct ReasonObject<'w> {
    kind: &'static str,
    name: Option<&'w str>,
}

#[derive(Serialize)]
struct SeenObject<'w> {
    line: u64,
    last_line: u64,
    text: &'w str,
    fields: Vec<FieldObject<'w>>,
}

#[derive(Serialize)]
struct FieldObject<'w> {
    name: &'w str,
    value: Option<&'w str>,
}

#[derive(Serialize)]
struct StepObject<'w> {
    name: &'w str,
    optional: bool,
    state: &'static str,
    times: usize,
    events: Vec<SeenObject<'w>>,
    missing: Option<MissingObject<'w>>,
}

#[derive(Serialize)]
struct MissingObject<'w> {
    why: &'static str,
    sentence: String,
    anchor: Option<&'w str>,
    events: Vec<NearObject>,
}

#[derive(Serialize)]
struct NearObject {
    line: u64,
    what: String,
    /// How much later it is than the event that it is placed by.
    distance_us: Option<i64>,
}

#[derive(Serialize)]
struct NeverObject<'w> {
    name: &'w str,
    state: &'static str,
    by: Option<SeenObject<'w>>,
    log_goes_on_us: Option<i64>,
    unknown_because: Option<&'static str>,
    accepted: Option<bool>,
}

#[derive(Serialize)]
struct ResultObject<'w> {
    shown: &'static str,
    role: Option<&'static str>,
    rank: Option<usize>,
    of: Option<usize>,
    severity: &'static str,
    confidence: f64,
    base: f64,
    reasons: Vec<CountedObject<'w>>,
    silenced_by: Vec<&'w str>,
    before: Vec<BeforeObject<'w>>,
    actions: Vec<ActionObject<'w>>,
}

#[derive(Serialize)]
struct CountedObject<'w> {
    by: f64,
    because: &'w str,
    when: String,
    counted: bool,
}

#[derive(Serialize)]
struct BeforeObject<'w> {
    id: &'w str,
    why: String,
}

#[derive(Serialize)]
struct ActionObject<'w> {
    id: &'w str,
    status: Option<&'static str>,
    left_out: Option<String>,
}

#[derive(Serialize)]
struct LooseObject<'w> {
    step: &'w str,
    of_kind: usize,
    fitting: usize,
    events: Vec<SeenObject<'w>>,
}

fn object<'w>(input: &'w Input<'w>, signature: &Signature) -> InputObject<'w> {
    let Input { name, log, why } = input;
    let loose = |one: &'w Loose<'_>| LooseObject {
        step: &one.step.name,
        of_kind: one.of_kind,
        fitting: one.fitting,
        events: one.examples.iter().filter_map(|seen| seen_object(seen, log)).collect(),
    };
    InputObject {
        name,
        held: why.held.iter().map(|held| held_object(held, signature, log)).collect(),
        left_out: why.more.all,
        left_out_matches: why.more.matched,
        would_fit: why.loose.as_ref().map(|all| all.iter().map(loose).collect()),
    }
}

fn held_object<'w>(
    held: &'w Evaluation<'_>,
    signature: &Signature,
    log: &'w Log,
) -> HeldObject<'w> {
    let events = || held.events.iter().filter_map(|at| log.events.get(*at));
    let first = events()
        .next()
        .map(|observed| Position { line: observed.line(), time: Time::certain(&observed.stamp) });
    let last = events().next_back().map(|observed| Position {
        line: observed.last_line(),
        time: Time::certain(&observed.stamp),
    });
    let (against, incident, outcome) = match &held.ground {
        Ground::Incident { number, incident } => {
            ("incident", *number, Some(incident.outcome.name()))
        }
        Ground::Boot { .. } => ("boot", None, None),
    };
    let (matches, reason, result) = match &held.answer {
        Answer::Matches(matched) => (true, None, Some(result(matched, signature))),
        Answer::No(first) => (false, Some(reason(*first, held)), None),
    };
    HeldObject {
        against,
        incident,
        boot: held.ground.boot(),
        device: held.ground.device().map(|device| device.to_string()),
        first,
        last,
        outcome,
        gpu: gpu(held),
        applies: AppliesObject {
            allows: held.applies.allows(),
            gfx: held.applies.gfx,
            kind: held.applies.kind,
            kernel: held.applies.kernel,
        },
        matches,
        reason,
        sentence: words::answer(held, signature, log),
        steps: held.steps.iter().map(|answer| step_object(answer, held, log)).collect(),
        nevers: held.nevers.iter().map(|answer| never_object(answer, log)).collect(),
        result,
    }
}

fn gpu(held: &Evaluation<'_>) -> Gpu {
    let device = held.device;
    Gpu {
        gfx_target: device.and_then(|device| device.target).map(|target| target.to_string()),
        gfx_generation: device.and_then(|device| device.generation).map(|one| one.to_string()),
        asic: device.and_then(|device| device.asic.clone()),
        kind: device.and_then(|device| device.kind),
    }
}

fn reason<'w>(first: First, held: &'w Evaluation<'_>) -> ReasonObject<'w> {
    let (kind, name) = match first {
        First::OtherGpu => ("other-gpu", None),
        First::Step(index) => {
            ("step-missing", held.steps.get(index).map(|answer| answer.step.name.as_str()))
        }
        First::Never(index) => {
            let answer = held.nevers.get(index);
            let came = answer.and_then(|answer| answer.judged.as_ref()?.by.as_ref()).is_some();
            let kind = if came { "never-refuted" } else { "never-unknown" };
            (kind, answer.map(|answer| answer.never.name.as_str()))
        }
        First::GaveUp => ("not-evaluated", None),
    };
    ReasonObject { kind, name }
}

fn seen_object<'w>(seen: &'w Seen, log: &'w Log) -> Option<SeenObject<'w>> {
    let observed = log.events.get(seen.event)?;
    let fields = seen.fields.iter();
    Some(SeenObject {
        line: observed.line(),
        last_line: observed.last_line(),
        text: &observed.text,
        fields: fields.map(|(name, value)| FieldObject { name, value: value.as_deref() }).collect(),
    })
}

fn step_object<'w>(
    answer: &'w StepAnswer<'_>,
    held: &Evaluation<'_>,
    log: &'w Log,
) -> StepObject<'w> {
    let (state, times, examples, missing) = match &answer.state {
        StepState::Found { times, examples } => ("found", *times, examples.as_slice(), None),
        StepState::Missing(missing) => ("missing", 0, [].as_slice(), Some(missing)),
        StepState::NotAsked { fitting, examples } => {
            ("not-asked", *fitting, examples.as_slice(), None)
        }
    };
    StepObject {
        name: &answer.step.name,
        optional: answer.step.optional,
        state,
        times,
        events: examples.iter().filter_map(|seen| seen_object(seen, log)).collect(),
        missing: missing.map(|missing| missing_object(missing, answer, held, log)),
    }
}

fn missing_object<'w>(
    missing: &'w Missing,
    answer: &StepAnswer<'_>,
    held: &Evaluation<'_>,
    log: &Log,
) -> MissingObject<'w> {
    let line = |event: usize| log.events.get(event).map_or(0, crate::event::Observed::line);
    let (why, anchor, events) = match missing {
        Missing::NoEvent { elsewhere } => {
            let near = |one: &Elsewhere| NearObject {
                line: line(one.event),
                what: whereabouts(one.place).to_owned(),
                distance_us: None,
            };
            ("no-event", None, elsewhere.iter().map(near).collect())
        }
        Missing::Differs { near, .. } => {
            let near = near.iter();
            let near = near.map(|one| NearObject {
                line: line(one.event),
                what: words::differs(one, log),
                distance_us: None,
            });
            ("fields-differ", None, near.collect())
        }
        Missing::Displaced { anchor, near, how, .. } => {
            let near = near.iter();
            let near = near.map(|one| NearObject {
                line: line(one.seen.event),
                what: words::seen(&one.seen, log),
                distance_us: one.distance.map(|distance| distance.0),
            });
            let anchor = anchor.as_ref().map(|(name, _)| name.as_str());
            (words::displacement(how), anchor, near.collect())
        }
        Missing::NoAnchor(name) => ("no-anchor", Some(name.as_str()), Vec::new()),
    };
    MissingObject { why, sentence: words::missing(missing, held, answer.step, log), anchor, events }
}

const fn whereabouts(place: Whereabouts) -> &'static str {
    match place {
        Whereabouts::Outside => "outside",
        Whereabouts::OtherGpu => "other-gpu",
        Whereabouts::NoGpu => "no-gpu",
        Whereabouts::OtherBoot => "other-boot",
    }
}

fn never_object<'w>(answer: &'w NeverAnswer<'_>, log: &'w Log) -> NeverObject<'w> {
    let state = answer.judged.as_ref();
    NeverObject {
        name: &answer.never.name,
        state: match state.map(|state| state.absence) {
            Some(Absence::Shown) => "shown",
            Some(Absence::Refuted) => "refuted",
            Some(Absence::Unknown) => "unknown",
            None => "not-asked",
        },
        by: state.and_then(|state| seen_object(state.by.as_ref()?, log)),
        log_goes_on_us: state.and_then(|state| Some(state.seen?.0)),
        unknown_because: state.and_then(|state| state.inconclusive).map(Into::into),
        accepted: state.map(|state| state.bearable),
    }
}

fn result<'w>(matched: &'w Matched, signature: &Signature) -> ResultObject<'w> {
    let reasons = matched.reasons.iter().map(|(reason, counted)| CountedObject {
        by: reason.by,
        because: &reason.because,
        when: condition(&reason.when),
        counted: *counted,
    });
    let actions = matched.actions.iter().map(|action| ActionObject {
        id: &action.advice,
        status: action.standing.map(Into::into),
        left_out: action.standing.is_none().then(|| words::action(action)),
    });
    let mut object = ResultObject {
        shown: "",
        role: None,
        rank: None,
        of: None,
        severity: matched.severity.name(),
        confidence: matched.confidence,
        base: signature.confidence.base,
        reasons: reasons.collect(),
        silenced_by: Vec::new(),
        before: Vec::new(),
        actions: actions.collect(),
    };
    object.shown = match &matched.shown {
        Shown::Silenced(by) => {
            object.silenced_by = by.iter().map(String::as_str).collect();
            "silenced"
        }
        Shown::Diagnosis { role, rank, of, before } => {
            object.role = Some(role.name());
            (object.rank, object.of) = (Some(*rank), Some(*of));
            let before = before.iter();
            object.before =
                before.map(|one| BeforeObject { id: &one.id, why: words::before(one) }).collect();
            "diagnosis"
        }
        Shown::Notice { .. } => "notice",
        Shown::Granted => "not-shown-reset-was-asked-for",
        Shown::SaidAlready => "not-shown-said-of-an-incident",
    };
    object
}
