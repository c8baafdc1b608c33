//! A report that goes into a file: whole or not at all, and into nothing but a plain file.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::failure::Failure;
use super::settings;

/// Why nothing is written where somebody wants it: what the path is, behind its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::EnumProperty)]
pub enum NotAFile {
    /// Whoever made the link decides what would be replaced.
    #[strum(to_string = "is a symbolic link, and no report is written through one")]
    #[strum(props(advice = "--output FILE wants the name of a plain file"))]
    Link,
    /// A folder.
    #[strum(to_string = "is a folder, and a report is a file")]
    #[strum(props(advice = "--output FILE wants the name of a plain file"))]
    Folder,
    /// A device, a pipe or a socket, which cannot be replaced as a whole.
    #[strum(to_string = "is no plain file, and only such a file is replaced as a whole")]
    #[strum(props(advice = "--output FILE wants the name of a plain file"))]
    Device,
    /// A log that is to be read.
    #[strum(to_string = "is one of the logs, or stands among them, and a report would replace it")]
    #[strum(props(advice = "--output FILE wants another name"))]
    Input,
    /// The path has no name of a file at its end.
    #[strum(to_string = "is no name of a file")]
    #[strum(props(advice = "--output FILE wants another name"))]
    Nameless,
    /// It is where the other of two outputs goes.
    #[strum(to_string = "is where the other output goes, and one would replace the other")]
    #[strum(props(advice = "--map FILE wants another name than the other file"))]
    OtherOutput,
}

/// A file that is to hold a report.
#[derive(Debug)]
pub(super) struct Target<'a> {
    path: &'a Path,
    /// The file that is there already.
    replaced: Option<Metadata>,
    /// Whether nobody but its owner may read it.
    secret: bool,
}

impl<'a> Target<'a> {
    /// Looks at `path` before anything is read, so that nobody waits for a report in vain.
    pub(super) fn new(path: &'a Path, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let refused = |why| Err(Failure::OutputRefused { path: path.to_owned(), why });
        if path.file_name().is_none() {
            return refused(NotAFile::Nameless);
        }
        if let Err(source) = fs::metadata(folder_of(path)) {
            return Err(Failure::OutputFile { path: path.to_owned(), source });
        }
        let known = match fs::symlink_metadata(path) {
            Ok(known) => known,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path, replaced: None, secret: false });
            }
            Err(source) => return Err(Failure::OutputFile { path: path.to_owned(), source }),
        };
        if let Some(why) = refusal(&known) {
            return refused(why);
        }
        // `< FILE` names no file.
        let standard = PathBuf::from("/dev/stdin");
        if inputs.iter().chain([&standard]).any(|input| is_read(input, path, &known)) {
            return refused(NotAFile::Input);
        }
        Ok(Self { path, replaced: Some(known), secret: false })
    }

    /// Whether it is the same file as another one's, also where neither is there yet.
    pub(super) fn is_that_of(&self, other: &Self) -> bool {
        let place = |path: &Path| {
            let folder = fs::canonicalize(folder_of(path)).ok();
            (folder, path.file_name().map(std::ffi::OsStr::to_owned))
        };
        let known = self.replaced.as_ref().zip(other.replaced.as_ref());
        place(self.path) == place(other.path)
            || known.is_some_and(|(_, other)| is_same(self.path, other))
    }

    /// The same for what nobody else may read.
    pub(super) fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    /// Replaces the file by what `write` writes. Until all of it is on the disk it has no name, or where the
    /// disk knows no such files, another one beside it: an error or an interrupt leaves what was there.
    pub(super) fn replace(
        self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.replaced(write)
            .map_err(|source| Failure::OutputFile { path: self.path.to_owned(), source })
    }

    /// What the system gives a new file, of which it takes away what the user does not want. What takes
    /// the place of a file is nobody else's until it has that one's rights.
    const fn of_the_new_file(&self) -> u32 {
        if self.secret || self.replaced.is_some() { 0o600 } else { 0o666 }
    }

    fn replaced(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let draft = Draft::new(folder_of(self.path), self.of_the_new_file())?;
        let mut out = BufWriter::new(draft.file());
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        // What only root may read is of no use to whoever typed sudo.
        if let (None, true, Some(owner)) = (&self.replaced, self.secret, settings::on_behalf_of()) {
            give(file, owner);
        }
        if let Some(replaced) = &self.replaced {
            keep_owner(file, replaced);
            if !self.secret {
                file.set_permissions(replaced.permissions())?;
            }
        }
        // The machine whose GPU hangs may go down next.
        file.sync_all()?;
        draft.named(self.path)
    }
}

/// Where an answer goes, and where the mapping of its tokens does, which is for its owner alone.
pub(super) fn pair<'p>(
    answer: Option<&'p Path>,
    mapping: Option<&'p Path>,
    inputs: &[PathBuf],
) -> Result<(Option<Target<'p>>, Option<Target<'p>>), Failure> {
    let answer = answer.map(|path| Target::new(path, inputs)).transpose()?;
    let mapping = mapping.map(|path| Target::new(path, inputs)).transpose()?.map(Target::secret);
    match (&answer, &mapping) {
        (Some(answer), Some(mapping)) if answer.is_that_of(mapping) => {
            let path = mapping.path.to_owned();
            Err(Failure::OutputRefused { path, why: NotAFile::OtherOutput })
        }
        _ => Ok((answer, mapping)),
    }
}

/// A file before it has its name.
enum Draft {
    /// It has none: whatever ends the program takes the file with it.
    Nameless(File),
    /// It stands beside where it is to be.
    Beside(NamedTempFile),
}

impl Draft {
    /// A new one in `folder` with the rights of `mode`, of which it has those that the user wants.
    fn new(folder: &Path, mode: u32) -> io::Result<Self> {
        if let Some(file) = nameless(folder, mode) {
            return Ok(Self::Nameless(file));
        }
        let mut builder = Builder::new();
        builder.prefix(".amdtriage-");
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        builder.tempfile_in(folder).map(Self::Beside)
    }

    fn file(&self) -> &File {
        match self {
            Self::Nameless(file) => file,
            Self::Beside(file) => file.as_file(),
        }
    }

    /// Gives it its name, in the place of what has it.
    fn named(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Nameless(file) => link(&file, path),
            // Renaming replaces the name itself, also if it has become a link meanwhile.
            Self::Beside(file) => file.persist(path).map(drop).map_err(|error| error.error),
        }
    }
}

/// A file without a name in `folder`; `None` where the disk knows no such files.
fn nameless(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    // It can only be linked by way of /proc.
    if !Path::new("/proc/self/fd").is_dir() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok().map(File::from)
}

/// Gives a file without a name one. Nothing replaces a file in one step but renaming, so where one is there,
/// the new one stands beside it for that moment.
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    let to = |path: &Path| linkat(CWD, source.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW);
    match to(path) {
        Err(rustix::io::Errno::EXIST) => {}
        done => return done.map_err(io::Error::from),
    }
    let beside = Builder::new()
        .prefix(".amdtriage-")
        .make_in(folder_of(path), |beside| to(beside).map_err(io::Error::from))?;
    beside.into_temp_path().persist(path).map_err(|error| error.error)
}

/// The folder that a file stands in.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// A name that nothing has: an earlier file of the same name stays what it is. `numbered` makes one of a
/// number; 0 is for the name without any.
pub(super) fn free_name(numbered: impl Fn(usize) -> PathBuf) -> PathBuf {
    /// So many files of one name are kept beside each other.
    const ALIKE: usize = 1_000;
    let mut names = (0..ALIKE).map(&numbered);
    let free = names.find(|path| fs::symlink_metadata(path).is_err());
    free.unwrap_or_else(|| numbered(ALIKE))
}

fn refusal(known: &Metadata) -> Option<NotAFile> {
    let kind = known.file_type();
    match (kind.is_file(), kind.is_symlink(), kind.is_dir()) {
        (true, ..) => None,
        (_, true, _) => Some(NotAFile::Link),
        (_, _, true) => Some(NotAFile::Folder),
        _ => Some(NotAFile::Device),
    }
}

/// With `sudo`, the file stays that of its owner. Others may give no file away: then it is theirs.
fn keep_owner(file: &File, replaced: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
}

/// Gives a file to a user and a group.
fn give(file: &File, (user, group): (u32, u32)) {
    let _ = std::os::unix::fs::fchown(file, Some(user), Some(group));
}

/// Whether `input` is the file at `path`, under whichever name, or a folder that the file stands in.
fn is_read(input: &Path, path: &Path, known: &Metadata) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).ok();
    let inside = || Some(whole(path)?.starts_with(whole(input)?));
    is_same(input, known) || (input.is_dir() && inside().unwrap_or(false))
}

/// Whether `input` is the file at `path`, under whichever name.
fn is_same(input: &Path, known: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(input).is_ok_and(|it| (it.dev(), it.ino()) == (known.dev(), known.ino()))
}
