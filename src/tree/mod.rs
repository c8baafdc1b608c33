//! Opens files below a directory with untrusted contents, which may change meanwhile. No name in it
//! and no change to it leads outside.
//!
//! Only regular files and directories are opened: a FIFO would block its reader, and a device file
//! belongs to this machine wherever it is.
//!
//! The meaning of the files is not known here.

#![allow(
    clippy::disallowed_methods,
    reason = "this module is the one that opens what is in folders"
)]

mod steps;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::fs::{fstat, openat2, readlinkat};
use rustix::io::Errno;

/// Maximum number of retries if directories are renamed during a lookup.
const AGAIN: usize = 32;

/// How symbolic links that lead outside are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// The directory is `/` for them: the disk of another machine.
    IsRoot,
    /// They are an error ([`is_outside`]): an ordinary directory.
    IsRefused,
}

/// The directory.
#[derive(Debug)]
pub(crate) struct Tree {
    folder: OwnedFd,
    outside: Outside,
    /// Whether the kernel resolves paths (`openat2`); older kernels and some sandboxes do not allow
    /// it.
    by_kernel: bool,
}

impl Tree {
    /// The directory `root`, which may itself be a symbolic link.
    ///
    /// # Errors
    /// If it is not a directory, or cannot be searched.
    pub(crate) fn open(root: &Path, outside: Outside) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(root, flags, Mode::empty())?;
        let tree = Self { folder, outside, by_kernel: true };
        let by_kernel =
            !matches!(tree.at(Path::new("."), OFlags::PATH), Err(Errno::NOSYS | Errno::PERM));
        Ok(Self { by_kernel, ..tree })
    }

    /// Resolves paths as on an old kernel.
    #[cfg(test)]
    pub(crate) fn by_steps(self) -> Self {
        Self { by_kernel: false, ..self }
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// If it does not exist below the directory, or cannot be read.
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        let found = self.at(path, OFlags::PATH)?;
        match FileType::from_raw_mode(fstat(&found)?.st_mode) {
            FileType::RegularFile => self.again(path, &found, OFlags::empty()).map(File::from),
            FileType::Directory => Err(Errno::ISDIR.into()),
            _ => Err(io::Error::other("it is no plain file")),
        }
    }

    /// The names in a directory, at most `limit`, sorted.
    ///
    /// # Errors
    /// If it does not exist, or cannot be read.
    pub(crate) fn names(&self, path: &Path, limit: usize) -> io::Result<Vec<OsString>> {
        let found = self.at(path, OFlags::PATH | OFlags::DIRECTORY)?;
        let folder = self.again(path, &found, OFlags::DIRECTORY)?;
        let own =
            |entry: &rustix::fs::DirEntry| !matches!(entry.file_name().to_bytes(), b"." | b"..");
        let entries = rustix::fs::Dir::new(folder)?.filter_map(Result::ok).filter(own).take(limit);
        let name =
            |entry: rustix::fs::DirEntry| OsString::from_vec(entry.file_name().to_bytes().to_vec());
        let mut names: Vec<OsString> = entries.map(name).collect();
        names.sort();
        Ok(names)
    }

    /// The target of a symbolic link.
    ///
    /// # Errors
    /// If there is no link of this name.
    pub(crate) fn link(&self, path: &Path) -> io::Result<PathBuf> {
        let link = self.at(path, OFlags::PATH | OFlags::NOFOLLOW)?;
        let target = readlinkat(&link, "", Vec::new()).map_err(|error| match error {
            // The kernel's error for a descriptor that is not a link.
            Errno::NOENT => Errno::INVAL,
            other => other,
        })?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// The metadata of a path, following links. Nothing is opened.
    ///
    /// # Errors
    /// If it does not exist.
    pub(crate) fn status(&self, path: &Path) -> io::Result<Stat> {
        Ok(fstat(self.at(path, OFlags::PATH)?)?)
    }

    /// The metadata of a link itself.
    ///
    /// # Errors
    /// If it does not exist.
    pub(crate) fn own_status(&self, path: &Path) -> io::Result<Stat> {
        Ok(fstat(self.at(path, OFlags::PATH | OFlags::NOFOLLOW)?)?)
    }

    /// Whether this process has this access to it.
    pub(crate) fn may(&self, path: &Path, access: Access) -> bool {
        let found = self.at(path, OFlags::PATH).ok();
        found.is_some_and(|found| rustix::fs::access(in_proc(&found), access).is_ok())
    }

    /// Resolves `path`.
    fn at(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        if !self.by_kernel {
            return steps::open(&self.folder, path, flags, self.outside);
        }
        let way = match self.outside {
            Outside::IsRoot => ResolveFlags::IN_ROOT,
            Outside::IsRefused => ResolveFlags::BENEATH,
        };
        // Here an empty path is the directory itself.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let open =
            || openat2(&self.folder, path, flags, Mode::empty(), way | ResolveFlags::NO_MAGICLINKS);
        (0..AGAIN)
            .find_map(|_| Some(open()).filter(|done| !matches!(done, Err(Errno::AGAIN))))
            .unwrap_or(Err(Errno::AGAIN))
    }

    /// Opens a resolved file for reading.
    fn again(&self, path: &Path, found: &OwnedFd, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        match rustix::fs::open(in_proc(found), flags, Mode::empty()) {
            // Without /proc the file is opened by name: it may have been replaced, but not by one
            // from outside.
            Err(Errno::NOENT) if fs::metadata("/proc/self/fd").is_err() => {
                Ok(self.at(path, flags)?)
            }
            done => Ok(done?),
        }
    }
}

/// A name that stays valid if the open file is renamed.
fn in_proc(found: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", found.as_raw_fd())
}

/// Whether something was not opened because it is outside.
pub(crate) fn is_outside(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::XDEV.raw_os_error())
}
