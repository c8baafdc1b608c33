//! `patterns lint`: what is wrong with pattern files that load.

use std::io::Write;

use super::args::{LintArguments, ListFormat};
use super::failure::Failure;
use super::{Ending, fixtures, patterns};
use crate::lint::{Subject, findings, place};
use crate::report::lint::{Located, write, write_objects};

pub(super) fn run(
    arguments: &LintArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let folders = &arguments.folders;
    let builtin = crate::builtin::patterns();
    let mut files = Vec::new();
    for folder in folders {
        files.extend(patterns::files_of(folder)?);
    }
    let patterns = builtin.extended(&files).map_err(Failure::Patterns)?;
    let own = !folders.is_empty();
    let found = fixtures::proofs(folders, messages)?;
    let subject = Subject {
        patterns: &patterns,
        known_signatures: if own { builtin.signatures.len() } else { 0 },
        known_advice: if own { builtin.advice.len() } else { 0 },
        proofs: own.then_some(found.proofs.as_slice()),
    };
    let mut told: Vec<Located> = findings(&subject)
        .into_iter()
        .map(|finding| Located { place: place(&finding, &files), finding })
        .collect();
    // Stable: what has no place keeps its order.
    told.sort_by(|a, b| a.place.cmp(&b.place));
    let written = match arguments.format {
        ListFormat::Table => write(&told, subject.signatures().len(), out),
        ListFormat::Ndjson => write_objects(&told, out),
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(match (found.complete, told.is_empty()) {
        (false, _) => Ending::CouldNot,
        (true, true) => Ending::Fine,
        (true, false) => Ending::FailureFound,
    })
}
