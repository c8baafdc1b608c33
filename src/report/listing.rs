//! The list of events.

use std::collections::BTreeSet;
use std::io;

use super::Report;
use super::time::moment;
use crate::document::untrusted::Untrusted;
use crate::document::width::{columns, left, right};
use crate::event::Observed;
use crate::value::Level;

/// The gap between two columns.
const GAP: &str = "  ";

/// Writes the name of an input above its list.
pub(crate) fn heading(name: &str, first: bool, out: &mut dyn io::Write) -> io::Result<()> {
    let gap = if first { "" } else { "\n" };
    writeln!(out, "{gap}== {} ==", Untrusted(name))
}

/// Writes all events as tables, with a heading for each of several inputs. The last column is never
/// wrapped, so that an event is one line for `grep` and `less -S`.
pub(crate) fn events_table(
    report: &Report,
    several: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    for (at, part) in report.parts.iter().enumerate() {
        if several {
            heading(&part.name, at == 0, out)?;
        }
        let events = &part.log.events;
        let devices: BTreeSet<_> = events.iter().filter_map(|observed| observed.device).collect();
        let rows = events.iter().map(row);
        // With one GPU its address is redundant.
        if devices.len() > 1 {
            let head = [">line", ">time", "level", "device", "event", "means"];
            write_columns(head, rows, out)?;
        } else {
            let rows =
                rows.map(|[line, time, level, _, event, means]| [line, time, level, event, means]);
            write_columns([">line", ">time", "level", "event", "means"], rows, out)?;
        }
    }
    Ok(())
}

fn row(observed: &Observed) -> [String; 6] {
    let unknown = || "-".to_owned();
    [
        observed.line().to_string(),
        moment(&observed.stamp).unwrap_or_else(unknown),
        observed.level.map_or("-", Level::name).to_owned(),
        observed.device.map_or_else(unknown, |device| device.to_string()),
        observed.event.kind().name().to_owned(),
        Untrusted(&observed.means()).to_string(),
    ]
}

/// Writes rows with headings. A heading that begins with `>` is of a column of numbers, which are
/// aligned to the right.
pub(super) fn write_columns<const N: usize>(
    heads: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let names = heads.map(|head| head.trim_start_matches('>').to_owned());
    let rows: Vec<[String; N]> = std::iter::once(names).chain(rows).collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = columns(cell).max(*width);
        }
    }
    for row in &rows {
        let cells = row.iter().zip(widths).zip(heads).map(|((cell, width), head)| {
            if head.starts_with('>') { right(cell, width) } else { left(cell, width) }
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
