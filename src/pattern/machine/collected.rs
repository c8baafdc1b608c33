//! What a bug report collects from a machine, by name: packages, and variables of a process.

use serde::{Deserialize, Serialize};

use crate::pattern::document::{Table, record};
use crate::pattern::glob::Glob;
use crate::value::words;

words! {
    /// The relation of a package to GPUs.
    pub(crate) PackageKind {
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
}

/// Reports names that are too general: `*` alone would match all packages and all secrets.
pub(super) fn check_names(table: &Table<'_>) {
    for name in table.items("names") {
        let Some(text) = name.text().filter(|text| text.contains('*')) else { continue };
        if text.chars().filter(|c| *c != '*').count() < 3 {
            name.mistake(format!("`{text}` matches too much: give at least three characters"));
        }
    }
}

record! {
    /// Packages that a report lists.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct PackageGroup {
        /// What they are.
        pub kind: PackageKind,
        /// What they are called.
        pub names: Vec<Glob> = required,
    }
    check
}

record! {
    /// Environment variables that a report lists.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct VariableGroup {
        /// What they are called.
        pub names: Vec<Glob> = required,
    }
    check
}

impl PackageGroup {
    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        check_names(table);
    }
}

impl VariableGroup {
    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        check_names(table);
    }
}

/// What a report collects from a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Collected {
    pub packages: Vec<PackageGroup>,
    /// Variables of a process.
    pub variables: Vec<VariableGroup>,
}

impl Collected {
    /// The kind of the package with this name; `None` if it is not relevant.
    pub(crate) fn package(&self, name: &str) -> Option<PackageKind> {
        let of = |group: &&PackageGroup| group.names.iter().any(|pattern| pattern.matches(name));
        self.packages.iter().find(of).map(|group| group.kind)
    }

    /// Whether the variable with this name may be reported.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        let mut names = self.variables.iter().flat_map(|group| &group.names);
        names.any(|pattern| pattern.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_concerns_a_gpu_is_collected() {
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
