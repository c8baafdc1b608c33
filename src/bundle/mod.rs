//! The attachment for a bug report: which lines of a log are in it, which files, and the archive itself,
//! the same bytes from the same contents.
//!
//! Knows nothing of how its texts come about; those are written by [`crate::report`].

mod archive;
mod kept;
mod mentioned;
mod spool;

use sha2::{Digest, Sha256};

pub use archive::{Packed, pack};
pub use kept::{Chosen, Fate, Keeping};
pub use mentioned::Mentioned;
pub use spool::{Class, Entry, Spool};

/// A file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name in the archive, one of ours: nothing of a log or a machine is part of it.
    pub name: String,
    /// What it is, for people.
    pub what: String,
    /// The command or the file that it came from.
    pub origin: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

impl Member {
    /// SHA-256 of its bytes, in hexadecimal digits.
    #[must_use]
    pub fn digest(&self) -> String {
        crate::value::hexadecimal(&Sha256::digest(&self.content))
    }
}

/// Something that the bundle should have and has not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Absent {
    /// What it is.
    pub what: String,
    /// Why it is not there.
    pub why: String,
    /// What would help.
    pub help: Option<String>,
    /// Whether nobody has to miss it: the machine has no such thing, or is not here to be asked.
    pub minor: bool,
}
