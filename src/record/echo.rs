//! An excerpt that stands beside the whole log in one paste: its records are there twice, and it is no
//! boot of its own.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::boots::Boot;
use crate::value::Micros;

/// So many records of an excerpt may be in it alone, because they were cut; of a longer one, an eighth.
const CUT: usize = 2;
/// How many records are remembered; who pastes, pastes less.
const LIMIT: usize = 10_000;
/// Before this, each boot of a machine prints the same at nearly the same times.
pub(super) const BOOTED: Micros = Micros::seconds(1);

/// What tells a record of the kernel from others.
pub(super) fn key(clock: Micros, message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Of a message of several lines not all may be at hand.
    (clock, message.lines().next()).hash(&mut hasher);
    hasher.finish()
}

/// Which boots share records: the same text at the same microsecond of the kernel's clock.
#[derive(Debug, Default)]
pub(super) struct Echoes {
    /// The boot in which a record was seen first.
    seen: HashMap<u64, usize>,
    /// Records that were seen in other boots, too, and these.
    again: HashSet<(u64, usize)>,
    /// How many different records each boot has that can be compared.
    compared: Vec<usize>,
    /// How many different records two boots share.
    shared: BTreeMap<(usize, usize), usize>,
}

impl Echoes {
    /// Looks at a record of the kernel in the boot number `boot`.
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
                // A record that one boot repeats says no more than one.
                if first != boot && self.again.insert((key, boot)) {
                    self.compared[boot] += 1;
                    *self.shared.entry((first, boot)).or_default() += 1;
                }
            }
        }
    }

    /// Takes the excerpts out of `boots`: where their records are, in order, counted up to `records`.
    pub(super) fn taken(self, boots: &mut Vec<(usize, Boot)>, records: u64) -> Vec<Range<u64>> {
        let size = |boot: usize| self.compared[boot];
        let smaller = |&(first, second): &(usize, usize)| {
            if size(first) < size(second) { first } else { second }
        };
        let named =
            boots.iter().filter_map(|(serial, boot)| Some((*serial, boot.boot_id.as_ref()?)));
        let ids: HashMap<usize, &String> = named.collect();
        // What the input itself calls two boots is no excerpt, however alike they are.
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
        let mut echoes = Echoes::default();
        for boot in [0, 1, 2, 1, 0, 2, 1] {
            echoes.see(boot, Some(Micros::seconds(5)), "usb 1-4: reset");
        }
        assert_eq!(echoes.compared, [1, 1, 1]);
        assert_eq!(echoes.shared, BTreeMap::from([((0, 1), 1), ((0, 2), 1)]));
        echoes.taken(&mut Vec::new(), 0);
    }
}
