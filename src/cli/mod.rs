//! The commands: what each reads, what it writes, and with which exit status it ends.

pub mod args;
pub mod failure;
mod patterns;
pub mod settings;
mod sources;

use std::io::{self, Write};

use clap::{CommandFactory, Parser};

use crate::diagnosis::conclusions;
use crate::event::log::Log;
use crate::input::{InputError, Lines, Source};
use crate::pattern::Patterns;
use crate::record::{Direction, Options, Read as Reading};
use crate::report::untrusted::Untrusted;
use crate::report::{Part, Report, Verdict, human, json, listing};

use args::{Arguments, Command, Format, Inputs, ListArguments, ListFormat, ReportArguments};
use failure::Failure;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing wrong was found.
    Fine,
    /// A failure was diagnosed.
    FailureFound,
    /// The job could not be done.
    CouldNot,
}

impl Ending {
    /// The exit status.
    #[must_use]
    pub const fn status(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::FailureFound => 1,
            Self::CouldNot => 2,
        }
    }
}

/// Runs the program. Reports go to `out`, messages about the run to `messages`.
pub fn run(
    arguments: impl IntoIterator<Item = std::ffi::OsString>,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Ending {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error, out, messages),
    };
    let done = match arguments.command {
        None => report(&arguments.report, out, messages),
        Some(Command::Records(list)) => records(&list, out, messages),
        Some(Command::Events(list)) => events(&list, out, messages),
        Some(Command::Man) => man(out),
    };
    done.unwrap_or_else(|failure| match failure {
        // Whoever read our output has seen enough.
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Ending::Fine,
        failure => {
            tell(&failure, messages);
            Ending::CouldNot
        }
    })
}

/// Help and version are answers; anything else is a mistake.
fn usage(error: &clap::Error, out: &mut impl Write, messages: &mut impl Write) -> Ending {
    let text = error.render();
    // Nothing can be done about a message that cannot be written.
    if error.use_stderr() {
        let _ = write!(messages, "{text}");
        Ending::CouldNot
    } else {
        let _ = write!(out, "{text}");
        Ending::Fine
    }
}

/// One line that says what happened and what to try; a list of mistakes has lines of its own.
fn tell(failure: &Failure, messages: &mut impl Write) {
    // Names of files are other people's text, too.
    let sentence = failure.to_string();
    let hint = failure.hint().map(|hint| format!("try: {}", Untrusted(&hint)));
    let told = if matches!(failure, Failure::Patterns(_)) {
        let lines = sentence.lines().map(|line| Untrusted(line).to_string()).chain(hint);
        lines.collect::<Vec<_>>().join("\n")
    } else {
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{}{hint}", Untrusted(&sentence))
    };
    let _ = writeln!(messages, "amdtriage: {told}");
}

fn report(
    arguments: &ReportArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&arguments.inputs.patterns)?;
    let (parts, mut complete) = parts(&arguments.inputs, &patterns, messages)?;
    if parts.is_empty() {
        return Ok(Ending::CouldNot);
    }
    let report = Report { patterns: patterns.digest.clone(), parts };
    for part in report.parts.iter().filter(|part| part.verdict() == Verdict::NoKernelLog) {
        complete = false;
        tell(&Failure::NoKernelLog { name: part.name.clone() }, messages);
    }
    let written = match arguments.format {
        Format::Json => json::write(&report, arguments.events, out),
        // What there is to say of such an input has just been said.
        Format::Human if report.verdict() == Verdict::NoKernelLog => Ok(()),
        Format::Human if arguments.quiet => human::write_line(&report, out),
        Format::Human => human::write(&report, settings::look(arguments), out),
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(match (complete, report.verdict()) {
        (false, _) => Ending::CouldNot,
        (true, Verdict::Failure) => Ending::FailureFound,
        (true, _) => Ending::Fine,
    })
}

/// Reads all inputs; false where one of several could not be read.
fn parts(
    inputs: &Inputs,
    patterns: &Patterns,
    messages: &mut impl Write,
) -> Result<(Vec<Part>, bool), Failure> {
    let mut parts = Vec::new();
    let complete = sources::each(inputs, messages, &mut |source, member| {
        let part = understood(source, patterns)?;
        let holds = !member || part.verdict() != Verdict::NoKernelLog;
        if holds {
            parts.push(part);
        }
        Ok(holds)
    })?;
    Ok((parts, complete))
}

fn understood(source: Source<'_>, patterns: &Patterns) -> Result<Part, Failure> {
    let Source { name, archive, compression, reader, .. } = source;
    let failed = |error| InputError::from_read(&name, error).within(archive.as_deref());
    let mut lines = Lines::new(reader);
    let mut log = Log::read(&mut lines, Options::default(), patterns).map_err(failed)?;
    if let Some(error) = log.reading.stopped.take_if(|error| InputError::is_damage(error)) {
        return Err(failed(error).into());
    }
    if log.reading.direction == Direction::Mixed {
        return Err(Failure::Directionless { name });
    }
    let conclusions = conclusions(&log, patterns);
    Ok(Part { name, compression, log, conclusions })
}

fn records(
    list: &ListArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let complete = sources::each(&list.inputs, messages, &mut |source, _| {
        list_records(source, list.format, out)?;
        Ok(true)
    })?;
    out.flush().map_err(Failure::Output)?;
    Ok(if complete { Ending::Fine } else { Ending::CouldNot })
}

fn list_records(
    source: Source<'_>,
    format: ListFormat,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let Source { name, archive, reader, .. } = source;
    let mut lines = Lines::new(reader);
    let mut written = Ok(());
    let as_it_comes = Options { as_it_comes: true, ..Options::default() };
    let reading = crate::record::read(&mut lines, as_it_comes, |read| {
        if let Reading::Record(record) = read
            && written.is_ok()
        {
            written = match format {
                ListFormat::Table => listing::record_text(record, out),
                ListFormat::Ndjson => listing::record_ndjson(record, out),
            };
        }
    });
    written.map_err(Failure::Output)?;
    let failed = |error| InputError::from_read(&name, error).within(archive.as_deref());
    let stopped = reading.map_err(failed)?.stopped;
    // What could be read is listed; that it is not all has to be said.
    stopped.map_or(Ok(()), |error| Err(failed(error).into()))
}

fn events(
    list: &ListArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&list.inputs.patterns)?;
    let (parts, complete) = parts(&list.inputs, &patterns, messages)?;
    let report = Report { patterns: patterns.digest.clone(), parts };
    let written = match list.format {
        ListFormat::Table => listing::events_table(&report, settings::width(), out),
        ListFormat::Ndjson => json::write_events(&report, out),
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(if complete { Ending::Fine } else { Ending::CouldNot })
}

fn man(out: &mut impl Write) -> Result<Ending, Failure> {
    let page = clap_mangen::Man::new(Arguments::command());
    page.render(out).and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(Ending::Fine)
}
