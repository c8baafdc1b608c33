//! The built-in patterns, those of a user's folders, and the commands about them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::args::{ListFormat, Listed, PatternCommand, PatternListArguments};
use super::failure::Failure;
use super::streams::Streams;
use super::{Ending, coverage, fixtures, lint, why};
use crate::pattern::Patterns;
use crate::pattern::source::SourceFile;
use crate::report::signatures;

/// How deep a folder of pattern files may be.
const DEPTH: usize = 8;

/// Runs a command about pattern files.
pub(super) fn run(command: &PatternCommand, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    match command {
        PatternCommand::List(arguments) => list(arguments, streams),
        PatternCommand::Explain(arguments) => why::run(arguments, streams),
        PatternCommand::Test(arguments) => fixtures::run(arguments, streams),
        PatternCommand::Lint(arguments) => lint::run(arguments, streams),
        PatternCommand::Coverage(arguments) => coverage::run(arguments, streams),
    }
}

fn list(arguments: &PatternListArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let patterns = loaded(&arguments.patterns)?;
    streams.write(|out| match (arguments.what, arguments.format) {
        (Listed::Signatures, ListFormat::Table) => signatures::write(&patterns, out),
        (Listed::Signatures, ListFormat::Ndjson) => signatures::write_objects(&patterns, out),
        (Listed::Advice, ListFormat::Table) => signatures::write_advice(&patterns, out),
        (Listed::Advice, ListFormat::Ndjson) => signatures::write_advice_objects(&patterns, out),
        (Listed::Kinds, ListFormat::Table) => signatures::write_kinds(out),
        (Listed::Kinds, ListFormat::Ndjson) => signatures::write_kind_objects(&patterns, out),
    })?;
    Ok(Ending::Fine)
}

/// The built-in patterns with those of the user's configuration folder and of `folders` added.
pub(super) fn loaded(folders: &[PathBuf]) -> Result<Patterns, Failure> {
    let patterns = crate::builtin::patterns();
    let own = super::settings::pattern_folder();
    if folders.is_empty() && own.is_none() {
        return Ok(patterns);
    }
    let mut files = Vec::new();
    for folder in own.iter().chain(folders) {
        let found = files_of(folder)?;
        if found.is_empty() {
            let none = io::Error::new(io::ErrorKind::NotFound, "no .toml file is in it");
            return Err(Failure::PatternFolder { path: folder.clone(), source: none });
        }
        files.extend(found);
    }
    patterns.extended(&files).map_err(Failure::Patterns)
}

/// The pattern files below `folders`.
pub(super) fn files_below(folders: &[PathBuf]) -> Result<Vec<SourceFile>, Failure> {
    let files: Result<Vec<_>, _> = folders.iter().map(|folder| files_of(folder)).collect();
    Ok(files?.concat())
}

/// The pattern files below `folder`, in the order of their paths.
fn files_of(folder: &Path) -> Result<Vec<SourceFile>, Failure> {
    let failed = |source| Failure::PatternFolder { path: folder.to_owned(), source };
    let paths = below(folder, "toml")?;
    paths.iter().map(|path| read(path)).collect::<io::Result<_>>().map_err(failed)
}

/// The files below `folder` whose names end in `extension`, in the order of their paths.
pub(super) fn below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Failure> {
    let failed = |source| Failure::PatternFolder { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    collect(folder, extension, DEPTH, &mut paths).map_err(failed)?;
    paths.sort();
    Ok(paths)
}

fn collect(
    folder: &Path,
    extension: &str,
    depth: usize,
    paths: &mut Vec<PathBuf>,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && depth > 0 {
            collect(&path, extension, depth - 1, paths)?;
        } else if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "pattern files are settings, not input")]
fn read(path: &Path) -> io::Result<SourceFile> {
    Ok(SourceFile { path: path.display().to_string(), text: fs::read_to_string(path)? })
}
