//! Renders a document for a terminal: wrapped prose, tables, colours.

mod arrange;
mod cell;
mod flow;
pub(crate) mod rows;
pub(crate) mod stream;
mod table;
mod timeline;

use std::io;

use owo_colors::{OwoColorize, Style};

use super::counts::several;
use super::shell::folded;
use super::text::{Piece, Text, Tone};
use super::untrusted::Untrusted;
use super::width::{columns, left, right};
use super::{Banner, Block, Document, Evidence, Fact, Item, List, Quote, Section};

use flow::{Chunk, chunks, filled, filled_lines};

/// Properties of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its width in columns; `None` if it is unknown, as in a pipe: then rows of tables are lines
    /// of any length.
    pub width: Option<u16>,
    /// Whether to use colours.
    pub colour: bool,
}

/// The width of prose if that of the page is unknown.
const USUAL_WIDTH: u16 = 80;
/// Below this width, text is not wrapped, because that would make it less readable.
const LEAST_WIDTH: u16 = 40;
/// Maximum width of prose in columns.
const MOST_PROSE: usize = 100;
/// The indentation of one level.
const STEP: &str = "  ";

/// Writes `document`.
pub(crate) fn write(document: &Document, look: Look, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(text(document, look).as_bytes())
}

/// `document` as text.
pub(crate) fn text(document: &Document, look: Look) -> String {
    let mut page = Page { text: String::new(), indent: String::new(), look, tight: document.tight };
    page.blocks(&document.blocks);
    page.text
}

/// The columns that text may take.
pub(crate) fn width(look: Look) -> usize {
    look.width.unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH).into()
}

/// The style of a tone.
const fn style(tone: Tone) -> Style {
    match tone {
        Tone::Bad => Style::new().red(),
        Tone::Warn => Style::new().yellow(),
        Tone::Good => Style::new().green(),
        Tone::Cool => Style::new().cyan(),
        Tone::Quiet => Style::new().dimmed(),
        Tone::Plain => Style::new(),
    }
}

/// The style of the words that say how good or bad a result is: a block, because coloured letters
/// on an unknown background are often illegible.
const fn block_style(tone: Tone) -> Style {
    match tone {
        Tone::Bad => Style::new().bold().white().on_red(),
        Tone::Warn => Style::new().black().on_yellow(),
        Tone::Good => Style::new().black().on_green(),
        Tone::Cool | Tone::Quiet | Tone::Plain => Style::new().bold(),
    }
}

/// `text` in the colour of `tone`, if colours are used.
pub(crate) fn painted(text: &str, tone: Tone, look: Look) -> String {
    inked(text, look.colour.then(|| style(tone)))
}

/// `text` in a style.
fn inked(text: &str, style: Option<Style>) -> String {
    match style.filter(|_| !text.is_empty()) {
        Some(style) => text.style(style).to_string(),
        None => text.to_owned(),
    }
}

/// The result in capitals: its first words in a block, the others bold.
fn state(banner: &Banner) -> Vec<Chunk> {
    let state = Untrusted(&banner.state).to_string().to_uppercase();
    let first = state.find([',', ':']).unwrap_or(state.len());
    let mut before = 0;
    let mut chunks = Vec::new();
    for word in state.split(' ') {
        let (inside, outside) = word.split_at(first.saturating_sub(before).min(word.len()));
        let parts = [(inside, block_style(banner.tone)), (outside, Style::new().bold())];
        let parts = parts.into_iter().filter(|(part, _)| !part.is_empty());
        chunks.push(parts.map(|(part, style)| (part.to_owned(), Some(style))).collect());
        before += word.len() + 1;
    }
    chunks
}

/// A page under construction.
struct Page {
    text: String,
    /// The prefix of each line.
    indent: String,
    look: Look,
    /// Whether there are no blank lines.
    tight: bool,
}

impl Page {
    fn blocks(&mut self, blocks: &[Block]) {
        let mut before: Option<&Block> = None;
        for block in blocks {
            match (before, block) {
                (Some(Block::Facts(_)), Block::Prose(_))
                | (Some(Block::Lines(_) | Block::Table(_)), _) => self.gap(),
                _ => {}
            }
            self.block(block);
            before = Some(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Banner(banner) => self.banner(banner),
            Block::Prose(text) => self.prose("", text),
            Block::Facts(facts) => self.facts(facts),
            Block::Section(section) => self.section(section),
            Block::List(list) => self.list(list),
            Block::Command(command) => self.command(command),
            Block::Listing(text) => {
                text.lines().for_each(|line| self.line(&Untrusted(line).to_string()));
            }
            Block::Evidence(evidence) if self.indent.is_empty() => {
                self.gap();
                self.deeper(STEP, |page| page.evidence(evidence));
                self.gap();
            }
            Block::Evidence(evidence) => self.evidence(evidence),
            Block::Lines(lines) => {
                for line in lines {
                    self.text.push_str(cell::Cell::new(line.clone(), self.look).as_str());
                    self.text.push('\n');
                }
            }
            Block::Table(table) => self.table(table),
            Block::Timeline(timeline) => self.timeline(timeline),
        }
    }

    fn line(&mut self, text: &str) {
        let line = format!("{}{text}", self.indent);
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn gap(&mut self) {
        if !self.tight && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Calls `what` with deeper indentation.
    fn deeper(&mut self, by: &str, what: impl FnOnce(&mut Self)) {
        let before = self.indent.len();
        self.indent.push_str(by);
        what(self);
        self.indent.truncate(before);
    }

    /// The columns that are left for text.
    fn room(&self) -> usize {
        width(self.look).saturating_sub(self.indent.len())
    }

    /// The columns that are left for prose.
    fn readable(&self) -> usize {
        self.room().min(MOST_PROSE)
    }

    fn paint(&self, text: &str, style: Style) -> String {
        inked(text, Some(style).filter(|_| self.look.colour))
    }

    /// Writes wrapped text; `first` precedes its first line, and the others are indented by its
    /// width.
    fn prose(&mut self, first: &str, text: &Text) {
        self.hanging(first, columns(first), text);
    }

    /// The same, where `first` may have a style and is `indent` columns wide.
    fn hanging(&mut self, first: &str, indent: usize, text: &Text) {
        let lines = filled(&chunks(text), self.readable().saturating_sub(indent), self.look.colour);
        for (index, line) in lines.iter().enumerate() {
            let before = if index == 0 { first.to_owned() } else { " ".repeat(indent) };
            self.line(&format!("{before}{line}"));
        }
    }

    fn banner(&mut self, banner: &Banner) {
        self.gap();
        let about = banner.about.iter().map(|about| Untrusted(about).to_string());
        let pieces = filled_lines(&state(banner), self.room(), self.look.colour);
        let mut lines: Vec<(String, usize)> =
            pieces.into_iter().map(|line| (line.shown, line.width)).collect();
        for about in about {
            let wide = columns(&about);
            match lines.last_mut() {
                Some((line, used)) if *used + 4 + wide <= self.room() => {
                    line.push_str("    ");
                    line.push_str(&about);
                    *used += 4 + wide;
                }
                _ => {
                    let room = self.room().saturating_sub(STEP.len());
                    let pieces = filled(&chunks(&about.into()), room, false);
                    lines.extend(
                        pieces
                            .iter()
                            .map(|text| (format!("{STEP}{text}"), STEP.len() + columns(text))),
                    );
                }
            }
        }
        for (line, _) in lines {
            self.line(&line);
        }
        let texts = [&banner.headline].into_iter().chain(&banner.lead);
        let texts: Vec<&Text> = texts.filter(|text| !text.is_empty()).collect();
        if let [first, rest @ ..] = texts.as_slice() {
            let whole =
                rest.iter().fold((*first).clone(), |all, one| all.and(" ").and((*one).clone()));
            self.gap();
            self.deeper(STEP, |page| page.prose("", &whole));
        }
        self.gap();
    }

    fn facts(&mut self, facts: &[Fact]) {
        let label = |fact: &Fact| Untrusted(&fact.label).to_string();
        let widest = facts.iter().map(|fact| columns(&label(fact))).max().unwrap_or_default();
        // A very long name must not push all other texts to the margin.
        let width = widest.min(self.room() / 3) + 2;
        for fact in facts {
            let label = label(fact);
            let bold = self.paint(&label, Style::new().bold());
            let first = if columns(&label) + 2 > width {
                self.line(&bold);
                " ".repeat(width)
            } else {
                bold + &" ".repeat(width.saturating_sub(columns(&label)))
            };
            match fact.text.pieces() {
                [Piece::Code(command)] if columns(command) + width > self.room() => {
                    if !label.is_empty() {
                        self.line(&first);
                    }
                    // A command that has to be folded keeps its place.
                    let rest = self.room().checked_sub(columns(command)).unwrap_or(width);
                    let indent = " ".repeat(width.min(rest));
                    self.deeper(&indent, |page| page.command(command));
                }
                _ => self.hanging(&first, width, &fact.text),
            }
        }
    }

    fn section(&mut self, section: &Section) {
        self.gap();
        let width = self.readable();
        for line in filled(&chunks(&section.title), width, false) {
            let line = self.paint(&line, Style::new().bold());
            self.line(&line);
        }
        self.deeper(STEP, |page| page.blocks(&section.body));
        self.gap();
    }

    fn list(&mut self, list: &List) {
        let highest = list.first.map_or(0, |first| first + list.items.len());
        let digits = highest.to_string().len();
        for (index, item) in list.items.iter().enumerate() {
            let mark = match list.first {
                Some(first) => format!("{}  ", right(&(first + index).to_string(), digits)),
                None => "- ".to_owned(),
            };
            self.item(&mark, item);
        }
    }

    /// Writes a list item; its tag is at the right edge if there is room.
    fn item(&mut self, mark: &str, item: &Item) {
        let Item { title, tag, body } = item;
        let tag = tag.as_ref().map(|tag| format!("[{}]", Untrusted(tag)));
        let wide = tag.as_deref().map_or(0, |tag| columns(tag) + 2);
        let room = self.readable().saturating_sub(columns(mark));
        let lines = filled(&chunks(title), room.saturating_sub(wide), self.look.colour);
        let plain = filled(&chunks(title), room.saturating_sub(wide), false);
        for (index, (line, plain)) in lines.iter().zip(&plain).enumerate() {
            let before = if index == 0 { mark.to_owned() } else { " ".repeat(columns(mark)) };
            match tag.as_deref().filter(|_| index == 0) {
                Some(tag) => {
                    let gap = " ".repeat(room.saturating_sub(columns(plain) + columns(tag)));
                    let tag = self.paint(tag, style(Tone::Quiet));
                    self.line(&format!("{before}{line}{gap}{tag}"));
                }
                None => self.line(&format!("{before}{line}")),
            }
        }
        self.deeper(&" ".repeat(columns(mark)), |page| page.blocks(body));
    }

    /// Writes commands, wrapped so that they can be copied.
    fn command(&mut self, command: &str) {
        for line in command.lines() {
            let text = Untrusted(line).to_string();
            if let Some(comment) = text.strip_prefix("# ") {
                let width = self.readable().saturating_sub(2);
                for part in filled(&chunks(&comment.into()), width, false) {
                    let part = self.paint(&format!("# {part}"), style(Tone::Quiet));
                    self.line(&part);
                }
            } else {
                for part in folded(&text, self.room()) {
                    let part = self.paint(&part, Style::new().bold());
                    self.line(&part);
                }
            }
        }
    }

    fn evidence(&mut self, evidence: &Evidence) {
        let digits = evidence.quotes.iter().map(|quote| quote.line.to_string().len()).max();
        let digits = digits.unwrap_or_default();
        let most = if evidence.brief { self.readable() } else { self.room() };
        let times = |quote: &Quote| match quote.times {
            0 | 1 => String::new(),
            times => format!("  x{times}"),
        };
        let room = |quote: &Quote| most.saturating_sub(digits + 2 + times(quote).len());
        let said = |quote: &Quote| said(quote, room(quote), evidence.brief);
        let texts: Vec<String> = evidence.quotes.iter().map(said).collect();
        let widest = texts.iter().map(|text| columns(text)).max().unwrap_or_default();
        for (quote, text) in evidence.quotes.iter().zip(texts) {
            let number = self.paint(&right(&quote.line.to_string(), digits), style(Tone::Quiet));
            let gap = match times(quote).as_str() {
                "" => String::new(),
                times => format!(
                    "{}{times}",
                    left("", widest.min(room(quote)).saturating_sub(columns(&text)))
                ),
            };
            self.line(&format!("{number}  {text}{gap}"));
        }
        if evidence.more > 0 {
            let more = format!("{} more", several(evidence.more, "line"));
            self.prose("", &more.into());
        }
    }
}

/// What `quote` says; in `room` columns if it is brief.
fn said(quote: &Quote, room: usize, brief: bool) -> String {
    let text = Untrusted(quote.text.trim()).to_string();
    if !brief {
        return text;
    }
    let shorter = quote.shorter.iter().map(|text| Untrusted(text.trim()).to_string());
    let mut all = std::iter::once(text).chain(shorter).peekable();
    loop {
        let text = all.next().unwrap_or_default();
        if columns(&text) <= room || all.peek().is_none() {
            break flow::cut_around(&text, &quote.keep, room);
        }
    }
}
