//! Why systemd journals cannot be read.

use std::io;
use std::time::Duration;

/// The program for reading journals.
pub(super) const JOURNALCTL: &str = "journalctl";

/// Maximum time without output of a program. Searching many gigabytes of journal on a hard disk
/// takes a minute.
pub(super) const SILENCE: Duration = Duration::from_secs(180);

/// Why a journal could not be read; wrapped in the [`io::Error`] of a read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// `journalctl` is not installed.
    #[error("journalctl is not installed")]
    NoProgram,
    /// It could not be started.
    #[error("journalctl does not start: {0}")]
    NotStarted(String),
    /// It is silent and does not end.
    #[error("journalctl: nothing came from it for {} s", SILENCE.as_secs())]
    Silent,
    /// It found no entries.
    #[error("journalctl: no entries")]
    NoEntries,
    /// It failed.
    #[error("journalctl: {0}")]
    Failed(String),
    /// A journal could not be copied to a temporary file.
    #[error("no temporary file: {0}")]
    NoSpool(String),
}

impl JournalError {
    pub(super) fn raised(self) -> io::Error {
        io::Error::other(self)
    }

    /// The error that `error` wraps, if it is one of these.
    pub(super) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}
