//! The files of a kernel source tree that contain messages of the driver and the subsystems below
//! it.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::value::KernelVersion;

/// The directories, and whether their subdirectories are read, too.
const FOLDERS: [(&str, bool); 6] = [
    ("drivers/gpu/drm", false),
    ("drivers/gpu/drm/amd", true),
    ("drivers/gpu/drm/clients", true),
    ("drivers/gpu/drm/display", true),
    ("drivers/gpu/drm/scheduler", true),
    ("drivers/gpu/drm/ttm", true),
];
/// The directory that must exist.
pub(crate) const DRIVER: &str = "drivers/gpu/drm/amd";
/// Directories that print nothing in a user's log: register names, and kernel tests.
const LEFT_OUT: [&str; 2] = ["asic_reg", "tests"];
/// Maximum size of a file in bytes; larger than any file of the driver outside [`LEFT_OUT`].
pub(super) const LARGEST_FILE: u64 = 8 << 20;
/// Maximum size of all files together, in bytes.
const LARGEST_TREE: u64 = 512 << 20;
pub(super) const DEEPEST: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Its path from the root of the tree, with slashes.
    pub path: String,
    /// Its text; invalid UTF-8 is replaced.
    pub text: String,
}

impl File {
    /// Whether it is a header.
    pub(crate) fn is_header(&self) -> bool {
        extension(&self.path) == Some("h")
    }
}

fn extension(path: &str) -> Option<&str> {
    Path::new(path).extension()?.to_str()
}

/// A file or folder that was not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "UnreadSource"))]
pub(crate) struct Unread {
    /// Its path from the tree's root.
    pub path: String,
    /// Why, in a few words.
    pub why: String,
}

impl Unread {
    pub(super) fn new(path: &str, error: &io::Error) -> Self {
        Self { path: path.to_owned(), why: error.to_string() }
    }
}

/// The relevant part of a kernel source tree.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Its directory.
    pub root: PathBuf,
    /// The kernel's version.
    pub version: KernelVersion,
    /// The files, sorted by path.
    pub files: Vec<File>,
    /// What could not be read.
    pub unread: Vec<Unread>,
}

/// Why a directory is not a kernel source tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotATree {
    /// It is not a directory.
    #[error("no such directory")]
    Folder,
    /// The kernel's version is missing.
    #[error("it has no Makefile with VERSION and PATCHLEVEL")]
    Version,
    /// The driver is missing.
    #[error("it has no drivers/gpu/drm/amd")]
    Driver,
}

impl Tree {
    /// Reads the tree below `root`. Fails if it is not a kernel source tree. Files that cannot be
    /// read are only listed.
    pub(crate) fn read(root: &Path) -> Result<Self, NotATree> {
        if !root.is_dir() {
            return Err(NotATree::Folder);
        }
        let makefile = text(&root.join("Makefile"), LARGEST_FILE).map_err(|_| NotATree::Version)?;
        let version = version(&makefile).ok_or(NotATree::Version)?;
        if !root.join(DRIVER).is_dir() {
            return Err(NotATree::Driver);
        }
        let mut reading =
            TreeScan { root, files: Vec::new(), unread: Vec::new(), left: LARGEST_TREE };
        for (folder, deep) in FOLDERS {
            // Other directories may be missing.
            if root.join(folder).is_dir() {
                reading.folder(folder, if deep { DEEPEST } else { 0 });
            }
        }
        let TreeScan { mut files, mut unread, .. } = reading;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        unread.sort();
        Ok(Self { root: root.to_owned(), version, files, unread })
    }
}

/// Whether a path is in one of the directories that are read.
pub(crate) fn is_read(path: &str) -> bool {
    FOLDERS.iter().any(|(folder, deep)| {
        let inside = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        inside.is_some_and(|inside| *deep || !inside.contains('/'))
    })
}

/// Whether a directory prints nothing in a user's log.
pub(super) fn is_left_out(folder: &str) -> bool {
    LEFT_OUT.iter().any(|name| folder.rsplit('/').next() == Some(name))
}

/// Whether a file contains C.
pub(super) fn is_code(path: &str) -> bool {
    matches!(extension(path), Some("c" | "h"))
}

/// The directory for counting a file; each part of the driver is counted separately.
pub(crate) fn folder(path: &str) -> &str {
    let folder = path.rfind('/').map_or("", |end| &path[..end]);
    let of_driver = folder.strip_prefix(DRIVER).and_then(|rest| rest.strip_prefix('/'));
    if let Some(part) = of_driver.and_then(|rest| rest.split('/').next()) {
        return &folder[..=DRIVER.len() + part.len()];
    }
    let deep = FOLDERS.iter().filter(|(_, deep)| *deep).map(|(name, _)| *name);
    let of_folder =
        |name: &str| folder.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    deep.into_iter().find(|name| of_folder(name)).unwrap_or(folder)
}

struct TreeScan<'r> {
    root: &'r Path,
    files: Vec<File>,
    unread: Vec<Unread>,
    /// The number of bytes that may still be read.
    left: u64,
}

impl TreeScan<'_> {
    /// Reads the C files of a directory without following links, so that there are no cycles.
    fn folder(&mut self, folder: &str, depth: usize) {
        let entries = match fs::read_dir(self.root.join(folder)) {
            Ok(entries) => entries,
            Err(error) => return self.unread(folder, &error.to_string()),
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return self.unread(folder, &error.to_string()),
            };
            let name = entry.file_name();
            let path = format!("{folder}/{}", name.to_string_lossy());
            let is_code = is_code(&path);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if depth > 0 && !is_left_out(&path) {
                        self.folder(&path, depth - 1);
                    }
                }
                Ok(kind) if kind.is_file() && is_code => self.file(path, &entry.path()),
                Ok(kind) if is_code && kind.is_symlink() => self.unread(&path, "a symbolic link"),
                Ok(_) => {}
                Err(error) => self.unread(&path, &error.to_string()),
            }
        }
    }

    fn file(&mut self, path: String, place: &Path) {
        match text(place, LARGEST_FILE.min(self.left)) {
            Ok(text) => {
                self.left = self.left.saturating_sub(text.len() as u64);
                self.files.push(File { path, text });
            }
            Err(error) => self.unread(&path, &error.to_string()),
        }
    }

    fn unread(&mut self, path: &str, why: &str) {
        self.unread.push(Unread { path: path.to_owned(), why: why.to_owned() });
    }
}

#[allow(clippy::disallowed_methods, reason = "a kernel's source is no log")]
pub(super) fn text(path: &Path, limit: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("larger than {} MiB", limit >> 20)));
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// The version in the top-level Makefile of a kernel.
fn version(makefile: &str) -> Option<KernelVersion> {
    let value = |name: &str| {
        let values = makefile.lines().filter_map(|line| line.split_once('='));
        let value =
            values.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim()).next();
        value.filter(|value| !value.is_empty())
    };
    let patch = value("SUBLEVEL").unwrap_or("0");
    format!("{}.{}.{patch}", value("VERSION")?, value("PATCHLEVEL")?).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_makefile_has_the_version() {
        let text = "# SPDX\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 3\nNAME = x\nifeq (a, b)\n";
        assert_eq!(version(text).map(|version| version.to_string()).as_deref(), Some("6.12.3"));
        for bad in
            ["", "VERSION = 6\n", "VERSION = six\nPATCHLEVEL = 1\n", "VERSION =\nPATCHLEVEL = 1"]
        {
            assert_eq!(version(bad), None, "{bad}");
        }
    }

    #[test]
    fn paths_are_counted_in_their_folder() {
        for (path, want) in [
            ("drivers/gpu/drm/drm_drv.c", "drivers/gpu/drm"),
            ("drivers/gpu/drm/amd/pm/swsmu/smu_cmn.c", "drivers/gpu/drm/amd/pm"),
            ("drivers/gpu/drm/amd/amdgpu/amdgpu_job.c", "drivers/gpu/drm/amd/amdgpu"),
            ("drivers/gpu/drm/ttm/ttm_bo.c", "drivers/gpu/drm/ttm"),
            ("drivers/gpu/drm/display/a/b.c", "drivers/gpu/drm/display"),
        ] {
            assert!(is_read(path), "{path}");
            assert_eq!(folder(path), want, "{path}");
        }
        for path in ["drivers/gpu/drm/xe/xe_device.c", "drivers/gpu/drm", "kernel/hung_task.c", ""]
        {
            assert!(!is_read(path), "{path}");
        }
    }
}
