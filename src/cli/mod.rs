//! The commands: what each reads, what it writes, and with which exit status it ends.

pub mod args;
mod check;
mod choice;
mod completions;
mod coverage;
mod decode;
mod diff;
mod explain;
pub mod failure;
mod fixtures;
mod follow;
mod hook;
mod lint;
mod list;
mod machine;
mod man;
mod notify;
pub mod output;
mod patterns;
mod progress;
mod redact;
pub mod report;
mod run;
pub mod settings;
mod sources;
mod watch;
mod why;

use std::io::{self, Write};
use std::mem::ManuallyDrop;

use clap::Parser;

use crate::diagnosis::choice::Choice;
use crate::diagnosis::conclusions;
use crate::diagnosis::verdict::Verdict;
use crate::event::log::Log;
use crate::host::process;
use crate::input::{InputError, Lines, PrintCommand, Source};
use crate::pattern::Patterns;
use crate::record::{Direction, Options, Reading};
use crate::report::page::Look;
use crate::report::time::Zone;
use crate::report::untrusted::{Untrusted, is_harmful};
use crate::report::{Part, Report, html, human, json, listing, markdown, unknown};

use args::{
    Arguments, Command, EventArguments, EventFormat, Inputs, ReportArguments, ReportFormat,
    SchemaArguments, When,
};
use failure::Failure;
use output::Target;
use sources::{Role, Taken};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing wrong was found.
    Fine,
    /// A failure was diagnosed.
    FailureFound,
    /// The job could not be done.
    CouldNot,
    /// A command was run that ended with this status, or a program that watches machines is told by its own
    /// numbers.
    Status(u8),
}

impl Ending {
    /// The exit status.
    #[must_use]
    pub const fn status(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::FailureFound => 1,
            Self::CouldNot => 2,
            Self::Status(status) => status,
        }
    }
}

/// Runs the program. Reports go to `out`, messages about the run to `messages`.
pub fn run(
    arguments: impl IntoIterator<Item = std::ffi::OsString>,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Ending {
    let arguments: Vec<_> = decode::without_signs(arguments).collect();
    if let [_, word, root @ ..] = arguments.as_slice()
        && word == process::WORD
    {
        let root = root.first().map(std::path::PathBuf::from);
        let served = process::serve(root, io::stdin().lock(), out);
        return if served.is_ok() { Ending::Fine } else { Ending::CouldNot };
    }
    let done = match Arguments::try_parse_from(arguments) {
        Err(error) => usage(&error, out, messages),
        Ok(arguments) => match arguments.command {
            None => plain_report(arguments.report, out, messages),
            Some(Command::Records(arguments)) => list::records(&arguments, out, messages),
            Some(Command::Events(list)) => events(&list, out, messages),
            Some(Command::Explain(arguments)) => explain::explain(&arguments, out, messages),
            Some(Command::Follow(arguments)) => follow::run(&arguments, out, messages),
            Some(Command::Run(arguments)) => run::run(&arguments, messages),
            Some(Command::Redact(arguments)) => redact::run(&arguments, out, messages),
            Some(Command::Patterns(command)) => patterns::run(&command, out, messages),
            Some(Command::Check(arguments)) => check::run(&arguments, out, messages),
            Some(Command::Report(arguments)) => report::run(&arguments, out, messages),
            Some(Command::Diff(arguments)) => diff::run(&arguments, out, messages),
            Some(Command::Decode(arguments)) => decode::run(&arguments, out),
            Some(Command::Schema(arguments)) => schema(&arguments, out),
            Some(Command::Completions(arguments)) => completions::run(&arguments, out),
            Some(Command::Man(arguments)) => man::run(&arguments, out),
        },
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
fn usage(
    error: &clap::Error,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let text = error.render();
    if error.use_stderr() {
        // Nothing can be done about a message that cannot be written.
        let _ = write!(messages, "{text}");
        return Ok(Ending::CouldNot);
    }
    write!(out, "{text}").and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(Ending::Fine)
}

/// One line that says what happened and what to try; a list of mistakes has lines of its own.
fn tell(failure: &Failure, messages: &mut impl Write) {
    // Names of files are other people's text, too.
    let sentence = failure.to_string();
    // What is shown as something else cannot be typed.
    let hint = failure.hint().filter(|hint| !hint.contains(is_harmful));
    let hint = hint.map(|hint| format!("try: {hint}"));
    let told = if matches!(failure, Failure::Patterns(_)) {
        let lines = sentence.lines().map(|line| Untrusted(line).to_string()).chain(hint);
        lines.collect::<Vec<_>>().join("\n")
    } else {
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{}{hint}", Untrusted(&sentence))
    };
    let _ = writeln!(messages, "amdtriage: {told}");
}

fn plain_report(
    mut arguments: ReportArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    if let Some(stays) = follow::begun(&mut arguments)? {
        return follow::pipe(&arguments, stays, out, messages);
    }
    let arguments = &arguments;
    let Inputs { files, patterns, .. } = &arguments.inputs;
    let target = arguments.output.as_deref().map(|path| Target::new(path, files)).transpose()?;
    let patterns = patterns::loaded(patterns)?;
    let mut choice = arguments.choice.choice();
    let Inquiry { mut parts, mut complete, .. } =
        parts(&arguments.inputs, &mut choice, arguments.quiet, &patterns, messages)?;
    if parts.is_empty() {
        return Ok(Ending::CouldNot);
    }
    complete &= choice::narrow(&mut parts, &choice, messages)?;
    for part in &mut parts {
        part.show_in(zone(arguments));
    }
    // The program ends with it: to give back each piece of a large log would be work for nobody.
    let report = ManuallyDrop::new(Report { patterns: patterns.digest.clone(), parts });
    for part in report.parts.iter().filter(|part| part.verdict() == Verdict::NoKernelLog) {
        complete = false;
        let said = arguments.inputs.input_format.is_some();
        tell(&Failure::NoKernelLog { name: part.name.clone(), said }, messages);
    }
    match target {
        // What there is to say of such an input has just been said.
        Some(_) if is_silent(arguments, &report) => {}
        Some(target) => target.replace(|file| write(&report, arguments, file))?,
        None => {
            write(&report, arguments, out).and_then(|()| out.flush()).map_err(Failure::Output)?;
        }
    }
    Ok(match (complete, report.verdict()) {
        (false, _) => Ending::CouldNot,
        (true, Verdict::Failure) => Ending::FailureFound,
        (true, _) => Ending::Fine,
    })
}

/// The zone to show times of day in: a machine's own log tells them in UTC, and nobody reads its clocks so.
fn zone(arguments: &ReportArguments) -> Zone {
    match arguments.zone() {
        Zone::AsPrinted if sources::reads_machine(&arguments.inputs) => {
            Zone::Other(settings::offset)
        }
        zone => zone,
    }
}

/// Whether a report for people would say no more than what the messages have said.
fn is_silent(arguments: &ReportArguments, report: &Report) -> bool {
    arguments.format == ReportFormat::Human && report.verdict() == Verdict::NoKernelLog
}

fn write(report: &Report, arguments: &ReportArguments, out: &mut impl Write) -> io::Result<()> {
    let &ReportArguments { events, unknown, .. } = arguments;
    let include = json::Include { events, unknown };
    match arguments.format {
        ReportFormat::Json => json::write(report, include, out),
        ReportFormat::Ndjson => json::ndjson::write(report, include, out),
        ReportFormat::Markdown => markdown::write(report, out),
        ReportFormat::Html => html::write(report, out),
        ReportFormat::Human if is_silent(arguments, report) => Ok(()),
        ReportFormat::Human if arguments.quiet => human::write_line(report, out),
        ReportFormat::Human => {
            let &ReportArguments { color, verbose, all, timeline, .. } = arguments;
            let look = Look { unknown, timeline, ..settings::look(color, verbose, all) };
            let in_a_file = arguments.output.is_some() && color == When::Auto;
            human::write(report, Look { colour: look.colour && !in_a_file, ..look }, out)
        }
    }
}

/// What is known of all inputs.
struct Inquiry {
    parts: Vec<Part>,
    /// Whether the inputs, or the files in them, are several, so that each has to be named.
    several: bool,
    /// False where an input could not be read, or not to its end.
    complete: bool,
}

fn parts(
    inputs: &Inputs,
    choice: &mut Choice,
    quiet: bool,
    patterns: &Patterns,
    messages: &mut impl Write,
) -> Result<Inquiry, Failure> {
    let mut parts = Vec::new();
    let mut several = inputs.files.len() > 1;
    let watched = progress::is_wanted(quiet);
    let complete = sources::each(inputs, choice, messages, &mut |source, role| {
        let options = options(inputs, &source).0;
        let source = if watched { progress::watched(source) } else { source };
        let (part, cut) = understood(source, options, patterns)?;
        let of_use = role == Role::Asked || part.verdict() != Verdict::NoKernelLog;
        several |= role == Role::Member;
        if of_use {
            parts.push(part);
        }
        Ok(Taken { of_use, cut })
    })?;
    Ok(Inquiry { parts, several, complete })
}

/// How `source` is to be read, and what the years in it follow from.
fn options(inputs: &Inputs, source: &Source<'_>) -> (Options, &'static str) {
    let saved = settings::saved(source.modified);
    // What journalctl writes of a journal needs no word from anybody.
    let said = inputs.input_format.filter(|_| !source.journal);
    let only = said.map(args::InputFormat::family);
    (Options { only, reference: saved.local, ..Options::default() }, saved.by)
}

/// Why not all of an input was read. `printed_by` is the command that prints it.
fn cut_short(name: &str, printed_by: Option<PrintCommand>, reading: &Reading) -> Option<Failure> {
    let error = reading.stopped.as_ref()?;
    let name = name.to_owned();
    // Nothing but a limit of the reader's own has no kind.
    let turned = reading.direction == Direction::Reversed && error.kind() == io::ErrorKind::Other;
    Some(if turned {
        Failure::NewestOnly { name, printed_by }
    } else {
        Failure::Stopped { name, said: error.to_string(), printed_by }
    })
}

/// What is known of one log, and why that is not all.
fn understood(
    source: Source<'_>,
    options: Options,
    patterns: &Patterns,
) -> Result<(Part, Option<Failure>), Failure> {
    let printed_by = source.printed_by();
    let Source { name, archive, compression, reader, .. } = source;
    let failed = |error| InputError::from_read(&name, error).within(archive.as_deref());
    let mut lines = Lines::new(reader);
    let mut log = Log::read(&mut lines, options, patterns).map_err(failed)?;
    let damage = log.reading.stopped.take_if(|error| InputError::is_damage(error)).map(failed);
    match log.reading.direction {
        Direction::Mixed if damage.is_none() => {
            return Err(Failure::Directionless { name, printed_by });
        }
        Direction::Interleaved => return Err(Failure::Interleaved { name }),
        _ => {}
    }
    let conclusions = conclusions(&log, patterns);
    let part = Part::new(name.clone(), compression, log, conclusions);
    match damage {
        // Nothing of it is worth a report, and the damage says why.
        Some(damage) if part.verdict() == Verdict::NoKernelLog => Err(damage.into()),
        Some(damage) => Ok((part, Some(damage.into()))),
        None => {
            let cut = cut_short(&name, printed_by, &part.log.reading);
            Ok((part, cut))
        }
    }
}

fn events(
    list: &EventArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&list.inputs.patterns)?;
    let Inquiry { mut parts, several, complete } =
        parts(&list.inputs, &mut Choice::default(), false, &patterns, messages)?;
    for part in &mut parts {
        part.log.events.retain(|observed| {
            let kind = observed.event.kind();
            (list.kind.is_empty() || list.kind.contains(&kind))
                && (list.device.is_none() || list.device == observed.device)
        });
    }
    let report = Report { patterns: patterns.digest.clone(), parts };
    let written = match (list.format, list.unknown) {
        (EventFormat::Table, false) => listing::events_table(&report, several, out),
        (EventFormat::Table, true) => unknown::write_table(&report, several, out),
        (EventFormat::Ndjson, false) => json::write_events(&report, out),
        (EventFormat::Ndjson, true) => unknown::write_objects(&report, out),
        (EventFormat::Toml, _) => {
            let taken = patterns.messages.iter().map(|message| message.id.as_str());
            unknown::write_toml(&report, taken, out)
        }
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(if complete { Ending::Fine } else { Ending::CouldNot })
}

fn schema(arguments: &SchemaArguments, out: &mut impl Write) -> Result<Ending, Failure> {
    json::schema::write(arguments.of.subject(), out)
        .and_then(|()| out.flush())
        .map_err(Failure::Output)?;
    Ok(Ending::Fine)
}
