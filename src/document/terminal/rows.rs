//! Rows of a table. Where the width of the page is unknown, they are one line each, of any length;
//! elsewhere they fit.

use comfy_table::{
    Cell as GridCell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets,
};

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
        let beside = self.arrangement.beside.iter();
        let beside = beside
            .filter_map(|(at, width)| Some((self.columns.get(*at)?, *width, cells.get(*at)?)));
        match self.room {
            None => vec![one_line(beside)],
            Some(_) => {
                let wrapped = beside
                    .map(|(column, width, cell)| (column, width, cell.lines(width, self.look)));
                placed(&wrapped.collect::<Vec<_>>())
            }
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

/// A row of which each cell takes one line, however long.
fn one_line<'c>(cells: impl Iterator<Item = (&'c Column, usize, &'c Cell)>) -> String {
    let mut text = String::new();
    for (index, (column, width, cell)) in cells.enumerate() {
        let blanks = " ".repeat(width.saturating_sub(cell.line.width));
        let [before, after] = if column.numbers { [&*blanks, ""] } else { ["", &*blanks] };
        text.extend([if index == 0 { "" } else { GAP }, before, &cell.line.shown, after]);
    }
    text.truncate(text.trim_end().len());
    text
}

/// The lines of a row whose cells have these widths and lines.
fn placed(cells: &[(&Column, usize, Vec<Line>)]) -> Vec<String> {
    let mut grid = Table::new();
    grid.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    grid.add_row(cells.iter().map(|(column, _, lines)| {
        let lines: Vec<&str> = lines.iter().map(|line| line.plain.as_str()).collect();
        let cell = GridCell::new(lines.join("\n"));
        if column.numbers { cell.set_alignment(CellAlignment::Right) } else { cell }
    }));
    let gap = u16::try_from(GAP.len()).unwrap_or_default();
    for (at, (_, width, _)) in cells.iter().enumerate() {
        let Some(column) = grid.column_mut(at) else { continue };
        let right = if at + 1 < cells.len() { gap } else { 0 };
        let width = u16::try_from(*width).unwrap_or(u16::MAX).saturating_add(right);
        column.set_padding((0, right));
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    }
    let lines = grid.lines().enumerate();
    lines
        .map(|(at, line)| coloured(&line, cells.iter().filter_map(|(.., all)| all.get(at))))
        .collect()
}

/// The line of a table with the colours of its cells: comfy-table counts escape sequences as text, so
/// it gets the cells without them.
fn coloured<'l>(line: &str, cells: impl Iterator<Item = &'l Line>) -> String {
    let (mut text, mut rest) = (String::new(), line.trim_end());
    for cell in cells {
        let Some((before, behind)) = rest.split_once(cell.plain.as_str()) else { continue };
        text.extend([before, &cell.shown]);
        rest = behind;
    }
    text.push_str(rest);
    text
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
