//! The result of `decode`, for people and programs.

use crate::document::{Block, Column, Document, Section, Table, Text, facts, prose};
use std::io;

use serde::Serialize;

use super::json::{Head, whole};
use crate::decode::{Detail, Interpretation};

/// The possible meanings of a value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Decode"))]
pub(super) struct DecodeDocument<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    /// The value, as it was given.
    value: &'r str,
    /// The possible readings, most likely first.
    readings: &'r [Interpretation],
}

/// Writes one JSON document; `patterns` is the digest of the patterns.
pub(crate) fn write_json(
    value: &str,
    readings: &[Interpretation],
    patterns: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    whole(&DecodeDocument { head: Head::new(patterns), value, readings }, out)
}

/// Above this number, readings are shown without notes and sources.
const MANY: usize = 4;

/// The readings, one after the other.
pub(crate) fn document(readings: &[Interpretation]) -> Document {
    let many = readings.len() > MANY;
    let more = if many { " and shows more of it" } else { "" };
    // The option for the kind does not help if all readings have the same kind.
    let one_kind = readings.windows(2).all(|pair| pair[0].kind == pair[1].kind);
    let next = if one_kind {
        ": each says what it assumes.".to_owned()
    } else {
        format!("; amdtriage decode --as KIND picks one{more}.")
    };
    let count = readings.len();
    let several = (count > 1)
        .then(|| prose(format!("This can be {count} things, the likeliest first{next}")));
    let each = readings.iter().map(|reading| self::reading(reading, many));
    let blocks = several.into_iter().chain(each).collect();
    let title = readings.first().map_or("", |reading| &*reading.summary);
    Document::new(title, blocks)
}

fn reading(reading: &Interpretation, many: bool) -> Block {
    let kind = Some(("kind", reading.kind.name().to_owned()));
    let assumes = reading.assumes.clone().map(|assumes| ("assumes", assumes));
    let notes = reading.notes.iter().filter(|_| !many).map(|note| ("note", note.clone()));
    let source = (!many).then(|| ("source", reading.source.clone()));
    let body = vec![
        facts(kind.into_iter().chain(assumes)),
        parts(&reading.fields),
        facts(notes.chain(source)),
    ];
    Section::new(&*reading.summary, body).into()
}

/// Parts as a table: bits, name, value, meaning.
fn parts(parts: &[Detail]) -> Block {
    let row = |part: &Detail| {
        let (value, text) = match &part.text {
            Some(text) => (part.value.as_str(), text.as_str()),
            None => ("", part.value.as_str()),
        };
        let cells = [part.bits.as_deref().unwrap_or_default(), &part.name, value, text];
        cells.map(Text::from).to_vec()
    };
    let columns = ["", "", "", ""].map(Column::words).to_vec();
    let rows = parts.iter().map(row).collect();
    Table { name: "Parts".to_owned(), columns, rows, one_line: false }.into()
}
