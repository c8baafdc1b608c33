//! What a person types behind `redact`.

use std::path::PathBuf;

use clap::Args;

use super::{INPUT, OUTPUT};

/// Arguments of `redact`.
#[derive(Debug, Args)]
pub(crate) struct RedactArguments {
    /// Logs, journal files, archives or folders of them; `-` is standard input
    ///
    /// Packed ones are unpacked, UTF-16 becomes UTF-8, and of a journal file comes what `journalctl -o export`
    /// prints of it. Several are written one after the other, and the same value has the same token in all.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write to a file instead of standard output
    ///
    /// The file gets its name once it is whole and was looked through again. Nothing is written through a
    /// symbolic link, nor over one of the logs.
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// Write what each token stands for to a file that only you may read
    ///
    /// Keep it: it is what the log no longer tells.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub map: Option<PathBuf>,

    /// Replace the names of processes, too, but for those of programs that everybody has
    #[arg(long)]
    pub drop_process_names: bool,

    /// Only say what would be replaced: kinds and lines, no values
    #[arg(long, conflicts_with_all = ["output", "map"])]
    pub check: bool,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,
}
