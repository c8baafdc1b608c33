//! An answer in the form that was asked for.

use std::io::{self, Write};

use super::args::Format;
use crate::document::terminal::Look;
use crate::document::{Document, html, line, markdown, terminal};

/// Writes `document`; of one for people, where that is asked for, only what answers.
pub(super) fn write(
    document: &Document,
    format: Format,
    quiet: bool,
    look: Look,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Human if quiet => line::write(document, out),
        Format::Human => terminal::write(document, look, out),
        Format::Markdown => markdown::write(document, out),
        Format::Html => html::write(document, out),
        Format::Json
        | Format::Ndjson
        | Format::Toml
        | Format::Prometheus
        | Format::Parquet
        | Format::Arrow => format.is_refused(),
    }
}
