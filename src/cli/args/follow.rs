//! Arguments for `follow`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::choice::device;
use super::output::{StreamFormat, When, ZoneArguments};
use super::{
    DistroArguments, FormatArguments, INPUT, InputFormatArguments, OUTPUT, PatternArguments, SHOW,
};
use crate::value::PciAddress;

/// Arguments of following.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct FollowArguments {
    /// A growing log, a journal file or a directory of them; `-` is standard input
    #[arg(value_name = "FILE", conflicts_with = "this_machine", value_hint = clap::ValueHint::AnyPath)]
    pub file: Option<PathBuf>,

    /// Follow this machine even if standard input is not a terminal
    #[arg(long, help_heading = INPUT)]
    pub this_machine: bool,

    /// Also report what is in the log at the start
    #[arg(long, help_heading = INPUT)]
    pub from_start: bool,

    /// Continue where the last run stopped, and store the position in FILE (journals and files)
    ///
    /// Nothing is reported twice, except an incident that was open then, once it is over. FILE is
    /// written after each piece of news, so that a killed run loses nothing and repeats its last
    /// news at most.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub cursor_file: Option<PathBuf>,

    /// Print a systemd unit that follows this machine, and exit
    #[arg(long, exclusive = true, help_heading = OUTPUT)]
    pub print_unit: bool,

    /// In which format.
    #[command(flatten)]
    pub input: InputFormatArguments,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// Report incidents only, no single events
    #[arg(short, long, help_heading = SHOW)]
    pub quiet: bool,

    /// Also report events that only introduce the machine
    #[arg(long, help_heading = SHOW)]
    pub all: bool,

    /// Report what concerns the GPU at a PCI address, or names no GPU
    #[arg(long, value_name = "BDF", value_parser = device, help_heading = SHOW)]
    pub device: Option<PciAddress>,

    /// In which form.
    #[command(flatten)]
    pub form: FormatArguments<StreamFormat>,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// Run a command for each piece of news, with the news as a line of JSON on its standard input
    ///
    /// COMMAND is split into words as a shell does, but no shell is run. One command runs at a time
    /// and 64 wait; news beyond that is counted and dropped. A command that fails is reported at
    /// once.
    #[arg(long, value_name = "COMMAND", help_heading = OUTPUT)]
    pub exec: Option<String>,

    /// Kill a command of --exec that runs longer, with its children
    #[arg(long, value_name = "SECONDS", default_value_t = 30, requires = "exec", help_heading = OUTPUT)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub exec_timeout: u64,

    /// What to run the command for
    #[arg(long, value_enum, default_value_t = On::Incident, value_name = "NEWS")]
    #[arg(requires = "exec", help_heading = OUTPUT)]
    pub on: On,

    /// In which zone.
    #[command(flatten)]
    pub zone: ZoneArguments,

    /// When to use colors
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

/// For what a command is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum On {
    /// An incident, once: when it is over, or its GPU is found not to come back, or follow is
    /// stopped; again only if the diagnosis or the outcome has changed since
    Incident,
    /// An incident, each time something new is known about it
    Diagnosis,
    /// An event
    Event,
}
