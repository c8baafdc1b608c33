//! Crash records that survived a reset in firmware or reserved memory (pstore): groups their files,
//! and determines their times.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::FileType;

use super::files::FileLocation;
use super::{InputError, Opener, Origin, Source, ThisMachine};
use crate::tree::Tree;
use crate::value::Micros;

/// systemd moves them to the first directory; the kernel provides them in the second.
const FOLDERS: [&str; 2] = [MOVED_TO, "sys/fs/pstore"];
const MOVED_TO: &str = "var/lib/systemd/pstore";
/// systemd stores them in nested directories for time and count.
const DEPTH: usize = 2;
/// Maximum size in bytes; firmware has less space.
const SIZE_LIMIT: u64 = 16 << 20;
/// Maximum number of files to read.
const FILE_LIMIT: usize = 10_000;

/// The saved records of one crash.
#[derive(Clone, Debug)]
pub struct SavedCrash {
    /// The file, or the directory with its parts.
    pub name: String,
    /// Its time in microseconds since 1970 in UTC, from the file's name.
    pub at: Option<Micros>,
    /// The latest possible time of the crash: that of its files.
    pub latest: Option<Micros>,
    /// When systemd moved it to its place, if it did.
    pub moved: Option<Micros>,
    /// Its files, relative to the machine's root.
    files: Vec<PathBuf>,
    tree: Arc<Tree>,
}

/// Saved crash records.
#[derive(Debug, Default)]
pub struct SavedCrashes {
    /// Oldest first; those without a time are last.
    pub all: Vec<SavedCrash>,
    /// Directories and files that this user may not read.
    pub closed: Vec<String>,
}

impl ThisMachine {
    /// The saved crash records.
    #[must_use]
    pub fn saved_crashes(&self) -> SavedCrashes {
        let mut crashes = SavedCrashes::default();
        // What the kernel provides survives a reset of this machine; for another machine's disk it
        // would be the wrong machine's.
        let folders = FOLDERS.into_iter().take(if self.runs() { 2 } else { 1 });
        for folder in folders {
            if let Ok(tree) = self.tree() {
                let top = Path::new(folder);
                Looking { machine: self, tree, top, crashes: &mut crashes }.look(top, 0);
            }
        }
        crashes.all.sort_by(|one, other| {
            (one.at.is_none(), one.at, &one.name).cmp(&(other.at.is_none(), other.at, &other.name))
        });
        crashes
    }
}

/// The state of searching a directory.
struct Looking<'a> {
    machine: &'a ThisMachine,
    tree: &'a Arc<Tree>,
    /// The directory, relative to the machine's root.
    top: &'a Path,
    crashes: &'a mut SavedCrashes,
}

impl Looking<'_> {
    fn look(&mut self, folder: &Path, depth: usize) {
        let (files, folders) = match entries(self.tree, folder) {
            Ok(found) => found,
            Err(error) => {
                self.unread(&error);
                return;
            }
        };
        let mut groups: BTreeMap<(Option<Micros>, String), Vec<PathBuf>> = BTreeMap::new();
        // systemd concatenates the parts, and keeps them as well.
        let whole = files.iter().any(|(name, _)| name == "dmesg.txt");
        for (name, path) in files.into_iter().filter(|(name, _)| !whole || name == "dmesg.txt") {
            let Some(kind) = kind(&name) else { continue };
            match self.tree.file(&path).and_then(|file| file.metadata()) {
                Ok(found) if found.len() > 0 => {}
                Ok(_) => continue,
                Err(error) => {
                    self.unread(&error);
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
                [file] => self.machine.name(file),
                _ => self.machine.name(folder),
            };
            let known = files.iter().filter_map(|file| self.tree.status(file).ok());
            let seconds = |seconds: i64| of_seconds(u64::try_from(seconds).ok()?);
            // A copied file keeps its modification time, but not its change time.
            let times = known.map(|it| (seconds(it.st_mtime), seconds(it.st_ctime)));
            let (written, changed): (Vec<_>, Vec<_>) = times.unzip();
            let latest = written.into_iter().flatten().max();
            let moved = changed.into_iter().flatten().max();
            let moved = moved.filter(|_| self.top.ends_with(MOVED_TO));
            let tree = Arc::clone(self.tree);
            self.crashes.all.push(SavedCrash { name, at, latest, moved, files, tree });
        }
        for inner in folders.iter().filter(|_| depth < DEPTH) {
            self.look(inner, depth + 1);
        }
    }

    fn unread(&mut self, error: &io::Error) {
        let name = self.machine.name(self.top);
        let closed = &mut self.crashes.closed;
        if error.kind() == io::ErrorKind::PermissionDenied && !closed.contains(&name) {
            closed.push(name);
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
            let place = FileLocation { tree: Some(&self.tree), path: file };
            let name = self.name.clone();
            let shown = Opener::default().file::<InputError>(place, name, false, &mut |found| {
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

/// The files of a directory, and its subdirectories, sorted. Links are ignored.
fn entries(tree: &Tree, folder: &Path) -> io::Result<Entries> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for name in tree.names(folder, FILE_LIMIT)? {
        let path = folder.join(&name);
        let Ok(found) = tree.own_status(&path) else { continue };
        match (FileType::from_raw_mode(found.st_mode), name.into_string()) {
            (FileType::RegularFile, Ok(name)) => files.push((name, path)),
            (FileType::Directory, _) => folders.push(path),
            _ => {}
        }
    }
    Ok((files, folders))
}

/// The meaning of a file's name.
#[derive(Debug, PartialEq, Eq)]
enum Name {
    /// All parts of a crash.
    Whole,
    /// A part of the crash at this time; all parts have the same `crash`.
    Part { at: Micros, crash: String },
    /// No further information.
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
    // drivers/firmware/efi/cper.c, cper_next_record_id: the upper half is the time of the first
    // record, the lower half a count.
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

/// The time in the name of the directory or its parent, from systemd.
fn time_of_folder(folder: &Path) -> Option<Micros> {
    // Counts have three digits; ERST ids have more than a time.
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
            // The old and the new format of record ids.
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
