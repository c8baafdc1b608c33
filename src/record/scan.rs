//! A place in a line, and the few steps that reading an envelope takes. Knows no envelope.

use crate::value::Micros;

/// The text before and behind the first blank.
pub(super) fn cut(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b' ', text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The beginning of a text, so many bytes at most.
pub(super) fn head(text: &str, most: usize) -> &str {
    let ends = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..ends.unwrap_or(0)]
}

/// The text with the bytes that are written as `mark` and two hexadecimal digits; nothing where none is.
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

/// A place in a text that moves only forward and only between characters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Takes the steps of `read` where it succeeds, and none where it does not.
    #[inline]
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut ahead = *self;
        let found = read(&mut ahead)?;
        *self = ahead;
        Some(found)
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next bytes, without a step.
    pub(super) fn peek_chunk<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.bytes().first_chunk()
    }

    /// Steps over characters that were seen to be ASCII.
    pub(super) fn skip_ascii(&mut self, count: usize) {
        self.at += count;
    }

    /// Steps over a text that was seen to stand here.
    pub(super) fn skip(&mut self, text: &str) {
        debug_assert!(self.rest().starts_with(text), "{text}");
        self.at += text.len();
    }

    /// Steps over one ASCII character.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// As [`Self::eat`], for use with `?`.
    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    /// Steps over blanks and says how many they were.
    pub(super) fn blanks(&mut self) -> usize {
        let count = self.bytes().iter().take_while(|&&byte| byte == b' ').count();
        self.at += count;
        count
    }

    /// The text up to the next blank or the end.
    pub(super) fn word(&mut self) -> &'a str {
        let end = memchr::memchr(b' ', self.bytes()).unwrap_or(self.bytes().len());
        let word = &self.rest()[..end];
        self.at += word.len();
        word
    }

    /// A decimal number of one to `limit` digits; `limit` is 18 at most.
    pub(super) fn number(&mut self, limit: usize) -> Option<i64> {
        let (value, count) = self.digits(limit);
        self.at += count;
        (count > 0).then_some(value)
    }

    /// The value and the number of the digits that stand here, `limit` at most.
    fn digits(&self, limit: usize) -> (i64, usize) {
        let digits = self.bytes().iter().take(limit).take_while(|byte| byte.is_ascii_digit());
        digits.fold((0, 0), |(value, count), byte| (value * 10 + i64::from(byte - b'0'), count + 1))
    }

    /// A number of exactly two digits.
    pub(super) fn pair(&mut self) -> Option<i64> {
        self.exactly(2)
    }

    /// The digits behind a decimal mark as microseconds; what is finer is passed over.
    pub(super) fn fraction(&mut self) -> Option<i64> {
        let (mut value, count) = self.digits(6);
        (count..6).for_each(|_| value *= 10);
        self.at += self.digits(9).1;
        (count > 0).then_some(value)
    }

    /// Exactly six digits, as printk writes them behind the point.
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

    /// Seconds with six decimals, `  2649.203914`, as the kernel and those who read its buffer print
    /// them; some languages write a comma. With fewer they are another program's.
    pub(super) fn seconds(&mut self) -> Option<Micros> {
        self.blanks();
        let seconds = self.number(12)?;
        if !self.eat(b'.') {
            self.expect(b',')?;
        }
        Some(Micros(seconds * 1_000_000 + self.six()?))
    }
}
