//! Rows of a table. Where the width of the page is unknown, they are one line each, of any length;
//! elsewhere they fit.

use super::arrange::{Arrangement, GAP, Need};
use super::cell::Cell;
use super::flow::Line;
use super::{LEAST_WIDTH, Look};
use crate::document::width::{columns, left};
use crate::document::{Column, Text, Tone};

/// The indentation of what is below the columns.
const BELOW: &str = "    ";

/// The widths and places of columns.
pub(crate) struct Layout<'c> {
    columns: &'c [Column],
    titles: Vec<Cell>,
    needs: Vec<Need>,
    /// The width of the page; `None` if rows are lines of any length.
    room: Option<usize>,
    arrangement: Arrangement,
    look: Look,
}

impl<'c> Layout<'c> {
    /// Columns that are as wide as their titles, on a page with this `look`.
    pub(crate) fn new(columns: &'c [Column], look: Look) -> Self {
        let room = look.width.map(|width| usize::from(width.max(LEAST_WIDTH)));
        Self::within(room, columns, look)
    }

    /// As [`Self::new`], but within `room` columns of the page.
    pub(super) fn within(room: Option<usize>, columns: &'c [Column], look: Look) -> Self {
        let title = |column: &Column| Text::toned(Tone::Quiet, column.title);
        let title = |column: &Column| Cell::new(title(column), look).with_word();
        let titles: Vec<Cell> = columns.iter().map(title).collect();
        let needs = titles.iter().map(|title| title.need).collect();
        let arrangement = Arrangement::default();
        let mut layout = Self { columns, titles, needs, room, arrangement, look };
        layout.arrange();
        layout
    }

    /// The same with columns of at least these widths.
    pub(crate) fn at_least(mut self, widths: &[usize]) -> Self {
        for (need, least) in self.needs.iter_mut().zip(widths) {
            *need = need.max(Need { whole: *least, word: *least });
        }
        self.arrange();
        self
    }

    pub(super) fn cells(&self, row: impl IntoIterator<Item = Text>) -> Vec<Cell> {
        let cells = row.into_iter().map(|text| Cell::new(text, self.look));
        match self.room {
            None => cells.collect(),
            Some(_) => cells.map(Cell::with_word).collect(),
        }
    }

    /// Makes room for a row, up to `most` in all but the last column.
    pub(super) fn widen(&mut self, cells: &[Cell], most: usize) {
        let last = self.needs.len().saturating_sub(1);
        let mut grown = false;
        for (at, (need, cell)) in self.needs.iter_mut().zip(cells).enumerate() {
            let most = if at == last && self.room.is_some() { usize::MAX } else { most };
            let whole = cell.need.whole.min(most);
            let wider = need.max(Need { whole, word: cell.need.word.min(whole) });
            grown |= wider != *need;
            *need = wider;
        }
        if grown {
            self.arrange();
        }
    }

    fn arrange(&mut self) {
        self.arrangement = match self.room {
            None => Arrangement::free(&self.needs),
            Some(room) => Arrangement::within(room, self.columns, &self.needs),
        };
    }

    /// The titles of the columns; nothing if they have none.
    pub(super) fn titles(&self) -> Vec<String> {
        let beside = self.arrangement.beside.iter().map(|(at, _)| *at);
        let titled = |at: usize| !self.columns.get(at).is_none_or(|one| one.title.is_empty());
        if beside.clone().any(titled) { self.beside(&self.titles) } else { Vec::new() }
    }

    /// The lines of an only row, without their ends.
    pub(crate) fn lines(mut self, row: impl IntoIterator<Item = Text>) -> Vec<String> {
        let cells = self.cells(row);
        self.widen(&cells, usize::MAX);
        self.lines_of(&cells)
    }

    pub(super) fn lines_of(&self, cells: &[Cell]) -> Vec<String> {
        let mut lines = self.beside(cells);
        lines.append(&mut self.below(cells));
        lines
    }

    /// The columns beside each other.
    fn beside(&self, cells: &[Cell]) -> Vec<String> {
        let wrapped: Vec<(&Column, usize, Vec<Line>)> = (self.arrangement.beside.iter())
            .filter_map(|(at, width)| Some((self.columns.get(*at)?, *width, cells.get(*at)?)))
            .map(|(column, width, cell)| (column, width, self.wrapped(cell, width)))
            .collect();
        let height = wrapped.iter().map(|(.., lines)| lines.len()).max().unwrap_or_default();
        let line = |at: usize| {
            let mut text = String::new();
            for (index, (column, width, lines)) in wrapped.iter().enumerate() {
                let none = Line::default();
                let Line { shown, width: used } = lines.get(at).unwrap_or(&none);
                let blanks = " ".repeat(width.saturating_sub(*used));
                let [before, after] = if column.numbers { [&*blanks, ""] } else { ["", &*blanks] };
                let gap = if index == 0 { "" } else { GAP };
                text.extend([gap, before, shown, after]);
            }
            text.truncate(text.trim_end().len());
            text
        };
        (0..height).map(line).collect()
    }

    fn wrapped(&self, cell: &Cell, width: usize) -> Vec<Line> {
        match self.room {
            None => vec![cell.line.clone()],
            Some(_) => cell.lines(width, self.look),
        }
    }

    /// The other columns; with their titles if there are several.
    fn below(&self, cells: &[Cell]) -> Vec<String> {
        let below = &self.arrangement.below;
        let room = self.room.unwrap_or(usize::MAX).saturating_sub(BELOW.len());
        let title = |at: usize| self.columns.get(at).map_or("", |column| column.title);
        let label = below.iter().map(|at| columns(title(*at))).max().unwrap_or_default();
        let label = if below.len() > 1 && label > 0 { label + GAP.len() } else { 0 };
        let mut lines = Vec::new();
        for at in below {
            let Some(cell) = cells.get(*at).filter(|cell| cell.line.width > 0) else { continue };
            for (index, line) in
                cell.lines(room.saturating_sub(label), self.look).iter().enumerate()
            {
                let title = if index == 0 && label > 0 { title(*at) } else { "" };
                lines.push(format!("{BELOW}{}{}", left(title, label), line.shown));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] =
        [Column::numbers("Line"), Column::words("Event"), Column::words("Meaning")];

    fn shown(width: Option<u16>) -> String {
        let look = Look { width, colour: false };
        let mut layout = Layout::new(&COLUMNS, look);
        let meaning = "The driver begins a reset of the whole GPU, at last";
        let row = ["12".into(), "optional-firmware-absent".into(), meaning.into()];
        let cells = layout.cells(row);
        layout.widen(&cells, usize::MAX);
        let mut lines = layout.titles();
        lines.append(&mut layout.lines_of(&cells));
        lines.join("\n")
    }

    #[test]
    fn rows_fit_a_page_and_are_one_line_in_a_pipe() {
        for (width, want) in [
            (
                None,
                "\
Line  Event                     Meaning
  12  optional-firmware-absent  The driver begins a reset of the whole GPU, at last",
            ),
            (
                Some(56),
                "\
Line  Event                     Meaning
  12  optional-firmware-absent  The driver begins a
                                reset of the whole GPU,
                                at last",
            ),
            (
                Some(40),
                "\
Line  Event
  12  optional-firmware-absent
    The driver begins a reset of the
    whole GPU, at last",
            ),
        ] {
            assert_eq!(shown(width), want, "{width:?}");
        }
    }
}
