//! An input read to its end, for whoever wants its records.

use std::io;

use super::account::Reading;
use super::reader::Reader;
use super::{Family, Read};
use crate::input::{Lines, OfKernel, Skipped, Words};
use crate::value::Micros;

/// Who is shown what is read.
pub trait Visit {
    /// Takes a record or a line that is none.
    fn see(&mut self, read: Read<'_>);

    /// The words of which nearly every line holds one that is worth a record. Of an input too large to be
    /// read line by line only these lines are read, and what stands beside them. `None` asks for each.
    fn words(&self) -> Option<&Words> {
        None
    }

    /// Whether the next line is wanted whatever it holds: it may belong to what was seen last.
    fn wants_next(&self) -> bool {
        false
    }

    /// How long the name of a driver is, with what belongs to it, that `text` begins with.
    fn prefix(&self, _text: &str) -> Option<usize> {
        None
    }

    /// Whether `text` begins with words that only the kernel prints, so that whatever stands before it on
    /// its line is no part of it.
    fn landmark(&self, _text: &str) -> bool {
        false
    }

    /// Whether `text` is a message, whole, or begins with words that only the kernel prints.
    fn message(&self, text: &str) -> bool {
        self.landmark(text)
    }

    /// Whether `text` begins as the driver's lines do and is none of its messages: the next line may be its rest.
    fn is_unfinished(&self, _text: &str) -> bool {
        false
    }

    /// Lines were stepped over that hold none of the words, so many of them the kernel's. Where another GPU's
    /// driver printed some of them, the record is named that was the last of them all.
    fn skimmed(&mut self, _of_kernel: u64, _of_another: Option<u64>) {}

    /// Whether nothing more is wanted, so that reading may end here.
    fn is_done(&self) -> bool {
        false
    }
}

/// Wants all there is.
struct All<F>(F);

impl<F: FnMut(Read<'_>)> Visit for All<F> {
    fn see(&mut self, read: Read<'_>) {
        (self.0)(read);
    }
}

/// What the reader's user knows about an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What it is, where that shall not be left to its lines.
    pub only: Option<Family>,
    /// When it was saved, on the clock of the wall there: the years of dates without one follow from
    /// that.
    pub reference: Option<Micros>,
    /// Hand on each record as it comes: of an input that still grows, or where the order of the lines
    /// is wanted whichever way time runs in them.
    pub as_it_comes: bool,
    /// Of an input longer than so many bytes, only lines with one of the visitor's words are read.
    pub skim_beyond: usize,
}

/// Longer than what anybody pastes: in so many bytes each line is read.
pub(super) const PASTED: usize = 2 << 20;

impl Default for Options {
    fn default() -> Self {
        Self { only: None, reference: None, as_it_comes: false, skim_beyond: PASTED }
    }
}

impl Options {
    /// Whether lines may be of this family.
    pub(super) fn allows(self, family: Family) -> bool {
        self.only.is_none_or(|only| only == family)
    }
}

/// Reads all records of an input, in the order in which they were printed.
///
/// # Errors
///
/// If not a single line could be read. A failure further on ends the reading, see
/// [`Reading::stopped`].
pub fn read(
    lines: &mut Lines<impl io::Read>,
    options: Options,
    visit: impl FnMut(Read<'_>),
) -> io::Result<Reading> {
    read_wanted(lines, options, &mut All(visit))
}

/// As [`read`], for a visitor that does not want all records.
///
/// # Errors
///
/// As [`read`].
pub fn read_wanted(
    lines: &mut Lines<impl io::Read>,
    options: Options,
    visit: &mut impl Visit,
) -> io::Result<Reading> {
    let mut readings = read_with(Reader::new(options), lines, options, visit)?;
    let first = readings.pop();
    Ok(first.unwrap_or_else(|| unreachable!("a reader that tells none apart knows one machine")))
}

/// As [`read_wanted`], with a reading for each machine that writes into the input. The first is there in
/// any case; [`Record::machine`] says which one printed a record.
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
) -> io::Result<Vec<Reading>> {
    read_with(Reader::of_machines(options), lines, options, visit)
}

fn read_with(
    mut reader: Reader,
    lines: &mut Lines<impl io::Read>,
    options: Options,
    visit: &mut impl Visit,
) -> io::Result<Vec<Reading>> {
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
            Ok(None) => break,
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
        // An error cannot be copied; the first has it whole.
        let text = |error: &io::Error| io::Error::new(error.kind(), error.to_string());
        let copy = stopped.as_ref().map(text);
        reading.stopped = std::mem::replace(&mut stopped, copy);
    }
    Ok(readings)
}
