//! `patterns lint`: likely mistakes in pattern files.

use super::args::{LintArguments, ListFormat};
use super::failure::Failure;
use super::streams::{Destination, Streams};
use super::{Ending, fixtures, pages, patterns};
use crate::lint::{Subject, findings, place};
use crate::report::lint::{Located, document, write_objects};

pub(super) fn run(arguments: &LintArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    streams.messages.set_quiet(arguments.quiet.quiet);
    let folders = &arguments.folders;
    let builtin = crate::builtin::patterns();
    let files = patterns::files_below(folders)?;
    let patterns = builtin.extended(&files).map_err(Failure::Patterns)?;
    let own = !folders.is_empty();
    let found = fixtures::proofs(folders, &mut streams.messages)?;
    // User files may have replaced or silenced some.
    let kept = builtin.signatures.iter().filter(|old| patterns.signatures.contains(old)).count();
    let subject = Subject {
        patterns: &patterns,
        known_signatures: if own { kept } else { 0 },
        known_advice: if own { builtin.advice.len() } else { 0 },
        proofs: own.then_some(found.proofs.as_slice()),
    };
    let mut told: Vec<Located> = findings(&subject)
        .into_iter()
        .map(|finding| Located { place: place(&finding, &files), finding })
        .collect();
    // The sort is stable: findings without a location keep their order.
    told.sort_by(|a, b| a.place.cmp(&b.place));
    let signatures = subject.signatures().len();
    let answer = &arguments.answer;
    let to = Destination::of_answer(answer, folders)?;
    streams.write_to(to, |out| match answer.format() {
        ListFormat::Page(format) => {
            pages::write(&document(&told, signatures), format, false, answer.look(), out)
        }
        ListFormat::Ndjson => write_objects(&told, signatures, &patterns.digest, out),
    })?;
    Ok(Ending::of(found.complete, !told.is_empty()))
}
