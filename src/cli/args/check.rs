//! Arguments for `check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::output::CheckFormat;
use super::{AnswerArguments, DistroArguments, FailOn, INPUT, OUTPUT, PatternArguments, SHOW};

/// Arguments of the check.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Check another machine: a directory with its /proc and /sys
    ///
    /// The directory of a sosreport, a mounted disk, or a copy. Links that lead out of it are not
    /// followed. Its log is the one that a sosreport has, else the journal, else var/log/dmesg.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = INPUT)]
    pub root: Option<PathBuf>,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<CheckFormat>,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// Expect N AMD GPUs: fewer are a failure, more a warning
    #[arg(long, value_name = "N", help_heading = SHOW)]
    pub expect_gpus: Option<usize>,

    /// Print one line that begins with OK, WARNING, CRITICAL or UNKNOWN
    #[arg(long, conflicts_with_all = ["format", "verbose"], help_heading = OUTPUT)]
    pub short: bool,

    /// Use the exit status of this program [default: report; nagios with --short]
    #[arg(long, value_enum, value_name = "PROGRAM", help_heading = OUTPUT)]
    pub exit: Option<ExitAs>,

    /// What makes the exit status 1, also with --short
    #[arg(long, value_enum, value_name = "VERDICT", conflicts_with = "exit")]
    #[arg(help_heading = OUTPUT)]
    pub fail_on: Option<FailOn>,

    /// Copy pending crash dumps to a directory
    ///
    /// Only root can read them. They contain what the GPU was working on, so only the owner can
    /// read the copies. The kernel keeps the dump until it expires.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = OUTPUT)]
    pub save_coredumps: Option<PathBuf>,

    /// Print one line, with the usual exit status
    #[arg(short, long, conflicts_with_all = ["format", "verbose"], help_heading = SHOW)]
    pub quiet: bool,

    /// Show all evidence, actions, sources and references
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,
}

/// The convention for the exit status of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExitAs {
    /// 0 nothing wrong, 1 a failure, 2 too little could be read
    Report,
    /// 0 OK, 1 warning, 2 critical, 3 unknown (Nagios and compatible)
    Nagios,
    /// 0 no failure, 1 a failure, 2 unknown (node-problem-detector)
    Npd,
    /// 0 the result was written, 2 it was not (for a file that says the rest)
    Written,
}
