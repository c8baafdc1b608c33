//! Arguments that select a part of the results.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::SHOW;
use crate::diagnosis::choice::{BootNumber, Choice, Moment};
use crate::value::{Certainty, NotAPciAddress, PciAddress};

/// Which part of a log is shown. All of it is read in any case.
#[derive(Debug, Default, Args)]
pub(crate) struct PartArguments {
    /// Show one boot: 1 is the first in the log, 0 the last, -1 the one before
    ///
    /// Counts as journalctl does, in each input separately. For this machine, only that boot is
    /// read: 1 is the oldest in the journal, 0 the current one.
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = boot)]
    #[arg(conflicts_with = "all_boots", help_heading = SHOW)]
    pub boot: Option<BootNumber>,

    /// Show what happened at or after a time: 18:35, 913.5s, -10min
    ///
    /// TIME is 2026-03-04, '2026-03-04 18:35:23' or 18:35 (of the day on which the log ends), in
    /// the time zone of the log; with an offset (2026-03-04T18:35:23+01:00) if the log prints one.
    /// 913.5s or +913.5 is seconds since boot. -10min, -2h or -1d is relative to the end of the
    /// log, or of the boot selected with --boot. An incident that is partly within the time is
    /// shown whole. For this machine, all boots within the time are read, and times are in its time
    /// zone.
    #[arg(short = 'S', long, value_name = "TIME", allow_hyphen_values = true, help_heading = SHOW)]
    pub since: Option<Moment>,

    /// Show what happened at or before a time
    ///
    /// TIME as for --since. Its last unit counts whole: 18:35 includes 18:35:59.
    #[arg(short = 'U', long, value_name = "TIME", allow_hyphen_values = true, help_heading = SHOW)]
    pub until: Option<Moment>,

    /// Show what concerns the GPU at a PCI address: 0000:03:00.0 or 03:00.0
    ///
    /// As lspci prints it. Reports also show what names no GPU.
    #[arg(long, value_name = "BDF", value_parser = device, help_heading = SHOW)]
    pub device: Option<PciAddress>,
}

/// Which diagnoses are shown.
#[derive(Debug, Args)]
pub(crate) struct CertaintyArguments {
    /// Show diagnoses of at least this certainty: stated, inferred or suspected
    ///
    /// `stated`: the log says so literally. `inferred`: several lines together imply it.
    /// `suspected`: it follows from versions, or from lines that have other explanations as well.
    /// An incident without such a diagnosis is shown all the same.
    #[arg(long, value_name = "CERTAINTY", value_parser = certainty(), help_heading = SHOW)]
    #[arg(hide_possible_values = true)]
    pub min_certainty: Option<Certainty>,

    /// What `--min-certainty` replaced.
    #[arg(long, hide = true, value_name = "PERCENT", value_parser = percent)]
    #[arg(num_args = 0..=1, default_missing_value = "")]
    pub min_confidence: Option<Certainty>,
}

impl PartArguments {
    /// The choice.
    pub(crate) fn choice(&self) -> Choice {
        let Self { device, boot, since, until } = self;
        Choice {
            device: *device,
            boot: *boot,
            since: since.clone(),
            until: until.clone(),
            least: None,
        }
    }
}

impl CertaintyArguments {
    /// The choice of a part, and of these diagnoses.
    pub(crate) fn choice(&self, part: &PartArguments) -> Choice {
        Choice { least: self.min_certainty, ..part.choice() }
    }
}

pub(super) fn boot(text: &str) -> Result<BootNumber, &'static str> {
    let number = text.parse().map(BootNumber);
    number.map_err(|_| "not a boot number: 1 is the first boot, 0 the last, -1 the one before")
}

/// A PCI address; the domain of most machines need not be said.
pub(super) fn device(text: &str) -> Result<PciAddress, String> {
    let read = text.parse().or_else(|_| format!("0000:{text}").parse());
    read.map_err(|error: NotAPciAddress| error.to_string())
}

fn certainty() -> impl TypedValueParser<Value = Certainty> {
    let words = [Certainty::Stated, Certainty::Inferred, Certainty::Suspected];
    PossibleValuesParser::new(words.map(Certainty::name))
        .try_map(|word| Certainty::read(&word).ok_or("no such word"))
}

/// Nothing measures a certainty: the option that took a number says what to type instead.
fn percent(_: &str) -> Result<Certainty, &'static str> {
    Err("certainty is not a number; use --min-certainty stated, inferred or suspected")
}
