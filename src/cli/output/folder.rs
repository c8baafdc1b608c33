//! The folder that a file is written into: opened once, so that nobody changes meanwhile which one it is.

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

/// So many links are followed on the way, as the kernel does (`MAXSYMLINKS`, namei.h).
const LINKS: usize = 40;
/// So many names are tried for a file that stands beside another one for a moment.
const NAMES: u32 = 1_000;

/// Why a folder is not gone into.
pub(super) enum Closed {
    /// On the way is a link of a user who is neither who asks nor root: they would say where it goes.
    Link,
    /// The system refuses.
    Failed(io::Error),
}

impl Closed {
    /// The same for who makes no difference.
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
    /// Goes to `path` step by step.
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

    /// What has this name, no link followed.
    pub(super) fn found(&self, name: &OsStr) -> io::Result<Option<Stat>> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether others than who asks and root say what stands here: whose files one meets is not known.
    pub(super) fn is_open_to_others(&self, asker: Asker) -> io::Result<bool> {
        let own = fstat(&self.0)?;
        let mode = Mode::from_raw_mode(own.st_mode);
        let shared = mode.intersects(Mode::SVTX | Mode::WOTH);
        Ok(shared || !asker.trusts(own.st_uid))
    }

    /// Opens what has this name to be read, if it is a plain file.
    pub(super) fn read(&self, name: &OsStr) -> io::Result<Option<File>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => Ok(Some(File::from(file))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A file without a name; `None` where the disk knows no such files.
    pub(super) fn nameless(&self, mode: Mode) -> Option<File> {
        // It can only be linked by way of /proc.
        if !Path::new("/proc/self/fd").is_dir() {
            return None;
        }
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        openat(&self.0, ".", flags, mode).ok().map(File::from)
    }

    /// A file with a name that nothing had.
    pub(super) fn beside(&self, mode: Mode) -> io::Result<(File, OsString)> {
        let flags =
            OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        free_names(|name| openat(&self.0, name, flags, mode).map(File::from))
    }

    /// Gives a file without a name this one, if nothing has it.
    pub(super) fn link(&self, file: &File, name: &OsStr) -> Result<(), Errno> {
        let source = format!("/proc/self/fd/{}", file.as_raw_fd());
        linkat(rustix::fs::CWD, source.as_str(), &self.0, name, AtFlags::SYMLINK_FOLLOW)
    }

    /// Gives it one that nothing has.
    pub(super) fn link_beside(&self, file: &File) -> io::Result<OsString> {
        free_names(|name| self.link(file, name)).map(|((), name)| name)
    }

    /// Gives the file that is called `from` another name, in the place of what has it. Where that fails, the
    /// file goes.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        renameat(&self.0, from, &self.0, to).map_err(|error| {
            self.remove(from);
            error.into()
        })
    }

    /// Takes away a file of ours.
    pub(super) fn remove(&self, name: &OsStr) {
        // What is gone already need not go.
        let _ = unlinkat(&self.0, name, AtFlags::empty());
    }

    /// Has the disk know which names are in it. What cannot be asked for it, as some network disks, knows
    /// when it knows.
    pub(super) fn sync(&self) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let _ = openat(&self.0, ".", flags, Mode::empty()).map(|folder| fsync(&folder));
    }

    /// The folder of this name in it, which is made and given to who asks where there is none.
    pub(super) fn inner(&self, name: &OsStr, asker: Asker) -> io::Result<()> {
        match mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) => return Ok(()),
            made => made?,
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = File::from(openat(&self.0, name, flags, Mode::empty())?);
        // Whoever has put another one in its place meanwhile gets none of ours.
        if fstat(&folder)?.st_uid == rustix::process::geteuid().as_raw() {
            asker.give(&folder)?;
        }
        Ok(())
    }

    /// Whether both are the same.
    pub(super) fn is(&self, other: &Self) -> bool {
        let key = |folder: &Self| fstat(&folder.0).ok().map(|it| (it.st_dev, it.st_ino));
        key(self).is_some_and(|own| Some(own) == key(other))
    }
}

/// The steps of a path, the first one last.
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
