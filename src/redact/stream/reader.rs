//! Reads a log line by line: long lines in windows, and fields of the journal's formats as a whole.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use super::super::json;
use super::{Cut, Pass, SEAM, floor_boundary};

/// Maximum length of a line that is processed as a whole, and length of the windows of longer ones.
const WINDOW: usize = 1 << 20;
/// Maximum length of a field in the journal's export format; longer ones are omitted.
const FIELD: u64 = WINDOW as u64;
/// Maximum length of a field in the journal (`DATA_SIZE_MAX` in systemd's `journal-importer.h`).
const LONGEST_FIELD: u64 = 768 << 20;

/// Maximum number of bytes that are checked at once.
const BLOCK: usize = 256 << 10;
/// Begins an entry of the journal's export format.
const CURSOR: &str = "__CURSOR=";

/// Reads a log part by part.
pub(super) struct Reader<R> {
    log: R,
    number: u64,
    /// Whether it is inside an entry of the journal's export format.
    exported: bool,
    line: Vec<u8>,
    /// Number of bytes that are read line by line before many lines are read at once again.
    slow: usize,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(log: R) -> Self {
        Self { log, number: 1, exported: false, line: Vec::new(), slow: 0 }
    }

    pub(super) fn run(mut self, pass: &mut impl Pass) -> io::Result<()> {
        loop {
            if self.slow == 0 && !self.exported {
                self.plain_lines(pass)?;
            }
            let ended = self.read_line()?;
            if self.line.is_empty() {
                return Ok(());
            }
            self.slow = self.slow.saturating_sub(self.line.len());
            if !ended && self.line.len() >= WINDOW {
                self.long(pass)?;
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let (text, end) = parted(&line);
            // Nearly all lines are UTF-8, and checking that first is faster.
            let text = std::str::from_utf8(text)
                .map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
            if text.ends_with('[') && json::is_json(&text) && !end.is_empty() {
                let head = text.into_owned() + &String::from_utf8_lossy(end);
                self.list(&head, pass)?;
            } else {
                short(&text, self.number, pass)?;
                pass.raw(end)?;
                self.number += 1;
                self.after(&text, pass)?;
            }
            self.line = line;
        }
    }

    /// The complete lines that were read from the file already, as long as they are UTF-8 and tell nothing of what
    /// comes behind them. All of them are checked and none is copied, which takes less time than line by line.
    fn plain_lines(&mut self, pass: &mut impl Pass) -> io::Result<()> {
        let Ok(block) = self.log.fill_buf() else {
            // Reading the line fails in the same way, or works.
            return Ok(());
        };
        let block = &block[..block.len().min(BLOCK)];
        let length = memchr::memrchr(b'\n', block).map_or(0, |at| at + 1);
        let mut done = 0;
        if let Ok(text) = std::str::from_utf8(&block[..length]) {
            let is_divided = memchr::memchr2(b'\r', 0, text.as_bytes()).is_some();
            for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
                let (line, behind) = text[done..=end].split_at(parted(&block[done..=end]).0.len());
                if line.starts_with('_') && line.starts_with(CURSOR) || line.ends_with('[') {
                    break;
                }
                if is_divided {
                    short(line, self.number, pass)?;
                } else {
                    pass.text(line, 0..line.len(), self.number)?;
                }
                pass.raw(behind.as_bytes())?;
                self.number += 1;
                done = end + 1;
            }
        }
        self.log.consume(done);
        // What was checked in vain is not checked again.
        self.slow = length - done;
        Ok(())
    }

    /// Reads up to the end of a line, or as much as is looked at as a whole; whether the line has its end.
    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.read_more()
    }

    fn read_more(&mut self) -> io::Result<bool> {
        while self.line.len() < WINDOW {
            let block = match self.log.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                block => block?,
            };
            if block.is_empty() {
                return Ok(false);
            }
            let room = block.len().min(WINDOW - self.line.len());
            let end = memchr::memchr(b'\n', &block[..room]);
            let length = end.map_or(room, |at| at + 1);
            self.line.extend_from_slice(&block[..length]);
            self.log.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A line that is longer than a window. Windows overlap, and no value is cut. If a value does not end in its
    /// window, the rest of the line is omitted.
    fn long(&mut self, pass: &mut impl Pass) -> io::Result<()> {
        let mut done = 0;
        loop {
            let ended = self.line.ends_with(b"\n");
            let more = !ended && self.line.len() >= WINDOW;
            let (text, end) = parted(&self.line);
            let text = String::from_utf8_lossy(text).replace(['\r', '\0'], " ");
            if !more {
                pass.text(&text, done.min(text.len())..text.len(), self.number)?;
                pass.raw(end)?;
                self.number += 1;
                return Ok(());
            }
            let cut = match pass.cut(&text, text.len() - SEAM) {
                Cut::At(cut) => cut.max(done),
                Cut::Never => {
                    pass.text(&text, done..text.len(), self.number)?;
                    self.omit_rest()?;
                    done = 0;
                    continue;
                }
            };
            pass.text(&text, done..cut, self.number)?;
            let from = floor_boundary(&text, cut.saturating_sub(SEAM));
            done = cut - from;
            self.line = text.as_bytes()[from..].to_vec();
            self.read_more()?;
        }
    }

    /// Reads up to the end of the line, and keeps only that.
    fn omit_rest(&mut self) -> io::Result<()> {
        while self.line.len() >= WINDOW && !self.line.ends_with(b"\n") {
            self.line.clear();
            self.read_more()?;
        }
        let ends = self.line.ends_with(b"\n");
        self.line.clear();
        self.line.extend(ends.then_some(b'\n'));
        Ok(())
    }

    /// What a line of the journal's export form says of what comes behind it.
    fn after(&mut self, line: &str, pass: &mut impl Pass) -> io::Result<()> {
        if line.starts_with(CURSOR) {
            self.exported = true;
        } else if line.is_empty() {
            self.exported = false;
        }
        let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        if !self.exported || line.is_empty() || !line.bytes().all(is_name) {
            return Ok(());
        }
        let mut length = [0; 8];
        let got = fill(&mut self.log, &mut length)?;
        let count = u64::from_le_bytes(length);
        if got < length.len() || count > LONGEST_FIELD {
            // No length: the text goes on.
            let head = String::from_utf8_lossy(&length[..got]);
            return short(&head, self.number, pass);
        }
        let mut text = format!("{line}=").into_bytes();
        let name = text.len();
        let kept = if count <= FIELD { count } else { 0 };
        io::Read::take(&mut self.log, kept).read_to_end(&mut text)?;
        io::copy(&mut io::Read::take(&mut self.log, count - kept), &mut io::sink())?;
        let text = String::from_utf8_lossy(&text);
        self.number += text.matches('\n').count() as u64;
        pass.field(&text, name, self.number)
    }

    /// The bytes of a message, each on a line of its own, as `journalctl -o json-pretty` writes them.
    fn list(&mut self, head: &str, pass: &mut impl Pass) -> io::Result<()> {
        let (mut lines, mut text) = (Vec::new(), head.trim_end().to_owned());
        let first = self.number;
        self.number += 1;
        pass.raw(head.as_bytes())?;
        while text.len() < WINDOW {
            let room = self.log.fill_buf()?;
            if !begins_number(room) {
                break;
            }
            self.read_line()?;
            self.number += 1;
            let line = String::from_utf8_lossy(&self.line).into_owned();
            text.push_str(line.trim());
            lines.push(line);
        }
        if lines.is_empty() {
            return Ok(());
        }
        text.push(']');
        pass.list(&lines, &text, first)
    }
}

/// A line of the file. Carriage returns and NUL also divide it, as for whoever reads records.
fn short(line: &str, number: u64, pass: &mut impl Pass) -> io::Result<()> {
    let mut rest = line;
    while let Some(at) = memchr::memchr2(b'\r', 0, rest.as_bytes()) {
        let (text, behind) = rest.split_at(at);
        pass.text(text, 0..text.len(), number)?;
        let (mark, behind) = behind.split_at(1);
        pass.raw(mark.as_bytes())?;
        rest = behind;
    }
    pass.text(rest, 0..rest.len(), number)
}

/// Whether the next line is one of a list of numbers.
fn begins_number(block: &[u8]) -> bool {
    let line = block.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    line.and_then(|at| block.get(at)).is_some_and(u8::is_ascii_digit)
}

/// A line and its end.
fn parted(line: &[u8]) -> (&[u8], &[u8]) {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    line.split_at(text.len())
}

fn fill(log: &mut impl BufRead, into: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < into.len() {
        match log.read(&mut into[got..]) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
