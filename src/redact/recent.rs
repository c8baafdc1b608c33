//! A cache of what was found out about values: most lines of a log repeat the same few.

use crate::value::PrivateKind;

/// Number of values that are kept. Each has one slot, which it shares with others: a new one replaces the old one,
/// so that no log makes a lookup slow.
const SLOTS: usize = 1 << 10;
/// Maximum length of a value that is kept.
const LONGEST: usize = 128;

#[derive(Debug)]
struct Slot<T> {
    kind: PrivateKind,
    text: Box<str>,
    what: T,
}

/// The last values of each kind, with what is known of them.
#[derive(Debug)]
pub(super) struct Recent<T>(Vec<Option<Slot<T>>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self((0..SLOTS).map(|_| None).collect())
    }
}

impl<T: Copy> Recent<T> {
    /// What was noted for a value.
    pub(super) fn get(&self, kind: PrivateKind, text: &str) -> Option<T> {
        let slot = self.0[slot(kind, text)].as_ref()?;
        (slot.kind == kind && *slot.text == *text).then_some(slot.what)
    }

    /// Notes something for a value.
    pub(super) fn put(&mut self, kind: PrivateKind, text: &str, what: T) {
        if text.len() <= LONGEST {
            self.0[slot(kind, text)] = Some(Slot { kind, text: text.into(), what });
        }
    }
}

fn slot(kind: PrivateKind, text: &str) -> usize {
    let [low, high, ..] = hash(text.as_bytes(), kind as u64).to_be_bytes();
    usize::from(u16::from_le_bytes([low, high])) % SLOTS
}

/// A fast hash, for comparisons that need no protection against chosen texts.
pub(super) fn hash(text: &[u8], seed: u64) -> u64 {
    let (eights, rest) = text.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mixed = |hash: u64, eight: &[u8; 8]| {
        (hash.rotate_left(5) ^ u64::from_le_bytes(*eight)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    eights.iter().chain([&last]).fold(seed ^ text.len() as u64, mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_from_others() {
        let mut recent = Recent::default();
        for number in 0..5000_u32 {
            recent.put(PrivateKind::Host, &format!("host-{number}"), number);
        }
        let known = |number: &u32| recent.get(PrivateKind::Host, &format!("host-{number}"));
        assert!((0..5000).all(|number| known(&number).is_none_or(|known| known == number)));
        assert_eq!(known(&4999), Some(4999));
        assert_eq!(recent.get(PrivateKind::User, "host-4999"), None);
        assert!((0..5000).filter(|number| known(number).is_some()).count() > SLOTS / 2);
    }
}
