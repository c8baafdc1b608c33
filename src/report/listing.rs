//! Events, one a line: what was understood of the log.

use std::io;

use comfy_table::{ContentArrangement, Table, presets};

use super::Report;
use super::untrusted::Untrusted;

/// Writes the name of an input over its list.
///
/// # Errors
/// What the writer returns.
pub fn heading(name: &str, first: bool, out: &mut impl io::Write) -> io::Result<()> {
    let gap = if first { "" } else { "\n" };
    writeln!(out, "{gap}== {} ==", Untrusted(name))
}

/// Writes all events as tables of `width` columns; those of several inputs have their names above.
///
/// # Errors
/// What the writer returns.
pub fn events_table(
    report: &Report,
    several: bool,
    width: u16,
    out: &mut impl io::Write,
) -> io::Result<()> {
    for (at, part) in report.parts.iter().enumerate() {
        if several {
            heading(&part.name, at == 0, out)?;
        }
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
