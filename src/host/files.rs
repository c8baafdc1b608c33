//! What reading a machine comes down to: a few questions, nearly all about a path, and why one has no
//! answer.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::programs::{Ran, Run};

/// Files of `/proc` and `/sys` that are read whole are shorter than this, in bytes.
pub(super) const LIMIT: u32 = 64 << 10;
/// So many names of a folder are taken.
const NAMES: usize = 1 << 16;
/// So many links are followed on the way to a file, as the kernel does (`MAXSYMLINKS`, namei.h).
const LINKS: usize = 40;

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
    #[error("it is not there")]
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
#[derive(Clone, Debug, Default)]
pub struct Direct {
    /// What stands for `/`; `None` is this machine.
    root: Option<PathBuf>,
}

impl Direct {
    /// The files of this machine, or those below `root`.
    #[must_use]
    pub const fn new(root: Option<PathBuf>) -> Self {
        Self { root }
    }

    /// Where `path` is to be looked for.
    fn located(&self, path: &str) -> Result<PathBuf, Why> {
        match &self.root {
            None => Ok(PathBuf::from(path)),
            Some(root) => inside(root, path),
        }
    }

    fn answered(&self, question: &Question) -> Result<Answer, Why> {
        match question {
            Question::Read { path, offset, limit } => {
                Ok(Answer::Bytes(part(&self.located(path)?, *offset, *limit)?))
            }
            Question::List(path) => Ok(Answer::Names(names(&self.located(path)?)?)),
            Question::Link(path) => {
                let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
                target(&self.located(folder)?.join(name)).map(Answer::Target)
            }
            Question::Status(path) => status(&self.located(path)?).map(Answer::Status),
            Question::Run(_) if self.root.is_some() => Err(Why::Elsewhere),
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
fn part(path: &Path, offset: u64, limit: u32) -> Result<Vec<u8>, Why> {
    let mut file = fs::File::open(path)?;
    if offset > 0 {
        file.seek(SeekFrom::Start(offset))?;
    }
    let mut bytes = Vec::new();
    file.take(u64::from(limit)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a link.
fn target(link: &Path) -> Result<String, Why> {
    fs::read_link(link)?.into_os_string().into_string().map_err(|_| Why::Malformed)
}

fn names(path: &Path) -> Result<Vec<String>, Why> {
    let entries = fs::read_dir(path)?.take(NAMES).filter_map(Result::ok);
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

fn status(path: &Path) -> Result<Status, Why> {
    use rustix::fs::{Access, access};
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(path)?;
    Ok(Status {
        mode: found.mode() & 0o7777,
        group: found.gid(),
        size: found.len(),
        modified: found.mtime(),
        usable: access(path, Access::READ_OK | Access::WRITE_OK).is_ok(),
    })
}

/// Follows `path` as if `root` were `/`: a link that is absolute, or that climbs too high, stays below
/// `root`. What is there of it is resolved; the rest is missing.
fn inside(root: &Path, path: &str) -> Result<PathBuf, Why> {
    let mut wanted: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
    let mut done: Vec<String> = Vec::new();
    let mut links = 0;
    while let Some(name) = wanted.pop() {
        match name.as_str() {
            "" | "." => continue,
            ".." => {
                done.pop();
                continue;
            }
            _ => done.push(name),
        }
        let here = done.iter().fold(root.to_owned(), |path, name| path.join(name));
        if !fs::symlink_metadata(&here)?.is_symlink() {
            continue;
        }
        links += 1;
        if links > LINKS {
            return Err(Why::Circular);
        }
        let target = target(&here)?;
        done.pop();
        if target.starts_with('/') {
            done.clear();
        }
        wanted.extend(target.split('/').rev().map(str::to_owned));
    }
    Ok(done.iter().fold(root.to_owned(), |path, name| path.join(name)))
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
