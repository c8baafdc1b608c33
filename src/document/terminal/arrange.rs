//! Decides how the columns of a table fit the width of a page: all beside each other, fewer of
//! them, narrower ones, or the last ones below the others.

use crate::document::Column;

/// The gap between two columns.
pub(super) const GAP: &str = "  ";
/// A column of words is never narrower than this, if it has so much to show.
const LEAST: usize = 20;
/// Longer words may be broken.
const WORD: usize = 32;

/// The width that the contents of a column take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Need {
    /// On one line.
    pub(super) whole: usize,
    /// Its longest word.
    pub(super) word: usize,
}

impl Need {
    /// The width for both.
    pub(super) fn max(self, other: Self) -> Self {
        Self { whole: self.whole.max(other.whole), word: self.word.max(other.word) }
    }

    /// The least width at which `column` is readable. Numbers are never wrapped.
    fn least(self, column: &Column) -> usize {
        if column.unbroken {
            return self.whole;
        }
        self.word.min(WORD).max(self.whole.min(LEAST))
    }
}

/// The places of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arrangement {
    /// The indexes of those that are beside each other, with their widths.
    pub(super) beside: Vec<(usize, usize)>,
    /// The indexes of those that are below.
    pub(super) below: Vec<usize>,
}

impl Arrangement {
    /// All beside each other, as wide as they are. Columns without any text are not shown.
    pub(super) fn free(needs: &[Need]) -> Self {
        let beside = needs.iter().map(|need| need.whole).enumerate();
        let beside = beside.filter(|(_, width)| *width > 0).collect();
        Self { beside, below: Vec::new() }
    }

    /// The best one within `room` columns of the page.
    pub(super) fn within(room: usize, columns: &[Column], needs: &[Need]) -> Self {
        let all = columns.iter().zip(needs).enumerate().map(Shown::new);
        let mut all: Vec<Shown> = all.filter(|one| one.whole > 0).collect();
        while width(all.iter().map(|one| one.least)) > room {
            let Some(spare) = all.iter().rposition(|one| one.spare) else { break };
            all.remove(spare);
        }
        let fitting = (1..=all.len()).rev();
        let mut fitting =
            fitting.filter(|count| width(all.iter().take(*count).map(|one| one.least)) <= room);
        let fitting = fitting.next().unwrap_or(1).min(all.len());
        let labelled = all.iter().position(|one| one.labelled).unwrap_or(fitting);
        let together = all.iter().skip(fitting).any(|one| one.labelled);
        let below = all.split_off(if together { labelled.max(1).min(fitting) } else { fitting });
        if let [only] = all.as_mut_slice() {
            only.least = only.least.min(room);
        }
        Self { beside: widened(&all, room), below: below.iter().map(|one| one.index).collect() }
    }
}

/// A column that is shown.
#[derive(Clone, Copy, Debug)]
struct Shown {
    index: usize,
    least: usize,
    whole: usize,
    spare: bool,
    labelled: bool,
}

impl Shown {
    fn new((index, (column, need)): (usize, (&Column, &Need))) -> Self {
        let Column { spare, labelled, .. } = *column;
        Self { index, least: need.least(column), whole: need.whole, spare, labelled }
    }
}

/// The width of columns and of the gaps between them.
fn width(columns: impl Iterator<Item = usize>) -> usize {
    columns.map(|width| width + GAP.len()).sum::<usize>().saturating_sub(GAP.len())
}

/// Shares what is left of `room` among columns that need more.
fn widened(all: &[Shown], room: usize) -> Vec<(usize, usize)> {
    let mut widths: Vec<usize> = all.iter().map(|one| one.least).collect();
    let mut free = room.saturating_sub(width(widths.iter().copied()));
    while free > 0 {
        let wanting = || all.iter().zip(&widths).filter(|(one, width)| one.whole > **width);
        let Some(share) = free.checked_div(wanting().count()) else { break };
        for (one, width) in all.iter().zip(&mut widths) {
            let more = one.whole.saturating_sub(*width).min(share.max(1)).min(free);
            *width += more;
            free -= more;
        }
    }
    all.iter().map(|one| one.index).zip(widths).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn need(whole: usize, word: usize) -> Need {
        Need { whole, word }
    }

    const COLUMNS: [Column; 4] = [
        Column::numbers("Line"),
        Column::words("Level").spare(),
        Column::words("Event"),
        Column::words("Meaning"),
    ];
    const NEEDS: [Need; 4] = [need(5, 5), need(5, 5), need(24, 24), need(90, 12)];

    #[test]
    fn a_page_that_gets_narrower_wraps_then_drops_then_stacks() {
        let at = |room| Arrangement::within(room, &COLUMNS, &NEEDS);
        let beside = |all: &[(usize, usize)]| Arrangement { beside: all.to_vec(), below: vec![] };
        assert_eq!(at(130), beside(&[(0, 5), (1, 5), (2, 24), (3, 90)]));
        assert_eq!(at(80), beside(&[(0, 5), (1, 5), (2, 24), (3, 40)]));
        assert_eq!(at(58), beside(&[(0, 5), (2, 24), (3, 25)]));
        let stacked = Arrangement { beside: vec![(0, 5), (2, 24)], below: vec![3] };
        assert_eq!(at(40), stacked);
        assert_eq!(at(20), Arrangement { beside: vec![(0, 5)], below: vec![2, 3] });
        assert_eq!(at(4).below, [2, 3], "there is always one column");
    }

    #[test]
    fn what_is_compared_stays_together() {
        let columns =
            [Column::words(""), Column::words("GOOD").labelled(), Column::words("BAD").labelled()];
        let needs = [need(6, 6), need(24, 12), need(24, 12)];
        assert_eq!(Arrangement::within(60, &columns, &needs).below, [0; 0]);
        assert_eq!(Arrangement::within(40, &columns, &needs).below, [1, 2]);
    }

    #[test]
    fn no_arrangement_is_wider_than_the_page() {
        for room in 1..140 {
            let Arrangement { beside, .. } = Arrangement::within(room, &COLUMNS, &NEEDS);
            assert!(width(beside.iter().map(|(_, width)| *width)) <= room, "{room}: {beside:?}");
        }
    }
}
