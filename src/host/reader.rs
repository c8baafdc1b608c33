//! Reads files as facts: a value, or the reason why there is none.

use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;

use super::files::{Answer, Files, LIMIT, Question, Refusal, Status};
use super::programs::{Ran, Run};

/// The size of one read of a long file, in bytes.
const PIECE: u32 = 1 << 20;

/// A value that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Unread {
    /// The path of the file, or the name of the program.
    pub(crate) path: String,
    /// The reason, in one word.
    #[serde(serialize_with = "Refusal::serialize_name")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub why: Refusal,
}

impl Unread {
    pub(super) fn new(path: impl Into<String>, why: Refusal) -> Self {
        Self { path: path.into(), why }
    }
}

/// A value, or why it could not be read.
pub(crate) type Fact<T> = Result<T, Unread>;

/// Reads facts, and records which reads did not finish.
pub(super) struct Reader<'f> {
    files: &'f mut dyn Files,
    pub(super) hung: Vec<Unread>,
}

impl<'f> Reader<'f> {
    pub(super) const fn new(files: &'f mut dyn Files) -> Self {
        Self { files, hung: Vec::new() }
    }

    fn refused<T>(&mut self, path: &str, why: Refusal) -> Fact<T> {
        let unread = Unread::new(path, why);
        if matches!(unread.why, Refusal::TimedOut | Refusal::GivenUp) {
            self.hung.push(unread.clone());
        }
        Err(unread)
    }

    /// Asks a question and extracts the expected kind of answer.
    fn answer<T>(&mut self, question: &Question, wanted: fn(Answer) -> Option<T>) -> Fact<T> {
        let why = match self.files.ask(question) {
            Answer::Refused(why) => why,
            answer => match wanted(answer) {
                Some(found) => return Ok(found),
                None => Refusal::Malformed,
            },
        };
        self.refused(question.path(), why)
    }

    fn piece(&mut self, path: &str, offset: usize, limit: u32) -> Fact<Vec<u8>> {
        let question = Question::Read { path: path.to_owned(), offset: offset as u64, limit };
        self.answer(&question, |it| if let Answer::Bytes(it) = it { Some(it) } else { None })
    }

    /// The bytes of a file.
    pub(super) fn bytes(&mut self, path: &str) -> Fact<Vec<u8>> {
        let bytes = self.piece(path, 0, LIMIT)?;
        if bytes.len() >= LIMIT as usize {
            self.refused(path, Refusal::TooLarge)
        } else {
            Ok(bytes)
        }
    }

    /// The bytes of a file that may be long, up to `most`, and whether there are more.
    pub(super) fn long(&mut self, path: &str, most: usize) -> Fact<(Vec<u8>, bool)> {
        let mut all = Vec::new();
        while all.len() < most {
            let left = u32::try_from(most - all.len()).unwrap_or(PIECE);
            let bytes = self.piece(path, all.len(), PIECE.min(left))?;
            if bytes.is_empty() {
                return Ok((all, false));
            }
            all.extend(bytes);
        }
        Ok((all, true))
    }

    /// The text of a long file, up to `most` bytes. Invalid UTF-8 is replaced.
    pub(super) fn long_text(&mut self, path: &str, most: usize) -> Fact<String> {
        let (bytes, _) = self.long(path, most)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The metadata of a file, obtained without opening it.
    pub(super) fn status(&mut self, path: &str) -> Fact<Status> {
        self.answer(&Question::Status(path.to_owned()), |it| {
            if let Answer::Status(it) = it { Some(it) } else { None }
        })
    }

    /// The output of a program.
    pub(super) fn run(&mut self, run: Run) -> Fact<Ran> {
        self.answer(
            &Question::Run(run),
            |it| if let Answer::Ran(it) = it { Some(it) } else { None },
        )
    }

    /// The text of a file without surrounding whitespace.
    pub(super) fn text(&mut self, path: &str) -> Fact<String> {
        match String::from_utf8(self.bytes(path)?) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(_) => self.refused(path, Refusal::Malformed),
        }
    }

    /// The content of a file, parsed by `read`.
    pub(super) fn read<T>(&mut self, path: &str, read: impl FnOnce(&str) -> Option<T>) -> Fact<T> {
        match read(&self.text(path)?) {
            Some(value) => Ok(value),
            None => self.refused(path, Refusal::Malformed),
        }
    }

    /// The content of a file, parsed as `T`.
    pub(super) fn value<T: FromStr>(&mut self, path: &str) -> Fact<T> {
        self.read(path, |text| text.parse().ok())
    }

    /// The sorted names in a directory.
    pub(super) fn names(&mut self, path: &str) -> Fact<Vec<String>> {
        self.answer(&Question::List(path.to_owned()), |it| {
            if let Answer::Names(it) = it { Some(it) } else { None }
        })
    }

    /// The sorted names in a directory; empty if it cannot be read.
    pub(super) fn entries(&mut self, path: &str) -> Vec<String> {
        self.names(path).unwrap_or_default()
    }

    /// The names in a directory that parse as `T`, such as numbers, sorted by value.
    pub(super) fn sorted<T: FromStr + Ord>(&mut self, path: &str) -> Fact<Vec<T>> {
        let mut found: Vec<T> =
            self.names(path)?.iter().filter_map(|name| name.parse().ok()).collect();
        found.sort_unstable();
        Ok(found)
    }

    /// The configuration files in `folders`, sorted by name. A file hides those of the same name in
    /// later directories.
    pub(super) fn drop_ins(&mut self, folders: &[String]) -> Vec<String> {
        let mut files = BTreeMap::new();
        for folder in folders {
            for name in self.entries(folder).into_iter().filter(|name| is_conf(name)) {
                let path = format!("{folder}/{name}");
                files.entry(name).or_insert(path);
            }
        }
        files.into_values().collect()
    }

    /// The target of a symbolic link.
    pub(super) fn link(&mut self, path: &str) -> Fact<String> {
        self.answer(&Question::Link(path.to_owned()), |it| {
            if let Answer::Target(it) = it { Some(it) } else { None }
        })
    }

    /// The last component of a symbolic link's target.
    pub(super) fn link_name(&mut self, path: &str) -> Fact<String> {
        let target = self.link(path)?;
        Ok(target.rsplit_once('/').map_or(target.as_str(), |(_, name)| name).to_owned())
    }
}

/// The rest of the first line that begins with `key`.
pub(super) fn value_after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

/// Whether systemd and modprobe read a file with this name.
pub(super) fn is_conf(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "conf")
}

/// Turns a missing file into `None`.
pub(super) fn if_there<T>(fact: Fact<T>) -> Fact<Option<T>> {
    match fact {
        Ok(value) => Ok(Some(value)),
        Err(Unread { why: Refusal::Missing, .. }) => Ok(None),
        Err(unread) => Err(unread),
    }
}
