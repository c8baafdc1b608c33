//! Reads all records of an input.

use std::io;

use super::account::ReadStats;
use super::reader::Reader;
use super::{FormatFamily, Read};
use crate::input::{Lines, OfKernel, Skipped, Words};
use crate::value::Micros;

/// What a person's line says of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said<'t> {
    /// It is a message or holds none.
    Nothing,
    /// It talks about one that was not printed here.
    Mention,
    /// It quotes one that was printed.
    Message {
        /// The text before the message.
        before: &'t str,
        /// The message.
        message: &'t str,
        /// The text after it.
        behind: &'t str,
    },
}

/// Receives what is read.
pub trait Visit {
    /// Takes a record or another line.
    fn see(&mut self, read: Read<'_>);

    /// Search words: nearly every relevant line contains one. In a large input, only these lines
    /// and their surroundings are read. `None` for all lines.
    fn words(&self) -> Option<&Words> {
        None
    }

    /// Whether the next line is wanted in any case, because it may continue what was seen last.
    fn wants_next(&self) -> bool {
        false
    }

    /// The length of the driver's prefix at the start of `text`, if there is one.
    fn prefix(&self, _text: &str) -> Option<usize> {
        None
    }

    /// Whether `text` begins with words that only the kernel prints, so that the text before it
    /// does not belong to the message.
    fn is_kernel_text(&self, _text: &str) -> bool {
        false
    }

    /// Whether `text` is a complete message, or begins with words that only the kernel prints.
    fn message(&self, text: &str) -> bool {
        self.is_kernel_text(text)
    }

    /// Whether `text` begins like a line of the driver and is not a complete message, so that the
    /// next line may continue it.
    fn is_unfinished(&self, _text: &str) -> bool {
        false
    }

    /// What a person's line says of a message. `introduction` is the line before that announces it,
    /// or is empty.
    fn said<'t>(&self, _introduction: &str, _text: &'t str) -> Said<'t> {
        Said::Nothing
    }

    /// The message of a failure with which the title `text` begins. With `is_sure`, its place shows
    /// that a title reports one: a section of documentation can have the same heading.
    fn titled<'t>(&self, _introduction: &str, _text: &'t str, _is_sure: bool) -> Option<&'t str> {
        None
    }

    /// Lines without search words were skipped, `of_kernel` of them from the kernel. `of_another`
    /// is the last skipped record, if another GPU's driver printed one of them.
    fn skimmed(&mut self, _of_kernel: u64, _of_another: Option<u64>) {}

    /// Whether reading may stop here.
    fn is_done(&self) -> bool {
        false
    }
}

/// Wants everything.
struct All<F>(F);

impl<F: FnMut(Read<'_>)> Visit for All<F> {
    fn see(&mut self, read: Read<'_>) {
        (self.0)(read);
    }
}

/// What the user knows about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Its format, if the user gives it.
    pub only: Option<FormatFamily>,
    /// When it was saved, in local time, for dates without a year.
    pub reference: Option<Micros>,
    /// Passes each record on at once: for a growing input, or to keep the order of lines.
    pub as_it_comes: bool,
    /// In an input larger than this, only lines with search words are read.
    pub skim_beyond: usize,
}

/// Larger than pasted logs: smaller inputs are read completely.
pub(super) const PASTED: usize = 2 << 20;

impl Default for Options {
    fn default() -> Self {
        Self { only: None, reference: None, as_it_comes: false, skim_beyond: PASTED }
    }
}

impl Options {
    /// Whether lines may be of this family.
    pub(super) fn allows(self, family: FormatFamily) -> bool {
        self.only.is_none_or(|only| only == family)
    }
}

/// Reads all records of an input in chronological order.
///
/// # Errors
///
/// If not a single line could be read. A later error ends reading, see [`ReadStats::stopped`].
pub fn read(
    lines: &mut Lines<impl io::Read>,
    options: Options,
    visit: impl FnMut(Read<'_>),
) -> io::Result<ReadStats> {
    read_wanted(lines, options, &mut All(visit))
}

/// As [`read`], for a visitor that does not need all records.
///
/// # Errors
///
/// As [`read`].
pub fn read_wanted(
    lines: &mut Lines<impl io::Read>,
    options: Options,
    visit: &mut impl Visit,
) -> io::Result<ReadStats> {
    let mut readings = read_with(Reader::new(options), lines, options, visit)?;
    let first = readings.pop();
    Ok(first.unwrap_or_else(|| unreachable!("a reader that tells none apart knows one machine")))
}

/// As [`read_wanted`], with [`ReadStats`] for each machine that wrote into the input, at least one;
/// [`Record::machine`] is its index.
///
/// [`Record::machine`]: super::Record::machine
///
/// # Errors
///
/// As [`read`].
pub fn read_machines(
    lines: &mut Lines<impl io::Read>,
    options: Options,
    visit: &mut impl Visit,
) -> io::Result<Vec<ReadStats>> {
    read_with(Reader::of_machines(options), lines, options, visit)
}

fn read_with(
    mut reader: Reader,
    lines: &mut Lines<impl io::Read>,
    options: Options,
    visit: &mut impl Visit,
) -> io::Result<Vec<ReadStats>> {
    let mut stopped = None;
    let skims = visit.words().is_some() && !options.as_it_comes && options.only.is_none();
    let large = if skims { lines.is_longer_than(options.skim_beyond) } else { Ok(false) };
    let large = large.unwrap_or_else(|error| {
        stopped = Some(error);
        false
    });
    let mut of_kernel = OfKernel::default();
    loop {
        if large && reader.can_skim(lines.next_byte(), visit) {
            let of_kernel = Some(&mut of_kernel).filter(|_| !reader.is_one_kernels());
            match visit.words().map(|words| lines.skim(words, of_kernel)) {
                Some(Ok(skimmed)) => reader.skimmed(skimmed, visit),
                Some(Err(error)) => stopped = Some(error),
                None => {}
            }
        }
        match lines.next() {
            Ok(Some(line)) => reader.line(&line, visit),
            Ok(None) => {
                reader.ended_after(lines.passed());
                break;
            }
            Err(error) => stopped = Some(error),
        }
        if reader.wants_binary() {
            match lines.binary() {
                Ok(value) => reader.binary(value.as_deref()),
                Err(error) => stopped = Some(error),
            }
        }
        if visit.is_done() {
            break;
        }
        if let Some(reason) = reader.is_full() {
            stopped = Some(io::Error::other(reason));
            break;
        }
    }
    let mut readings = reader.finish(visit);
    if readings.iter().all(|reading| reading.lines == 0)
        && let Some(error) = stopped
    {
        return Err(error);
    }
    for reading in &mut readings {
        reading.bytes = lines.bytes();
        let (Skipped { lines: cut, bytes }, dropped) = (lines.skipped(), reading.dropped);
        reading.skipped = Skipped { lines: cut + dropped.lines, bytes: bytes + dropped.bytes };
        // An error cannot be cloned; the first reading has the original.
        let text = |error: &io::Error| io::Error::new(error.kind(), error.to_string());
        let copy = stopped.as_ref().map(text);
        reading.stopped = std::mem::replace(&mut stopped, copy);
    }
    Ok(readings)
}
