//! Why a step did not match, found by removing its demands one after the other.

use crate::event::Observed;
use crate::pattern::constraint::Test;
use crate::pattern::signature::{Count, EventMatcher, Signature, Step, Window};
use crate::value::Micros;

use super::super::sequence::{Scene, Search, is, search};
use super::staged::{Snapshot, event, pool};
use super::{EXAMPLES, Seen};

/// Up to this number, missing events of a step are counted exactly.
const COUNTED: usize = 50;

/// Why a step did not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// There is no event of its kind.
    NoEvent {
        /// Events elsewhere in the log that would match.
        elsewhere: Vec<Elsewhere>,
    },
    /// There are events of its kind, but none with its fields.
    Differs {
        /// Their number.
        of_kind: usize,
        /// Those that differ least.
        near: Vec<Differing>,
    },
    /// There are matching events, but none in the right place.
    Displaced {
        /// Their number.
        fitting: usize,
        /// What is wrong with their place.
        how: Displaced,
        /// The step that they are placed relative to, and its event.
        anchor: Option<(String, usize)>,
        /// The first of them.
        near: Vec<Near>,
    },
    /// The step that it is placed relative to did not match.
    NoAnchor(String),
}

/// An event elsewhere in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elsewhere {
    pub event: usize,
    /// Its location.
    pub place: Whereabouts,
}

/// The location of an event outside the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Whereabouts {
    /// In the same boot, of the same GPU.
    Outside,
    /// In the same boot, of another GPU.
    OtherGpu,
    /// In the same boot, without a GPU.
    NoGpu,
    /// In another boot.
    OtherBoot,
}

/// An event of the right kind with other fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Differing {
    pub event: usize,
    /// The fields that fail, with their values and the conditions.
    pub fields: Vec<(String, Option<String>, Test)>,
}

/// What is wrong with the place of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Displaced {
    /// They are on the wrong side of the step that they are placed relative to.
    Order {
        /// Whether they should come before it.
        before: bool,
    },
    /// They are too far away from it.
    TooFar {
        /// The maximum distance.
        limit: Micros,
    },
    /// These fields differ; with the values that they must equal.
    NotSame(Vec<(String, Option<String>)>),
    TooFew {
        /// The number found.
        found: usize,
        /// The number required.
        wanted: Count,
    },
}

/// A matching event in the wrong place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    /// The event with the examined fields.
    pub seen: Seen,
    /// The time since the event that it is placed relative to; negative if it is earlier.
    pub distance: Option<Micros>,
    /// Whether it follows that event in the log.
    pub behind: Option<bool>,
}

/// Why `step` did not match, given the match `last` without it.
pub(super) fn missing(
    signature: &Signature,
    step: &Step,
    last: &Snapshot,
    scene: Scene<'_>,
) -> Missing {
    let kinds = step.wanted.all_kinds();
    let pool = pool(step, scene);
    let of_kind: Vec<&Observed> =
        pool.iter().filter(|observed| kinds.contains(&observed.event.kind())).copied().collect();
    if of_kind.is_empty() {
        return Missing::NoEvent { elsewhere: elsewhere(step, &pool, scene) };
    }
    let fitting: Vec<&Observed> =
        of_kind.iter().filter(|observed| is(&step.wanted, observed)).copied().collect();
    if fitting.is_empty() {
        return Missing::Differs {
            of_kind: of_kind.len(),
            near: differing(&step.wanted, &of_kind, scene),
        };
    }
    let is_missing = |name: &&str| !step.whole_boot && !last.steps.contains_key(*name);
    if let Some(name) = step.window.anchor().filter(is_missing) {
        return Missing::NoAnchor(name.to_owned());
    }
    let anchor = anchor(signature, step, last);
    let reference = event(scene.log, anchor.as_ref().map(|(_, at)| *at));
    let near = |observed: &&Observed| near(step, observed, reference, scene);
    Missing::Displaced {
        fitting: fitting.len(),
        how: displaced(signature, step, last, scene),
        near: fitting.iter().filter_map(near).take(EXAMPLES).collect(),
        anchor,
    }
}

/// The step that `step` is placed relative to, and its event.
fn anchor(signature: &Signature, step: &Step, last: &Snapshot) -> Option<(String, usize)> {
    let mut placed = signature.steps.iter().filter(|other| other.is_placed());
    let name = match step.window.anchor() {
        _ if step.whole_boot => return None,
        Some(name) => name,
        // Without a place, an optional step refers to the first one.
        None if step.optional => &placed.next()?.name,
        None => &placed.take_while(|other| other.name != step.name).last()?.name,
    };
    Some((name.to_owned(), last.first(name)?))
}

fn near(
    step: &Step,
    observed: &Observed,
    reference: Option<&Observed>,
    scene: Scene<'_>,
) -> Option<Near> {
    let at = scene.log.position(observed.sequence)?;
    let behind = reference.map(|reference| observed.sequence > reference.sequence);
    let distance = reference.and_then(|reference| match behind {
        Some(true) => reference.stamp.elapsed(&observed.stamp),
        _ => observed.stamp.elapsed(&reference.stamp).map(|span| Micros(-span.0)),
    });
    Some(Near {
        seen: Seen::new(at, observed, &step.wanted, &step.tied().collect::<Vec<_>>()),
        distance,
        behind,
    })
}

/// The demand on its place that a step fails: the one without which the search finds it.
fn displaced(signature: &Signature, step: &Step, last: &Snapshot, scene: Scene<'_>) -> Displaced {
    let found = |step: &Step| is_found(signature, step, last, scene);
    let mut eased = Step { count: None, ..step.clone() };
    if let Some(wanted) = step.count.filter(|_| found(&eased)) {
        let with = |min: &usize| {
            let count = Some(Count { min: *min, ..wanted });
            found(&Step { count, ..step.clone() })
        };
        let found = (1..wanted.min.min(COUNTED)).rev().find(with).unwrap_or(1);
        return Displaced::TooFew { found, wanted };
    }
    eased.same = Vec::new();
    if !step.same.is_empty() && found(&eased) {
        let reference = anchor(signature, step, last).map(|(_, at)| at);
        let value = |name: &String| {
            let value = event(scene.log, reference)?.event.field(name)?;
            Some(value.to_string())
        };
        let same = step.same.iter();
        return Displaced::NotSame(same.map(|name| (name.clone(), value(name))).collect());
    }
    eased.window = Window { within: None, ..step.window.clone() };
    match step.window.within {
        Some(limit) if found(&eased) => Displaced::TooFar { limit },
        _ => Displaced::Order { before: step.window.before.is_some() },
    }
}

/// Whether the search finds `step` in addition to the match without it.
fn is_found(signature: &Signature, step: &Step, last: &Snapshot, scene: Scene<'_>) -> bool {
    let name = step.name.as_str();
    let keep = |other: &Step| {
        if other.name == name {
            Some(step.clone())
        } else {
            last.steps.contains_key(&other.name).then(|| other.clone())
        }
    };
    let steps = signature.steps.iter().filter_map(keep).collect();
    let eased = Signature { steps, nevers: Vec::new(), ..signature.clone() };
    match search(&eased, scene) {
        Search::Found(found) => found.steps.contains_key(name),
        Search::Absent | Search::GaveUp => false,
    }
}

/// Events of the log that would match if they were searched; nearest kind of location first.
fn elsewhere(step: &Step, pool: &[&Observed], scene: Scene<'_>) -> Vec<Elsewhere> {
    let device = scene.events.iter().find_map(|observed| observed.device);
    let place = |observed: &Observed| match observed.device {
        _ if observed.boot != scene.boot => Whereabouts::OtherBoot,
        other if other == device => Whereabouts::Outside,
        Some(_) => Whereabouts::OtherGpu,
        None => Whereabouts::NoGpu,
    };
    // Both are in the order of the log.
    let is_new = |observed: &Observed| {
        pool.binary_search_by_key(&observed.sequence, |one| one.sequence).is_err()
    };
    let events = scene.log.events.iter().enumerate();
    let mut found: Vec<Elsewhere> = events
        .filter(|(_, observed)| is(&step.wanted, observed) && is_new(observed))
        .map(|(event, observed)| Elsewhere { event, place: place(observed) })
        .collect();
    let far = |one: &Elsewhere| match one.place {
        Whereabouts::Outside => 0,
        Whereabouts::NoGpu => 1,
        Whereabouts::OtherGpu => 2,
        Whereabouts::OtherBoot => 3,
    };
    found.sort_by_key(far);
    found.truncate(EXAMPLES);
    found
}

/// The members of `events` that differ least from the demand.
fn differing(wanted: &EventMatcher, events: &[&Observed], scene: Scene<'_>) -> Vec<Differing> {
    let all = || std::iter::once(wanted).chain(&wanted.or);
    let differs = |observed: &Observed| {
        let of_kind = all().filter(|one| one.kinds.contains(&observed.event.kind()));
        let failing = of_kind.map(|one| {
            let tests = one.tests.iter();
            let failing =
                tests.filter(|(name, test)| !test.passes(observed.event.field(name).as_ref()));
            failing.collect::<Vec<_>>()
        });
        failing.min_by_key(Vec::len).unwrap_or_default()
    };
    let mut found = Vec::new();
    for observed in events {
        let Some(event) = scene.log.position(observed.sequence) else { continue };
        let value = |name: &str| observed.event.field(name).map(|value| value.to_string());
        let fields = differs(observed);
        let fields =
            fields.into_iter().map(|(name, test)| (name.clone(), value(name), test.clone()));
        found.push(Differing { event, fields: fields.collect() });
    }
    found.sort_by_key(|differing| differing.fields.len());
    found.truncate(EXAMPLES);
    found
}
