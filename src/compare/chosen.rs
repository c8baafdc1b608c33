//! Selects the boots to compare.

use std::collections::BTreeSet;

use crate::diagnosis::Conclusions;
use crate::diagnosis::choice::BootNumber;
use crate::event::log::Log;

/// The kind of boot to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// A boot without a failure.
    Good,
    /// A boot with a failure.
    Bad,
}

/// Why this boot was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[serde(into = "&'static str")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum SelectionReason {
    /// There is no other.
    Only,
    /// The user selected it.
    Asked(BootNumber),
    /// It is the last one without an incident.
    #[strum(serialize = "last-without-incident")]
    LastWithout,
    /// It is the last one with an incident.
    #[strum(serialize = "last-with-incident")]
    LastWith,
    /// It is the last one, or the one before the other boot, and no better one was found.
    Last,
}

/// A boot, and why it was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SelectedBoot {
    /// Its index in the log.
    pub boot: usize,
    pub why: SelectionReason,
}

/// Why no boot can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoBoot {
    /// The log has no boot of this number.
    Missing(BootNumber),
    /// The log has only one boot, and two are needed.
    One,
    /// Both selected boots are the same.
    Same,
}

/// The boots of a log, and which of them failed.
struct Boots {
    count: usize,
    /// Boots with an incident.
    fails: BTreeSet<usize>,
    /// Boots that show an AMD GPU; empty if none does.
    shows: BTreeSet<usize>,
}

impl Boots {
    fn of(log: &Log, conclusions: &Conclusions) -> Self {
        Self {
            count: log.boots.len().max(1),
            fails: conclusions.findings.iter().map(|finding| finding.incident.boot).collect(),
            shows: log.devices.iter().map(|device| device.boot).collect(),
        }
    }

    fn place(&self, number: BootNumber) -> Result<SelectedBoot, NoBoot> {
        let boot = number.place(self.count).ok_or(NoBoot::Missing(number))?;
        Ok(SelectedBoot { boot, why: SelectionReason::Asked(number) })
    }

    /// The last boot before `end` that fits, other than `not`.
    fn last(&self, wish: Wish, end: usize, not: Option<usize>) -> Option<SelectedBoot> {
        let mut places = (0..end.min(self.count)).rev().filter(|place| Some(*place) != not);
        let shows = |place: &usize| self.shows.is_empty() || self.shows.contains(place);
        let fails = |place: &usize| self.fails.contains(place);
        let (found, why) = match wish {
            Wish::Good => {
                (places.find(|place| shows(place) && !fails(place)), SelectionReason::LastWithout)
            }
            Wish::Bad => (places.find(fails), SelectionReason::LastWith),
        };
        found.map(|boot| SelectedBoot { boot, why })
    }
}

/// Selects a boot of a log. Fails if the log has no boot with the number that the user gave.
pub(crate) fn one(
    log: &Log,
    conclusions: &Conclusions,
    asked: Option<BootNumber>,
    wish: Wish,
) -> Result<SelectedBoot, NoBoot> {
    let boots = Boots::of(log, conclusions);
    match asked {
        Some(number) => boots.place(number),
        None if boots.count == 1 => Ok(SelectedBoot { boot: 0, why: SelectionReason::Only }),
        None => {
            let last = SelectedBoot { boot: boots.count - 1, why: SelectionReason::Last };
            Ok(boots.last(wish, boots.count, None).unwrap_or(last))
        }
    }
}

/// Selects the good and the bad boot of one log. Fails if the log does not have both.
pub(crate) fn two(
    log: &Log,
    conclusions: &Conclusions,
    good: Option<BootNumber>,
    bad: Option<BootNumber>,
) -> Result<(SelectedBoot, SelectedBoot), NoBoot> {
    let boots = Boots::of(log, conclusions);
    let good = good.map(|number| boots.place(number)).transpose()?;
    let bad = bad.map(|number| boots.place(number)).transpose()?;
    if boots.count < 2 {
        return Err(NoBoot::One);
    }
    // The last one other than the one already selected.
    let other = |taken: Option<usize>| {
        let last = boots.count - 1;
        let boot = if taken == Some(last) { last - 1 } else { last };
        SelectedBoot { boot, why: SelectionReason::Last }
    };
    let taken = good.map(|good| good.boot);
    let bad = bad.or_else(|| boots.last(Wish::Bad, boots.count, taken));
    let bad = bad.unwrap_or_else(|| other(taken));
    let good = good.or_else(|| boots.last(Wish::Good, bad.boot, None));
    let good = good.or_else(|| boots.last(Wish::Good, boots.count, Some(bad.boot)));
    let before = || match bad.boot.checked_sub(1) {
        Some(boot) => SelectedBoot { boot, why: SelectionReason::Last },
        None => other(Some(bad.boot)),
    };
    let good = good.unwrap_or_else(before);
    if good.boot == bad.boot { Err(NoBoot::Same) } else { Ok((good, bad)) }
}
