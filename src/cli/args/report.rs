//! Arguments for a report.

use clap::Args;

use super::output::{ReportFormat, ZoneArguments};
use super::{
    AnswerArguments, CertaintyArguments, DistroArguments, FailOn, Inputs, OUTPUT, PartArguments,
    SHOW,
};

/// Arguments of the default command.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ReportArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// Which part of the log to show.
    #[command(flatten)]
    pub part: PartArguments,

    /// Which diagnoses to show.
    #[command(flatten)]
    pub certainty: CertaintyArguments,

    /// Include all events in JSON
    #[arg(long, help_heading = SHOW)]
    pub events: bool,

    /// Also list driver messages without a known meaning, errors first
    #[arg(long, help_heading = SHOW)]
    pub unknown: bool,

    /// Show the timeline also for a single incident
    #[arg(long, help_heading = SHOW)]
    pub timeline: bool,

    /// Also show harmless notices
    #[arg(long, help_heading = SHOW)]
    pub all: bool,

    /// Print one line for each input
    #[arg(short, long, conflicts_with = "verbose", help_heading = SHOW)]
    pub quiet: bool,

    /// Show all reasons, actions and references
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<ReportFormat>,

    /// What makes the exit status 1
    #[arg(long, value_enum, default_value_t = FailOn::Failure, value_name = "VERDICT")]
    #[arg(help_heading = OUTPUT)]
    pub fail_on: FailOn,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// In which zone.
    #[command(flatten)]
    pub zone: ZoneArguments,
}
