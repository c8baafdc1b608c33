//! Notes of where something was seen, of which a log may have millions.

/// From so many notes on, those that say the least are forgotten.
const MOST: usize = 1 << 16;

/// What stands in which record, in the order of the records. Up to some ten thousand notes all of them are
/// there; of more, those that repeat what a note shortly before says are forgotten.
#[derive(Clone, Debug)]
pub(super) struct Sparse<T> {
    notes: Vec<(u64, T)>,
    /// A note that comes so much later than the last one that says the same stays.
    gap: u64,
    /// So many notes are too many.
    limit: usize,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self { notes: Vec::new(), gap: 1, limit: MOST }
    }
}

impl<T: Copy + Ord> Sparse<T> {
    /// Notes that record number `sequence` says `what`. Where that is a note too many, those go that are not
    /// within `around` of one of the records in `kept` and repeat what is said shortly before.
    pub(super) fn push(&mut self, sequence: u64, what: T, around: u64, kept: &[u64]) {
        self.notes.push((sequence, what));
        // Where nothing is left to be forgotten, there is nothing to be won by looking again and again.
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

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &(u64, T)> {
        self.notes.iter()
    }

    /// Those of the records from number `from` to before number `to`.
    pub(super) fn between(&self, from: u64, to: u64) -> &[(u64, T)] {
        let first = self.notes.partition_point(|(at, _)| *at < from);
        let end = self.notes.partition_point(|(at, _)| *at < to);
        self.notes.get(first..end).unwrap_or_default()
    }

    /// What was noted last.
    pub(super) fn last(&self) -> Option<T> {
        self.notes.last().map(|(_, what)| *what)
    }

    /// Keeps the notes that `keeps` wants.
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
        // What is needed stays.
        assert_eq!(notes.between(999_980, 1_000_021).len(), 41);
    }

    /// However many different things are noted, the notes are looked through seldom.
    #[test]
    fn what_cannot_be_forgotten_is_kept() {
        let mut notes = Sparse::default();
        for sequence in 0..200_000 {
            notes.push(sequence, sequence, 0, &[]);
        }
        assert_eq!((notes.iter().count(), notes.last()), (200_000, Some(199_999)));
    }
}
