//! Tables on a terminal.

use super::Page;
use super::rows::Layout;
use crate::document::Table;

impl Page {
    /// Columns are as wide as their content, as far as the page allows.
    pub(super) fn table(&mut self, table: &Table) {
        let free = table.one_line && self.look.width.is_none();
        let room = (!free).then(|| self.room());
        let mut layout = Layout::within(room, &table.columns, self.look);
        let rows: Vec<_> = table.rows.iter().map(|row| layout.cells(row.iter().cloned())).collect();
        for cells in &rows {
            layout.widen(cells, usize::MAX);
        }
        let rows = rows.iter().flat_map(|cells| layout.lines_of(cells));
        layout.titles().into_iter().chain(rows).for_each(|line| self.line(&line));
    }
}
