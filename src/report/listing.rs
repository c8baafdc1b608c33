//! Events, one a line: what was understood of the log.

use std::collections::BTreeSet;
use std::io;

use super::Report;
use super::time::moment;
use super::untrusted::Untrusted;
use super::width::{columns, left, right};
use crate::event::Observed;
use crate::value::Level;

/// Between two columns.
const GAP: &str = "  ";

/// Writes the name of an input over its list.
///
/// # Errors
/// What the writer returns.
pub fn heading(name: &str, first: bool, out: &mut impl io::Write) -> io::Result<()> {
    let gap = if first { "" } else { "\n" };
    writeln!(out, "{gap}== {} ==", Untrusted(name))
}

/// Writes all events as tables; those of several inputs have their names above. The last column is
/// never wrapped, so that an event is one line for `grep` and `less -S`.
///
/// # Errors
/// What the writer returns.
pub fn events_table(report: &Report, several: bool, out: &mut impl io::Write) -> io::Result<()> {
    for (at, part) in report.parts.iter().enumerate() {
        if several {
            heading(&part.name, at == 0, out)?;
        }
        let events = &part.log.events;
        let devices: BTreeSet<_> = events.iter().filter_map(|observed| observed.device).collect();
        // With one GPU its address says nothing, and takes the room of what does.
        if devices.len() > 1 {
            let rows: Vec<_> = events.iter().map(row).collect();
            write_columns(HEAD, &rows, out)?;
        } else {
            let without = |[line, time, level, _, event, means]: [String; 6]| {
                [line, time, level, event, means]
            };
            let rows: Vec<_> = events.iter().map(row).map(without).collect();
            write_columns(HEAD_OF_ONE, &rows, out)?;
        }
    }
    Ok(())
}

/// The columns, and whether they are numbers.
const HEAD: [(&str, bool); 6] = [
    ("line", true),
    ("time", true),
    ("level", false),
    ("device", false),
    ("event", false),
    ("means", false),
];

const HEAD_OF_ONE: [(&str, bool); 5] =
    [("line", true), ("time", true), ("level", false), ("event", false), ("means", false)];

fn row(observed: &Observed) -> [String; 6] {
    let unknown = || "-".to_owned();
    [
        observed.line().to_string(),
        moment(&observed.stamp).unwrap_or_else(unknown),
        observed.level.map_or("-", Level::name).to_owned(),
        observed.device.map_or_else(unknown, |device| device.to_string()),
        observed.event.kind().name().to_owned(),
        Untrusted(&observed.means).to_string(),
    ]
}

/// Writes rows under the heads of their columns; what is a number stands at the right of its own.
pub(super) fn write_columns<const N: usize>(
    head: [(&str, bool); N],
    rows: &[[String; N]],
    out: &mut impl io::Write,
) -> io::Result<()> {
    let mut widths = head.map(|(name, _)| name.len());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(columns(cell));
        }
    }
    let heads = head.map(|(name, _)| name.to_owned());
    for row in std::iter::once(&heads).chain(rows) {
        let cells = row.iter().zip(widths).zip(head).map(|((cell, width), (_, is_number))| {
            if is_number { right(cell, width) } else { left(cell, width) }
        });
        let line = cells.collect::<Vec<_>>().join(GAP);
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
