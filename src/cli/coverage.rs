//! `patterns coverage`: compares the catalogue of messages with a kernel's source.

use super::args::{CoverageArguments, DraftFormat};
use super::failure::Failure;
use super::streams::{Destination, Streams};
use super::{Ending, pages, patterns};
use crate::coverage::measure;
use crate::coverage::tree::Tree;
use crate::report::coverage;

pub(super) fn run(
    arguments: &CoverageArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    streams.messages.set_quiet(arguments.quiet.quiet);
    let patterns = patterns::loaded(&arguments.more.patterns)?;
    let tree = Tree::read(&arguments.kernel)
        .map_err(|lacks| Failure::NotAKernelTree { path: arguments.kernel.clone(), lacks })?;
    let measured = measure(&tree, &patterns);
    let answer = &arguments.answer;
    let to = Destination::of_answer(answer, std::slice::from_ref(&arguments.kernel))?;
    streams.write_to(to, |out| match answer.format() {
        DraftFormat::Page(format) => {
            pages::write(&coverage::document(&measured), format, false, answer.look(), out)
        }
        DraftFormat::Ndjson => coverage::write_objects(&measured, &patterns.digest, out),
        DraftFormat::Toml => {
            let taken = patterns.messages.iter().map(|message| message.id.as_str());
            coverage::write_drafts(&measured, taken, out)
        }
    })?;
    Ok(Ending::Fine)
}
