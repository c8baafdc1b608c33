//! A comparison for a person: the answer first, then what differs, what fails, and what cannot be told.

use std::io;

use comfy_table::Cell;
use owo_colors::Style;

use super::{
    Compared, MessageRow, SideRow, difference_lines, failure_rows, message_sections, words,
};
use crate::report::page::{Look, Page, number};
use crate::report::untrusted::Untrusted;

/// Writes it.
pub(crate) fn write(
    compared: &Compared<'_>,
    look: Look,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut page = Page::new(look);
    let verdict = compared.comparison.verdict;
    let style = match (verdict.is_worse(), super::is_good(verdict)) {
        (true, _) => Style::new().red().bold(),
        (false, true) => Style::new().green().bold(),
        (false, false) => Style::new().yellow().bold(),
    };
    page.painted(&words::answer(compared), style);
    page.gap();
    page.prose("GOOD  ", &words::side(&compared.good));
    page.prose("BAD   ", &words::side(&compared.bad));
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
    let gaps = words::gaps(compared);
    page.list("What these logs do not tell", gaps.iter().map(String::as_str));
    let steps = words::steps(compared.comparison);
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
        let head = ["", "GOOD", "BAD"].map(str::to_owned);
        let row = |row: &SideRow| {
            let [good, bad] = [&row.good, &row.bad].map(|text| Untrusted(text).to_string());
            [row.label.to_owned(), good, bad]
        };
        self.table("", [head].into_iter().chain(rows.iter().map(row)));
    }

    fn messages(&mut self, title: &str, rows: &[MessageRow], more: usize) {
        if rows.is_empty() {
            return;
        }
        self.heading(title);
        let head = ["GOOD", "BAD", "line", ""].map(number);
        let row = |MessageRow { good, bad, line, what }: &MessageRow| {
            [number(good), number(bad), number(line), Cell::new(Untrusted(what))]
        };
        self.table("", [head].into_iter().chain(rows.iter().map(row)));
        self.more("  ", more);
    }
}
