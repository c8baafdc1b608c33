//! The log to follow, and where to start.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::cli::args::FollowArguments;
use crate::cli::bookmark::Bookmark;
use crate::cli::failure::Failure;
use crate::cli::machine::closed;
use crate::cli::output::Target;
use crate::cli::settings;
use crate::input::live::{self, Feed, JournalFrom};
use crate::input::{InputError, RING_BUFFER, STANDARD_INPUT, THIS_BOOT, ThisMachine, Unread};

/// A log that grows.
pub(in crate::cli) struct Followed {
    pub(in crate::cli) name: String,
    pub(in crate::cli) feed: Feed,
    /// Whether it can be continued from a bookmark.
    pub(super) has_places: bool,
}

impl Followed {
    /// Wraps an opened log.
    fn opened(name: &str, feed: io::Result<Feed>) -> Result<Self, Failure> {
        let feed = feed.map_err(|error| InputError::from_read(name, error))?;
        let has_places = feed.has_places;
        Ok(Self { name: name.to_owned(), feed, has_places })
    }

    /// A file, after what was read of it before.
    pub(in crate::cli) fn file(path: &Path, from: Option<&Bookmark>) -> Result<Self, Failure> {
        let from = from.map(Bookmark::left_off);
        Self::opened(&path.display().to_string(), live::file(path, from))
    }

    /// Standard input, of which `head` was read already.
    pub(super) fn standard_input(head: Vec<u8>) -> Result<Self, Failure> {
        Self::opened(STANDARD_INPUT, live::standard_input(head))
    }
}

/// Opens the log that the arguments name.
pub(super) fn followed(
    arguments: &FollowArguments,
    from: Option<&Bookmark>,
) -> Result<Followed, Failure> {
    let dash = Path::new("-");
    match arguments.file.as_deref() {
        None if !arguments.this_machine && !io::stdin().is_terminal() => {
            Followed::standard_input(Vec::new())
        }
        Some(path) if path == dash => Followed::standard_input(Vec::new()),
        None => this_machine(from),
        Some(path) if path.is_dir() && !has_journals(path, JOURNAL_DEPTH) => {
            Err(Failure::NoJournalFiles { path: path.to_owned() })
        }
        Some(path) if is_a_journal(path) => {
            journal(&path.display().to_string(), Some(path.to_owned()), from)
        }
        Some(path) => Followed::file(path, from),
    }
}

/// How far below a directory journals are: /var/log/journal has one for each machine.
const JOURNAL_DEPTH: usize = 2;

/// Whether a directory, which can be read, has a journal file.
fn has_journals(folder: &Path, depth: usize) -> bool {
    // journalctl says what is wrong with a directory that cannot be read.
    let Ok(entries) = std::fs::read_dir(folder) else { return true };
    let mut paths = entries.flatten().map(|entry| entry.path());
    let is_file = |path: &Path| path.extension().is_some_and(|end| end == "journal");
    paths.any(|path| {
        is_file(&path) || (depth > 0 && path.is_dir() && has_journals(&path, depth - 1))
    })
}

fn is_a_journal(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|end| end == "journal")
}

/// This machine's journal if it contains kernel messages, else the kernel's ring buffer.
pub(in crate::cli) fn this_machine(from: Option<&Bookmark>) -> Result<Followed, Failure> {
    if live::journal_shows_the_kernel() {
        return journal(THIS_BOOT, None, from);
    }
    match live::ring_buffer() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(nothing_is_open()),
        feed => Followed::opened(RING_BUFFER, feed),
    }
}

/// Neither the journal nor the ring buffer may be read.
fn nothing_is_open() -> Failure {
    let machine = ThisMachine::new(None);
    let journal = machine.stored_boots().unread.filter(Unread::is_closed);
    let journal = journal.map(|unread| unread.name);
    closed(&machine, journal.into_iter().chain([RING_BUFFER.to_owned()]).collect())
}

fn journal(
    name: &str,
    place: Option<PathBuf>,
    from: Option<&Bookmark>,
) -> Result<Followed, Failure> {
    let cursor = from.map(|from| from.begin.cursor.clone()).filter(|cursor| !cursor.is_empty());
    let followed =
        Followed::opened(name, live::journal(&JournalFrom { place, cursor, after: None }))?;
    Ok(Followed { has_places: true, ..followed })
}

/// The content of a cursor file, if it can be used, or why it cannot.
pub(super) fn stored_place(
    file: &Target<'_>,
    arguments: &FollowArguments,
) -> Result<(Option<Bookmark>, Option<String>), Failure> {
    /// Maximum size of a cursor file, in bytes; far more than it needs.
    const MOST: u64 = 64 << 10;
    let failed = |source| Failure::CursorFile { path: file.path().to_owned(), source };
    let Some(text) = file.content(MOST).map_err(failed)? else { return Ok((None, None)) };
    let name = file.path().display();
    let Ok(place) = serde_json::from_slice::<Bookmark>(&text) else {
        let why = format!("{name} is damaged and starts over; some reports may be repeated");
        return Ok((None, Some(why)));
    };
    let in_files = arguments.file.as_deref().is_some_and(|path| !is_a_journal(path));
    if place.is_of_files() == in_files {
        return Ok((Some(place), None));
    }
    Ok((None, Some(format!("{name} belongs to another log and starts over"))))
}

/// The time since a file was written.
pub(super) fn age_of(file: Option<&Path>) -> Duration {
    let written = file.and_then(|path| path.metadata().ok()).and_then(|file| file.modified().ok());
    let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    written.map_or(Duration::ZERO, |at| settings::since_1970().saturating_sub(at))
}
