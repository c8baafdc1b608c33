//! Fixture machines: one file with the paths and contents of a directory tree, after a header.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::root;

/// The modification time of all files, in seconds since 1970: 2026-11-01 in UTC.
const WRITTEN: u64 = 1_793_491_200;

/// A machine described by a file in `fixtures/machines/`.
pub(crate) struct Machine {
    /// The name of the file, without its extension.
    pub(crate) name: String,
    /// Its header.
    header: BTreeMap<String, String>,
    entries: Vec<(String, Entry)>,
}

enum Entry {
    Text(String),
    Bytes(Vec<u8>),
    Link(String),
    Folder,
}

impl Machine {
    /// All machines, sorted by name.
    pub(crate) fn all() -> Vec<Self> {
        let entries = fs::read_dir(root("fixtures/machines")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".tree").map(str::to_owned))
            .collect();
        names.sort();
        names.iter().map(|name| Self::read(name)).collect()
    }

    /// The machines for reports, sorted by name.
    pub(crate) fn of_reports() -> Vec<Self> {
        let entries = fs::read_dir(root("fixtures/machines/report")).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".tree").map(|name| format!("report/{name}")))
            .collect();
        names.sort();
        names.iter().map(|name| Self::read(name)).collect()
    }

    /// The machine of this name.
    pub(crate) fn read(name: &str) -> Self {
        let mut machine = Self::read_alone(name);
        if let Some(below) = machine.header.get("over") {
            let mut entries = Self::read_alone(below).entries;
            entries.retain(|(path, _)| !machine.entries.iter().any(|(over, _)| over == path));
            machine.entries.extend(entries);
        }
        machine
    }

    fn read_alone(name: &str) -> Self {
        let text = fs::read_to_string(root(&format!("fixtures/machines/{name}.tree"))).unwrap();
        let (header, tree) = text.split_once("\n\n").unwrap();
        let word = |line: &str| {
            let (word, text) = line.strip_prefix("# ").unwrap().split_once(": ").unwrap();
            (word.to_owned(), text.to_owned())
        };
        let mut entries: Vec<(String, Entry)> = Vec::new();
        for line in tree.split_terminator('\n') {
            if let Some(content) = line.strip_prefix('\t') {
                let Some((_, Entry::Text(text))) = entries.last_mut() else { panic!("{line}") };
                text.push_str(content);
                text.push('\n');
            } else {
                entries.push(entry(line));
            }
        }
        Self { name: name.to_owned(), header: header.lines().map(word).collect(), entries }
    }

    pub(crate) fn verdict(&self) -> &str {
        &self.header["verdict"]
    }

    /// The expected findings, worst first.
    pub(crate) fn says(&self) -> Vec<&str> {
        self.header["says"].split(' ').filter(|id| *id != "nothing").collect()
    }

    /// Writes its files to a temporary directory.
    pub(crate) fn unpacked(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, entry) in &self.entries {
            let path = folder.path().join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            entry.write(&path);
        }
        folder
    }
}

impl Entry {
    fn write(&self, path: &Path) {
        match self {
            Self::Text(text) => write(path, text.as_bytes()),
            Self::Bytes(bytes) => write(path, bytes),
            Self::Link(target) => symlink(target, path).unwrap(),
            Self::Folder => fs::create_dir_all(path).unwrap(),
        }
    }
}

/// All files have the same modification time, and are readable for everybody.
fn write(path: &Path, bytes: &[u8]) {
    let mut file = fs::File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    file.set_permissions(fs::Permissions::from_mode(0o644)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(WRITTEN)).unwrap();
}

/// A path is followed by its text; ` -> ` makes a link, ` hex ` bytes, a trailing `/` a directory.
fn entry(line: &str) -> (String, Entry) {
    if let Some((path, target)) = line.split_once(" -> ") {
        (path.to_owned(), Entry::Link(target.to_owned()))
    } else if let Some((path, digits)) = line.split_once(" hex ") {
        let byte = |pair: &str| u8::from_str_radix(pair, 16).unwrap();
        (path.to_owned(), Entry::Bytes(digits.split(' ').map(byte).collect()))
    } else if let Some(path) = line.strip_suffix('/') {
        (path.to_owned(), Entry::Folder)
    } else {
        (line.to_owned(), Entry::Text(String::new()))
    }
}
