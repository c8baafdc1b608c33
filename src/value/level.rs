//! How loud a message is.

use serde::{Deserialize, Serialize};

/// The kernel's eight levels, 0 to 7 as in `include/linux/kern_levels.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The system is unusable.
    Emergency,
    /// Somebody must act at once.
    Alert,
    /// Critical.
    Critical,
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// Normal but worth noting.
    Notice,
    /// Information.
    Info,
    /// For developers.
    Debug,
}

impl Level {
    /// All levels, loudest first.
    pub const ALL: [Self; 8] = [
        Self::Emergency,
        Self::Alert,
        Self::Critical,
        Self::Error,
        Self::Warning,
        Self::Notice,
        Self::Info,
        Self::Debug,
    ];

    /// The word used in pattern files and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Emergency => "emergency",
            Self::Alert => "alert",
            Self::Critical => "critical",
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}
