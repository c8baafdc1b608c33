//! `patterns test`: runs the fixtures of pattern files.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::args::TestArguments;
use super::failure::Failure;
use super::streams::{Destination, Messages, Streams};
use super::{Ending, pages, patterns, settings};
use crate::diagnosis::conclusions;
use crate::event::log::Log;
use crate::fixture::{Fixture, Said};
use crate::input::{self, InputError, Lines};
use crate::lint::Proof;
use crate::pattern::Patterns;
use crate::record::Options;
use crate::report::fixtures::{Failed, document};

pub(super) fn run(arguments: &TestArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let answer = &arguments.answer;
    let to = Destination::of_answer(answer, &arguments.folders)?;
    streams.messages.set_quiet(arguments.quiet.quiet);
    let folders = match arguments.folders.as_slice() {
        [] => vec![settings::pattern_folder().ok_or(Failure::NoPatternFolder)?],
        folders => folders.to_vec(),
    };
    let files = patterns::files_below(&folders)?;
    let patterns = crate::builtin::patterns().extended(&files).map_err(Failure::Patterns)?;
    let Fixtures { proofs, passed_over, complete } = proofs(&folders, &mut streams.messages)?;
    if proofs.is_empty() && complete {
        return Err(Failure::NoFixtures { path: folders.into_iter().next().unwrap_or_default() });
    }
    let mut all_failed = Vec::new();
    for proof in &proofs {
        let failed = Failed {
            path: &proof.path,
            differences: proof.fixture.differences(&actual_result(
                &proof.fixture,
                &proof.path,
                &patterns,
            )?),
            named: proof.disagreement(&patterns.signatures),
        };
        if failed.is_any() {
            all_failed.push(failed);
        }
    }
    let document = document(&all_failed, proofs.len(), passed_over);
    let quiet = arguments.quiet.quiet;
    streams
        .write_to(to, |out| pages::write(&document, answer.format(), quiet, answer.look(), out))?;
    Ok(Ending::of(complete, !all_failed.is_empty()))
}

fn actual_result(fixture: &Fixture, path: &str, patterns: &Patterns) -> Result<Said, Failure> {
    let options = Options { reference: settings::saved(None).local, ..Options::default() };
    let mut lines = Lines::new(fixture.log.as_slice());
    let mut log = Log::read(&mut lines, options, patterns)
        .map_err(|error| InputError::from_read(path, error))?;
    fixture.assume_chip(&mut log, &patterns.hardware);
    Ok(Said::of(&conclusions(&log, patterns)))
}

/// The fixtures in directories.
pub(super) struct Fixtures {
    pub(super) proofs: Vec<Proof>,
    /// The number of logs without a header.
    pub(super) passed_over: usize,
    /// False if some could not be read.
    pub(super) complete: bool,
}

/// All fixtures below `folders`. Invalid ones are reported and skipped.
pub(super) fn proofs(
    folders: &[PathBuf],
    messages: &mut Messages<'_>,
) -> Result<Fixtures, Failure> {
    let mut found = Fixtures { proofs: Vec::new(), passed_over: 0, complete: true };
    for folder in folders {
        for path in patterns::below(folder, "log")? {
            match proof(&path) {
                Ok(Some(proof)) => found.proofs.push(proof),
                Ok(None) => found.passed_over += 1,
                Err(failure) => {
                    found.complete = false;
                    messages.tell(&failure);
                }
            }
        }
    }
    Ok(found)
}

fn proof(path: &Path) -> Result<Option<Proof>, Failure> {
    let mut bytes = Vec::new();
    input::each(path, &mut |found| {
        let source = found.source?;
        let name = source.name.clone();
        let mut reader = source.reader;
        reader.read_to_end(&mut bytes).map_err(|error| InputError::from_read(&name, error))?;
        Ok::<(), Failure>(())
    })?;
    let mistake = |what| Failure::Fixture { path: path.to_owned(), what };
    let name = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let fixture = Fixture::read(&bytes).map_err(mistake)?;
    Ok(fixture.map(|fixture| Proof {
        path: path.display().to_string(),
        folder: name(path.parent().and_then(Path::file_name)),
        file: name(path.file_name()),
        fixture,
    }))
}
