//! The structure of an answer, and its renderers: terminal, Markdown, HTML, and one line.
//!
//! Every command builds a [`Document`]. Renderers depend only on these parts, never on the command.
//! They decide widths, colours and marks; what is shown, and how much of it, is decided by the
//! document.
//!
//! Text in a document may come from a log. Only renderers pass it through [`untrusted`] and their
//! own escapes.

pub(crate) mod counts;
pub(crate) mod html;
pub(crate) mod line;
pub(crate) mod markdown;
pub(crate) mod phases;
pub(crate) mod shell;
pub mod terminal;
pub(crate) mod text;
pub(crate) mod timeline;
pub mod untrusted;
pub(crate) mod width;

pub(crate) use text::{Piece, Text, Tone};
pub(crate) use timeline::Timeline;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Document {
    /// Its name among others, such as the title of a page.
    pub(crate) title: String,
    /// Its contents, in order.
    pub(crate) blocks: Vec<Block>,
    /// The program that wrote it, for readers who get it from someone else; not shown on a
    /// terminal.
    pub(crate) foot: Option<Text>,
    /// Whether a terminal shows it without blank lines between its parts.
    pub(crate) tight: bool,
}

impl Document {
    /// An answer without a foot.
    pub(crate) fn new(title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { title: title.into(), blocks, foot: None, tight: false }
    }
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    /// The result: what happened, and whether it is over.
    Banner(Banner),
    /// A paragraph.
    Prose(Text),
    /// Names and values.
    Facts(Vec<Fact>),
    /// A section with a heading.
    Section(Section),
    /// Items, numbered or not.
    List(List),
    /// Shell commands that can be copied; lines that begin with `#` are comments.
    Command(String),
    /// Output of another program, unchanged.
    Listing(String),
    /// Lines that are neither indented nor wrapped on a terminal, so that `grep` and editors can
    /// use them.
    Lines(Vec<Text>),
    /// Lines of a log.
    Evidence(Evidence),
    /// Rows and columns.
    Table(Table),
    /// The timeline of a log.
    Timeline(Timeline),
}

/// The result, before everything else.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Banner {
    /// Whether it is good or bad.
    pub(crate) tone: Tone,
    /// The result in a few words: `GPU hang, recovered`.
    pub(crate) state: String,
    /// Its subject: which GPU, when, which file.
    pub(crate) about: Vec<String>,
    /// The result in one sentence.
    pub(crate) headline: Text,
    /// Further sentences, such as how it ended.
    pub(crate) lead: Vec<Text>,
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fact {
    /// The name: `GPU`.
    pub(crate) label: String,
    /// The value.
    pub(crate) text: Text,
}

impl Fact {
    pub(crate) fn new(label: impl Into<String>, text: impl Into<Text>) -> Self {
        Self { label: label.into(), text: text.into() }
    }
}

/// A section with a heading.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: Text,
    /// Its presentation.
    pub(crate) frame: Frame,
    /// The target of links to it.
    pub(crate) anchor: Option<String>,
    /// Its contents.
    pub(crate) body: Vec<Block>,
}

impl Section {
    /// A section in the plain frame.
    pub(crate) fn new(title: impl Into<Text>, body: Vec<Block>) -> Self {
        Self { title: title.into(), frame: Frame::Plain, anchor: None, body }
    }

    /// The same section in another frame.
    pub(crate) fn framed(self, frame: Frame) -> Self {
        Self { frame, ..self }
    }

    /// The same section with a link target.
    pub(crate) fn anchored(self, anchor: impl Into<String>) -> Self {
        Self { anchor: Some(anchor.into()), ..self }
    }
}

/// The presentation of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// In sequence with the others.
    Plain,
    /// A separate unit within its section.
    Card,
    /// Collapsed, if the format allows: for details.
    Folded,
    /// Collapsible, but expanded at first.
    Unfolded,
    /// One of several alternatives, collapsed and beside the others, if the format allows.
    Choice,
}

/// Items, numbered or not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct List {
    /// The number of the first item; `None` if the list is not numbered.
    pub(crate) first: Option<usize>,
    pub(crate) items: Vec<Item>,
}

impl List {
    /// An unnumbered list.
    pub(crate) fn of<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Self {
        Self { first: None, items: items.into_iter().map(Item::new).collect() }
    }
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// The item in one sentence.
    pub(crate) title: Text,
    /// A label after the sentence: `documented`.
    pub(crate) tag: Option<String>,
    /// Details.
    pub(crate) body: Vec<Block>,
}

impl Item {
    /// An item without details.
    pub(crate) fn new(title: impl Into<Text>) -> Self {
        Self { title: title.into(), tag: None, body: Vec::new() }
    }
}

/// Lines of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// The lines, in order.
    pub(crate) quotes: Vec<Quote>,
    /// Whether long lines are cut to fit.
    pub(crate) brief: bool,
    /// The number of further lines that are not shown.
    pub(crate) more: usize,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// Its number, from 1.
    pub(crate) line: u64,
    /// What it says.
    pub(crate) text: String,
    /// The same without what can be spared where there is no room, from most to least.
    pub(crate) shorter: Vec<String>,
    /// What must stay of it where it is cut.
    pub(crate) keep: Vec<String>,
    /// The number of occurrences in the log.
    pub(crate) times: usize,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// Its description for screen readers.
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Text>>,
    /// Whether each row is one line of any length where the width of the page is unknown, such as
    /// in a pipe, so that `grep` works.
    pub(crate) one_line: bool,
}

/// A column of a table.
#[allow(clippy::struct_excessive_bools, reason = "independent properties of a column")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// Its heading; empty if it needs none.
    pub(crate) title: &'static str,
    /// Whether it contains numbers, which are aligned to the right.
    pub(crate) numbers: bool,
    /// Whether its cells are never broken into lines.
    pub(crate) unbroken: bool,
    /// Whether it is left out on a page that is too narrow for all columns.
    pub(crate) spare: bool,
    /// Whether it goes below the others with its title, together with all others of this kind, if
    /// there is no room for one of them.
    pub(crate) labelled: bool,
}

impl Column {
    /// A column of words.
    pub(crate) const fn words(title: &'static str) -> Self {
        Self { title, numbers: false, unbroken: false, spare: false, labelled: false }
    }

    /// A column of short codes, of which each has to stay whole.
    pub(crate) const fn codes(title: &'static str) -> Self {
        Self { unbroken: true, ..Self::words(title) }
    }

    /// A column of numbers.
    pub(crate) const fn numbers(title: &'static str) -> Self {
        Self { numbers: true, ..Self::codes(title) }
    }

    /// The same column, which is left out on a page that is too narrow for all.
    pub(crate) const fn spare(self) -> Self {
        Self { spare: true, ..self }
    }

    /// The same column, which goes below the others with its title.
    pub(crate) const fn labelled(self) -> Self {
        Self { labelled: true, ..self }
    }
}

impl Table {
    /// A table in which each row is one line if possible.
    pub(crate) fn of_lines(
        name: &str,
        columns: impl Into<Vec<Column>>,
        rows: impl IntoIterator<Item = Vec<Text>>,
    ) -> Self {
        let (name, columns, rows) = (name.to_owned(), columns.into(), rows.into_iter().collect());
        Self { name, columns, rows, one_line: true }
    }
}

impl From<Section> for Block {
    fn from(section: Section) -> Self {
        Self::Section(section)
    }
}

impl From<List> for Block {
    fn from(list: List) -> Self {
        Self::List(list)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

/// The facts with a value.
pub(crate) fn facts<T: Into<Text>>(all: impl IntoIterator<Item = (&'static str, T)>) -> Block {
    let all = all.into_iter().map(|(label, text)| Fact::new(label, text));
    Block::Facts(all.filter(|fact| !fact.text.is_empty()).collect())
}

/// A section; `None` if its body is empty.
pub(crate) fn section(title: impl Into<Text>, body: Vec<Block>) -> Option<Block> {
    let empty = |block: &Block| match block {
        Block::Facts(facts) => facts.is_empty(),
        Block::List(list) => list.items.is_empty(),
        Block::Command(command) => command.is_empty(),
        Block::Table(table) => table.rows.is_empty(),
        Block::Evidence(evidence) => evidence.quotes.is_empty(),
        Block::Section(section) => section.body.is_empty(),
        Block::Prose(text) => text.is_empty(),
        Block::Lines(lines) => lines.is_empty(),
        Block::Banner(_) | Block::Listing(_) | Block::Timeline(_) => false,
    };
    (!body.iter().all(empty)).then(|| Section::new(title, body).into())
}

/// A paragraph.
pub(crate) fn prose(text: impl Into<Text>) -> Block {
    Block::Prose(text.into())
}
