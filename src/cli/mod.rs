//! The command line program: parses arguments, runs commands, decides the exit status.

pub(crate) mod args;
mod ascii;
mod bookmark;
mod check;
mod choice;
mod chosen;
mod completions;
mod coverage;
mod decode;
mod diff;
mod events;
mod explain;
pub mod failure;
mod fixtures;
mod follow;
mod hook;
mod lint;
mod list;
mod logs;
mod machine;
mod man;
mod notify;
mod open_files;
pub mod output;
mod pager;
mod pages;
mod patterns;
mod progress;
mod redact;
pub mod report;
mod rows;
mod run;
pub(crate) mod settings;
mod signals;
mod sources;
mod streams;
mod system;
mod triage;
mod usage;
mod watch;
mod why;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::Parser;
use clap::error::ErrorKind;

use crate::host::process;
use crate::report::json;

use args::{Arguments, Command, FileArguments, PageArguments, PageFormat, SchemaArguments, When};
use failure::Failure;
use streams::{Destination, Messages, Streams};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// No problem was found.
    Fine,
    /// A failure was diagnosed.
    FailureFound,
    /// The command could not do its job.
    CouldNot,
    /// The status of a command that was run, or a monitoring system's own code.
    Status(u8),
}

impl Ending {
    /// The ending for a run with this result.
    pub(crate) const fn of(complete: bool, failed: bool) -> Self {
        match (complete, failed) {
            (false, _) => Self::CouldNot,
            (true, true) => Self::FailureFound,
            (true, false) => Self::Fine,
        }
    }

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
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    messages: &mut dyn Write,
) -> Ending {
    let arguments: Vec<_> = decode::without_signs(arguments).collect();
    if let [_, word, root @ ..] = arguments.as_slice()
        && word == process::WORD
    {
        let root = root.first().map(PathBuf::from);
        let served = process::serve(root, io::stdin().lock(), out);
        return if served.is_ok() { Ending::Fine } else { Ending::CouldNot };
    }
    let ascii = io::stderr().is_terminal() && !settings::is_utf8();
    let mut filtered;
    let messages: &mut dyn Write = if ascii {
        filtered = ascii::Ascii::new(messages);
        &mut filtered
    } else {
        messages
    };
    let mut streams = Streams { out, messages: Messages::new(messages) };
    let done = match Arguments::try_parse_from(&arguments) {
        Err(error) => refused(&error, &arguments, &mut streams),
        Ok(arguments) => answer(arguments, &mut streams),
    };
    done.unwrap_or_else(|failure| match failure {
        // A closed pipe means that the reader has seen enough.
        Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Ending::Fine,
        failure => {
            streams.messages.tell(&failure);
            Ending::CouldNot
        }
    })
}

fn answer(arguments: Arguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let Some(command) = arguments.command else { return triage::run(arguments.report, streams) };
    match &command {
        Command::Records(arguments) => list::records(arguments, streams),
        Command::Events(arguments) => events::run(arguments, streams),
        Command::Rows(arguments) => rows::run(arguments, streams),
        Command::Explain(arguments) => explain::explain(arguments, streams),
        Command::Follow(arguments) => follow::run(arguments, streams),
        Command::Run(arguments) => run::run(arguments, &mut streams.messages),
        Command::Redact(arguments) => redact::run(arguments, streams),
        Command::Patterns(command) => patterns::run(command, streams),
        Command::Check(arguments) => check::run(arguments, streams),
        Command::Report(arguments) => report::run(arguments, streams),
        Command::Diff(arguments) => diff::run(arguments, streams),
        Command::Decode(arguments) => decode::run(arguments, streams),
        Command::Schema(arguments) => schema(arguments, streams),
        Command::Completions(arguments) => completions::run(arguments, streams),
        Command::Man(arguments) => man::run(arguments, streams),
    }
}

/// Help and version are output; anything else is an error.
fn refused(
    error: &clap::Error,
    typed: &[OsString],
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let text = error.render();
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // Nothing can be done if a message cannot be written.
        let _ = write!(streams.messages.stream(), "{text}");
        return Ok(Ending::CouldNot);
    }
    if error.use_stderr() {
        let lines = usage::Mistake::of(error, typed).lines();
        for line in &lines {
            let _ = writeln!(streams.messages.stream(), "{line}");
        }
        return match check::short_exit(typed) {
            Some(exit) => check::unknown(exit, lines.first().map_or("", String::as_str), streams),
            None => Ok(Ending::CouldNot),
        };
    }
    let page = PageArguments { color: When::Auto, no_pager: false };
    let nowhere = FileArguments::default();
    let to = Destination::of(&nowhere, page, PageFormat::Human, &[])?;
    streams.write_to(to, |out| write!(out, "{text}"))?;
    Ok(Ending::Fine)
}

fn schema(arguments: &SchemaArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let to = Destination::file(&arguments.file, &[])?;
    streams.write_to(to, |out| json::schema::write(arguments.of, out))?;
    Ok(Ending::Fine)
}
