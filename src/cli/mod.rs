//! The commands: what each reads, what it writes, and with which exit status it ends.

pub mod args;
pub mod failure;
mod patterns;
pub mod settings;

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};

use crate::diagnosis::conclusions;
use crate::event::log::Log;
use crate::input::{self, InputError, Lines, Source};
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
///
/// A single input that cannot be read ends the run.
fn parts(
    inputs: &Inputs,
    patterns: &Patterns,
    messages: &mut impl Write,
) -> Result<(Vec<Part>, bool), Failure> {
    let mut parts = Vec::new();
    let mut complete = true;
    let sources = sources(inputs)?;
    let alone = sources.len() == 1;
    let mut passed_over = 0;
    for source in sources {
        let member = matches!(source, Wanted::Member(_));
        let part = open(source).and_then(|source| understood(source, patterns));
        match part {
            Ok(part) if member && part.verdict() == Verdict::NoKernelLog => passed_over += 1,
            Ok(part) => parts.push(part),
            Err(failure) if alone => return Err(failure),
            Err(failure) => {
                complete = false;
                tell(&failure, messages);
            }
        }
    }
    if passed_over > 0 {
        let _ =
            writeln!(messages, "amdtriage: {passed_over} files without a kernel log passed over");
    }
    match inputs.files.as_slice() {
        [folder, ..] if parts.is_empty() && passed_over > 0 => {
            Err(InputError::NoLogs { name: folder.display().to_string() }.into())
        }
        _ => Ok((parts, complete)),
    }
}

fn understood(source: Source, patterns: &Patterns) -> Result<Part, Failure> {
    let Source { name, compression, reader } = source;
    let mut lines = Lines::new(reader);
    let mut log = Log::read(&mut lines, Options::default(), patterns)
        .map_err(|error| InputError::from_read(&name, error))?;
    if compression.is_some()
        && let Some(error) = log.reading.stopped.take()
    {
        return Err(InputError::from_read(&name, error).into());
    }
    if log.reading.direction == Direction::Mixed {
        return Err(Failure::Directionless { name });
    }
    let conclusions = conclusions(&log, patterns);
    Ok(Part { name, compression, log, conclusions })
}

/// What is to be read.
enum Wanted {
    StandardInput,
    File(PathBuf),
    /// A file that nobody named: what is no log is passed over.
    Member(PathBuf),
}

fn sources(inputs: &Inputs) -> Result<Vec<Wanted>, Failure> {
    if inputs.files.is_empty() {
        return if io::stdin().is_terminal() {
            Err(Failure::NoInput)
        } else {
            Ok(vec![Wanted::StandardInput])
        };
    }
    let mut wanted = Vec::new();
    for file in &inputs.files {
        if file == Path::new("-") {
            wanted.push(Wanted::StandardInput);
        } else if file.is_dir() {
            wanted.extend(members(file)?.into_iter().map(Wanted::Member));
        } else {
            wanted.push(Wanted::File(file.clone()));
        }
    }
    Ok(wanted)
}

/// The files of a folder that can be logs.
fn members(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let files = input::walk(folder)?;
    let logs: Vec<PathBuf> = files
        .into_iter()
        .filter(|file| !matches!(input::open(file), Err(error) if error.is_no_log()))
        .collect();
    if logs.is_empty() {
        return Err(Failure::Input(InputError::NoLogs { name: folder.display().to_string() }));
    }
    Ok(logs)
}

fn open(wanted: Wanted) -> Result<Source, Failure> {
    Ok(match wanted {
        Wanted::StandardInput => input::standard_input(io::stdin())?,
        Wanted::File(path) | Wanted::Member(path) => input::open(&path)?,
    })
}

fn records(
    list: &ListArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let mut complete = true;
    let sources = sources(&list.inputs)?;
    let alone = sources.len() == 1;
    for wanted in sources {
        let listed = open(wanted).and_then(|source| list_records(source, list.format, out));
        match listed {
            Ok(()) => {}
            Err(failure @ Failure::Output(_)) => return Err(failure),
            Err(failure) if alone => return Err(failure),
            Err(failure) => {
                complete = false;
                tell(&failure, messages);
            }
        }
    }
    out.flush().map_err(Failure::Output)?;
    Ok(if complete { Ending::Fine } else { Ending::CouldNot })
}

fn list_records(source: Source, format: ListFormat, out: &mut impl Write) -> Result<(), Failure> {
    let Source { name, reader, .. } = source;
    let mut lines: Lines<Box<dyn Read>> = Lines::new(reader);
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
    reading.map_err(|error| InputError::from_read(&name, error))?;
    Ok(())
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
