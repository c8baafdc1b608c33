//! What a value means, for people and for programs.

use std::io;

use owo_colors::Style;
use serde::Serialize;

use super::json::{Head, whole};
use super::page::Page;
use crate::document::terminal::Look;
use crate::document::untrusted::Untrusted;
use crate::decode::{Detail, Reading};

/// What a value can mean.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Decode"))]
pub(super) struct DecodeDocument<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    /// The value, as it was given.
    value: &'r str,
    /// The ways to read it, the likeliest first.
    readings: &'r [Reading],
}

/// Writes one JSON document; `patterns` is the digest of the patterns.
pub(crate) fn write_json(
    value: &str,
    readings: &[Reading],
    patterns: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    whole(&DecodeDocument { head: Head::new(patterns), value, readings }, out)
}

/// More readings than this are shown without notes and sources.
const MANY: usize = 4;

/// Writes the readings, one below the other.
pub(crate) fn write(readings: &[Reading], look: Look, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(look);
    let many = readings.len() > MANY;
    if readings.len() > 1 {
        let more = if many { " and says more of it" } else { "" };
        let count = readings.len();
        let text =
            format!("This can be {count} things, the likeliest first; --as picks one{more}.");
        page.prose("", &text);
    }
    for reading in readings {
        page.gap();
        page.painted(&reading.summary, Style::new().bold());
        page.prose("  kind     ", reading.kind.name());
        if let Some(assumes) = &reading.assumes {
            page.prose("  assumes  ", assumes);
        }
        parts(&mut page, &reading.fields);
        if many {
            continue;
        }
        for note in &reading.notes {
            page.prose("  note     ", note);
        }
        page.prose("  source   ", &reading.source);
    }
    out.write_all(page.text().as_bytes())
}

/// The least room for a text beside its value.
const ROOM: usize = 24;

/// Parts as a table: bits, name, value, what it means. A value without a meaning has the room of
/// both.
fn parts(page: &mut Page, parts: &[Detail]) {
    let cell = |text: &str| Untrusted(text).to_string();
    let rows: Vec<[String; 4]> = parts
        .iter()
        .map(|part| {
            let (value, text) = match &part.text {
                Some(text) => (part.value.as_str(), text.as_str()),
                None => ("", part.value.as_str()),
            };
            [part.bits.as_deref().unwrap_or_default(), &part.name, value, text].map(cell)
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths = [0, 1, 2].map(|column| width(column).unwrap_or_default());
    for [bits, name, value, text] in &rows {
        let mut first = String::from("  ");
        let alone = value.is_empty();
        let columns = [bits, name, value].into_iter().zip(widths);
        for (cell, width) in columns.take(if alone { 2 } else { 3 }).filter(|(_, width)| *width > 0)
        {
            let gap = " ".repeat(width.saturating_sub(cell.chars().count()) + 2);
            first.push_str(cell);
            first.push_str(&gap);
        }
        if usize::from(page.look.width) >= first.chars().count() + ROOM {
            page.prose(&first, text);
        } else {
            page.prose("  ", &first);
            page.prose("      ", text);
        }
    }
}
