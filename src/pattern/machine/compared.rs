//! What the words of a kernel command line tell somebody who compares two boots.

use serde::{Deserialize, Serialize};

use super::collected::{NamePattern, names};
use crate::pattern::fields::Fields;
use crate::pattern::source::{Sources, suggestion};

/// What a word of the command line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Concern {
    /// It may change what a GPU does.
    Gpu,
    /// Something else.
    Other,
    /// It names somebody's disks or networks: that it differs may be told, its value not.
    Private,
    /// It differs with each kernel, and tells nothing.
    Trivial,
}

impl Concern {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Gpu, Self::Other, Self::Private, Self::Trivial];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gpu => "gpu",
            Self::Other => "other",
            Self::Private => "private",
            Self::Trivial => "trivial",
        }
    }
}

/// Words of the command line that are about the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootWords {
    /// What they are about.
    pub concern: Concern,
    /// What they are called, up to the `=`.
    pub names: Vec<NamePattern>,
}

/// What two boots are compared by.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// Words of the kernel command line.
    pub boot_words: Vec<BootWords>,
}

impl Compared {
    /// What the word of this name is about.
    #[must_use]
    pub fn concern(&self, name: &str) -> Concern {
        let of = |words: &&BootWords| words.names.iter().any(|pattern| pattern.is_of(name));
        self.boot_words.iter().find(of).map_or(Concern::Other, |words| words.concern)
    }

    pub(super) fn read_boot_words(&mut self, sources: &mut Sources<'_>, mut fields: Fields<'_>) {
        let concern = fields.required_text(sources, "concern");
        let names = names(sources, &mut fields);
        fields.finish(sources);
        let Some(concern) = concern else { return };
        match Concern::ALL.into_iter().find(|one| one.name() == concern.value) {
            Some(concern) => self.boot_words.push(BootWords { concern, names }),
            None => {
                let known = Concern::ALL.map(Concern::name);
                let hint = suggestion(&concern.value, known)
                    .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
                let what = format!("`{}` is nothing that a word can be about", concern.value);
                sources.mistake_with_hint(&concern.place, what, hint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
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
