//! Resolves a path step by step, where the kernel cannot (before Linux 5.6, in old containers).

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, fstat, openat, readlinkat};
use rustix::io::Errno;

use super::Outside;

/// Maximum number of links to follow, as in the kernel (`MAXSYMLINKS`, namei.h).
const LINKS: usize = 40;

/// Opens `path` below `root`. Links are resolved here and never by the kernel, and `..` is the
/// directory that was passed through.
pub(super) fn open(
    root: &OwnedFd,
    path: &Path,
    flags: OFlags,
    outside: Outside,
) -> Result<OwnedFd, Errno> {
    let step = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut gone: Vec<OwnedFd> = Vec::new();
    let mut wanted = steps(path);
    let mut links = 0;
    while let Some(name) = wanted.pop() {
        match (name.to_str(), outside) {
            (Some("/"), Outside::IsRoot) => gone.clear(),
            (Some("/"), Outside::IsRefused) => return Err(Errno::XDEV),
            (Some(".."), _) => {
                if gone.pop().is_none() && outside == Outside::IsRefused {
                    return Err(Errno::XDEV);
                }
            }
            _ => {
                let here = gone.last().unwrap_or(root);
                let next = openat(here, &name, step, Mode::empty())?;
                let kind = FileType::from_raw_mode(fstat(&next)?.st_mode);
                let is_last = wanted.is_empty();
                match kind {
                    FileType::Symlink if is_last && flags.contains(OFlags::NOFOLLOW) => {
                        return Ok(next);
                    }
                    FileType::Symlink if links == LINKS => return Err(Errno::LOOP),
                    FileType::Symlink => {
                        links += 1;
                        let target = readlinkat(&next, "", Vec::new())?.into_bytes();
                        wanted.extend(steps(&PathBuf::from(OsString::from_vec(target))));
                    }
                    FileType::Directory => gone.push(next),
                    _ if is_last => {
                        return openat(here, &name, flags | OFlags::NOFOLLOW, Mode::empty());
                    }
                    _ => return Err(Errno::NOTDIR),
                }
            }
        }
    }
    let here = gone.last().unwrap_or(root);
    openat(here, OsStr::new("."), flags & !OFlags::NOFOLLOW, Mode::empty())
}

/// The components of a path, the first one last.
fn steps(path: &Path) -> Vec<OsString> {
    let steps = path.components().rev().filter(|step| !matches!(step, Component::CurDir));
    steps.map(|step| step.as_os_str().to_owned()).collect()
}
