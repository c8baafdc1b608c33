//! Arguments for the commands that list a log's contents.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use super::output::{DraftFormat, StreamFormat, ZoneArguments};
use super::{AnswerArguments, Inputs, PartArguments, QuietArguments, SHOW};
use crate::kind::Kind;
use crate::pattern::source::suggestion;

/// Arguments of the list of events.
#[derive(Debug, Args)]
pub(crate) struct EventArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// Which part of the log to show.
    #[command(flatten)]
    pub part: PartArguments,

    /// Show events of this kind (repeatable)
    #[arg(long, value_name = "KIND", value_parser = KindParser, conflicts_with = "unknown")]
    #[arg(hide_possible_values = true, help_heading = SHOW)]
    pub kind: Vec<Kind>,

    /// List driver messages without a known meaning instead of events
    #[arg(long, required_if_eq("format", "toml"), help_heading = SHOW)]
    #[arg(conflicts_with_all = ["device", "boot", "since", "until"])]
    pub unknown: bool,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<DraftFormat>,

    /// In which zone.
    #[command(flatten)]
    pub zone: ZoneArguments,
}

/// Reads an event kind.
#[derive(Clone)]
struct KindParser;

impl TypedValueParser for KindParser {
    type Value = Kind;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Kind, clap::Error> {
        kind.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Kind::ALL.iter().map(|kind| PossibleValue::new(kind.name()))))
    }
}

/// Parses the name of a kind.
fn kind(text: &str) -> Result<Kind, String> {
    let known = || Kind::ALL.iter().map(|kind| kind.name());
    Kind::read(text).ok_or_else(|| {
        let list = || "for a list: amdtriage patterns list kinds".to_owned();
        let hint = suggestion(text, known()).unwrap_or_else(list);
        format!("unknown event kind; {hint}")
    })
}

/// Arguments of the list of records.
#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// Which part of the log to show.
    #[command(flatten)]
    pub part: PartArguments,

    /// Also show lines that are not records, with the reason, and a summary
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<StreamFormat>,

    /// In which zone.
    #[command(flatten)]
    pub zone: ZoneArguments,
}
