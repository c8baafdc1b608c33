//! The encodings that are undone, each by a function for the beginning of a text.

use std::ops::Range;

use super::super::shape::is_word;

/// The fewest hexadecimal digits that are taken for text: four letters.
const HEX_RUN: usize = 8;
/// The fewest numbers that are taken for the bytes of a text.
const ARRAY_RUN: usize = 4;
/// The fewest pairs of digits with a separator that are taken for text.
const SPACED_RUN: usize = 5;
/// The most of them that are decoded at once, so that the time for a long line stays proportional to its length.
const SPACED_LIMIT: usize = 4096;
/// The fewest encoded bytes of mail that are taken for text.
const QUOTED_RUN: usize = 3;

/// An encoded part of a text.
pub(super) struct Piece {
    /// Its length in the text.
    pub(super) length: usize,
    /// The decoded bytes, each with the range that encodes it.
    pub(super) bytes: Vec<(u8, Range<usize>)>,
    /// Whether it is a list of numbers.
    pub(super) array: bool,
}

/// Decodes the beginning of a text, apart from look-alikes.
pub(super) fn written(text: &[u8]) -> Option<Piece> {
    let one = |byte, length| Some(Piece { length, bytes: vec![(byte, 0..length)], array: false });
    match text {
        [b'%', high, low, ..] => one(pair(*high, *low)?, 3),
        [b'\\', b'x', high, low, ..] => one(pair(*high, *low)?, 4),
        [b'\\', b'u', ..] => unicode(text),
        [b'\\', b'n', ..] => one(b'\n', 2),
        [b'\\', b't', ..] => one(b'\t', 2),
        [b'\\', b'r', ..] => one(b'\r', 2),
        [b'\\', byte @ (b'"' | b'\\' | b'/' | b'\''), ..] => one(*byte, 2),
        // Octal, as in /proc/mounts.
        [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            one((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), 4)
        }
        [b'&', ..] => entity(text),
        // Colours of terminals, which have no text.
        [0x1B, b'[', rest @ ..] => {
            let part = rest.iter().take(16).position(|byte| !matches!(byte, b'0'..=b'9' | b';'))?;
            let length = part + 3;
            Some(Piece { length, bytes: Vec::new(), array: false })
        }
        [b'[', ..] => array(text),
        [b'=', ..] => quoted(text),
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
pub(super) fn array(text: &[u8]) -> Option<Piece> {
    let is_part = |byte: &&u8| byte.is_ascii_digit() || b", \t\n".contains(byte);
    let end = 1 + text.iter().skip(1).take_while(is_part).count();
    let closed = match text.get(end) {
        Some(b']') => 1,
        // The line was cut.
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

/// `6a6f686e`, if each byte is text. NUL separates the arguments of a program.
pub(super) fn hex_run(text: &[u8]) -> Option<Piece> {
    let length = text.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(text.len());
    if length < HEX_RUN || length % 2 == 1 || text.get(length).is_some_and(|&byte| is_word(byte)) {
        return None;
    }
    let is_text = |byte: &u8| match byte {
        0 | b'\n' | b'\t' => true,
        byte => !byte.is_ascii_control(),
    };
    let byte = |index: usize| pair(text[2 * index], text[2 * index + 1]).filter(is_text);
    // Most numbers are not: no allocation before this is known.
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

/// `6a 6f 68 6e` or `6a:6f:68:6e`, if each byte is text.
pub(super) fn spaced(text: &[u8]) -> Option<Piece> {
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

/// `=6A=6F=68`, the quoted-printable encoding of mail.
pub(super) fn quoted(text: &[u8]) -> Option<Piece> {
    let mut bytes = Vec::new();
    while let Some(&[b'=', high, low]) = text.get(3 * bytes.len()..3 * bytes.len() + 3) {
        let Some(byte) = pair(high, low) else { break };
        bytes.push((byte, 3 * bytes.len()..3 * bytes.len() + 3));
    }
    let length = 3 * bytes.len();
    (bytes.len() >= QUOTED_RUN).then_some(Piece { length, bytes, array: false })
}

/// Letters of full width, and invisible characters.
pub(super) fn look_alike(text: &[u8]) -> Option<Piece> {
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
