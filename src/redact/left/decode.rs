//! Undoes encodings for the second search.

use super::super::shape::is_word;

/// The text that the word at a position encodes in hexadecimal digits.
pub(super) fn hexadecimal(text: &[u8], start: usize) -> Option<Vec<u8>> {
    // After `%` it is another encoding.
    if start > 0 && text[start - 1] == b'%' {
        return None;
    }
    let word = text.get(start..)?;
    let length = word.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(word.len());
    if length % 2 == 1 || word.get(length).is_some_and(|&byte| is_word(byte)) {
        return None;
    }
    let digits = std::str::from_utf8(word.get(..length)?).ok()?;
    let is_text = |byte: &u8| (*byte >= b' ' && *byte != 0x7F) || matches!(byte, 0 | b'\n' | b'\t');
    let pairs = (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok().filter(is_text));
    let bytes: Vec<u8> = pairs.collect::<Option<_>>()?;
    std::str::from_utf8(&bytes).is_ok().then_some(bytes)
}

/// The bytes of a run in base64 that begins at its first letter.
pub(super) fn base64(run: &[u8]) -> impl Iterator<Item = u8> {
    run.chunks(4).flat_map(|letters| {
        let sextet = |letter: &u8| u32::from(SEXTETS[usize::from(*letter)]);
        let bits = letters.iter().fold(0, |bits, letter| bits << 6 | sextet(letter));
        let [_, bytes @ ..] = (bits << (6 * (4 - letters.len()))).to_be_bytes();
        bytes.into_iter().take(letters.len() * 6 / 8)
    })
}

/// Whether a run in base64 may encode six of these bytes in a row: two of those are the first ones of their groups of
/// three, and these follow each other.
pub(super) fn may_spell(run: &[u8], bytes: &[bool; 256]) -> bool {
    let mut before = false;
    run.chunks(4).any(|letters| {
        let [first, second, ..] = letters else { return false };
        let sextet = |letter: &u8| SEXTETS[usize::from(*letter)];
        let here = bytes[usize::from(sextet(first) << 2 | sextet(second) >> 4)];
        std::mem::replace(&mut before, here) && here
    })
}

/// The value of each letter in base64.
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

/// The bytes of a list of numbers that ends with a bracket or with the text.
pub(super) fn numbers(text: &[u8]) -> Option<Vec<u8>> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'\t' | b'\n');
    let length = text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len());
    if text.get(length).is_some_and(|&byte| byte != b']') {
        return None;
    }
    let list = std::str::from_utf8(text.get(..length)?).ok()?;
    list.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// The text with escapes undone once; `None` if there are none.
pub(super) fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
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

/// The character with a number, and the length of the escape.
fn number(digits: Option<&[u8]>, radix: u32, length: usize) -> (Option<Vec<u8>>, usize) {
    let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let number = digits
        .and_then(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok());
    let bytes = number.and_then(|number| match u8::try_from(number) {
        // A single byte, which may be part of a character.
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_spells_a_value_may_spell_one(run in "[A-Za-f0-9+/]{8,24}", value in "[ -~]{1,30}") {
            let mut bytes = [false; 256];
            value.bytes().for_each(|byte| bytes[usize::from(byte)] = true);
            let text: Vec<u8> = base64(run.as_bytes()).collect();
            let spells = text.windows(6).any(|six| six.iter().all(|&byte| bytes[usize::from(byte)]));
            prop_assert!(!spells || may_spell(run.as_bytes(), &bytes));
        }
    }
}
