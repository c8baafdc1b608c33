//! Finds the rotated files of a log.
#![allow(clippy::disallowed_methods, reason = "this module opens files")]

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::written::{FilePlace, Written};

/// A suffix with fewer digits counts rotations; a longer one is a date.
const DATE: usize = 6;
/// Longer suffixes are unknown.
const LONGEST: usize = 18;

/// The directory of a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The files that had the name of `path` before, oldest first, without compressed ones.
fn older(path: &Path) -> Vec<File> {
    named(path, &[]).iter().filter_map(|found| opened(&found.path).ok()).collect()
}

/// A file that may have had the name of the log before.
struct Candidate {
    path: PathBuf,
    /// Whether its name says so; otherwise only its inode does, which another file may have got.
    by_name: bool,
}

/// The files that may have had the name of `path` before, oldest first, including those with one of
/// these `inodes` under any name.
fn named(path: &Path, inodes: &[u64]) -> Vec<Candidate> {
    let Some(log) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder_of(path)) else { return Vec::new() };
    let named = |entry: fs::DirEntry| {
        let turn = entry.file_name().to_str().and_then(|name| turn(log, name));
        let by_name = turn.is_some();
        let turn = turn.or_else(|| inodes.contains(&entry.ino()).then_some(i64::MAX));
        Some((turn?, Candidate { path: entry.path(), by_name }))
    };
    let mut found: Vec<(i64, Candidate)> = entries.flatten().filter_map(named).collect();
    found.sort_by(|(turn, one), (other, two)| (turn, &one.path).cmp(&(other, &two.path)));
    found.into_iter().map(|(_, found)| found).collect()
}

/// When the file `name` was `log`, as a number that increases with time: a rotation count increases
/// with age, a date with time.
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

/// The files that had the name of `path` after `from` and before `to`: of two fast rotations, only
/// the second may be noticed.
pub(super) fn between(path: &Path, from: &Written, to: &File) -> io::Result<Vec<File>> {
    let (from, to) = (Some(from.key()?), key(to));
    let files = older(path);
    let first = files.iter().position(|file| key(file) == from).map_or(files.len(), |at| at + 1);
    Ok(files.into_iter().skip(first).take_while(|file| key(file) != to).collect())
}

/// The copy of a truncated file that `logrotate` made.
pub(super) fn copy_of(path: &Path, cut: &Written) -> Option<File> {
    let mut files = older(path).into_iter().rev();
    files.find(|file| key(file) != cut.key().ok() && cut.has_copy(file))
}

/// Where reading of a log stopped, and when.
#[derive(Clone, Debug)]
pub struct LeftOff {
    /// Its files, oldest first.
    pub places: Vec<FilePlace>,
    /// In microseconds since 1970.
    pub at: u64,
}

/// The files of a log since an earlier run.
pub(super) struct Resumed {
    /// The files, oldest first, and where reading of each stopped; the last one has the name.
    pub(super) files: Vec<(File, Option<u64>)>,
    /// Whether one of the earlier files is gone.
    pub(super) is_incomplete: bool,
}

/// Finds the earlier files, and those that have had the name of `path` since; `current` has it now.
pub(super) fn resumed(path: &Path, current: File, from: &LeftOff) -> Resumed {
    let inodes: Vec<u64> = from.places.iter().map(FilePlace::inode).collect();
    let own = key(&current);
    let opened = |found: Candidate| Some((opened(&found.path).ok()?, found.by_name));
    let older = named(path, &inodes).into_iter().filter_map(opened);
    let (mut files, by_name): (Vec<(File, Option<u64>)>, Vec<bool>) = older
        .filter(|(file, _)| key(file) != own)
        .chain([(current, true)])
        .map(|(file, by_name)| ((file, None), by_name))
        .unzip();
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
    // Another file may have got the inode of a deleted one.
    let mut by_name = by_name.into_iter();
    files.retain(|(_, known)| by_name.next().unwrap_or(true) || known.is_some());
    keep_what_matters(&mut files, from.at);
    Resumed { files, is_incomplete }
}

/// Removes files that were read completely before the others began. If none is known, those that
/// were not written since.
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

/// Whether a file was written after this time, in microseconds since 1970.
fn is_written_since(file: &File, since: u64) -> bool {
    let written = file.metadata().and_then(|found| found.modified()).ok();
    let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    written.is_some_and(|at| at.as_micros() > u128::from(since))
}

/// Opens a regular file; its type is checked first, because opening a FIFO without a writer blocks.
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

    /// The file system gives the number of a deleted file to the next one.
    #[test]
    fn another_file_with_the_same_inode_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("auth.log"), "another program's lines\n").unwrap();
        fs::write(path("kern.log"), "kernel lines\n").unwrap();
        let inode = fs::metadata(path("auth.log")).unwrap().ino();
        let text = format!(
            r#"{{"device":1,"inode":{inode},"start":0,"head_length":3,"head":"00","offset":3}}"#
        );
        let from = LeftOff { places: vec![serde_json::from_str(&text).unwrap()], at: 0 };
        let current = File::open(path("kern.log")).unwrap();
        let found = resumed(&path("kern.log"), current, &from);
        let keys: Vec<_> = found.files.iter().map(|(file, known)| (key(file), *known)).collect();
        let own = key(&File::open(path("kern.log")).unwrap());
        assert_eq!((keys, found.is_incomplete), (vec![(own, None)], true));
    }

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
            found.iter().map(|found| found.path.file_name().unwrap().to_str().unwrap()).collect();
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
