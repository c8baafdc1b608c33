//! What a person types to hold two boots against each other.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::choice::boot;
use super::{INPUT, InputFormat, OUTPUT, SHOW, When};
use crate::diagnosis::choice::BootNumber;

/// Arguments of a comparison.
#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The log of a boot that went well, and that of one that did not; `-` is standard input
    ///
    /// Of an input with several logs the one with most lines of the driver is taken. With one FILE two boots
    /// of it are compared, without any two boots of this machine's journal.
    #[arg(value_names = ["GOOD", "BAD"], num_args = 0..=2)]
    pub files: Vec<PathBuf>,

    /// The boot of GOOD: 1 is the first in the log, 0 the last, -1 the one before the last
    ///
    /// As --boot counts. Without it, the last boot without an incident; of one log the last one before the bad
    /// boot.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = boot)]
    #[arg(help_heading = INPUT)]
    pub good: Option<BootNumber>,

    /// The boot of BAD; without it the last one with an incident
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = boot)]
    #[arg(help_heading = INPUT)]
    pub bad: Option<BootNumber>,

    /// Without FILE, read the journal of the machine whose disk is mounted at DIR
    #[arg(long, value_name = "DIR", conflicts_with = "files", help_heading = INPUT)]
    pub root: Option<PathBuf>,

    /// Read all inputs in this format, where their lines do not tell it
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = INPUT)]
    pub input_format: Option<InputFormat>,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// Also what is the same, and what is harmless
    #[arg(long, help_heading = SHOW)]
    pub all: bool,

    /// Show long lists whole
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,

    /// What to write
    #[arg(long, default_value = "human", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: DiffFormat,

    /// Write it to a file instead of standard output
    ///
    /// The file gets its name once it is whole. Nothing is written through a symbolic link or to a device, nor
    /// over one of the logs.
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// When to colour the text
    #[arg(long, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

/// The form of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people.
    Human,
    /// A page to paste into a tracker.
    Markdown,
    /// One JSON document.
    Json,
}
