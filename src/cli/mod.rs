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
use crate::record::{Direction, Options, Reading};
use crate::report::records::{RecordList, RecordObjects, RecordTable};
use crate::report::untrusted::Untrusted;
use crate::report::{Part, Report, Verdict, human, json, listing};

use args::{
    Arguments, Command, Format, Inputs, ListArguments, ListFormat, RecordArguments, ReportArguments,
};
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
        Some(Command::Records(arguments)) => records(&arguments, out, messages),
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
        Format::Human => {
            let &ReportArguments { color, verbose, all, .. } = arguments;
            human::write(&report, settings::look(color, verbose, all), out)
        }
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(match (complete, report.verdict()) {
        (false, _) => Ending::CouldNot,
        (true, Verdict::Failure) => Ending::FailureFound,
        (true, _) => Ending::Fine,
    })
}

/// Reads all inputs; false where one of several could not be read, or one not to its end.
fn parts(
    inputs: &Inputs,
    patterns: &Patterns,
    messages: &mut impl Write,
) -> Result<(Vec<Part>, bool), Failure> {
    let mut parts = Vec::new();
    let mut unfinished = Vec::new();
    let complete = sources::each(inputs, messages, &mut |source, member| {
        let options = options(inputs, &source).0;
        let part = understood(source, options, patterns)?;
        let holds = !member || part.verdict() != Verdict::NoKernelLog;
        if holds {
            unfinished.extend(cut_short(&part.name, &part.log.reading));
            parts.push(part);
        }
        Ok(holds)
    })?;
    for failure in &unfinished {
        tell(failure, messages);
    }
    Ok((parts, complete && unfinished.is_empty()))
}

/// How `source` is to be read, and what the years in it follow from.
fn options(inputs: &Inputs, source: &Source<'_>) -> (Options, &'static str) {
    let saved = settings::saved(source.modified);
    // What journalctl writes of a journal needs no word from anybody.
    let said = inputs.input_format.filter(|_| !source.journal);
    let only = said.map(args::InputFormat::family);
    (Options { only, reference: saved.local, ..Options::default() }, saved.by)
}

/// Why not all of an input was read.
fn cut_short(name: &str, reading: &Reading) -> Option<Failure> {
    let error = reading.stopped.as_ref()?;
    let name = name.to_owned();
    // Nothing but a limit of the reader's own has no kind.
    let turned = reading.direction == Direction::Reversed && error.kind() == io::ErrorKind::Other;
    Some(if turned {
        Failure::NewestOnly { name }
    } else {
        Failure::Stopped { name, said: error.to_string() }
    })
}

fn understood(source: Source<'_>, options: Options, patterns: &Patterns) -> Result<Part, Failure> {
    let Source { name, archive, compression, reader, .. } = source;
    let failed = |error| InputError::from_read(&name, error).within(archive.as_deref());
    let mut lines = Lines::new(reader);
    let mut log = Log::read(&mut lines, options, patterns).map_err(failed)?;
    if let Some(error) = log.reading.stopped.take_if(|error| InputError::is_damage(error)) {
        return Err(failed(error).into());
    }
    if matches!(log.reading.direction, Direction::Mixed | Direction::Interleaved) {
        return Err(Failure::Directionless { name });
    }
    let conclusions = conclusions(&log, patterns);
    Ok(Part { name, compression, log, conclusions })
}

fn records(
    arguments: &RecordArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let inputs = &arguments.list.inputs;
    let mut lists = 0;
    let complete = sources::each(inputs, messages, &mut |source, member| {
        let one_of_several = inputs.files.len() > 1 || (member && !source.journal);
        if one_of_several && arguments.list.format == ListFormat::Table {
            listing::heading(&source.name, lists == 0, out).map_err(Failure::Output)?;
        }
        lists += 1;
        list_records(source, arguments, out)?;
        Ok(true)
    })?;
    out.flush().map_err(Failure::Output)?;
    Ok(if complete { Ending::Fine } else { Ending::CouldNot })
}

fn list_records(
    source: Source<'_>,
    arguments: &RecordArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (options, reference) = options(&arguments.list.inputs, &source);
    let Source { name, archive, reader, .. } = source;
    let mut list: Box<dyn RecordList + '_> = match arguments.list.format {
        ListFormat::Table => {
            let look = settings::look(arguments.color, arguments.verbose, false);
            Box::new(RecordTable::new(out, look, reference))
        }
        ListFormat::Ndjson => Box::new(RecordObjects::new(out, arguments.verbose)),
    };
    let mut written = Ok(());
    let as_it_comes = Options { as_it_comes: true, ..options };
    let reading = crate::record::read(&mut Lines::new(reader), as_it_comes, |read| {
        if written.is_ok() {
            written = list.add(read);
        }
    });
    written.map_err(Failure::Output)?;
    let failed = |error| InputError::from_read(&name, error).within(archive.as_deref());
    let mut reading = reading.map_err(failed)?;
    list.finish(&name, &reading).map_err(Failure::Output)?;
    // What could be read is listed; that it is not all has to be said.
    if let Some(error) = reading.stopped.take_if(|error| InputError::is_damage(error)) {
        return Err(failed(error).into());
    }
    cut_short(&name, &reading).map_or(Ok(()), Err)
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
