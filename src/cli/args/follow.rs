//! What a person types to follow a log that grows.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DistroArguments, INPUT, InputFormat, OUTPUT, SHOW, When};

/// Arguments of following.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct FollowArguments {
    /// A log that grows, a journal file or a folder of them; `-` is standard input
    #[arg(value_name = "FILE", conflicts_with = "this_machine")]
    pub file: Option<PathBuf>,

    /// Follow this machine, also where standard input is no terminal
    #[arg(long, help_heading = INPUT)]
    pub this_machine: bool,

    /// Tell also what is there at the beginning
    #[arg(long, help_heading = INPUT)]
    pub from_start: bool,

    /// Go on where the last run stopped, and remember in FILE how far this one came (journals only)
    ///
    /// What was told before is not told again; an incident that was open then is, when it is over. The file
    /// is written after each piece of news was told, so that a run that is killed loses nothing: at most its
    /// last news are told twice.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub cursor_file: Option<PathBuf>,

    /// Print a unit for systemd that follows this machine, instead of following anything
    #[arg(long, exclusive = true)]
    pub print_unit: bool,

    /// Read the input in this format, where its lines do not tell it
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = INPUT)]
    pub input_format: Option<InputFormat>,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// Tell incidents only, no single events
    #[arg(short, long, help_heading = SHOW)]
    pub quiet: bool,

    /// Tell also events that only introduce the machine
    #[arg(long, help_heading = SHOW)]
    pub all: bool,

    /// What to write
    #[arg(long, default_value = "human", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: FollowFormat,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// Run a command for what is new, with the news as a line of JSON on its standard input
    ///
    /// The text is split into words as a shell does, and no shell is run. One command runs at a time; 64
    /// wait, and what comes while all places are taken is counted and left out. One that takes more than five
    /// minutes is ended, with what it has started.
    #[arg(long, value_name = "COMMAND", help_heading = OUTPUT)]
    pub exec: Option<String>,

    /// For what to run it
    #[arg(long, value_enum, default_value_t = On::Incident, value_name = "NEWS")]
    #[arg(requires = "exec", help_heading = OUTPUT)]
    pub on: On,

    /// When to colour the text
    #[arg(long, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

/// The form of what is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FollowFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Ndjson,
}

/// For what a command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum On {
    /// An incident that is over.
    Incident,
    /// An incident, each time that something is told of it.
    Diagnosis,
    /// An event.
    Event,
}
