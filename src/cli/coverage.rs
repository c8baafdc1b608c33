//! `patterns coverage`: the catalogue of messages held against a kernel's source.

use super::args::{CoverageArguments, ListFormat};
use super::failure::Failure;
use super::streams::Streams;
use super::{Ending, patterns};
use crate::coverage::measure;
use crate::coverage::tree::Tree;
use crate::report::coverage;

pub(super) fn run(
    arguments: &CoverageArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&arguments.patterns)?;
    let tree = Tree::read(&arguments.kernel)
        .map_err(|lacks| Failure::NotAKernelTree { path: arguments.kernel.clone(), lacks })?;
    let measured = measure(&tree, &patterns);
    streams.write(|out| match arguments.format {
        ListFormat::Table => coverage::write(&measured, out),
        ListFormat::Ndjson => coverage::write_objects(&measured, &patterns.digest, out),
    })?;
    Ok(Ending::Fine)
}
