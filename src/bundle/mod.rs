//! The archive that is attached to a bug report: which lines of a log and which files it contains.
//! The same contents give the same bytes.
//!
//! The texts of the archive are written by [`crate::report`].

#[cfg(feature = "system")]
mod archive;
#[cfg(feature = "system")]
mod kept;
mod mentioned;
#[cfg(feature = "system")]
mod spool;

use sha2::{Digest, Sha256};

#[cfg(feature = "system")]
pub(crate) use archive::{Packed, pack, packed};
#[cfg(feature = "system")]
pub(crate) use kept::{Decision, KeptParts, LogTrimmer};
pub(crate) use mentioned::Mentioned;
#[cfg(feature = "system")]
pub(crate) use spool::{Class, Entry, Spool};

/// A file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name in the archive: a fixed name without data from the log or machine.
    pub name: String,
    /// A description for people.
    pub what: String,
    /// The command or file that it is from.
    pub origin: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether this program wrote it, as a summary of the other files.
    pub is_page: bool,
}

/// The prefix of the archive's directory.
pub(crate) const FOLDER: &str = "amdtriage-";

/// Whether `path` is a file of a bundle that is not a log, although it may quote one.
pub(crate) fn is_about_a_log(path: &str) -> bool {
    let mut parts = path.rsplit(['/', ':']);
    let mut part = || parts.next().unwrap_or("");
    let (name, folder) = (part(), part());
    let pages = ["report.md", "report.html", "amdtriage.json", "host.json", "host.md", "MANIFEST"];
    let of_host = folder == "host" && parts.next().is_some_and(|top| top.starts_with(FOLDER));
    of_host || (folder.starts_with(FOLDER) && pages.contains(&name))
}

impl Member {
    /// SHA-256 of its content, in hexadecimal.
    pub(crate) fn digest(&self) -> String {
        crate::value::hexadecimal(&Sha256::digest(&self.content))
    }
}

/// Something that is missing from the bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Absent {
    pub what: String,
    /// The reason.
    pub why: String,
    /// What the user can do about it.
    pub help: Option<String>,
    /// Whether it is unimportant: the machine does not have it, or is not accessible.
    pub minor: bool,
}

#[cfg(test)]
mod tests {
    use super::is_about_a_log;

    #[test]
    fn of_a_bundle_the_logs_are_read_and_nothing_else() {
        for (path, about) in [
            ("x.tar.gz:amdtriage-2-ab/report.md", true),
            ("folder/amdtriage-2-ab/host/pci.txt", true),
            ("amdtriage-2-ab/amdtriage.json", true),
            ("x.tar.gz:amdtriage-2-ab/kernel.log.gz", false),
            ("x.tar.gz:amdtriage-2-ab/pstore/1.txt", false),
            ("x.tar.gz:other/report.md", false),
            ("report.md", false),
            ("host/pci.txt", false),
        ] {
            assert_eq!(is_about_a_log(path), about, "{path}");
        }
    }
}
