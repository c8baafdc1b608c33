//! What text around a log, and its reports of crashes, say of the kernel and the distribution.

use std::collections::BTreeSet;

use crate::pattern::distribution::{Distributions, System};
use crate::value::Topic;

/// Maximum number of lines without an envelope that are searched.
const MOST: u32 = 10_000;
/// Maximum length of such a line, in bytes.
const LONGEST: usize = 400;

/// What a text says of the machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    searched: u32,
    /// What the next line is about: `### Operating System` above `Fedora 44`.
    heading: Option<Topic>,
    /// Releases of kernels, from `uname` and from lines such as `Kernel: 6.14.0-1014-oem`.
    kernels: BTreeSet<String>,
    /// Distributions by their names.
    named: BTreeSet<System>,
    /// Distributions of kernels, also of those that a sentence or a crash names.
    built: BTreeSet<System>,
    /// Distributions that a word of the text shows.
    mentioned: BTreeSet<System>,
}

impl Told {
    /// Searches a line that no log daemon wrote.
    pub(super) fn see(&mut self, distributions: &Distributions, text: &str) {
        if self.searched >= MOST || text.len() > LONGEST {
            return;
        }
        self.searched += 1;
        self.mentioned.extend(distributions.of_mention(text));
        let text = bare(text);
        let heading = self.heading.take();
        if text.is_empty() {
            self.heading = heading;
        } else if let Some(rest) = text.strip_prefix("Linux ").filter(|rest| is_of_uname(rest)) {
            self.see_release(distributions, rest.split(' ').nth(1).unwrap_or_default());
            self.see_build(distributions, rest);
        } else if let Some((topic, value)) = labelled(distributions, text) {
            self.see_value(distributions, topic, bare(value));
        } else if let Some(topic) = distributions.topic(text) {
            self.heading = Some(topic);
        } else if let Some(topic) = heading {
            self.see_value(distributions, topic, text);
        } else {
            let found = named_releases(text).filter_map(|it| distributions.of_release(it));
            self.built.extend(found);
        }
    }

    /// A line of a log ends what stands below a heading.
    pub(super) fn end_section(&mut self) {
        self.heading = None;
    }

    /// Searches a line of a crash, which has the kernel's build behind its release: `6.2.0
    /// #1-NixOS`.
    pub(super) fn see_build(&mut self, distributions: &Distributions, text: &str) {
        let build = text.rfind(" #").and_then(|at| text.get(at + 1..));
        self.built.extend(build.and_then(|build| distributions.of_build(build)));
    }

    fn see_value(&mut self, distributions: &Distributions, topic: Topic, value: &str) {
        match topic {
            Topic::Kernel => {
                // What follows is of other software: `6.14, ROCm 6.2.1`.
                let is_name = |word: &&str| word.to_lowercase().starts_with("linux");
                for cell in value.split('|') {
                    let mut words = cell.split([' ', ',', '(', '`']).map(bare);
                    let first = words.find(|word| !word.is_empty() && !is_name(word));
                    self.see_release(distributions, first.unwrap_or_default());
                }
            }
            Topic::Distribution => {
                self.named.extend(distributions.of_title(value));
                for release in named_releases(value) {
                    self.see_release(distributions, release);
                }
            }
        }
    }

    fn see_release(&mut self, distributions: &Distributions, release: &str) {
        if is_release(release) {
            self.kernels.insert(release.to_owned());
            self.built.extend(distributions.of_release(release));
        }
    }

    /// The release of the kernel, if the text states one only.
    pub(crate) fn kernel(&self) -> Option<&str> {
        self.kernels.first().filter(|_| self.kernels.len() == 1).map(String::as_str)
    }

    /// The distribution, if the text states one only. A kernel shows which one of a family it is.
    pub(crate) fn system(&self, distributions: &Distributions) -> Option<System> {
        let only = |all: &BTreeSet<System>| all.first().filter(|_| all.len() == 1).cloned();
        match (only(&self.named), only(&self.built)) {
            (Some(named), Some(built)) if distributions.is_exact(&built, &named) => Some(built),
            (Some(named), _) => Some(named),
            (None, Some(built)) => Some(built).filter(|_| self.named.is_empty()),
            (None, None) => {
                only(&self.mentioned).filter(|_| self.named.is_empty() && self.built.is_empty())
            }
        }
    }
}

/// The label and the value of `- **Kernel:** 6.14.0-1014-oem` or `| Kernel | 6.14.0 |`.
fn labelled<'t>(distributions: &Distributions, text: &'t str) -> Option<(Topic, &'t str)> {
    let (label, value) = text.split_once([':', '|', '='])?;
    let topic = distributions.topic(bare(label))?;
    (!bare(value).is_empty()).then_some((topic, value))
}

/// A text without the marks of Markdown and tables around it.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "-*#>|`\"'•:=().".contains(c))
}

/// Whether what follows `Linux ` is of `uname -a`: a host, a release, and the number of a build.
fn is_of_uname(rest: &str) -> bool {
    let mut words = rest.split(' ').skip(1);
    words.next().is_some_and(is_release) && words.next().is_some_and(|it| it.starts_with('#'))
}

/// Whether a word is the release of a kernel, such as `6.14.0-1014-oem` or `7.1.5`.
fn is_release(word: &str) -> bool {
    let mut parts = word.splitn(3, '.');
    let mut is_number = || {
        let part = parts.next().unwrap_or_default();
        (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let begins = is_number() && is_number();
    let rest = parts.next().unwrap_or_default();
    begins
        && rest.starts_with(|c: char| c.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_+~".contains(&byte))
}

/// The releases with a flavour that a sentence names: `Linux 7.0.0-31-generic`.
fn named_releases(text: &str) -> impl Iterator<Item = &str> {
    let mut before = "";
    let words = text.split([' ', ',', ';', '(', ')']).map(bare).filter(|word| !word.is_empty());
    words.filter(move |&word| {
        let last = std::mem::replace(&mut before, word);
        ["Linux", "kernel", "Kernel"].contains(&last) && is_release(word) && word.contains('-')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::patterns;

    fn told(lines: &[&str]) -> (Option<String>, Option<String>) {
        let distributions = &patterns().distributions;
        let mut told = Told::default();
        for line in lines {
            told.see(distributions, line);
        }
        let system = told.system(distributions).and_then(|system| system.distribution);
        (told.kernel().map(str::to_owned), system)
    }

    #[test]
    fn a_text_states_the_kernel_and_the_distribution() {
        for (lines, kernel, system) in [
            (
                &[
                    "Linux n1 4.15.0-130-generic #134-Ubuntu SMP Tue Jan 5 20:46:26 UTC 2021 x86_64 GNU/Linux",
                ][..],
                Some("4.15.0-130-generic"),
                Some("ubuntu"),
            ),
            (
                &[
                    "Linux box 6.13.1-arch2-1 #1 SMP PREEMPT_DYNAMIC Fri, 07 Feb 2025 22:24:02 +0000 x86_64 GNU/Linux",
                ],
                Some("6.13.1-arch2-1"),
                Some("arch"),
            ),
            (
                &["- OS: Ubuntu 24.04", "- Kernel: 6.14.0-1014-oem"],
                Some("6.14.0-1014-oem"),
                Some("ubuntu"),
            ),
            (
                &["- OS: Fedora 44 (kernel 7.1.5-201.fc44.x86_64)"],
                Some("7.1.5-201.fc44.x86_64"),
                Some("fedora"),
            ),
            (
                &["| Kernel | 6.17.7-ba29.fc43.x86_64 |"],
                Some("6.17.7-ba29.fc43.x86_64"),
                Some("bazzite"),
            ),
            (
                &["OS: Pop!_OS 24.04 LTS x86_64", "Kernel: 7.0.11-76070011-generic"],
                Some("7.0.11-76070011-generic"),
                Some("pop"),
            ),
            (
                &["**Operating System:** Debian 12", "**Kernel version:** 6.8.12-4-pve"],
                Some("6.8.12-4-pve"),
                Some("proxmox"),
            ),
            (&["### Operating System", "Ubuntu 24.04.3 LTS"], None, Some("ubuntu")),
            (&["PRETTY_NAME=\"Linux Mint 22\""], None, Some("ubuntu")),
            (&["Same card, Linux `7.0.0-31-generic`, and ROCm 7.2.1."], None, Some("ubuntu")),
            (&["  nixos-system-nixos: 24.05.2024 → 24.05.2025"], None, Some("nixos")),
            (&["https://github.com/NixOS/nixpkgs/commit/0000000"], None, Some("nixos")),
            // What a text states precedes what it links to.
            (
                &["OS: Fedora 44", "see https://github.com/NixOS/nixpkgs/pull/1"],
                None,
                Some("fedora"),
            ),
            // Several are no statement.
            (&["Kernel: 6.8.0-45-generic", "Kernel: 6.8.0-48-generic"], None, Some("ubuntu")),
            (&["OS: Fedora 44", "OS: Arch Linux"], None, None),
            (&["OS: Windows 11", "Kernel: newest"], None, None),
            (&["It began with kernel 6.8 and Linux 6.9.1."], None, None),
            (&["OS:", "The system hangs."], None, None),
            (&["System: I use fedora at home"], None, None),
        ] {
            let wanted = (kernel.map(str::to_owned), system.map(str::to_owned));
            assert_eq!(told(lines), wanted, "{lines:?}");
        }
    }

    #[test]
    fn a_crash_shows_who_built_its_kernel() {
        let distributions = &patterns().distributions;
        for (line, want) in [
            ("      Not tainted 6.2.0 #1-NixOS", Some("nixos")),
            (
                "      Tainted: G  W  OE  5.13.0-7614-generic #14~1631647151~21.04~930e87c-Ubuntu",
                Some("pop"),
            ),
            ("CPU: 3 PID: 7 Comm: game Not tainted 6.1.0 #1  Debian 6.1.8-1", Some("debian")),
            ("      Not tainted 6.2.0 #1", None),
        ] {
            let mut told = Told::default();
            told.see_build(distributions, line);
            let system = told.system(distributions).and_then(|system| system.distribution);
            assert_eq!(system.as_deref(), want, "{line}");
        }
    }
}
