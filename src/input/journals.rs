//! The journals of another machine, whose disk is untrusted: `journalctl` would follow links, so it
//! gets open files instead of paths.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;
use rustix::io::{FdFlags, fcntl_setfd};

use crate::tree::Tree;

/// The directories of journals: volatile and persistent.
const FOLDERS: [&str; 2] = ["run/log/journal", "var/log/journal"];
/// Maximum number of names to read in each directory.
const NAMES: usize = 10_000;
/// Maximum number of journals to read, newest first: each is an open file, and a process may have a
/// thousand.
const FILES: usize = 500;

/// The journals to read.
#[derive(Debug)]
pub(super) enum Journals {
    /// Those of this machine.
    Own,
    /// These.
    Open(Vec<File>),
}

impl Journals {
    /// The journals on a disk; there may be none.
    ///
    /// # Errors
    /// If one cannot be opened.
    pub(super) fn on(tree: &Tree) -> io::Result<Self> {
        let mut found = Vec::new();
        for folder in FOLDERS.map(Path::new) {
            // Each machine has its own subdirectory.
            for inner in look(tree, folder, &mut found)? {
                look(tree, &inner, &mut found)?;
            }
        }
        found.sort_by(|one, other| other.cmp(one));
        found.truncate(FILES);
        let open = |(_, path): &(i64, PathBuf)| tree.file(path);
        found.iter().map(open).collect::<io::Result<_>>().map(Self::Open)
    }

    /// The options that pass them to a program, which inherits the open files.
    pub(super) fn options(&self) -> io::Result<Vec<String>> {
        let option = |file: &File| {
            fcntl_setfd(file, FdFlags::empty())?;
            Ok(format!("--file=/proc/self/fd/{}", file.as_raw_fd()))
        };
        match self {
            Self::Own => Ok(Vec::new()),
            Self::Open(files) => files.iter().map(option).collect(),
        }
    }

    /// Whether there are none.
    pub(super) const fn is_empty(&self) -> bool {
        matches!(self, Self::Open(files) if files.is_empty())
    }
}

/// Adds the journals in a directory with their modification times; returns its subdirectories.
fn look(tree: &Tree, folder: &Path, found: &mut Vec<(i64, PathBuf)>) -> io::Result<Vec<PathBuf>> {
    let names = match tree.names(folder, NAMES) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(error),
        names => names.unwrap_or_default(),
    };
    let mut folders = Vec::new();
    for path in names.into_iter().map(|name| folder.join(name)) {
        let Ok(known) = tree.own_status(&path) else { continue };
        let is_journal =
            || path.extension().is_some_and(|end| end == "journal" || end == "journal~");
        match FileType::from_raw_mode(known.st_mode) {
            FileType::Directory => folders.push(path),
            FileType::RegularFile if is_journal() => found.push((known.st_mtime, path)),
            _ => {}
        }
    }
    Ok(folders)
}
