//! `patterns coverage`: the catalogue of messages held against a kernel's source.

use std::io::Write;

use super::args::{CoverageArguments, ListFormat};
use super::failure::Failure;
use super::{Ending, patterns};
use crate::coverage::measure;
use crate::coverage::tree::Tree;
use crate::report::coverage;

pub(super) fn run(arguments: &CoverageArguments, out: &mut impl Write) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&arguments.patterns)?;
    let tree = Tree::read(&arguments.kernel)
        .map_err(|lacks| Failure::NotAKernelTree { path: arguments.kernel.clone(), lacks })?;
    let measured = measure(&tree, &patterns);
    let written = match arguments.format {
        ListFormat::Table => coverage::write(&measured, out),
        ListFormat::Ndjson => coverage::write_objects(&measured, out),
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(Ending::Fine)
}
