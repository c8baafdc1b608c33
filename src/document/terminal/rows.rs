//! Rows of a table that are never wrapped: one line each, of any length. They can be written as
//! they come, so that a list of any length needs little memory.

use std::io;

use super::{Look, painted};
use crate::document::width::{self, columns};
use crate::document::{Column, Piece, Text, Tone, untrusted::Untrusted};

/// Rows that are collected before the first is written, to determine the widths of columns.
const LOOK_AHEAD: usize = 256;
/// Maximum width of a column of a table that is written as it comes.
const WIDEST: usize = 32;
/// The gap between two columns.
const GAP: &str = "  ";

/// A cell as it is shown.
pub(super) struct Cell {
    shown: String,
    /// Its width in columns; colours have none.
    width: usize,
}

impl Cell {
    pub(super) fn new(text: &Text, look: Look) -> Self {
        let mut cell = Self { shown: String::new(), width: 0 };
        for piece in text.pieces() {
            let words = Untrusted(piece.words()).to_string();
            cell.width += columns(&words);
            match piece {
                Piece::Toned(tone, _) => cell.shown.push_str(&painted(&words, *tone, look)),
                Piece::Plain(_)
                | Piece::Strong(_)
                | Piece::Code(_)
                | Piece::Address(_)
                | Piece::Reference { .. } => cell.shown.push_str(&words),
            }
        }
        cell
    }

    pub(super) fn as_str(&self) -> &str {
        &self.shown
    }
}

/// The widths of columns.
pub(crate) struct Layout<'c> {
    columns: &'c [Column],
    widths: Vec<usize>,
    look: Look,
}

impl<'c> Layout<'c> {
    /// Columns that are as wide as their titles.
    pub(crate) fn new(columns: &'c [Column], look: Look) -> Self {
        let widths = columns.iter().map(|column| width::columns(column.title)).collect();
        Self { columns, widths, look }
    }

    /// The same with columns of at least these widths.
    pub(crate) fn at_least(mut self, widths: &[usize]) -> Self {
        for (width, least) in self.widths.iter_mut().zip(widths) {
            *width = *least.max(width);
        }
        self
    }

    pub(super) fn cells(&self, row: &[Text]) -> Vec<Cell> {
        row.iter().map(|text| Cell::new(text, self.look)).collect()
    }

    /// Makes room for a row, up to `most` in a column.
    pub(super) fn widen(&mut self, cells: &[Cell], most: usize) {
        for (width, cell) in self.widths.iter_mut().zip(cells) {
            *width = cell.width.min(most).max(*width);
        }
    }

    /// The titles of the columns; `None` if they have none.
    pub(super) fn titles(&self) -> Option<String> {
        let title = |column: &Column| Text::toned(Tone::Quiet, column.title);
        let titles: Vec<Text> = self.columns.iter().map(title).collect();
        titles.iter().any(|title| !title.is_empty()).then(|| self.line(&titles))
    }

    /// A row as a line without its end.
    pub(crate) fn line(&self, row: &[Text]) -> String {
        self.line_of(&self.cells(row))
    }

    pub(super) fn line_of(&self, cells: &[Cell]) -> String {
        let mut line = String::new();
        for (at, (cell, column)) in cells.iter().zip(self.columns).enumerate() {
            let width = self.widths.get(at).copied().unwrap_or_default();
            let blanks = width.saturating_sub(cell.width);
            let [before, after] = if column.numbers { [blanks, 0] } else { [0, blanks] };
            line.extend(std::iter::repeat_n(' ', before));
            line.push_str(&cell.shown);
            if at + 1 < cells.len() {
                line.extend(std::iter::repeat_n(' ', after));
                line.push_str(GAP);
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

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

    pub(crate) fn add(&mut self, row: &[Text]) -> io::Result<()> {
        let cells = self.layout.cells(row);
        self.layout.widen(&cells, WIDEST);
        if self.begun {
            return writeln!(self.out, "{}", self.layout.line_of(&cells));
        }
        self.waiting.push(cells);
        if self.waiting.len() < LOOK_AHEAD { Ok(()) } else { self.begin() }
    }

    /// Writes the titles and the collected rows.
    fn begin(&mut self) -> io::Result<()> {
        self.begun = true;
        let waiting = std::mem::take(&mut self.waiting);
        let lines = waiting.iter().map(|cells| self.layout.line_of(cells));
        let titles = self.layout.titles().filter(|_| !waiting.is_empty());
        titles.into_iter().chain(lines).try_for_each(|line| writeln!(self.out, "{line}"))
    }

    /// Writes what was collected; what is written to the result follows the table.
    pub(crate) fn finish(&mut self) -> io::Result<&mut dyn io::Write> {
        if !self.begun {
            self.begin()?;
        }
        Ok(&mut *self.out)
    }
}
