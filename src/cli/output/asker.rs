//! The user who runs the program, possibly through sudo, and who will own its files.

use std::fs::File;

use crate::cli::settings;

/// The user for whom files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asker {
    /// The effective user id of this process.
    own: u32,
    /// The user and group who ran this program through `sudo` or similar, if known.
    behalf: Option<(u32, Option<u32>)>,
}

impl Asker {
    /// The user of this run.
    pub(super) fn of_this_run() -> Self {
        Self { own: rustix::process::geteuid().as_raw(), behalf: settings::on_behalf_of() }
    }

    /// Whether a file of this owner was put there by the user or root.
    pub(super) fn trusts(self, user: u32) -> bool {
        user == 0 || user == self.own || self.behalf.is_some_and(|(behalf, _)| user == behalf)
    }

    /// Gives a new file to the user: a file that only root can read is useless after `sudo`.
    pub(super) fn give(self, file: &File) -> std::io::Result<()> {
        match self.behalf {
            Some((user, group)) => std::os::unix::fs::fchown(file, Some(user), group),
            None => Ok(()),
        }
    }
}
