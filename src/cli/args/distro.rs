//! What a person types to say for which distribution commands are.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::OUTPUT;
use crate::value::DistributionFamily;

/// For which distribution commands are.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct DistroArguments {
    /// Show the commands of this family of distributions
    ///
    /// apt is Debian, Ubuntu and theirs; rpm-ostree is Bazzite, Silverblue and their like; any shows the
    /// commands of all. Without it the machine's own log has those of the machine, and any other log those of
    /// the distribution that its lines show.
    #[arg(long, value_name = "FAMILY", value_parser = family(), help_heading = OUTPUT)]
    pub distro: Option<DistributionFamily>,
}

fn family() -> impl TypedValueParser<Value = DistributionFamily> {
    PossibleValuesParser::new(DistributionFamily::names())
        .try_map(|word| DistributionFamily::read(&word).ok_or("no such family"))
}
