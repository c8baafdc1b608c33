//! Names of what a bug report tells of a machine: packages, and variables of a process.

use serde::{Deserialize, Serialize};

use crate::pattern::fields::Fields;
use crate::pattern::source::{At, Sources, suggestion};

/// What a package has to do with a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PackageKind {
    /// The files that the driver loads into the GPU.
    Firmware,
    /// AMD's own driver package.
    Driver,
    /// The driver in user space.
    Mesa,
    /// Other parts of Vulkan.
    Vulkan,
    /// The library between the two drivers.
    Libdrm,
    /// The compute stack, and programs that bring parts of it.
    Rocm,
    /// Compositors and what they are built on.
    Desktop,
    /// The X server.
    Xorg,
    /// The kernel.
    Kernel,
}

impl PackageKind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Firmware,
        Self::Driver,
        Self::Mesa,
        Self::Vulkan,
        Self::Libdrm,
        Self::Rocm,
        Self::Desktop,
        Self::Xorg,
        Self::Kernel,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Firmware => "firmware",
            Self::Driver => "driver",
            Self::Mesa => "mesa",
            Self::Vulkan => "vulkan",
            Self::Libdrm => "libdrm",
            Self::Rocm => "rocm",
            Self::Desktop => "desktop",
            Self::Xorg => "xorg",
            Self::Kernel => "kernel",
        }
    }
}

/// A name in which `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamePattern(String);

impl NamePattern {
    /// Whether `name` is one of those that are meant.
    #[must_use]
    pub fn is_of(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut left) = name.strip_prefix(first) else { return false };
        let mut parts = rest.split('*').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return left.ends_with(part);
            }
            // The first place will do: what is left behind it is longest.
            let Some(at) = left.find(part) else { return false };
            left = &left[at + part.len()..];
        }
        true
    }

    fn read(sources: &mut Sources<'_>, text: At<String>) -> Option<Self> {
        let plain = text.value.chars().filter(|c| *c != '*').count();
        // `*` alone would take all packages and all secrets; a whole name takes nothing else.
        let too_wide = plain < 3 && text.value.contains('*');
        if too_wide {
            let what = format!("`{}` names too much: three characters must be told", text.value);
            sources.mistake(&text.place, what);
        }
        (!too_wide).then_some(Self(text.value))
    }
}

/// Packages that a report names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageGroup {
    /// What they are.
    pub kind: PackageKind,
    /// What they are called.
    pub names: Vec<NamePattern>,
}

/// What is collected of a machine for a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collected {
    /// Packages.
    pub packages: Vec<PackageGroup>,
    /// Variables of a process.
    pub variables: Vec<NamePattern>,
}

impl Collected {
    /// What the package of this name is; `None` for one that is of no interest.
    #[must_use]
    pub fn package(&self, name: &str) -> Option<PackageKind> {
        let of = |group: &&PackageGroup| group.names.iter().any(|pattern| pattern.is_of(name));
        self.packages.iter().find(of).map(|group| group.kind)
    }

    /// Whether the variable of this name may be told.
    #[must_use]
    pub fn has_variable(&self, name: &str) -> bool {
        self.variables.iter().any(|pattern| pattern.is_of(name))
    }

    pub(super) fn read_packages(&mut self, sources: &mut Sources<'_>, mut fields: Fields<'_>) {
        let kind = fields.required_text(sources, "kind");
        let names = names(sources, &mut fields);
        fields.finish(sources);
        let Some(kind) = kind else { return };
        match PackageKind::ALL.into_iter().find(|one| one.name() == kind.value) {
            Some(kind) => self.packages.push(PackageGroup { kind, names }),
            None => {
                let known = PackageKind::ALL.map(PackageKind::name);
                let hint = suggestion(&kind.value, known)
                    .unwrap_or_else(|| format!("known here: {}", known.join(", ")));
                let what = format!("`{}` is no kind of package", kind.value);
                sources.mistake_with_hint(&kind.place, what, hint);
            }
        }
    }

    pub(super) fn read_variables(&mut self, sources: &mut Sources<'_>, mut fields: Fields<'_>) {
        self.variables.extend(names(sources, &mut fields));
        fields.finish(sources);
    }
}

pub(super) fn names(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Vec<NamePattern> {
    let texts = fields.texts(sources, "names");
    fields.require(sources, "names", !texts.is_empty());
    texts.into_iter().filter_map(|text| NamePattern::read(sources, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, want) in [
            ("mesa", "mesa", true),
            ("mesa", "mesa-utils", false),
            ("mesa-*", "mesa-vulkan-drivers", true),
            ("mesa-*", "mesa-", true),
            ("mesa-*", "mesa", false),
            ("mesa*-git", "mesa-tkg-git", true),
            ("mesa*-git", "mesa-tkg", false),
            ("a*b*c", "aXbXc", true),
            ("a*b*c", "acb", false),
            ("*amdgpu", "xf86-amdgpu", true),
        ] {
            assert_eq!(NamePattern(pattern.to_owned()).is_of(name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn what_is_told_is_what_concerns_a_gpu() {
        let collected = &crate::builtin::patterns().machines.collected;
        for (name, kind) in [
            ("firmware-amd-graphics", Some(PackageKind::Firmware)),
            ("mesa-vulkan-drivers", Some(PackageKind::Mesa)),
            ("linux-image-6.12.48+deb13-amd64", Some(PackageKind::Kernel)),
            ("amdgpu-dkms", Some(PackageKind::Driver)),
            ("amdgpu-dkms-firmware", Some(PackageKind::Firmware)),
            ("secret-project", None),
            ("linux-headers-amd64", None),
        ] {
            assert_eq!(collected.package(name), kind, "{name}");
        }
        for (name, told) in [
            ("HSA_OVERRIDE_GFX_VERSION", true),
            ("OLLAMA_HOST", true),
            ("HOME", false),
            ("AWS_SECRET_ACCESS_KEY", false),
            ("HUGGING_FACE_HUB_TOKEN", false),
        ] {
            assert_eq!(collected.has_variable(name), told, "{name}");
        }
    }
}
