//! Lists of records, written while reading, unless it is unknown whether an input is a log: such a
//! list waits until something shows that it is.

use std::cell::{Cell, OnceCell};
use std::io::{self, IsTerminal, Write};

use super::args::{RecordArguments, StreamFormat};
use super::chosen::{self, RecordFilter};
use super::failure::Failure;
use super::logs::options;
use super::sources::{self, LogOutcome, Role};
use super::streams::{Destination, Streams};
use super::{Ending, progress};
use crate::event::landmark;
use crate::input::{Lines, Source};
use crate::inquiry::InputName;
use crate::pattern::Patterns;
use crate::pattern::message::Printer;
use crate::record::{self, Options, Origin, Read, Record, Visit};
use crate::report::listing;
use crate::report::records::{RecordList, RecordObjects, RecordTable};
use crate::report::time::Zone;

/// Maximum size of a waiting list, in bytes.
const WAITING_LIMIT: usize = 16 << 20;

/// The state of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Waiting. Beyond [`WAITING_LIMIT`] it is either written or dropped, depending on whether
    /// other inputs are more likely logs.
    Waiting {
        or_written: bool,
    },
    Written,
    GivenUp,
}

pub(super) fn records(
    arguments: &RecordArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let RecordArguments { inputs, part, quiet, answer, .. } = arguments;
    streams.messages.set_quiet(quiet.quiet);
    let to = Destination::of_answer(answer, &inputs.read())?;
    // A list on the same terminal shows the progress by itself.
    let seen = answer.file.path().is_none() && io::stdout().is_terminal();
    let watched = progress::is_wanted(seen || quiet.quiet);
    let mut choice = part.choice();
    let surveyed = streams.give(to, |out, messages| {
        let mut lists = Lists { arguments, count: 0, patterns: OnceCell::new() };
        sources::each(inputs, &mut choice, messages, &mut |source, role| {
            let source = if watched { progress::watched(source) } else { source };
            lists.take(source, role, out)
        })
    })?;
    Ok(Ending::of(surveyed.complete, false))
}

/// All lists of a run.
struct Lists<'a> {
    arguments: &'a RecordArguments,
    /// The number of lists written.
    count: usize,
    /// Loaded when an input must be recognised as a log.
    patterns: OnceCell<Patterns>,
}

impl Lists<'_> {
    fn take(
        &mut self,
        source: Source<'_>,
        role: Role,
        out: &mut dyn Write,
    ) -> Result<LogOutcome, Failure> {
        let state = Cell::new(match role {
            Role::Asked => State::Written,
            Role::Member => State::Waiting { or_written: true },
            Role::Machine => State::Waiting { or_written: false },
        });
        let mut held = Delayed { out, state: &state, waiting: Vec::new() };
        let several = self.arguments.inputs.files.len() > 1 || role == Role::Member;
        if several && self.arguments.answer.format() == StreamFormat::Human {
            listing::heading(&source.name, self.count == 0, &mut held).map_err(Failure::Output)?;
        }
        let cut = self.list(source, role, &state, &mut held)?;
        let of_use = state.get() == State::Written;
        if of_use {
            held.write_waiting().map_err(Failure::Output)?;
            self.count += 1;
        }
        Ok(LogOutcome { of_use, cut })
    }

    fn zone(&self) -> Zone {
        self.arguments.zone.zone()
    }

    /// Writes one list; returns why it is incomplete.
    fn list(
        &self,
        source: Source<'_>,
        role: Role,
        state: &Cell<State>,
        out: &mut dyn Write,
    ) -> Result<Option<Failure>, Failure> {
        let &RecordArguments { ref answer, verbose, .. } = self.arguments;
        let format = answer.format();
        let (options, reference) = options(self.arguments.inputs.form.input_format, &source);
        let (input, _, reader) = InputName::of(source);
        let list: Box<dyn RecordList + '_> = match format {
            StreamFormat::Human => {
                Box::new(RecordTable::new(out, answer.look(), verbose, reference))
            }
            StreamFormat::Ndjson => Box::new(RecordObjects::new(out, self.count, verbose)),
        };
        let choice = self.arguments.part.choice();
        let (chosen, reader, options): (_, Box<dyn io::Read + '_>, _) = if choice.is_everything() {
            (None, reader, Options { as_it_comes: true, ..options })
        } else {
            let patterns = self.patterns.get_or_init(crate::builtin::patterns);
            let (chosen, log) = chosen::of(&choice, role, &input, reader, options, patterns)?;
            (Some(chosen), Box::new(log), chosen::whole(options))
        };
        let zone = if format == StreamFormat::Human { self.zone() } else { Zone::AsPrinted };
        let patterns = &self.patterns;
        let mut lister = Lister { list, written: Ok(()), state, patterns, chosen, zone };
        let reading = record::read_wanted(&mut Lines::new(reader), options, &mut lister);
        let Lister { mut list, written, .. } = lister;
        written.map_err(Failure::Output)?;
        let mut reading = reading.map_err(|error| input.failed(error))?;
        if state.get() == State::GivenUp {
            return Ok(None);
        }
        list.finish(&input.name, &reading).map_err(Failure::Output)?;
        // What could be read is listed; the rest is reported as missing.
        Ok(input.cut(&mut reading).map(Failure::from))
    }
}

/// Writes records to a list, until the reader of the list closes it.
struct Lister<'l> {
    list: Box<dyn RecordList + 'l>,
    written: io::Result<()>,
    state: &'l Cell<State>,
    patterns: &'l OnceCell<Patterns>,
    /// The selected part, if not everything is shown.
    chosen: Option<RecordFilter>,
    /// The zone of printed times.
    zone: Zone,
}

impl Lister<'_> {
    fn shows_a_log(&self, record: &Record<'_>) -> bool {
        record.buffered
            || record.process.is_some()
            || is_known(record, self.patterns.get_or_init(crate::builtin::patterns))
    }
}

impl Visit for Lister<'_> {
    fn see(&mut self, read: Read<'_>) {
        if self.is_done() {
            return;
        }
        let waits = matches!(self.state.get(), State::Waiting { .. });
        if waits && read.record().is_some_and(|record| self.shows_a_log(record)) {
            self.state.set(State::Written);
        }
        let record = match &read {
            Read::Record(record) => *record,
            Read::Passed(_) | Read::Hole(_) if self.chosen.is_some() => return,
            Read::Passed(_) | Read::Hole(_) => {
                self.written = self.list.add(read);
                return;
            }
        };
        if self.chosen.as_ref().is_some_and(|chosen| !chosen.shows(record)) {
            return;
        }
        let mut record = *record;
        record.stamp.wall = record.stamp.wall.map(|wall| self.zone.of(wall));
        self.written = self.list.add(Read::Record(&record));
    }

    fn prefix(&self, text: &str) -> Option<usize> {
        landmark::prefix(text)
    }

    fn is_kernel_text(&self, text: &str) -> bool {
        landmark::is_kernel_text(
            self.patterns.get_or_init(crate::builtin::patterns).matcher(),
            text,
        )
    }

    fn is_unfinished(&self, text: &str) -> bool {
        landmark::is_unfinished(self.patterns.get_or_init(crate::builtin::patterns).matcher(), text)
    }

    fn is_done(&self) -> bool {
        self.written.is_err() || self.state.get() == State::GivenUp
    }
}

/// Whether the driver, or a program that uses the GPU, prints such a line.
fn is_known(record: &Record<'_>, patterns: &Patterns) -> bool {
    let unstated = record.origin == Origin::Unstated;
    let matcher = patterns.matcher();
    unstated && landmark::is_kernel_text(matcher, record.message)
        || matcher.find(record.message, &[Printer::Program], unstated).is_some()
}

/// A writer that buffers its output while the list waits.
struct Delayed<'o> {
    out: &'o mut dyn Write,
    state: &'o Cell<State>,
    waiting: Vec<u8>,
}

impl Delayed<'_> {
    fn write_waiting(&mut self) -> io::Result<()> {
        self.out.write_all(&std::mem::take(&mut self.waiting))
    }
}

impl Write for Delayed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let State::Waiting { or_written } = self.state.get() {
            self.waiting.extend_from_slice(bytes);
            if self.waiting.len() > WAITING_LIMIT {
                self.state.set(if or_written { State::Written } else { State::GivenUp });
            }
            return Ok(bytes.len());
        }
        if self.state.get() == State::GivenUp {
            return Ok(bytes.len());
        }
        if !self.waiting.is_empty() {
            self.write_waiting()?;
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Arguments, Command};
    use clap::Parser;

    /// An endless input that records when it is dropped.
    struct Endless<'d>(&'d Cell<bool>);

    impl io::Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let line = b"[    1.000000] usb 1-1: text\n";
            let count = buffer.len() / line.len() * line.len();
            for (byte, want) in buffer.iter_mut().zip(line.iter().cycle()) {
                *byte = *want;
            }
            Ok(count.max(line.len().min(buffer.len())))
        }
    }

    impl Drop for Endless<'_> {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }

    /// A writer whose reader closes it after this number of bytes.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn source<'r>(reader: impl io::Read + 'r) -> Source<'r> {
        Source {
            name: "log".to_owned(),
            archive: None,
            compression: None,
            journal: false,
            modified: None,
            reader: Box::new(reader),
        }
    }

    fn taken(
        arguments: &[&str],
        source: Source<'_>,
        role: Role,
        out: &mut dyn Write,
    ) -> Result<LogOutcome, Failure> {
        let words = ["amdtriage", "records"].iter().chain(arguments);
        let Some(Command::Records(arguments)) = Arguments::parse_from(words).command else {
            unreachable!()
        };
        let mut lists = Lists { arguments: &arguments, count: 0, patterns: OnceCell::new() };
        lists.take(source, role, out)
    }

    #[test]
    fn a_log_without_end_is_read_no_further_than_the_list_is() {
        for arguments in [&[][..], &["--format", "ndjson"], &["-v"]] {
            for role in [Role::Asked, Role::Member, Role::Machine] {
                let dropped = Cell::new(false);
                let done = taken(arguments, source(Endless(&dropped)), role, &mut Full(10_000));
                assert!(matches!(done, Err(Failure::Output(_))), "{arguments:?} {role:?}");
                // Dropping the reader ends the program that writes the journal's entries.
                assert!(dropped.get());
            }
        }
    }

    #[test]
    fn a_list_waits_for_what_shows_that_it_is_a_log() {
        let program = "Mar  4 18:35:23 host cron[7]: text\n";
        for (last, of_use) in [
            ("", false),
            ("Mar  4 18:35:23 host kernel: usb 1-1: text\n", true),
            ("amdgpu 0000:2d:00.0: amdgpu: some text\n", true),
            (
                "Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7f0. Reason: Unknown.\n",
                true,
            ),
            ("root 291 0.0 0.0 0 0 ? D< 09:48 0:01 [kworker/u64:5+ttm]\n", true),
        ] {
            for role in [Role::Member, Role::Machine] {
                let log = format!("{program}{last}");
                let mut out = Vec::new();
                let done = taken(&[], source(log.as_bytes()), role, &mut out).unwrap();
                assert_eq!(done.of_use, of_use, "{last}");
                assert_eq!(out.is_empty(), !of_use, "{last}");
            }
            let mut out = Vec::new();
            assert!(taken(&[], source(program.as_bytes()), Role::Asked, &mut out).unwrap().of_use);
            assert!(!out.is_empty());
        }
    }

    /// Output of a user's programs in a long boot must not be mistaken for the kernel's log.
    #[test]
    fn what_waits_is_bounded() {
        let log = "Mar  4 18:35:23 host cron[7]: text\n".repeat(WAITING_LIMIT / 30);
        for (role, of_use) in [(Role::Member, true), (Role::Machine, false)] {
            let mut out = Vec::new();
            let done = taken(&[], source(log.as_bytes()), role, &mut out).unwrap();
            assert_eq!((done.of_use, out.is_empty()), (of_use, !of_use));
        }
    }
}
