//! Loads the built-in and user pattern files; commands about them.

use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::args::{ListFormat, Listed, PatternCommand, PatternListArguments};
use super::failure::{Failure, plainly};
use super::streams::{Destination, Streams};
use super::{Ending, coverage, fixtures, lint, pages, why};
use crate::document::{Document, Section, Table};
use crate::kind::Kind;
use crate::pattern::Patterns;
use crate::pattern::source::{Mistake, SourceFile};
use crate::report::signatures;

/// Maximum depth of a directory of pattern files.
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
    let PatternListArguments { what, more, quiet, answer } = arguments;
    let to = Destination::of_answer(answer, &[])?;
    let patterns = loaded(&more.patterns)?;
    streams.write_to(to, |out| match answer.format() {
        ListFormat::Page(_) if *quiet => write_names(what.unwrap_or(Listed::All), &patterns, out),
        ListFormat::Page(format) => {
            let document = tables(what.unwrap_or(Listed::All), &patterns);
            pages::write(&document, format, false, answer.look(), out)
        }
        ListFormat::Ndjson => write_objects(what.unwrap_or(Listed::Signatures), &patterns, out),
    })?;
    Ok(Ending::Fine)
}

fn tables(what: Listed, patterns: &Patterns) -> Document {
    let table = |table: Table| Document::new(table.name.clone(), vec![table.into()]);
    match what {
        Listed::Signatures => table(signatures::signatures(patterns)),
        Listed::Advice => table(signatures::advice(patterns)),
        Listed::Kinds => table(signatures::kinds()),
        Listed::All => {
            let section =
                |table: Table| Section::new(table.name.clone(), vec![table.into()]).into();
            let tables = [
                signatures::signatures(patterns),
                signatures::advice(patterns),
                signatures::kinds(),
            ];
            Document::new("Pattern files", tables.map(section).to_vec())
        }
    }
}

fn write_objects(what: Listed, patterns: &Patterns, out: &mut dyn Write) -> io::Result<()> {
    match what {
        Listed::Signatures => signatures::write_objects(patterns, out),
        Listed::Advice => signatures::write_advice_objects(patterns, out),
        Listed::Kinds => signatures::write_kind_objects(patterns, out),
        Listed::All => {
            signatures::write_objects(patterns, out)?;
            signatures::write_advice_objects(patterns, out)?;
            signatures::write_kind_objects(patterns, out)
        }
    }
}

fn write_names(what: Listed, patterns: &Patterns, out: &mut dyn Write) -> io::Result<()> {
    let mut names: Vec<&str> = match what {
        Listed::Signatures => patterns.signatures.iter().map(|one| one.id.as_str()).collect(),
        Listed::Advice => patterns.advice.iter().map(|one| one.id.as_str()).collect(),
        Listed::Kinds => Kind::ALL.iter().map(|kind| kind.name()).collect(),
        Listed::All => {
            for what in [Listed::Signatures, Listed::Advice, Listed::Kinds] {
                write_names(what, patterns, out)?;
            }
            return Ok(());
        }
    };
    names.sort_unstable();
    names.iter().try_for_each(|name| writeln!(out, "{name}"))
}

/// The built-in patterns, extended by those of the machine, of the user's configuration and of
/// `folders`.
pub(super) fn loaded(folders: &[PathBuf]) -> Result<Patterns, Failure> {
    let patterns = crate::builtin::patterns();
    let standing = super::settings::pattern_folders();
    if folders.is_empty() && standing.is_empty() {
        return Ok(patterns);
    }
    let mut files = Vec::new();
    for folder in &standing {
        files.extend(files_of(folder)?);
    }
    files.extend(asked_files(folders)?);
    patterns.extended(&files).map_err(Failure::Patterns)
}

/// The same for a monitor, which goes on without what is wrong in the directories of the machine
/// and of the user, because nobody may be there to correct it. Returns why files were left out.
pub(super) fn loaded_without_broken(
    folders: &[PathBuf],
) -> Result<(Patterns, Vec<Failure>), Failure> {
    let mut left_out = Vec::new();
    let mut standing = Vec::new();
    for folder in super::settings::pattern_folders() {
        standing.append(&mut readable_files_of(&folder, &mut left_out));
    }
    let asked = asked_files(folders)?;
    let patterns = crate::builtin::patterns();
    loop {
        let files = [standing.as_slice(), asked.as_slice()].concat();
        if files.is_empty() {
            return Ok((patterns, left_out));
        }
        let mistakes = match patterns.extended(&files) {
            Ok(patterns) => return Ok((patterns, left_out)),
            Err(mistakes) => mistakes,
        };
        let is_in = |file: &SourceFile, mistake: &Mistake| mistake.path == file.path;
        let (theirs, others): (Vec<_>, Vec<_>) =
            mistakes.into_iter().partition(|one| standing.iter().any(|file| is_in(file, one)));
        if theirs.is_empty() {
            return Err(Failure::Patterns(others));
        }
        standing.retain(|file| !theirs.iter().any(|one| is_in(file, one)));
        left_out.push(Failure::Patterns(theirs));
    }
}

/// The pattern files of `--patterns`.
fn asked_files(folders: &[PathBuf]) -> Result<Vec<SourceFile>, Failure> {
    let mut files = Vec::new();
    for folder in folders {
        let found = files_of(folder)?;
        if found.is_empty() {
            let none = io::Error::new(io::ErrorKind::NotFound, "no .toml file is in it");
            return Err(Failure::PatternFolder { path: folder.clone(), source: none });
        }
        files.extend(found);
    }
    Ok(files)
}

/// The pattern files below `folder` that can be read, sorted by path.
fn readable_files_of(folder: &Path, left_out: &mut Vec<Failure>) -> Vec<SourceFile> {
    let failed = |source| Failure::PatternFolder { path: folder.to_owned(), source };
    let owner = fs::metadata(folder).map_err(failed).map(|found| found.uid());
    let (owner, paths) = match owner.and_then(|owner| Ok((owner, below(folder, "toml")?))) {
        Ok(found) => found,
        Err(failure) => {
            left_out.push(failure);
            return Vec::new();
        }
    };
    let mut files = Vec::new();
    for path in paths {
        match read(&path, owner) {
            Ok(file) => files.push(file),
            Err(source) => left_out.push(failed(source)),
        }
    }
    files
}

/// The pattern files below `folders`.
pub(super) fn files_below(folders: &[PathBuf]) -> Result<Vec<SourceFile>, Failure> {
    let files: Result<Vec<_>, _> = folders.iter().map(|folder| files_of(folder)).collect();
    Ok(files?.concat())
}

/// The pattern files below `folder`, sorted by path.
fn files_of(folder: &Path) -> Result<Vec<SourceFile>, Failure> {
    let failed = |source| Failure::PatternFolder { path: folder.to_owned(), source };
    let owner = fs::metadata(folder).map_err(failed)?.uid();
    let paths = below(folder, "toml")?;
    paths.iter().map(|path| read(path, owner)).collect::<io::Result<_>>().map_err(failed)
}

/// The files below `folder` with this extension, sorted by path.
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

/// Maximum size of a pattern file, in bytes.
const LARGEST: u64 = 8 << 20;

/// Reads a file. Errors show its lines, so the target of a link is read only if everybody may read
/// it or it belongs to the `owner` of the directory.
fn read(path: &Path, owner: u32) -> io::Result<SourceFile> {
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {}", path.display(), plainly(&error)))
    };
    let text = text_of(path, owner).map_err(named)?;
    Ok(SourceFile { path: path.display().to_string(), text })
}

#[allow(clippy::disallowed_methods, reason = "pattern files are settings, not input")]
fn text_of(path: &Path, owner: u32) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    let refused = |why: &str| Err(io::Error::other(why));
    if !found.is_file() {
        return refused("not a regular file");
    }
    if found.uid() != owner && !Mode::from_raw_mode(found.mode()).contains(Mode::ROTH) {
        return refused("a file of another user that not everybody may read");
    }
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return refused("larger than 8 MiB");
    }
    Ok(text)
}
