//! A comparison as Markdown, to be pasted into a tracker.

use std::io;

use super::MarkdownWriter;
use super::escape::{Inline, Instructive};
use crate::report::compare::{
    Compared, MessageRow, difference_lines, failure_rows, message_sections, words,
};

/// Writes it.
pub(crate) fn write(compared: &Compared<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = MarkdownWriter::default();
    page.paragraph(&words::answer(compared));
    page.gap();
    page.line(format_args!("| | GOOD | BAD |\n| --- | --- | --- |"));
    let (good, bad) = (words::side(&compared.good), words::side(&compared.bad));
    page.line(format_args!("| log | {} | {} |", Inline(&good), Inline(&bad)));
    for row in compared.sides() {
        let (good, bad) = (Inline(&row.good), Inline(&row.bad));
        page.line(format_args!("| {} | {good} | {bad} |", row.label));
    }
    let lines = difference_lines(compared);
    if !lines.is_empty() {
        page.heading(3, "What differs");
        page.table(lines.iter().map(|line| (line.label.as_str(), line.text.as_str())));
    }
    page.messages("What fails", &failure_rows(compared), 0);
    for section in message_sections(compared) {
        page.messages(section.title, &section.rows, section.more);
    }
    let gaps = words::gaps(compared);
    let gaps: Vec<&str> = gaps.iter().map(String::as_str).collect();
    page.list("What these logs do not tell", &gaps);
    let steps = words::steps(compared.comparison);
    if !steps.is_empty() {
        page.heading(3, "What to do");
        for (number, step) in (1..).zip(&steps) {
            page.line(format_args!("{number}. {}", Instructive(step)));
        }
    }
    page.gap();
    page.line(format_args!("---\n"));
    page.foot();
    out.write_all(page.text.as_bytes())
}

impl MarkdownWriter {
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
