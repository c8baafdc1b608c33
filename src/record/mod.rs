//! Splits lines into records: removes the envelope, reads the time, and assigns the boot and
//! machine.
//!
//! Independent of GPUs: a record states who printed a text, when and in which boot;
//! [`crate::event`] interprets the text.
//!
//! `reader` reads lines that are records of their own (`envelopes` lists their formats) and entries
//! of several lines; `flow`, `boots` and `order` follow the time; `pasted`, `unquote` and `echo`
//! remove what people and web pages add.

mod account;
mod block;
mod boots;
pub(crate) mod clock;
mod dmesg;
mod draft;
mod echo;
mod entry;
mod envelope;
mod envelopes;
mod flow;
mod form;
mod heading;
mod json;
mod kmsg;
mod listing;
mod machines;
mod notice;
mod order;
mod paragraph;
mod passed;
mod pasted;
mod pending;
mod pieces;
mod quoted;
mod read;
mod reader;
mod scan;
mod senders;
mod stamp;
mod syslog;
mod table;
mod talos;
mod trace;
mod unquote;
mod wording;
mod wrapper;

#[cfg(test)]
mod tests;

pub use account::ReadStats;
pub use boots::Boot;
pub use flow::Dated;
pub use form::{FormatFamily, LogFormat};
pub use notice::{Hole, HoleKind};
pub use order::Direction;
pub use passed::{NonRecord, SkipReason};
pub use read::{Options, Said, Visit, read, read_machines, read_wanted};
pub use reader::Reader;
pub use stamp::Precision;
pub(crate) use table::{NameKind, Table};
pub use trace::{Kinship, Trace};

pub use crate::value::Level;
use crate::value::{Micros, PciAddress};

/// Maximum length of a record's text in bytes; the rest is dropped, and the record is marked.
pub(crate) const MESSAGE_LIMIT: usize = 16 << 10;

/// The heading above the lines that amdtriage's own reports quote: if a report is pasted, they are
/// not a log.
pub(crate) const OWN_QUOTE: &str = "Lines of the log that show it";

/// The sender of a record; `S` is the type of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin<S> {
    /// The kernel itself, according to the envelope.
    Kernel,
    /// A program, with the name and process id in the envelope.
    Program {
        /// The identifier before the colon.
        name: S,
        /// The process id in the brackets after it.
        pid: Option<u32>,
    },
    /// The sender is not stated: pasted text, `journalctl -o cat`, a program's own output.
    #[default]
    Unstated,
}

/// A wall clock time as printed in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Microseconds since 1970-01-01T00:00:00 on the printed clock (no zone applied). An unknown
    /// year is replaced by 1972.
    pub local: Micros,
    /// The offset from UTC in seconds, positive to the east; `None` if not stated.
    pub offset: Option<i32>,
    /// The origin of the date.
    pub dated: Dated,
    /// The smallest printed unit.
    pub precision: Precision,
}

/// The time of a record, on each clock that the line states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The time on printk's clock, which starts near 0 at boot.
    pub monotonic: Option<Micros>,
    /// The wall clock time, from the kernel or a log daemon.
    pub wall: Option<Wall>,
    /// The wall clock time of an earlier line, if this one has only the time that has passed since
    /// the line before it: `dmesg -H` prints the minute once.
    pub anchor: Option<Wall>,
    /// The time since the first record with a wall time, without backward steps of the clock. Never
    /// decreases within an input.
    pub passed: Option<Micros>,
}

impl Stamp {
    /// Whether no time can be measured from it.
    #[must_use]
    pub const fn is_timeless(&self) -> bool {
        self.monotonic.is_none() && self.passed.is_none()
    }

    /// The time from this stamp to that of a later line, on a clock that both have; not negative.
    /// `None` if they share no clock: then only the order of the lines is known.
    #[must_use]
    pub fn elapsed(&self, later: &Self) -> Option<Micros> {
        let both = self.monotonic.zip(later.monotonic).or_else(|| self.passed.zip(later.passed));
        both.map(|(first, second)| second.since(first).max(Micros(0)))
    }
}

/// A row of `ps`; `S` is the type of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process<S> {
    /// Process id.
    pub pid: u32,
    /// The STAT or S column: `D`, `D<`, `Ss+` …
    pub state: S,
    /// The kernel function in which it waits, if the listing has that column.
    pub wait_channel: Option<S>,
    /// The rest of the row: the command.
    pub command: S,
}

/// An item read from an input, in chronological order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// A record.
    Record(&'a Record<'a>),
    /// A line that is not part of a record.
    Passed(NonRecord<&'a str>),
    /// The next record reports that lines are missing.
    Hole(Hole),
}

impl<'a> Read<'a> {
    /// The record, if it is one.
    #[must_use]
    pub const fn record(&self) -> Option<&'a Record<'a>> {
        match self {
            Self::Record(record) => Some(record),
            Self::Passed(_) | Self::Hole(_) => None,
        }
    }
}

/// One record of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The index of the machine, from 0.
    pub machine: usize,
    /// The index among the records of that machine, from 0.
    pub sequence: u64,
    /// The line number, from 1.
    pub line: u64,
    /// The format of the line.
    pub form: LogFormat,
    /// The time, on each known clock.
    pub stamp: Stamp,
    /// The log level, if the envelope states it.
    pub level: Option<Level>,
    /// The sender.
    pub origin: Origin<&'a str>,
    /// Whether it is from the kernel's ring buffer, including records that programs wrote there.
    pub buffered: bool,
    /// The device, if the format states it apart from the text.
    pub device: Option<PciAddress>,
    /// Whether a pager truncated it.
    pub cut: bool,
    /// Whether a person quotes it in a sentence or a heading, so that it is no line of a log.
    pub quoted: bool,
    /// The text without its envelope.
    pub message: &'a str,
    /// The row of a process listing, if the line is one.
    pub process: Option<Process<&'a str>>,
}
