//! The distinct events of two boots: new, gone, or more frequent.

#![allow(clippy::ref_option_ref, reason = "serde writes it for a field that borrows")]

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::silence::since_boot;
use super::{Extent, Side, Silence};
use crate::event::Observed;
use crate::incident::fingerprint::Likeness;
use crate::kind::Part;
use crate::value::Micros;

/// The boot that contains something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ComparedStanding"))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Presence {
    /// Only the bad boot.
    New,
    /// Both boots.
    Both,
    /// Only the good boot.
    Gone,
}

impl Presence {
    pub(super) const fn of(good: bool, bad: bool) -> Self {
        match (good, bad) {
            (false, _) => Self::New,
            (true, true) => Self::Both,
            (true, false) => Self::Gone,
        }
    }
}

/// The change in frequency, relative to the length of the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Trend {
    /// More often in the bad boot, in number and in rate per hour.
    More,
    /// Less often, in number and in rate per hour.
    Less,
    /// As often, or as expected from the lengths of the logs.
    Alike,
    /// The logs are not comparable.
    Unclear,
}

impl Trend {
    /// Compares counts in logs of known length.
    fn of(good: u64, bad: u64, lengths: Option<(Micros, Micros)>) -> Self {
        let Some((good_lasts, bad_lasts)) = lengths else { return Self::Unclear };
        // Rates are compared by cross-multiplication: an empty log has no rate.
        let (good_lasts, bad_lasts) = (i128::from(good_lasts.0), i128::from(bad_lasts.0));
        let rates = (i128::from(good) * bad_lasts).cmp(&(i128::from(bad) * good_lasts));
        match (good.cmp(&bad), rates) {
            (std::cmp::Ordering::Less, std::cmp::Ordering::Less) => Self::More,
            (std::cmp::Ordering::Greater, std::cmp::Ordering::Greater) => Self::Less,
            _ => Self::Alike,
        }
    }
}

/// The number of occurrences in a boot, and the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Count<'l> {
    /// The number of occurrences.
    pub count: u64,
    /// The first line.
    #[serde(rename = "line", serialize_with = "first_line")]
    #[cfg_attr(test, schemars(with = "Option<u64>"))]
    pub first: Option<&'l Observed>,
}

#[allow(
    clippy::ref_option_ref,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference to the field"
)]
fn first_line<S: Serializer>(first: &Option<&Observed>, to: S) -> Result<S::Ok, S::Error> {
    first.map(Observed::line).serialize(to)
}

/// Equal events of both boots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventRow<'l> {
    /// The properties in which the events agree.
    pub likeness: Likeness,
    pub good: Count<'l>,
    pub bad: Count<'l>,
    /// If only one boot has it: what its absence in the other one proves.
    pub silence: Silence,
    /// If both have it: how its frequency changed.
    pub trend: Trend,
}

impl<'l> EventRow<'l> {
    /// Which boots have it.
    pub(crate) const fn presence(&self) -> Presence {
        Presence::of(self.good.count > 0, self.bad.count > 0)
    }

    /// The first event in the bad boot; if it is gone, in the good boot.
    pub(crate) fn first(&self) -> Option<&'l Observed> {
        self.bad.first.or(self.good.first)
    }

    /// Whether it is a step of setup and not a sign of failure.
    pub(crate) fn is_noise(&self) -> bool {
        self.likeness.kind.part() == Part::Context
    }

    /// Whether it is a meaningful difference: not if the other log would not show it, and not if a
    /// GPU was only set up more often.
    pub(crate) fn is_significant(&self) -> bool {
        match self.presence() {
            Presence::New | Presence::Gone => {
                !self.is_noise() || matches!(self.silence, Silence::Proves)
            }
            Presence::Both => !self.is_noise() && matches!(self.trend, Trend::More | Trend::Less),
        }
    }
}

/// The events of both boots: new ones first, then those of both, then those that are gone; within
/// each group failures before setup, in order of first occurrence.
pub(super) fn rows<'l>(
    good: Side<'l>,
    bad: Side<'l>,
    extents: &(Extent, Extent),
) -> Vec<EventRow<'l>> {
    let mut counts: BTreeMap<Likeness, (Count<'l>, Count<'l>)> = BTreeMap::new();
    for observed in of_gpus(good) {
        counts.entry(Likeness::of(&observed.event)).or_default().0.add(observed);
    }
    for observed in of_gpus(bad) {
        counts.entry(Likeness::of(&observed.event)).or_default().1.add(observed);
    }
    let whole = extents.0.is_whole() && extents.1.is_whole();
    let lengths = extents.0.lasts.zip(extents.1.lasts).filter(|_| whole);
    let since =
        |side, count: Count<'l>| count.first.and_then(|first| since_boot(side, &first.stamp));
    let row = |(likeness, (of_good, of_bad)): (Likeness, (Count<'l>, Count<'l>))| {
        let (silence, trend) = if of_bad.count > 0 {
            let trend = Trend::of(of_good.count, of_bad.count, lengths);
            (extents.0.silence(since(bad, of_bad)), trend)
        } else {
            (extents.1.silence(since(good, of_good)), Trend::Unclear)
        };
        EventRow { likeness, good: of_good, bad: of_bad, silence, trend }
    };
    let mut rows: Vec<_> = counts.into_iter().map(row).collect();
    rows.sort_by_key(|row| {
        let first = row.first().map(|observed| observed.sequence);
        (row.presence(), row.is_noise(), first)
    });
    rows
}

impl<'l> Count<'l> {
    fn add(&mut self, observed: &'l Observed) {
        self.count += 1;
        self.first = self.first.or(Some(observed));
    }
}

/// The events of a side's boot that belong to GPUs.
fn of_gpus(side: Side<'_>) -> impl Iterator<Item = &Observed> {
    let here = move |observed: &&Observed| observed.boot == side.boot && observed.of_a_gpu;
    side.log.events.iter().filter(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_said_only_where_it_is_more_by_the_hour_too() {
        let hours =
            |good: i64, bad: i64| Some((Micros::seconds(good * 3600), Micros::seconds(bad * 3600)));
        for (good, bad, lengths, want) in [
            (1, 2, hours(1, 1), Trend::More),
            (1, 100, hours(1, 120), Trend::Alike),
            (1, 200, hours(1, 120), Trend::More),
            (5, 1, hours(1, 1), Trend::Less),
            (5, 1, hours(100, 1), Trend::Alike),
            (2, 2, hours(1, 9), Trend::Alike),
            (1, 2, None, Trend::Unclear),
            (1, 2, hours(0, 0), Trend::Alike),
            (u64::MAX, 1, Some((Micros(i64::MAX), Micros(i64::MAX))), Trend::Less),
        ] {
            assert_eq!(Trend::of(good, bad, lengths), want, "{good} {bad} {lengths:?}");
        }
    }
}
