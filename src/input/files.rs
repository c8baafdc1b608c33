//! Files, directories, standard input and journals.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::FileType;
use tempfile::TempPath;

use super::container::{self, Container, UnpackError};
use super::cost::{Count, Meter, Metered};
use super::journal::{Entries, Export};
use super::journal_error::JournalError;
use super::opener::{Opener, Origin};
use super::{
    DEPTH_LIMIT, Found, InputError, STANDARD_INPUT, Source, Visit, machine, standard_input,
};
use crate::tree::{Outside, Tree, is_outside};

/// Opens a file and passes all logs in it to `visit`: itself, or the members of the archive or
/// directory.
///
/// Members that are not logs are passed, too; see [`InputError::is_no_log`].
///
/// # Errors
///
/// Only those of `visit`.
pub fn each<E>(path: &Path, visit: &mut Visit<'_, E>) -> Result<(), E> {
    Opener::default().path(path, visit)
}

/// As [`each`], with a file of the machine whose disk is at `root`; links cannot lead outside.
///
/// # Errors
///
/// Only those of `visit`.
pub fn each_below<E>(root: &Path, path: &Path, visit: &mut Visit<'_, E>) -> Result<(), E> {
    let name = root.join(path).display().to_string();
    match Tree::open(root, Outside::IsRoot) {
        Ok(tree) => {
            Opener::default().file(FileLocation { tree: Some(&tree), path }, name, false, visit)
        }
        Err(error) => {
            let source = Err(InputError::from_read(&name, error));
            visit(Found { member: false, source })
        }
    }
}

/// Whether this file exists on the disk at `root`.
#[must_use]
pub fn is_file_below(root: &Path, path: &Path) -> bool {
    Tree::open(root, Outside::IsRoot).and_then(|tree| tree.file(path)).is_ok()
}

/// As [`standard_input`], with this process's standard input, of which `head` was read already.
///
/// # Errors
///
/// Only those of `visit`.
pub fn stdin<E>(head: &[u8], visit: &mut Visit<'_, E>) -> Result<(), E> {
    let origin = Origin::new(STANDARD_INPUT.to_owned());
    let found = redirected();
    // Reading these two directly would never end.
    let source = match &found {
        Some(found) if machine::is_read_once(found) => {
            Err(InputError::ReadOnce { name: origin.name })
        }
        Some(found) if machine::is_ring_buffer(found) => origin.ring_buffer(),
        _ => return standard_input(head.chain(io::stdin().lock()), visit),
    };
    visit(Found { member: false, source })
}

/// The metadata of standard input.
fn redirected() -> Option<Metadata> {
    let copy = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned().ok()?;
    File::from(copy).metadata().ok()
}

/// The location of a file.
#[derive(Clone, Copy)]
pub(super) struct FileLocation<'a> {
    /// The directory that paths cannot leave, if there is one.
    pub(super) tree: Option<&'a Tree>,
    pub(super) path: &'a Path,
}

impl FileLocation<'_> {
    fn open(self) -> io::Result<File> {
        match self.tree {
            Some(tree) => tree.file(self.path),
            None => reopened(self.path),
        }
    }
}

impl Origin<'_> {
    /// The kernel's ring buffer, under any name.
    fn ring_buffer(self) -> Result<Source<'static>, InputError> {
        match machine::ring_buffer() {
            Ok(records) => Ok(self.source(None, Box::new(records))),
            Err(error) => Err(self.failed(error)),
        }
    }
}

impl Opener {
    pub(super) fn path<E>(&self, path: &Path, visit: &mut Visit<'_, E>) -> Result<(), E> {
        if !path.is_dir() {
            let name = path.display().to_string();
            return self.file(FileLocation { tree: None, path }, name, false, visit);
        }
        let (tree, walk) = match Walk::through(path) {
            Ok(walk) => walk,
            Err(error) => return visit(Found { member: false, source: Err(error) }),
        };
        for file in &walk.files {
            // Each file has its own limits.
            let opener = Self::new(self.budget.limits(), self.journalctl);
            let place = FileLocation { tree: Some(&tree), path: file };
            opener.file(place, path.join(file).display().to_string(), true, visit)?;
        }
        let failures = walk.failures.into_iter();
        failures.map(Err).try_for_each(|source| visit(Found { member: true, source }))
    }

    pub(super) fn file<E>(
        &self,
        place: FileLocation<'_>,
        name: String,
        member: bool,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        let mut origin = Origin { member, ..Origin::new(name) };
        let refused = match opened(place) {
            Ok(Opened::File(file, modified)) => {
                // Pipes have no modification time, and cannot be read twice.
                origin.place = modified.is_some().then_some(place);
                origin.modified = modified;
                return self.content(origin, file, visit);
            }
            Ok(Opened::RingBuffer) => {
                return visit(Found { member, source: origin.ring_buffer() });
            }
            Ok(Opened::ReadOnce) => InputError::ReadOnce { name: origin.name },
            Err(error) => origin.failed(error),
        };
        visit(Found { member, source: Err(refused) })
    }

    /// Reads a journal file with `journalctl`.
    pub(super) fn journal(
        &self,
        origin: Origin<'_>,
        mut reader: Box<dyn Read + '_>,
    ) -> Result<Source<'static>, InputError> {
        let file = match origin.place {
            Some(place) => place.open().map(|file| (file, None)),
            None => spooled(&mut reader, self.budget.limits().journal),
        };
        match file {
            Ok((file, spool)) => self.exported(origin, file, spool),
            Err(error) => Err(origin.failed(error)),
        }
    }

    fn exported(
        &self,
        origin: Origin<'_>,
        file: File,
        spool: Option<TempPath>,
    ) -> Result<Source<'static>, InputError> {
        let size = file.metadata().map_or(0, |found| found.len());
        let meter = Meter::new(Container::Journal, Count::of(size), self.budget.clone());
        // The first bytes show whether the program works.
        let begun = Export::start(self.journalctl, Entries::Of(file, spool))
            .and_then(|export| container::peeked(Metered::new(export, meter)));
        match begun {
            Ok((_, reader)) => Ok(Source { journal: true, ..origin.source(None, reader) }),
            Err(error) => Err(origin.failed(error)),
        }
    }
}

/// An opened path.
enum Opened {
    /// A file with the modification time of regular files.
    File(File, Option<SystemTime>),
    /// The device of the ring buffer, which never ends if it is read as a file.
    RingBuffer,
    /// /proc/kmsg, which does not end either, and removes what is read.
    ReadOnce,
}

fn opened(place: FileLocation<'_>) -> io::Result<Opened> {
    // Checked before opening, which may need root.
    let named = || fs::metadata(place.path).is_ok_and(|found| machine::is_read_once(&found));
    if place.tree.is_none() && named() {
        return Ok(Opened::ReadOnce);
    }
    let file = place.open()?;
    let found = file.metadata()?;
    if machine::is_read_once(&found) {
        return Ok(Opened::ReadOnce);
    }
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if machine::is_ring_buffer(&found) {
        return Ok(Opened::RingBuffer);
    }
    Ok(Opened::File(file, found.modified().ok().filter(|_| found.is_file())))
}

#[allow(clippy::disallowed_methods, reason = "this module is the one that opens files")]
fn reopened(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Copies a journal to a private temporary file.
fn spooled(reader: &mut dyn Read, limit: u64) -> io::Result<(File, Option<TempPath>)> {
    // These errors are not caused by the input.
    let failed = |error: io::Error| JournalError::NoSpool(error.to_string()).raised();
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    let mut block = vec![0; 64 << 10];
    let mut left = limit;
    loop {
        match reader.read(&mut block) {
            Ok(0) => break,
            Ok(count) => {
                let too_large = || UnpackError::TooLargeToCopy.raised();
                left = left.checked_sub(count as u64).ok_or_else(too_large)?;
                file.write_all(block.get(..count).unwrap_or_default()).map_err(failed)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    file.rewind().map_err(failed)?;
    let (file, path) = file.into_parts();
    Ok((file, Some(path)))
}

/// The contents of a directory, sorted by path.
#[derive(Default)]
struct Walk {
    /// The regular files, relative to the directory.
    files: Vec<PathBuf>,
    /// Subdirectories that could not be read, and links out of the directory.
    failures: Vec<InputError>,
}

impl Walk {
    /// Links to directories are not followed, so the walk ends. Fails if `path` itself cannot be
    /// read or is empty.
    fn through(path: &Path) -> Result<(Tree, Self), InputError> {
        let name = path.display().to_string();
        let begun = Tree::open(path, Outside::IsRefused).and_then(|tree| {
            let names = tree.names(Path::new(""), usize::MAX)?;
            Ok((tree, names))
        });
        let (tree, names) = begun.map_err(|error| InputError::from_read(&name, error))?;
        let mut walk = Self::default();
        let mut failures = Vec::new();
        let mut folders = vec![(PathBuf::new(), names, 0)];
        while let Some((folder, names, depth)) = folders.pop() {
            for inner in names.into_iter().map(|name| folder.join(name)) {
                match entry_type(&tree, &inner) {
                    Ok(EntryType::Folder) => match inside(&tree, path, &inner, depth) {
                        Ok(names) => folders.push((inner, names, depth + 1)),
                        Err(error) => failures.push((inner, error)),
                    },
                    Ok(EntryType::File) => walk.files.push(inner),
                    Ok(EntryType::Other) => {}
                    Err(error) => {
                        let name = path.join(&inner).display().to_string();
                        failures.push((inner, InputError::from_read(&name, error)));
                    }
                }
            }
        }
        if walk.files.is_empty() && failures.is_empty() {
            return Err(InputError::NoLogs { name, what: "a folder" });
        }
        walk.files.sort();
        failures.sort_by(|(one, _), (other, _)| one.cmp(other));
        walk.failures = failures.into_iter().map(|(_, error)| error).collect();
        Ok((tree, walk))
    }
}

/// The type of a directory entry.
enum EntryType {
    Folder,
    File,
    /// Not a log, or a link to something that is not.
    Other,
}

fn entry_type(tree: &Tree, path: &Path) -> io::Result<EntryType> {
    let kind = |status: &rustix::fs::Stat| FileType::from_raw_mode(status.st_mode);
    match kind(&tree.own_status(path)?) {
        FileType::Directory => Ok(EntryType::Folder),
        FileType::RegularFile => Ok(EntryType::File),
        FileType::Symlink => match tree.status(path) {
            Ok(found) if kind(&found) == FileType::RegularFile => Ok(EntryType::File),
            Err(error) if is_outside(&error) => Err(error),
            // Dangling links are ignored.
            Ok(_) | Err(_) => Ok(EntryType::Other),
        },
        _ => Ok(EntryType::Other),
    }
}

/// The contents of a directory at this depth.
fn inside(tree: &Tree, top: &Path, path: &Path, depth: usize) -> Result<Vec<OsString>, InputError> {
    let name = top.join(path).display().to_string();
    if depth >= DEPTH_LIMIT {
        return Err(InputError::FolderTooDeep { name });
    }
    tree.names(path, usize::MAX).map_err(|error| InputError::from_read(&name, error))
}

/// Opens a file with a single log.
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
