//! Paths that were given to commands that do not read files.

use std::path::Path;

use super::Failure;
use crate::input::{Hint, quoted};

/// A command that does not read files, and what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum PathAsked {
    /// `explain`.
    #[strum(to_string = "explain takes names or lines of a log")]
    Explain,
    /// `decode`.
    #[strum(to_string = "decode takes a value from a log")]
    Decode,
    /// The first argument of `patterns explain`.
    #[strum(to_string = "the name of a signature comes first")]
    Signature,
}

impl PathAsked {
    /// The failure, if `text` is the path of a file or directory.
    pub(in crate::cli) fn of(self, text: &str) -> Option<Failure> {
        let path = Path::new(text);
        let what = match (path.is_file(), path.is_dir()) {
            (true, _) => "file",
            (_, true) => "directory",
            (false, false) => return None,
        };
        Some(Failure::PathAsked { path: text.to_owned(), what, asked: self })
    }

    /// What diagnoses the file, and what the command can do with it.
    pub(super) fn hint(self, path: &str) -> Option<Hint> {
        let path_word = quoted(path)?;
        let command = format!("amdtriage {path_word}");
        Some(match self {
            Self::Explain if Path::new(path).is_file() => {
                let note = format!("amdtriage explain < {path_word} explains each line");
                Hint::CommandOr(command, note)
            }
            Self::Explain | Self::Decode => Hint::Command(command),
            Self::Signature => {
                let command = format!("amdtriage patterns explain vram-lost {path_word}");
                let note = "amdtriage patterns list signatures shows the names".to_owned();
                Hint::CommandOr(command, note)
            }
        })
    }
}
