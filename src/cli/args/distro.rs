//! What a person types to say for which distribution commands are.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::OUTPUT;
use crate::value::DistributionFamily;

/// For which distribution commands are.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct DistroArguments {
    /// Show commands for this family of distributions
    ///
    /// apt is Debian, Ubuntu and derivatives; rpm-ostree is Bazzite, Silverblue and similar; any shows all. By
    /// default, commands fit this machine if its own log is read, else the distribution that the log names.
    #[arg(long, value_name = "FAMILY", value_parser = family(), help_heading = OUTPUT)]
    pub distro: Option<DistributionFamily>,
}

fn family() -> impl TypedValueParser<Value = DistributionFamily> {
    PossibleValuesParser::new(DistributionFamily::names())
        .try_map(|word| DistributionFamily::read(&word).ok_or("no such family"))
}
