//! Shared by the targets: a temporary directory, and running the program.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use amdtriage::cli::{self, Ending};
use amdtriage::document::untrusted::is_harmful;
use tempfile::TempDir;

/// The result of a run.
pub struct Answer {
    /// The exit status.
    pub ending: Ending,
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub said: String,
}

/// A temporary directory.
pub struct Folder(TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        Self(TempDir::new().expect("a folder for temporary files"))
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("room for a small file");
        path
    }
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs the program with `options`, then `file`.
pub fn run(options: &[&str], file: &Path) -> Answer {
    let (mut out, mut said) = (Vec::new(), Vec::new());
    let arguments = ["amdtriage"].iter().chain(options).map(OsString::from);
    let ending = cli::run(arguments.chain([file.into()]), &mut out, &mut said);
    assert!(ending.status() <= 2, "{ending:?}");
    let said = String::from_utf8(said).expect("messages are UTF-8");
    harmless(&said);
    Answer { ending, out, said }
}

/// Fails if `text` contains characters that could control a terminal or disguise text.
pub fn harmless(text: &str) {
    let found = text.chars().find(|c| *c != '\n' && is_harmful(*c));
    assert!(found.is_none(), "{found:?} in what people read:\n{text}");
}
