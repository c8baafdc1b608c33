//! Which boot of a log is compared.

use std::collections::BTreeSet;

use crate::diagnosis::Conclusions;
use crate::diagnosis::choice::BootNumber;
use crate::event::log::Log;

/// Which of two boots is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// One that went well.
    Good,
    /// One with a failure.
    Bad,
}

/// Why it is this boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[serde(into = "&'static str")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Why {
    /// There is no other.
    Only,
    /// Somebody said so.
    Asked(BootNumber),
    /// It is the last one without an incident.
    #[strum(serialize = "last-without-incident")]
    LastWithout,
    /// It is the last one with an incident.
    #[strum(serialize = "last-with-incident")]
    LastWith,
    /// It is the last one, or the one before the other, and no better one was found.
    Last,
}

/// A boot, and why it is this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Its place among the log's.
    pub boot: usize,
    pub why: Why,
}

/// Why no boot can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoBoot {
    /// The log has no boot of this number.
    Missing(BootNumber),
    /// The log has one boot, and two are compared.
    One,
    /// Both are the same boot.
    Same,
}

/// The boots of a log, as far as it matters which of them fail.
struct Boots {
    count: usize,
    /// Those with an incident.
    fails: BTreeSet<usize>,
    /// Those that show a GPU of ours; none where no boot does.
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

    fn place(&self, number: BootNumber) -> Result<Chosen, NoBoot> {
        let boot = number.place(self.count).ok_or(NoBoot::Missing(number))?;
        Ok(Chosen { boot, why: Why::Asked(number) })
    }

    /// The last boot before `end` that fits, other than `not`.
    fn last(&self, wish: Wish, end: usize, not: Option<usize>) -> Option<Chosen> {
        let mut places = (0..end.min(self.count)).rev().filter(|place| Some(*place) != not);
        let shows = |place: &usize| self.shows.is_empty() || self.shows.contains(place);
        let fails = |place: &usize| self.fails.contains(place);
        let (found, why) = match wish {
            Wish::Good => (places.find(|place| shows(place) && !fails(place)), Why::LastWithout),
            Wish::Bad => (places.find(fails), Why::LastWith),
        };
        found.map(|boot| Chosen { boot, why })
    }
}

/// The boot of a log that is wished for. Fails where the log has no boot of the number that was
/// asked for.
pub(crate) fn one(
    log: &Log,
    conclusions: &Conclusions,
    asked: Option<BootNumber>,
    wish: Wish,
) -> Result<Chosen, NoBoot> {
    let boots = Boots::of(log, conclusions);
    match asked {
        Some(number) => boots.place(number),
        None if boots.count == 1 => Ok(Chosen { boot: 0, why: Why::Only }),
        None => {
            let last = Chosen { boot: boots.count - 1, why: Why::Last };
            Ok(boots.last(wish, boots.count, None).unwrap_or(last))
        }
    }
}

/// Two boots of one log: the good one, and the bad one. Fails where the log has not both.
pub(crate) fn two(
    log: &Log,
    conclusions: &Conclusions,
    good: Option<BootNumber>,
    bad: Option<BootNumber>,
) -> Result<(Chosen, Chosen), NoBoot> {
    let boots = Boots::of(log, conclusions);
    let good = good.map(|number| boots.place(number)).transpose()?;
    let bad = bad.map(|number| boots.place(number)).transpose()?;
    if boots.count < 2 {
        return Err(NoBoot::One);
    }
    // The last one that is not the other.
    let other = |taken: Option<usize>| {
        let last = boots.count - 1;
        let boot = if taken == Some(last) { last - 1 } else { last };
        Chosen { boot, why: Why::Last }
    };
    let taken = good.map(|good| good.boot);
    let bad = bad.or_else(|| boots.last(Wish::Bad, boots.count, taken));
    let bad = bad.unwrap_or_else(|| other(taken));
    let good = good.or_else(|| boots.last(Wish::Good, bad.boot, None));
    let good = good.or_else(|| boots.last(Wish::Good, boots.count, Some(bad.boot)));
    let before = || match bad.boot.checked_sub(1) {
        Some(boot) => Chosen { boot, why: Why::Last },
        None => other(Some(bad.boot)),
    };
    let good = good.unwrap_or_else(before);
    if good.boot == bad.boot { Err(NoBoot::Same) } else { Ok((good, bad)) }
}
