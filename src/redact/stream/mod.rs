//! Redacts whole logs of any format. Apart from tokens each line stays as it was; invalid UTF-8 becomes U+FFFD.

mod reader;

use std::io::{self, BufRead, Write};
use std::ops::Range;

use super::context::Edid;
use super::stamp::Stamps;
use super::{Findings, Leftover, Redactor, left};
use reader::Reader;

/// Length of the overlap between the parts of a long line, so that no value is lost at a cut.
const SEAM: usize = 16 << 10;

/// A pass over a log.
trait Pass {
    /// Takes a line, or a window of a long one; `part` is the range that was in no earlier window.
    fn text(&mut self, line: &str, part: Range<usize>, number: u64) -> io::Result<()>;

    /// Takes line breaks.
    fn raw(&mut self, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Takes a field of the journal's export format as `NAME=value`; `value` is where the value begins.
    fn field(&mut self, text: &str, value: usize, number: u64) -> io::Result<()> {
        self.text(text, value..text.len(), number)
    }

    /// Takes the lines of a list of bytes; `text` is the same list on one line.
    fn list(&mut self, _: &[String], text: &str, number: u64) -> io::Result<()> {
        self.text(text, 0..text.len(), number)
    }

    /// The position before `end` at which a long line may be cut.
    fn cut(&mut self, line: &str, end: usize) -> Cut {
        Cut::At(last_blank(line, end))
    }
}

/// Where a long line may be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    /// Outside of all values.
    At(usize),
    /// Nowhere: a value is as long as what is looked at as a whole.
    Never,
}

/// Passes each text, its new range and its line number to a function.
struct Look<F>(F);

impl<F: FnMut(&str, Range<usize>, u64)> Pass for Look<F> {
    fn text(&mut self, line: &str, part: Range<usize>, number: u64) -> io::Result<()> {
        (self.0)(line, part, number);
        Ok(())
    }
}

/// Learns a whole log. The findings make redacting it faster.
///
/// # Errors
/// Those of the reader.
pub fn learn(redactor: &mut Redactor, log: impl BufRead) -> io::Result<Findings> {
    let mut findings = Findings::default();
    redactor.context.begin_log();
    Reader::new(log).run(&mut Look(|line: &str, part: Range<usize>, _| {
        let seen = redactor.learnt(line);
        if is_kept(line, &part) && redactor.room > 0 {
            findings.keep(line, &seen, &mut redactor.room);
        }
    }))?;
    Ok(findings)
}

/// Whether findings in a line are kept: in a long line they depend on where it is cut.
fn is_kept(line: &str, part: &Range<usize>) -> bool {
    !line.is_empty() && *part == (0..line.len())
}

/// Writes the log with tokens instead of its private values.
///
/// # Errors
/// Those of the reader and of the writer.
pub fn redact(
    redactor: &mut Redactor,
    findings: Findings,
    log: impl BufRead,
    out: impl Write,
) -> io::Result<()> {
    redactor.context.begin_log();
    Reader::new(log).run(&mut Redacting { redactor, findings, out, text: String::new() })
}

/// A private value and its line, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineLeftover {
    pub(crate) line: u64,
    /// Its kind and position.
    pub(crate) left: Leftover,
}

/// Calls `found` with each private value that is left in a redacted log.
///
/// # Errors
/// Those of the reader.
pub fn leftovers(
    redactor: &Redactor,
    log: impl BufRead,
    found: &mut dyn FnMut(LineLeftover),
) -> io::Result<()> {
    let (mut edid, mut serials) = (None, Vec::new());
    let look = |line: &str| {
        serials.clear();
        edid = Edid::next(edid.take(), line, &mut serials);
        left::find(redactor, line, edid.as_ref().is_some_and(Edid::has_rows))
    };
    places(log, look, found)
}

/// Calls `found` with each private value that would be replaced in a log.
pub(crate) fn private(
    redactor: &mut Redactor,
    log: impl BufRead,
    found: &mut dyn FnMut(LineLeftover),
) -> io::Result<()> {
    redactor.context.begin_log();
    places(log, |line: &str| redactor.found_in(line), found)
}

fn places(
    log: impl BufRead,
    mut look: impl FnMut(&str) -> Vec<Leftover>,
    found: &mut dyn FnMut(LineLeftover),
) -> io::Result<()> {
    Reader::new(log).run(&mut Look(|text: &str, part: Range<usize>, line| {
        for left in look(text).into_iter().filter(|left| part.contains(&left.column)) {
            found(LineLeftover { line, left });
        }
    }))
}

struct Redacting<'r, W> {
    redactor: &'r mut Redactor,
    findings: Findings,
    out: W,
    text: String,
}

impl<W: Write> Redacting<'_, W> {
    /// Writes the redacted part of a line into the buffer.
    fn replace(&mut self, line: &str, part: Range<usize>) {
        let stamps = Stamps::of(line.as_bytes());
        self.redactor.context.follow(line, &stamps);
        let seen = if is_kept(line, &part) { self.findings.next(line) } else { None };
        let list = self.redactor.private(line, &stamps, seen);
        self.text.clear();
        self.redactor.write(line, part, list, &mut self.text);
    }
}

impl<W: Write> Pass for Redacting<'_, W> {
    fn text(&mut self, line: &str, part: Range<usize>, _: u64) -> io::Result<()> {
        self.replace(line, part);
        self.out.write_all(self.text.as_bytes())
    }

    fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn field(&mut self, text: &str, value: usize, _: u64) -> io::Result<()> {
        self.replace(text, value..text.len());
        let length = self.text.len() as u64;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(self.text.as_bytes())
    }

    fn list(&mut self, lines: &[String], text: &str, _: u64) -> io::Result<()> {
        self.replace(text, 0..text.len());
        let written = self.text.as_str();
        if written == text {
            return lines.iter().try_for_each(|line| self.out.write_all(line.as_bytes()));
        }
        let numbers = written.rsplit_once('[').map_or("", |(_, numbers)| numbers);
        let numbers: Vec<&str> = numbers.trim_end_matches(']').split(',').collect();
        spread(&numbers, lines, &mut self.out)
    }

    /// At the last blank, or before the value that a cut there would divide.
    fn cut(&mut self, line: &str, end: usize) -> Cut {
        let at = last_blank(line, end);
        let cuts = |range: &Range<usize>| range.start < at && at < range.end;
        let stamps = Stamps::of(line.as_bytes());
        let private = self.redactor.private(line, &stamps, None).into_iter();
        let mut private = private.map(|found| found.range);
        match private.find(cuts) {
            None => Cut::At(at),
            Some(range) if range.start > SEAM => Cut::At(range.start),
            Some(range) if range.end < line.len() => Cut::At(range.end),
            Some(_) => Cut::Never,
        }
    }
}

/// Distributes the numbers over as many lines as there were: one on each, the rest on the last one. Lines without a
/// number become blank.
fn spread(numbers: &[&str], lines: &[String], out: &mut dyn Write) -> io::Result<()> {
    for (index, line) in lines.iter().enumerate() {
        let content = line.trim_end_matches(['\r', '\n']);
        let end = &line[content.len()..];
        let blanks: String = content.chars().take_while(char::is_ascii_whitespace).collect();
        let last = index + 1 == lines.len();
        let behind = numbers.iter().skip(index);
        let own: Vec<&str> = behind.take(if last { numbers.len() } else { 1 }).copied().collect();
        let own = own.join(", ");
        let more = !last && index + 1 < numbers.len() && !own.is_empty();
        write!(out, "{blanks}{own}{}{end}", if more { "," } else { "" })?;
    }
    Ok(())
}

/// The position after the last blank before `end`, or `end` if none is near.
fn last_blank(line: &str, end: usize) -> usize {
    let end = floor_boundary(line, end.min(line.len()));
    let from = end.saturating_sub(SEAM);
    memchr::memrchr(b' ', &line.as_bytes()[from..end]).map_or(end, |at| from + at + 1)
}

/// The beginning of the character at `at`.
fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
