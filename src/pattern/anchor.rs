//! Finds which of many literals occur in a text, in one pass regardless of their number.

use std::sync::OnceLock;

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

/// The length of the part of a literal that is hashed, in bytes.
const WINDOW: usize = 4;
/// The number of hash bits that index the table.
const BITS: u32 = 14;

/// An index of literals that may occur anywhere in a text, each with the index of a form.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct LiteralIndex {
    /// One bit for each hash of a window.
    table: Vec<u64>,
    /// The literals, sorted by window.
    literals: Vec<Literal>,
    /// Literals shorter than a window, searched one by one.
    short: Vec<Short>,
}

/// A literal with the window by which it is found.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Literal {
    window: u32,
    /// The offset of the window in the literal.
    offset: usize,
    text: String,
    /// The index of the form.
    place: u32,
}

/// A literal shorter than a window.
#[derive(Debug, Serialize, Deserialize)]
struct Short {
    text: String,
    /// The index of the form.
    place: u32,
    /// Built at first use.
    #[serde(skip)]
    finder: OnceLock<Finder<'static>>,
}

impl Short {
    fn is_in(&self, text: &[u8]) -> bool {
        let finder = self.finder.get_or_init(|| Finder::new(&self.text).into_owned());
        finder.find(text).is_some()
    }
}

impl LiteralIndex {
    /// Builds the index of `literals`.
    pub(super) fn new<'l>(literals: impl Iterator<Item = (&'l str, u32)>) -> Self {
        let mut anchors = Self { table: vec![0; 1 << (BITS - 6)], ..Self::default() };
        for (literal, place) in literals {
            let text = literal.to_owned();
            match rarest(literal) {
                Some((offset, window)) => {
                    anchors.literals.push(Literal { window, offset, text, place });
                }
                None => anchors.short.push(Short { text, place, finder: OnceLock::new() }),
            }
        }
        anchors.literals.sort_unstable();
        for literal in &anchors.literals {
            let (word, bit) = cell(literal.window);
            if let Some(word) = anchors.table.get_mut(word) {
                *word |= bit;
            }
        }
        anchors
    }

    /// The form indices of all literals in `text`, sorted.
    pub(super) fn of(&self, text: &str) -> Vec<u32> {
        let (bytes, mut places) = (text.as_bytes(), Vec::new());
        if !self.literals.is_empty() {
            for (at, window) in bytes.windows(WINDOW).enumerate() {
                let Ok(window) = window.try_into().map(u32::from_le_bytes) else { continue };
                let (word, bit) = cell(window);
                if self.table.get(word).is_some_and(|word| word & bit != 0) {
                    self.collect(bytes, at, window, &mut places);
                }
            }
        }
        places.extend(self.short.iter().filter(|one| one.is_in(bytes)).map(|one| one.place));
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Adds the literals whose window is at `at` in `text`, if the whole literal matches there.
    fn collect(&self, text: &[u8], at: usize, window: u32, places: &mut Vec<u32>) {
        let from = self.literals.partition_point(|literal| literal.window < window);
        let same = self.literals.iter().skip(from).take_while(|literal| literal.window == window);
        let stands = |literal: &&Literal| {
            let start = at.checked_sub(literal.offset).and_then(|start| text.get(start..));
            start.is_some_and(|rest| rest.starts_with(literal.text.as_bytes()))
        };
        places.extend(same.filter(stands).map(|literal| literal.place));
    }
}

/// The word and bit of the table for a window.
fn cell(window: u32) -> (usize, u64) {
    let hash = window.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS);
    ((hash >> 6) as usize, 1 << (hash & 63))
}

/// The window of a literal that is rarest in texts, estimated from its letters, and its offset.
fn rarest(literal: &str) -> Option<(usize, u32)> {
    let rarity = |byte: &u8| match byte {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b'd' | b' ' | b'0' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' | b':' | b'_' => 2,
        _ => 3,
    };
    let windows = literal.as_bytes().windows(WINDOW).enumerate();
    let (at, rarest) = windows.max_by_key(|(_, window)| window.iter().map(rarity).sum::<u32>())?;
    Some((at, rarest.try_into().map(u32::from_le_bytes).ok()?))
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
