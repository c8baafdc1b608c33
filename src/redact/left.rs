//! The second search: finds in redacted text whatever should be gone.
//!
//! It uses neither rules nor the places that the first search found, so that a mistake there does not hide a value
//! here. It undoes each encoding for a whole line or a run of characters, and searches the result for all known values.

mod decode;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use super::outline::Outline;
use super::stamp::Stamps;
use super::words::{BASE64_LETTER, ENCODED, runs};
use super::{Kind, Redactor, shape, tokens};
use decode::{base64, hexadecimal, may_spell, numbers, unescaped};

/// Minimum length of a run in base64 that can hold a value.
const SHORTEST: usize = 8;
/// How many encodings may be nested.
const DEPTH: usize = 3;

/// Something private that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leftover {
    /// Its kind; the value itself is not given.
    pub kind: Kind,
    /// Where it begins in the line, or the run of characters that it is encoded in; where escapes were undone
    /// before, the position in the result. Counted in bytes from 0.
    pub column: usize,
}

/// All that is left in a line; `in_edid` if it is a row of a dump, in which no digits are an id.
pub(super) fn find(redactor: &Redactor, line: &str, in_edid: bool) -> Vec<Leftover> {
    let stamps = Stamps::of(line.as_bytes());
    let head = stamps.head();
    let mut text = Cow::Borrowed(&line.as_bytes()[head..]);
    for token in tokens(line) {
        text.to_mut()[token.start - head..token.end - head].fill(b' ');
    }
    let mut stamps = stamps.behind_head();
    let mut list = Vec::new();
    let mut outline = Outline::of(&text, 0);
    shapes(redactor, &text, &outline, &stamps, &mut list);
    list.retain(|left| !in_edid || left.kind != Kind::Uuid);
    for _ in 0..=DEPTH {
        in_layer(redactor, &text, &outline, &stamps, &mut list);
        match unescaped(&text) {
            Some(next) => text = Cow::Owned(next),
            None => break,
        }
        (outline, stamps) = (Outline::of(&text, 0), Stamps::default());
    }
    for left in &mut list {
        left.column += head;
    }
    list.sort_unstable();
    list.dedup();
    list
}

/// Searches for the known values as they are, and in the runs of a text that encode something.
fn in_layer(
    redactor: &Redactor,
    text: &[u8],
    outline: &Outline,
    stamps: &Stamps,
    list: &mut Vec<Leftover>,
) {
    known(redactor, text, stamps, None, list);
    let none = Stamps::default();
    outline.numbers().for_each(|start| {
        if let Some(bytes) = hexadecimal(text, start) {
            known(redactor, &bytes, &none, Some(start), list);
        }
    });
    for run in runs(text, 0, SHORTEST, |byte| BASE64_LETTER[usize::from(byte)]) {
        in_base64(redactor, &text[run.clone()], run.start, list);
    }
    for at in memchr::memchr_iter(b'[', text) {
        if let Some(bytes) = numbers(&text[at + 1..]) {
            known(redactor, &bytes, &none, Some(at), list);
        }
    }
}

/// Searches for the known values; `column` is the position of what was decoded.
fn known(
    redactor: &Redactor,
    text: &[u8],
    stamps: &Stamps,
    column: Option<usize>,
    list: &mut Vec<Leftover>,
) {
    redactor.words.find(&redactor.values, text, stamps, &mut |value, range| {
        let kind = redactor.values.all()[value].kind;
        list.push(Leftover { kind, column: column.unwrap_or(range.start) });
    });
}

/// Searches for the known values in a run in base64. Shorter values come out of any run by chance.
fn in_base64(redactor: &Redactor, run: &[u8], column: usize, list: &mut Vec<Leftover>) {
    // Most runs are ordinary words, and decode to nothing.
    let letters = redactor.values.letters();
    if !may_spell(run, letters) {
        return;
    }
    let mut spelled = 0;
    let is_letter = |byte: u8| {
        spelled = if letters[usize::from(byte)] { spelled + 1 } else { 0 };
        spelled == ENCODED
    };
    if !base64(run).any(is_letter) {
        return;
    }
    let text: Vec<u8> = base64(run).collect();
    redactor.words.find(&redactor.values, &text, &Stamps::default(), &mut |value, range| {
        let value = &redactor.values.all()[value];
        if value.text.len() >= ENCODED && text[range] == *value.text.as_bytes() {
            list.push(Leftover { kind: value.kind, column });
        }
    });
}

/// Searches for what is private by its shape, known or not.
fn shapes(
    redactor: &Redactor,
    text: &[u8],
    outline: &Outline,
    stamps: &Stamps,
    list: &mut Vec<Leftover>,
) {
    let near = LazyCell::new(|| redactor.rules.near(text, stamps));
    let domains = &redactor.rules.domains;
    shape::find(text, outline, stamps, domains, &mut |kind, range: Range<usize>| {
        let value = String::from_utf8_lossy(&text[range.clone()]);
        if !near.is_plain(kind) && !redactor.rules.is_public(kind, &value) {
            list.push(Leftover { kind, column: range.start });
        }
    });
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
