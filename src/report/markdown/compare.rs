//! A comparison as Markdown, to be pasted into a tracker.

use std::io;

use super::Sheet;
use super::escape::{Inline, Instructive};
use crate::report::compare::{
    Compared, MessageRow, difference_lines, failure_rows, message_sections,
};

/// Writes it.
///
/// # Errors
/// What the writer returns.
pub fn write(compared: &Compared<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let mut sheet = Sheet::default();
    sheet.paragraph(&compared.answer());
    sheet.gap();
    sheet.line(format_args!("| | GOOD | BAD |\n| --- | --- | --- |"));
    let (good, bad) = (compared.good.told(), compared.bad.told());
    sheet.line(format_args!("| log | {} | {} |", Inline(&good), Inline(&bad)));
    for row in compared.sides() {
        sheet.line(format_args!(
            "| {} | {} | {} |",
            row.label,
            Inline(&row.good),
            Inline(&row.bad)
        ));
    }
    let lines = difference_lines(compared);
    if !lines.is_empty() {
        sheet.heading(3, "What differs");
        sheet.line(format_args!("| | |\n| --- | --- |"));
        for line in lines {
            sheet.line(format_args!("| {} | {} |", Inline(&line.label), Inline(&line.text)));
        }
    }
    sheet.messages("What fails", &failure_rows(compared), 0);
    for section in message_sections(compared) {
        sheet.messages(section.title, &section.rows, section.more);
    }
    let gaps = compared.gaps();
    let gaps: Vec<&str> = gaps.iter().map(String::as_str).collect();
    sheet.list("What these logs do not tell", &gaps);
    let steps = compared.steps();
    if !steps.is_empty() {
        sheet.heading(3, "What to do");
        for (number, step) in (1..).zip(&steps) {
            sheet.line(format_args!("{number}. {}", Instructive(step)));
        }
    }
    sheet.gap();
    sheet.line(format_args!("---\n"));
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    sheet.line(format_args!("Written by {name} {version}.\n"));
    out.write_all(sheet.text.as_bytes())
}

impl Sheet {
    fn messages(&mut self, title: &str, rows: &[MessageRow], more: usize) {
        if rows.is_empty() {
            return;
        }
        self.heading(3, title);
        self.line(format_args!("| GOOD | BAD | line | |\n| ---: | ---: | ---: | --- |"));
        for MessageRow { good, bad, line, what } in rows {
            self.line(format_args!("| {good} | {bad} | {line} | {} |", Inline(what)));
        }
        self.gap();
        if more > 0 {
            self.paragraph(&format!("{more} more; -v lists them."));
        }
    }
}
