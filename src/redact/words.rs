//! Looks for values that are known, wherever they stand.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use super::shape::is_word;
use super::values::{LONGEST, Value, Values, is_shaped, spellings};
use crate::value::PrivateKind;

/// The shortest value of which the form in base64 is looked for.
pub(super) const ENCODED: usize = 6;
/// How many bytes of values are looked for in base64 and base32, too: each has eight forms.
const ENCODED_LIMIT: usize = 24 << 10;
/// Of each kind that is told by its shape, so many are looked for in other spellings.
const SHAPED: usize = 64;
/// So many bytes are searched for in the way that is fast and takes some hundred times as much memory.
const FAST: usize = 32 << 10;
/// The shortest name that is one where a digit or `_` joins it to something else.
const JOINED: usize = 5;

/// A way in which a value may be written.
#[derive(Clone, Copy, Debug)]
struct Spelling {
    value: usize,
    kind: PrivateKind,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    /// Without a mark of where it begins, and compared letter by letter.
    Base64,
    Base32,
}

/// All known values, ready to be looked for.
#[derive(Debug, Default)]
pub(super) struct Words {
    names: Search,
    /// Addresses and ids: what they are made of, few other words are.
    ids: Search,
    encoded: Search,
    /// How long the shortest of `ids` is.
    shortest_id: usize,
    /// How long a run of letters is at least that may hold an encoded one.
    shortest: usize,
    /// The same where all of them are small.
    shortest_small: usize,
}

/// Texts that are looked for together.
#[derive(Debug, Default)]
struct Search {
    automaton: Option<AhoCorasick>,
    spellings: Vec<Spelling>,
    /// How each of them is written.
    texts: Vec<String>,
}

impl Words {
    /// Takes all values that are looked for everywhere.
    pub(super) fn new(values: &[Value]) -> Self {
        let mut words = Self::default();
        let mut shaped: HashMap<PrivateKind, usize> = HashMap::new();
        let mut encoded = 0;
        for (index, value) in values.iter().enumerate() {
            if !value.everywhere || value.text.len() > LONGEST {
                continue;
            }
            if is_shaped(value.kind) {
                let count = shaped.entry(value.kind).or_default();
                *count += 1;
                if *count > SHAPED {
                    continue;
                }
            }
            let plain = Spelling { value: index, kind: value.kind, form: Form::Plain };
            for text in spellings(value.kind, &value.text) {
                let is_id = text.bytes().all(|byte| ID_LETTER[usize::from(byte)]);
                let search = if is_id { &mut words.ids } else { &mut words.names };
                search.push(plain, text);
            }
            if value.text.len() >= ENCODED && encoded + value.text.len() <= ENCODED_LIMIT {
                encoded += value.text.len();
                words.push_encoded(plain, value.text.as_bytes());
            }
        }
        let small = |search: &Search, at: usize| {
            let text = &search.texts[at];
            let has_case = search.spellings[at].has_case();
            let is_small =
                |byte: u8| byte.is_ascii_lowercase() || !has_case && byte.is_ascii_uppercase();
            text.bytes().all(is_small).then_some(text.len())
        };
        let encoded = &words.encoded;
        let shortest = Search::shortest;
        let shortest_small = (0..encoded.texts.len()).filter_map(|at| small(encoded, at)).min();
        words.shortest_small = shortest_small.unwrap_or(usize::MAX);
        words.shortest = shortest(encoded);
        words.shortest_id = shortest(&words.ids);
        words.names.settle();
        words.ids.settle();
        words.encoded.settle();
        words
    }

    fn push_encoded(&mut self, plain: Spelling, text: &[u8]) {
        for letters in letters(text, BASE64) {
            self.encoded.push(Spelling { form: Form::Base64, ..plain }, letters);
        }
        for letters in letters(text, BASE32) {
            self.encoded.push(Spelling { form: Form::Base32, ..plain }, letters);
        }
    }

    /// Calls `found` with each value in a text, by its index, and its place.
    pub(super) fn find(
        &self,
        values: &Values,
        text: &[u8],
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        addresses(values, text, found);
        quads(values, text, found);
        self.names.find(text, 0..text.len(), found);
        for run in runs(text, self.shortest_id, |byte| ID_LETTER[usize::from(byte)]) {
            self.ids.find(text, run, found);
        }
        let is_letter = |byte| BASE64_LETTER[usize::from(byte)];
        for run in runs(text, self.shortest, is_letter) {
            let is_small = run.len() < self.shortest_small
                && text[run.clone()].iter().all(u8::is_ascii_lowercase);
            if !is_small {
                self.encoded.find(text, run, found);
            }
        }
    }
}

impl Search {
    fn push(&mut self, spelling: Spelling, text: String) {
        self.spellings.push(spelling);
        self.texts.push(text);
    }

    fn shortest(&self) -> usize {
        self.texts.iter().map(String::len).min().unwrap_or(usize::MAX)
    }

    /// Makes it ready once all texts are there.
    fn settle(&mut self) {
        let length: usize = self.texts.iter().map(String::len).sum();
        self.automaton = (!self.texts.is_empty()).then(|| {
            AhoCorasick::builder()
                .ascii_case_insensitive(true)
                .kind((length <= FAST).then_some(AhoCorasickKind::DFA))
                .match_kind(MatchKind::Standard)
                .build(&self.texts)
                .unwrap_or_else(|_| {
                    unreachable!("the number of values and their lengths are bounded")
                })
        });
    }

    /// Calls `found` with each value in a part of a text.
    fn find(&self, text: &[u8], part: Range<usize>, found: &mut dyn FnMut(usize, Range<usize>)) {
        let Some(automaton) = &self.automaton else { return };
        for hit in automaton.find_overlapping_iter(Input::new(text).range(part)) {
            let index = hit.pattern().as_usize();
            let spelling = self.spellings[index];
            let spelled = self.texts[index].as_bytes();
            let is_plain = spelling.form == Form::Plain;
            let same = text[hit.range()] == *spelled || !spelling.has_case();
            let same = same || is_plain && is_shouted(&text[hit.range()], spelled);
            if same && (!is_plain || stands_alone(spelling.kind, text, &hit.range())) {
                found(spelling.value, hit.range());
            }
        }
    }
}

impl Spelling {
    /// Whether it is another text in other case.
    fn has_case(self) -> bool {
        self.form == Form::Base64 || has_case(self.kind)
    }
}

/// Hardware addresses that are known, written as twelve digits.
fn addresses(values: &Values, text: &[u8], found: &mut dyn FnMut(usize, Range<usize>)) {
    if !values.has(PrivateKind::Mac) {
        return;
    }
    for run in runs(text, 12, |byte| byte.is_ascii_hexdigit()).filter(|run| run.len() == 12) {
        if let Ok(digits) = std::str::from_utf8(&text[run.clone()])
            && let Some(value) = values.address(digits)
        {
            found(value, run);
        }
    }
}

/// The longest runs of bytes of a kind that have a length of their own at least.
pub(super) fn runs(
    text: &[u8],
    shortest: usize,
    belongs: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        // A run is long enough if it reaches its last byte: where that is none of it, nothing before it matters.
        while let Some(part) = text.get(start..).and_then(|rest| rest.get(..shortest)) {
            match part.iter().rposition(|&byte| !belongs(byte)) {
                Some(at) => start += at + 1,
                None => {
                    let rest = &text[start + shortest..];
                    let more = rest.iter().position(|&byte| !belongs(byte)).unwrap_or(rest.len());
                    let run = start..start + shortest + more;
                    start = run.end + 1;
                    return Some(run);
                }
            }
        }
        None
    })
}

/// Addresses that are known: four numbers alone may be a version.
fn quads(values: &Values, text: &[u8], found: &mut dyn FnMut(usize, Range<usize>)) {
    if !values.has(PrivateKind::Ipv4) {
        return;
    }
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let mut from = 0;
    for dot in memchr::memchr_iter(b'.', text) {
        if dot < from {
            continue;
        }
        let start =
            dot - text[..dot].iter().rev().take(3).take_while(|b| b.is_ascii_digit()).count();
        let run = text[start..].iter().take(16).take_while(|byte| is_part(byte)).count();
        from = start + run;
        let run = text[start..from].strip_suffix(b".").unwrap_or(&text[start..from]);
        let alone = start == 0 || !is_word(text[start - 1]) && text[start - 1] != b'.';
        let ends = !text.get(start + run.len()).is_some_and(|&byte| is_word(byte));
        if run.len() >= 7
            && alone
            && ends
            && let Ok(address) = std::str::from_utf8(run)
            && let Some(value) = values.ipv4(address)
        {
            found(value, start..start + run.len());
        }
    }
}

/// Whether a value of this kind is another one in other case: `Mark` may be a person, `mark` a word.
const fn has_case(kind: PrivateKind) -> bool {
    use PrivateKind::{Bluetooth, Container, File, Process, Secret, Ssid, User, Volume};
    matches!(kind, User | Ssid | Secret | File | Volume | Process | Bluetooth | Container)
}

/// Whether a long name is written in capitals or with a capital, or a name with a capital without: `ZAMOLUKA`.
fn is_shouted(text: &[u8], name: &[u8]) -> bool {
    let [first, rest @ ..] = text else { return false };
    name.len() >= JOINED
        && (text.iter().all(|byte| !byte.is_ascii_lowercase())
            || rest == &name[1..] && first.eq_ignore_ascii_case(&name[0]))
}

/// Whether a word is no part of a longer one. A name of some length is also one where a digit or `_` joins it.
fn stands_alone(kind: PrivateKind, text: &[u8], range: &Range<usize>) -> bool {
    use PrivateKind::{Host, Ssid, User, Volume};
    let loose = range.len() >= JOINED && matches!(kind, Host | User | Volume | Ssid);
    let joined = |at: usize| {
        at > 0
            && text.get(at).is_some_and(|&byte| {
                let before = text[at - 1];
                let words = is_word(before) && is_word(byte);
                words && !(loose && before.is_ascii_alphabetic() != byte.is_ascii_alphabetic())
            })
    };
    !joined(range.start) && !joined(range.end)
}

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// For each byte whether it is a letter of base64.
pub(super) const BASE64_LETTER: [bool; 256] = letters_of(BASE64);
/// For each byte whether addresses and ids have it.
const ID_LETTER: [bool; 256] = letters_of(b"0123456789abcdefABCDEF:._-");
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const fn letters_of(alphabet: &[u8]) -> [bool; 256] {
    let mut letter = [false; 256];
    let mut at = 0;
    while at < alphabet.len() {
        letter[alphabet[at] as usize] = true;
        at += 1;
    }
    letter
}

/// The letters that a text has in an encoding of several bits a letter, wherever it begins: those that depend on
/// its neighbours left out.
fn letters(text: &[u8], alphabet: &'static [u8]) -> Vec<String> {
    let width = alphabet.len().ilog2() as usize;
    let shifts = if width == 6 { 3 } else { 5 };
    let shifted = |shift: usize| {
        let bytes = [&[0; 4][..shift], text].concat();
        let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
        let letter = |index: usize| {
            (index * width..(index + 1) * width).fold(0, |sum, at| sum << 1 | bit(at))
        };
        // Only what is made of this text alone.
        let whole = (shift * 8).div_ceil(width)..bytes.len() * 8 / width;
        whole.map(|index| char::from(alphabet[letter(index)])).collect()
    };
    (0..shifts).map(shifted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: PrivateKind, value: &str, line: &str) -> Vec<String> {
        let mut values = Values::default();
        values.add(kind, value, true);
        let mut list = Vec::new();
        Words::new(values.all())
            .find(&values, line.as_bytes(), &mut |_, range| list.push(line[range].to_owned()));
        list.dedup();
        list
    }

    #[test]
    fn whole_words_are_found() {
        let line = "tower kernel: TOWER.lan xtower towers a-tower's";
        assert_eq!(found(PrivateKind::Host, "tower", line), ["tower", "TOWER", "tower"]);
        for line in ["pre_tower_x", "tower2", "7tower"] {
            assert_eq!(found(PrivateKind::Host, "tower", line), ["tower"], "{line}");
        }
        assert_eq!(found(PrivateKind::Host, "rig7", "rig7_x rig78 rig"), [""; 0]);
        assert_eq!(found(PrivateKind::User, "Mark", "Mark mark MARK"), ["Mark"]);
        assert_eq!(found(PrivateKind::User, "velda", "VELDA Velda vElda"), ["VELDA", "Velda"]);
        assert_eq!(
            found(PrivateKind::Mac, "52:54:00:12:34:56", "enx52-54-00-12-34-56 x525400123456")
                .len(),
            1
        );
        assert_eq!(found(PrivateKind::Host, "x", ""), [""; 0]);
    }

    #[test]
    fn base64_and_base32_are_found_at_each_offset() {
        // printf 'the host workbench is'; printf ' workbench'; printf 'a workbench.'
        for (line, want) in [
            ("dGhlIGhvc3Qgd29ya2JlbmNoIGlz", "d29ya2JlbmNo"),
            ("IHdvcmtiZW5jaA==", "dvcmtiZW5ja"),
            ("YSB3b3JrYmVuY2gu", "3b3JrYmVuY2"),
            ("O5XXE23CMVXGG2A=", "O5XXE23CMVXGG2"),
        ] {
            assert_eq!(found(PrivateKind::Host, "workbench", line), [want]);
        }
    }
}
