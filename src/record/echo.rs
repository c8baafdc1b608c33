//! Detects an excerpt next to the whole log in one paste: its records are repetitions, and it is
//! not a separate boot.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::boots::Boot;
use crate::value::Micros;

/// Number of records that only the excerpt may have, because they were cut; for longer ones, an
/// eighth.
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

/// Which boots have common records: the same text at the same microsecond of the kernel's clock.
#[derive(Debug, Default)]
pub(super) struct DuplicateExcerpts {
    /// The first boot with a record.
    seen: HashMap<u64, usize>,
    /// Records with the further boots that have them.
    again: HashSet<(u64, usize)>,
    /// The number of distinct comparable records of each boot.
    compared: Vec<usize>,
    /// The number of distinct records that two boots have in common.
    shared: BTreeMap<(usize, usize), usize>,
}

impl DuplicateExcerpts {
    /// Handles a record of the kernel in the boot with this index.
    pub(super) fn see(&mut self, boot: usize, clock: Option<Micros>, message: &str) {
        let has_room = self.seen.len() < LIMIT && self.again.len() < LIMIT;
        let Some(clock) = clock.filter(|clock| *clock >= BOOTED && has_room) else {
            return;
        };
        if self.compared.len() <= boot {
            self.compared.resize(boot + 1, 0);
        }
        let key = key(clock, message);
        match self.seen.entry(key) {
            Entry::Vacant(new) => {
                new.insert(boot);
                self.compared[boot] += 1;
            }
            Entry::Occupied(known) => {
                let first = *known.get();
                // Repetitions within a boot count once.
                if first != boot && self.again.insert((key, boot)) {
                    self.compared[boot] += 1;
                    *self.shared.entry((first, boot)).or_default() += 1;
                }
            }
        }
    }

    /// Removes excerpts from `boots`; returns the ranges of their records, sorted, up to `records`.
    pub(super) fn taken(self, boots: &mut Vec<(usize, Boot)>, records: u64) -> Vec<Range<u64>> {
        let size = |boot: usize| self.compared[boot];
        let smaller = |&(first, second): &(usize, usize)| {
            if size(first) < size(second) { first } else { second }
        };
        let named =
            boots.iter().filter_map(|(serial, boot)| Some((*serial, boot.boot_id.as_ref()?)));
        let ids: HashMap<usize, &String> = named.collect();
        // Boots with different ids are not excerpts of each other.
        let may_be_same = |(first, second): &(usize, usize)| match (ids.get(first), ids.get(second))
        {
            (Some(first), Some(second)) => first == second,
            _ => true,
        };
        let excerpts: HashSet<usize> = self
            .shared
            .iter()
            .filter(|(pair, _)| may_be_same(pair))
            .map(|(pair, &count)| (smaller(pair), count))
            .filter(|&(smaller, count)| {
                let alone = size(smaller) - count;
                alone <= count && alone <= CUT.max(size(smaller) / 8)
            })
            .map(|(smaller, _)| smaller)
            .collect();
        let starts: Vec<u64> = boots.iter().map(|(_, boot)| boot.first_sequence).collect();
        let ends = starts.iter().copied().skip(1).chain([records]);
        let ranges = boots
            .iter()
            .zip(ends)
            .filter(|((serial, _), _)| excerpts.contains(serial))
            .map(|((_, boot), end)| boot.first_sequence..end)
            .collect();
        boots.retain(|(serial, _)| !excerpts.contains(serial));
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_once_in_each_boot_in_whatever_order_they_come() {
        let mut echoes = DuplicateExcerpts::default();
        for boot in [0, 1, 2, 1, 0, 2, 1] {
            echoes.see(boot, Some(Micros::seconds(5)), "usb 1-4: reset");
        }
        assert_eq!(echoes.compared, [1, 1, 1]);
        assert_eq!(echoes.shared, BTreeMap::from([((0, 1), 1), ((0, 2), 1)]));
        echoes.taken(&mut Vec::new(), 0);
    }
}
