//! When advice is useful, and on which distributions its commands work.

use super::words::words;

words! {
    /// The phase in which advice is useful, in the order of need.
    pub(crate) AdvicePhase {
        /// Immediately, before anything else.
        Now,
        /// May remove the cause.
        Fix,
        /// Narrows down the cause.
        NarrowDown,
        /// Collects information.
        Collect,
        /// Reports the failure to those who can fix it.
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
    /// A family of distributions that use the same commands.
    pub(crate) DistributionFamily {
        /// Debian, Ubuntu and derivatives.
        Apt,
        /// Fedora, Red Hat and derivatives with dnf.
        Dnf,
        /// Arch and derivatives.
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
        /// All distributions.
        Any,
    }
}

words! {
    /// What a line of a text about a machine states.
    pub(crate) Topic {
        /// The release of the kernel.
        Kernel,
        /// The distribution.
        Distribution,
    }
}
