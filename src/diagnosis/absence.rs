//! Events that must not occur: whether they occurred, and whether the log can decide it.

use std::rc::Rc;

use crate::event::Observed;
use crate::event::log::Coverage;
use crate::pattern::signature::{Never, Signature, Window};
use crate::record::Stamp;
use crate::value::Micros;

use super::reach::{Group, Reach, Remembered};
use super::sequence::{Match, Scene};

/// What is known about something that should not have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Absence {
    /// The log continues past the limit without it.
    Shown,
    /// It is there.
    Refuted,
    /// The log ends or has a gap before the limit, so it is unknown.
    Unknown,
}

/// Why it is unknown whether something occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Inconclusive {
    /// The log was filtered.
    #[serde(rename = "log-filtered")]
    #[strum(serialize = "log-filtered")]
    Filtered,
    /// The log ends before the time limit.
    #[serde(rename = "log-ends-early")]
    #[strum(serialize = "log-ends-early")]
    Ends,
    /// Lines are missing before the time limit.
    #[serde(rename = "log-has-holes")]
    #[strum(serialize = "log-has-holes")]
    Broken,
    /// The log begins after the time limit.
    #[serde(rename = "log-starts-late")]
    #[strum(serialize = "log-starts-late")]
    BeginsLate,
    /// The signature does not say which step it is about.
    NoPlace,
}

/// The result for one `never`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<'l> {
    pub(super) absence: Absence,
    /// How long the log continues after the step that it refers to.
    pub(super) seen: Option<Micros>,
    /// The event that refutes it.
    pub(super) by: Option<&'l Observed>,
    /// Why it is undecidable.
    pub(super) inconclusive: Option<Inconclusive>,
}

impl<'l> Judged<'l> {
    const fn new(absence: Absence) -> Self {
        Self { absence, seen: None, by: None, inconclusive: None }
    }

    const fn refuted(by: &'l Observed) -> Self {
        Self { by: Some(by), ..Self::new(Absence::Refuted) }
    }

    const fn unknown(inconclusive: Inconclusive) -> Self {
        Self { inconclusive: Some(inconclusive), ..Self::new(Absence::Unknown) }
    }
}

/// Whether the event of a `never` occurred, for a match of the steps.
pub(super) fn judged<'l>(
    signature: &Signature,
    never: &Never,
    found: &Match<'l>,
    scene: Scene<'l>,
) -> Judged<'l> {
    let Window { before, within, .. } = &never.window;
    let Some(name) = never.window.anchor() else {
        return Judged::unknown(Inconclusive::NoPlace);
    };
    let anchor = found.steps.get(name).and_then(Group::first);
    // A `never` relative to an optional step that did not match cannot be refuted.
    let Some(anchor) = anchor else { return Judged::new(Absence::Shown) };
    let unwelcome = unwelcome(signature, never, scene);
    if before.is_some() {
        before_it(&unwelcome, anchor, *within, scene)
    } else {
        judged_after(&unwelcome, anchor, *within, scene)
    }
}

/// The events of the GPU in this boot that meet the demand of a `never`.
fn unwelcome(signature: &Signature, never: &Never, scene: Scene<'_>) -> Rc<Reach> {
    let look = || scene.beyond.that_are(&never.wanted).collect();
    let fresh = Remembered::default();
    let remembered = scene.remembered.unwrap_or(&fresh);
    remembered.never(scene.log, (signature.id.as_str(), never.name.as_str()), look)
}

fn judged_after<'l>(
    unwelcome: &Reach,
    anchor: &Observed,
    within: Option<Micros>,
    scene: Scene<'l>,
) -> Judged<'l> {
    let log = scene.log;
    let judged = if let Some(by) = comes(unwelcome, anchor, within, scene) {
        Judged::refuted(by)
    } else if log.filtered {
        Judged::unknown(Inconclusive::Filtered)
    } else {
        let limit = within.unwrap_or(Micros(i64::MAX));
        match log.coverage(scene.boot, anchor.sequence, &anchor.stamp, limit) {
            Coverage::Past => Judged::new(Absence::Shown),
            Coverage::Ends => Judged::unknown(Inconclusive::Ends),
            Coverage::Broken => Judged::unknown(Inconclusive::Broken),
        }
    };
    let end = log.boots.get(scene.boot).map(|boot| boot.last);
    Judged { seen: end.and_then(|end| anchor.stamp.elapsed(&end)), ..judged }
}

/// Such an event after `anchor`, within the limit.
fn comes<'l>(
    unwelcome: &Reach,
    anchor: &Observed,
    within: Option<Micros>,
    scene: Scene<'l>,
) -> Option<&'l Observed> {
    let events = &scene.log.events;
    let first = unwelcome.events().partition_point(|at| {
        events.get(*at).is_some_and(|observed| observed.sequence <= anchor.sequence)
    });
    let came = events.get(*unwelcome.events().get(first)?)?;
    let Some(limit) = within.filter(|_| !anchor.stamp.is_timeless()) else { return Some(came) };
    // Clocks can jump: everything after an event that is too late is too late as well.
    let from = scene.beyond.partition_point(|observed| observed.sequence <= anchor.sequence);
    let mut until = scene.beyond.iter().skip(from).take_while(|o| o.sequence <= came.sequence);
    let in_time = |observed: &&Observed| {
        anchor.stamp.elapsed(&observed.stamp).is_none_or(|span| span <= limit)
    };
    until.all(in_time).then_some(came)
}

fn before_it<'l>(
    unwelcome: &Reach,
    anchor: &Observed,
    within: Option<Micros>,
    scene: Scene<'l>,
) -> Judged<'l> {
    let log = scene.log;
    let near = |stamp: &Stamp| {
        within.zip(stamp.elapsed(&anchor.stamp)).is_none_or(|(limit, span)| span <= limit)
    };
    let before = log.at(unwelcome.events());
    let mut before = before.take_while(|observed| observed.sequence < anchor.sequence);
    let came = before.find(|observed| near(&observed.stamp));
    let boot = log.boots.get(scene.boot);
    let covered = boot.is_some_and(|boot| boot.from_start || !near(&boot.first));
    match came {
        Some(by) => Judged::refuted(by),
        None if log.filtered => Judged::unknown(Inconclusive::Filtered),
        None if covered => Judged::new(Absence::Shown),
        None => Judged::unknown(Inconclusive::BeginsLate),
    }
}
