//! What a text says under the ways in which programs write bytes that they cannot print: with the place that
//! each byte came from, so that what is found in it can be taken out of the text.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::outline::Outline;
use super::shape::is_word;

/// How often one encoding may stand in another.
const DEPTH: usize = 3;
/// The fewest hexadecimal digits that are taken for text: four letters.
const HEX_RUN: usize = 8;
/// The fewest numbers that are taken for the bytes of a text.
const ARRAY_RUN: usize = 4;

/// The fewest pairs of digits with something between them that are taken for text.
const SPACED_RUN: usize = 5;
/// How many bytes of them are decoded at once, so that each byte of a long line is looked at a few times only.
const SPACED_LIMIT: usize = 4096;
/// The fewest bytes behind signs of equality that are taken for text.
const QUOTED_RUN: usize = 3;

/// A text, and where its bytes stand in the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct View<'l> {
    pub(super) text: Cow<'l, [u8]>,
    /// For each byte the place of what says it; nothing where the line stands as it is.
    places: Option<Vec<(usize, usize)>>,
    /// The parts of the line that are lists of numbers.
    arrays: Vec<Range<usize>>,
    outline: OnceCell<Outline>,
}

impl<'l> View<'l> {
    /// A part of a line as it stands, behind a name for it.
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

    /// A whole line as it stands.
    pub(super) fn of(line: &'l str) -> Self {
        Self { text: Cow::Borrowed(line.as_bytes()), ..Self::default() }
    }

    /// Where in the line a part of the text comes from.
    pub(super) fn place(&self, part: &Range<usize>) -> Range<usize> {
        let Some(places) = &self.places else { return part.clone() };
        let start = places.get(part.start).map_or(0, |place| place.0);
        let end =
            part.end.checked_sub(1).and_then(|last| places.get(last)).map_or(start, |it| it.1);
        start..end.max(start)
    }

    /// Whether a place in the line is in a list of numbers.
    pub(super) fn is_array(&self, place: &Range<usize>) -> bool {
        self.arrays.iter().any(|array| array.start <= place.start && place.end <= array.end)
    }

    /// Of what classes its bytes are.
    pub(super) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| Outline::of(&self.text))
    }

    /// Whether it has anything that [`View::decoded`] might decode.
    fn may_be_encoded(&self) -> bool {
        self.outline().codes().any(|at| match self.text[at] {
            b'=' => quoted(&self.text[at..]).is_some(),
            b'[' => array(&self.text[at..]).is_some(),
            digit if digit.is_ascii_hexdigit() => {
                hex_run(&self.text[at..]).or_else(|| spaced(&self.text[at..])).is_some()
            }
            _ => true,
        })
    }

    /// This text and all those that are encoded in it.
    pub(super) fn layers(self) -> Vec<Self> {
        let mut layers = vec![self];
        if !layers[0].may_be_encoded() {
            return layers;
        }
        for _ in 0..DEPTH {
            match layers.last().and_then(View::decoded) {
                Some(next) => layers.push(next),
                None => break,
            }
        }
        layers
    }

    /// The text with everything decoded that is encoded in it, once; nothing if nothing is.
    fn decoded(&self) -> Option<View<'static>> {
        let mut text = Vec::with_capacity(self.text.len());
        let mut arrays = self.arrays.clone();
        let mut places = Vec::with_capacity(self.text.len());
        let mut changed = false;
        let mut at = 0;
        let mut inner = false;
        while let Some(&byte) = self.text.get(at) {
            let inside = inner && byte.is_ascii_alphanumeric();
            let piece = if inside { None } else { piece(&self.text[at..]) };
            let joined = std::mem::replace(&mut inner, is_word(byte));
            match piece {
                Some(piece) => {
                    changed = true;
                    inner = false;
                    let whole = self.place(&(at..at + piece.length));
                    // What stands beside a list is no part of a word in it.
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
        changed.then_some(View { text, places, arrays, outline: OnceCell::new() })
    }
}

/// An encoded part: its bytes, each with the place of what says it.
struct Piece {
    length: usize,
    bytes: Vec<(u8, Range<usize>)>,
    array: bool,
}

/// What is encoded at the beginning of a text.
fn piece(text: &[u8]) -> Option<Piece> {
    let one = |byte, length| Some(Piece { length, bytes: vec![(byte, 0..length)], array: false });
    match text {
        [b'%', high, low, ..] => one(pair(*high, *low)?, 3),
        [b'\\', b'x', high, low, ..] => one(pair(*high, *low)?, 4),
        [b'\\', b'u', ..] => unicode(text),
        [b'\\', b'n', ..] => one(b'\n', 2),
        [b'\\', b't', ..] => one(b'\t', 2),
        [b'\\', b'r', ..] => one(b'\r', 2),
        [b'\\', byte @ (b'"' | b'\\' | b'/' | b'\''), ..] => one(*byte, 2),
        // As /proc/mounts writes blanks.
        [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            one((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), 4)
        }
        [b'&', ..] => entity(text),
        // Colours, which terminals show as nothing.
        [0x1B, b'[', rest @ ..] => {
            let part = rest.iter().take(16).position(|byte| !matches!(byte, b'0'..=b'9' | b';'))?;
            let length = part + 3;
            Some(Piece { length, bytes: Vec::new(), array: false })
        }
        [b'[', ..] => array(text),
        [b'=', ..] => quoted(text),
        [0xC2 | 0xE2 | 0xEF, ..] => dressed(text),
        [digit, ..] if digit.is_ascii_hexdigit() => hex_run(text).or_else(|| spaced(text)),
        _ => None,
    }
}

fn pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

/// One character, which may take several bytes.
fn character(c: char, length: usize) -> Piece {
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).bytes().map(|byte| (byte, 0..length)).collect();
    Piece { length, bytes, array: false }
}

/// `\u003c`, or two of them for one character.
fn unicode(text: &[u8]) -> Option<Piece> {
    let unit = |text: &[u8]| match text {
        [b'\\', b'u', a, b, c, d, ..] => Some(u16::from_be_bytes([pair(*a, *b)?, pair(*c, *d)?])),
        _ => None,
    };
    let first = unit(text)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some(character(c, 6));
    }
    let second = unit(text.get(6..)?)?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some(character(c, 12))
}

/// `&lt;`, `&#64;`, `&#x40;`.
fn entity(text: &[u8]) -> Option<Piece> {
    let head = text.get(1..text.len().min(12))?;
    let end = head.iter().position(|&byte| byte == b';')?;
    let name = std::str::from_utf8(head.get(..end)?).ok()?;
    let number = |text: &str, radix| char::from_u32(u32::from_str_radix(text, radix).ok()?);
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => match name.strip_prefix('#')? {
            hex if hex.starts_with(['x', 'X']) => number(hex.get(1..)?, 16)?,
            decimal => number(decimal, 10)?,
        },
    };
    Some(character(c, end + 2))
}

/// `[72,101,108,108]`.
fn array(text: &[u8]) -> Option<Piece> {
    let is_part = |byte: &&u8| byte.is_ascii_digit() || b", \t\n".contains(byte);
    let end = 1 + text.iter().skip(1).take_while(is_part).count();
    let closed = match text.get(end) {
        Some(b']') => 1,
        // A line that was cut.
        None => 0,
        Some(_) => return None,
    };
    let mut bytes = Vec::new();
    let mut at = 1;
    for part in text[1..end].split(|&byte| byte == b',') {
        let start = at + part.len() - part.trim_ascii_start().len();
        let digits = part.trim_ascii();
        let number = std::str::from_utf8(digits).ok().filter(|digits| digits.len() <= 3)?;
        bytes.push((number.parse().ok()?, start..start + digits.len()));
        at += part.len() + 1;
    }
    let length = end + closed;
    (bytes.len() >= ARRAY_RUN).then_some(Piece { length, bytes, array: true })
}

/// `6a6f686e`, if that is text in each of its bytes. NUL stands between the arguments of a program.
fn hex_run(text: &[u8]) -> Option<Piece> {
    let length = text.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(text.len());
    if length < HEX_RUN || length % 2 == 1 || text.get(length).is_some_and(|&byte| is_word(byte)) {
        return None;
    }
    let is_text = |byte: &u8| match byte {
        0 | b'\n' | b'\t' => true,
        byte => !byte.is_ascii_control(),
    };
    let byte = |index: usize| pair(text[2 * index], text[2 * index + 1]).filter(is_text);
    // Few numbers are text.
    if !(0..length / 2).all(|index| byte(index).is_some()) {
        return None;
    }
    let bytes = (0..length / 2).map(|index| Some((byte(index)?, 2 * index..2 * index + 2)));
    let mut bytes: Vec<_> = bytes.collect::<Option<_>>()?;
    let letters = bytes.iter().filter(|(byte, _)| byte.is_ascii_graphic()).count();
    let whole: Vec<u8> = bytes.iter().map(|(byte, _)| *byte).collect();
    let good = letters >= 3 && std::str::from_utf8(&whole).is_ok();
    // UTF-16 has a NUL beside each letter.
    for zero in [0, 1] {
        let wide = whole.len().is_multiple_of(2)
            && whole.iter().enumerate().all(|(at, byte)| (at % 2 == zero) == (*byte == 0));
        if wide {
            bytes.retain(|(byte, _)| *byte != 0);
        }
    }
    good.then_some(Piece { length, bytes, array: false })
}

/// `6a 6f 68 6e` or `6a:6f:68:6e`, if that is text in each of its bytes.
fn spaced(text: &[u8]) -> Option<Piece> {
    let separator = *text.get(2).filter(|byte| matches!(byte, b' ' | b':' | b'-'))?;
    let mut bytes: Vec<(u8, Range<usize>)> = Vec::new();
    while bytes.len() < SPACED_LIMIT {
        let at = 3 * bytes.len();
        match text.get(at..at + 2) {
            Some(&[high, low]) if at == 0 || text[at - 1] == separator => match pair(high, low) {
                Some(byte) if byte.is_ascii_graphic() || byte == b' ' => {
                    bytes.push((byte, at..at + 2));
                }
                _ => break,
            },
            _ => break,
        }
    }
    let length = (3 * bytes.len()).checked_sub(1)?;
    let whole = text.get(length).is_none_or(|&byte| !is_word(byte));
    (whole && bytes.len() >= SPACED_RUN).then_some(Piece { length, bytes, array: false })
}

/// `=6A=6F=68`, as mail writes what is no plain letter.
fn quoted(text: &[u8]) -> Option<Piece> {
    let mut bytes = Vec::new();
    while let Some(&[b'=', high, low]) = text.get(3 * bytes.len()..3 * bytes.len() + 3) {
        let Some(byte) = pair(high, low) else { break };
        bytes.push((byte, 3 * bytes.len()..3 * bytes.len() + 3));
    }
    let length = 3 * bytes.len();
    (bytes.len() >= QUOTED_RUN).then_some(Piece { length, bytes, array: false })
}

/// Letters of full width, and characters that nobody sees.
fn dressed(text: &[u8]) -> Option<Piece> {
    let none = |length| Some(Piece { length, bytes: Vec::new(), array: false });
    let one = |byte| Some(Piece { length: 3, bytes: vec![(byte, 0..3)], array: false });
    match text {
        [0xC2, 0xAD, ..] => none(2),
        [0xE2, 0x80, 0x8B..=0x8F, ..] | [0xE2, 0x81, 0xA0, ..] | [0xEF, 0xBB, 0xBF, ..] => none(3),
        [0xEF, 0xBC, last @ 0x81..=0xBF, ..] => one(last - 0x60),
        [0xEF, 0xBD, last @ 0x80..=0x9E, ..] => one(last - 0x20),
        _ => None,
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
            prop_assert!(view.may_be_encoded() || view.decoded().is_none(), "{}", line);
        }
    }
}
