//! Splits bytes into lines: handles encoding, line ends and runs of NUL, so that later stages need
//! not. Independent of the meaning of lines.

use std::io::{self, Read};
use std::ops::Range;

use memchr::{memchr, memchr3, memmem, memrchr};

use super::charset::Decoder;
use super::shown::{BYTE_ORDER_MARK, shown};

/// Maximum length of a line in bytes; the rest is counted and dropped.
///
/// A bug tracker that removes line ends turns a whole log into one line, but accepts no more than
/// 64 KiB.
pub const LINE_LIMIT: usize = 256 << 10;

/// Maximum length of a value in the journal (`DATA_SIZE_MAX`, `src/basic/…` of systemd).
const VALUE_LIMIT: u64 = 768 << 20;

/// The size of one read, in bytes.
const BLOCK: usize = 256 << 10;

/// The size of the first read: most pasted logs are shorter.
const FIRST_BLOCK: usize = 32 << 10;

/// Counts what could not be used, so that "nothing found" never hides "nothing read".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines of which a part was dropped.
    pub lines: u64,
    /// Bytes that were dropped.
    pub bytes: u64,
}

/// One line, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its line number, from 1, as in an editor. Several share a number if a run of NUL or a
    /// carriage return divides what an editor shows as one line.
    pub number: u64,
    /// The text without escape sequences, NUL and line ends; invalid UTF-8 is U+FFFD.
    pub text: &'a str,
    /// False if something may be missing before or after it: a run of NUL, the end of the input
    /// without a line end, [`LINE_LIMIT`].
    pub whole: bool,
}

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Newline,
    Return,
    Nul,
    Limit,
    Input,
}

/// The next line in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measured {
    /// Its length and end.
    Line(usize, End),
    /// It was moved to the plain lines, with others.
    Plain,
    /// There is none.
    Nothing,
}

/// Reads an input line by line, with bounded memory.
#[derive(Debug)]
pub struct Lines<R> {
    input: Decoder<R>,
    /// Whole lines that need no conversion, which are nearly all. Validating a block costs far less
    /// than validating each line.
    plain: String,
    /// The start of the next line in `plain`.
    plain_start: usize,
    /// The bytes after the plain lines.
    buffer: Vec<u8>,
    /// The start of the next line in `buffer`.
    start: usize,
    ended: bool,
    /// Whether most lines are skipped, so that converting whole blocks does not pay.
    skims: bool,
    /// How the previous line ended.
    before: End,
    number: u64,
    /// The last line of a binary value that has something in it.
    last_of_value: u64,
    seen_newline: bool,
    skipped: Skipped,
    /// A buffer for lines that need conversion.
    clean: String,
    stripped: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// Starts at the first byte of `reader`.
    pub fn new(reader: R) -> Self {
        Self::of(Decoder::new(reader))
    }

    /// Reads a growing input, which reports [`io::ErrorKind::WouldBlock`] if it has nothing for
    /// now. Its encoding is UTF-8 or similar: detecting others would delay the first line.
    pub fn live(reader: R) -> Self {
        Self::of(Decoder::live(reader))
    }

    fn of(input: Decoder<R>) -> Self {
        Self {
            input,
            plain: String::new(),
            plain_start: 0,
            buffer: Vec::new(),
            start: 0,
            ended: false,
            skims: false,
            before: End::Newline,
            number: 1,
            last_of_value: 0,
            seen_newline: false,
            skipped: Skipped::default(),
            clean: String::new(),
            stripped: Vec::new(),
        }
    }

    /// The underlying reader.
    pub fn reader_mut(&mut self) -> &mut R {
        self.input.reader_mut()
    }

    /// The number of input bytes read so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.input.taken()
    }

    /// The number of lines passed so far that have an end, or are the last one of a binary value.
    pub(crate) fn passed(&self) -> u64 {
        self.last_of_value.max(self.number - 1)
    }

    /// What was dropped so far.
    #[must_use]
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// The next line, or `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of the reader. Lines before the error are returned by the following calls.
    #[allow(clippy::should_implement_trait, reason = "an iterator cannot lend its items")]
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if let Some(range) = self.plain_line() {
                let text = self.plain.get(range).unwrap_or_default();
                return Ok(Some(Line { number: self.number - 1, text, whole: true }));
            }
            let (length, end) = match self.measure()? {
                Measured::Line(length, end) => (length, end),
                Measured::Plain => continue,
                Measured::Nothing => return Ok(None),
            };
            let begin = self.start;
            let number = self.number;
            let before = std::mem::replace(&mut self.before, end);
            self.start += length;
            self.pass(end);
            // The rest of an over-long line is not a line, and neither is nothing between two NULs.
            if before == End::Limit {
                self.skipped.bytes += length as u64;
                continue;
            }
            let beside_nul = before == End::Nul || end == End::Nul;
            if length == 0 && (beside_nul || end == End::Input) {
                continue;
            }
            let whole = !beside_nul && matches!(end, End::Newline | End::Return);
            let bytes = self.buffer.get(begin..begin + length).unwrap_or_default();
            let text = shown(bytes, &mut self.stripped, &mut self.clean);
            return Ok(Some(Line { number, text, whole }));
        }
    }

    /// The number of buffered bytes.
    pub(super) fn waiting(&self) -> usize {
        self.buffer.len() - self.start + self.plain.len() - self.plain_start
    }

    /// From now on most lines are skipped.
    pub(super) fn begin_skimming(&mut self) {
        self.skims = true;
    }

    /// The next buffered byte, if there is one.
    pub(crate) fn next_byte(&self) -> Option<u8> {
        let plain = self.plain.as_bytes().get(self.plain_start);
        plain.or_else(|| self.buffer.get(self.start)).copied()
    }

    /// Whether the input has ended.
    pub(super) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the next byte begins a line; then all buffered bytes are contiguous.
    pub(super) fn begins_line(&mut self) -> bool {
        self.take_back();
        matches!(self.before, End::Newline)
    }

    /// The buffered bytes up to the last line end.
    pub(super) fn whole_lines(&self) -> &[u8] {
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        let end = memrchr(b'\n', rest).map_or(0, |at| at + 1);
        rest.get(..end).unwrap_or_default()
    }

    /// Skips this number of bytes and lines.
    pub(super) fn step_over(&mut self, bytes: usize, lines: u64) {
        self.start += bytes;
        self.number += lines;
        self.seen_newline |= lines > 0;
    }

    /// The range of the next plain line.
    fn plain_line(&mut self) -> Option<Range<usize>> {
        let rest = self.plain.as_bytes().get(self.plain_start..)?;
        let length = memchr(b'\n', rest)?;
        if length > LINE_LIMIT {
            self.take_back();
            return None;
        }
        let begin = self.plain_start;
        self.plain_start += length + 1;
        self.number += 1;
        Some(begin..begin + length)
    }

    /// Moves the rest of the plain lines back to `buffer`.
    fn take_back(&mut self) {
        let rest = self.plain.as_bytes().get(self.plain_start..).unwrap_or_default();
        if !rest.is_empty() {
            self.buffer.splice(..self.start, rest.iter().copied());
            self.start = 0;
        }
        self.plain.clear();
        self.plain_start = 0;
    }

    /// Moves the whole lines of `buffer` to the plain ones if they need no conversion; returns
    /// false otherwise.
    fn take_plain(&mut self) -> bool {
        let fresh =
            !self.skims && self.start == 0 && matches!(self.before, End::Newline | End::Return);
        let Some(last) = memrchr(b'\n', &self.buffer).filter(|_| fresh) else { return false };
        let (lines, rest) = self.buffer.split_at(last + 1);
        if memchr3(b'\r', 0, 0x1B, lines).is_some()
            || memmem::find(lines, BYTE_ORDER_MARK).is_some()
        {
            return false;
        }
        let mut behind = std::mem::take(&mut self.plain).into_bytes();
        behind.clear();
        behind.extend_from_slice(rest);
        self.buffer.truncate(last + 1);
        match String::from_utf8(std::mem::take(&mut self.buffer)) {
            Ok(plain) => {
                self.plain = plain;
                self.plain_start = 0;
                self.buffer = behind;
                self.before = End::Newline;
                self.seen_newline = true;
                true
            }
            Err(error) => {
                self.buffer = error.into_bytes();
                self.buffer.append(&mut behind);
                false
            }
        }
    }

    /// Reads a length-prefixed value, as in the journal's export format: eight bytes
    /// (little-endian), then the value and a line end. `None` if the length is impossible; then
    /// nothing is consumed.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn binary(&mut self) -> io::Result<Option<String>> {
        self.take_back();
        while self.buffer.len() < self.start + 8 && !self.ended {
            self.read_on()?;
        }
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        let Some(length) = rest.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)) else {
            return Ok(None);
        };
        if length > VALUE_LIMIT {
            return Ok(None);
        }
        // The length may have a byte that is a line end to an editor.
        let prefix = rest.get(..8).unwrap_or_default();
        let mut tail = Tail::default();
        self.number += tail.pass(prefix);
        self.start += 8;
        let value = self.counted(length, &mut tail)?;
        if tail.has_content {
            self.last_of_value = self.number;
        }
        if self.buffer.len() == self.start && !self.ended {
            self.read_on()?;
        }
        if self.buffer.get(self.start) == Some(&b'\n') {
            self.start += 1;
            self.number += 1;
        }
        let shown = shown(&value, &mut self.stripped, &mut self.clean);
        Ok(Some(shown.replace('\0', "")))
    }

    /// The next `length` bytes, as far as they are kept.
    fn counted(&mut self, mut length: u64, tail: &mut Tail) -> io::Result<Vec<u8>> {
        let mut value = Vec::new();
        while length > 0 {
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            let there = usize::try_from(length).unwrap_or(usize::MAX).min(rest.len());
            if there == 0 {
                if self.ended {
                    break;
                }
                self.read_on()?;
                continue;
            }
            let taken = rest.get(..there).unwrap_or_default();
            let kept = taken.len().min(LINE_LIMIT - value.len());
            value.extend_from_slice(taken.get(..kept).unwrap_or_default());
            self.number += tail.pass(taken);
            self.skipped.bytes += (there - kept) as u64;
            self.start += there;
            length -= there as u64;
        }
        Ok(value)
    }

    /// Finds the end of the line at `start`; reads as far as necessary.
    fn measure(&mut self) -> io::Result<Measured> {
        let mut searched = 0;
        loop {
            let bytes = self.buffer.get(self.start..).unwrap_or_default();
            let unseen = bytes.get(searched..).unwrap_or_default();
            let found = memchr3(b'\n', b'\r', 0, unseen).map(|at| searched + at);
            let length = found.unwrap_or(bytes.len());
            if self.before != End::Limit && length > LINE_LIMIT {
                return Ok(Measured::Line(boundary(bytes), End::Limit));
            }
            if let Some(at) = found {
                match (bytes.get(at), bytes.get(at + 1)) {
                    (Some(b'\n'), _) | (Some(b'\r'), Some(b'\n')) => {
                        return Ok(Measured::Line(at, End::Newline));
                    }
                    (Some(b'\r'), None) if !self.ended => {}
                    (Some(b'\r'), _) => return Ok(Measured::Line(at, End::Return)),
                    _ => return Ok(Measured::Line(at, End::Nul)),
                }
            } else if self.ended {
                let nothing = bytes.is_empty();
                return Ok(if nothing {
                    Measured::Nothing
                } else {
                    Measured::Line(length, End::Input)
                });
            }
            // A line that is dropped need not be kept.
            searched = if self.before == End::Limit && found.is_none() {
                self.skipped.bytes += length as u64;
                self.start += length;
                0
            } else {
                length
            };
            self.read_on()?;
            if self.take_plain() {
                return Ok(Measured::Plain);
            }
        }
    }

    pub(super) fn read_on(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let block = if self.input.taken() == 0 { FIRST_BLOCK } else { BLOCK };
        match self.input.read(&mut self.buffer, block) {
            Ok(more) => {
                self.ended = !more;
                Ok(())
            }
            // There may be more later.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(error),
            Err(error) => {
                // What was read before the error can still be used.
                self.ended = true;
                Err(error)
            }
        }
    }

    /// Skips the line end.
    fn pass(&mut self, end: End) {
        match end {
            End::Newline => {
                let pair = self.buffer.get(self.start) == Some(&b'\r');
                self.start += 1 + usize::from(pair);
                self.number += 1;
                self.seen_newline = true;
            }
            End::Return => {
                self.start += 1;
                // Editors count a lone carriage return only if the file has no other line ends.
                self.number += u64::from(!self.seen_newline);
            }
            End::Nul => {
                let rest = self.buffer.get(self.start..).unwrap_or_default();
                let run = rest.iter().take_while(|&&byte| byte == 0).count();
                self.start += run;
                self.skipped.bytes += run as u64;
            }
            End::Limit => self.skipped.lines += 1,
            End::Input => {}
        }
    }
}

/// The bytes of a binary value after its last line end, which an editor shows as a line if there is
/// something in it; what counts as something is as in [`Lines::next`].
#[derive(Debug)]
struct Tail {
    last: u8,
    has_content: bool,
}

impl Default for Tail {
    /// A value begins after a line end.
    fn default() -> Self {
        Self { last: b'\n', has_content: false }
    }
}

impl Tail {
    /// Passes bytes; returns the number of line ends.
    fn pass(&mut self, bytes: &[u8]) -> u64 {
        let after = memrchr(b'\n', bytes).unwrap_or(0);
        for byte in bytes.get(after..).unwrap_or_default() {
            self.has_content = match (byte, self.last) {
                (b'\n', _) => false,
                (0, _) | (b'\r', b'\n' | 0) => self.has_content,
                _ => true,
            };
            self.last = *byte;
        }
        memchr::memchr_iter(b'\n', bytes).count() as u64
    }
}

/// Where to cut a line of more than [`LINE_LIMIT`] bytes: at a character boundary.
fn boundary(bytes: &[u8]) -> usize {
    let inside = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (LINE_LIMIT - 3..=LINE_LIMIT).rev().find(|at| !inside(at)).unwrap_or(LINE_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by fuzzing: a value at the end of the input was no line, and a line end in the length
    /// was not counted.
    #[test]
    fn the_lines_of_a_binary_value_are_those_of_an_editor() {
        let lines = |length: u64, rest: &[u8]| {
            let bytes = [&length.to_le_bytes(), rest].concat();
            let mut lines = Lines::new(&*bytes);
            assert!(lines.binary().unwrap().is_some());
            assert!(lines.next().unwrap().is_none());
            lines.passed()
        };
        assert_eq!(lines(3, b"abc\n"), 1);
        assert_eq!(lines(3, b"abc"), 1, "without a line end");
        assert_eq!(lines(0, b""), 0, "NUL alone, which is the length");
        assert_eq!(lines(3, b"ab\n"), 1, "in the value");
        assert_eq!(lines(9000, b"a\nb"), 2, "cut off");
        assert_eq!(lines(10, b"0123456789\n"), 2, "one in the length");
        // As in a text: a run of NUL, and the second byte of a line end, are nothing.
        assert_eq!(lines(9000, b"a\n\0\0"), 1, "NUL after the last line end");
        assert_eq!(lines(9000, b"a\n\r"), 1, "a line end of two bytes");
        assert_eq!(lines(9000, b"a\n\0b\0"), 2, "NUL around something");
        assert_eq!(lines(2, b"ab\0"), 1, "NUL after the value");
    }

    /// A reader that returns one byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            (&mut self.0).take(1).read(buffer)
        }
    }

    fn all(reader: impl Read) -> (Vec<(u64, String, bool)>, Skipped, u64) {
        let mut lines = Lines::new(reader);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push((line.number, line.text.to_owned(), line.whole));
        }
        (found, lines.skipped(), lines.bytes())
    }

    #[test]
    fn lines_end_in_many_ways() {
        let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for (bytes, want) in [
            (b"a\nb\r\nc\n".to_vec(), vec![(1, "a", true), (2, "b", true), (3, "c", true)]),
            (
                b"a\rb\r\rc".to_vec(),
                vec![(1, "a", true), (2, "b", true), (3, "", true), (4, "c", false)],
            ),
            // An editor shows a progress bar as one line.
            (
                b"x\n10%\r20%\ny\n".to_vec(),
                vec![(1, "x", true), (2, "10%", true), (2, "20%", true), (3, "y", true)],
            ),
            (b"a\n\nb".to_vec(), vec![(1, "a", true), (2, "", true), (3, "b", false)]),
            (b"a\0\0\0b\nc\n".to_vec(), vec![(1, "a", false), (1, "b", false), (2, "c", true)]),
            (b"\0\0a\n\0\0".to_vec(), vec![(1, "a", false)]),
            (b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n".to_vec(), vec![(1, "a", true), (2, "b", true)]),
            (b"caf\xE9\n".to_vec(), vec![(1, "caf\u{FFFD}", true)]),
            (
                utf16("[ 1.0] \u{1F680} e\r\nb\r\n"),
                vec![(1, "[ 1.0] \u{1F680} e", true), (2, "b", true)],
            ),
            ([b"\xFF\xFE".to_vec(), utf16("a\n"), b"b".to_vec()].concat(), vec![(1, "a", true)]),
            (Vec::new(), vec![]),
        ] {
            let want: Vec<_> = want
                .into_iter()
                .map(|(number, text, whole)| (number, text.to_owned(), whole))
                .collect();
            for found in [all(bytes.as_slice()), all(Drops(&bytes))] {
                assert_eq!(found.0, want, "{bytes:?}");
                assert_eq!(found.2, bytes.len() as u64, "{bytes:?}");
            }
        }
    }

    /// Reading blocks gives the same result as reading single lines.
    #[test]
    fn one_odd_line_changes_no_other() {
        let ordinary = |from: usize| {
            let line = |at: usize| format!("[{at:5}.000000] ordinary line, caf\u{E9}\n");
            (from..from + 3 * BLOCK / 32).map(line).collect::<String>().into_bytes()
        };
        let long = [b"x".repeat(LINE_LIMIT + 1), b"\n".to_vec()].concat();
        for odd in [
            b"a\r\n".as_slice(),
            b"10%\r20%\n",
            b"a\0\0b\n",
            b"\0",
            b"\x1b[1mred\x1b[0m\n",
            b"caf\xE9\n",
            BYTE_ORDER_MARK,
            b"\n\n",
            &long,
        ] {
            let bytes = [ordinary(0), odd.to_vec(), ordinary(70_000)].concat();
            let (found, reference) = (all(bytes.as_slice()), all(Drops(&bytes)));
            assert!(found == reference, "{:?}", String::from_utf8_lossy(odd));
        }
    }

    #[test]
    fn an_endless_line_uses_bounded_memory() {
        let long = "é".repeat(LINE_LIMIT);
        let text = format!("x{long}\nnext\n");
        for (found, skipped, _) in [all(text.as_bytes()), all(Drops(text.as_bytes()))] {
            assert_eq!(found[0].1.len(), LINE_LIMIT - 1);
            assert_eq!(found[1], (2, "next".to_owned(), true));
            assert_eq!(skipped, Skipped { lines: 1, bytes: LINE_LIMIT as u64 + 2 });
        }
        let mut lines = Lines::new(io::repeat(b'x').take(50 << 20));
        while lines.next().unwrap().is_some() {}
        assert!(lines.buffer.capacity() < 8 * BLOCK, "{}", lines.buffer.capacity());
        assert_eq!(lines.skipped().bytes, (50 << 20) - LINE_LIMIT as u64);
    }
}
