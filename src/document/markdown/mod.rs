//! Renders a document as Markdown for issue trackers.

pub(crate) mod escape;

use std::fmt::{Arguments, Write as _};
use std::io;

use super::counts::{joined, several};
use super::text::{Piece, Text};
use super::timeline::lengths;
use super::{Banner, Block, Document, Evidence, Fact, Frame, Item, List, Section, Table, Timeline};

use escape::{Code, Fenced, Inline};

/// The heading level of an answer.
const TOP: usize = 2;

/// Writes `document`.
pub(crate) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = MarkdownPage { text: String::new(), indent: String::new(), level: TOP };
    page.blocks(&document.blocks);
    if let Some(foot) = &document.foot {
        page.gap();
        page.line(format_args!("---\n"));
        page.line(format_args!("{}", inline(foot)));
    }
    out.write_all(page.text.as_bytes())
}

/// `blocks` as text, with headings at `level` or below.
pub(crate) fn text(blocks: &[Block], level: usize) -> String {
    let mut page = MarkdownPage { text: String::new(), indent: String::new(), level };
    page.blocks(blocks);
    page.text
}

/// A page under construction.
struct MarkdownPage {
    text: String,
    /// The prefix of each line: the indentation of enclosing lists.
    indent: String,
    /// The level of the next heading.
    level: usize,
}

impl MarkdownPage {
    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Banner(banner) => self.banner(banner),
            Block::Prose(text) => self.paragraph(text),
            Block::Facts(facts) if self.indent.is_empty() => self.facts(facts),
            Block::Facts(facts) => self.points(facts),
            Block::Section(section) => self.section(section),
            Block::List(list) => self.list(list),
            Block::Command(command) => self.fenced(command, "sh"),
            Block::Listing(text) => self.fenced(text, "text"),
            Block::Lines(lines) => self.list(&List::of(lines.iter().cloned())),
            Block::Evidence(evidence) => self.evidence(evidence),
            Block::Table(table) => self.table(table),
            Block::Timeline(timeline) => self.timeline(timeline),
        }
    }

    fn line(&mut self, line: Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{}{line}", self.indent);
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, title: &Text) {
        self.gap();
        let marks = "#".repeat(self.level.min(6));
        self.line(format_args!("{marks} {}", inline(title)));
        self.gap();
    }

    fn paragraph(&mut self, text: &Text) {
        self.gap();
        self.line(format_args!("{}", inline(text)));
        self.gap();
    }

    fn banner(&mut self, banner: &Banner) {
        let headline = &banner.headline;
        let state: Text = (&banner.state).into();
        self.heading(if headline.is_empty() { &state } else { headline });
        self.level += 1;
        if !banner.lead.is_empty() {
            let lead = joined(banner.lead.iter().map(inline), " ");
            self.line(format_args!("{lead}"));
            self.gap();
        }
        if !banner.about.is_empty() {
            let about = joined(&banner.about, ", ");
            let state = if headline.is_empty() { "" } else { &banner.state };
            let text = if state.is_empty() { about } else { format!("{state}: {about}") };
            self.paragraph(&text.into());
        }
    }

    /// Writes names and values as a table.
    fn facts(&mut self, facts: &[Fact]) {
        self.gap();
        self.line(format_args!("| | |"));
        self.line(format_args!("| --- | --- |"));
        for Fact { label, text } in facts {
            self.line(format_args!("| {} | {} |", Inline(label), cell(text)));
        }
        self.gap();
    }

    fn points(&mut self, facts: &[Fact]) {
        for Fact { label, text } in facts {
            self.line(format_args!("- {}: {}", Inline(label), inline(text)));
        }
    }

    fn section(&mut self, section: &Section) {
        let Section { title, frame, body, .. } = section;
        match frame {
            Frame::Plain | Frame::Card | Frame::Unfolded => {
                self.heading(title);
                self.level += 1;
                self.blocks(body);
                self.level -= 1;
            }
            Frame::Folded | Frame::Choice => {
                self.gap();
                self.line(format_args!("<details>\n<summary>{}</summary>\n", inline(title)));
                self.level += 1;
                self.blocks(body);
                self.level -= 1;
                self.gap();
                self.line(format_args!("</details>"));
            }
        }
        self.gap();
    }

    fn list(&mut self, list: &List) {
        for (index, item) in list.items.iter().enumerate() {
            let mark = list.first.map_or("-".to_owned(), |first| format!("{}.", first + index));
            self.item(&mark, item);
        }
        self.gap();
    }

    fn item(&mut self, mark: &str, Item { title, tag, body }: &Item) {
        let tag = tag.as_ref().map(|tag| format!(" ({})", Inline(tag))).unwrap_or_default();
        if body.is_empty() {
            return self.line(format_args!("{mark} {}{tag}", inline(title)));
        }
        self.gap();
        self.line(format_args!("{mark} **{}**{tag}\n", inline(title)));
        let before = self.indent.len();
        self.indent.push_str(&" ".repeat(mark.len() + 1));
        self.blocks(body);
        self.indent.truncate(before);
        self.gap();
    }

    fn fenced(&mut self, text: &str, language: &'static str) {
        if text.is_empty() {
            return;
        }
        self.gap();
        // `Fenced` ends with a line break.
        let _ = write!(self.text, "{}", Fenced { text, language, indent: &self.indent });
        self.gap();
    }

    fn evidence(&mut self, evidence: &Evidence) {
        let quotes = evidence.quotes.iter().map(|quote| {
            let times = if quote.times > 1 { format!("  x{}", quote.times) } else { String::new() };
            format!("{}: {}{times}", quote.line, quote.text)
        });
        let more =
            (evidence.more > 0).then(|| format!("[{} more]", several(evidence.more, "line")));
        self.fenced(&joined(quotes.chain(more), "\n"), "text");
    }

    fn table(&mut self, table: &Table) {
        self.gap();
        let titles = table.columns.iter().map(|column| column.title);
        self.line(format_args!("| {} |", joined(titles, " | ")));
        let rules = table.columns.iter().map(|one| if one.numbers { "---:" } else { "---" });
        self.line(format_args!("| {} |", joined(rules, " | ")));
        for row in &table.rows {
            self.line(format_args!("| {} |", joined(row.iter().map(cell), " | ")));
        }
        self.gap();
    }

    /// Writes the length of the log in place of the picture.
    fn timeline(&mut self, timeline: &Timeline) {
        self.paragraph(&lengths(timeline).into());
    }
}

/// `text` within a paragraph.
fn inline(text: &Text) -> String {
    marked(text, escape::code)
}

/// `text` in a table cell, which `|` would end.
fn cell(text: &Text) -> String {
    marked(text, |command| Code(command).to_string())
}

fn marked(text: &Text, code: impl Fn(&str) -> String) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Plain(words) | Piece::Toned(_, words) | Piece::Reference { words, .. } => {
            Inline(words).to_string()
        }
        Piece::Strong(words) => format!("**{}**", Inline(words)),
        Piece::Code(command) => code(command),
        // An address that is not allowed as a link stays text.
        Piece::Address(address)
            if address.starts_with("https://") && !address.contains(['<', '>', ' ']) =>
        {
            format!("<{address}>")
        }
        Piece::Address(address) => Inline(address).to_string(),
    };
    joined(text.pieces().iter().map(piece), "")
}
