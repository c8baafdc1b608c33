//! Arguments for `redact`.

use std::path::PathBuf;

use clap::Args;

use super::{FileArguments, OUTPUT, PatternArguments, QuietArguments, SHOW};

/// Arguments of `redact`.
#[derive(Debug, Args)]
pub(crate) struct RedactArguments {
    /// Logs, journal files, archives, or directories of them; `-` is standard input
    ///
    /// Compressed files are unpacked, UTF-16 becomes UTF-8, and a journal file becomes what
    /// `journalctl -o export` prints of it. Several inputs are written one after the other, with
    /// equal tokens for equal values.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// Also replace the names of processes, except common ones
    #[arg(long, help_heading = SHOW)]
    pub drop_process_names: bool,

    /// Only report what would be replaced: kinds and lines, no values
    #[arg(long, conflicts_with_all = ["output", "map"], help_heading = SHOW)]
    pub check: bool,

    /// Where it goes.
    #[command(flatten)]
    pub file: FileArguments,

    /// Write the value of each token to a private file
    ///
    /// Only its owner can read it. Keep it: nothing else maps tokens back to values.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub map: Option<PathBuf>,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,
}
