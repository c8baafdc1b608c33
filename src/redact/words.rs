//! Looks for values that are known, wherever they stand.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::values::{LONGEST, Value, spellings};
use crate::value::PrivateKind;

/// The shortest value of which the form in base64 is looked for.
pub(super) const ENCODED: usize = 6;

/// A form of a value.
#[derive(Clone, Copy, Debug)]
struct Form {
    /// Which value.
    value: usize,
    kind: PrivateKind,
    /// In base64, whose letters stand for something else in the other case.
    encoded: bool,
}

/// All known values, ready to be looked for.
#[derive(Debug, Default)]
pub(super) struct Words {
    search: Option<AhoCorasick>,
    forms: Vec<Form>,
    /// The forms in base64, which are compared letter by letter.
    texts: Vec<String>,
    /// How many values were taken.
    pub(super) taken: usize,
}

/// A known value in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Which value.
    pub(super) value: usize,
    pub(super) range: Range<usize>,
}

impl Words {
    /// Takes all values that are looked for everywhere.
    pub(super) fn new(values: &[Value]) -> Self {
        let mut words = Self { taken: values.len(), ..Self::default() };
        for (index, value) in values.iter().enumerate() {
            if value.everywhere && value.text.len() <= LONGEST {
                let form = Form { value: index, kind: value.kind, encoded: false };
                for text in spellings(value.kind, &value.text) {
                    words.push(form, text);
                }
                if value.text.len() >= ENCODED {
                    for text in base64(value.text.as_bytes()) {
                        words.push(Form { encoded: true, ..form }, text);
                    }
                }
            }
        }
        // More than fits into its tables cannot be: the number of values and their lengths are bounded.
        words.search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(&words.texts)
            .ok()
            .filter(|_| !words.texts.is_empty());
        words
    }

    fn push(&mut self, form: Form, text: String) {
        self.forms.push(form);
        self.texts.push(text);
    }

    /// Calls `found` with each value in a text.
    pub(super) fn find(&self, text: &[u8], found: &mut dyn FnMut(Word)) {
        let Some(search) = &self.search else { return };
        for hit in search.find_overlapping_iter(text) {
            let index = hit.pattern().as_usize();
            let Some((form, wanted)) = self.forms.get(index).zip(self.texts.get(index)) else {
                continue;
            };
            let part = text.get(hit.range()).unwrap_or_default();
            let same = !(form.encoded || has_case(form.kind)) || part == wanted.as_bytes();
            if same && (form.encoded || stands_alone(text, &hit.range())) {
                found(Word { value: form.value, range: hit.range() });
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
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let inner = |inside: Option<&u8>, outside: Option<&u8>| {
        inside.is_some_and(is_word) && outside.is_some_and(is_word)
    };
    let before = range.start.checked_sub(1).and_then(|at| text.get(at));
    let last = range.end.checked_sub(1).and_then(|at| text.get(at));
    !inner(text.get(range.start), before) && !inner(last, text.get(range.end))
}

/// The letters that a text has in base64, wherever it begins: those that depend on its neighbours left out.
pub(super) fn base64(text: &[u8]) -> Vec<String> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let shifted = |shift: usize| {
        let mut bytes = vec![0; shift];
        bytes.extend_from_slice(text);
        let bits = bytes.len() * 8;
        let sextet = |index: usize| {
            (0..6).fold(0_usize, |sum, bit| {
                let at = index * 6 + bit;
                let byte = bytes.get(at / 8).copied().unwrap_or_default();
                sum << 1 | usize::from(byte >> (7 - at % 8) & 1)
            })
        };
        // Only what is made of this text alone.
        let letters = (shift * 8).div_ceil(6)..bits / 6;
        letters
            .filter_map(|index| LETTERS.get(sextet(index)))
            .map(|&byte| char::from(byte))
            .collect()
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
            .find(line.as_bytes(), &mut |word| list.push(line[word.range].to_owned()));
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
