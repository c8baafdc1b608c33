//! The attachment for a bug report: which lines of a log are in it, which files, and the archive itself,
//! the same bytes from the same contents.
//!
//! Knows nothing of how its texts come about; those are written by [`crate::report`].

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
pub(crate) use kept::{Chosen, Decision, LogTrimmer};
pub(crate) use mentioned::Mentioned;
#[cfg(feature = "system")]
pub(crate) use spool::{Class, Entry, Spool};

/// A file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name in the archive, one of ours: nothing of a log or a machine is part of it.
    pub name: String,
    /// What it is, for people.
    pub what: String,
    /// The command or the file that it came from.
    pub origin: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether this program wrote it, out of what the other files say.
    pub is_page: bool,
}

/// How the folder of an archive begins.
pub(crate) const FOLDER: &str = "amdtriage-";

/// Whether `path` is one of the files of a bundle that are no log, though they quote some.
pub(crate) fn is_about_a_log(path: &str) -> bool {
    let mut parts = path.rsplit(['/', ':']);
    let mut part = || parts.next().unwrap_or("");
    let (name, folder) = (part(), part());
    let pages = ["report.md", "report.html", "amdtriage.json", "host.json", "host.md", "MANIFEST"];
    let of_host = folder == "host" && parts.next().is_some_and(|top| top.starts_with(FOLDER));
    of_host || (folder.starts_with(FOLDER) && pages.contains(&name))
}

impl Member {
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub(crate) fn digest(&self) -> String {
        crate::value::hexadecimal(&Sha256::digest(&self.content))
    }
}

/// Something that the bundle should have and has not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Absent {
    pub what: String,
    /// Why it is not there.
    pub why: String,
    /// What would help.
    pub help: Option<String>,
    /// Whether nobody has to miss it: the machine has no such thing, or is not here to be asked.
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
