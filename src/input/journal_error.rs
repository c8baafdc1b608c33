//! Why the journals of systemd cannot be read.

use std::io;
use std::time::Duration;

/// The program that reads journals.
pub(super) const JOURNALCTL: &str = "journalctl";

/// How long a program may say nothing while its words are waited for. A journal of many gigabytes on a disk
/// that turns takes a minute to look through.
pub(super) const SILENCE: Duration = Duration::from_secs(180);

/// Why a journal could not be read; carried by the [`io::Error`] of a read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// There is no `journalctl`.
    #[error("journalctl is not installed")]
    NoProgram,
    /// It is there and could not be started.
    #[error("journalctl does not start: {0}")]
    NotStarted(String),
    /// It says nothing, and does not end.
    #[error("journalctl: nothing came from it for {} s", SILENCE.as_secs())]
    Silent,
    /// It found nothing.
    #[error("journalctl: no entries")]
    NoEntries,
    /// It failed.
    #[error("journalctl: {0}")]
    Failed(String),
    /// A journal without a file of its own could not be written into one.
    #[error("no temporary file: {0}")]
    NoSpool(String),
}

impl JournalError {
    pub(super) fn raised(self) -> io::Error {
        io::Error::other(self)
    }

    /// What `error` carries, if it is one of these.
    pub(super) fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}
