//! The timeline of a log: a track for each GPU across the boots, with a mark for each event.

use crate::kind::Milestone;
use crate::value::{Micros, PciAddress};

use super::counts::{joined, span};

/// The name of the track for events without a GPU.
pub(crate) const NAMELESS: &str = "no GPU named";

/// The timeline of one input.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    /// The boots, in order.
    pub(crate) boots: Vec<Span>,
    /// The number of boots that are not drawn.
    pub(crate) left_out: usize,
    /// The tracks of the GPUs, and one for events without a GPU.
    pub(crate) tracks: Vec<Track>,
}

/// One boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Its index in the log.
    pub(crate) boot: usize,
    /// The length of its log; `None` if its lines have no increasing times.
    pub(crate) lasts: Option<Micros>,
}

/// The events of one GPU.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    /// The GPU; `None` for events without one.
    pub(crate) device: Option<PciAddress>,
    /// The marks, in the order of the log.
    pub(crate) marks: Vec<Mark>,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    /// The index of its boot in [`Timeline::boots`].
    pub(crate) span: usize,
    /// Its position in the boot, from 0 to 1.
    pub(crate) at: f64,
    /// The time since the start of its boot, if known.
    pub(crate) after: Option<Micros>,
    pub(crate) phase: Milestone,
    /// The number of its incident.
    pub(crate) incident: usize,
    pub(crate) line: u64,
}

/// The drawn width of each of `boots`: proportional to its length within `room`, and at least
/// `least`, if that is possible for all.
pub(crate) fn widths(boots: &[Span], room: usize, least: usize) -> Vec<usize> {
    let count = boots.len().max(1);
    let least = least.min(room / count).max(1);
    let free = room.saturating_sub(least * count) as u128;
    let length = |boot: &Span| boot.lasts.map_or(0, |lasts| u128::try_from(lasts.0).unwrap_or(0));
    let all: u128 = boots.iter().map(length).sum();
    let share = |boot: &Span| match all {
        0 => free / count as u128,
        all => free * length(boot) / all,
    };
    boots.iter().map(|boot| least + usize::try_from(share(boot)).unwrap_or(0)).collect()
}

/// The length of the boots in words.
pub(crate) fn lengths(timeline: &Timeline) -> String {
    let lasts = |boot: &Span| match boot.lasts {
        None => "in the order of its lines, without times".to_owned(),
        Some(Micros(0)) => "all of its lines at one time".to_owned(),
        Some(lasts) => span(lasts),
    };
    let left_out = match timeline.left_out {
        0 => String::new(),
        count => format!("; {count} other boots are not drawn"),
    };
    match timeline.boots.as_slice() {
        [only] if timeline.left_out == 0 => format!("The whole log: {}.", lasts(only)),
        boots => {
            let each = boots.iter().map(|boot| format!("boot {}: {}", boot.boot + 1, lasts(boot)));
            format!("{}{left_out}.", joined(each, ", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boot(boot: usize, seconds: i64) -> Span {
        Span { boot, lasts: Some(Micros::seconds(seconds)) }
    }

    #[test]
    fn boots_are_as_wide_as_they_are_long_and_none_has_no_width() {
        let boots = [boot(0, 900), boot(1, 100), boot(2, 0)];
        assert_eq!(widths(&boots, 109, 3), [93, 13, 3]);
        assert_eq!(widths(&boots, 7, 3), [2, 2, 2]);
        assert_eq!(widths(&boots, 0, 3), [1, 1, 1]);
        assert_eq!(widths(&[Span { boot: 0, lasts: None }], 40, 3), [40]);
        assert_eq!(widths(&[], 40, 3), [0; 0]);
        let long = [boot(0, i64::MAX / 2_000_000), boot(1, 1)];
        assert_eq!(widths(&long, 40, 3), [36, 3]);
        assert_eq!(widths(&vec![boot(0, 60); 12], 13, 3), [1; 12]);
    }
}
