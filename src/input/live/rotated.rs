//! The files beside a log that had its name before.
#![allow(clippy::disallowed_methods, reason = "this module opens files")]

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::written::{FilePlace, Written};

/// A number with fewer digits counts rotations; one with more is a date.
const DATE: usize = 6;
/// Of longer ones nobody knows what they are.
const LONGEST: usize = 18;

/// The folder that a file stands in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files that had the name of `path` before, oldest first. What was compressed is not among them.
fn older(path: &Path) -> Vec<File> {
    named(path, &[]).iter().filter_map(|path| opened(path).ok()).collect()
}

/// Their paths; those with one of these `inodes` are among them, whatever they are called.
fn named(path: &Path, inodes: &[u64]) -> Vec<PathBuf> {
    let Some(log) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return Vec::new() };
    let named = |entry: fs::DirEntry| {
        let turn = entry.file_name().to_str().and_then(|name| turn(log, name));
        let turn = turn.or_else(|| inodes.contains(&entry.ino()).then_some(i64::MAX));
        Some((turn?, entry.path()))
    };
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
pub(super) fn between(path: &Path, from: &Written, to: &File) -> io::Result<Vec<File>> {
    let (from, to) = (Some(from.key()?), key(to));
    let files = older(path);
    let first = files.iter().position(|file| key(file) == from).map_or(files.len(), |at| at + 1);
    Ok(files.into_iter().skip(first).take_while(|file| key(file) != to).collect())
}

/// The copy that `logrotate` has made of a file that it has cut off.
pub(super) fn copy_of(path: &Path, cut: &Written) -> Option<File> {
    let mut files = older(path).into_iter().rev();
    files.find(|file| key(file) != cut.key().ok() && cut.has_copy(file))
}

/// Where a log was read up to, and when.
#[derive(Clone, Debug)]
pub struct LeftOff {
    /// The files that it consisted of, oldest first.
    pub places: Vec<FilePlace>,
    /// In microseconds since 1970.
    pub at: u64,
}

/// What is left of a log that was read before, and what came since.
pub(super) struct Resumed {
    /// Its files, oldest first, and up to where each was read; the one that has its name is the last.
    pub(super) files: Vec<(File, Option<u64>)>,
    /// Whether one of the files that were read is not there any more.
    pub(super) is_incomplete: bool,
}

/// Finds the files that were read before, and those that have had the name of `path` since; `current` has it now.
pub(super) fn resumed(path: &Path, current: File, from: &LeftOff) -> Resumed {
    let inodes: Vec<u64> = from.places.iter().map(FilePlace::inode).collect();
    let own = key(&current);
    let older = named(path, &inodes).into_iter().filter_map(|path| opened(&path).ok());
    let mut files: Vec<(File, Option<u64>)> =
        older.filter(|file| key(file) != own).chain([current]).map(|file| (file, None)).collect();
    let mut is_incomplete = false;
    for place in &from.places {
        let free = |(file, known): &(File, Option<u64>), is: fn(&FilePlace, &File) -> bool| {
            known.is_none() && is(place, file)
        };
        let found = files.iter().rposition(|one| free(one, FilePlace::is_of)).or_else(|| {
            let copy = files.iter().rposition(|one| free(one, FilePlace::is_in));
            copy.filter(|_| place.has_a_head())
        });
        match found.and_then(|at| files.get_mut(at)) {
            Some((_, known)) => *known = Some(place.offset()),
            None => is_incomplete = true,
        }
    }
    keep_what_matters(&mut files, from.at);
    Resumed { files, is_incomplete }
}

/// Drops what was read to its end before the others were begun. Where none is known, that is what nobody has written
/// to since.
fn keep_what_matters(files: &mut Vec<(File, Option<u64>)>, since: u64) {
    let newest = files.iter().rposition(|(_, known)| known.is_some());
    let last = files.len().saturating_sub(1);
    let mut place = 0..;
    files.retain(|(file, known)| {
        let at = place.next().unwrap_or(last);
        known.is_some()
            || at == last
            || newest.map_or_else(|| is_written_since(file, since), |it| at > it)
    });
}

/// Whether somebody has written to a file since then, in microseconds since 1970.
fn is_written_since(file: &File, since: u64) -> bool {
    let written = file.metadata().and_then(|found| found.modified()).ok();
    let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    written.is_some_and(|at| at.as_micros() > u128::from(since))
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
        let found = named(&folder.path().join("kern.log"), &[]);
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
