//! How a failure ended.

use serde::{Deserialize, Serialize};

/// How an incident ended, as the contract defines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The ring, queue or GPU came back and nothing says that work was lost.
    Recovered,
    /// It came back, but contexts, processes or sessions were killed.
    RecoveredContextLost,
    /// It came back with video memory lost.
    VramLost,
    /// A reset or recovery says that it failed.
    Failed,
    /// A recovery began and has no end although the log goes on.
    NeverCompleted,
    /// No recovery was tried.
    Hung,
    /// None was needed.
    None,
    /// The log ends too early to tell.
    Unknown,
}

impl Outcome {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recovered => "recovered",
            Self::RecoveredContextLost => "recovered-context-lost",
            Self::VramLost => "vram-lost",
            Self::Failed => "failed",
            Self::NeverCompleted => "never-completed",
            Self::Hung => "hung",
            Self::None => "none",
            Self::Unknown => "unknown",
        }
    }

    /// All outcomes.
    pub const ALL: [Self; 8] = [
        Self::Recovered,
        Self::RecoveredContextLost,
        Self::VramLost,
        Self::Failed,
        Self::NeverCompleted,
        Self::Hung,
        Self::None,
        Self::Unknown,
    ];

    /// The outcome with this word.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == word)
    }
}
