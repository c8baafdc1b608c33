//! Who asked for a file, and therefore owns it.

use std::fs::File;

use crate::cli::settings;

/// The user for whom something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asker {
    /// The user that this program runs as.
    own: u32,
    /// The user who had it run as root, and their group, where that is known.
    behalf: Option<(u32, Option<u32>)>,
}

impl Asker {
    /// Who asks this run.
    pub(super) fn of_this_run() -> Self {
        Self { own: rustix::process::geteuid().as_raw(), behalf: settings::on_behalf_of() }
    }

    /// Whether what belongs to this user was put there by who asks, or by root.
    pub(super) fn trusts(self, user: u32) -> bool {
        user == 0 || user == self.own || self.behalf.is_some_and(|(behalf, _)| user == behalf)
    }

    /// Gives a new file to who asks: what only root may read is of no use to whoever typed `sudo`.
    pub(super) fn give(self, file: &File) -> std::io::Result<()> {
        match self.behalf {
            Some((user, group)) => std::os::unix::fs::fchown(file, Some(user), group),
            None => Ok(()),
        }
    }
}
