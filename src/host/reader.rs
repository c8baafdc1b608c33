//! Files as facts: what one says, or why nobody can tell.

use std::str::FromStr;

use super::files::{Answer, Files, LIMIT, Question, Why};

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
            Answer::Names(_) | Answer::Target(_) => self.refused(path, Why::Malformed),
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
            Answer::Bytes(_) | Answer::Target(_) => self.refused(path, Why::Malformed),
        }
    }

    /// Where a symbolic link leads.
    pub(super) fn link(&mut self, path: &str) -> Fact<String> {
        match self.files.ask(&Question::Link { path: path.to_owned() }) {
            Answer::Target(target) => Ok(target),
            Answer::Refused(why) => self.refused(path, why),
            Answer::Bytes(_) | Answer::Names(_) => self.refused(path, Why::Malformed),
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
