//! Arguments for `run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::output::AnswerFormat;
use super::{DistroArguments, FailOn, FormatArguments, INPUT, OUTPUT, PatternArguments, When};

/// Arguments of running a command.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The command and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true, value_hint = clap::ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,

    /// Read this growing log instead of this machine's
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, help_heading = INPUT)]
    pub log: Option<PathBuf>,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// How long to wait for kernel messages after the command has ended
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = pause)]
    #[arg(help_heading = INPUT)]
    pub settle: Duration,

    /// Fail if a GPU failed (see --fail-on), even if the command succeeded
    #[arg(long, help_heading = OUTPUT)]
    pub gate: bool,

    /// What makes the exit status 1 with --gate
    #[arg(long, value_enum, default_value_t = FailOn::Failure, value_name = "VERDICT")]
    #[arg(requires = "gate", help_heading = OUTPUT)]
    pub fail_on: FailOn,

    /// Exit with status 75 if the command failed, a GPU failed, and all GPUs are usable again
    #[arg(long, help_heading = OUTPUT)]
    pub retry_safe: bool,

    /// Report in one line
    #[arg(short, long, help_heading = OUTPUT)]
    pub quiet: bool,

    /// In which form.
    #[command(flatten)]
    pub form: FormatArguments<AnswerFormat>,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// Write the report to a file instead of standard error
    ///
    /// FILE appears, or is replaced, once the report is complete.
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// When to use colors
    #[arg(long, value_enum, default_value_t = When::Never, value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

impl RunArguments {
    /// The command as it is typed.
    pub(crate) fn shown(&self) -> String {
        shell_words::join(self.command.iter().map(|word| word.to_string_lossy()))
    }
}

/// Seconds, up to an hour.
fn pause(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.0..=3600.0).contains(seconds));
    let wrong = || "not a number of seconds from 0 to 3600".to_owned();
    seconds.map(Duration::from_secs_f64).ok_or_else(wrong)
}
