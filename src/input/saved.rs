//! Crashes that the firmware or reserved memory kept over a reset (pstore): which files belong
//! together, and when they were written.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::{InputError, Opener, Origin, Source, ThisMachine, reopened};
use crate::value::Micros;

/// Where systemd moves them, and where the kernel shows them.
const FOLDERS: [&str; 2] = [MOVED_TO, "sys/fs/pstore"];
const MOVED_TO: &str = "var/lib/systemd/pstore";
/// systemd stores them in a folder for the time and one for the count.
const DEPTH: usize = 2;
/// No firmware has room for more.
const SIZE_LIMIT: u64 = 16 << 20;
/// How many files are looked at.
const FILE_LIMIT: usize = 10_000;

/// What was saved of one crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedCrash {
    /// The file, or the folder with its parts.
    pub name: String,
    /// When it was saved, in microseconds since 1970 in UTC, as the file's name tells.
    pub at: Option<Micros>,
    /// Up to when it was written: it is not newer than its files.
    pub latest: Option<Micros>,
    /// Since when it is where it is, if systemd moved it there.
    pub moved: Option<Micros>,
    files: Vec<PathBuf>,
}

/// What was saved of crashes.
#[derive(Debug, Default)]
pub struct SavedCrashes {
    /// Oldest first; those whose time nobody knows come last.
    pub all: Vec<SavedCrash>,
    /// Folders and files that this user may not read.
    pub closed: Vec<String>,
}

impl ThisMachine {
    /// The crashes that were saved.
    #[must_use]
    pub fn saved_crashes(&self) -> SavedCrashes {
        let mut crashes = SavedCrashes::default();
        // What the kernel shows outlives a reset, also on a disk that is looked at from elsewhere: there
        // it would be another machine's.
        let folders = FOLDERS.into_iter().take(if self.runs() { 2 } else { 1 });
        for folder in folders {
            let path = self.path(folder);
            crashes.look(&path, &path, 0);
        }
        crashes.all.sort_by(|one, other| {
            (one.at.is_none(), one.at, &one.name).cmp(&(other.at.is_none(), other.at, &other.name))
        });
        crashes
    }
}

impl SavedCrashes {
    fn look(&mut self, top: &Path, folder: &Path, depth: usize) {
        let (files, folders) = match entries(folder) {
            Ok(found) => found,
            Err(error) => {
                if error.kind() == io::ErrorKind::PermissionDenied {
                    self.closed.push(top.display().to_string());
                }
                return;
            }
        };
        let mut groups: BTreeMap<(Option<Micros>, String), Vec<PathBuf>> = BTreeMap::new();
        // systemd puts the parts together, and keeps them beside.
        let whole = files.iter().any(|(name, _)| name == "dmesg.txt");
        for (name, path) in files.into_iter().filter(|(name, _)| !whole || name == "dmesg.txt") {
            let Some(kind) = kind(&name) else { continue };
            match reopened(&path).and_then(|file| file.metadata()) {
                Ok(found) if found.len() > 0 => {}
                Ok(_) => continue,
                Err(error) => {
                    if error.kind() == io::ErrorKind::PermissionDenied {
                        self.close(top);
                    }
                    continue;
                }
            }
            let key = match kind {
                Name::Whole => (time_of_folder(folder), name),
                Name::Part { at, crash } => (Some(at), crash),
                Name::Alone => (None, name),
            };
            groups.entry(key).or_default().push(path);
        }
        for ((at, _), files) in groups {
            let name = match &*files {
                [file] => file.display().to_string(),
                _ => folder.display().to_string(),
            };
            let latest = files.iter().filter_map(|file| written(file)).max();
            let moved = files.iter().filter_map(|file| changed(file)).max();
            let moved = moved.filter(|_| top.ends_with(MOVED_TO));
            self.all.push(SavedCrash { name, at, latest, moved, files });
        }
        for inner in folders.iter().filter(|_| depth < DEPTH) {
            self.look(top, inner, depth + 1);
        }
    }

    fn close(&mut self, top: &Path) {
        let name = top.display().to_string();
        if !self.closed.contains(&name) {
            self.closed.push(name);
        }
    }
}

impl SavedCrash {
    /// Its text.
    ///
    /// # Errors
    ///
    /// If no part of it can be read.
    pub fn open(&self) -> Result<Source<'static>, InputError> {
        let (mut text, mut failed) = (Vec::new(), None);
        for file in &self.files {
            let shown = Opener::default().file::<InputError>(file, false, &mut |found| {
                let source = found.source?;
                let room = SIZE_LIMIT.saturating_sub(text.len() as u64);
                let read = source.reader.take(room).read_to_end(&mut text);
                read.map_err(|error| InputError::from_read(&source.name, error))?;
                text.push(b'\n');
                Ok(())
            });
            failed = failed.or(shown.err());
        }
        match failed {
            Some(error) if text.is_empty() => Err(error),
            _ => {
                let origin = Origin::new(self.name.clone());
                Ok(origin.source(None, Box::new(Cursor::new(text))))
            }
        }
    }
}

type Entries = (Vec<(String, PathBuf)>, Vec<PathBuf>);

/// The files of a folder with their names, and its folders, sorted.
fn entries(folder: &Path) -> io::Result<Entries> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)?.take(FILE_LIMIT).flatten() {
        match (entry.file_type(), entry.file_name().into_string()) {
            (Ok(kind), Ok(name)) if kind.is_file() => files.push((name, entry.path())),
            (Ok(kind), _) if kind.is_dir() => folders.push(entry.path()),
            _ => {}
        }
    }
    files.sort();
    folders.sort();
    Ok((files, folders))
}

/// When a file was written last.
fn written(file: &Path) -> Option<Micros> {
    let modified = fs::metadata(file).ok()?.modified().ok()?;
    of_seconds(modified.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

/// When a file was put where it is, or touched in another way: a copy keeps the time of writing.
fn changed(file: &Path) -> Option<Micros> {
    use std::os::unix::fs::MetadataExt;
    of_seconds(u64::try_from(fs::metadata(file).ok()?.ctime()).ok()?)
}

/// What a file's name says.
#[derive(Debug, PartialEq, Eq)]
enum Name {
    /// All parts of a crash.
    Whole,
    /// A part of the crash that happened then, which has this name in common with the others.
    Part { at: Micros, crash: String },
    /// Something of which the name tells no more.
    Alone,
}

fn kind(name: &str) -> Option<Name> {
    if name == "dmesg.txt" {
        return Some(Name::Whole);
    }
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u64>().ok();
    // drivers/firmware/efi/efi-pstore.c: (time * 100 + part) * 1000 + count.
    if let Some(id) = number("dmesg-efi_pstore-").or_else(|| number("dmesg-efi-")) {
        let at = of_seconds(id / 100_000)?;
        return Some(Name::Part { at, crash: format!("efi {}", id % 1000) });
    }
    // drivers/firmware/efi/cper.c, cper_next_record_id: the time of the first record stands above a count.
    if let Some(id) = number("dmesg-erst-") {
        const NEW: u64 = 1 << 63;
        let seconds = if id & NEW == 0 { id >> 32 } else { (id ^ NEW) >> 24 };
        return Some(Name::Part { at: of_seconds(seconds)?, crash: "erst".to_owned() });
    }
    let other = ["dmesg-", "console-ramoops", "console-"].iter().any(|it| name.starts_with(it));
    other.then_some(Name::Alone)
}

fn of_seconds(seconds: u64) -> Option<Micros> {
    Some(Micros(i64::try_from(seconds).ok()?.checked_mul(1_000_000)?))
}

/// The time that systemd named the folder of a crash, or the one around it, after.
fn time_of_folder(folder: &Path) -> Option<Micros> {
    // Counts have three digits; an id of ERST has more than a time has.
    let named = folder.ancestors().take(DEPTH).find_map(|folder| {
        let name = folder.file_name()?.to_str()?;
        name.parse::<u64>().ok().filter(|_| name.len() > 3)
    })?;
    match kind(&format!("dmesg-erst-{named}")) {
        Some(Name::Part { at, .. }) if named > u64::from(u32::MAX) => Some(at),
        _ => of_seconds(named),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(seconds: i64) -> Micros {
        Micros(seconds * 1_000_000)
    }

    #[test]
    fn names_tell_time_and_parts() {
        let part = |at, crash: &str| Some(Name::Part { at: micros(at), crash: crash.to_owned() });
        for (name, want) in [
            ("dmesg-efi_pstore-175862040402001", part(1_758_620_404, "efi 1")),
            ("dmesg-efi-175862040413002", part(1_758_620_404, "efi 2")),
            // The old and the new number of a record.
            ("dmesg-erst-7549471381495218178", part(1_757_748_281, "erst")),
            ("dmesg-erst-9252876791234691073", part(1_758_620_404, "erst")),
            ("dmesg-ramoops-0", Some(Name::Alone)),
            ("console-ramoops-0", Some(Name::Alone)),
            ("dmesg.txt", Some(Name::Whole)),
            ("ftrace-ramoops-0", None),
            ("dmesg-efi_pstore-x", Some(Name::Alone)),
        ] {
            assert_eq!(kind(name), want, "{name}");
        }
    }

    #[test]
    fn folders_tell_times() {
        for (folder, want) in [
            ("/var/lib/systemd/pstore/1758620404", Some(1_758_620_404)),
            ("/var/lib/systemd/pstore/1758620404/001", Some(1_758_620_404)),
            ("/var/lib/systemd/pstore/7549471381495218178", Some(1_757_748_281)),
            ("/var/lib/systemd/pstore", None),
        ] {
            assert_eq!(time_of_folder(Path::new(folder)), want.map(micros), "{folder}");
        }
    }
}
