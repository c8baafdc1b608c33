//! The name of a followed file: whether a file has it, and which files had it before.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A rotation leaves the name unused for less than this.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum number of rotations to look back.
const OLDEST: u32 = 100;

/// The name of a followed file.
pub(super) struct FileName {
    path: PathBuf,
    /// The file that had the name when it was last opened.
    file: (u64, u64),
    /// Since when no file has the name.
    gone: Option<Instant>,
    /// Whether that was reported.
    is_told: bool,
}

impl FileName {
    /// The name of a regular file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok().filter(Metadata::is_file)?;
        Some(Self { path: path.to_owned(), file: key(&found), gone: None, is_told: false })
    }

    /// Whether files that had the name before the current one cannot be read. Called when the
    /// current one was opened.
    pub(super) fn has_skipped_a_file(&mut self) -> bool {
        let Ok(found) = fs::metadata(&self.path) else { return false };
        let before = std::mem::replace(&mut self.file, key(&found));
        self.file != before && self.is_incomplete_since(before)
    }

    /// Whether a file between the one that had the name `before` and the current one is missing:
    /// the earlier one is `LOG.3`, but there is no `LOG.2`. If the earlier one was deleted or
    /// compressed, no name shows it.
    fn is_incomplete_since(&self, before: (u64, u64)) -> bool {
        let at = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            fs::metadata(name)
        };
        let known = |number: &u32| at(*number).is_ok_and(|found| key(&found) == before);
        let turn = (1..OLDEST).find(known);
        turn.is_some_and(|turn| (1..turn).any(|number| at(number).is_err()))
    }

    /// Whether the name is unused for long, or is used again: in words, once.
    pub(super) fn change(&mut self) -> Option<&'static str> {
        self.change_after(PATIENCE)
    }

    fn change_after(&mut self, patience: Duration) -> Option<&'static str> {
        if self.path.exists() {
            self.gone = None;
            return std::mem::take(&mut self.is_told).then_some("the file is there again");
        }
        let gone = *self.gone.get_or_insert_with(Instant::now);
        if self.is_told || gone.elapsed() < patience {
            return None;
        }
        self.is_told = true;
        Some("the file is not there any more; waiting for a new one")
    }
}

fn key(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a log, with rotated files, that is watched since it was called `log`.
    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> (Self, FileName) {
            let folder = Self(tempfile::tempdir().unwrap());
            folder.write("log");
            let name = FileName::of(&folder.path("log")).unwrap();
            (folder, name)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn write(&self, name: &str) {
            fs::write(self.path(name), name).unwrap();
        }

        fn rename(&self, from: &str, to: &str) {
            fs::rename(self.path(from), self.path(to)).unwrap();
        }
    }

    #[test]
    fn a_file_that_was_skipped_is_noticed() {
        // Each of the files that the log becomes, and those that are there in the end.
        for (moved, others, want) in [
            (Some("log.1"), &[][..], false),
            (Some("log.2"), &["log.1"], false),
            (Some("log.2"), &[], true),
            (Some("log.2"), &["log.1.gz"], true),
            (Some("log.3"), &["log.1"], true),
            (Some("log-20260304"), &[], false),
            (None, &["log.1.gz"], false),
            (None, &[], false),
        ] {
            let (folder, mut name) = Folder::new();
            folder.rename("log", moved.unwrap_or("unnamed"));
            for other in others {
                folder.write(other);
            }
            folder.write("log");
            assert_eq!(name.has_skipped_a_file(), want, "{moved:?} {others:?}");
            assert!(!name.has_skipped_a_file());
        }
    }

    #[test]
    fn a_file_that_is_gone_is_said_once_and_so_is_its_return() {
        let (folder, mut name) = Folder::new();
        assert_eq!(name.change_after(Duration::ZERO), None);
        folder.rename("log", "log.1");
        assert_eq!(name.change(), None, "a rotation takes a moment");
        let told = "the file is not there any more; waiting for a new one";
        assert_eq!(name.change_after(Duration::ZERO), Some(told));
        assert_eq!(name.change_after(Duration::ZERO), None);
        folder.write("log");
        assert_eq!(name.change(), Some("the file is there again"));
        assert_eq!(name.change(), None);
    }
}
