//! A file before it has its name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;

use rustix::fs::Mode;
use rustix::io::Errno;

use super::folder::Folder;

/// How it stands in its folder.
enum Standing {
    /// It has no name: whatever ends the program takes the file with it.
    Nameless,
    /// It stands under this one beside where it is to be.
    Beside(OsString),
}

/// A new file in a folder. It goes where it does not get its name.
pub(super) struct Draft<'f> {
    folder: &'f Folder,
    file: File,
    standing: Option<Standing>,
}

impl<'f> Draft<'f> {
    /// With the rights of `mode`, of which it has those that the user wants.
    pub(super) fn new(folder: &'f Folder, mode: Mode) -> io::Result<Self> {
        if let Some(file) = folder.nameless(mode) {
            return Ok(Self { folder, file, standing: Some(Standing::Nameless) });
        }
        let (file, name) = folder.beside(mode)?;
        Ok(Self { folder, file, standing: Some(Standing::Beside(name)) })
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name. Where something has that already, `may_replace` says whether it is replaced. Nothing
    /// replaces a file in one step but renaming: for that moment a nameless one stands beside it.
    pub(super) fn named(
        mut self,
        name: &OsStr,
        may_replace: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        let beside = match self.standing.take() {
            Some(Standing::Beside(beside)) => beside,
            Some(Standing::Nameless) | None => match self.folder.link(&self.file, name) {
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
        if let Some(Standing::Beside(name)) = &self.standing {
            self.folder.remove(name);
        }
    }
}
