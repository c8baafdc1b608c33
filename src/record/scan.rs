//! A cursor for parsing a line. Independent of envelopes.

use crate::value::Micros;

/// The text before and after the first space.
pub(super) fn cut(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b' ', text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The start of a text, at most `most` bytes.
pub(super) fn head(text: &str, most: usize) -> &str {
    let ends = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..ends.unwrap_or(0)]
}

/// The text with escapes (`mark` and two hexadecimal digits) replaced; `None` if there are none.
pub(super) fn unescaped(text: &str, mark: &str) -> Option<String> {
    let (first, rest) = text.split_once(mark)?;
    let mut bytes = first.as_bytes().to_vec();
    for part in rest.split(mark) {
        let is_byte = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = part.get(..2).filter(is_byte);
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            bytes.extend_from_slice(&part.as_bytes()[2..]);
        } else {
            bytes.extend_from_slice(mark.as_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A position in a text that only advances, at character boundaries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Advances by `read` if it succeeds, else not at all.
    #[inline]
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let found = read(&mut ahead)?;
        *self = ahead;
        Some(found)
    }

    /// The rest of the text.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next bytes, without advancing.
    pub(super) fn peek_chunk<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.bytes().first_chunk()
    }

    /// Skips characters that are known to be ASCII.
    pub(super) fn skip_ascii(&mut self, count: usize) {
        self.at += count;
    }

    /// Skips a text that is known to be here.
    pub(super) fn skip(&mut self, text: &str) {
        debug_assert!(self.rest().starts_with(text), "{text}");
        self.at += text.len();
    }

    /// Skips one ASCII character if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// As [`Self::eat`], for use with `?`.
    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// Skips spaces; returns their number.
    pub(super) fn blanks(&mut self) -> usize {
        let count = self.bytes().iter().take_while(|&&byte| byte == b' ').count();
        self.at += count;
        count
    }

    /// The text up to the next space or the end.
    pub(super) fn word(&mut self) -> &'a str {
        let end = memchr::memchr(b' ', self.bytes()).unwrap_or(self.bytes().len());
        let word = &self.rest()[..end];
        self.at += word.len();
        word
    }

    /// A decimal number of 1 to `limit` digits; `limit` is at most 18.
    pub(super) fn number(&mut self, limit: usize) -> Option<i64> {
        let (value, count) = self.digits(limit);
        self.at += count;
        (count > 0).then_some(value)
    }

    /// The value and number of the next digits, at most `limit`.
    fn digits(&self, limit: usize) -> (i64, usize) {
        let digits = self.bytes().iter().take(limit).take_while(|byte| byte.is_ascii_digit());
        digits.fold((0, 0), |(value, count), byte| (value * 10 + i64::from(byte - b'0'), count + 1))
    }

    /// A number of exactly two digits.
    pub(super) fn pair(&mut self) -> Option<i64> {
        self.exactly(2)
    }

    /// The digits after a decimal mark in microseconds; further digits are ignored.
    pub(super) fn fraction(&mut self) -> Option<i64> {
        let (mut value, count) = self.digits(6);
        (count..6).for_each(|_| value *= 10);
        self.at += self.digits(9).1;
        (count > 0).then_some(value)
    }

    /// Exactly six digits, as printk prints after the point.
    pub(super) fn six(&mut self) -> Option<i64> {
        self.exactly(6)
    }

    fn exactly(&mut self, digits: usize) -> Option<i64> {
        let (value, count) = self.digits(digits);
        (count == digits).then(|| {
            self.at += count;
            value
        })
    }

    /// Seconds with six decimals, `  2649.203914`, as the kernel and readers of its buffer print
    /// them, in some languages with a comma. With fewer decimals they are another program's.
    pub(super) fn seconds(&mut self) -> Option<Micros> {
        self.blanks();
        let seconds = self.number(12)?;
        if !self.eat(b'.') {
            self.expect(b',')?;
        }
        Some(Micros(seconds * 1_000_000 + self.six()?))
    }
}
