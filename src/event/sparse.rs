//! A list of positions with bounded size, because a log may have millions.

/// Maximum number of notes.
const MOST: usize = 1 << 16;

/// Values by record, in order. Beyond the limit, notes that repeat a recent value are dropped.
#[derive(Clone, Debug)]
pub(super) struct Sparse<T> {
    notes: Vec<(u64, T)>,
    /// Minimum distance from an equal note that is kept.
    gap: u64,
    /// The limit.
    limit: usize,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { notes: Vec::new(), gap: 1, limit: MOST }
    }
}

impl<T: Copy + Ord> Sparse<T> {
    /// Adds `what` for record `sequence`. At the limit, drops notes that repeat a recent one and
    /// are not within `around` of a record in `kept`.
    pub(super) fn push(&mut self, sequence: u64, what: T, around: u64, kept: &[u64]) {
        self.notes.push((sequence, what));
        // If nothing can be dropped, trying again would not help.
        while self.notes.len() > self.limit && self.gap < u64::MAX / 2 {
            self.gap *= 2;
            self.thin(around, kept);
        }
        self.limit = self.limit.max(MOST.max(self.notes.len()));
    }

    fn thin(&mut self, around: u64, kept: &[u64]) {
        let gap = self.gap;
        let is_near = |sequence: u64| {
            let next = kept.partition_point(|at| *at < sequence.saturating_sub(around));
            kept.get(next).is_some_and(|at| *at <= sequence.saturating_add(around))
        };
        let mut last: std::collections::BTreeMap<T, u64> = std::collections::BTreeMap::new();
        self.notes.retain(|(sequence, what)| {
            let again = last.get(what).is_some_and(|before| sequence - before < gap);
            if again && !is_near(*sequence) {
                return false;
            }
            last.insert(*what, *sequence);
            true
        });
    }

    /// All notes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(u64, T)> {
        self.notes.iter()
    }

    /// The notes for records from `from` to before `to`.
    pub(super) fn between(&self, from: u64, to: u64) -> &[(u64, T)] {
        let first = self.notes.partition_point(|(at, _)| *at < from);
        let end = self.notes.partition_point(|(at, _)| *at < to);
        self.notes.get(first..end).unwrap_or_default()
    }

    /// The last value.
    pub(super) fn last(&self) -> Option<T> {
        self.notes.last().map(|(_, what)| *what)
    }

    /// Keeps the notes for which `keeps` is true.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(u64, T) -> bool) {
        self.notes.retain(|(sequence, what)| keeps(*sequence, *what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_have_a_limit_and_few_are_all_there() {
        let mut notes = Sparse::default();
        for sequence in 0..MOST as u64 {
            notes.push(sequence, sequence % 3, 20, &[]);
        }
        assert_eq!(notes.iter().count(), MOST);
        for sequence in MOST as u64..3_000_000 {
            notes.push(sequence, sequence % 3, 20, &[1_000_000]);
        }
        let all: Vec<(u64, u64)> = notes.iter().copied().collect();
        assert!(all.len() <= MOST && all.len() > MOST / 4, "{}", all.len());
        assert!(all.windows(2).all(|two| two[0].0 < two[1].0));
        assert!((0..3).all(|what| all.iter().any(|note| note.1 == what)));
        // Required notes are kept.
        assert_eq!(notes.between(999_980, 1_000_021).len(), 41);
    }

    /// Many distinct values do not cause repeated scans.
    #[test]
    fn what_cannot_be_forgotten_is_kept() {
        let mut notes = Sparse::default();
        for sequence in 0..200_000 {
            notes.push(sequence, sequence, 0, &[]);
        }
        assert_eq!((notes.iter().count(), notes.last()), (200_000, Some(199_999)));
    }
}
