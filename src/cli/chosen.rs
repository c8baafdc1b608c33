//! Selects a part of a log's records. The boot of a record is known only after the whole log has
//! been read, so the log is read twice.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

use super::choice::failure;
use super::failure::Failure;
use super::settings;
use super::sources::Role;
use crate::diagnosis::choice::{Choice, Moment, Window};
use crate::event::log::Log;
use crate::input::Lines;
use crate::inquiry::InputName;
use crate::pattern::Patterns;
use crate::record::{Options, Record};
use crate::temporary::Temporary;
use crate::value::Micros;

/// The records to show.
pub(super) struct RecordFilter {
    window: Window,
    /// The sequence number of each boot's first record.
    begins: Vec<u64>,
}

impl RecordFilter {
    /// Whether a record is shown.
    pub(super) fn shows(&self, record: &Record<'_>) -> bool {
        let begun = self.begins.partition_point(|first| *first <= record.sequence);
        self.window.shows_record(begun.saturating_sub(1), record)
    }
}

/// The options for the first pass: every line, and records in the order of time.
pub(super) const fn whole(options: Options) -> Options {
    Options { skim_beyond: usize::MAX, as_it_comes: false, ..options }
}

/// Resolves `choice` for a log, and returns the log for a second pass.
pub(super) fn of(
    choice: &Choice,
    role: Role,
    input: &InputName,
    mut reader: Box<dyn Read + '_>,
    options: Options,
    patterns: &Patterns,
) -> Result<(RecordFilter, File), Failure> {
    let mut log = Temporary::new().map_err(Failure::Spool)?;
    io::copy(&mut reader, &mut log).map_err(|error| input.failed(error))?;
    let mut log = log.rewound().map_err(Failure::Spool)?;
    let read = Log::read(&mut Lines::new(BufReader::new(&log)), whole(options), patterns);
    let read = read.map_err(Failure::Spool)?;
    let choice = if role == Role::Machine { of_this_machine(choice) } else { choice.clone() };
    let window = choice.within(&read).map_err(|missing| failure(&input.name, missing))?;
    let begins = read.reading.boots.iter().map(|boot| boot.first_sequence).collect();
    log.rewind().map_err(Failure::Spool)?;
    Ok((RecordFilter { window, begins }, log))
}

/// A machine's boots were selected when it was read, and its times are in its zone.
fn of_this_machine(choice: &Choice) -> Choice {
    let now = i64::try_from(settings::since_1970().as_micros()).unwrap_or(i64::MAX);
    let zoned = |moment: &Option<Moment>| {
        moment.as_ref().map(|moment| moment.zoned(Micros(now), settings::offset))
    };
    Choice {
        boot: None,
        since: zoned(&choice.since),
        until: zoned(&choice.until),
        ..choice.clone()
    }
}
