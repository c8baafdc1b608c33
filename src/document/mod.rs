//! What an answer says, in parts of known meaning; and how those look on a terminal, in Markdown, in HTML and
//! in one line.
//!
//! Every answer builds a [`Document`]. The renderers know these parts and no answer. They decide nothing but
//! widths, colours and marks; what is shown, and how much of it, the document says.
//!
//! Text in a document may come from a log. Each renderer passes it through [`untrusted`] and its own escapes;
//! nothing else does.

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
    /// What it is called where it stands among others: the title of a page.
    pub(crate) title: String,
    /// What it says, in order.
    pub(crate) blocks: Vec<Block>,
    /// What wrote it, for those who get it from somebody else; a terminal does not show it.
    pub(crate) foot: Option<Text>,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    /// The answer to the question: what happened, and is it over.
    Banner(Banner),
    /// A paragraph.
    Prose(Text),
    /// Names and what they stand for.
    Facts(Vec<Fact>),
    /// A part with a heading.
    Section(Section),
    /// Things of a kind, or steps in their order.
    List(List),
    /// Lines for a shell, those that begin with `#` for the reader. They can be copied.
    Command(String),
    /// Text as it stands, of some other program.
    Listing(String),
    /// Lines of a log.
    Evidence(Evidence),
    /// Rows and columns.
    Table(Table),
    /// The course of a log as a picture.
    Timeline(Timeline),
}

/// The answer, in front of everything.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Banner {
    /// How good or bad it is.
    pub(crate) tone: Tone,
    /// The answer in a few words: `GPU hang, recovered`.
    pub(crate) state: String,
    /// What it is about: which GPU, when, which file.
    pub(crate) about: Vec<String>,
    /// The answer in one sentence.
    pub(crate) headline: Text,
    /// What belongs to it: how it ended.
    pub(crate) lead: Vec<Text>,
}

/// A name and what it stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fact {
    /// What it is: `GPU`.
    pub(crate) label: String,
    /// What is known of it.
    pub(crate) text: Text,
}

impl Fact {
    /// A fact.
    pub(crate) fn new(label: impl Into<String>, text: impl Into<Text>) -> Self {
        Self { label: label.into(), text: text.into() }
    }
}

/// A part with a heading.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: Text,
    /// How it stands among the others.
    pub(crate) frame: Frame,
    /// By what a link reaches it.
    pub(crate) anchor: Option<String>,
    /// What it says.
    pub(crate) body: Vec<Block>,
}

impl Section {
    /// A part among others.
    pub(crate) fn new(title: impl Into<Text>, body: Vec<Block>) -> Self {
        Self { title: title.into(), frame: Frame::Plain, anchor: None, body }
    }

    /// The same in another frame.
    pub(crate) fn framed(self, frame: Frame) -> Self {
        Self { frame, ..self }
    }

    /// The same, to be reached by a link.
    pub(crate) fn anchored(self, anchor: impl Into<String>) -> Self {
        Self { anchor: Some(anchor.into()), ..self }
    }
}

/// How a section stands among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// One after the other.
    Plain,
    /// A thing of its own within its section.
    Card,
    /// Folded where something can be folded: few people read it.
    Folded,
    /// The same, and unfolded at first.
    Unfolded,
}

/// Things of a kind, or steps in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct List {
    /// The number of the first; `None` where the order is none.
    pub(crate) first: Option<usize>,
    /// The things.
    pub(crate) items: Vec<Item>,
}

impl List {
    /// Things of a kind.
    pub(crate) fn of<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Self {
        Self { first: None, items: items.into_iter().map(Item::new).collect() }
    }
}

/// One thing of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// What it is, in a sentence.
    pub(crate) title: Text,
    /// A word on it, apart from the sentence: `documented`.
    pub(crate) tag: Option<String>,
    /// What there is to say of it.
    pub(crate) body: Vec<Block>,
}

impl Item {
    /// A thing of which there is no more to say.
    pub(crate) fn new(title: impl Into<Text>) -> Self {
        Self { title: title.into(), tag: None, body: Vec::new() }
    }
}

/// Lines of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// The lines, in order.
    pub(crate) quotes: Vec<Quote>,
    /// Whether a line that is too long is shown as far as it fits.
    pub(crate) brief: bool,
    /// How many more there are.
    pub(crate) more: usize,
}

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    /// Its number, from 1.
    pub(crate) line: u64,
    /// What it says.
    pub(crate) text: String,
    /// How often the log has it.
    pub(crate) times: usize,
}

/// Rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// What it shows, for those who do not see it.
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Text>>,
    /// Whether a row is one line, however long, so that other programs can look for it.
    pub(crate) one_line: bool,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    /// What stands in it; nothing where that is plain to see.
    pub(crate) title: &'static str,
    /// Whether it holds numbers, which stand on the right.
    pub(crate) numbers: bool,
}

impl Column {
    /// A column of words.
    pub(crate) const fn words(title: &'static str) -> Self {
        Self { title, numbers: false }
    }

    /// A column of numbers.
    pub(crate) const fn numbers(title: &'static str) -> Self {
        Self { title, numbers: true }
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

/// Those of the facts of which something is known.
pub(crate) fn facts<T: Into<Text>>(all: impl IntoIterator<Item = (&'static str, T)>) -> Block {
    let all = all.into_iter().map(|(label, text)| Fact::new(label, text));
    Block::Facts(all.filter(|fact| !fact.text.is_empty()).collect())
}

/// A part of an answer, where there is anything in it.
pub(crate) fn section(title: impl Into<Text>, body: Vec<Block>) -> Option<Block> {
    let empty = |block: &Block| match block {
        Block::Facts(facts) => facts.is_empty(),
        Block::List(list) => list.items.is_empty(),
        Block::Command(command) => command.is_empty(),
        Block::Table(table) => table.rows.is_empty(),
        Block::Evidence(evidence) => evidence.quotes.is_empty(),
        Block::Section(section) => section.body.is_empty(),
        Block::Prose(text) => text.is_empty(),
        Block::Banner(_) | Block::Listing(_) | Block::Timeline(_) => false,
    };
    (!body.iter().all(empty)).then(|| Section::new(title, body).into())
}

/// A paragraph.
pub(crate) fn prose(text: impl Into<Text>) -> Block {
    Block::Prose(text.into())
}
