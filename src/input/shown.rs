//! Converts the bytes of a line to text: removes terminal escape sequences, and marks invalid
//! UTF-8.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Cleans a text that is not from a line: removes escape sequences and NUL.
#[must_use]
pub fn plain_text(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr2(0x1B, 0, text.as_bytes()).is_none() {
        return text;
    }
    let mut stripped = Vec::new();
    strip(text.as_bytes(), &mut stripped);
    stripped.retain(|&byte| byte != 0);
    Cow::Owned(String::from_utf8_lossy(&stripped).into_owned())
}

/// The line as text; unchanged if possible.
pub(super) fn shown<'a>(
    mut bytes: &'a [u8],
    stripped: &'a mut Vec<u8>,
    clean: &'a mut String,
) -> &'a str {
    while let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK) {
        bytes = rest;
    }
    if memchr(0x1B, bytes).is_some() {
        strip(bytes, stripped);
        bytes = stripped;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text;
    }
    clean.clear();
    for chunk in bytes.utf8_chunks() {
        clean.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            clean.push(char::REPLACEMENT_CHARACTER);
        }
    }
    clean
}

/// Removes escape sequences: colours and cursor movements (`ESC [`), titles and links (`ESC ]`),
/// character sets (`ESC (`) and others (ECMA-48, 5.4 and 5.6).
fn strip(mut bytes: &[u8], into: &mut Vec<u8>) {
    into.clear();
    while let Some(at) = memchr(0x1B, bytes) {
        let (before, code) = bytes.split_at(at);
        into.extend_from_slice(before);
        bytes = code.get(code_length(code)..).unwrap_or_default();
    }
    into.extend_from_slice(bytes);
}

/// The length of the escape sequence at the start of `code`, including `ESC`.
fn code_length(code: &[u8]) -> usize {
    let body = code.get(2..).unwrap_or_default();
    match code.get(1) {
        Some(b'[') => {
            let inner = body.iter().take_while(|byte| (0x20..=0x3F).contains(*byte)).count();
            let last = body.get(inner).is_some_and(|byte| (0x40..=0x7E).contains(byte));
            2 + inner + usize::from(last)
        }
        Some(b']' | b'P' | b'^' | b'_' | b'X') => match memchr2(0x07, 0x1B, body) {
            Some(at) if body.get(at) == Some(&0x07) => 3 + at,
            Some(at) if body.get(at + 1) == Some(&b'\\') => 4 + at,
            Some(at) => 2 + at,
            // Without its terminator the sequence would extend to the end of the line.
            None => 2,
        },
        Some(b'(' | b')' | b'*' | b'+' | b'#' | b'%' | b' ') => 2 + usize::from(!body.is_empty()),
        Some(0x30..=0x7E) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_codes_are_left_out() {
        for (line, want) in [
            ("\x1b[0;1;31mred\x1b[0m", "red"),
            ("\x1b]0;title\x07a\x1b]8;;link\x1b\\b", "ab"),
            ("\x1b(Ba\x1b7b\x1b", "ab"),
            ("\x1b]never closed", "never closed"),
            ("\x1b[é", "é"),
        ] {
            assert_eq!(plain_text(Cow::Borrowed(line)), want, "{line:?}");
            assert_eq!(shown(line.as_bytes(), &mut Vec::new(), &mut String::new()), want);
        }
    }
}
