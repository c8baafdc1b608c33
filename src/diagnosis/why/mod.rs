//! Explains why a signature was or was not reported for a log, step by step, with the real matcher.
//!
//! Nothing is matched here: [`staged`] runs the search of [`super::sequence`] with growing parts of
//! the signature; the first part that is not found is the reason.

mod matched;
mod missing;
mod staged;

use std::collections::BTreeMap;

use crate::event::Observed;
use crate::event::device::Device;
use crate::event::log::Log;
use crate::incident::{Incident, incidents};
use crate::pattern::Patterns;
use crate::pattern::constraint::{Applies, Test};
use crate::pattern::signature::{EventMatcher, Never, Scope, Signature, Step};
use crate::value::field::Value;
use crate::value::{Micros, PciAddress};

use super::absence::Absence;
pub(crate) use super::absence::Inconclusive;
pub(crate) use super::action::Hindrance;
use super::is_diagnosed;
pub(crate) use super::rank::Ahead;
use super::run::Run;
use super::sequence::{Scene, is};
use super::survey::{Stream, Survey};

pub(crate) use matched::{ActionAnswer, Before};
pub use matched::{Matched, Shown};
pub(crate) use missing::{Differing, Displaced, Elsewhere, Missing, Near, Whereabouts};

/// Maximum number of events to show as examples.
pub(crate) const EXAMPLES: usize = 3;
/// Maximum number of incidents or boots to show in full, matching ones first.
const SHOWN_IN_FULL: usize = 20;

/// Why a signature was or was not reported for a log.
#[derive(Debug)]
pub struct Explanation<'l> {
    pub(crate) signature: &'l Signature,
    /// The incidents or boots that it was matched with, in the order of the log.
    pub held: Vec<Evaluation<'l>>,
    /// The number of further incidents and boots, and how many of them match.
    pub(crate) more: More,
    /// The events that its steps would match, if there is nothing to match it with.
    pub(crate) unanchored: Option<Vec<UnanchoredMatches<'l>>>,
}

/// Incidents and boots that are not shown in full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct More {
    /// Their number.
    pub all: usize,
    /// In how many of them it matches.
    pub matched: usize,
}

/// The events of a log that would match a step.
#[derive(Clone, Debug)]
pub(crate) struct UnanchoredMatches<'l> {
    pub step: &'l Step,
    /// The number of events of its kinds.
    pub of_kind: usize,
    /// The number of those that also have its fields.
    pub fitting: usize,
    /// The first of these.
    pub examples: Vec<Seen>,
}

/// What a signature is matched with.
#[derive(Clone, Debug)]
pub enum MatchScope {
    /// An incident.
    Incident {
        /// Its number in the report on this log; `None` if it is a granted request.
        number: Option<usize>,
        /// The incident.
        incident: Incident,
    },
    /// All events of a GPU in a boot.
    Boot {
        /// The boot.
        boot: usize,
        /// The GPU; `None` for events without one.
        device: Option<PciAddress>,
    },
}

impl MatchScope {
    pub(crate) const fn boot(&self) -> usize {
        match self {
            Self::Incident { incident, .. } => incident.boot,
            Self::Boot { boot, .. } => *boot,
        }
    }

    /// The GPU.
    pub(crate) const fn device(&self) -> Option<PciAddress> {
        match self {
            Self::Incident { incident, .. } => incident.device,
            Self::Boot { device, .. } => *device,
        }
    }
}

/// A signature matched with one incident or boot.
#[derive(Debug)]
pub struct Evaluation<'l> {
    /// The incident or boot.
    pub scope: MatchScope,
    /// Its events, as indices into the log's.
    pub(crate) events: Vec<usize>,
    /// What the log shows about the GPU.
    pub(crate) device: Option<&'l Device>,
    /// Whether the signature applies to this GPU.
    pub(crate) applies: Applicability,
    /// Each step, in the order of the file.
    pub(crate) steps: Vec<StepAnswer<'l>>,
    /// Each never, in the order of the file.
    pub(crate) nevers: Vec<NeverAnswer<'l>>,
    /// The result.
    pub answer: Answer,
}

/// Whether a signature is about a GPU. Only what the log proves rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Applicability {
    /// Whether it may be one of its chips.
    pub gfx: bool,
    /// Whether it may be of its kind.
    pub kind: bool,
    /// Whether its chip may have what it must have.
    pub chip: bool,
    /// Whether the kernel is one of its kernels, which explains and never rejects.
    pub kernel: Option<bool>,
}

impl Applicability {
    fn new(applies: &Applies, stream: Stream<'_>) -> Self {
        let known = stream.known();
        let part = || Applies { proven: applies.proven, ..Applies::default() };
        let gfx = Applies { gfx: applies.gfx.clone(), ..part() };
        let kind = Applies { kind: applies.kind, ..part() };
        let chip = Applies { chip: applies.chip.clone(), ..part() };
        let range = applies.kernel.zip(stream.kernel());
        Self {
            gfx: gfx.allows(known),
            kind: kind.allows(known),
            chip: chip.allows(known),
            kernel: range.map(|(range, version)| range.contains(version)),
        }
    }

    /// Whether it may apply.
    pub(crate) const fn allows(self) -> bool {
        self.gfx && self.kind && self.chip
    }
}

/// An event with the examined fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The index of the event in the log.
    pub event: usize,
    /// The fields and their values; `None` if not in the log.
    pub fields: Vec<(String, Option<String>)>,
}

impl Seen {
    fn new(event: usize, observed: &Observed, wanted: &EventMatcher, tied: &[&String]) -> Self {
        let accepting = |wanted: &&EventMatcher| {
            is(&EventMatcher { or: Vec::new(), ..(*wanted).clone() }, observed)
        };
        let wanted = std::iter::once(wanted).chain(&wanted.or).find(accepting);
        let tests = wanted.map(|wanted| wanted.tests.as_slice()).unwrap_or_default();
        let mut fields: Vec<(String, Option<String>)> = tests
            .iter()
            .map(|(name, test)| (name.clone(), passing(observed, name, test)))
            .collect();
        let value = |name: &String| observed.event.field(name).map(|value| value.to_string());
        fields.extend(tied.iter().map(|name| ((*name).clone(), value(name))));
        fields.dedup();
        Self { event, fields }
    }
}

/// The value of a field that passes a test; of several words, as in a stack, those that pass.
fn passing(observed: &Observed, field: &str, test: &Test) -> Option<String> {
    let value = observed.event.field(field)?;
    let words = value.words().iter();
    let passes = |word: &&String| test.passes(Some(&Value::Word((*word).clone())));
    let passing: Vec<&str> = words.filter(passes).map(String::as_str).collect();
    Some(if passing.is_empty() { value.to_string() } else { passing.join(", ") })
}

/// The result for a step.
#[derive(Clone, Debug)]
pub(crate) struct StepAnswer<'l> {
    pub step: &'l Step,
    /// The result.
    pub state: StepState,
}

/// The result for a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StepState {
    /// Events match it.
    Found {
        /// Their number.
        times: usize,
        /// The first of them.
        examples: Vec<Seen>,
    },
    /// None do.
    Missing(Missing),
    /// Not searched for, because an earlier step is missing.
    NotAsked {
        /// The number of events that would match, anywhere.
        fitting: usize,
        /// The first of them.
        examples: Vec<Seen>,
    },
}

/// The result for a never.
#[derive(Clone, Debug)]
pub(crate) struct NeverAnswer<'l> {
    /// What must not occur.
    pub never: &'l Never,
    /// Whether it occurred; `None` if its step is unknown because another one is missing.
    pub judged: Option<NeverState>,
}

/// Whether an excluded event occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeverState {
    /// Whether it came.
    pub absence: Absence,
    /// The event that it refers to; `None` if that optional step did not match.
    pub anchor: Option<usize>,
    /// How long the log continues after that event.
    pub seen: Option<Micros>,
    /// The event that refutes it.
    pub by: Option<Seen>,
    /// Why it is undecidable.
    pub inconclusive: Option<Inconclusive>,
    /// Whether the signature may match nevertheless.
    pub bearable: bool,
}

/// The result for one incident or boot.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The signature matches.
    Matches(Box<Matched>),
    /// It does not, and this is the first reason.
    No(First),
}

/// The first reason why a signature does not match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// It applies to other GPUs.
    OtherGpu,
    /// This step is missing.
    Step(usize),
    /// This never excludes the match: it occurred, or it is undecidable and that is not sufficient.
    Never(usize),
    /// Undecided: there are too many events.
    GaveUp,
}

/// Explains why `signature` was or was not reported for `log`.
#[must_use]
pub fn why<'l>(signature: &'l Signature, log: &'l Log, patterns: &'l Patterns) -> Explanation<'l> {
    let survey = Survey::new(log, &patterns.hardware.names);
    let mut all = grounds(signature, &survey);
    let matches: Vec<bool> =
        all.iter().map(|ground| staged::is_match(signature, ground, &survey)).collect();
    let (told, more) = chosen(&matches);
    let nothing = all.is_empty();
    let mut place = 0..;
    all.retain(|_| place.next().is_some_and(|place| told.contains(&place)));
    let held =
        all.into_iter().map(|ground| evaluation(signature, ground, &survey, patterns)).collect();
    Explanation { signature, held, more, unanchored: nothing.then(|| loose(signature, log)) }
}

/// The incidents or boots to match a signature with, in the order of the log.
fn grounds(signature: &Signature, survey: &Survey<'_>) -> Vec<MatchScope> {
    let mut grounds = Vec::new();
    if signature.scope != Scope::Boot {
        let all = incidents(survey.log);
        let count = all.len();
        let mut numbers = 1..;
        for (_, incident) in
            all.into_iter().enumerate().filter(|(place, _)| is_diagnosed(*place, count))
        {
            let number = if incident.is_granted_request() { None } else { numbers.next() };
            grounds.push(MatchScope::Incident { number, incident });
        }
    }
    if signature.scope != Scope::Incident {
        let boots = survey.by_device.keys();
        grounds
            .extend(boots.map(|(boot, device)| MatchScope::Boot { boot: *boot, device: *device }));
    }
    grounds
}

/// The indices to show in full, and the number of others.
fn chosen(matches: &[bool]) -> (Vec<usize>, More) {
    let mut order: Vec<usize> = (0..matches.len()).collect();
    order.sort_by_key(|place| !matches[*place]);
    let left = order.split_off(order.len().min(SHOWN_IN_FULL));
    let of_them = left.iter().filter(|place| matches[**place]).count();
    (order, More { all: left.len(), matched: of_them })
}

/// The events of an incident or boot.
struct Stage<'l> {
    stream: Stream<'l>,
    events: Run<'l>,
}

impl<'l> Stage<'l> {
    fn new(ground: &MatchScope, survey: &'l Survey<'l>) -> Self {
        let stream = survey.stream(ground.boot(), ground.device());
        let events = match ground {
            MatchScope::Incident { incident, .. } => survey.log.at(&incident.events).collect(),
            MatchScope::Boot { .. } => stream.events().clone(),
        };
        Self { stream, events }
    }

    fn scene(&self) -> Scene<'_> {
        // Modified signatures are searched for, so results must not be shared.
        Scene { remembered: None, ..self.stream.scene(&self.events) }
    }
}

fn evaluation<'l>(
    signature: &'l Signature,
    ground: MatchScope,
    survey: &Survey<'l>,
    patterns: &'l Patterns,
) -> Evaluation<'l> {
    let log = survey.log;
    let stage = Stage::new(&ground, survey);
    let applies = Applicability::new(&signature.applies, stage.stream);
    let found = staged::staged(signature, stage.scene());
    let first = if applies.allows() { found.first } else { Some(First::OtherGpu) };
    let answer = match first {
        Some(first) => Answer::No(first),
        None => matched::matched(signature, &ground, &stage, patterns)
            .map_or(Answer::No(First::GaveUp), |matched| Answer::Matches(Box::new(matched))),
    };
    let events = stage.events.iter().filter_map(|o| log.position(o.sequence)).collect();
    Evaluation {
        device: log.device(ground.boot(), ground.device()),
        scope: ground,
        events,
        applies,
        steps: found.steps,
        nevers: found.nevers,
        answer,
    }
}

/// The first events of `all`, with the fields that `step` examines.
fn examples(all: &[&Observed], step: &Step, log: &Log) -> Vec<Seen> {
    let shown = all.iter().take(EXAMPLES);
    shown
        .filter_map(|observed| {
            let event = log.position(observed.sequence)?;
            Some(Seen::new(event, observed, &step.wanted, &step.tied().collect::<Vec<_>>()))
        })
        .collect()
}

/// The events of a log that the steps would match if there were an incident.
fn loose<'l>(signature: &'l Signature, log: &Log) -> Vec<UnanchoredMatches<'l>> {
    let mut by_kind: BTreeMap<_, Vec<&Observed>> = BTreeMap::new();
    for observed in &log.events {
        by_kind.entry(observed.event.kind()).or_default().push(observed);
    }
    let of = |step: &'l Step| {
        let kinds = step.wanted.all_kinds();
        let of_kind = kinds.iter().flat_map(|kind| by_kind.get(kind).into_iter().flatten());
        let mut of_kind: Vec<&Observed> = of_kind.copied().collect();
        of_kind.sort_by_key(|observed| observed.sequence);
        of_kind.dedup_by_key(|observed| observed.sequence);
        let fits = |observed: &&&Observed| is(&step.wanted, observed);
        let fitting: Vec<&Observed> = of_kind.iter().filter(fits).copied().collect();
        UnanchoredMatches {
            step,
            of_kind: of_kind.len(),
            fitting: fitting.len(),
            examples: examples(&fitting, step, log),
        }
    };
    signature.steps.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_scopes_matching_ones_are_shown() {
        let mut matches = vec![false; 30];
        matches[27] = true;
        let (told, more) = chosen(&matches);
        assert!(told.contains(&27) && told.contains(&0) && told.len() == SHOWN_IN_FULL);
        assert_eq!(more, More { all: 10, matched: 0 });
        let (told, more) = chosen(&[true; 25]);
        assert_eq!((told.len(), more), (SHOWN_IN_FULL, More { all: 5, matched: 5 }));
        assert_eq!(chosen(&[]), (Vec::new(), More::default()));
    }
}
