//! Looks for values that are known, wherever they stand.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::shape::is_word;
use super::values::{LONGEST, Value, spellings};
use crate::value::PrivateKind;

/// The shortest value of which the form in base64 is looked for.
pub(super) const ENCODED: usize = 6;

/// A way in which a value may be written.
#[derive(Clone, Copy, Debug)]
struct Spelling {
    value: usize,
    kind: PrivateKind,
    /// In base64, whose letters stand for something else in the other case.
    encoded: bool,
}

/// All known values, ready to be looked for.
#[derive(Debug, Default)]
pub(super) struct Words {
    search: Option<AhoCorasick>,
    spellings: Vec<Spelling>,
    /// The forms in base64, which are compared letter by letter.
    texts: Vec<String>,
}

impl Words {
    /// Takes all values that are looked for everywhere.
    pub(super) fn new(values: &[Value]) -> Self {
        let mut words = Self::default();
        for (index, value) in values.iter().enumerate() {
            if value.everywhere && value.text.len() <= LONGEST {
                let plain = Spelling { value: index, kind: value.kind, encoded: false };
                for text in spellings(value.kind, &value.text) {
                    words.push(plain, text);
                }
                if value.text.len() >= ENCODED {
                    for text in base64(value.text.as_bytes()) {
                        words.push(Spelling { encoded: true, ..plain }, text);
                    }
                }
            }
        }
        words.search = (!words.texts.is_empty()).then(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .build(&words.texts)
                .unwrap_or_else(|_| {
                    unreachable!("the number of values and their lengths are bounded")
                })
        });
        words
    }

    fn push(&mut self, spelling: Spelling, text: String) {
        self.spellings.push(spelling);
        self.texts.push(text);
    }

    /// Calls `found` with each value in a text, by its index, and its place.
    pub(super) fn find(&self, text: &[u8], found: &mut dyn FnMut(usize, Range<usize>)) {
        let Some(search) = &self.search else { return };
        for hit in search.find_overlapping_iter(text) {
            let index = hit.pattern().as_usize();
            let Spelling { value, kind, encoded } = self.spellings[index];
            let same =
                !(encoded || has_case(kind)) || text[hit.range()] == *self.texts[index].as_bytes();
            if same && (encoded || stands_alone(text, &hit.range())) {
                found(value, hit.range());
            }
        }
    }
}

/// Whether a value of this kind is another one in other case: `Mark` may be a person, `mark` a word.
const fn has_case(kind: PrivateKind) -> bool {
    use PrivateKind::{Bluetooth, Container, File, Process, Secret, Ssid, User, Volume};
    matches!(kind, User | Ssid | Secret | File | Volume | Process | Bluetooth | Container)
}

/// Whether a word is no part of a longer one.
fn stands_alone(text: &[u8], range: &Range<usize>) -> bool {
    let joined =
        |at: usize| at > 0 && at < text.len() && is_word(text[at - 1]) && is_word(text[at]);
    !joined(range.start) && !joined(range.end)
}

/// The letters that a text has in base64, wherever it begins: those that depend on its neighbours left out.
fn base64(text: &[u8]) -> Vec<String> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let shifted = |shift: usize| {
        let bytes = [&[0; 2][..shift], text].concat();
        let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
        let sextet =
            |index: usize| (index * 6..index * 6 + 6).fold(0, |sum, at| sum << 1 | bit(at));
        // Only what is made of this text alone.
        let whole = (shift * 8).div_ceil(6)..bytes.len() * 8 / 6;
        whole.map(|index| char::from(LETTERS[sextet(index)])).collect()
    };
    (0..3).map(shifted).collect()
}

#[cfg(test)]
mod tests {
    use super::super::values::Values;
    use super::*;

    fn found(kind: PrivateKind, value: &str, line: &str) -> Vec<String> {
        let mut values = Values::default();
        values.add(kind, value, true);
        let mut list = Vec::new();
        Words::new(values.all())
            .find(line.as_bytes(), &mut |_, range| list.push(line[range].to_owned()));
        list
    }

    #[test]
    fn whole_words_are_found() {
        let line = "tower kernel: TOWER.lan xtower tower_x tower2 a-tower's";
        assert_eq!(found(PrivateKind::Host, "tower", line), ["tower", "TOWER", "tower"]);
        assert_eq!(found(PrivateKind::User, "Mark", "Mark mark"), ["Mark"]);
        assert_eq!(
            found(PrivateKind::Mac, "52:54:00:12:34:56", "enx52-54-00-12-34-56 525400123456").len(),
            1
        );
        assert_eq!(found(PrivateKind::Host, "x", ""), [""; 0]);
    }

    #[test]
    fn base64_is_found_at_each_offset() {
        // printf 'the host workbench is'; printf ' workbench'; printf 'a workbench.'
        for (line, want) in [
            ("dGhlIGhvc3Qgd29ya2JlbmNoIGlz", "d29ya2JlbmNo"),
            ("IHdvcmtiZW5jaA==", "dvcmtiZW5ja"),
            ("YSB3b3JrYmVuY2gu", "3b3JrYmVuY2"),
        ] {
            assert_eq!(found(PrivateKind::Host, "workbench", line), [want]);
        }
    }
}
