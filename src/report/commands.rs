//! Commands as lines with comments that name their distributions, unless they are for all.

use crate::document::counts::{distinct, joined};
use crate::pattern::advice::{Advice, Command};
use crate::value::DistributionFamily;

/// The commands of a piece of advice.
pub(super) enum Typed {
    /// None: it is followed in other ways.
    Nothing,
    /// The same for every distribution.
    Same(String),
    /// Different for each distribution, and the distribution is unknown: the names of distributions,
    /// and their commands.
    ByDistribution(Vec<Alternative>),
}

/// Commands for some distributions.
pub(super) struct Alternative {
    /// Their names; `None` for what is the same on all.
    pub(super) names: Option<String>,
    /// The commands as shell lines.
    pub(super) text: String,
}

impl Typed {
    /// The commands of `advice`.
    pub(super) fn of(advice: &Advice) -> Self {
        let commands = &advice.commands;
        if commands.is_empty() {
            Self::Nothing
        } else if differ(commands) {
            Self::ByDistribution(alternatives(commands))
        } else {
            Self::Same(typed(commands))
        }
    }
}

/// Whether `commands` are different for each distribution.
pub(super) fn differ(commands: &[Command]) -> bool {
    distinct(commands.iter().filter(|one| is_for_some(one)).map(whom)).len() > 1
}

/// `commands` by the distributions that they are for. Equal ones are listed once.
fn alternatives(commands: &[Command]) -> Vec<Alternative> {
    let merged = merged(commands);
    let groups =
        distinct(merged.iter().map(|command| is_for_some(command).then(|| label(command))));
    let of = |names: Option<String>| {
        let own = |one: &&Command| is_for_some(one).then(|| label(one)) == names;
        let own: Vec<Command> = merged.iter().filter(own).cloned().collect();
        Alternative { text: typed(&own), names }
    };
    groups.into_iter().map(of).collect()
}

/// `commands`; equal ones of several distributions as one.
fn merged(commands: &[Command]) -> Vec<Command> {
    let mut merged: Vec<Command> = Vec::new();
    for command in commands {
        let same = merged.iter_mut().find(|known| {
            known.text == command.text
                && known.comment == command.comment
                && known.distributions.is_empty() == command.distributions.is_empty()
        });
        match same {
            Some(known) => {
                known.families.extend(&command.families);
                known.distributions.extend(command.distributions.iter().cloned());
            }
            None => merged.push(command.clone()),
        }
    }
    merged
}

/// `commands` as shell lines. Equal ones for several distributions are listed once.
pub(super) fn typed(commands: &[Command]) -> String {
    let merged = merged(commands);
    let several = differ(&merged);
    let mut lines = Vec::new();
    for command in &merged {
        let label = (several && is_for_some(command)).then(|| label(command));
        let comment = label.into_iter().chain(command.comment.clone());
        let comment: Vec<String> = comment.collect();
        if !comment.is_empty() {
            lines.push(format!("# {}", joined(comment, ": ")));
        }
        lines.push(command.text.clone());
    }
    lines.join("\n")
}

fn is_for_some(command: &Command) -> bool {
    !command.is_for(DistributionFamily::Any)
}

/// The families and distributions that a command is for.
fn whom(command: &Command) -> (&[DistributionFamily], &[String]) {
    (&command.families, &command.distributions)
}

/// The distributions of a command.
fn label(command: &Command) -> String {
    if command.distributions.is_empty() {
        joined(command.families.iter().map(|family| people_say(*family)), ", ")
    } else {
        command.distributions.join(", ")
    }
}

/// The usual names of a family's distributions.
const fn people_say(family: DistributionFamily) -> &'static str {
    match family {
        DistributionFamily::Apt => "Debian, Ubuntu",
        DistributionFamily::Dnf => "Fedora",
        DistributionFamily::Pacman => "Arch",
        DistributionFamily::RpmOstree => "Bazzite, Silverblue",
        DistributionFamily::Zypper => "openSUSE",
        DistributionFamily::Nix => "NixOS",
        DistributionFamily::Steamos => "SteamOS",
        DistributionFamily::Gentoo => "Gentoo",
        DistributionFamily::Freebsd => "FreeBSD",
        DistributionFamily::Any => "all",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DistributionFamily::{Any, Apt, Dnf, Pacman};

    fn command(families: &[DistributionFamily], names: &[&str], text: &str) -> Command {
        Command {
            families: families.to_vec(),
            distributions: names.iter().map(|&name| name.to_owned()).collect(),
            text: text.to_owned(),
            comment: None,
        }
    }

    #[test]
    fn equal_commands_of_distributions_are_shown_once() {
        let all = [
            command(&[Any], &[], "dmesg"),
            command(&[Apt], &["Debian"], "apt x"),
            command(&[Apt], &["Ubuntu"], "apt y"),
            command(&[Dnf], &[], "z"),
            command(&[Pacman], &[], "z"),
        ];
        let text = "dmesg\n# Debian\napt x\n# Ubuntu\napt y\n# Fedora, Arch\nz";
        assert_eq!(typed(&all), text);
    }

    #[test]
    fn what_is_for_all_and_for_one_distribution_is_the_same_for_whom_it_concerns() {
        let patterns = crate::builtin::patterns();
        let known = patterns.advice("fw-update").unwrap();
        let typed = |commands: &[Command]| {
            Typed::of(&Advice { commands: commands.to_vec().into(), ..Advice::clone(known) })
        };
        let all = [command(&[Any], &[], "a"), command(&[Dnf], &[], "b"), command(&[Apt], &[], "c")];
        assert!(matches!(typed(&all[..2]), Typed::Same(text) if text == "a\nb"));
        assert!(matches!(typed(&all), Typed::ByDistribution(_)));
        assert!(matches!(typed(&[]), Typed::Nothing));
    }

    #[test]
    fn a_known_distribution_is_not_named() {
        let mut two = [command(&[Any], &[], "a"), command(&[Dnf], &[], "b")];
        two[1].comment = Some("then reboot".to_owned());
        assert_eq!(typed(&two), "a\n# then reboot\nb");
        assert_eq!(typed(&[]), "");
    }
}
