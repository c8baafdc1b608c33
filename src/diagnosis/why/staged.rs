//! Matches a signature part by part: the first part that is not found is the reason.

use std::collections::BTreeMap;

use crate::event::Observed;
use crate::event::log::Log;
use crate::pattern::signature::{Signature, Step};

use super::super::absence::judged;
use super::super::reach::Group;
use super::super::sequence::{Match, Scene, Search, allows_match, is, search};
use super::super::survey::Survey;
use super::missing::missing;
use super::{
    First, MatchScope, NeverAnswer, NeverState, Seen, Stage, StepAnswer, StepState, examples,
};

/// The results for the parts of a signature.
pub(super) struct Staged<'l> {
    pub(super) steps: Vec<StepAnswer<'l>>,
    pub(super) nevers: Vec<NeverAnswer<'l>>,
    /// The first part that is missing; `None` if all are found.
    pub(super) first: Option<First>,
}

/// The result of a search, independent of the searched signature: events as indices.
#[derive(Default)]
pub(super) struct Snapshot {
    pub(super) steps: BTreeMap<String, Vec<usize>>,
    nevers: Vec<NeverState>,
}

impl Snapshot {
    /// The first event of a step.
    pub(super) fn first(&self, step: &str) -> Option<usize> {
        self.steps.get(step)?.first().copied()
    }
}

/// Whether the signature matches and applies to this GPU.
pub(super) fn is_match(signature: &Signature, ground: &MatchScope, survey: &Survey<'_>) -> bool {
    let stage = Stage::new(ground, survey);
    let applies = signature.applies.allows(stage.stream.known());
    applies && matches!(search(signature, stage.scene()), Search::Found(_))
}

/// A part of the signature, and the reason if it is not found.
struct Fragment {
    signature: Signature,
    reason: First,
}

/// Matches growing parts of `signature`.
pub(super) fn staged<'l>(signature: &'l Signature, scene: Scene<'_>) -> Staged<'l> {
    let mut last = Snapshot::default();
    let mut first = None;
    // Parts without nevers lack steps, and then the nevers mean nothing yet.
    let mut complete = false;
    for part in parts(signature) {
        match search(&part.signature, scene) {
            Search::Found(found) => {
                complete = part.signature.steps.len() == signature.steps.len();
                last = snapshot(signature, &found, scene);
            }
            Search::GaveUp => first = Some(First::GaveUp),
            Search::Absent => first = Some(part.reason),
        }
        if first.is_some() {
            break;
        }
    }
    let failing = match first {
        Some(First::Step(index)) => Some(index),
        _ => None,
    };
    let state = |(index, step): (usize, &'l Step)| {
        let state = state(signature, (index, step), failing, complete, &last, scene);
        StepAnswer { step, state }
    };
    let steps = signature.steps.iter().enumerate().map(state).collect();
    let mut states = last.nevers.into_iter().map(Some).filter(|_| complete);
    let nevers = signature.nevers.iter();
    let nevers =
        nevers.map(|never| NeverAnswer { never, judged: states.next().flatten() }).collect();
    Staged { steps, nevers, first }
}

/// The parts of a signature, each with one demand more than the previous one; the last is the
/// whole.
fn parts(signature: &Signature) -> Vec<Fragment> {
    let bare = |steps: Vec<Step>, nevers: usize| Signature {
        steps,
        nevers: signature.nevers.iter().take(nevers).cloned().collect(),
        ..signature.clone()
    };
    let mandatory = |whole_boot: bool| {
        let steps = signature.steps.iter().enumerate();
        steps.filter(move |(_, step)| !step.optional && step.whole_boot == whole_boot)
    };
    let mut parts = Vec::new();
    let mut steps = Vec::new();
    for (index, step) in mandatory(false).chain(mandatory(true)) {
        steps.push(step.clone());
        parts.push(Fragment { signature: bare(steps.clone(), 0), reason: First::Step(index) });
    }
    for nevers in 0..=signature.nevers.len() {
        let reason = First::Never(nevers.saturating_sub(1));
        parts.push(Fragment { signature: bare(signature.steps.clone(), nevers), reason });
    }
    parts
}

/// The result of a search, and of all nevers given that result.
fn snapshot(signature: &Signature, found: &Match<'_>, scene: Scene<'_>) -> Snapshot {
    let position = |observed: &Observed| scene.log.position(observed.sequence);
    let indices = |events: &Group<'_>| events.iter().filter_map(position).collect();
    let steps: BTreeMap<String, Vec<usize>> =
        found.steps.iter().map(|(name, events)| ((*name).to_owned(), indices(events))).collect();
    let mut nevers = Vec::new();
    for never in &signature.nevers {
        let answer = judged(signature, never, found, scene);
        let by = answer.by.and_then(|by| {
            let event = scene.log.position(by.sequence)?;
            Some(Seen::new(event, by, &never.wanted, &[]))
        });
        nevers.push(NeverState {
            absence: answer.absence,
            anchor: never.window.anchor().and_then(|name| steps.get(name)?.first().copied()),
            seen: answer.seen,
            by,
            inconclusive: answer.inconclusive,
            bearable: allows_match(answer.absence, &never.unknown, found),
        });
    }
    Snapshot { steps, nevers }
}

fn state(
    signature: &Signature,
    (index, step): (usize, &Step),
    failing: Option<usize>,
    complete: bool,
    last: &Snapshot,
    scene: Scene<'_>,
) -> StepState {
    if let Some(events) = last.steps.get(&step.name) {
        let all: Vec<&Observed> = scene.log.at(events).collect();
        return StepState::Found { times: all.len(), examples: examples(&all, step, scene.log) };
    }
    if failing == Some(index) || (complete && step.optional) {
        return StepState::Missing(missing(signature, step, last, scene));
    }
    let fitting: Vec<&Observed> =
        pool(step, scene).into_iter().filter(|observed| is(&step.wanted, observed)).collect();
    StepState::NotAsked { fitting: fitting.len(), examples: examples(&fitting, step, scene.log) }
}

/// The events that are searched for a step.
pub(super) fn pool<'s>(step: &Step, scene: Scene<'s>) -> Vec<&'s Observed> {
    if !step.whole_boot {
        return scene.events.to_vec();
    }
    let mut all: Vec<&Observed> = scene.beyond.iter().chain(scene.around.iter()).copied().collect();
    all.sort_by_key(|observed| observed.sequence);
    all
}

/// The event of the log at `index`.
pub(super) fn event(log: &Log, index: Option<usize>) -> Option<&Observed> {
    log.events.get(index?)
}
