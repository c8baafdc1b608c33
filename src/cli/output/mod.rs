//! Writes output files (reports, archives, token maps, cursors): completely or not at all, only to
//! regular files, and only for the user who asked.

mod asker;
mod draft;
mod folder;

use std::ffi::OsStr;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, Stat};

use super::failure::Failure;
use asker::Asker;
use draft::Draft;
use folder::{Closed, Folder};

/// Why an output path is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumProperty)]
pub enum NotAFile {
    /// The creator of the link could choose which file is replaced.
    #[strum(to_string = "it is a symbolic link")]
    #[strum(props(
        advice = "--output needs the name of a regular file; for devices use the shell: > FILE"
    ))]
    Link,
    /// A directory.
    #[strum(to_string = "it is a directory")]
    #[strum(props(
        advice = "--output needs the name of a regular file; for devices use the shell: > FILE"
    ))]
    Folder,
    /// A device, a FIFO or a socket, which cannot be replaced atomically.
    #[strum(to_string = "it is not a regular file")]
    #[strum(props(
        advice = "--output needs the name of a regular file; for devices use the shell: > FILE"
    ))]
    Device,
    /// An input of this run.
    #[strum(to_string = "it is one of the inputs, or in a directory that is an input")]
    #[strum(props(advice = "--output needs another file name"))]
    Input,
    /// The path has no file name.
    #[strum(to_string = "it has no file name")]
    #[strum(props(advice = "--output needs another file name"))]
    Nameless,
    /// Another user created the file, and would own the output or choose what is replaced.
    #[strum(to_string = "it belongs to another user, in a directory that is open to others")]
    #[strum(props(advice = "--output needs a new name, or a directory of your own"))]
    Foreign,
    /// Another user created a link in the path, and could choose the location.
    #[strum(to_string = "the path has a symbolic link of another user")]
    #[strum(props(advice = "--output needs a path without links of other users"))]
    ForeignLink,
    /// The destination of the other output.
    #[strum(to_string = "the other output goes there")]
    #[strum(props(advice = "--map and --output need different files"))]
    OtherOutput,
}

/// A file to be written.
#[derive(Debug)]
pub(super) struct Target<'a> {
    path: &'a Path,
    name: &'a OsStr,
    folder: Folder,
    asker: Asker,
    /// The existing file.
    replaced: Option<Stat>,
    /// Whether only its owner may read it.
    secret: bool,
}

impl<'a> Target<'a> {
    /// Checks `path` before anything is read, so that errors appear early.
    pub(super) fn new(path: &'a Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let refused = |why| Failure::OutputRefused { path: path.to_owned(), why };
        let failed = |source| Failure::OutputFile { path: path.to_owned(), source };
        let name = path.file_name().ok_or_else(|| refused(NotAFile::Nameless))?;
        let asker = Asker::of_this_run();
        let folder = Folder::open(folder_of(path), asker).map_err(|closed| match closed {
            Closed::Link => refused(NotAFile::ForeignLink),
            Closed::Failed(source) => failed(source),
        })?;
        let replaced = folder.found(name).map_err(failed)?;
        let target = Self { path, name, folder, asker, replaced, secret: false };
        let Some(known) = &target.replaced else { return Ok(target) };
        if let Some(why) = target.refusal(known).map_err(failed)? {
            return Err(refused(why));
        }
        // `< FILE` does not name a file.
        let standard = PathBuf::from("/dev/stdin");
        if inputs.iter().chain([&standard]).any(|input| is_read(input, path, known)) {
            return Err(refused(NotAFile::Input));
        }
        Ok(target)
    }

    /// Its path.
    pub(super) const fn path(&self) -> &Path {
        self.path
    }

    /// Why the existing file is not replaced, if so.
    fn refusal(&self, known: &Stat) -> io::Result<Option<NotAFile>> {
        let foreign = || {
            Ok::<_, io::Error>(
                !self.asker.trusts(known.st_uid) && self.folder.is_open_to_others(self.asker)?,
            )
        };
        Ok(match FileType::from_raw_mode(known.st_mode) {
            FileType::RegularFile => foreign()?.then_some(NotAFile::Foreign),
            FileType::Symlink => Some(NotAFile::Link),
            FileType::Directory => Some(NotAFile::Folder),
            _ => Some(NotAFile::Device),
        })
    }

    /// Whether it is the same file as another one, even if neither exists yet.
    fn is_that_of(&self, other: &Self) -> bool {
        let known = self.replaced.as_ref().zip(other.replaced.as_ref());
        (self.name == other.name && self.folder.is(&other.folder))
            || known.is_some_and(|(own, other)| key(own) == key(other))
    }

    /// The same, readable only by its owner.
    pub(super) fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    /// The current content of the file, if it exists; an error if it exceeds `limit` bytes.
    pub(super) fn content(&self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        let Some(file) = self.folder.read(self.name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        Ok(Some(bytes))
    }

    /// Replaces the file by the output of `write`. Until everything is on disk, it is unnamed or
    /// has a temporary name: an error or interrupt leaves the old file.
    pub(super) fn replace(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.replaced(write)
            .map_err(|source| Failure::OutputFile { path: self.path.to_owned(), source })
    }

    /// As [`Self::replace`], if `write` can fail in other ways.
    pub(super) fn filled<T>(
        &self,
        write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut outcome = None;
        let replaced = self.replaced(|file| match write(file) {
            Ok(value) => {
                outcome = Some(Ok(value));
                Ok(())
            }
            Err(Failure::Output(error)) => Err(error),
            Err(failure) => {
                outcome = Some(Err(failure));
                Err(io::ErrorKind::Interrupted.into())
            }
        });
        match (replaced, outcome) {
            (_, Some(Err(failure))) => Err(failure),
            (Ok(()), Some(Ok(value))) => Ok(value),
            (Err(source), _) => Err(Failure::OutputFile { path: self.path.to_owned(), source }),
            (Ok(()), None) => unreachable!("what was replaced was written"),
        }
    }

    /// The permissions of the existing file, which its owner has chosen.
    fn chosen_rights(&self) -> Option<Mode> {
        let known = self.replaced.as_ref().filter(|known| self.asker.trusts(known.st_uid))?;
        let all = Mode::RWXU | Mode::RWXG | Mode::RWXO;
        Some(Mode::from_raw_mode(known.st_mode) & all).filter(|_| !self.secret)
    }

    /// As [`Self::replace`], with a bare I/O error.
    pub(super) fn replaced(
        &self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let rights = self.chosen_rights();
        // The default permissions of a new file, before the umask. A file that will get other
        // permissions is private until then.
        let mode = if self.secret || rights.is_some() { 0o600 } else { 0o666 };
        let draft = Draft::new(&self.folder, Mode::from_raw_mode(mode))?;
        let mut out = BufWriter::new(draft.file());
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.asker.give(file)?;
        if let Some(rights) = rights {
            rustix::fs::fchmod(file, rights)?;
        }
        // The machine may crash next, because its GPU hangs.
        file.sync_all()?;
        draft.named(self.name, || self.may_replace())?;
        self.folder.sync();
        Ok(())
    }

    /// Checks again what has the name now.
    fn may_replace(&self) -> io::Result<()> {
        let Some(known) = self.folder.found(self.name)? else { return Ok(()) };
        match self.refusal(&known)? {
            Some(why) => Err(io::Error::other(format!("it changed meanwhile: {why}"))),
            None => Ok(()),
        }
    }
}

/// Creates a directory and its parents for the current user, if missing.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    let asker = Asker::of_this_run();
    let open = |path: &Path| Folder::open(path, asker).map_err(Closed::into_error);
    let above = folder_of(path);
    match (open(path), path.file_name()) {
        (Err(error), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            make_folder(above)?;
            open(above)?.inner(name, asker)
        }
        (found, _) => found.map(drop),
    }
}

/// The destinations of an answer and of its token map, which only its owner may read.
pub(super) fn pair<'p>(
    answer: Option<&'p Path>,
    mapping: Option<&'p Path>,
    inputs: &[PathBuf],
) -> Result<(Option<Target<'p>>, Option<Target<'p>>), Failure> {
    let answer = answer.map(|path| Target::new(path, inputs)).transpose()?;
    let mapping = mapping.map(|path| Target::new(path, inputs)).transpose()?.map(Target::secret);
    match (&answer, &mapping) {
        (Some(answer), Some(mapping)) if answer.is_that_of(mapping) => {
            let path = mapping.path().to_owned();
            Err(Failure::OutputRefused { path, why: NotAFile::OtherOutput })
        }
        _ => Ok((answer, mapping)),
    }
}

/// The directory of a file.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// An unused name, so that earlier files are kept. `numbered` makes a name from a number; 0 is the
/// name without a number.
pub(super) fn free_name(numbered: impl Fn(usize) -> PathBuf) -> PathBuf {
    /// Maximum number of files with the same name.
    const ALIKE: usize = 1_000;
    let mut names = (0..ALIKE).map(&numbered);
    let free = names.find(|path| fs::symlink_metadata(path).is_err());
    free.unwrap_or_else(|| numbered(ALIKE))
}

/// Whether `input` is the file at `path`, under any name, or a directory that contains it.
fn is_read(input: &Path, path: &Path, known: &Stat) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).ok();
    // With `--root /` every file is inside, so nothing could be written.
    let folder = || whole(input).filter(|folder| folder.parent().is_some());
    let inside = || Some(whole(path)?.starts_with(folder()?));
    let is_same = rustix::fs::stat(input).is_ok_and(|it| key(&it) == key(known));
    is_same || (input.is_dir() && inside().unwrap_or(false))
}

/// The identity of a file.
const fn key(file: &Stat) -> (u64, u64) {
    (file.st_dev, file.st_ino)
}
