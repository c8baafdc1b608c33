//! The directory of an output file, opened once so that it cannot be exchanged meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::fs::{fstat, fsync, linkat, mkdirat, openat, readlinkat, renameat, statat, unlinkat};
use rustix::io::Errno;

use super::asker::Asker;

/// Maximum number of symbolic links to follow, as in the kernel (`MAXSYMLINKS`, namei.h).
const LINKS: usize = 40;
/// Maximum number of names to try for a temporary file.
const NAMES: u32 = 1_000;

/// Why a directory is not entered.
pub(super) enum Closed {
    /// The path contains a link of a user other than the current user and root, who could choose
    /// the target.
    Link,
    /// The system refuses.
    Failed(io::Error),
}

impl Closed {
    /// The same as an ordinary I/O error.
    pub(super) fn into_error(self) -> io::Error {
        match self {
            Self::Link => io::Error::other("a symbolic link of another user is on the way"),
            Self::Failed(error) => error,
        }
    }
}

impl From<Errno> for Closed {
    fn from(error: Errno) -> Self {
        Self::Failed(error.into())
    }
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder(OwnedFd);

impl Folder {
    /// Resolves `path` step by step.
    pub(super) fn open(path: &Path, asker: Asker) -> Result<Self, Closed> {
        let step = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let at = |folder: &str| rustix::fs::open(folder, step, Mode::empty());
        let mut here = at(".")?;
        let mut wanted = components(path);
        let mut links = 0;
        while let Some(name) = wanted.pop() {
            if name == "/" {
                here = at("/")?;
                continue;
            }
            let next = openat(&here, &name, step, Mode::empty())?;
            let found = fstat(&next)?;
            match FileType::from_raw_mode(found.st_mode) {
                FileType::Directory => here = next,
                FileType::Symlink if !asker.trusts(found.st_uid) => return Err(Closed::Link),
                FileType::Symlink if links == LINKS => return Err(Errno::LOOP.into()),
                FileType::Symlink => {
                    links += 1;
                    let target = readlinkat(&next, "", Vec::new())?;
                    wanted.extend(components(&PathBuf::from(OsString::from_vec(
                        target.into_bytes(),
                    ))));
                }
                _ => return Err(Errno::NOTDIR.into()),
            }
        }
        Ok(Self(here))
    }

    /// The metadata of this name, without following a link.
    pub(super) fn found(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether users other than the current one and root can create files here.
    pub(super) fn is_open_to_others(&self, asker: Asker) -> io::Result<bool> {
        let own = fstat(&self.0)?;
        let mode = Mode::from_raw_mode(own.st_mode);
        let shared = mode.intersects(Mode::SVTX | Mode::WOTH);
        Ok(shared || !asker.trusts(own.st_uid))
    }

    /// Opens a regular file for reading.
    pub(super) fn read(&self, name: &OsStr) -> io::Result<Option<File>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => Ok(Some(File::from(file))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Creates an unnamed file; `None` if the file system does not support that.
    pub(super) fn nameless(&self, mode: Mode) -> Option<File> {
        // It can be linked only through /proc.
        if !Path::new("/proc/self/fd").is_dir() {
            return None;
        }
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        openat(&self.0, ".", flags, mode).ok().map(File::from)
    }

    /// Creates a file with an unused name.
    pub(super) fn create_unused(&self, mode: Mode) -> io::Result<(File, OsString)> {
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        free_names(|name| openat(&self.0, name, flags, mode).map(File::from))
    }

    /// Links an unnamed file to this name, if it is unused.
    pub(super) fn link(&self, file: &File, name: &OsStr) -> Result<(), Errno> {
        let source = format!("/proc/self/fd/{}", file.as_raw_fd());
        linkat(rustix::fs::CWD, source.as_str(), &self.0, name, AtFlags::SYMLINK_FOLLOW)
    }

    /// Links an unnamed file to an unused name.
    pub(super) fn link_beside(&self, file: &File) -> io::Result<OsString> {
        free_names(|name| self.link(file, name)).map(|((), name)| name)
    }

    /// Renames a file, replacing an existing one. If that fails, the file is deleted.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        renameat(&self.0, from, &self.0, to).map_err(|error| {
            self.remove(from);
            error.into()
        })
    }

    /// Deletes a file.
    pub(super) fn remove(&self, name: &OsStr) {
        // It may be deleted already.
        let _ = unlinkat(&self.0, name, AtFlags::empty());
    }

    /// Flushes the directory to disk, if the file system supports it.
    pub(super) fn sync(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let _ = openat(&self.0, ".", flags, Mode::empty()).map(|folder| fsync(&folder));
    }

    /// Opens the subdirectory of this name; creates it for the current user if it does not exist.
    pub(super) fn inner(&self, name: &OsStr, asker: Asker) -> io::Result<()> {
        match mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) => return Ok(()),
            made => made?,
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = File::from(openat(&self.0, name, flags, Mode::empty())?);
        // If someone exchanged it meanwhile, its ownership is not changed.
        if fstat(&folder)?.st_uid == rustix::process::geteuid().as_raw() {
            asker.give(&folder)?;
        }
        Ok(())
    }

    /// Whether both are the same directory.
    pub(super) fn is(&self, other: &Self) -> bool {
        let key = |folder: &Self| fstat(&folder.0).ok().map(|it| (it.st_dev, it.st_ino));
        key(self).is_some_and(|own| Some(own) == key(other))
    }
}

/// The components of a path, the first one last.
fn components(path: &Path) -> Vec<OsString> {
    let steps = path.components().rev().filter(|step| !matches!(step, Component::CurDir));
    steps.map(|step| step.as_os_str().to_owned()).collect()
}

fn free_names<T>(mut make: impl FnMut(&OsStr) -> Result<T, Errno>) -> io::Result<(T, OsString)> {
    let own = std::process::id();
    for number in 0..NAMES {
        let name = OsString::from(format!(".amdtriage-{own}-{number}"));
        match make(&name) {
            Ok(file) => return Ok((file, name)),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
