//! Rows of a table, with the sender and time of a line.

use super::super::draft::Draft;
use super::super::flow::Time;
use super::super::passed::SkipReason;
use super::super::table::{Row, Table};
use super::super::{LogFormat, Origin, Visit};
use super::Reader;

/// Maximum number of bytes before the first separator of a row.
const FIRST_CELL: usize = 64;

impl Reader {
    /// Reads a line that is a row of a table, or its heading.
    pub(super) fn row(&mut self, number: u64, line: &str, visit: &mut impl Visit) -> bool {
        if self.options.only.is_some() {
            return false;
        }
        if let Some(table) = self.table.take() {
            let row = table.row(line);
            self.table = Some(table);
            if let Some(row) = row {
                self.take_row(number, &row, visit);
                return true;
            }
        }
        if self.form == LogFormat::Kmsg || !may_be_row(line) || self.envelope(line).is_some() {
            return false;
        }
        if let Some(table) = Table::headed(line) {
            self.table = Some(table);
            self.pass_over(number, line, SkipReason::ListHeader, visit);
            return true;
        }
        let begins = |cell: &str| {
            let prefixed =
                || self.envelope(cell).is_some_and(|inner| inner.origin == Origin::Kernel);
            visit.is_kernel_text(cell) || prefixed()
        };
        let Some(table) = Table::guessed(line, begins) else { return false };
        let Some(row) = table.row(line) else { return false };
        self.table = Some(table);
        self.take_row(number, &row, visit);
        true
    }

    fn take_row(&mut self, number: u64, row: &Row<'_>, visit: &mut impl Visit) {
        let text = row.text.trim_end();
        let draft = match self.envelope(text) {
            Some(inner) => Draft { time: both(inner.time, row.time), ..inner },
            None => match self.prefixed(text, visit) {
                Some(found) => combined(row, &found.draft()),
                None => combined(row, &Draft::bare(text)),
            },
        };
        self.enveloped(number, text, 0, draft, visit);
    }
}

/// Combines a line with the cells of its row.
fn combined<'a>(row: &'a Row<'_>, line: &Draft<&'a str>) -> Draft<&'a str> {
    let origin = match row.is_of_kernel() {
        Some(true) => Origin::Kernel,
        Some(false) => {
            Origin::Program { name: row.program.as_deref().unwrap_or_default(), pid: None }
        }
        None => line.origin,
    };
    Draft {
        form: LogFormat::Csv,
        time: both(line.time, row.time),
        origin,
        buffered: origin == Origin::Kernel || origin == Origin::Unstated,
        priority: row.priority().or(line.priority),
        host: row.host.as_deref(),
        ..*line
    }
}

/// The clocks of the text, and those of the row that the text does not have.
fn both(text: Time, row: Time) -> Time {
    Time { monotonic: text.monotonic.or(row.monotonic), wall: text.wall.or(row.wall), ..text }
}

/// Whether the first cell of a line is short and without a space after it, or quoted.
fn may_be_row(line: &str) -> bool {
    if line.starts_with('"') {
        return true;
    }
    let head = &line.as_bytes()[..line.len().min(FIRST_CELL)];
    let ends = |at: usize| line.as_bytes().get(at + 1).is_some_and(|byte| *byte != b' ');
    memchr::memchr3(b',', b';', b'\t', head).is_some_and(ends)
}
