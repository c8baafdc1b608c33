//! A folder that others have filled, and perhaps go on filling: everything below it is opened from here, so
//! that no name in it, and nobody who changes one meanwhile, leads out.
//!
//! Nothing is opened but plain files and folders: a pipe would keep its reader waiting, and a device is the
//! machine's that this runs on, wherever its name stands.
//!
//! Knows nothing of what is in the files.

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

/// How often a way is gone again on which somebody renames folders.
const AGAIN: usize = 32;

/// What links may do that lead out of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// The folder stands for `/`, and for them there is nothing else: the disk of another machine.
    IsRoot,
    /// They lead nowhere, which is an error ([`is_outside`]): a folder among others.
    IsRefused,
}

/// The folder.
#[derive(Debug)]
pub(crate) struct Tree {
    folder: OwnedFd,
    outside: Outside,
    /// Whether the kernel goes the ways; older ones cannot, and some sandboxes forbid it.
    by_kernel: bool,
}

impl Tree {
    /// What is below `root`, which may itself be a link.
    ///
    /// # Errors
    /// If it is no folder, or cannot be gone into.
    pub(crate) fn open(root: &Path, outside: Outside) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(root, flags, Mode::empty())?;
        let tree = Self { folder, outside, by_kernel: true };
        let by_kernel =
            !matches!(tree.at(Path::new("."), OFlags::PATH), Err(Errno::NOSYS | Errno::PERM));
        Ok(Self { by_kernel, ..tree })
    }

    /// As on an old kernel.
    #[cfg(test)]
    pub(crate) fn by_steps(self) -> Self {
        Self { by_kernel: false, ..self }
    }

    /// A plain file, to be read.
    ///
    /// # Errors
    /// If there is none of that name below the folder, or it may not be read.
    pub(crate) fn file(&self, path: &Path) -> io::Result<File> {
        let found = self.at(path, OFlags::PATH)?;
        match FileType::from_raw_mode(fstat(&found)?.st_mode) {
            FileType::RegularFile => self.again(path, &found, OFlags::empty()).map(File::from),
            FileType::Directory => Err(Errno::ISDIR.into()),
            _ => Err(io::Error::other("it is no plain file")),
        }
    }

    /// The names in a folder, up to so many, in order.
    ///
    /// # Errors
    /// If there is no such folder, or it may not be read.
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

    /// Where a link leads.
    ///
    /// # Errors
    /// If there is no link of that name.
    pub(crate) fn link(&self, path: &Path) -> io::Result<PathBuf> {
        let link = self.at(path, OFlags::PATH | OFlags::NOFOLLOW)?;
        let target = readlinkat(&link, "", Vec::new()).map_err(|error| match error {
            // What the kernel says of a descriptor that is no link's.
            Errno::NOENT => Errno::INVAL,
            other => other,
        })?;
        Ok(PathBuf::from(OsString::from_vec(target.into_bytes())))
    }

    /// What is known of what stands there, links followed. Nothing is opened.
    ///
    /// # Errors
    /// If nothing stands there.
    pub(crate) fn status(&self, path: &Path) -> io::Result<Stat> {
        Ok(fstat(self.at(path, OFlags::PATH)?)?)
    }

    /// The same of a link itself.
    ///
    /// # Errors
    /// If nothing stands there.
    pub(crate) fn own_status(&self, path: &Path) -> io::Result<Stat> {
        Ok(fstat(self.at(path, OFlags::PATH | OFlags::NOFOLLOW)?)?)
    }

    /// Whether this process may use it so.
    pub(crate) fn may(&self, path: &Path, access: Access) -> bool {
        let found = self.at(path, OFlags::PATH).ok();
        found.is_some_and(|found| rustix::fs::access(in_proc(&found), access).is_ok())
    }

    /// Goes the way to `path`.
    fn at(&self, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC;
        if !self.by_kernel {
            return steps::open(&self.folder, path, flags, self.outside);
        }
        let way = match self.outside {
            Outside::IsRoot => ResolveFlags::IN_ROOT,
            Outside::IsRefused => ResolveFlags::BENEATH,
        };
        // Here an empty name is the folder.
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let open =
            || openat2(&self.folder, path, flags, Mode::empty(), way | ResolveFlags::NO_MAGICLINKS);
        (0..AGAIN)
            .find_map(|_| Some(open()).filter(|done| !matches!(done, Err(Errno::AGAIN))))
            .unwrap_or(Err(Errno::AGAIN))
    }

    /// Opens to be read what was found.
    fn again(&self, path: &Path, found: &OwnedFd, flags: OFlags) -> io::Result<OwnedFd> {
        let flags = flags | OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        match rustix::fs::open(in_proc(found), flags, Mode::empty()) {
            // Without /proc it may be another one by now, but none from elsewhere.
            Err(Errno::NOENT) if fs::metadata("/proc/self/fd").is_err() => {
                Ok(self.at(path, flags)?)
            }
            done => Ok(done?),
        }
    }
}

/// The name of an open file that is the file's whatever its name has become.
fn in_proc(found: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", found.as_raw_fd())
}

/// Whether something was not opened because it is outside.
pub(crate) fn is_outside(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::XDEV.raw_os_error())
}
