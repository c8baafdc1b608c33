//! Converts UTF-16 to UTF-8, block by block. Independent of lines.

use std::io::{self, Read};

/// The number of bytes that determine the encoding.
pub(super) const DECIDING: usize = 64;

/// The encoding of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    /// UTF-8, or similar enough to be read as such.
    Utf8,
    /// UTF-16 with the low byte first, as a redirection in a Windows shell writes it.
    Utf16Le,
    /// UTF-16 with the high byte first.
    Utf16Be,
}

impl Charset {
    /// Determines the encoding from the byte order mark or the positions of NUL bytes.
    pub(super) fn of(head: &[u8]) -> Self {
        let head = head.get(..DECIDING).unwrap_or(head);
        if head.starts_with(b"\xFF\xFE") {
            return Self::Utf16Le;
        }
        if head.starts_with(b"\xFE\xFF") {
            return Self::Utf16Be;
        }
        let nul =
            |parity: usize| head.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
        let (even, odd) = (nul(0), nul(1));
        let pairs = head.len() / 2;
        // Characters outside Latin-1 have no NUL byte, so nearly all is sufficient.
        if pairs >= 2 && even == 0 && odd * 8 >= pairs * 7 {
            Self::Utf16Le
        } else if pairs >= 2 && odd == 0 && even * 8 >= pairs * 7 {
            Self::Utf16Be
        } else {
            Self::Utf8
        }
    }
}

/// Converts an input of any [`Charset`] to UTF-8.
#[derive(Debug)]
pub(super) struct Decoder<R> {
    reader: R,
    charset: Option<Charset>,
    /// Whether what is there is taken at once, because more may come late.
    live: bool,
    /// Bytes that were read and not converted yet.
    raw: Vec<u8>,
    taken: u64,
}

impl<R: Read> Decoder<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, charset: None, live: false, raw: Vec::new(), taken: 0 }
    }

    /// For a growing input that is known to be UTF-8, or similar enough.
    pub(super) fn live(reader: R) -> Self {
        Self { charset: Some(Charset::Utf8), live: true, ..Self::new(reader) }
    }

    pub(super) fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The number of bytes read from the input.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Appends about `block` bytes to `into`; returns false at the end.
    pub(super) fn read(&mut self, into: &mut Vec<u8>, block: usize) -> io::Result<bool> {
        let charset = match self.charset {
            Some(charset) => charset,
            None => self.decide(block)?,
        };
        if charset == Charset::Utf8 {
            if !self.raw.is_empty() {
                into.append(&mut self.raw);
                return Ok(true);
            }
            let before = into.len();
            let outcome = if self.live {
                fill(&mut self.reader, into, block)
            } else {
                // This does not clear the memory before.
                self.reader.by_ref().take(block as u64).read_to_end(into)
            };
            self.taken += (into.len() - before) as u64;
            return outcome.map(|count| count > 0);
        }
        let count = fill(&mut self.reader, &mut self.raw, block)?;
        self.taken += count as u64;
        self.decode(charset, into, count == 0);
        Ok(count > 0)
    }

    fn decide(&mut self, block: usize) -> io::Result<Charset> {
        while self.raw.len() < DECIDING {
            let count = fill(&mut self.reader, &mut self.raw, block)?;
            self.taken += count as u64;
            if count == 0 {
                break;
            }
        }
        let charset = Charset::of(&self.raw);
        self.charset = Some(charset);
        Ok(charset)
    }

    fn decode(&mut self, charset: Charset, into: &mut Vec<u8>, last: bool) {
        let unit = |pair: &[u8]| match (charset, pair) {
            (Charset::Utf16Be, &[high, low]) | (_, &[low, high]) => u16::from_be_bytes([high, low]),
            _ => 0xFFFD,
        };
        let mut whole = self.raw.len() & !1;
        // The second half of a surrogate pair may be in the next block.
        let end = self.raw.get(whole.saturating_sub(2)..whole).unwrap_or_default();
        if !last && (0xD800..0xDC00).contains(&unit(end)) {
            whole -= 2;
        }
        let units = self.raw.get(..whole).unwrap_or_default().chunks_exact(2).map(unit);
        for character in char::decode_utf16(units) {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.raw.drain(..whole);
        if last {
            self.raw.clear();
        }
    }
}

/// Reads an input of any encoding as UTF-8.
#[derive(Debug)]
pub struct Utf8<R> {
    input: Decoder<R>,
    buffer: Vec<u8>,
    taken: usize,
}

impl<R: Read> Utf8<R> {
    /// Starts at the first byte of `reader`.
    pub fn new(reader: R) -> Self {
        Self { input: Decoder::new(reader), buffer: Vec::new(), taken: 0 }
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        const BLOCK: usize = 64 << 10;
        while self.taken == self.buffer.len() {
            self.buffer.clear();
            self.taken = 0;
            if !self.input.read(&mut self.buffer, BLOCK)? && self.buffer.is_empty() {
                return Ok(0);
            }
        }
        let count = self.buffer.get(self.taken..).unwrap_or_default().read(into)?;
        self.taken += count;
        Ok(count)
    }
}

/// One read, repeated if it is interrupted by a signal.
fn fill(reader: &mut impl Read, into: &mut Vec<u8>, block: usize) -> io::Result<usize> {
    let start = into.len();
    into.resize(start + block, 0);
    loop {
        let room = into.get_mut(start..).unwrap_or_default();
        match reader.read(room) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => {
                into.truncate(start + outcome.as_ref().map_or(0, |&count| count.min(block)));
                return outcome;
            }
        }
    }
}
