//! A map for few keys.

use std::collections::BTreeMap;

/// Up to this number of keys a linear search is faster.
const FEW: usize = 4;

/// A map for keys of which a few are used most.
#[derive(Clone, Debug)]
pub(super) struct ByDevice<K, T> {
    all: Vec<(K, T)>,
    /// The positions of all keys but the first few.
    places: BTreeMap<K, usize>,
}

impl<K, T> Default for ByDevice<K, T> {
    fn default() -> Self {
        Self { all: Vec::new(), places: BTreeMap::new() }
    }
}

impl<K: Copy + Ord, T: Default> ByDevice<K, T> {
    fn place(&self, key: K) -> Option<usize> {
        let few = self.all.iter().take(FEW).position(|(other, _)| *other == key);
        few.or_else(|| self.places.get(&key).copied())
    }

    /// The value for `key`.
    pub(super) fn get_mut(&mut self, key: K) -> Option<&mut T> {
        let place = self.place(key)?;
        self.all.get_mut(place).map(|(_, found)| found)
    }

    /// Changes the value for `key`, which is initially the default.
    pub(super) fn change(&mut self, key: K, change: impl FnOnce(&mut T)) {
        if let Some(known) = self.get_mut(key) {
            return change(known);
        }
        let mut new = T::default();
        change(&mut new);
        if self.all.len() >= FEW {
            self.places.insert(key, self.all.len());
        }
        self.all.push((key, new));
    }

    /// Changes all values.
    pub(super) fn each(&mut self, change: impl FnMut(&mut T)) {
        self.all.iter_mut().map(|(_, found)| found).for_each(change);
    }

    /// The number of keys.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is a value for `key`.
    pub(super) fn has(&self, key: K) -> bool {
        self.place(key).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own() {
        let mut all: ByDevice<u32, Vec<u32>> = ByDevice::default();
        for at in 0..40 {
            all.change(9 - at % 10, |own| own.push(at));
        }
        assert!(all.has(0) && all.has(9) && !all.has(10));
        assert_eq!(all.get_mut(10), None);
        assert_eq!(all.len(), 10);
        for key in 0..10 {
            let own = all.get_mut(key).map(std::mem::take);
            assert_eq!(own, Some(vec![9 - key, 19 - key, 29 - key, 39 - key]));
        }
    }
}
