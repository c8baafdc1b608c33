//! When advice is useful, and on which distributions its commands work.

use super::words::words;

words! {
    /// When advice is of use, in the order in which people need it.
    pub(crate) AdvicePhase {
        /// At once, before anything else.
        Now,
        /// It may remove the cause.
        Fix,
        /// It shows where the cause is.
        NarrowDown,
        /// It saves what is known.
        Collect,
        /// It tells those who can repair it.
        Report,
    }
}

impl AdvicePhase {
    /// Whether the user may already have tried it as a remedy.
    pub(crate) const fn is_remedy(self) -> bool {
        match self {
            Self::Fix | Self::NarrowDown => true,
            Self::Now | Self::Collect | Self::Report => false,
        }
    }
}

words! {
    /// Distributions on which the same commands work.
    pub(crate) DistributionFamily {
        /// Debian, Ubuntu and what is built on them.
        Apt,
        /// Fedora and Red Hat, where packages are installed one by one.
        Dnf,
        /// Arch and what is built on it.
        Pacman,
        /// Fedora's image-based systems: Silverblue, Bazzite.
        RpmOstree,
        /// openSUSE and SUSE Linux Enterprise.
        Zypper,
        /// `NixOS`.
        Nix,
        /// `SteamOS`.
        Steamos,
        /// Gentoo.
        Gentoo,
        /// FreeBSD, with the driver as a port (drm-kmod).
        Freebsd,
        /// All of them.
        Any,
    }
}
