//! Questions about the files of a machine, their answers, and the reasons for missing ones. The
//! answers may come from this process, another process, or a copy of the files.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use super::programs::{Ran, Run};
use crate::tree::{Outside, Tree};

/// Maximum size of files in `/proc` and `/sys` that are read whole, in bytes.
pub(super) const LIMIT: u32 = 64 << 10;
/// Maximum number of names to read from a directory.
const NAMES: usize = 1 << 16;
/// The permission bits of a mode.
const RIGHTS: u32 = 0o7777;

/// Why something could not be read.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    thiserror::Error,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Refusal {
    /// It does not exist.
    #[error("not found")]
    Missing,
    /// Permission denied.
    #[error("only root may read it")]
    Denied,
    /// Opening or reading it did not finish in time: its driver hangs.
    #[error("reading it did not end within the time allowed")]
    TimedOut,
    /// Not tried, because too many earlier reads did not finish.
    #[error("not tried, because reading other files did not end")]
    GivenUp,
    /// Not tried, because it would wake a suspended GPU.
    #[error("reading it would wake the GPU")]
    Asleep,
    /// Its content does not have the expected form.
    #[error("its text is not of the expected form")]
    Malformed,
    /// It is larger than expected.
    #[error("it is longer than it should be")]
    TooLarge,
    /// Its symbolic links form a loop.
    #[error("its links lead round in a circle")]
    Circular,
    /// Not tried, because tasks already wait for the GPU and reading would block, too.
    #[error("not tried, because tasks wait for the GPU and it would wait with them")]
    GpuHangs,
    /// Not tried, because the files are from another machine.
    #[error("these are files of another machine")]
    Elsewhere,
    /// Not tried, because it needs a desktop session and there is none.
    #[error("it needs a desktop session, and there is none here")]
    NoSession,
    /// Not tried as root, because it loads files that a user may control.
    #[error("it is not run as root, because it loads a user's own files")]
    AsRoot,
    /// The program failed, with this short message.
    #[error("{0}")]
    Complained(String),
    /// The system refused for another reason.
    #[error("{0}")]
    Failed(String),
}

impl Refusal {
    /// Serialises only the word, without messages of a program or the system.
    pub(super) fn serialize_name<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.into())
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::PermissionDenied => Self::Denied,
            _ if rustix::io::Errno::from_io_error(&error) == Some(rustix::io::Errno::LOOP) => {
                Self::Circular
            }
            _ => Self::Failed(error.to_string()),
        }
    }
}

/// Metadata of a file, obtained without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The permissions: the lower twelve bits of the mode.
    pub(crate) mode: u32,
    /// Its group id.
    pub(crate) group: u32,
    /// Its size in bytes.
    pub(crate) size: u64,
    /// Its modification time, in seconds since 1970.
    pub(crate) modified: i64,
    /// Whether this process may read and write it.
    pub(crate) usable: bool,
}

/// A question. Paths begin with `/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// Reads up to `limit` bytes from `offset`.
    Read {
        /// The path of the file.
        path: String,
        /// Offset of the first byte.
        offset: u64,
        /// Maximum number of bytes.
        limit: u32,
    },
    /// The names in a directory.
    List(String),
    /// The target of a symbolic link.
    Link(String),
    /// The metadata of a file, following links. Nothing is opened.
    Status(String),
    /// The output of a program.
    Run(Run),
}

impl Question {
    /// The path in question, or the name of the program.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Read { path, .. } | Self::List(path) | Self::Link(path) | Self::Status(path) => {
                path
            }
            Self::Run(run) => run.program.name(),
        }
    }
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// Bytes of a file; fewer than requested at its end.
    Bytes(Vec<u8>),
    /// Sorted names; those that are not UTF-8 are omitted, because none of interest is.
    Names(Vec<String>),
    /// The target of a link.
    Target(String),
    /// The metadata of a file.
    Status(Status),
    /// The output of a program.
    Ran(Ran),
    /// No answer, with the reason.
    Refused(Refusal),
}

/// A source of answers.
pub trait Files {
    /// Answers within bounded time, except for [`Direct`].
    fn ask(&mut self, question: &Question) -> Answer;
}

/// Reads the files below a root in this process; blocks for as long as the system does.
#[derive(Debug, Default)]
pub struct Direct {
    /// The directory in place of `/`, or why it cannot be opened; `None` is this machine.
    root: Option<Result<Tree, Refusal>>,
}

impl Direct {
    /// Reads this machine, or the files below `root`.
    #[must_use]
    pub fn new(root: Option<PathBuf>) -> Self {
        let open = |root: PathBuf| Tree::open(&root, Outside::IsRoot).map_err(Refusal::from);
        Self { root: root.map(open) }
    }

    fn answered(&self, question: &Question) -> Result<Answer, Refusal> {
        let root = self.root.as_ref().map(Result::as_ref).transpose().map_err(Refusal::clone)?;
        match question {
            Question::Read { path, offset, limit } => {
                let file = match root {
                    Some(root) => root.file(path.as_ref())?,
                    None => opened(path.as_ref())?,
                };
                Ok(Answer::Bytes(part(file, *offset, *limit)?))
            }
            Question::List(path) => Ok(Answer::Names(match root {
                Some(root) => text(root.names(path.as_ref(), NAMES)?),
                None => names(path.as_ref())?,
            })),
            Question::Link(path) => {
                let target = match root {
                    Some(root) => root.link(path.as_ref())?,
                    None => fs::read_link(path)?,
                };
                target
                    .into_os_string()
                    .into_string()
                    .map_err(|_| Refusal::Malformed)
                    .map(Answer::Target)
            }
            Question::Status(path) => match root {
                Some(root) => status_below(root, path.as_ref()).map(Answer::Status),
                None => status(path.as_ref()).map(Answer::Status),
            },
            Question::Run(_) if root.is_some() => Err(Refusal::Elsewhere),
            Question::Run(run) => run.answered().map(Answer::Ran),
        }
    }
}

impl Files for Direct {
    fn ask(&mut self, question: &Question) -> Answer {
        self.answered(question).unwrap_or_else(Answer::Refused)
    }
}

#[allow(
    clippy::disallowed_methods,
    reason = "with `input`, the one place that opens files of a machine"
)]
fn opened(path: &Path) -> io::Result<fs::File> {
    fs::File::open(path)
}

fn part(mut file: fs::File, offset: u64, limit: u32) -> io::Result<Vec<u8>> {
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    let mut bytes = Vec::new();
    file.take(u64::from(limit)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn names(path: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(path)?.take(NAMES).filter_map(Result::ok);
    Ok(text(entries.map(|entry| entry.file_name()).collect()))
}

/// The names that are UTF-8, sorted.
fn text(names: Vec<OsString>) -> Vec<String> {
    let mut names: Vec<String> =
        names.into_iter().filter_map(|one| one.into_string().ok()).collect();
    names.sort();
    names
}

fn status(path: &Path) -> Result<Status, Refusal> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(path)?;
    Ok(Status {
        mode: found.mode() & RIGHTS,
        group: found.gid(),
        size: found.len(),
        modified: found.mtime(),
        usable: access(path, Access::READ_OK | Access::WRITE_OK).is_ok(),
    })
}

fn status_below(root: &Tree, path: &Path) -> Result<Status, Refusal> {
    let found = root.status(path)?;
    Ok(Status {
        mode: found.st_mode & RIGHTS,
        group: found.st_gid,
        size: u64::try_from(found.st_size).unwrap_or_default(),
        modified: found.st_mtime,
        usable: root.may(path, Access::READ_OK | Access::WRITE_OK),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("etc/deep")).unwrap();
        fs::write(root.join("etc/name"), "inside").unwrap();
        fs::write(folder.path().join("name"), "outside").unwrap();
        folder
    }

    fn read(folder: &tempfile::TempDir, path: &str) -> Answer {
        let mut files = Direct::new(Some(folder.path().join("root")));
        files.ask(&Question::Read { path: path.to_owned(), offset: 0, limit: LIMIT })
    }

    #[test]
    fn no_link_leads_out_of_the_root() {
        let folder = tree();
        let outside = folder.path().join("name").display().to_string();
        let below = Answer::Bytes(b"inside".to_vec());
        for (at, (target, want)) in [
            ("/etc/name", below.clone()),
            ("../etc/name", below.clone()),
            ("../../../../etc/name", below.clone()),
            (outside.as_str(), Answer::Refused(Refusal::Missing)),
            ("../../name", Answer::Refused(Refusal::Missing)),
            ("/", Answer::Refused(Refusal::Failed("Is a directory (os error 21)".to_owned()))),
        ]
        .into_iter()
        .enumerate()
        {
            symlink(target, folder.path().join(format!("root/etc/link{at}"))).unwrap();
            assert_eq!(read(&folder, &format!("/etc/link{at}")), want, "{target}");
        }
        // A directory in the path counts as well.
        symlink("/etc", folder.path().join("root/etc/deep/up")).unwrap();
        assert_eq!(read(&folder, "/etc/deep/up/name"), below);
        assert_eq!(read(&folder, "/../../name"), Answer::Refused(Refusal::Missing));
    }

    #[test]
    fn symlink_loops_are_an_error() {
        let folder = tree();
        symlink("b", folder.path().join("root/a")).unwrap();
        symlink("/a", folder.path().join("root/b")).unwrap();
        assert_eq!(read(&folder, "/a/name"), Answer::Refused(Refusal::Circular));
        let mut files = Direct::new(Some(folder.path().join("root")));
        let link = files.ask(&Question::Link("/b".to_owned()));
        assert_eq!(link, Answer::Target("/a".to_owned()));
    }
}
