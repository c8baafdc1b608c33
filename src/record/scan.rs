//! A place in a line, and the few steps that reading an envelope takes. Knows no envelope.

use crate::value::Micros;

/// The text before and behind the first blank.
pub(super) fn cut(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b' ', text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
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

    /// What is left.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
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
        let word = self.rest().get(..end).unwrap_or_default();
        self.at += word.len();
        word
    }

    /// A decimal number of one to `limit` digits; `limit` is 18 at most.
    pub(super) fn number(&mut self, limit: usize) -> Option<i64> {
        let mut value = 0;
        let mut count = 0;
        for &byte in self.bytes().iter().take(limit) {
            if !byte.is_ascii_digit() {
                break;
            }
            value = value * 10 + i64::from(byte - b'0');
            count += 1;
        }
        self.at += count;
        (count > 0).then_some(value)
    }

    /// A number of exactly two digits.
    pub(super) fn pair(&mut self) -> Option<i64> {
        let &[tens, ones, ..] = self.bytes() else { return None };
        if !tens.is_ascii_digit() || !ones.is_ascii_digit() {
            return None;
        }
        self.at += 2;
        Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
    }

    /// The digits behind a decimal mark as microseconds; what is finer is passed over.
    pub(super) fn fraction(&mut self) -> Option<i64> {
        let mut value = 0;
        let mut count = 0;
        for &byte in self.bytes().iter().take(9) {
            if !byte.is_ascii_digit() {
                break;
            }
            if count < 6 {
                value = value * 10 + i64::from(byte - b'0');
            }
            count += 1;
        }
        self.at += count;
        (count..6).for_each(|_| value *= 10);
        (count > 0).then_some(value)
    }

    /// Exactly six digits, as printk writes them behind the point.
    pub(super) fn six(&mut self) -> Option<i64> {
        let digits: &[u8; 6] = self.bytes().first_chunk()?;
        let mut value = 0;
        for &byte in digits {
            if !byte.is_ascii_digit() {
                return None;
            }
            value = value * 10 + i64::from(byte - b'0');
        }
        self.at += digits.len();
        Some(value)
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
