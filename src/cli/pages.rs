//! Writes an answer in the requested format.

use std::io::{self, Write};

use super::args::PageFormat;
use crate::document::terminal::Look;
use crate::document::{Document, html, line, markdown, terminal};

/// Writes `document`; for people, optionally only the result.
pub(super) fn write(
    document: &Document,
    format: PageFormat,
    quiet: bool,
    look: Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        PageFormat::Human if quiet => line::write(document, out),
        PageFormat::Human => terminal::write(document, look, out),
        PageFormat::Markdown => markdown::write(document, out),
        PageFormat::Html => html::write(document, out),
    }
}
