//! What a person types to run a command beside its GPU.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{DistroArguments, FailOn, Format, INPUT, OUTPUT, When};

/// Arguments of running a command.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The command and its arguments
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true)]
    #[arg(allow_hyphen_values = true)]
    pub command: Vec<OsString>,

    /// Read this log as it grows, instead of this machine's
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub log: Option<PathBuf>,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// How long to wait after the command's end for what the kernel has to say of it
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = pause)]
    #[arg(help_heading = INPUT)]
    pub settle: Duration,

    /// Fail where a GPU failed (--fail-on), though the command did not
    #[arg(long, help_heading = OUTPUT)]
    pub gate: bool,

    /// What makes the exit status 1 with --gate
    #[arg(long, value_enum, default_value_t = FailOn::Failure, value_name = "VERDICT")]
    #[arg(requires = "gate", help_heading = OUTPUT)]
    pub fail_on: FailOn,

    /// End with status 75 where the command failed, a GPU had a failure, and all GPUs can be used again
    #[arg(long, help_heading = OUTPUT)]
    pub retry_safe: bool,

    /// Say it in one line
    #[arg(short, long, help_heading = OUTPUT)]
    pub quiet: bool,

    /// What to write
    #[arg(long, default_value = "human", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: Format,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// Write it to a file instead of standard error
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// When to colour the text
    #[arg(long, default_value = "never", value_name = "WHEN", help_heading = OUTPUT)]
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
