//! Detects an excerpt next to the whole log in one paste: its records are repetitions, and it is
//! not a separate boot. A record that only the excerpt has is kept, and belongs to the same boot.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::Record;
use super::boots::Boot;
use crate::value::Micros;

/// Number of records that only the excerpt may have; for longer ones, an eighth.
const CUT: usize = 2;
/// Maximum number of records to remember; pastes are shorter.
const LIMIT: usize = 10_000;
/// Before this time, every boot of a machine prints the same at nearly the same times.
pub(super) const BOOTED: Micros = Micros::seconds(1);

/// A key that identifies a record of the kernel.
pub(super) fn key(clock: Micros, message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    // A message of several lines may be incomplete.
    (clock, message.lines().next()).hash(&mut hasher);
    hasher.finish()
}

/// A record, as far as it is compared.
#[derive(Clone, Copy, Debug)]
struct Seen {
    sequence: u64,
    /// Its kernel time and its key; without a time, it is not compared.
    timed: Option<(Micros, u64)>,
}

/// What a boot has: the same text at the same microsecond of the kernel's clock is the same record.
#[derive(Clone, Debug, Default)]
struct Contents {
    /// The keys of its comparable records.
    keys: BTreeSet<u64>,
    /// The times of its records: one that was cut has the time of the whole one.
    clocks: HashSet<Micros>,
}

/// Finds records that another boot of the same input has as well.
#[derive(Debug, Default)]
pub(super) struct DuplicateExcerpts {
    seen: Vec<Seen>,
}

impl DuplicateExcerpts {
    /// Handles the next record.
    pub(super) fn see(&mut self, record: &Record<'_>) {
        if self.seen.len() < LIMIT {
            let clock = record.stamp.monotonic;
            let timed = clock.map(|clock| (clock, key(clock, record.message)));
            self.seen.push(Seen { sequence: record.sequence, timed });
        }
    }

    /// Removes excerpts from `boots`; returns the ranges of the records that are repeated, sorted.
    pub(super) fn taken(self, boots: &mut Vec<Boot>) -> Vec<Range<u64>> {
        if boots.len() < 2 {
            return Vec::new();
        }
        let starts: Vec<u64> = boots.iter().map(|boot| boot.first_sequence).collect();
        let boot_of =
            |seen: &Seen| starts.partition_point(|start| *start <= seen.sequence).saturating_sub(1);
        let mut contents = vec![Contents::default(); boots.len()];
        for seen in &self.seen {
            if let (Some(own), Some((clock, key))) = (contents.get_mut(boot_of(seen)), seen.timed) {
                own.clocks.insert(clock);
                if clock >= BOOTED {
                    own.keys.insert(key);
                }
            }
        }
        let whole = wholes(&contents, boots);
        let is_repeated = |seen: &Seen| {
            let whole = whole.get(boot_of(seen)).copied().flatten();
            let whole = whole.and_then(|whole| contents.get(whole));
            whole.zip(seen.timed).is_some_and(|(whole, (clock, _))| whole.clocks.contains(&clock))
        };
        let ranges = ranges(&self.seen, is_repeated);
        let mut places = whole.iter();
        boots.retain(|_| places.next().is_none_or(Option::is_none));
        ranges
    }
}

/// The boot of which each boot is an excerpt. A whole one is larger than its excerpts, or was there
/// before them, and is no excerpt itself: nothing is repeated that is not kept elsewhere.
fn wholes(contents: &[Contents], boots: &[Boot]) -> Vec<Option<usize>> {
    let size = |boot: usize| contents.get(boot).map_or(0, |own| own.keys.len());
    let partners = partners(contents);
    let mut order: Vec<usize> = (0..contents.len()).collect();
    order.sort_by_key(|boot| Reverse(size(*boot)));
    let mut whole = vec![None; contents.len()];
    let mut passed = vec![false; contents.len()];
    for boot in order {
        let larger = partners.get(boot).into_iter().flatten().filter(|other| passed[**other]);
        let found = larger
            .map(|other| whole[*other].unwrap_or(*other))
            .find(|other| may_be_same(boots, boot, *other) && is_excerpt(contents, boot, *other));
        whole[boot] = found;
        passed[boot] = true;
    }
    whole
}

/// For each boot those with which it has a record in common, of which one of them is the first that
/// has it.
fn partners(contents: &[Contents]) -> Vec<BTreeSet<usize>> {
    let mut partners = vec![BTreeSet::new(); contents.len()];
    let mut owner: HashMap<u64, usize> = HashMap::new();
    for (boot, own) in contents.iter().enumerate() {
        for key in &own.keys {
            match owner.entry(*key) {
                Entry::Vacant(new) => {
                    new.insert(boot);
                }
                Entry::Occupied(first) => {
                    partners[*first.get()].insert(boot);
                    partners[boot].insert(*first.get());
                }
            }
        }
    }
    partners
}

/// Boots with different ids are not excerpts of each other.
fn may_be_same(boots: &[Boot], one: usize, other: usize) -> bool {
    let id = |boot: usize| boots.get(boot).and_then(|boot| boot.boot_id.as_ref());
    id(one).zip(id(other)).is_none_or(|(one, other)| one == other)
}

/// Whether nearly all records of `boot` are in `whole`.
fn is_excerpt(contents: &[Contents], boot: usize, whole: usize) -> bool {
    let Some((own, whole)) = contents.get(boot).zip(contents.get(whole)) else { return false };
    let shared = own.keys.intersection(&whole.keys).count();
    let alone = own.keys.len() - shared;
    shared > 0 && alone <= shared && alone <= CUT.max(own.keys.len() / 8)
}

/// The ranges of the records for which `is_repeated` holds. Records that were not looked at, because
/// they cannot matter, are in the range around them.
fn ranges(seen: &[Seen], is_repeated: impl Fn(&Seen) -> bool) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    let mut continues = false;
    for one in seen {
        let repeated = is_repeated(one);
        match ranges.last_mut() {
            Some(last) if repeated && continues => last.end = one.sequence + 1,
            _ if repeated => ranges.push(one.sequence..one.sequence + 1),
            _ => {}
        }
        continues = repeated;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_between_repeated_ones_that_were_not_looked_at_are_repeated() {
        let timed = Some((Micros::seconds(5), 7));
        let seen = [(0, None), (3, timed), (9, timed), (10, None), (11, timed)]
            .map(|(sequence, timed)| Seen { sequence, timed });
        assert_eq!(ranges(&seen, |one| one.timed.is_some()), [3..10, 11..12]);
    }
}
