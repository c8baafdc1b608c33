//! The relevance of words on the kernel command line when two boots are compared.

use serde::{Deserialize, Serialize};

use super::collected::check_names;
use crate::pattern::document::{Table, record};
use crate::pattern::glob::Glob;
use crate::value::words;

words! {
    /// What a word of the command line is about.
    pub(crate) Concern {
        /// It may change what a GPU does.
        Gpu,
        /// Something else.
        Other,
        /// It names private disks or networks: the difference may be shown, but not its value.
        Private,
        /// It differs with each kernel and is irrelevant.
        Trivial,
    }
}

record! {
    /// Command line words about one subject.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct BootWords {
        /// The subject.
        pub concern: Concern,
        /// The words, up to the `=`.
        pub names: Vec<Glob> = required,
    }
    check
}

impl BootWords {
    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        check_names(table);
    }
}

/// What is relevant when two boots are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Compared {
    /// Words of the kernel command line.
    pub boot_words: Vec<BootWords>,
}

impl Compared {
    /// The subject of the word with this name.
    pub(crate) fn concern(&self, name: &str) -> Concern {
        let of = |words: &&BootWords| words.names.iter().any(|pattern| pattern.matches(name));
        self.boot_words.iter().find(of).map_or(Concern::Other, |words| words.concern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_classified() {
        let compared = &crate::builtin::patterns().machines.compared;
        for (name, concern) in [
            ("amdgpu.cwsr_enable", Concern::Gpu),
            ("ttm.pages_limit", Concern::Gpu),
            ("iommu", Concern::Gpu),
            ("pcie_aspm", Concern::Gpu),
            ("BOOT_IMAGE", Concern::Trivial),
            ("root", Concern::Private),
            ("rd.luks.uuid", Concern::Private),
            ("audit", Concern::Other),
            ("amdgpuX", Concern::Other),
        ] {
            assert_eq!(compared.concern(name), concern, "{name}");
        }
    }
}
