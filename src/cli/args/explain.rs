//! Arguments for `explain`.

use clap::Args;

use super::known::explained;
use super::output::AnswerFormat;
use super::{AnswerArguments, DistroArguments, PatternArguments, SHOW};

/// Arguments of explanations.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Names, or quoted lines of a log; `-` reads lines from standard input
    #[arg(value_name = "NAME|LINE", value_parser = explained(), hide_possible_values = true)]
    #[arg(allow_negative_numbers = true)]
    pub subjects: Vec<String>,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// Print the first line of each explanation
    #[arg(short, long, conflicts_with = "format", help_heading = SHOW)]
    pub quiet: bool,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<AnswerFormat>,
}
