//! A file that does not have its final name yet.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;

use rustix::fs::Mode;
use rustix::io::Errno;

use super::folder::Folder;

/// Its current name in the directory.
enum DraftName {
    /// None: the file vanishes if the program ends.
    Nameless,
    /// A temporary name next to the final one.
    Temporary(OsString),
}

/// A new file in a directory. It is deleted unless it gets its name.
pub(super) struct Draft<'f> {
    folder: &'f Folder,
    file: File,
    standing: Option<DraftName>,
}

impl<'f> Draft<'f> {
    /// Creates it with the permissions `mode`, reduced by the umask.
    pub(super) fn new(folder: &'f Folder, mode: Mode) -> io::Result<Self> {
        if let Some(file) = folder.nameless(mode) {
            return Ok(Self { folder, file, standing: Some(DraftName::Nameless) });
        }
        let (file, name) = folder.create_unused(mode)?;
        Ok(Self { folder, file, standing: Some(DraftName::Temporary(name)) })
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name. If a file of this name exists, `may_replace` decides whether to replace
    /// it. Only renaming replaces atomically, so an unnamed file gets a temporary name for that
    /// moment.
    pub(super) fn named(
        mut self,
        name: &OsStr,
        may_replace: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let beside = match self.standing.take() {
            Some(DraftName::Temporary(beside)) => beside,
            Some(DraftName::Nameless) | None => match self.folder.link(&self.file, name) {
                Err(Errno::EXIST) => self.folder.link_beside(&self.file)?,
                done => return done.map_err(io::Error::from),
            },
        };
        if let Err(error) = may_replace() {
            self.folder.remove(&beside);
            return Err(error);
        }
        self.folder.rename(&beside, name)
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if let Some(DraftName::Temporary(name)) = &self.standing {
            self.folder.remove(name);
        }
    }
}
