//! Finds which of many literals occur in a text, in one pass regardless of their number.

use memchr::memmem;
use serde::{Deserialize, Serialize};

/// The length of the part of a literal that is hashed, in bytes.
const WINDOW: usize = 4;
/// The number of hash bits that index the table.
const BITS: u32 = 12;

/// An index of literals that may occur anywhere in a text, each with the index of a form.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct LiteralIndex {
    /// One bit for each hash of a window.
    table: Vec<u64>,
    /// The windows, sorted, with their literals and form indices.
    windows: Vec<(u32, String, u32)>,
    /// Literals shorter than a window, searched one by one.
    short: Vec<(String, u32)>,
}

impl LiteralIndex {
    /// Builds the index of `literals`.
    pub(super) fn new<'l>(literals: impl Iterator<Item = (&'l str, u32)>) -> Self {
        let mut anchors = Self { table: vec![0; 1 << (BITS - 6)], ..Self::default() };
        for (literal, place) in literals {
            match rarest(literal) {
                Some(window) => anchors.windows.push((window, literal.to_owned(), place)),
                None => anchors.short.push((literal.to_owned(), place)),
            }
        }
        anchors.windows.sort_unstable();
        for (window, ..) in &anchors.windows {
            let (word, bit) = cell(*window);
            if let Some(word) = anchors.table.get_mut(word) {
                *word |= bit;
            }
        }
        anchors
    }

    /// The form indices of all literals in `text`, sorted.
    pub(super) fn of(&self, text: &str) -> Vec<u32> {
        let mut places = Vec::new();
        if !self.windows.is_empty() {
            for window in text.as_bytes().windows(WINDOW) {
                let Ok(window) = window.try_into().map(u32::from_le_bytes) else { continue };
                let (word, bit) = cell(window);
                if self.table.get(word).is_some_and(|word| word & bit != 0) {
                    self.collect(text, window, &mut places);
                }
            }
        }
        let holds = |literal: &str| memmem::find(text.as_bytes(), literal.as_bytes()).is_some();
        places.extend(self.short.iter().filter(|(short, _)| holds(short)).map(|(_, place)| *place));
        places.sort_unstable();
        places
    }

    /// Adds the literals with this window that `text` contains, each once.
    fn collect(&self, text: &str, window: u32, places: &mut Vec<u32>) {
        let from = self.windows.partition_point(|(other, ..)| *other < window);
        for (_, literal, place) in self.windows.iter().skip(from).take_while(|w| w.0 == window) {
            if !places.contains(place) && text.contains(literal) {
                places.push(*place);
            }
        }
    }
}

/// The word and bit of the table for a window.
fn cell(window: u32) -> (usize, u64) {
    let hash = window.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// The window of a literal that is rarest in texts, estimated from its letters.
fn rarest(literal: &str) -> Option<u32> {
    let rarity = |byte: &u8| match byte {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b'd' | b' ' | b'0' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' | b':' | b'_' => 2,
        _ => 3,
    };
    let windows = literal.as_bytes().windows(WINDOW);
    let rarest = windows.max_by_key(|window| window.iter().map(rarity).sum::<u32>())?;
    rarest.try_into().map(u32::from_le_bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_literal_in_a_text_is_found_once() {
        let literals = ["Killed", "detected", "de", "", "Kill", "tected"];
        let anchors = LiteralIndex::new(literals.into_iter().zip(0..));
        for (text, want) in [
            ("chrome: Killed process, Killed", &[0, 3, 4][..]),
            ("hang detected", &[1, 2, 3, 5]),
            ("Kil", &[3]),
            ("", &[3]),
        ] {
            assert_eq!(anchors.of(text), want, "{text}");
        }
    }
}
