//! Searches for the known values in all text.

use std::collections::HashMap;
use std::ops::Range;

use super::needles::Needles;
use super::shape::is_word;
use super::stamp::Stamps;
use super::values::{LONGEST, Value, Values, is_shaped, spellings};
use crate::value::PrivateKind;

/// Minimum length of a value that is searched for in base64.
pub(super) const ENCODED: usize = 6;
/// Maximum total length of the values that are searched for in base64 and base32: each value has eight forms.
const ENCODED_LIMIT: usize = 24 << 10;
/// Number of values of each kind with a shape that are searched for in other spellings.
const SHAPED: usize = 64;
/// Minimum length of a name that is also found next to a digit or `_`.
const JOINED: usize = 5;

/// A spelling of a value.
#[derive(Clone, Copy, Debug)]
struct Spelling {
    value: usize,
    kind: PrivateKind,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain,
    /// Found in the middle of a run, and only in the same case.
    Base64,
    Base32,
}

/// The search for all known values.
#[derive(Debug, Default)]
pub(super) struct Words {
    needles: Needles,
    spellings: Vec<Spelling>,
    /// The text of each spelling.
    texts: Vec<String>,
}

impl Words {
    /// The search for all values that are marked for it.
    pub(super) fn new(values: &[Value]) -> Self {
        let (mut list, mut encoded) = (Vec::new(), Vec::new());
        let mut shaped: HashMap<PrivateKind, usize> = HashMap::new();
        let mut length = 0;
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
            list.extend(spellings(value.kind, &value.text).into_iter().map(|text| (plain, text)));
            if value.text.len() >= ENCODED && length + value.text.len() <= ENCODED_LIMIT {
                length += value.text.len();
                for (form, alphabet) in [(Form::Base64, BASE64), (Form::Base32, BASE32)] {
                    let letters = letters(value.text.as_bytes(), alphabet).into_iter();
                    encoded.extend(letters.map(|text| (Spelling { form, ..plain }, text)));
                }
            }
        }
        list.append(&mut encoded);
        let (spellings, texts): (Vec<Spelling>, Vec<String>) = list.into_iter().unzip();
        Self { needles: Needles::new(&texts), spellings, texts }
    }

    /// Calls `found` with the index and the range of each value in a text.
    pub(super) fn find(
        &self,
        values: &Values,
        text: &[u8],
        stamps: &Stamps,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        addresses(values, text, stamps, found);
        quads(values, text, stamps, found);
        self.needles.find(text, stamps, &mut |number, range| {
            let spelling = self.spellings[number];
            let spelled = self.texts[number].as_bytes();
            let is_plain = spelling.form == Form::Plain;
            let same = text[range.clone()] == *spelled || !spelling.has_case();
            let same = same || is_plain && is_shouted(&text[range.clone()], spelled);
            if same && (!is_plain || stands_alone(spelling.kind, text, &range)) {
                found(spelling.value, range);
            }
        });
    }
}

impl Spelling {
    /// Whether case distinguishes it from other texts.
    fn has_case(self) -> bool {
        self.form == Form::Base64 || has_case(self.kind)
    }
}

/// Hardware addresses that are known, written as twelve digits.
fn addresses(
    values: &Values,
    text: &[u8],
    stamps: &Stamps,
    found: &mut dyn FnMut(usize, Range<usize>),
) {
    if !values.has(PrivateKind::Mac) {
        return;
    }
    for run in
        runs(text, stamps.head(), 12, |byte| byte.is_ascii_hexdigit()).filter(|run| run.len() == 12)
    {
        if let Ok(digits) = std::str::from_utf8(&text[run.clone()])
            && let Some(value) = values.address(digits)
        {
            found(value, run);
        }
    }
}

/// The longest runs of bytes of a class from a position on, if they have a minimum length.
pub(super) fn runs(
    text: &[u8],
    from: usize,
    shortest: usize,
    belongs: impl Fn(u8) -> bool + Copy,
) -> impl Iterator<Item = Range<usize>> {
    let mut start = from;
    std::iter::from_fn(move || {
        // From the last byte that a run from here would need: if that does not belong, no byte before it matters.
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

/// Known IPv4 addresses. Other groups of four numbers may be versions.
fn quads(
    values: &Values,
    text: &[u8],
    stamps: &Stamps,
    found: &mut dyn FnMut(usize, Range<usize>),
) {
    if !values.has(PrivateKind::Ipv4) {
        return;
    }
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let mut from = 0;
    let searched = &text[stamps.head()..];
    for dot in memchr::memchr_iter(b'.', searched).map(|dot| stamps.head() + dot) {
        if dot < from || stamps.contain(dot) {
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
            && memchr::memchr_iter(b'.', run).count() == 3
            && alone
            && ends
            && let Ok(address) = std::str::from_utf8(run)
            && let Some(value) = values.ipv4(address)
        {
            found(value, start..start + run.len());
        }
    }
}

/// Whether case distinguishes values of a kind: `Mark` may be a person, `mark` a word.
const fn has_case(kind: PrivateKind) -> bool {
    use PrivateKind::{Bluetooth, Container, File, Process, Secret, Ssid, User, Volume};
    matches!(kind, User | Ssid | Secret | File | Volume | Process | Bluetooth | Container)
}

/// Whether text is a name of some length in capitals (`ZAMOLUKA`), or differs from it in the case of the first letter.
fn is_shouted(text: &[u8], name: &[u8]) -> bool {
    let [first, rest @ ..] = text else { return false };
    name.len() >= JOINED
        && (text.iter().all(|byte| !byte.is_ascii_lowercase())
            || rest == &name[1..] && first.eq_ignore_ascii_case(&name[0]))
}

/// Whether a range of text is no part of a longer word. Next to a digit or `_`, a name of some length still is a name.
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

/// The letters of a text in base64 or base32, for each offset in the encoded bytes. Letters that also depend on the
/// neighbours of the text are omitted.
fn letters(text: &[u8], alphabet: &'static [u8]) -> Vec<String> {
    let width = alphabet.len().ilog2() as usize;
    let shifts = if width == 6 { 3 } else { 5 };
    let shifted = |shift: usize| {
        let bytes = [&[0; 4][..shift], text].concat();
        let bit = |at: usize| usize::from(bytes[at / 8] >> (7 - at % 8) & 1);
        let letter = |index: usize| {
            (index * width..(index + 1) * width).fold(0, |sum, at| sum << 1 | bit(at))
        };
        // Letters that consist of bits of this text only.
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
        Words::new(values.all()).find(
            &values,
            line.as_bytes(),
            &Stamps::default(),
            &mut |_, range| {
                list.push(line[range].to_owned());
            },
        );
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
