//! What a person types to see a part of what was found.

use clap::Args;

use super::{SHOW, device};
use crate::diagnosis::choice::{BootNumber, Certainty, Choice, Moment};
use crate::value::PciAddress;

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

    /// Only diagnoses that are as certain as this: 80, 80% or 0.8
    ///
    /// An incident without such a diagnosis is shown all the same, as severe as it was.
    #[arg(long, value_name = "PERCENT", help_heading = SHOW)]
    pub min_confidence: Option<Certainty>,
}

impl ChoiceArguments {
    /// The choice.
    pub(crate) fn choice(&self) -> Choice {
        let Self { device, boot, since, until, min_confidence } = self;
        Choice {
            device: *device,
            boot: *boot,
            since: since.clone(),
            until: until.clone(),
            least: *min_confidence,
        }
    }
}

pub(super) fn boot(text: &str) -> Result<BootNumber, std::num::ParseIntError> {
    text.parse().map(BootNumber)
}
