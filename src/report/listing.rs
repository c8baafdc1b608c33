//! Records and events, one a line: the log as it was read, and what was understood of it.

use std::io;

use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use super::Report;
use super::time::{Time, wall};
use super::untrusted::Untrusted;
use crate::record::{Origin, Record};

#[derive(Serialize)]
struct RecordObject<'r> {
    line: u64,
    time: Time,
    level: Option<&'static str>,
    from_kernel: bool,
    source: Option<&'r str>,
    message: &'r str,
}

/// Writes one record as a JSON object on a line.
///
/// # Errors
/// What the writer returns.
pub fn record_ndjson(record: &Record<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let object = RecordObject {
        line: record.line,
        time: Time::printed(&record.stamp),
        level: record.level.map(crate::value::Level::name),
        from_kernel: record.buffered,
        source: source(record),
        message: record.message,
    };
    super::json::line(&object, out)
}

/// Writes one record for people.
///
/// # Errors
/// What the writer returns.
pub fn record_text(record: &Record<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let time = record.stamp.monotonic.map(|time| time.to_string()).or_else(|| wall(&record.stamp));
    let source = source(record).unwrap_or("-");
    let level = record.level.map_or("-", crate::value::Level::name);
    writeln!(
        out,
        "{:>6}  {:>16}  {:<9}  {}: {}",
        record.line,
        time.as_deref().unwrap_or("-"),
        level,
        Untrusted(source),
        Untrusted(record.message)
    )
}

fn source<'r>(record: &Record<'r>) -> Option<&'r str> {
    match record.origin {
        Origin::Kernel => Some("kernel"),
        Origin::Program { name, .. } => Some(name),
        Origin::Unstated => None,
    }
}

/// Writes all events as a table of `width` columns.
///
/// # Errors
/// What the writer returns.
pub fn events_table(report: &Report, width: u16, out: &mut impl io::Write) -> io::Result<()> {
    for part in &report.parts {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width)
            .set_header(["line", "time", "device", "event", "means"]);
        for observed in &part.log.events {
            table.add_row([
                observed.line().to_string(),
                observed.stamp.monotonic.map_or_else(|| "-".to_owned(), |time| time.to_string()),
                observed.device.map_or_else(|| "-".to_owned(), |device| device.to_string()),
                observed.event.kind().name().to_owned(),
                Untrusted(&observed.means).to_string(),
            ]);
        }
        for line in table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
    }
    Ok(())
}
