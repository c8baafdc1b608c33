//! Tables that are written as they come, so that a list of any length needs little memory.

use std::io;

use super::Look;
use super::cell::Cell;
use super::rows::Layout;
use crate::document::{Column, Text};

/// Rows that are collected before the first is written, to determine the widths of columns.
const LOOK_AHEAD: usize = 256;
/// Maximum width of a column of a table that is written as it comes.
const WIDEST: usize = 32;

/// A table that is written as it comes. The widths of its columns come from the first rows, and
/// grow.
pub(crate) struct RowStream<'o> {
    layout: Layout<'static>,
    waiting: Vec<Vec<Cell>>,
    /// Whether the first rows were written.
    begun: bool,
    out: &'o mut dyn io::Write,
}

impl<'o> RowStream<'o> {
    pub(crate) fn new(columns: &'static [Column], look: Look, out: &'o mut dyn io::Write) -> Self {
        Self { layout: Layout::new(columns, look), waiting: Vec::new(), begun: false, out }
    }

    pub(crate) fn add(&mut self, row: impl IntoIterator<Item = Text>) -> io::Result<()> {
        let cells = self.layout.cells(row);
        self.layout.widen(&cells, WIDEST);
        if self.begun {
            return self.write(&cells);
        }
        self.waiting.push(cells);
        if self.waiting.len() < LOOK_AHEAD { Ok(()) } else { self.begin() }
    }

    fn write(&mut self, cells: &[Cell]) -> io::Result<()> {
        self.layout.lines_of(cells).iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }

    /// Writes the titles and the collected rows.
    fn begin(&mut self) -> io::Result<()> {
        self.begun = true;
        let waiting = std::mem::take(&mut self.waiting);
        let titles = if waiting.is_empty() { Vec::new() } else { self.layout.titles() };
        titles.iter().try_for_each(|line| writeln!(self.out, "{line}"))?;
        waiting.iter().try_for_each(|cells| self.write(cells))
    }

    /// Writes what was collected; what is written to the result follows the table.
    pub(crate) fn finish(&mut self) -> io::Result<&mut dyn io::Write> {
        if !self.begun {
            self.begin()?;
        }
        Ok(&mut *self.out)
    }
}
