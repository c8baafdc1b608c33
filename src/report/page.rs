//! A page of text: wrapped prose, tables, headings and colours.

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, Width, presets,
};
use owo_colors::{OwoColorize, Style};

use crate::document::counts::sign;
use crate::document::terminal::Look;
use crate::document::untrusted::Untrusted;
use crate::document::width::columns;
use super::words::{role_style, role_word};
use crate::pattern::instruction::{Instruction, Piece};
use crate::pattern::signature::Role;

/// Narrower than this, wrapped text is harder to read than text that runs on.
const LEAST_WIDTH: u16 = 40;
/// Wider than this, prose is hard to read.
const MOST_PROSE: usize = 100;
/// A page being written.
pub(super) struct Page {
    text: String,
    pub(super) look: Look,
    verbose: bool,
}

impl Page {
    /// An empty page.
    pub(super) fn new(look: Look) -> Self {
        let look = Look { width: look.width.max(LEAST_WIDTH), ..look };
        Self { text: String::new(), look, verbose: false }
    }

    /// What was written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.gap();
        let text = self.paint(text, Style::new().bold());
        self.line(&text);
    }

    pub(super) fn paint(&self, text: &str, style: Style) -> String {
        paint(text, style, self.look.colour)
    }

    /// Wrapped text in one colour.
    pub(super) fn painted(&mut self, text: &str, style: Style) {
        let text = Untrusted(text).to_string();
        for line in wrapped(&text, usize::from(self.look.width).min(MOST_PROSE)) {
            let line = self.paint(&line, style);
            self.line(&line);
        }
    }

    /// Wrapped text, `first` before its first line and blanks of that width before the others.
    pub(super) fn prose(&mut self, first: &str, text: &str) {
        let text = &Untrusted(text).to_string();
        self.filled(first, text.split_whitespace());
    }

    /// As [`Self::prose`]. No command in it is wrapped: it is there to be copied.
    pub(super) fn instruction(&mut self, first: &str, instruction: &Instruction) {
        let chunks = unbreakable(instruction);
        self.filled(first, chunks.iter().map(String::as_str));
    }

    fn filled<'w>(&mut self, first: &str, words: impl Iterator<Item = &'w str>) {
        let width = usize::from(self.look.width).min(MOST_PROSE);
        let indent = " ".repeat(columns(first));
        for (index, line) in filled(words, width.saturating_sub(indent.len())).iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { first } else { &indent }));
        }
    }

    /// What is to be typed. A command is never wrapped: it is there to be copied. A comment in it is.
    pub(super) fn command(&mut self, indent: &str, command: &str) {
        let width = usize::from(self.look.width).min(MOST_PROSE).saturating_sub(indent.len() + 2);
        for line in command.lines() {
            let text = Untrusted(line).to_string();
            let Some(comment) = text.strip_prefix("# ") else {
                self.line(&format!("{indent}{text}"));
                continue;
            };
            for part in wrapped(comment, width) {
                let part = self.paint(&format!("# {part}"), Style::new().dimmed());
                self.line(&format!("{indent}{part}"));
            }
        }
    }

    /// A list with a heading, where there is anything to list.
    pub(super) fn list<'i>(&mut self, heading: &str, items: impl IntoIterator<Item = &'i str>) {
        let mut items = items.into_iter().peekable();
        if items.peek().is_some() {
            self.heading(heading);
        }
        items.for_each(|item| self.prose("  - ", item));
    }

    /// How many things are not shown.
    pub(super) fn more(&mut self, indent: &str, hidden: usize) {
        if hidden > 0 {
            self.prose(indent, &format!("{hidden} more with -v"));
        }
    }

    /// So many, or all where all is asked for.
    pub(super) const fn few(&self, few: usize) -> usize {
        if self.verbose { usize::MAX } else { few }
    }

    /// What speaks for a diagnosis or against it.
    pub(super) fn reason(&mut self, indent: &str, by: f64, because: &str) {
        self.prose(&format!("{indent}{} ", sign(by)), because);
    }

    /// Where to read on, each on a line of its own: an address is there to be copied.
    pub(super) fn references(&mut self, indent: &str, references: &[String]) {
        for reference in references {
            self.line(&format!("{indent}{}", Untrusted(reference)));
        }
    }

    /// Rows of cells. The columns are as wide as what stands in them, as far as the page goes.
    pub(super) fn table<R: Into<Row>>(&mut self, indent: &str, rows: impl IntoIterator<Item = R>) {
        let table = self.laid_out(rows);
        for line in table.lines() {
            self.line(&format!("{indent}{line}"));
        }
    }

    /// Rows with a number of a line in the second column, and perhaps a role in the last.
    pub(super) fn table_of_lines<R: Into<Row>>(&mut self, rows: impl IntoIterator<Item = R>) {
        let mut table = self.laid_out(rows);
        if let Some(column) = table.column_mut(1) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(9)));
        }
        for line in table.lines() {
            let line = self.with_role_painted(line.trim_end());
            self.line(&line);
        }
    }

    fn laid_out<R: Into<Row>>(&self, rows: impl IntoIterator<Item = R>) -> Table {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.look.width)
            .add_rows(rows);
        table
    }

    /// Paints the last column after the table is laid out, whose widths colours would spoil.
    fn with_role_painted(&self, line: &str) -> String {
        for role in [Role::RootCause, Role::Mechanism, Role::Consequence, Role::Context] {
            let word = role_word(role);
            if let Some(rest) = line.strip_suffix(word).filter(|rest| rest.ends_with("  ")) {
                return format!("{rest}{}", self.paint(word, role_style(role)));
            }
        }
        line.to_owned()
    }
}

/// A cell of a table with a number in it.
pub(super) fn number(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// `text` in `style`, where there are colours.
pub(super) fn paint(text: &str, style: Style, colour: bool) -> String {
    if colour { text.style(style).to_string() } else { text.to_owned() }
}

/// Breaks `text` at blanks so that no line is wider than `width`, words that are wider excepted.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    filled(text.split_whitespace(), width)
}

/// Lines of `words`, none wider than `width` but for words that are.
fn filled<'w>(words: impl Iterator<Item = &'w str>, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let used = lines.last().map_or(0, |line| columns(line));
        if used > 0 && used + 1 + columns(word) > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// The pieces of a sentence between which a line may end: its words, and its commands with what stands
/// right beside them.
fn unbreakable(instruction: &Instruction) -> Vec<String> {
    let mut chunks: Vec<String> = Vec::new();
    let mut glued = false;
    let mut add = |text: &str, glued: bool| match chunks.last_mut().filter(|_| glued) {
        Some(last) => last.push_str(text),
        None => chunks.push(text.to_owned()),
    };
    for piece in instruction.pieces() {
        match piece {
            Piece::Command(command) => {
                add(&Untrusted(command).to_string(), glued);
                glued = true;
            }
            Piece::Words(words) => {
                let words = Untrusted(words).to_string();
                let follows = glued && !words.starts_with(char::is_whitespace);
                for (index, word) in words.split_whitespace().enumerate() {
                    add(word, follows && index == 0);
                }
                glued = !words.ends_with(char::is_whitespace);
            }
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_never_wrapped() {
        let sentence = "Then look: (`cat /proc/cmdline | wc -l`), and `uname -r` prints 6.8";
        let sentence = Instruction::parse(sentence).unwrap();
        let look = Look { width: 40, colour: false };
        let mut page = Page::new(look);
        page.instruction("check: ", &sentence);
        let want = "check: Then look:\n       (cat /proc/cmdline | wc -l), and\n       \
                    uname -r prints 6.8\n";
        assert_eq!(page.text(), want);
    }
}
