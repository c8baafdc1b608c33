//! Where a log comes from: a file, a folder, an archive, standard input or this machine becomes one
//! stream of unpacked bytes for each log.
//!
//! The only module that opens files and starts programs. It looks at bytes no further than it takes to
//! say what kind of container they are; what lines mean is for [`crate::record`].

mod archive;
mod charset;
mod container;
mod error;
mod journal;
mod machine;
mod text;

#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use container::{Compression, Container, Foreign, MEMORY_LIMIT, UNPACKED_LIMIT, UnpackError};
pub use error::InputError;
pub use journal::JournalError;
pub use text::{LINE_LIMIT, Line, Lines, Skipped, plain_text};

use archive::Archive;
use container::{Budget, Kind, NESTING_LIMIT};
use journal::{Entries, Export, JOURNALCTL};

/// How deep [`each`] goes into a folder.
const DEPTH_LIMIT: usize = 16;

/// What an input without a file is called.
pub const STANDARD_INPUT: &str = "standard input";

/// What the log is called that the kernel itself keeps.
pub const RING_BUFFER: &str = "the kernel's ring buffer";

/// What the log is called that systemd keeps of this boot.
pub const THIS_BOOT: &str = "this boot's journal";

/// One log, unpacked, ready to be read.
pub struct Source<'a> {
    /// What to call it in messages: the path as it was given, or [`STANDARD_INPUT`]; for a member of an
    /// archive the archive's name, a colon and the path in it.
    pub name: String,
    /// The archive it stands in.
    pub archive: Option<String>,
    /// How it was packed; of several compressions the innermost.
    pub compression: Option<Compression>,
    /// Whether it is a journal, which comes in its export form.
    pub journal: bool,
    /// When it was written last, where that is known.
    pub modified: Option<SystemTime>,
    /// The unpacked bytes, from the first one on.
    pub reader: Box<dyn Read + 'a>,
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

/// One of the things that [`each`] came across.
#[derive(Debug)]
pub struct Found<'a> {
    /// Whether it is one of the files of a folder or an archive, of which nobody said that it is a log.
    pub member: bool,
    /// The log, or why it is none.
    pub source: Result<Source<'a>, InputError>,
}

/// What is to be done with each log. An error ends the walk.
pub type Visit<'v, E> = dyn FnMut(Found<'_>) -> Result<(), E> + 'v;

/// Opens a file and shows all logs in it: itself, or those of the archive or the folder that it is.
///
/// Members that are no logs are shown, too; see [`InputError::is_no_log`].
///
/// # Errors
///
/// Those of `visit` alone.
pub fn each<E>(path: &Path, visit: &mut Visit<'_, E>) -> Result<(), E> {
    Opener::default().path(path, visit)
}

/// As [`each`], with what another program writes.
///
/// # Errors
///
/// Those of `visit` alone.
pub fn standard_input<E>(reader: impl Read, visit: &mut Visit<'_, E>) -> Result<(), E> {
    Opener::default().content(Origin::new(STANDARD_INPUT.to_owned()), reader, visit)
}

/// What systemd keeps of this machine's current boot.
///
/// # Errors
///
/// If `journalctl` is missing, fails, or has no entries.
pub fn this_boot() -> Result<Source<'static>, InputError> {
    Opener::default().exported(Origin::new(THIS_BOOT.to_owned()), Entries::ThisBoot)
}

/// What the kernel keeps of this machine's current boot.
///
/// # Errors
///
/// If it may not be read.
pub fn ring_buffer() -> Result<Source<'static>, InputError> {
    let origin = Origin::new(RING_BUFFER.to_owned());
    match machine::ring_buffer() {
        Ok(records) => Ok(origin.source(None, Box::new(records))),
        Err(error) => Err(origin.failed(error)),
    }
}

/// What is known of some bytes before one of them is read.
#[derive(Clone, Default)]
struct Origin<'a> {
    name: String,
    /// The file, if the bytes are all of it and can be read again.
    path: Option<&'a Path>,
    archive: Option<String>,
    compression: Option<Compression>,
    modified: Option<SystemTime>,
    member: bool,
    /// How many containers were opened to get here.
    nesting: u32,
}

impl Origin<'_> {
    fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    fn source<'r>(
        self,
        compression: Option<Compression>,
        reader: Box<dyn Read + 'r>,
    ) -> Source<'r> {
        Source {
            name: self.name,
            archive: self.archive,
            compression: compression.or(self.compression),
            journal: false,
            modified: self.modified,
            reader,
        }
    }

    fn failed(&self, error: io::Error) -> InputError {
        InputError::from_read(&self.name, error).within(self.archive.as_deref())
    }
}

/// Opens one input with all that is in it.
struct Opener {
    budget: Budget,
    /// The program that reads journals.
    journalctl: &'static str,
}

impl Default for Opener {
    fn default() -> Self {
        Self { budget: Budget::new(UNPACKED_LIMIT), journalctl: JOURNALCTL }
    }
}

impl Opener {
    fn path<E>(&self, path: &Path, visit: &mut Visit<'_, E>) -> Result<(), E> {
        if !path.is_dir() {
            return self.file(path, false, visit);
        }
        match walk(path) {
            Ok(files) => files.iter().try_for_each(|file| self.file(file, true, visit)),
            Err(error) => visit(Found { member: false, source: Err(error) }),
        }
    }

    fn file<E>(&self, path: &Path, member: bool, visit: &mut Visit<'_, E>) -> Result<(), E> {
        let mut origin = Origin { member, ..Origin::new(path.display().to_string()) };
        // Read as a file it would never end.
        let source = if path == Path::new(machine::RING_BUFFER) {
            machine::ring_buffer().map(|records| origin.clone().source(None, Box::new(records)))
        } else {
            match opened(path) {
                Ok((file, modified)) => {
                    // Pipes have no time, and are not read twice.
                    origin.path = modified.is_some().then_some(path);
                    origin.modified = modified;
                    return self.content(origin, file, visit);
                }
                Err(error) => Err(error),
            }
        };
        visit(Found { member, source: source.map_err(|error| origin.failed(error)) })
    }

    /// Shows what is in `reader`.
    fn content<E>(
        &self,
        mut origin: Origin<'_>,
        reader: impl Read,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        let member = origin.member;
        let content = match container::unpacked(reader, &self.budget, origin.nesting) {
            Ok(content) => content,
            Err(error) => return visit(Found { member, source: Err(origin.failed(error)) }),
        };
        origin.compression = content.compression.or(origin.compression);
        origin.nesting += content.layers;
        if content.layers > 0 {
            origin.path = None;
        }
        let name = || origin.name.clone();
        let refused = match content.kind {
            Kind::Tar => return self.members(&origin, content.reader, visit),
            Kind::Text => {
                let source = Ok(origin.source(None, content.reader));
                return visit(Found { member, source });
            }
            Kind::Journal => {
                let source = self.journal(origin, content.reader);
                return visit(Found { member, source });
            }
            Kind::Empty => InputError::Empty { name: name() },
            Kind::Binary(what) => InputError::Binary { name: name(), what },
            Kind::Foreign(foreign) => InputError::Packed { name: name(), foreign },
        };
        visit(Found { member, source: Err(refused.within(origin.archive.as_deref())) })
    }

    /// Shows the files of an archive.
    fn members<E>(
        &self,
        origin: &Origin<'_>,
        reader: Box<dyn Read + '_>,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        // The one that can be named on a command line.
        let outermost = origin.archive.as_ref().unwrap_or(&origin.name);
        // What was found before a failure counts, so it is shown like that of one member.
        let failed = |error| {
            let error = InputError::from_read(&origin.name, error).within(Some(outermost));
            Found { member: true, source: Err(error) }
        };
        let nesting = origin.nesting + 1;
        if nesting > NESTING_LIMIT {
            return visit(failed(UnpackError::TooDeep(Container::Tar).raised()));
        }
        let mut archive = Archive::new(reader);
        loop {
            let member = match archive.next() {
                Ok(Some(member)) => member,
                Ok(None) => return Ok(()),
                Err(error) => return visit(failed(error)),
            };
            if !member.is_file {
                continue;
            }
            let inner = Origin {
                name: format!("{}:{}", origin.name, member.path),
                path: None,
                archive: Some(outermost.clone()),
                compression: origin.compression,
                modified: member.modified,
                member: true,
                nesting,
            };
            // A trait object, since an archive in an archive in … has no type with an end.
            let bytes: &mut dyn Read = &mut archive;
            self.content(inner, bytes, visit)?;
            if self.budget.is_spent() {
                return Ok(());
            }
        }
    }

    /// Lets `journalctl` read a journal file.
    fn journal(
        &self,
        origin: Origin<'_>,
        mut reader: Box<dyn Read + '_>,
    ) -> Result<Source<'static>, InputError> {
        let entries = match origin.path {
            Some(path) => opened(path).map(|(file, _)| Entries::Of(file, None)),
            None => spooled(&mut reader),
        };
        match entries {
            Ok(entries) => self.exported(origin, entries),
            Err(error) => Err(origin.failed(error)),
        }
    }

    fn exported(
        &self,
        origin: Origin<'_>,
        entries: Entries,
    ) -> Result<Source<'static>, InputError> {
        // Whether the program does its work shows with the first bytes.
        let begun = Export::start(self.journalctl, entries).and_then(container::peeked);
        match begun {
            Ok((_, reader)) => Ok(Source { journal: true, ..origin.source(None, reader) }),
            Err(error) => Err(origin.failed(error)),
        }
    }
}

/// A file and, of a regular one, when it was written last.
#[allow(clippy::disallowed_methods, reason = "this module is the one that opens files")]
fn opened(path: &Path) -> io::Result<(File, Option<SystemTime>)> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok((file, found.modified().ok().filter(|_| found.is_file())))
}

/// Writes a journal that is no file of its own into one that nobody else may open.
fn spooled(reader: &mut dyn Read) -> io::Result<Entries> {
    let mut file = tempfile::NamedTempFile::new()?;
    io::copy(reader, &mut file)?;
    file.rewind()?;
    let (file, path) = file.into_parts();
    Ok(Entries::Of(file, Some(path)))
}

/// The regular files below a folder, sorted by path.
///
/// Links to folders are not followed, so the walk ends; folders that cannot be read are left out.
/// It fails if `path` itself cannot be read, or nothing is in it.
fn walk(path: &Path) -> Result<Vec<PathBuf>, InputError> {
    let name = path.display().to_string();
    let entries = fs::read_dir(path).map_err(|error| InputError::from_read(&name, error))?;
    let mut files = Vec::new();
    let mut folders = vec![(entries, 0)];
    while let Some((entries, depth)) = folders.pop() {
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < DEPTH_LIMIT {
                folders.extend(fs::read_dir(&path).ok().map(|entries| (entries, depth + 1)));
            } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(InputError::NoLogs { name, what: "a folder" });
    }
    files.sort();
    Ok(files)
}

/// Opens a file that holds one log.
#[cfg(test)]
pub(crate) fn open(path: &Path) -> Result<Source<'static>, InputError> {
    let mut outcome = None;
    let shown = each::<()>(path, &mut |found| {
        outcome = Some(found.source.map(|mut source| {
            let mut bytes = Vec::new();
            source.reader.read_to_end(&mut bytes).unwrap();
            Origin::new(source.name).source(source.compression, Box::new(io::Cursor::new(bytes)))
        }));
        Ok(())
    });
    shown.ok().and(outcome).unwrap()
}
