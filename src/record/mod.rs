//! Splits lines into records: removes the envelope, reads the time, and assigns the boot and
//! machine.
//!
//! Independent of GPUs: a record says who printed a text, when and in which boot; [`crate::event`]
//! interprets the text.
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
pub(crate) use table::{NameKind, Table};
pub use trace::{Kinship, Trace};

pub use crate::value::Level;
use crate::value::{Micros, PciAddress};

/// How long the text of a record may be, in bytes; what is beyond is dropped, and the record says so.
pub(crate) const MESSAGE_LIMIT: usize = 16 << 10;

/// The heading over what our own pages quote of a log: pasted back, it is no log, and nobody else writes it.
pub(crate) const OWN_QUOTE: &str = "Lines of the log that show it";

/// Who printed a record; `S` holds the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin<S> {
    /// The kernel itself: the envelope says so.
    Kernel,
    /// A program, by the name and process id that its envelope carries.
    Program {
        /// The identifier before the colon.
        name: S,
        /// The process id in brackets behind it.
        pid: Option<u32>,
    },
    /// The line carries no envelope that tells: pasted text, `journalctl -o cat`, a program's own
    /// output.
    #[default]
    Unstated,
}

/// A time of day as the log prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wall {
    /// Microseconds since 1970-01-01T00:00:00 on the clock that was printed (no zone applied). Where
    /// the year is not known, 1972 stands for it.
    pub local: Micros,
    /// Seconds east of UTC, where the log says so.
    pub offset: Option<i32>,
    /// Where the date comes from.
    pub dated: Dated,
}

/// When a record was printed, on each clock that the line carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// printk's clock, which starts near 0 at boot.
    pub monotonic: Option<Micros>,
    /// The time of day: when the kernel or a log daemon says it was printed.
    pub wall: Option<Wall>,
    /// `wall` made fit for measuring: the time that passed since the first record with a wall time,
    /// steps back left out. Never falls within one input.
    pub passed: Option<Micros>,
}

impl Stamp {
    /// Whether nothing can be measured from here.
    #[must_use]
    pub const fn is_timeless(&self) -> bool {
        self.monotonic.is_none() && self.passed.is_none()
    }

    /// The time from this stamp to a later line's, on a clock that both have; not negative. `None`
    /// where they share no clock: then only the order of the lines is known.
    #[must_use]
    pub fn elapsed(&self, later: &Self) -> Option<Micros> {
        let both = self.monotonic.zip(later.monotonic).or_else(|| self.passed.zip(later.passed));
        both.map(|(first, second)| second.since(first).max(Micros(0)))
    }
}

/// A process as `ps` lists it; `S` holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process<S> {
    /// Process id.
    pub pid: u32,
    /// The STAT or S column: `D`, `D<`, `Ss+` …
    pub state: S,
    /// What the kernel says it waits in, where the listing has that column.
    pub wait_channel: Option<S>,
    /// The last column, to its end.
    pub command: S,
}

/// What the reading of an input gives, in the order in which it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read<'a> {
    /// A record.
    Record(&'a Record<'a>),
    /// A line that is no record and no part of one.
    Passed(NonRecord<&'a str>),
    /// The record that comes next says that lines are missing.
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
    /// Which machine of the input printed it, counted from 0.
    pub machine: usize,
    /// Which record of that machine this is, counted from 0.
    pub sequence: u64,
    /// The line it stands on, counted from 1.
    pub line: u64,
    /// How the line says who and when.
    pub form: LogFormat,
    /// When.
    pub stamp: Stamp,
    /// How loud, where the envelope says so.
    pub level: Option<Level>,
    /// Who.
    pub origin: Origin<&'a str>,
    /// Whether it comes out of the kernel's own buffer, whoever wrote it there.
    pub buffered: bool,
    /// The device that printed it, where the form carries that beside the text.
    pub device: Option<PciAddress>,
    /// Whether a pager cut the end off.
    pub cut: bool,
    /// The text without its envelope.
    pub message: &'a str,
    /// The row of a process listing, if the line is one.
    pub process: Option<Process<&'a str>>,
}
