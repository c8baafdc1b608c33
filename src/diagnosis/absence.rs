//! What must not come: whether it came, and whether the log can tell.

use crate::event::Observed;
use crate::event::log::Coverage;
use crate::pattern::signature::{Never, Window};
use crate::record::Stamp;
use crate::value::Micros;

use super::sequence::{Match, Scene, is};

/// What is known about something that should not have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The log goes on past the limit and it is not there.
    Shown,
    /// It is there.
    Refuted,
    /// The log ends, or has a hole, before the limit: nobody can tell.
    Unknown,
}

/// Why a log cannot tell whether something came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    /// It went through a filter.
    Filtered,
    /// It ends before the limit.
    Ends,
    /// Lines are missing before the limit.
    Broken,
    /// It begins behind the limit.
    BeginsLate,
    /// The signature does not say which step it is about.
    NoPlace,
}

/// The answer about one `never`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged<'l> {
    pub(super) absence: Absence,
    /// How long the log goes on behind the step that it is about.
    pub(super) seen: Option<Micros>,
    /// What refutes it.
    pub(super) by: Option<&'l Observed>,
    /// Why nobody can tell.
    pub(super) untold: Option<Untold>,
}

impl<'l> Judged<'l> {
    const fn new(absence: Absence) -> Self {
        Self { absence, seen: None, by: None, untold: None }
    }

    const fn refuted(by: &'l Observed) -> Self {
        Self { by: Some(by), ..Self::new(Absence::Refuted) }
    }

    const fn unknown(untold: Untold) -> Self {
        Self { untold: Some(untold), ..Self::new(Absence::Unknown) }
    }
}

/// Whether what must not come did come, for a match of the steps.
pub(super) fn judged<'l>(never: &Never, found: &Match<'l>, scene: Scene<'l>) -> Judged<'l> {
    let Window { after, before, within } = &never.window;
    let Some(name) = after.as_ref().or(before.as_ref()) else {
        return Judged::unknown(Untold::NoPlace);
    };
    let anchor = found.steps.get(name.as_str()).and_then(|events| events.first());
    // A `never` about an optional step that did not match has nothing to refute it.
    let Some(anchor) = anchor else { return Judged::new(Absence::Shown) };
    if before.is_some() {
        before_it(never, anchor, scene)
    } else {
        behind(never, anchor, *within, scene)
    }
}

fn behind<'l>(
    never: &Never,
    anchor: &Observed,
    within: Option<Micros>,
    scene: Scene<'l>,
) -> Judged<'l> {
    let log = scene.log;
    let last = log.boots.get(scene.boot).map(|boot| boot.last).unwrap_or_default();
    let judged = if let Some(by) = comes(never, anchor, within, scene) {
        Judged::refuted(by)
    } else if log.filtered {
        Judged::unknown(Untold::Filtered)
    } else {
        let limit = within.unwrap_or(Micros(i64::MAX));
        match log.coverage(scene.boot, anchor.sequence, &anchor.stamp, limit) {
            Coverage::Past => Judged::new(Absence::Shown),
            Coverage::Ends => Judged::unknown(Untold::Ends),
            Coverage::Broken => Judged::unknown(Untold::Broken),
        }
    };
    Judged { seen: anchor.stamp.elapsed(&last), ..judged }
}

/// What must not come and does come behind `anchor`, in time.
fn comes<'l>(
    never: &Never,
    anchor: &Observed,
    within: Option<Micros>,
    scene: Scene<'l>,
) -> Option<&'l Observed> {
    let beyond = scene.beyond;
    let from = beyond.partition_point(|observed| observed.sequence <= anchor.sequence);
    let in_time = |observed: &&&Observed| {
        let span = anchor.stamp.elapsed(&observed.stamp);
        within.zip(span).is_none_or(|(limit, span)| span <= limit)
    };
    let mut near = beyond.iter().skip(from).take_while(in_time);
    near.find(|observed| is(&never.wanted, observed)).copied()
}

fn before_it<'l>(never: &Never, anchor: &Observed, scene: Scene<'l>) -> Judged<'l> {
    let near = |stamp: &Stamp| {
        let within = never.window.within;
        within.zip(stamp.elapsed(&anchor.stamp)).is_none_or(|(limit, span)| span <= limit)
    };
    let came = scene.beyond.iter().find(|observed| {
        observed.sequence < anchor.sequence && near(&observed.stamp) && is(&never.wanted, observed)
    });
    let boot = scene.log.boots.get(scene.boot);
    let covered = boot.is_some_and(|boot| boot.from_start || !near(&boot.first));
    match came {
        Some(by) => Judged::refuted(by),
        None if scene.log.filtered => Judged::unknown(Untold::Filtered),
        None if covered => Judged::new(Absence::Shown),
        None => Judged::unknown(Untold::BeginsLate),
    }
}
