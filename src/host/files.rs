//! What reading a machine comes down to: a few questions, nearly all about a path, and why one has no
//! answer.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use super::programs::{Ran, Run};
use crate::tree::{Outside, Tree};

/// Files of `/proc` and `/sys` that are read whole are shorter than this, in bytes.
pub(super) const LIMIT: u32 = 64 << 10;
/// So many names of a folder are taken.
const NAMES: usize = 1 << 16;
/// The bits of a mode that are rights.
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
pub enum Why {
    /// It is not there.
    #[error("not found")]
    Missing,
    /// The rights do not suffice.
    #[error("only root may read it")]
    Denied,
    /// Opening or reading it did not end in time: the driver behind it hangs.
    #[error("reading it did not end within the time allowed")]
    TimedOut,
    /// It was not tried, because too much before it did not end.
    #[error("not tried, because reading other files did not end")]
    GivenUp,
    /// It would have woken a GPU that is powered off.
    #[error("reading it would wake the GPU")]
    Asleep,
    /// Its text is not of the form that is expected.
    #[error("its text is not of the expected form")]
    Malformed,
    /// It is longer than such a file ever is.
    #[error("it is longer than it should be")]
    TooLarge,
    /// Its links lead round in a circle.
    #[error("its links lead round in a circle")]
    Circular,
    /// It was not tried, because tasks wait for the GPU already and it would wait with them.
    #[error("not tried, because tasks wait for the GPU and it would wait with them")]
    GpuHangs,
    /// It was not tried, because these are files of another machine.
    #[error("these are files of another machine")]
    Elsewhere,
    /// It was not tried, because it shows what a desktop session has and there is none.
    #[error("it needs a desktop session, and there is none here")]
    NoSession,
    /// It was not tried as root, because it loads what a user may have put in its way.
    #[error("it is not run as root, because it loads a user's own files")]
    AsRoot,
    /// The program ended with a failure; what it said, in short.
    #[error("{0}")]
    Complained(String),
    /// The system refused for another reason.
    #[error("{0}")]
    Failed(String),
}

impl Why {
    /// Serialises the word, without what a program or the system said.
    pub(super) fn serialize_name<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.into())
    }
}

impl From<io::Error> for Why {
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

/// What is known of a file without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Its rights, the lower twelve bits of its mode.
    pub(crate) mode: u32,
    /// The number of its group.
    pub(crate) group: u32,
    /// Its length in bytes.
    pub(crate) size: u64,
    /// When it was written, in seconds since 1970.
    pub(crate) modified: i64,
    /// Whether this process may read and write it.
    pub(crate) usable: bool,
}

/// A question; a path begins with `/`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// Up to `limit` bytes from `offset` on.
    Read {
        /// The file.
        path: String,
        /// The first byte.
        offset: u64,
        /// How many bytes at most.
        limit: u32,
    },
    /// The names in a folder.
    List(String),
    /// Where a symbolic link leads.
    Link(String),
    /// What is known of a file, links followed. Nothing is opened.
    Status(String),
    /// What a program says.
    Run(Run),
}

impl Question {
    /// The path that is asked about, or the name of the program.
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
    /// Bytes of a file; fewer than asked for at its end.
    Bytes(Vec<u8>),
    /// Names in order; one that is no UTF-8 is none of ours and left out.
    Names(Vec<String>),
    /// The text of a link.
    Target(String),
    /// What is known of a file.
    Status(Status),
    /// What a program said.
    Ran(Ran),
    /// There is none.
    Refused(Why),
}

/// Whoever answers.
pub trait Files {
    /// Answers, in bounded time.
    fn ask(&mut self, question: &Question) -> Answer;
}

/// The files below a root, read in this process: whoever asks waits as long as the system does.
#[derive(Debug, Default)]
pub struct Direct {
    /// What stands for `/`, or why it does not; `None` is this machine.
    root: Option<Result<Tree, Why>>,
}

impl Direct {
    /// The files of this machine, or those below `root`.
    #[must_use]
    pub fn new(root: Option<PathBuf>) -> Self {
        let open = |root: PathBuf| Tree::open(&root, Outside::IsRoot).map_err(Why::from);
        Self { root: root.map(open) }
    }

    fn answered(&self, question: &Question) -> Result<Answer, Why> {
        let root = self.root.as_ref().map(Result::as_ref).transpose().map_err(Why::clone)?;
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
                    .map_err(|_| Why::Malformed)
                    .map(Answer::Target)
            }
            Question::Status(path) => match root {
                Some(root) => status_below(root, path.as_ref()).map(Answer::Status),
                None => status(path.as_ref()).map(Answer::Status),
            },
            Question::Run(_) if root.is_some() => Err(Why::Elsewhere),
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

/// Those that are text, in order.
fn text(names: Vec<OsString>) -> Vec<String> {
    let mut names: Vec<String> =
        names.into_iter().filter_map(|one| one.into_string().ok()).collect();
    names.sort();
    names
}

fn status(path: &Path) -> Result<Status, Why> {
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

fn status_below(root: &Tree, path: &Path) -> Result<Status, Why> {
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
            (outside.as_str(), Answer::Refused(Why::Missing)),
            ("../../name", Answer::Refused(Why::Missing)),
            ("/", Answer::Refused(Why::Failed("Is a directory (os error 21)".to_owned()))),
        ]
        .into_iter()
        .enumerate()
        {
            symlink(target, folder.path().join(format!("root/etc/link{at}"))).unwrap();
            assert_eq!(read(&folder, &format!("/etc/link{at}")), want, "{target}");
        }
        // A folder on the way counts as well.
        symlink("/etc", folder.path().join("root/etc/deep/up")).unwrap();
        assert_eq!(read(&folder, "/etc/deep/up/name"), below);
        assert_eq!(read(&folder, "/../../name"), Answer::Refused(Why::Missing));
    }

    #[test]
    fn circles_end() {
        let folder = tree();
        symlink("b", folder.path().join("root/a")).unwrap();
        symlink("/a", folder.path().join("root/b")).unwrap();
        assert_eq!(read(&folder, "/a/name"), Answer::Refused(Why::Circular));
        let mut files = Direct::new(Some(folder.path().join("root")));
        let link = files.ask(&Question::Link("/b".to_owned()));
        assert_eq!(link, Answer::Target("/a".to_owned()));
    }
}
