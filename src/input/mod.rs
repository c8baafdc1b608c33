//! Opens inputs: turns a file, a directory, an archive, standard input or this machine's log into
//! one stream of decompressed bytes for each log.
//!
//! Bytes are examined only to recognise containers, compressions and character sets;
//! [`crate::record`] interprets lines. Only this module opens logs; programs are started through
//! [`crate::program`].

mod archive;
mod charset;
mod container;
mod cost;
mod error;
#[cfg(feature = "system")]
mod files;
#[cfg(feature = "system")]
mod journal;
mod journal_error;
#[cfg(feature = "system")]
mod journals;
#[cfg(feature = "system")]
pub mod live;
#[cfg(feature = "system")]
mod machine;
mod opener;
#[cfg(feature = "system")]
mod saved;
mod shown;
mod skim;
mod text;
#[cfg(feature = "system")]
mod this_machine;

#[cfg(test)]
mod tests;

use std::io::Read;
use std::time::SystemTime;

pub use charset::Utf8;
pub use container::{Compression, Container, Foreign, MEMORY_LIMIT, UnpackError};
pub use cost::{JOURNAL_LIMIT, Limit, RATIO_LIMIT, TIME_LIMIT, UNPACKED_LIMIT};
pub use error::{Hint, InputError, PrintCommand};
pub(crate) use error::{is_no_file, quoted};
#[cfg(test)]
pub(crate) use files::open;
#[cfg(feature = "system")]
pub use files::{each, each_below, is_file_below, stdin};
pub use journal_error::JournalError;
#[cfg(feature = "system")]
pub use saved::{SavedCrash, SavedCrashes};
pub use shown::plain_text;
pub use skim::{OfKernel, Skimmed, Words};
pub use text::{LINE_LIMIT, Line, Lines, Skipped};
#[cfg(feature = "system")]
pub use this_machine::{
    KernelBuffer, Segment, StoredBoot, StoredBoots, ThisMachine, Unread, WhyUnread, is_root,
};

use crate::value::Named;
use opener::{Opener, Origin};

/// Maximum depth of directories that `each` reads.
const DEPTH_LIMIT: usize = 16;

/// The name of standard input.
pub const STANDARD_INPUT: &str = "standard input";

/// The name of the kernel's ring buffer.
pub const RING_BUFFER: &str = "the kernel's ring buffer";

/// The name of the journal of the current boot.
pub const THIS_BOOT: &str = "this boot's journal";

/// The name of the journal of another machine's last boot.
pub const LAST_BOOT: &str = "the last boot's journal";

/// The prefix of the names of other boots' journals.
pub const JOURNAL_OF: &str = "the journal of ";

/// The name of the whole journal.
pub const SYSTEM_JOURNAL: &str = "the system's journal";

/// The name of the output of `dmesg`.
pub const DMESG_OUTPUT: &str = "what dmesg prints";

/// The name of an input in a sentence: one of the names above, or a file name as [`Named`] shows
/// it. A file name may be followed by the machine that wrote a part of it.
#[must_use]
pub fn called(name: &str) -> String {
    match file_and_machine(name) {
        _ if error::is_no_file(name) || name == STANDARD_INPUT => name.to_owned(),
        Some((file, machine)) if Named(file).is_plain() && Named(machine).is_plain() => {
            name.to_owned()
        }
        Some((file, machine)) if file == STANDARD_INPUT && Named(machine).is_plain() => {
            name.to_owned()
        }
        _ => Named(name).to_string(),
    }
}

/// The file and the machine, if the name of an input has both.
pub(crate) fn file_and_machine(name: &str) -> Option<(&str, &str)> {
    name.strip_suffix(')')?.rsplit_once(" (")
}

/// One log, decompressed and ready to be read.
pub struct Source<'a> {
    /// Its name in messages: the path as given, or [`STANDARD_INPUT`]; for a member of an archive,
    /// the archive's name, a colon and the path in it.
    pub name: String,
    /// The archive that contains it.
    pub archive: Option<String>,
    /// Its compression; of several the innermost.
    pub compression: Option<Compression>,
    /// Whether it is a journal, which is in export format.
    pub journal: bool,
    /// Its modification time, if known.
    pub modified: Option<SystemTime>,
    /// The decompressed bytes.
    pub reader: Box<dyn Read + 'a>,
}

impl Source<'_> {
    /// The command that prints it decompressed, if that can be typed.
    #[must_use]
    pub fn printed_by(&self) -> Option<PrintCommand> {
        let bare = self.archive.is_none() && !self.journal;
        PrintCommand::new(&self.name, self.compression).filter(|_| bare)
    }
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("compression", &self.compression)
            .field("journal", &self.journal)
            .field("modified", &self.modified)
            .finish_non_exhaustive()
    }
}

/// A file that was found.
#[derive(Debug)]
pub struct Found<'a> {
    /// Whether it is in a directory or archive, so that the user did not say that it is a log.
    pub member: bool,
    /// The log, or why it cannot be read.
    pub source: Result<Source<'a>, InputError>,
}

/// Handles each log. An error ends the walk.
pub type Visit<'v, E> = dyn FnMut(Found<'_>) -> Result<(), E> + 'v;

/// Passes all logs from a pipe to `visit`: the input itself, or the members of an archive.
///
/// Members that are not logs are passed, too; see [`InputError::is_no_log`].
///
/// # Errors
///
/// Only those of `visit`.
pub fn standard_input<E>(reader: impl Read, visit: &mut Visit<'_, E>) -> Result<(), E> {
    Opener::default().content(Origin::new(STANDARD_INPUT.to_owned()), reader, visit)
}

/// As [`standard_input`], with another name and a modification time.
///
/// # Errors
///
/// Only those of `visit`.
pub fn named<E>(
    name: &str,
    modified: Option<SystemTime>,
    reader: impl Read,
    visit: &mut Visit<'_, E>,
) -> Result<(), E> {
    let origin = Origin { modified, ..Origin::new(name.to_owned()) };
    Opener::default().content(origin, reader, visit)
}
