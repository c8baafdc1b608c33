//! The files beside a log that had its name before.
#![allow(clippy::disallowed_methods, reason = "this module opens files")]

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::written::Written;

/// A number with fewer digits counts rotations; one with more is a date.
const DATE: usize = 6;
/// Of longer ones nobody knows what they are.
const LONGEST: usize = 18;

/// The folder that a file stands in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files that had the name of `path` before, oldest first. What was compressed is not among them.
pub(super) fn older(path: &Path) -> Vec<PathBuf> {
    let Some(log) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return Vec::new() };
    let named = |entry: fs::DirEntry| Some((turn(log, entry.file_name().to_str()?)?, entry.path()));
    let mut found: Vec<(i64, PathBuf)> = entries.flatten().filter_map(named).collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// When a file called `name` was `log`, as a number that grows with time: a count of rotations grows with age,
/// a date does not.
fn turn(log: &str, name: &str) -> Option<i64> {
    let before_the_end = || {
        let (stem, end) = log.rsplit_once('.')?;
        name.strip_prefix(stem)?.strip_suffix(end)?.strip_suffix('.')
    };
    let mark = name.strip_prefix(log).or_else(before_the_end)?.strip_prefix(['.', '-'])?;
    if !mark.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return None;
    }
    let digits = mark.replace('-', "");
    let number: i64 = digits.parse().ok().filter(|_| digits.len() <= LONGEST)?;
    Some(if digits.len() < DATE { -number } else { number })
}

/// The files that had the name of `path` after `from` and before `to`: two rotations may come so fast that the
/// file between them is seen under its new name alone.
pub(super) fn between(path: &Path, from: &Written, to: &Written) -> io::Result<Vec<Written>> {
    let (from, to) = (from.key()?, to.key()?);
    let files = older(path).into_iter().filter_map(|path| opened(&path).ok());
    let keyed: Vec<_> = files.filter_map(|file| Some((key(&file)?, file))).collect();
    let first = keyed.iter().position(|(key, _)| *key == from).map_or(keyed.len(), |at| at + 1);
    let later = keyed.into_iter().skip(first).take_while(|(key, _)| *key != to);
    Ok(later.map(|(_, file)| Written::new(file)).collect())
}

/// The copy that `logrotate` has made of a file that it has cut off.
pub(super) fn copy_of(path: &Path, cut: &Written) -> Option<File> {
    let mut files = older(path).into_iter().rev().filter_map(|path| opened(&path).ok());
    files.find(|file| key(file) != cut.key().ok() && cut.has_copy(file))
}

/// A regular file; what it is is looked at first, because a pipe without a writer would be waited for.
fn opened(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path)
}

fn key(file: &File) -> Option<(u64, u64)> {
    file.metadata().ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_rotated_files_are_known() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "kern.log",
            "kern.log.1",
            "kern.log.2",
            "kern.log.10",
            "kern.log.3.gz",
            "kern.log.old",
            "kern.log-20260304",
            "kern-20260305.log",
            "kern-20260305-1709510400.log",
            "kernel.log.1",
            "kern.log.99999999999999999999",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let found = older(&folder.path().join("kern.log"));
        let names: Vec<_> =
            found.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "kern.log.10",
                "kern.log.2",
                "kern.log.1",
                "kern.log-20260304",
                "kern-20260305.log",
                "kern-20260305-1709510400.log"
            ]
        );
    }
}
