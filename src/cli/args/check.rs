//! What a person types to ask how a machine is.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DistroArguments, FailOn, INPUT, OUTPUT, SHOW, When};

/// Arguments of the check.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Look at the files of another machine: a folder with its /proc and /sys
    ///
    /// The folder of a sosreport, a disk, or a copy. No link in it leads out of it. Its log is read where
    /// a sosreport has it.
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub root: Option<PathBuf>,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// What to write
    #[arg(long, default_value = "human", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: CheckFormat,

    /// Write it to a file, whole or not at all
    ///
    /// Whoever reads the file meanwhile, as the node exporter does, sees the old one or the new one.
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// Write one line that begins with OK, WARNING, CRITICAL or UNKNOWN
    #[arg(long, conflicts_with_all = ["format", "verbose"], help_heading = OUTPUT)]
    pub short: bool,

    /// Whose exit status to end with; `nagios` with --short, else `report`
    #[arg(long, value_enum, value_name = "WHOSE", help_heading = OUTPUT)]
    pub exit: Option<ExitAs>,

    /// What makes the exit status 1, also with --short, in place of --exit
    #[arg(long, value_enum, value_name = "VERDICT", conflicts_with = "exit")]
    #[arg(help_heading = OUTPUT)]
    pub fail_on: Option<FailOn>,

    /// Copy the crash dumps that wait to a folder
    ///
    /// Only root may read them. They hold what the GPU worked on, so that nobody else may read the copies.
    /// The dump itself stays until the kernel throws it away.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub save_coredumps: Option<PathBuf>,

    /// Add all evidence, all actions, sources and references
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,

    /// When to colour the report
    #[arg(long, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

/// What a check writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// Metrics for the textfile collector of Prometheus' node exporter.
    Prometheus,
}

/// Whose exit status a check ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExitAs {
    /// 0 nothing wrong, 1 a failure, 2 too little could be read.
    Report,
    /// 0 OK, 1 warning, 2 critical, 3 unknown, as Nagios and its relatives expect.
    Nagios,
    /// 0 no failure, 1 a failure, 2 unknown, as node-problem-detector expects.
    Npd,
}
