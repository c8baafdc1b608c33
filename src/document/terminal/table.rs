//! Tables on a terminal.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table as Grid, Width, presets,
};
use owo_colors::Style;

use super::rows::Layout;
use super::{Page, style};
use crate::document::Table;
use crate::document::text::Piece;
use crate::document::untrusted::Untrusted;
use crate::document::width::columns;

/// Columns of numbers up to this width are never wrapped.
const NUMBER: usize = 12;

impl Page {
    /// Columns are as wide as their content, as far as the page allows.
    pub(super) fn table(&mut self, table: &Table) {
        if table.one_line {
            return self.lines_of(table);
        }
        let mut grid = Grid::new();
        let room = u16::try_from(self.room()).unwrap_or(u16::MAX);
        grid.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        grid.set_width(room);
        let titled = table.columns.iter().any(|column| !column.title.is_empty());
        if titled {
            let heads = table.columns.iter().map(|column| cell(column.title, column.numbers));
            grid.add_row(heads.collect::<Vec<_>>());
        }
        for row in &table.rows {
            let cells = row.iter().enumerate().map(|(at, text)| {
                let numbers = table.columns.get(at).is_some_and(|column| column.numbers);
                cell(&Untrusted(&text.to_string()).to_string(), numbers)
            });
            grid.add_row(cells.collect::<Vec<_>>());
        }
        for (at, _) in table.columns.iter().enumerate().filter(|(_, column)| column.numbers) {
            let widest = table.rows.iter().filter_map(|row| row.get(at));
            let widest = widest.map(|text| columns(&text.to_string())).max().unwrap_or_default();
            if let (Some(column), Ok(least)) =
                (grid.column_mut(at), u16::try_from(widest.min(NUMBER) + 2))
            {
                column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
            }
        }
        let tones = last_tones(table);
        for (index, line) in grid.lines().enumerate() {
            // comfy-table adds a space at the left edge.
            let line = line.strip_prefix(' ').unwrap_or(&line).trim_end();
            let line = if titled && index == 0 {
                self.paint(line, Style::new().dimmed())
            } else {
                self.with_end_painted(line, &tones)
            };
            self.line(&line);
        }
    }

    /// Writes rows that are never wrapped.
    fn lines_of(&mut self, table: &Table) {
        let mut layout = Layout::new(&table.columns, self.look);
        let rows: Vec<_> = table.rows.iter().map(|row| layout.cells(row)).collect();
        for cells in &rows {
            layout.widen(cells, usize::MAX);
        }
        let lines = rows.iter().map(|cells| layout.line_of(cells));
        layout.titles().into_iter().chain(lines).for_each(|line| self.line(&line));
    }

    /// Colours the last cell of a row after the layout, because escape sequences would change its
    /// widths.
    fn with_end_painted(&self, line: &str, tones: &[(String, Style)]) -> String {
        for (word, style) in tones {
            if let Some(rest) = line.strip_suffix(word.as_str()).filter(|rest| rest.ends_with("  "))
            {
                return format!("{rest}{}", self.paint(word, *style));
            }
        }
        line.to_owned()
    }
}

fn cell(text: &str, numbers: bool) -> Cell {
    let cell = Cell::new(text);
    if numbers { cell.set_alignment(CellAlignment::Right) } else { cell }
}

/// The coloured words in the last column.
fn last_tones(table: &Table) -> Vec<(String, Style)> {
    let mut tones: Vec<(String, Style)> = Vec::new();
    for last in table.rows.iter().filter_map(|row| row.last()) {
        if let [Piece::Toned(tone, word)] = last.pieces()
            && !tones.iter().any(|(known, _)| known == word)
        {
            tones.push((word.clone(), style(*tone)));
        }
    }
    tones
}
