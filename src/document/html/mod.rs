//! Renders a document as one HTML file that can be opened and attached anywhere: it loads nothing,
//! runs no scripts, and collapses details.

mod markup;
mod policy;
mod svg;

use std::io;

use markup::{Depth, Markup};

use super::counts::several;
use super::text::{Piece, Text, Tone};
use super::{Banner, Block, Column, Document, Evidence, Fact, Frame, Item, List, Section, Table};

/// Writes `document`.
pub(crate) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Markup::default();
    page.head(&document.title);
    page.raw("<body>\n<a class=\"skip\" href=\"#report\">Skip to the report</a>\n");
    page.raw("<main id=\"report\">\n");
    match document.blocks.as_slice() {
        // A document without a banner is headed by the sentence before its sections.
        [Block::Prose(title), rest @ ..] if rest.iter().any(is_section) => {
            page.heading(Depth::TOP, title);
            page.blocks(rest, Depth::TOP.below());
        }
        blocks => page.blocks(blocks, Depth::TOP),
    }
    page.raw("</main>\n");
    if let Some(foot) = &document.foot {
        page.raw("<footer>\n<p>");
        page.pieces(foot);
        page.raw("</p>\n</footer>\n");
    }
    page.raw("</body>\n</html>\n");
    out.write_all(page.as_str().as_bytes())
}

const fn is_section(block: &Block) -> bool {
    matches!(block, Block::Section(_))
}

/// Tables with more columns become a block for each row on a narrow screen.
const NARROW: usize = 4;
/// Tables with more columns do so on a very narrow one.
const NARROWEST: usize = 2;

/// The CSS class of a tone.
const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Bad => "bad",
        Tone::Warn => "warn",
        Tone::Good => "good",
        Tone::Cool => "cool",
        Tone::Quiet => "quiet",
        Tone::Plain => "plain",
    }
}

impl Markup {
    fn head(&mut self, title: &str) {
        self.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let policy = [("http-equiv", "Content-Security-Policy"), ("content", &policy::policy())];
        self.open("meta", &policy);
        self.raw(
            "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n",
        );
        self.element("title", &[], &format!("{title} - amdtriage"));
        self.raw("<style>");
        self.raw(policy::STYLE);
        self.raw("</style>\n</head>\n");
    }

    /// Writes `blocks`, with headings at `depth` or below. Blocks after a banner are below its
    /// heading.
    fn blocks(&mut self, blocks: &[Block], depth: Depth) {
        let mut depth = depth;
        for block in blocks {
            match block {
                Block::Banner(banner) => {
                    self.banner(banner, depth);
                    depth = depth.below();
                }
                Block::Prose(text) => self.paragraph(text),
                Block::Facts(facts) => self.facts(facts),
                Block::Section(section) => self.section(section, depth),
                Block::List(list) => self.list(list, depth),
                Block::Command(command) => self.command(command),
                Block::Listing(text) => self.listing(text),
                Block::Lines(lines) => self.list(&List::of(lines.iter().cloned()), depth),
                Block::Evidence(evidence) => self.evidence(evidence),
                Block::Table(table) => self.rows(table),
                Block::Timeline(timeline) => self.timeline(timeline),
            }
        }
    }

    fn pieces(&mut self, text: &Text) {
        for piece in text.pieces() {
            match piece {
                Piece::Plain(words) => self.text(words),
                Piece::Strong(words) => self.inline("strong", &[], words),
                Piece::Code(words) => self.inline("code", &[], words),
                Piece::Toned(tone, words) => self.inline("span", &[("class", class(*tone))], words),
                Piece::Address(address) => self.link(address),
                Piece::Reference { anchor, words } => {
                    self.inline("a", &[("href", &format!("#{anchor}"))], words);
                }
            }
        }
    }

    fn paragraph(&mut self, text: &Text) {
        self.raw("<p>");
        self.pieces(text);
        self.raw("</p>\n");
    }

    /// Writes the banner.
    fn banner(&mut self, banner: &Banner, depth: Depth) {
        let Banner { tone, state, about, headline, lead } = banner;
        self.open("header", &[("class", &format!("answer {}", class(*tone)))]);
        self.raw("\n");
        let state = Text::toned(*tone, state.as_str());
        // A result without a headline is the heading.
        let (heading, before) =
            if headline.is_empty() { (&state, None) } else { (headline, Some(&state)) };
        if before.is_some() || !about.is_empty() {
            self.raw("<p class=\"verdict\">");
            if let Some(state) = before {
                self.pieces(state);
            }
            for (at, about) in about.iter().enumerate() {
                if at > 0 || before.is_some() {
                    self.raw(" ");
                }
                self.inline("span", &[("class", "name")], about);
            }
            self.raw("</p>\n");
        }
        self.heading(depth, heading);
        for text in lead {
            self.raw("<p class=\"lead\">");
            self.pieces(text);
            self.raw("</p>\n");
        }
        self.close("header");
    }

    fn heading(&mut self, depth: Depth, title: &Text) {
        self.open(depth.tag(), &[]);
        self.pieces(title);
        self.close(depth.tag());
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.raw("<dl class=\"facts\">\n");
        for Fact { label, text } in facts {
            self.raw("<div>");
            self.inline("dt", &[], label);
            self.raw("<dd>");
            self.pieces(text);
            self.raw("</dd></div>\n");
        }
        self.raw("</dl>\n");
    }

    fn section(&mut self, section: &Section, depth: Depth) {
        let Section { title, frame, anchor, body } = section;
        let id = anchor.as_deref().map(|anchor| ("id", anchor));
        let inside = depth.below();
        match frame {
            Frame::Plain => {
                self.open("section", id.as_slice());
                self.raw("\n");
                self.heading(depth, title);
                self.blocks(body, inside);
                self.close("section");
            }
            Frame::Card => {
                let class = ("class", "card");
                self.open("article", &[&[class], id.as_slice()].concat());
                self.raw("\n");
                self.heading(depth, title);
                self.blocks(body, inside);
                self.close("article");
            }
            Frame::Folded | Frame::Unfolded | Frame::Choice => {
                let open: &[_] = if *frame == Frame::Unfolded { &[("open", "")] } else { &[] };
                let class = if *frame == Frame::Choice { "fold choice" } else { "fold" };
                self.open("details", &[&[("class", class)], open].concat());
                self.raw("<summary>");
                self.pieces(title);
                self.raw("</summary>\n");
                // Browsers expand a collapsed block if a link leads into it.
                self.open("div", &[&[("class", "told")], id.as_slice()].concat());
                self.blocks(body, depth);
                self.raw("</div></details>\n");
            }
        }
    }

    fn list(&mut self, list: &List, depth: Depth) {
        let (name, start) = match list.first {
            Some(first) => ("ol", first.to_string()),
            None => ("ul", String::new()),
        };
        let bodies = list.items.iter().any(|item| !item.body.is_empty());
        let mut attributes = vec![("class", if bodies { "steps" } else { "points" })];
        if list.first.is_some_and(|first| first > 1) {
            attributes.push(("start", start.as_str()));
        }
        self.open(name, &attributes);
        self.raw("\n");
        for Item { title, tag, body } in &list.items {
            let (begin, end) =
                if body.is_empty() { ("<li>", "") } else { ("<li><strong>", "</strong>") };
            self.raw(begin);
            self.pieces(title);
            self.raw(end);
            if let Some(tag) = tag {
                self.raw(" ");
                self.inline("span", &[("class", "tag")], tag);
            }
            if !body.is_empty() {
                self.raw("\n<div>\n");
                self.blocks(body, depth);
                self.raw("</div>");
            }
            self.raw("</li>\n");
        }
        self.close(name);
    }

    /// Commands for copying; a comment is a sentence above those that follow it.
    fn command(&mut self, command: &str) {
        let is_comment = |line: &&str| line.starts_with("# ");
        let mut lines = command.lines().peekable();
        while lines.peek().is_some() {
            while let Some(comment) = lines.next_if(is_comment) {
                self.note(comment.trim_start_matches("# "));
            }
            let mut code = Vec::new();
            while let Some(line) = lines.next_if(|line| !is_comment(line)) {
                code.push(line);
            }
            if code.is_empty() {
                continue;
            }
            self.raw("<pre><code>");
            for line in code {
                self.text(line);
                self.raw("\n");
            }
            self.raw("</code></pre>\n");
        }
    }

    fn listing(&mut self, text: &str) {
        self.raw("<pre class=\"listing\" tabindex=\"0\">");
        for line in text.lines() {
            self.text(line);
            self.raw("\n");
        }
        self.raw("</pre>\n");
    }

    fn evidence(&mut self, evidence: &Evidence) {
        self.raw("<pre>");
        for quote in &evidence.quotes {
            // Each line is a block of its own, whose continuation is indented.
            self.raw("<span class=\"quote\">");
            self.inline("span", &[("class", "line")], &format!("{:>6}", quote.line));
            self.raw("  ");
            self.text(&quote.text);
            if quote.times > 1 {
                self.inline("span", &[("class", "line")], &format!("  ×{}", quote.times));
            }
            self.raw("\n</span>");
        }
        self.raw("</pre>\n");
        if evidence.more > 0 {
            self.note(&format!("{} more.", several(evidence.more, "line")));
        }
    }

    fn rows(&mut self, table: &Table) {
        let titles: Vec<&str> = table.columns.iter().map(|column| column.title).collect();
        let class = match titles.len() {
            count if count > NARROW => "rows wide",
            count if count > NARROWEST => "rows stacked",
            _ => "rows",
        };
        self.table(&table.name, class, &titles);
        for row in &table.rows {
            self.raw("<tr>");
            for (at, cell) in row.iter().enumerate() {
                let column = table.columns.get(at);
                let numbers = column.is_some_and(|Column { numbers, .. }| *numbers);
                let title = column.map_or("", |column| column.title);
                let class = numbers.then_some(("class", "number"));
                let stacks = titles.len() > NARROWEST && !title.is_empty();
                let label = stacks.then_some(("data-label", title));
                self.open("td", &class.into_iter().chain(label).collect::<Vec<_>>());
                self.pieces(cell);
                self.end("td");
            }
            self.raw("</tr>\n");
        }
        self.end_table();
    }
}
