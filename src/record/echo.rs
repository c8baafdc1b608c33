//! Detects an excerpt next to the whole log in one paste: its records are repetitions, and it is
//! not a separate boot. With one record that the whole log does not have, it is none: its records
//! belong together, and a clock that falls may also be that of another boot.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::Record;
use super::boots::Boot;
use crate::value::Micros;

/// Maximum number of records to remember; pastes are shorter.
const LIMIT: usize = 50_000;
/// A copied line may be cut behind this number of bytes.
const UNCUT: usize = 48;
/// Before this time, every boot of a machine prints the same at nearly the same times.
pub(super) const BOOTED: Micros = Micros::seconds(1);

/// A key that identifies a record of the kernel.
pub(super) fn key(clock: Micros, message: &str) -> u64 {
    // A message of several lines may be incomplete.
    hash(&(clock, message.lines().next()))
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A record, as far as it is compared.
#[derive(Clone, Copy, Debug)]
struct Seen {
    sequence: u64,
    /// The kernel time.
    clock: Option<Micros>,
    /// Of the time and the beginning of the text.
    key: u64,
}

/// What a boot has.
#[derive(Clone, Debug, Default)]
struct Contents {
    /// Records with a time: the same text at the same microsecond is the same record.
    timed: BTreeSet<u64>,
    /// Those of them that tell boots apart.
    telling: BTreeSet<u64>,
    /// Records without a time.
    untimed: HashSet<u64>,
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
            let line = record.message.lines().next().unwrap_or_default().as_bytes();
            let beginning = line.get(..UNCUT).filter(|_| clock.is_some()).unwrap_or(line);
            let key = hash(&(clock, beginning));
            self.seen.push(Seen { sequence: record.sequence, clock, key });
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
            if let Some(own) = contents.get_mut(boot_of(seen)) {
                own.add(seen);
            }
        }
        // Of the boot in which the limit was reached, and of later ones, not all is known.
        let last = self.seen.last().filter(|_| self.seen.len() == LIMIT);
        let known = last.map_or(boots.len(), boot_of);
        let whole = wholes(&contents, boots, known);
        let is_repeated = |seen: &Seen| {
            let whole = whole.get(boot_of(seen)).copied().flatten();
            whole.and_then(|whole| contents.get(whole)).is_some_and(|whole| whole.has(seen))
        };
        let ranges = ranges(&self.seen, is_repeated);
        let mut places = whole.iter();
        boots.retain(|_| places.next().is_none_or(Option::is_none));
        ranges
    }
}

impl Contents {
    fn add(&mut self, seen: &Seen) {
        match seen.clock {
            Some(clock) => {
                self.timed.insert(seen.key);
                if clock >= BOOTED {
                    self.telling.insert(seen.key);
                }
            }
            None => {
                self.untimed.insert(seen.key);
            }
        }
    }

    fn has(&self, seen: &Seen) -> bool {
        match seen.clock {
            Some(_) => self.timed.contains(&seen.key),
            None => self.untimed.contains(&seen.key),
        }
    }

    /// Whether all its records with a time are in `whole`.
    fn is_excerpt_of(&self, whole: &Self) -> bool {
        !self.telling.is_empty() && self.timed.is_subset(&whole.timed)
    }
}

/// The boot of which each of the first `known` boots is an excerpt. A whole one is larger than its
/// excerpts, or was there before them, and is no excerpt itself: nothing is repeated that is not
/// kept elsewhere.
fn wholes(contents: &[Contents], boots: &[Boot], known: usize) -> Vec<Option<usize>> {
    let size = |boot: usize| contents.get(boot).map_or(0, |own| own.timed.len());
    let partners = partners(contents);
    let mut order: Vec<usize> = (0..contents.len()).collect();
    order.sort_by_key(|boot| Reverse(size(*boot)));
    let mut whole = vec![None; contents.len()];
    let mut passed = vec![false; contents.len()];
    for boot in order {
        let larger = partners[boot].iter().filter(|other| passed[**other]);
        whole[boot] = larger.map(|other| whole[*other].unwrap_or(*other)).find(|other| {
            boot < known
                && may_be_same(boots, boot, *other)
                && contents[boot].is_excerpt_of(&contents[*other])
        });
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
        for key in &own.telling {
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

/// The ranges of the records for which `is_repeated` holds. Records between two of them that were not
/// looked at, because they cannot matter, are in the range as well.
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
        let seen = [(0, 1), (3, 7), (9, 7), (10, 1), (11, 7)].map(|(sequence, key)| Seen {
            sequence,
            clock: None,
            key,
        });
        assert_eq!(ranges(&seen, |one| one.key == 7), [3..10, 11..12]);
    }
}
