//! An input read to its end, for whoever wants its records.

use std::io;

use super::account::Reading;
use super::reader::Reader;
use super::{Family, Origin, Read};
use crate::input::{Lines, Skipped};
use crate::value::Micros;

/// Who is shown what is read.
pub trait Visit {
    /// Takes a record or a line that is none.
    fn see(&mut self, read: Read<'_>);

    /// Whether a message that `origin` printed is worth a record. To say yes is never wrong.
    fn wants(&self, origin: Origin<'_>, message: &str) -> bool;

    /// Whether every message is worth a record, so that none has to be asked for.
    fn wants_all(&self) -> bool {
        false
    }

    /// There was a record that is not wanted.
    fn pass_unseen(&mut self, origin: Origin<'_>);

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

    fn wants(&self, _: Origin<'_>, _: &str) -> bool {
        true
    }

    fn wants_all(&self) -> bool {
        true
    }

    fn pass_unseen(&mut self, _: Origin<'_>) {}
}

/// What the reader's user knows about an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What it is, where that shall not be left to its lines.
    pub only: Option<Family>,
    /// When it was saved, on the clock of the wall there: the years of dates without one follow from
    /// that.
    pub reference: Option<Micros>,
    /// Hand on each record as it comes: of an input that still grows, or where the order of the lines
    /// is wanted whichever way time runs in them.
    pub as_it_comes: bool,
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
    let mut reader = Reader::new(options);
    let mut stopped = None;
    loop {
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
        if reader.is_full() {
            stopped = Some(io::Error::other("more is kept of it than any log needs"));
            break;
        }
    }
    let mut reading = reader.finish(visit);
    reading.bytes = lines.bytes();
    let Skipped { lines: cut, bytes } = lines.skipped();
    reading.skipped = Skipped { lines: cut, bytes: bytes + reading.dropped };
    match stopped {
        Some(error) if reading.lines == 0 => Err(error),
        stopped => Ok(Reading { stopped, ..reading }),
    }
}
