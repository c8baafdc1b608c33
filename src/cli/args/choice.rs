//! What a person types to see a part of what was found.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{SHOW, device};
use crate::diagnosis::choice::{BootNumber, Choice, Moment};
use crate::value::{Certainty, PciAddress};

/// Which of the conclusions are shown. They are drawn from the whole log in any case.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArguments {
    /// Only what is about the GPU with this PCI address, or names none
    ///
    /// As lspci prints it: 0000:03:00.0, or 03:00.0. Where the log does not tell which GPU something is
    /// about, it is shown, too.
    #[arg(long, value_name = "BDF", value_parser = device, help_heading = SHOW)]
    pub device: Option<PciAddress>,

    /// Only one boot: 1 is the first in the log, 0 the last, -1 the one before the last
    ///
    /// As journalctl counts. Of several inputs each has a first boot of its own. Of this machine only
    /// that boot is read: 1 is the first that the journal has, 0 the one that runs.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = boot)]
    #[arg(conflicts_with = "all_boots", help_heading = SHOW)]
    pub boot: Option<BootNumber>,

    /// Only what happened from this time on: 18:35, 913.5s, -10min
    ///
    /// 2026-03-04, '2026-03-04 18:35:23' or 18:35 (on the day on which the log ends), as the log prints
    /// its times; with a zone (2026-03-04T18:35:23+01:00) where the log prints one. 913.5s or +913.5 are
    /// seconds since boot. -10min, -2h or -1d are before the end of the log, or of the boot that --boot
    /// chooses. An incident of which a part falls into the time is shown whole. Of this machine all boots
    /// are read that fall into the time, and times without a zone are those of its own.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = SHOW)]
    pub since: Option<Moment>,

    /// Only what happened up to this time, the last day, minute or second included
    ///
    /// As for --since. What was typed last counts whole: 18:35 includes 18:35:59.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = SHOW)]
    pub until: Option<Moment>,

    /// Only diagnoses that are known as surely as this: stated, inferred or suspected
    ///
    /// `stated` is what the log says in so many words, `inferred` what follows from several lines together,
    /// `suspected` what follows from versions or from lines with other explanations. An incident without
    /// such a diagnosis is shown all the same, as severe as it was.
    #[arg(long, value_name = "CERTAINTY", value_parser = certainty(), help_heading = SHOW)]
    #[arg(hide_possible_values = true)]
    pub min_certainty: Option<Certainty>,

    /// What `--min-certainty` replaced.
    #[arg(long, hide = true, value_name = "PERCENT", value_parser = percent)]
    #[arg(num_args = 0..=1, default_missing_value = "")]
    pub min_confidence: Option<Certainty>,
}

impl ChoiceArguments {
    /// The choice.
    pub(crate) fn choice(&self) -> Choice {
        let Self { device, boot, since, until, min_certainty, min_confidence: _ } = self;
        Choice {
            device: *device,
            boot: *boot,
            since: since.clone(),
            until: until.clone(),
            least: *min_certainty,
        }
    }
}

pub(super) fn boot(text: &str) -> Result<BootNumber, std::num::ParseIntError> {
    text.parse().map(BootNumber)
}

fn certainty() -> impl TypedValueParser<Value = Certainty> {
    let words = [Certainty::Stated, Certainty::Inferred, Certainty::Suspected];
    PossibleValuesParser::new(words.map(Certainty::name))
        .try_map(|word| Certainty::read(&word).ok_or("no such word"))
}

/// Nothing measures a certainty: the option that took a number says what to type instead.
fn percent(_: &str) -> Result<Certainty, &'static str> {
    Err("no certainty is a number; type --min-certainty stated, inferred or suspected")
}
