//! The built-in patterns, and those of a user's folders.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::pattern::Patterns;
use crate::pattern::source::SourceFile;

/// How deep a folder of pattern files may be.
const DEPTH: usize = 8;

/// The built-in patterns with those of the user's configuration folder and of `folders` added.
pub(super) fn loaded(folders: &[PathBuf]) -> Result<Patterns, Failure> {
    let mut patterns = crate::builtin::patterns();
    let own = super::settings::pattern_folder();
    if folders.is_empty() && own.is_none() {
        return Ok(patterns);
    }
    let mut files = Vec::new();
    for folder in own.iter().chain(folders) {
        let failed = |source| Failure::PatternFolder { path: folder.clone(), source };
        let mut paths = Vec::new();
        collect(folder, DEPTH, &mut paths).map_err(failed)?;
        if paths.is_empty() {
            return Err(failed(io::Error::new(io::ErrorKind::NotFound, "no .toml file is in it")));
        }
        paths.sort();
        for path in paths {
            files.push(read(&path).map_err(failed)?);
        }
    }
    patterns = patterns.extended(&files).map_err(Failure::Patterns)?;
    Ok(patterns)
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && depth > 0 {
            collect(&path, depth - 1, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "pattern files are settings, not input")]
fn read(path: &Path) -> io::Result<SourceFile> {
    Ok(SourceFile { path: path.display().to_string(), text: fs::read_to_string(path)? })
}
