//! Commands that say more about the same input, as they are typed.

use crate::document::Text;
use crate::document::counts::joined;
use crate::input::{STANDARD_INPUT, is_no_file, quoted};
use crate::pattern::advice::Advice;
use crate::pattern::distribution::System;
use crate::value::DistributionFamily;

/// Longer paths are not repeated in a remark.
const LONG: usize = 60;

/// An input, and the distribution of its machine as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Again<'v> {
    input: Input,
    system: Option<&'v System>,
}

/// Where a log came from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Input {
    /// A file, quoted for a shell.
    File(String),
    Pipe,
    /// The log of this machine.
    Own,
    /// A file whose name cannot be typed.
    Nameless,
}

impl<'v> Again<'v> {
    /// The input `name`, whose log shows `system`.
    pub(super) fn of(name: &str, system: Option<&'v System>) -> Self {
        // A member of an archive (`a.tar: kern.log`) and a machine of a log (`kern.log (box)`) have
        // names that a file can have, too.
        let is_a_part = name.contains(": ") || name.ends_with(')');
        let input = match name {
            STANDARD_INPUT => Input::Pipe,
            own if is_no_file(own) => Input::Own,
            _ if is_a_part => Input::Nameless,
            file => quoted(file).map_or(Input::Nameless, Input::File),
        };
        Self { input, system }
    }

    /// Whether it is a file, which can come from another machine.
    pub(super) const fn is_of_a_file(&self) -> bool {
        match self.input {
            Input::File(_) | Input::Nameless => true,
            Input::Pipe | Input::Own => false,
        }
    }

    /// How to see the commands of a distribution; `None` if one was chosen, or all.
    pub(super) fn for_a_distribution(&self) -> Option<Text> {
        if self.system.is_some() {
            return None;
        }
        Some(Text::code(match &self.input {
            Input::File(file) => format!("amdtriage --distro ubuntu {file}"),
            Input::Pipe => "… | amdtriage --distro ubuntu".to_owned(),
            Input::Own => "amdtriage --distro ubuntu".to_owned(),
            Input::Nameless => return None,
        }))
    }

    /// How to see what `advice` says, and its commands.
    pub(super) fn explain(&self, advice: &[&Advice]) -> Text {
        let mut command = vec!["amdtriage explain".to_owned()];
        let differ = advice
            .iter()
            .any(|one| one.commands.iter().any(|it| !it.is_for(DistributionFamily::Any)));
        let other = self.system.filter(|_| differ && self.input != Input::Own);
        let other = other.filter(|system| system.family != DistributionFamily::Any);
        command.extend(other.map(|system| format!("--distro {}", system.name())));
        command.extend(advice.iter().map(|one| one.id.clone()));
        Text::code(joined(command, " "))
    }

    /// How to make a bug report about it.
    pub(super) fn report(&self) -> String {
        match &self.input {
            Input::File(file) if file.len() > LONG => "amdtriage report FILE".to_owned(),
            Input::File(file) => format!("amdtriage report {file}"),
            Input::Nameless => "amdtriage report FILE".to_owned(),
            Input::Pipe | Input::Own => "sudo amdtriage report".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::SYSTEM_JOURNAL;

    #[test]
    fn a_command_reads_the_same_input() {
        let command =
            |name: &str| Again::of(name, None).for_a_distribution().map(|it| it.to_string());
        for (name, want) in [
            ("my log.txt", "amdtriage --distro ubuntu 'my log.txt'"),
            (STANDARD_INPUT, "… | amdtriage --distro ubuntu"),
            (SYSTEM_JOURNAL, "amdtriage --distro ubuntu"),
        ] {
            assert_eq!(command(name).as_deref(), Some(want));
        }
        for unclear in ["a\nb", "a.tar: var/log/kern.log", "kern.log (box)"] {
            assert_eq!(Again::of(unclear, None).for_a_distribution(), None);
            assert_eq!(Again::of(unclear, None).report(), "amdtriage report FILE");
        }
        assert_eq!(Again::of("my log.txt", None).report(), "amdtriage report 'my log.txt'");
        assert_eq!(Again::of(STANDARD_INPUT, None).report(), "sudo amdtriage report");
    }

    #[test]
    fn commands_are_those_of_the_machine_of_the_log() {
        let patterns = crate::builtin::patterns();
        let fedora = patterns.distributions.of_names(["fedora"]).unwrap();
        let update = patterns.advice("fw-update").unwrap();
        let explain = |name: &str, system| Again::of(name, system).explain(&[update]).to_string();
        let named = "amdtriage explain --distro fedora fw-update";
        assert_eq!(explain("a.log", Some(&fedora)), named);
        for (name, system) in [
            ("a.log", None),
            (SYSTEM_JOURNAL, Some(&fedora)),
            ("a.log", Some(&System::of_family(DistributionFamily::Any))),
        ] {
            assert_eq!(explain(name, system), "amdtriage explain fw-update", "{name}");
        }
    }
}
