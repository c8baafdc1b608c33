//! The list of records, with the lines that are not records.

use std::io;

use serde::Serialize;
use strum::VariantArray as _;

use super::reading::ReadingSentence;
use super::time::{Fractions, RecordTime, moment_read};
use crate::document::terminal::stream::RowStream;
use crate::document::terminal::{self, Look};
use crate::document::{Column, Document, Text, Tone, prose};
use crate::record::clock::{Clock, Clocks, deriving};
use crate::record::{
    Dated, Direction, Hole, HoleKind, LogFormat, NonRecord, Origin, Read, ReadStats, Record,
    SkipReason,
};
use crate::value::{Level, PciAddress};

/// A format for the list, written while reading.
pub(crate) trait RecordList {
    /// Shows a record, a line that is not a record, or a gap.
    fn add(&mut self, read: Read<'_>) -> io::Result<()>;

    /// Ends the list of the input called `name`.
    fn finish(&mut self, name: &str, reading: &ReadStats) -> io::Result<()>;
}

/// One JSON object a line.
pub(crate) struct RecordObjects<'o> {
    out: &'o mut dyn io::Write,
    /// The index of the list in this run.
    input: usize,
    /// Whether other lines and gaps have objects, too.
    verbose: bool,
    clocks: Clocks,
    fractions: Fractions,
}

/// One line of the list.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum RecordLine<'r> {
    Record(RecordObject<'r>),
    Passed(PassedObject<'r>),
    Missing(MissingObject),
}

/// A record.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RecordObject<'r> {
    /// The index of the log in this run, from 0.
    input: usize,
    /// The number of its first line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The time at which it was printed.
    time: RecordTime,
    /// The log level; null if the log does not state it.
    level: Option<Level>,
    /// Whether it is from the kernel's ring buffer.
    from_kernel: bool,
    /// `kernel`, or the name of the program; null if the log does not state it.
    source: Option<&'r str>,
    /// The text; several lines are separated by line feeds.
    message: &'r str,
    /// The PCI device in the fields of the log.
    device: Option<PciAddress>,
}

/// A line that is not a record; present only with --verbose.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PassedObject<'r> {
    /// The index of the log in this run, from 0.
    input: usize,
    /// The line number, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The reason why it is not a record.
    skipped: SkipReason,
    /// The text of the line.
    text: &'r str,
}

/// A gap; present only with --verbose.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct MissingObject {
    /// The index of the log in this run, from 0.
    input: usize,
    /// The line that reports the gap, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The number of missing lines; null if the log does not state it.
    missing: Option<u64>,
    /// The reason for the gap.
    reason: HoleKind,
}

impl<'o> RecordObjects<'o> {
    /// Writes list number `input` of this run to `out`; with `verbose` including other lines and
    /// gaps.
    pub(crate) fn new(out: &'o mut dyn io::Write, input: usize, verbose: bool) -> Self {
        Self { out, input, verbose, clocks: Clocks::default(), fractions: Fractions::default() }
    }
}

impl RecordList for RecordObjects<'_> {
    fn add(&mut self, read: Read<'_>) -> io::Result<()> {
        let input = self.input;
        let line = match read {
            Read::Record(record) => {
                let clock = self.clocks.of(record);
                let fraction = self.fractions.of(record);
                RecordLine::Record(RecordObject {
                    input,
                    line: record.line,
                    time: RecordTime::new(&record.stamp, clock, fraction),
                    level: record.level,
                    from_kernel: record.buffered,
                    source: source(record),
                    message: record.message,
                    device: record.device,
                })
            }
            Read::Passed(NonRecord { line, text, why }) if self.verbose => {
                RecordLine::Passed(PassedObject { input, line, skipped: why, text })
            }
            Read::Hole(Hole { line, lost, kind, .. }) if self.verbose => {
                let reason = kind;
                RecordLine::Missing(MissingObject { input, line, missing: lost, reason })
            }
            Read::Passed(_) | Read::Hole(_) => return Ok(()),
        };
        super::json::line(&line, self.out)
    }

    fn finish(&mut self, _: &str, _: &ReadStats) -> io::Result<()> {
        Ok(())
    }
}

fn source<'r>(record: &Record<'r>) -> Option<&'r str> {
    match record.origin {
        Origin::Kernel => Some("kernel"),
        Origin::Program { name, .. } => Some(name),
        Origin::Unstated => None,
    }
}

/// The columns of the table.
const COLUMNS: [Column; 5] = [
    Column::numbers("Line"),
    Column::numbers("Time"),
    Column::words("Level").spare(),
    Column::words("Source"),
    Column::words("Message"),
];

/// A table for people. It is written as it comes, because a log can have any length.
pub(crate) struct RecordTable<'o> {
    rows: RowStream<'o>,
    look: Look,
    /// Whether lines that are not records are listed, too.
    verbose: bool,
    /// The name of the file's time, from which years are inferred.
    reference: &'static str,
    clocks: Clocks,
    fractions: Fractions,
    seen: Seen,
}

/// What the last line has to explain.
#[derive(Default)]
struct Seen {
    inferred: bool,
    /// Times that are in seconds but not from the kernel's clock.
    received: bool,
    derived: Option<LogFormat>,
}

impl<'o> RecordTable<'o> {
    /// Writes to `out`; `reference` describes the time from which years are inferred. With
    /// `verbose`, lines that are not records are listed, and the last line summarises what was
    /// read.
    pub(crate) fn new(
        out: &'o mut dyn io::Write,
        look: Look,
        verbose: bool,
        reference: &'static str,
    ) -> Self {
        Self {
            rows: RowStream::new(&COLUMNS, look, out),
            look,
            verbose,
            reference,
            clocks: Clocks::default(),
            fractions: Fractions::default(),
            seen: Seen::default(),
        }
    }

    fn record(&mut self, record: &Record<'_>) -> io::Result<()> {
        let clock = self.clocks.of(record);
        let fraction = self.fractions.of(record);
        let stamp = &record.stamp;
        if stamp.monotonic.is_some() {
            self.seen.received |= record.buffered && clock == Some(Clock::Received);
        } else {
            self.seen.inferred |= stamp.wall.is_some_and(|wall| wall.dated == Dated::Inferred);
            if clock == Some(Clock::Derived) {
                self.seen.derived =
                    deriving(record.form).map(|_| record.form).or(self.seen.derived);
            }
        }
        let unknown = || "-".to_owned();
        let since_first = || stamp.passed.map(|passed| format!("+{passed}"));
        let mut start = [
            record.line.to_string().into(),
            moment_read(stamp, fraction).or_else(since_first).unwrap_or_else(unknown).into(),
            record.level.map_or("-", Level::name).into(),
            who(record).into(),
        ];
        let mut lines = record.message.split('\n').peekable();
        while let Some(line) = lines.next() {
            let cut = record.cut && lines.peek().is_none();
            let message = if cut { format!("{line} […]").into() } else { line.into() };
            let [number, time, level, source] = std::mem::take(&mut start);
            self.rows.add([number, time, level, source, message])?;
        }
        Ok(())
    }

    /// A row that is not a record.
    fn other(&mut self, line: String, tone: Tone, words: String) -> io::Result<()> {
        let none = Text::default;
        let line = Text::toned(Tone::Quiet, line);
        self.rows.add([line, none(), none(), none(), Text::toned(tone, words)])
    }
}

impl RecordList for RecordTable<'_> {
    fn add(&mut self, read: Read<'_>) -> io::Result<()> {
        match read {
            Read::Record(record) => self.record(record),
            Read::Passed(NonRecord { line, text, why }) if self.verbose => {
                let words = format!("({}) {}", <&str>::from(why), text.trim_end());
                self.other(line.to_string(), Tone::Quiet, words)
            }
            // The record itself shows that it is cut.
            Read::Passed(_) | Read::Hole(Hole { kind: HoleKind::Cut, .. }) => Ok(()),
            Read::Hole(Hole { lost, kind, .. }) => {
                let lines = match lost {
                    Some(1) => "1 line is missing".to_owned(),
                    Some(count) => format!("{count} lines are missing"),
                    None => "lines are missing".to_owned(),
                };
                let words = format!("-- {lines}, {} --", <&str>::from(kind));
                self.other(String::new(), Tone::Warn, words)
            }
        }
    }

    fn finish(&mut self, name: &str, reading: &ReadStats) -> io::Result<()> {
        let out = self.rows.finish()?;
        if !self.verbose {
            return Ok(());
        }
        let mut sentence = ReadingSentence::new(Some(name), reading);
        sentence.part(&format!("{} of them the kernel's", reading.kernel_records));
        for &why in SkipReason::VARIANTS {
            sentence.count(reading.passed_over(why), &format!("skipped ({})", <&str>::from(why)));
        }
        sentence.count(reading.skipped.bytes, "bytes left out of lines that cannot be read whole");
        sentence.missing(reading);
        let Seen { inferred, received, derived } = self.seen;
        if reading.direction != Direction::Forward {
            sentence.remark("it runs from the newest to the oldest for the most part");
        }
        if inferred {
            sentence.remark(&format!("years (~) inferred from {}", self.reference));
        }
        if received {
            sentence.remark("seconds by the journal's clock, when it received a line");
        }
        if let Some(form) = derived {
            sentence.derived(form);
        }
        let sentence = Text::toned(Tone::Quiet, sentence.end(reading));
        writeln!(out)?;
        terminal::write(&Document::new("", vec![prose(sentence)]), self.look, out)
    }
}

fn who(record: &Record<'_>) -> String {
    let pid = match record.origin {
        Origin::Program { pid: Some(pid), .. } => format!("[{pid}]"),
        _ => String::new(),
    };
    format!("{}{pid}", source(record).unwrap_or("-"))
}
