//! Text with its encodings undone: escapes, hexadecimal, lists of numbers. Each byte has the position that it came
//! from, so that a value found in the decoded text can be replaced in the line.

mod piece;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::outline::Outline;
use super::shape::is_word;
use super::stamp::Stamps;
use piece::{Piece, array, hex_run, look_alike, quoted, spaced, written};

/// How many encodings may be nested.
const DEPTH: usize = 3;

/// A text, and the positions of its bytes in the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct View<'l> {
    pub(super) text: Cow<'l, [u8]>,
    /// For each byte the start and end of what encodes it; `None` if the text is the line itself.
    places: Option<Vec<(usize, usize)>>,
    /// The parts of the line that are lists of numbers.
    arrays: Vec<Range<usize>>,
    outline: OnceCell<Outline>,
    /// The times of a line that stands as it is.
    stamps: Stamps,
}

impl<'l> View<'l> {
    /// `name=` and a part of a line.
    pub(super) fn named(name: &str, line: &str, part: Range<usize>) -> Self {
        let body = if name.is_empty() { 0 } else { name.len() + 1 };
        let mut text = Vec::with_capacity(body + part.len());
        let mut places = Vec::with_capacity(body + part.len());
        if body > 0 {
            text.extend_from_slice(name.as_bytes());
            text.push(b'=');
            places.resize(body, (part.start, part.start));
        }
        text.extend_from_slice(line[part.clone()].as_bytes());
        places.extend(part.map(|at| (at, at + 1)));
        Self { text: Cow::Owned(text), places: Some(places), ..Self::default() }
    }

    /// A whole line, not decoded.
    pub(super) fn of(line: &'l str) -> Self {
        Self::stamped(line, &Stamps::of(line.as_bytes()))
    }

    /// The same of a line whose times are known.
    pub(super) fn stamped(line: &'l str, stamps: &Stamps) -> Self {
        let text = Cow::Borrowed(line.as_bytes());
        Self { text, stamps: stamps.clone(), ..Self::default() }
    }

    /// The range in the line that a range of the text comes from.
    pub(super) fn place(&self, part: &Range<usize>) -> Range<usize> {
        let Some(places) = &self.places else { return part.clone() };
        let start = places.get(part.start).map_or(0, |place| place.0);
        let end =
            part.end.checked_sub(1).and_then(|last| places.get(last)).map_or(start, |it| it.1);
        start..end.max(start)
    }

    /// Whether a range in the line is in a list of numbers.
    pub(super) fn is_array(&self, place: &Range<usize>) -> bool {
        self.arrays.iter().any(|array| array.start <= place.start && place.end <= array.end)
    }

    /// The classes of its bytes.
    pub(super) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(&self.text, self.stamps.head()))
    }

    /// Where its times are, in which nothing is searched for.
    pub(super) fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    /// Whether [`View::decoded`] may find anything to decode: a fast check that is true too often at worst.
    pub(super) fn may_be_encoded(&self) -> bool {
        let mut codes = self.outline().codes().filter(|&at| !self.stamps.contain(at));
        codes.any(|at| match self.text[at] {
            b'=' => quoted(&self.text[at..]).is_some(),
            b'[' => array(&self.text[at..]).is_some(),
            digit if digit.is_ascii_hexdigit() => {
                hex_run(&self.text[at..]).or_else(|| spaced(&self.text[at..])).is_some()
            }
            _ => true,
        })
    }

    /// This text, then what it decodes to, then what that decodes to.
    pub(super) fn layers(self) -> Vec<Self> {
        let mut layers = vec![self];
        if !layers[0].may_be_encoded() {
            return layers;
        }
        for _ in 0..DEPTH {
            match layers.last().and_then(|last| last.decoded_by(written)) {
                Some(next) => layers.push(next),
                None => break,
            }
        }
        // Next to a value, look-alikes are no part of its word, for this search as for the second
        // one: so they are undone apart, and however often something else was encoded.
        let alike = layers.iter().filter_map(|layer| layer.decoded_by(look_alike));
        for layer in alike.collect::<Vec<_>>() {
            let inner = layer.decoded_by(written);
            layers.push(layer);
            layers.extend(inner);
        }
        layers
    }

    /// The text with each encoding that `piece` knows undone once; `None` if there is none.
    fn decoded_by(&self, piece: impl Fn(&[u8]) -> Option<Piece>) -> Option<View<'static>> {
        let mut text = Vec::with_capacity(self.text.len());
        let mut arrays = self.arrays.clone();
        let mut places = Vec::with_capacity(self.text.len());
        let mut changed = false;
        let mut at = 0;
        let mut inner = false;
        while let Some(&byte) = self.text.get(at) {
            let inside = inner && byte.is_ascii_alphanumeric() || self.stamps.contain(at);
            let piece = if inside { None } else { piece(&self.text[at..]) };
            let joined = std::mem::replace(&mut inner, is_word(byte));
            match piece {
                Some(piece) => {
                    changed = true;
                    inner = false;
                    let whole = self.place(&(at..at + piece.length));
                    // Line breaks keep text beside the list from joining a word in it.
                    if piece.array && joined {
                        text.push(b'\n');
                        places.push((whole.start, whole.start));
                    }
                    for (byte, part) in piece.bytes {
                        text.push(byte);
                        let place = self.place(&(at + part.start..at + part.end));
                        places.push((place.start, place.end));
                    }
                    if piece.array {
                        text.push(b'\n');
                        places.push((whole.end, whole.end));
                        arrays.push(whole);
                    }
                    at += piece.length;
                }
                None => {
                    text.push(byte);
                    let place = self.place(&(at..at + 1));
                    places.push((place.start, place.end));
                    at += 1;
                }
            }
        }
        let (text, places) = (Cow::Owned(text), Some(places));
        changed.then(|| View { text, places, arrays, ..View::default() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn says(line: &str) -> String {
        let layers = View::of(line).layers();
        String::from_utf8_lossy(&layers.last().unwrap().text).into_owned()
    }

    #[test]
    fn what_is_encoded_is_read() {
        for (line, want) in [
            ("%6A%6Fhn", "john"),
            (r"a\x2djohn", "a-john"),
            (r"\u006a\u006f", "jo"),
            (r"\ud83d\ude00", "😀"),
            (r#"\"a\\b\/\n"#, "\"a\\b/\n"),
            (r"My\040Disk", "My Disk"),
            ("&lt;john&#64;x&#x2e;org&gt;", "<john@x.org>"),
            ("[106,111,104, 110]!", "john\n!"),
            ("cmd=6a6f686e00646f65", "cmd=john\0doe"),
            // Twice.
            (r"\\x2d", "-"),
            ("%256A", "j"),
            ("to\u{1B}[0;1;39mwer", "tower"),
            ("x 76 65 6c 64 61 7e.", "x velda~."),
            ("76:65:6C:64:61", "velda"),
            ("760065006c0064006100", "velda"),
            ("=76=65=6C", "vel"),
            ("ｖｅｌ\u{200B}da", "velda"),
        ] {
            assert_eq!(says(line), want, "{line}");
        }
    }

    #[test]
    fn numbers_are_no_texts() {
        for line in [
            "0x6a6f686e",
            "deadbeefcafebabe",
            "ffff888100000000",
            "[1,2]",
            "[1,2,300,4]",
            "100% of",
            "&c;",
            r"\d",
            "6a6f686",
            "00000000",
            "0a 0b 0c 0d 0e 0f",
            "18:20:14",
            "seq=88",
            "a – b",
        ] {
            assert_eq!(says(line), line);
            assert!(View::of(line).layers().len() == 1);
        }
    }

    #[test]
    fn what_is_found_has_its_place() {
        let layers = View::of(r"x \\x6aohn y").layers();
        let view = layers.last().unwrap();
        let at = view.text.windows(4).position(|part| part == b"john").unwrap();
        assert_eq!(view.place(&(at..at + 4)), 2..10);
        let layers = View::of("m [1,106,111,104,110,2]").layers();
        let view = layers.last().unwrap();
        let place = view.place(&(3..7));
        assert_eq!(place, 5..20);
        assert!(view.is_array(&place));
        let named = View::named("KEY", r#""a%62c""#, 1..6).layers();
        let view = named.last().unwrap();
        assert_eq!(*view.text, *b"KEY=abc");
        assert_eq!(view.place(&(4..7)), 1..6);
    }

    const PIECES: [&str; 16] = [
        "%6A",
        "6a6f686e",
        "76 65 6c 64 61",
        "76:65:6C:64:61",
        "=76=65=6C",
        "[106,111,104,110]",
        r"\x2d",
        "&lt;",
        "\u{200B}",
        "_",
        " ",
        "a",
        "0",
        ".",
        "é",
        "ordinary words",
    ];

    proptest! {
        #[test]
        fn all_that_is_encoded_may_be(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12),
        ) {
            let line = pieces.concat();
            let view = View::of(&line);
            prop_assert!(view.may_be_encoded() || view.decoded_by(written).or(view.decoded_by(look_alike)).is_none(), "{}", line);
        }
    }
}
