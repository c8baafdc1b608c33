//! A log from its first byte to its last, in whatever format: each line comes out as it came in, but for
//! tokens. What is no UTF-8 becomes U+FFFD, as amdtriage reads it.

use std::io::{self, BufRead, Read as _, Write};
use std::ops::Range;

use super::{Found, Leftover, Redactor, json};

/// How long a line may be that is looked at as a whole; of a longer one as much at once.
const WINDOW: usize = 1 << 20;
/// How much of a longer line is looked at again, so that nothing is lost where it is cut.
const SEAM: usize = 16 << 10;
/// How long a value of the journal's export form may be; what is longer is left out.
const FIELD: u64 = WINDOW as u64;
/// The longest that the journal has (`DATA_SIZE_MAX` in systemd's `journal-importer.h`).
const LONGEST_FIELD: u64 = 768 << 20;

/// What is done with a log.
trait Pass {
    /// Takes a part of a line; all of it but for long ones. `part` is what is new of it.
    fn text(&mut self, line: &str, part: Range<usize>, number: u64) -> io::Result<()>;
    /// Takes what is no text: ends of lines.
    fn raw(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Takes a value of the export form; `text` is its name, `=` and itself.
    fn field(&mut self, text: &str, value: usize, number: u64) -> io::Result<()>;
    /// Takes the lines of a list of bytes; `text` is the list on one line.
    fn list(&mut self, lines: &[String], text: &str, number: u64) -> io::Result<()>;
    /// Where a long line may be cut before `end`.
    fn cut(&mut self, line: &str, end: usize) -> usize;
}

/// Shows all of a log to the redactor.
///
/// # Errors
/// Those of the reader.
pub fn learn(redactor: &mut Redactor, log: impl BufRead) -> io::Result<()> {
    Reader::new(log).run(&mut Learning(redactor))
}

/// Writes the log with tokens in the place of what is private.
///
/// # Errors
/// Those of the reader and of the writer.
pub fn redact(redactor: &mut Redactor, log: impl BufRead, out: impl Write) -> io::Result<()> {
    Reader::new(log).run(&mut Redacting { redactor, out, text: String::new() })
}

/// Something private, and its line, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// What it is and where in the line.
    pub left: Leftover,
}

/// Calls `found` with all that is left in a log that was redacted.
///
/// # Errors
/// Those of the reader.
pub fn leftovers(
    redactor: &Redactor,
    log: impl BufRead,
    found: &mut dyn FnMut(Place),
) -> io::Result<()> {
    let look = &mut |line: &str| redactor.leftovers(line);
    Reader::new(log).run(&mut Looking { look, found })
}

/// Calls `found` with all that would be replaced in a log.
///
/// # Errors
/// Those of the reader.
pub fn private(
    redactor: &mut Redactor,
    log: impl BufRead,
    found: &mut dyn FnMut(Place),
) -> io::Result<()> {
    let look = &mut |line: &str| redactor.found_in(line);
    Reader::new(log).run(&mut Looking { look, found })
}

struct Learning<'r>(&'r mut Redactor);

impl Pass for Learning<'_> {
    fn text(&mut self, line: &str, _: Range<usize>, _: u64) -> io::Result<()> {
        self.0.learn(line);
        Ok(())
    }

    fn raw(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn field(&mut self, text: &str, _: usize, _: u64) -> io::Result<()> {
        self.0.learn(text);
        Ok(())
    }

    fn list(&mut self, _: &[String], text: &str, _: u64) -> io::Result<()> {
        self.0.learn(text);
        Ok(())
    }

    fn cut(&mut self, line: &str, end: usize) -> usize {
        blank(line, end)
    }
}

struct Redacting<'r, W> {
    redactor: &'r mut Redactor,
    out: W,
    text: String,
}

impl<W: Write> Pass for Redacting<'_, W> {
    fn text(&mut self, line: &str, part: Range<usize>, _: u64) -> io::Result<()> {
        let list = self.redactor.private(line);
        if list.is_empty() {
            return self.out.write_all(line.get(part).unwrap_or_default().as_bytes());
        }
        self.text.clear();
        self.redactor.write(line, part, list, &mut self.text);
        self.out.write_all(self.text.as_bytes())
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn field(&mut self, text: &str, value: usize, _: u64) -> io::Result<()> {
        let list = self.redactor.private(text);
        self.text.clear();
        self.redactor.write(text, value..text.len(), list, &mut self.text);
        let length = self.text.len() as u64;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(self.text.as_bytes())
    }

    fn list(&mut self, lines: &[String], text: &str, _: u64) -> io::Result<()> {
        let written = self.redactor.redact(text);
        if written == text {
            return lines.iter().try_for_each(|line| self.out.write_all(line.as_bytes()));
        }
        let numbers = written.rsplit_once('[').map_or("", |(_, numbers)| numbers);
        let numbers: Vec<&str> = numbers.trim_end_matches(']').split(',').collect();
        spread(&numbers, lines, &mut self.out)
    }

    fn cut(&mut self, line: &str, end: usize) -> usize {
        let list = self.redactor.private(line);
        outside(&list, blank(line, end))
    }
}

/// Writes the numbers on as many lines as there were: one on each, what is more on the last one, and lines
/// that have none are blank.
fn spread(numbers: &[&str], lines: &[String], out: &mut impl Write) -> io::Result<()> {
    for (index, line) in lines.iter().enumerate() {
        let content = line.trim_end_matches(['\r', '\n']);
        let end = line.get(content.len()..).unwrap_or_default();
        let blanks: String = content.chars().take_while(char::is_ascii_whitespace).collect();
        let last = index + 1 == lines.len();
        let own = if last { numbers.get(index..) } else { numbers.get(index..index + 1) };
        let own = own.unwrap_or_default().join(", ");
        let more = !last && index + 1 < numbers.len() && !own.is_empty();
        write!(out, "{blanks}{own}{}{end}", if more { "," } else { "" })?;
    }
    Ok(())
}

struct Looking<'f> {
    look: &'f mut dyn FnMut(&str) -> Vec<Leftover>,
    found: &'f mut dyn FnMut(Place),
}

impl Looking<'_> {
    fn look(&mut self, text: &str, part: &Range<usize>, line: u64) {
        for left in (self.look)(text).into_iter().filter(|left| part.contains(&left.column)) {
            (self.found)(Place { line, left });
        }
    }
}

impl Pass for Looking<'_> {
    fn text(&mut self, line: &str, part: Range<usize>, number: u64) -> io::Result<()> {
        self.look(line, &part, number);
        Ok(())
    }

    fn raw(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn field(&mut self, text: &str, value: usize, number: u64) -> io::Result<()> {
        self.look(text, &(value..text.len()), number);
        Ok(())
    }

    fn list(&mut self, _: &[String], text: &str, number: u64) -> io::Result<()> {
        self.look(text, &(0..text.len()), number);
        Ok(())
    }

    fn cut(&mut self, line: &str, end: usize) -> usize {
        blank(line, end)
    }
}

/// The last blank before `end`, or there where none is near.
fn blank(line: &str, end: usize) -> usize {
    let mut end = end.min(line.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let from = end.saturating_sub(SEAM);
    let near = line.as_bytes().get(from..end).unwrap_or_default();
    memchr::memrchr(b' ', near).map_or(end, |at| from + at + 1)
}

/// The place, or the beginning of the value that it is in.
fn outside(list: &[Found], at: usize) -> usize {
    let inside = |found: &&Found| found.range.start < at && at < found.range.end;
    list.iter().find(inside).map_or(at, |found| found.range.start)
}

/// Reads a log part by part.
struct Reader<R> {
    log: R,
    number: u64,
    /// Inside an entry of the journal's export form.
    exported: bool,
    line: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    fn new(log: R) -> Self {
        Self { log, number: 1, exported: false, line: Vec::new() }
    }

    fn run(mut self, pass: &mut impl Pass) -> io::Result<()> {
        loop {
            let ended = self.read_line()?;
            if self.line.is_empty() {
                return Ok(());
            }
            if !ended && self.line.len() >= WINDOW {
                self.long(pass)?;
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let (text, end) = parted(&line);
            let text = String::from_utf8_lossy(text);
            if text.ends_with('[') && json::is_json(&text) && !end.is_empty() {
                let head = text.into_owned() + &String::from_utf8_lossy(end);
                self.list(&head, pass)?;
            } else {
                self.short(&text, pass)?;
                pass.raw(end)?;
                self.number += 1;
                self.after(&text, pass)?;
            }
            self.line = line;
        }
    }

    /// A line as it stands in the file: a return or a NUL divides it for a reader, too.
    fn short(&self, line: &str, pass: &mut impl Pass) -> io::Result<()> {
        let mut rest = line;
        while let Some(at) = memchr::memchr2(b'\r', 0, rest.as_bytes()) {
            let (text, behind) = rest.split_at(at);
            pass.text(text, 0..text.len(), self.number)?;
            let (mark, behind) = behind.split_at(1);
            pass.raw(mark.as_bytes())?;
            rest = behind;
        }
        pass.text(rest, 0..rest.len(), self.number)
    }

    /// Reads up to the end of a line, or as much as is looked at as a whole; whether the line has its end.
    fn read_line(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.read_more(WINDOW)
    }

    fn read_more(&mut self, limit: usize) -> io::Result<bool> {
        while self.line.len() < limit {
            let block = match self.log.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                block => block?,
            };
            if block.is_empty() {
                return Ok(false);
            }
            let room = block.len().min(limit - self.line.len());
            let end = memchr::memchr(b'\n', block.get(..room).unwrap_or_default());
            let length = end.map_or(room, |at| at + 1);
            self.line.extend_from_slice(block.get(..length).unwrap_or_default());
            self.log.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A line that is longer than a window: each window shows again what stood at the end of the one before,
    /// and nothing is cut within a value.
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
            let cut = pass.cut(&text, text.len() - SEAM).max(done);
            pass.text(&text, done..cut, self.number)?;
            let mut from = cut.saturating_sub(SEAM);
            while !text.is_char_boundary(from) {
                from -= 1;
            }
            let rest = text.get(from..).unwrap_or_default().as_bytes().to_vec();
            done = cut - from;
            self.line = rest;
            self.read_more(WINDOW)?;
        }
    }

    /// What a line of the journal's export form says of what comes behind it.
    fn after(&mut self, line: &str, pass: &mut impl Pass) -> io::Result<()> {
        if line.starts_with("__CURSOR=") {
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
            let head = String::from_utf8_lossy(length.get(..got).unwrap_or_default()).into_owned();
            return self.short(&head, pass);
        }
        let mut text = format!("{line}=").into_bytes();
        let name = text.len();
        let kept = if count <= FIELD { count } else { 0 };
        io::Read::take(&mut self.log, kept).read_to_end(&mut text)?;
        io::copy(&mut io::Read::take(&mut self.log, count - kept), &mut io::sink())?;
        let text = String::from_utf8_lossy(&text).into_owned();
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
    while let Some(room) = into.get_mut(got..).filter(|room| !room.is_empty()) {
        match log.read(room) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
