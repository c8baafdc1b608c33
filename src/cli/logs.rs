//! The logs of a command, read and understood.

use std::io::{self, Read};

use super::args::{InputFormat, Inputs};
use super::failure::Failure;
use super::sources::{self, Role, Surveyed, Taken};
use super::streams::Messages;
use super::{progress, settings};
use crate::diagnosis::choice::Choice;
use crate::diagnosis::conclusions;
use crate::diagnosis::verdict::Verdict;
use crate::event::log::Log;
use crate::input::{Compression, InputError, Lines, PrintCommand, Source};
use crate::pattern::Patterns;
use crate::record::{Direction, Options, Reading};
use crate::report::ReportPart;
use crate::report::status::Unread;

/// What is known of all inputs.
pub(super) struct Inquiry {
    pub(super) parts: Vec<ReportPart>,
    /// Whether the inputs, or the files in them, are several, so that each has to be named.
    pub(super) several: bool,
    /// False where an input could not be read, or not to its end.
    pub(super) complete: bool,
    /// The inputs that could not be read.
    pub(super) unread: Vec<Unread>,
}

impl Inquiry {
    /// Reads all inputs.
    pub(super) fn read(
        inputs: &Inputs,
        choice: &mut Choice,
        quiet: bool,
        patterns: &Patterns,
        messages: &mut Messages<'_>,
    ) -> Result<Self, Failure> {
        let mut parts = Vec::new();
        let mut several = inputs.files.len() > 1;
        let watched = progress::is_wanted(quiet);
        let Surveyed { complete, unread } =
            sources::each(inputs, choice, messages, &mut |source, role| {
                let options = options(inputs.form.input_format, &source).0;
                let source = if watched { progress::watched(source) } else { source };
                let found = of_machines(source, options, patterns)?;
                several |= role == Role::Member || found.len() > 1;
                let mut taken = Taken { of_use: false, cut: None };
                let alone = found.len() == 1;
                for understood in found {
                    let (part, cut) = match understood {
                        Err(failure) if !alone => {
                            taken.cut = taken.cut.or(Some(failure));
                            continue;
                        }
                        understood => understood?,
                    };
                    let of_use = role == Role::Asked || part.verdict() != Verdict::NoKernelLog;
                    if of_use {
                        parts.push(part);
                    }
                    taken.of_use |= of_use;
                    taken.cut = taken.cut.or(cut);
                }
                Ok(taken)
            })?;
        Ok(Self { parts, several, complete, unread })
    }

    /// Says which inputs are no kernel log; it is not complete where one is none.
    pub(super) fn tell_what_is_no_log(&mut self, inputs: &Inputs, messages: &mut Messages<'_>) {
        for part in self.parts.iter().filter(|part| part.verdict() == Verdict::NoKernelLog) {
            self.complete = false;
            messages.tell(&inputs.no_kernel_log(&part.name));
        }
    }
}

impl Inputs {
    /// That nothing in the input of this name is a kernel log.
    pub(super) fn no_kernel_log(&self, name: &str) -> Failure {
        Failure::NoKernelLog { name: name.to_owned(), said: self.form.input_format.is_some() }
    }
}

/// How `source` is to be read, and what the years in it follow from.
pub(super) fn options(said: Option<InputFormat>, source: &Source<'_>) -> (Options, &'static str) {
    let saved = settings::saved(source.modified);
    // What journalctl writes of a journal needs no word from anybody.
    let said = said.filter(|_| !source.journal);
    let only = said.map(InputFormat::family);
    (Options { only, reference: saved.local, ..Options::default() }, saved.by)
}

/// What failures of reading an input are told by.
#[derive(Clone)]
pub(super) struct InputName {
    pub(super) name: String,
    archive: Option<String>,
    printed_by: Option<PrintCommand>,
}

impl InputName {
    /// That of `source`, how it was packed, and its bytes.
    pub(super) fn of(source: Source<'_>) -> (Self, Option<Compression>, Box<dyn Read + '_>) {
        let printed_by = source.printed_by();
        let Source { name, archive, compression, reader, .. } = source;
        (Self { name, archive, printed_by }, compression, reader)
    }

    /// What a failed read means.
    pub(super) fn failed(&self, error: io::Error) -> InputError {
        InputError::from_read(&self.name, error).within(self.archive.as_deref())
    }

    /// Why not all of it was read: [`Failure::Input`] where it is damaged.
    pub(super) fn cut(&self, reading: &mut Reading) -> Option<Failure> {
        if let Some(damage) = reading.stopped.take_if(|error| InputError::is_damage(error)) {
            reading.damaged = true;
            return Some(self.failed(damage).into());
        }
        let error = reading.stopped.as_ref()?;
        let (name, printed_by) = (self.name.clone(), self.printed_by.clone());
        // Nothing but a limit of the reader's own has no kind.
        let limit = error.kind() == io::ErrorKind::Other;
        Some(if limit && reading.direction == Direction::Reversed {
            Failure::NewestOnly { name, printed_by }
        } else {
            Failure::Stopped { name, said: error.to_string(), printed_by }
        })
    }

    /// The same of a log whose order has to tell something.
    pub(super) fn cut_in_order(&self, reading: &mut Reading) -> Result<Option<Failure>, Failure> {
        let cut = self.cut(reading);
        let damaged = matches!(cut, Some(Failure::Input(_)));
        let (name, printed_by) = (self.name.clone(), self.printed_by.clone());
        match reading.direction {
            Direction::Mixed if !damaged => Err(Failure::Directionless { name, printed_by }),
            Direction::Interleaved => Err(Failure::Interleaved { name }),
            Direction::Mixed | Direction::Forward | Direction::Reversed => Ok(cut),
        }
    }
}

/// What is known of a log, and why that is not all.
type Understood = (ReportPart, Option<Failure>);

/// What is known of one log.
pub(super) fn understood(
    source: Source<'_>,
    options: Options,
    patterns: &Patterns,
) -> Result<Understood, Failure> {
    let (input, compression, reader) = InputName::of(source);
    let log = Log::read(&mut Lines::new(reader), options, patterns);
    let log = log.map_err(|error| input.failed(error))?;
    concluded(input, compression, log, patterns)
}

/// What is known of each machine that writes into a log.
pub(super) fn of_machines(
    source: Source<'_>,
    options: Options,
    patterns: &Patterns,
) -> Result<Vec<Result<Understood, Failure>>, Failure> {
    let (input, compression, reader) = InputName::of(source);
    let logs = Log::read_machines(&mut Lines::new(reader), options, patterns);
    let logs = logs.map_err(|error| input.failed(error))?;
    let several = logs.len() > 1;
    let concluded = logs.into_iter().map(|log| {
        let machine = log.reading.host.as_ref().or(log.reading.machine_id.as_ref());
        let name = match machine.filter(|_| several) {
            Some(machine) => format!("{} ({machine})", input.name),
            None => input.name.clone(),
        };
        concluded(InputName { name, ..input.clone() }, compression, log, patterns)
    });
    Ok(concluded.collect())
}

fn concluded(
    input: InputName,
    compression: Option<Compression>,
    mut log: Log,
    patterns: &Patterns,
) -> Result<Understood, Failure> {
    let cut = input.cut_in_order(&mut log.reading)?;
    let conclusions = conclusions(&log, patterns);
    let mut part = ReportPart::new(input.name, compression, log, conclusions);
    part.trouble = cut.as_ref().map(Failure::code);
    match cut {
        // Nothing of it is worth a report, and the damage says why.
        Some(damage @ Failure::Input(_)) if part.verdict() == Verdict::NoKernelLog => Err(damage),
        cut => Ok((part, cut)),
    }
}
