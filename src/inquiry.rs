//! Reads one input and analyses it, or says why that is impossible.

use std::io;

use crate::diagnosis::conclusions;
use crate::diagnosis::verdict::Verdict;
use crate::event::log::Log;
use crate::input::{Compression, Hint, InputError, Lines, PrintCommand, Source, called};
use crate::pattern::Patterns;
use crate::record::{Direction, Options, ReadStats};
use crate::report::ReportPart;

/// Why an input was not read, or not to its end.
#[derive(Debug, thiserror::Error, strum::EnumProperty, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs, reason = "the sentence says what its fields are")]
pub enum LogFailure {
    /// It cannot be read, or is damaged.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The records begin in ascending order and then mostly descend: their order is meaningless.
    #[error("cannot read {called}: its times run forward and backward", called = called(.name))]
    Directionless { name: String, printed_by: Option<PrintCommand> },
    /// The records alternate between boots or machines.
    #[error("cannot read {called}: it mixes lines of several boots or machines", called = called(.name))]
    #[strum(props(command = "journalctl -k -b | amdtriage"))]
    Interleaved { name: String },
    /// The records run from newest to oldest, and the input is too long to be reversed.
    #[error("only the newest 256 MiB of {called} were read: it is in reverse order", called = called(.name))]
    NewestOnly { name: String, printed_by: Option<PrintCommand> },
    /// Reading stopped before the end of the input; the report covers what came before.
    #[error("{called} was not read in full: {said}", called = called(.name))]
    Stopped { name: String, said: String, printed_by: Option<PrintCommand> },
}

impl LogFailure {
    /// A short code for programs: `gzip-cut`, `directionless`.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Input(error) => error.code(),
            other => <&str>::from(other).to_owned(),
        }
    }

    /// What the user can do next.
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        let again = |printed_by: &Option<PrintCommand>, filter: &str| {
            let printed = printed_by.as_ref()?.through(filter);
            Some(Hint::Command(format!("{printed} | amdtriage")))
        };
        match self {
            Self::Input(error) => error.hint(),
            Self::Directionless { printed_by, .. } => again(printed_by, "tail -n 1000"),
            Self::NewestOnly { printed_by, .. } => again(printed_by, "tac"),
            Self::Stopped { printed_by, .. } => again(printed_by, "tail -n 100000"),
            Self::Interleaved { .. } => Hint::of(self),
        }
    }
}

/// The input, as errors refer to it.
#[derive(Clone)]
pub(crate) struct InputName {
    pub(crate) name: String,
    archive: Option<String>,
    printed_by: Option<PrintCommand>,
}

impl InputName {
    /// The name of `source`, its compression, and its reader.
    pub(crate) fn of(source: Source<'_>) -> (Self, Option<Compression>, Box<dyn io::Read + '_>) {
        let printed_by = source.printed_by();
        let Source { name, archive, compression, reader, .. } = source;
        (Self { name, archive, printed_by }, compression, reader)
    }

    /// Describes a failed read.
    pub(crate) fn failed(&self, error: io::Error) -> InputError {
        InputError::from_read(&self.name, error).within(self.archive.as_deref())
    }

    /// Why the input was not read to its end: [`LogFailure::Input`] if it is damaged.
    pub(crate) fn cut(&self, reading: &mut ReadStats) -> Option<LogFailure> {
        if let Some(damage) = reading.stopped.take_if(|error| InputError::is_damage(error)) {
            reading.damaged = true;
            return Some(self.failed(damage).into());
        }
        let error = reading.stopped.as_ref()?;
        let (name, printed_by) = (self.name.clone(), self.printed_by.clone());
        // Only errors of the reader's own limits have the kind `Other`.
        let limit = error.kind() == io::ErrorKind::Other;
        Some(if limit && reading.direction == Direction::Reversed {
            LogFailure::NewestOnly { name, printed_by }
        } else {
            LogFailure::Stopped { name, said: error.to_string(), printed_by }
        })
    }

    /// The same for a log whose records must be in order.
    pub(crate) fn cut_in_order(
        &self,
        reading: &mut ReadStats,
    ) -> Result<Option<LogFailure>, LogFailure> {
        let cut = self.cut(reading);
        let damaged = matches!(cut, Some(LogFailure::Input(_)));
        let (name, printed_by) = (self.name.clone(), self.printed_by.clone());
        match reading.direction {
            Direction::Mixed if !damaged => Err(LogFailure::Directionless { name, printed_by }),
            Direction::Interleaved => Err(LogFailure::Interleaved { name }),
            Direction::Mixed | Direction::Forward | Direction::Reversed => Ok(cut),
        }
    }
}

/// The analysis of a log, and why it does not cover all of it.
pub(crate) type Understood = (ReportPart, Option<LogFailure>);

/// Analyses one log.
pub(crate) fn understood(
    source: Source<'_>,
    options: Options,
    patterns: &Patterns,
) -> Result<Understood, LogFailure> {
    let (input, compression, reader) = InputName::of(source);
    let log = Log::read(&mut Lines::new(reader), options, patterns);
    let log = log.map_err(|error| input.failed(error))?;
    concluded(input, compression, log, patterns)
}

/// Analyses the log of each machine that wrote into an input.
pub(crate) fn of_machines(
    source: Source<'_>,
    options: Options,
    patterns: &Patterns,
) -> Result<Vec<Result<Understood, LogFailure>>, LogFailure> {
    let (input, compression, reader) = InputName::of(source);
    let logs = Log::read_machines(&mut Lines::new(reader), options, patterns);
    let logs = logs.map_err(|error| input.failed(error))?;
    let several = logs.len() > 1;
    let concluded = logs.into_iter().map(|log| {
        let name = name_of(&input.name, &log, several);
        concluded(InputName { name, ..input.clone() }, compression, log, patterns)
    });
    Ok(concluded.collect())
}

/// The name of a machine's log; it includes the host if several machines wrote into the input.
pub(crate) fn name_of(input: &str, log: &Log, several: bool) -> String {
    let machine = log.reading.host.as_ref().or(log.reading.machine_id.as_ref());
    match machine.filter(|_| several) {
        Some(machine) => format!("{input} ({machine})"),
        None => input.to_owned(),
    }
}

fn concluded(
    input: InputName,
    compression: Option<Compression>,
    mut log: Log,
    patterns: &Patterns,
) -> Result<Understood, LogFailure> {
    let cut = input.cut_in_order(&mut log.reading)?;
    let conclusions = conclusions(&log, patterns);
    let mut part = ReportPart::new(input.name, compression, log, conclusions);
    part.trouble = cut.as_ref().map(LogFailure::code);
    if let Some(LogFailure::Input(error)) = &cut {
        part.cut = Some(error.to_string());
    }
    match cut {
        // The part before the damage is no kernel log: report the damage only.
        Some(damage @ LogFailure::Input(_)) if part.verdict() == Verdict::NoKernelLog => {
            Err(damage)
        }
        cut => Ok((part, cut)),
    }
}

/// The analysed logs of an input, one for each machine, and why they do not cover all of it.
pub(crate) struct Parts {
    pub(crate) of_use: Vec<ReportPart>,
    /// The number of machines that wrote into it.
    pub(crate) machines: usize,
    pub(crate) cut: Option<LogFailure>,
}

/// Reads an input. One that the user did not name is used only if it is a kernel log.
pub(crate) fn parts(
    source: Source<'_>,
    asked: bool,
    options: Options,
    patterns: &Patterns,
) -> Result<Parts, LogFailure> {
    let found = of_machines(source, options, patterns)?;
    let mut parts = Parts { of_use: Vec::new(), machines: found.len(), cut: None };
    for understood in found {
        let (part, cut) = match understood {
            Err(failure) if parts.machines > 1 => {
                parts.cut = parts.cut.or(Some(failure));
                continue;
            }
            understood => understood?,
        };
        if asked || part.verdict() != Verdict::NoKernelLog {
            parts.of_use.push(part);
        }
        parts.cut = parts.cut.or(cut);
    }
    Ok(parts)
}
