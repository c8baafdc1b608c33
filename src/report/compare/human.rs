//! A comparison for a person: the answer first, then what differs, what fails, and what cannot be told.

use std::io;

use comfy_table::{Cell, CellAlignment};
use owo_colors::Style;

use super::{Compared, MessageRow, SideRow, difference_lines, failure_rows, message_sections};
use crate::report::page::{Look, Page};
use crate::report::untrusted::Untrusted;

/// Writes it.
///
/// # Errors
/// What the writer returns.
pub fn write(compared: &Compared<'_>, look: Look, out: &mut impl io::Write) -> io::Result<()> {
    let mut page = Page::new(look);
    let verdict = compared.comparison.verdict;
    let style = match (verdict.is_worse(), super::is_good(verdict)) {
        (true, _) => Style::new().red().bold(),
        (false, true) => Style::new().green().bold(),
        (false, false) => Style::new().yellow().bold(),
    };
    page.painted(&compared.answer(), style);
    page.gap();
    page.prose("GOOD  ", &compared.good.told());
    page.prose("BAD   ", &compared.bad.told());
    page.gap();
    page.sides(&compared.sides());
    let lines = difference_lines(compared);
    if !lines.is_empty() {
        page.heading("What differs");
        let width = lines.iter().map(|line| line.label.len()).max().unwrap_or(0);
        for line in lines {
            let label = format!("  {:<width$}  ", Untrusted(&line.label).to_string());
            page.prose(&label, &line.text);
        }
    }
    page.messages("What fails", &failure_rows(compared), 0);
    for section in message_sections(compared) {
        page.messages(section.title, &section.rows, section.more);
    }
    let gaps = compared.gaps();
    if !gaps.is_empty() {
        page.heading("What these logs do not tell");
        for gap in &gaps {
            page.prose("  - ", gap);
        }
    }
    let steps = compared.steps();
    if !steps.is_empty() {
        page.heading("What to do");
        for (number, step) in (1..).zip(&steps) {
            page.instruction(&format!("  {number}. "), step);
        }
    }
    out.write_all(page.text().as_bytes())
}

impl Page {
    fn sides(&mut self, rows: &[SideRow]) {
        let mut table = self.table();
        table.add_row(["", "GOOD", "BAD"]);
        for row in rows {
            table.add_row([
                row.label.to_owned(),
                Untrusted(&row.good).to_string(),
                Untrusted(&row.bad).to_string(),
            ]);
        }
        for line in table.lines() {
            self.line(&line);
        }
    }

    fn messages(&mut self, title: &str, rows: &[MessageRow], more: usize) {
        if rows.is_empty() {
            return;
        }
        self.heading(title);
        let mut table = self.table();
        let number = |text: &str| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row(["GOOD", "BAD", "line", ""].map(number));
        for row in rows {
            table.add_row([
                number(&row.good),
                number(&row.bad),
                number(&row.line),
                Cell::new(Untrusted(&row.what)),
            ]);
        }
        for line in table.lines() {
            self.line(&line);
        }
        if more > 0 {
            self.prose("  ", &format!("{more} more with -v"));
        }
    }
}
