//! Arguments for `diff`.

use std::path::PathBuf;

use clap::Args;

use super::choice::boot;
use super::output::AnswerFormat;
use super::{AnswerArguments, INPUT, InputFormatArguments, PatternArguments, SHOW};
use crate::diagnosis::choice::BootNumber;

/// Arguments of a comparison.
#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The log of a good boot, and that of a bad one; `-` is standard input
    ///
    /// Of an input with several logs, the one with most lines of the driver is used. With one FILE,
    /// two of its boots are compared; without any, two boots of this machine's journal.
    #[arg(value_names = ["GOOD", "BAD"], num_args = 0..=2, value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// The boot of GOOD: 1 is the first in the log, 0 the last, -1 the one before
    ///
    /// Counts as --boot does. Default: the last boot without an incident; within one log, the last
    /// of these before the bad boot.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = boot)]
    #[arg(help_heading = INPUT)]
    pub good: Option<BootNumber>,

    /// The boot of BAD [default: the last one with an incident]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = boot)]
    #[arg(help_heading = INPUT)]
    pub bad: Option<BootNumber>,

    /// Without FILE, read the journal of the machine whose disk is mounted at DIR
    #[arg(long, value_name = "DIR", conflicts_with = "files", help_heading = INPUT)]
    #[arg(value_hint = clap::ValueHint::DirPath)]
    pub root: Option<PathBuf>,

    /// In which format.
    #[command(flatten)]
    pub input: InputFormatArguments,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// Also show what is equal, and what is harmless
    #[arg(long, help_heading = SHOW)]
    pub all: bool,

    /// Print the verdict in one line
    #[arg(short, long, conflicts_with_all = ["verbose", "format"], help_heading = SHOW)]
    pub quiet: bool,

    /// Do not shorten long lists
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<AnswerFormat>,
}
