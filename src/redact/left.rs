//! The second look: finds in what was redacted whatever should be gone.
//!
//! It asks no rule and follows no byte back to where it came from: it undoes each encoding for a whole line
//! or a run of characters, and looks for all known values in what comes out.

use std::cell::LazyCell;
use std::ops::Range;

use super::outline::Outline;
use super::words::{BASE64_LETTER, ENCODED, runs};
use super::{Kind, Redactor, shape, tokens};

/// The shortest run in base64 or hexadecimal that can hold a value.
const SHORTEST: usize = 8;
/// How often one encoding may stand in another.
const DEPTH: usize = 3;

/// Something private that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leftover {
    /// What it is; the value itself is not given.
    pub kind: Kind,
    /// Where it begins in the line, or the run of characters that it is encoded in; 0 where it is encoded
    /// in pieces. Counted in bytes from 0.
    pub column: usize,
}

/// All that is left in a line.
pub(super) fn find(redactor: &Redactor, line: &str) -> Vec<Leftover> {
    let mut text = line.as_bytes().to_vec();
    for token in tokens(line) {
        text[token].fill(b' ');
    }
    let mut list = Vec::new();
    shapes(redactor, &text, &mut list);
    let mut decoded = text;
    for _ in 0..=DEPTH {
        known(redactor, &decoded, None, &mut list);
        for run in runs(&decoded, SHORTEST, |byte| byte.is_ascii_hexdigit()) {
            if let Some(bytes) = hexadecimal(&decoded, &run) {
                known(redactor, &bytes, Some(run.start), &mut list);
            }
        }
        for run in runs(&decoded, SHORTEST, |byte| BASE64_LETTER[usize::from(byte)]) {
            in_base64(redactor, &decoded[run.clone()], run.start, &mut list);
        }
        for at in memchr::memchr_iter(b'[', &decoded) {
            if let Some(bytes) = numbers(&decoded[at + 1..]) {
                known(redactor, &bytes, Some(at), &mut list);
            }
        }
        match unescaped(&decoded) {
            Some(next) => decoded = next,
            None => break,
        }
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Looks for the known values; `column` is the place of what was decoded.
fn known(redactor: &Redactor, text: &[u8], column: Option<usize>, list: &mut Vec<Leftover>) {
    redactor.words.find(&redactor.values, text, &mut |value, range| {
        let kind = redactor.values.all()[value].kind;
        list.push(Leftover { kind, column: column.unwrap_or(range.start) });
    });
}

/// Looks for the known values in a run in base64. A few letters come out of any run by chance.
fn in_base64(redactor: &Redactor, run: &[u8], column: usize, list: &mut Vec<Leftover>) {
    // Most runs are ordinary words, and make no sense.
    let letters = redactor.values.letters();
    let mut spelled = 0;
    let is_letter = |byte: u8| {
        spelled = if letters[usize::from(byte)] { spelled + 1 } else { 0 };
        spelled == ENCODED
    };
    if !base64(run).any(is_letter) {
        return;
    }
    let text: Vec<u8> = base64(run).collect();
    redactor.words.find(&redactor.values, &text, &mut |value, range| {
        let value = &redactor.values.all()[value];
        if value.text.len() >= ENCODED && text[range] == *value.text.as_bytes() {
            list.push(Leftover { kind: value.kind, column });
        }
    });
}

/// Looks for what is private by its shape, whoever's it is.
fn shapes(redactor: &Redactor, text: &[u8], list: &mut Vec<Leftover>) {
    let near = LazyCell::new(|| redactor.rules.near(text));
    let outline = Outline::of(text);
    shape::find(text, &outline, &redactor.rules.domains, &mut |kind, range: Range<usize>| {
        let value = String::from_utf8_lossy(&text[range.clone()]);
        if !near.is_plain(kind) && !redactor.rules.is_public(kind, &value) {
            list.push(Leftover { kind, column: range.start });
        }
    });
}

/// The text that a run of digits spells, if it stands alone and is one.
fn hexadecimal(text: &[u8], run: &Range<usize>) -> Option<Vec<u8>> {
    let is_word =
        |at: usize| text.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    // What stands behind a `%` is another encoding.
    let joined = |at: usize| is_word(at) || text.get(at) == Some(&b'%');
    if run.len() % 2 == 1 || is_word(run.end) || run.start > 0 && joined(run.start - 1) {
        return None;
    }
    let digits = std::str::from_utf8(text.get(run.clone())?).ok()?;
    let is_text = |byte: &u8| (*byte >= b' ' && *byte != 0x7F) || matches!(byte, 0 | b'\n' | b'\t');
    let pairs = (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok().filter(is_text));
    let bytes: Vec<u8> = pairs.collect::<Option<_>>()?;
    std::str::from_utf8(&bytes).is_ok().then_some(bytes)
}

/// What a run in base64 says, where it begins at its first letter.
fn base64(run: &[u8]) -> impl Iterator<Item = u8> {
    run.chunks(4).flat_map(|letters| {
        let sextet = |letter: &u8| u32::from(SEXTETS[usize::from(*letter)]);
        let bits = letters.iter().fold(0, |bits, letter| bits << 6 | sextet(letter));
        let [_, bytes @ ..] = (bits << (6 * (4 - letters.len()))).to_be_bytes();
        bytes.into_iter().take(letters.len() * 6 / 8)
    })
}

/// What each letter stands for in base64.
const SEXTETS: [u8; 256] = {
    let mut sextets = [63; 256];
    let mut letter = 0_u8;
    while letter < 128 {
        sextets[letter as usize] = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        letter += 1;
    }
    sextets
};

/// The bytes of a list of numbers up to its bracket, or to the end of the text.
fn numbers(text: &[u8]) -> Option<Vec<u8>> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'\t' | b'\n');
    let length = text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len());
    if text.get(length).is_some_and(|&byte| byte != b']') {
        return None;
    }
    let list = std::str::from_utf8(text.get(..length)?).ok()?;
    list.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// The text with all that is written with a mark before it undone; nothing where nothing is.
fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    memchr::memchr3(b'%', b'\\', b'&', text)?;
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut changed = false;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..text.len().min(at + 12)];
        let (bytes, length) = match byte {
            b'%' => number(rest.get(1..3), 16, 3),
            b'\\' => match rest.get(1) {
                Some(b'x') => number(rest.get(2..4), 16, 4),
                Some(b'u') => number(rest.get(2..6), 16, 6),
                Some(b'n' | b'r' | b't') => (Some(b" ".to_vec()), 2),
                Some(&mark @ (b'"' | b'\\' | b'/' | b'\'')) => (Some(vec![mark]), 2),
                Some(b'0'..=b'3') => number(rest.get(1..4), 8, 4),
                _ => (None, 1),
            },
            b'&' => entity(rest),
            _ => (None, 1),
        };
        match bytes {
            Some(bytes) => {
                out.extend(bytes);
                changed = true;
                at += length;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    changed.then_some(out)
}

/// The character with this number, and how long all of it is.
fn number(digits: Option<&[u8]>, radix: u32, length: usize) -> (Option<Vec<u8>>, usize) {
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let number = digits
        .and_then(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok());
    let bytes = number.and_then(|number| match u8::try_from(number) {
        // Bytes of a character of several.
        Ok(byte) if length < 6 => Some(vec![byte]),
        _ => char::from_u32(number).map(|c| c.to_string().into_bytes()),
    });
    (bytes, length)
}

/// `&lt;`, `&#64;`, `&#x40;`.
fn entity(text: &[u8]) -> (Option<Vec<u8>>, usize) {
    let Some(end) = text.iter().position(|&byte| byte == b';') else { return (None, 1) };
    match text.get(1..end) {
        Some([b'#', b'x' | b'X', digits @ ..]) => (number(Some(digits), 16, 6).0, end + 1),
        Some([b'#', digits @ ..]) => (number(Some(digits), 10, 6).0, end + 1),
        Some(b"lt" | b"gt" | b"quot" | b"apos" | b"nbsp") => (Some(b" ".to_vec()), end + 1),
        Some(b"amp") => (Some(b"&".to_vec()), end + 1),
        _ => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::*;

    #[test]
    fn what_should_be_gone_is_found_in_every_form() {
        let mut redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
        redactor.know(Kind::Host, "velomira");
        redactor.know(Kind::User, "root");
        redactor.redact("");
        for line in [
            "on velomira.",
            "on VELOMIRA.",
            "%76elomira",
            r"x \x76elomira",
            r"\\u0076elomira",
            "a 76656c6f6d697261",
            "[118,101,108, 111,109,105,114,97]",
            "&#118;elo&#x6d;ira",
            "dmVsb21pcmE=",
            "x IHZlbG9taXJhIA==",
        ] {
            let left = redactor.leftovers(line);
            assert!(!left.is_empty(), "{line}");
            assert!(left.iter().all(|left| left.kind == Kind::Host), "{line}");
        }
        for line in [
            "",
            "<host-1> root",
            "0x76656c6f6d697261",
            "velomiras",
            "[1,2]",
            "%",
            "\\",
            "&#;",
            "%zz",
        ] {
            assert_eq!(redactor.leftovers(line), [], "{line}");
        }
        let line = "eth0: 0a:1b:2c:3d:4e:5f and /x";
        assert_eq!(redactor.leftovers(line), [Leftover { kind: Kind::Mac, column: 6 }]);
    }
}
