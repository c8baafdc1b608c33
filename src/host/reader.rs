//! Files as facts: what one says, or why nobody can tell.

use std::str::FromStr;

use super::files::{Answer, Files, LIMIT, Question, Status, Why};
use super::programs::{Ran, Run};

/// So many bytes of a long file are asked for at once.
const PIECE: u32 = 1 << 20;

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Where it would stand.
    pub path: String,
    /// Why it could not be read.
    pub why: Why,
}

/// What was read, or why it was not.
pub type Fact<T> = Result<T, Unread>;

/// Reads facts, and keeps account of those whose reading did not end.
pub(super) struct Reader<'f> {
    files: &'f mut dyn Files,
    pub(super) hung: Vec<Unread>,
}

impl<'f> Reader<'f> {
    pub(super) const fn new(files: &'f mut dyn Files) -> Self {
        Self { files, hung: Vec::new() }
    }

    fn refused<T>(&mut self, path: &str, why: Why) -> Fact<T> {
        let unread = Unread { path: path.to_owned(), why };
        if matches!(unread.why, Why::TimedOut | Why::GivenUp) {
            self.hung.push(unread.clone());
        }
        Err(unread)
    }

    /// The bytes of a file.
    pub(super) fn bytes(&mut self, path: &str) -> Fact<Vec<u8>> {
        let question = Question::Read { path: path.to_owned(), offset: 0, limit: LIMIT };
        match self.files.ask(&question) {
            Answer::Bytes(bytes) if bytes.len() >= LIMIT as usize => {
                self.refused(path, Why::TooLarge)
            }
            Answer::Bytes(bytes) => Ok(bytes),
            Answer::Refused(why) => self.refused(path, why),
            _ => self.refused(path, Why::Malformed),
        }
    }

    /// The bytes of a file that may be long, up to `most`, and whether there are more.
    pub(super) fn long(&mut self, path: &str, most: usize) -> Fact<(Vec<u8>, bool)> {
        let mut all = Vec::new();
        while all.len() < most {
            let left = u32::try_from(most - all.len()).unwrap_or(PIECE);
            let offset = all.len() as u64;
            let limit = PIECE.min(left);
            match self.files.ask(&Question::Read { path: path.to_owned(), offset, limit }) {
                Answer::Bytes(bytes) if bytes.is_empty() => return Ok((all, false)),
                Answer::Bytes(bytes) => all.extend(bytes),
                Answer::Refused(why) => return self.refused(path, why),
                _ => return self.refused(path, Why::Malformed),
            }
        }
        Ok((all, true))
    }

    /// The text of a file that may be long, up to `most` bytes. What is no UTF-8 is replaced.
    pub(super) fn long_text(&mut self, path: &str, most: usize) -> Fact<String> {
        let (bytes, _) = self.long(path, most)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What is known of a file without opening it.
    pub(super) fn status(&mut self, path: &str) -> Fact<Status> {
        match self.files.ask(&Question::Status { path: path.to_owned() }) {
            Answer::Status(status) => Ok(status),
            Answer::Refused(why) => self.refused(path, why),
            _ => self.refused(path, Why::Malformed),
        }
    }

    /// What a program says.
    pub(super) fn run(&mut self, run: Run) -> Fact<Ran> {
        let name = run.program.name();
        match self.files.ask(&Question::Run(run)) {
            Answer::Ran(ran) => Ok(ran),
            Answer::Refused(why) => self.refused(name, why),
            _ => self.refused(name, Why::Malformed),
        }
    }

    /// The text of a file, without blanks around it.
    pub(super) fn text(&mut self, path: &str) -> Fact<String> {
        match String::from_utf8(self.bytes(path)?) {
            Ok(text) => Ok(text.trim().to_owned()),
            Err(_) => self.refused(path, Why::Malformed),
        }
    }

    /// The value that a file holds, as `read` understands it.
    pub(super) fn read<T>(&mut self, path: &str, read: impl FnOnce(&str) -> Option<T>) -> Fact<T> {
        match read(&self.text(path)?) {
            Some(value) => Ok(value),
            None => self.refused(path, Why::Malformed),
        }
    }

    /// The value that a file holds.
    pub(super) fn value<T: FromStr>(&mut self, path: &str) -> Fact<T> {
        self.read(path, |text| text.parse().ok())
    }

    /// The names in a folder, in order.
    pub(super) fn names(&mut self, path: &str) -> Fact<Vec<String>> {
        match self.files.ask(&Question::List { path: path.to_owned() }) {
            Answer::Names(names) => Ok(names),
            Answer::Refused(why) => self.refused(path, why),
            _ => self.refused(path, Why::Malformed),
        }
    }

    /// Where a symbolic link leads.
    pub(super) fn link(&mut self, path: &str) -> Fact<String> {
        match self.files.ask(&Question::Link { path: path.to_owned() }) {
            Answer::Target(target) => Ok(target),
            Answer::Refused(why) => self.refused(path, why),
            _ => self.refused(path, Why::Malformed),
        }
    }
}

/// A fact where a missing file is an answer of its own.
pub(super) fn if_there<T>(fact: Fact<T>) -> Fact<Option<T>> {
    match fact {
        Ok(value) => Ok(Some(value)),
        Err(Unread { why: Why::Missing, .. }) => Ok(None),
        Err(unread) => Err(unread),
    }
}
