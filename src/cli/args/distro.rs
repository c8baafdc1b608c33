//! Arguments for the distribution that commands are for.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};

use super::OUTPUT;
use crate::pattern::distribution::System;
use crate::pattern::source::suggestion;
use crate::value::DistributionFamily;

/// For which distribution commands are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DistroArguments {
    /// Show commands for this distribution: ubuntu, fedora, arch, ...
    ///
    /// NAME is the ID of /etc/os-release, or a family: apt, dnf, pacman, rpm-ostree, zypper, nix,
    /// steamos, gentoo, freebsd. `any` shows the commands for all. By default, commands fit this
    /// machine if its own log is read, else the distribution that the log names.
    #[arg(long, value_name = "NAME", value_parser = NameParser, help_heading = OUTPUT)]
    #[arg(hide_possible_values = true)]
    pub distro: Option<System>,
}

/// Reads the name of a distribution or of a family.
#[derive(Clone)]
struct NameParser;

impl TypedValueParser for NameParser {
    type Value = System;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<System, clap::Error> {
        system.parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(names().into_iter().map(PossibleValue::new)))
    }
}

/// All names, each once.
fn names() -> Vec<String> {
    let patterns = crate::builtin::patterns();
    let ids = patterns.distributions.names().map(str::to_owned);
    let families = DistributionFamily::names().iter().map(|name| (*name).to_owned());
    let mut names: Vec<String> = ids.chain(families).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The families that most distributions belong to.
const FAMILIES: [&str; 7] = ["apt", "dnf", "pacman", "zypper", "rpm-ostree", "nix", "gentoo"];

/// The distribution or family with this name.
fn system(name: &str) -> Result<System, String> {
    let name = name.to_lowercase();
    let named = crate::builtin::patterns().distributions.called(&name);
    let family = || DistributionFamily::read(&name).map(System::of_family);
    named.or_else(family).ok_or_else(|| {
        let known = names();
        let meant = suggestion(&name, known.iter().map(String::as_str));
        let meant = meant.map_or("give ".to_owned(), |meant| format!("{meant} Else give "));
        let families = FAMILIES.join(", ");
        format!("unknown distribution `{name}`; {meant}its family: {families}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distribution_or_a_family_is_named() {
        let ubuntu = system("Ubuntu").unwrap();
        assert_eq!(ubuntu.family, DistributionFamily::Apt);
        assert_eq!(ubuntu.distribution.as_deref(), Some("ubuntu"));
        assert_eq!(system("cachyos").unwrap().family, DistributionFamily::Pacman);
        assert_eq!(system("dnf").unwrap(), System::of_family(DistributionFamily::Dnf));
        let unknown = system("windows").unwrap_err();
        let families = "apt, dnf, pacman, zypper, rpm-ostree, nix, gentoo";
        let want = format!("unknown distribution `windows`; give its family: {families}");
        assert_eq!(unknown, want);
        for (name, id) in
            [("mint", "ubuntu"), ("lmde", "debian"), ("Pop_OS", "pop"), ("pop", "pop")]
        {
            assert_eq!(system(name).unwrap().distribution.as_deref(), Some(id), "{name}");
        }
        for family in FAMILIES {
            assert!(system(family).is_ok(), "{family}");
        }
        for known in crate::builtin::patterns().distributions.names() {
            assert!(system(known).is_ok(), "{known}");
        }
    }
}
