//! What a person types. Help, man page and completions come from here and from nowhere else.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Says what happened to the AMD GPU, from the kernel's log
///
/// Reads logs of any origin (dmesg, journalctl, syslog, text pasted into a bug report) and says what
/// broke first, what the driver did about it, whether the GPU survived, how sure that is, which lines
/// prove it, and what to do next.
///
/// Exit status: 0 nothing wrong found, 1 a failure was diagnosed, 2 the job could not be done.
#[derive(Debug, Parser)]
#[command(
    name = "amdtriage",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        dmesg | amdtriage                  this boot's kernel log\n  \
        journalctl -k -b -1 | amdtriage    the last boot's, after a hard hang\n  \
        amdtriage kern.log report.txt      saved logs, one report each\n  \
        amdtriage --format json dmesg.txt  for programs"
)]
pub struct Arguments {
    /// Instead of a report.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// What to report on.
    #[command(flatten)]
    pub report: ReportArguments,
}

/// Arguments of the default command.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ReportArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub format: Format,

    /// Include every typed event in JSON
    #[arg(long)]
    pub events: bool,

    /// Show harmless notices, too
    #[arg(long)]
    pub all: bool,

    /// One line an input
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Reasons for the certainty, all actions, references
    #[arg(short, long)]
    pub verbose: bool,

    /// Colour the report
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,
}

/// Where to read, and with which knowledge.
#[derive(Debug, Args)]
pub struct Inputs {
    /// Logs, or folders of logs; `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR")]
    pub patterns: Vec<PathBuf>,
}

/// What to do instead of a report.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the log as it was read, one record a line
    Records(ListArguments),
    /// List the typed events, one a line
    Events(ListArguments),
    /// Print the man page
    Man,
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What to write
    #[arg(long, value_enum, default_value_t = ListFormat::Table, value_name = "FORMAT")]
    pub format: ListFormat,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people.
    Table,
    /// One JSON object a line.
    Ndjson,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// In any case.
    Always,
    /// Not at all.
    Never,
}
