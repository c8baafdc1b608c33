//! Sentences with marked parts.

use std::fmt;

use crate::pattern::instruction::{self, Instruction};

/// Whether something is good, bad, or less important.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tone {
    Bad,
    Warn,
    Good,
    Cool,
    Quiet,
    /// Neutral.
    Plain,
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Piece {
    Plain(String),
    Strong(String),
    /// Code, commands or names; never broken across lines.
    Code(String),
    /// Words with a tone.
    Toned(Tone, String),
    /// A URL, shown as it is.
    Address(String),
    /// A link to the section with this anchor.
    Reference {
        anchor: String,
        words: String,
    },
}

impl Piece {
    /// Its words without markup.
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::Plain(words)
            | Self::Strong(words)
            | Self::Code(words)
            | Self::Toned(_, words)
            | Self::Address(words)
            | Self::Reference { words, .. } => words,
        }
    }
}

/// One or more sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text(Vec<Piece>);

impl Text {
    /// Words with a tone.
    pub(crate) fn toned(tone: Tone, words: impl Into<String>) -> Self {
        Self(vec![Piece::Toned(tone, words.into())])
    }

    /// Code, a command or a name.
    pub(crate) fn code(words: impl Into<String>) -> Self {
        Self(vec![Piece::Code(words.into())])
    }

    /// A URL.
    pub(crate) fn address(address: impl Into<String>) -> Self {
        Self(vec![Piece::Address(address.into())])
    }

    /// Emphasised words.
    pub(crate) fn strong(words: impl Into<String>) -> Self {
        Self(vec![Piece::Strong(words.into())])
    }

    /// Words in which backticks mark code.
    pub(crate) fn marked(words: &str) -> Self {
        Instruction::parse(words).map_or_else(|_| words.into(), |marked| (&marked).into())
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// The same text with `more` appended.
    #[must_use]
    pub(crate) fn and(mut self, more: impl Into<Self>) -> Self {
        self.0.append(&mut more.into().0);
        self
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|piece| piece.words().is_empty())
    }
}

impl From<Piece> for Text {
    fn from(piece: Piece) -> Self {
        Self(vec![piece])
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self(vec![Piece::Plain(words)])
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl From<&String> for Text {
    fn from(words: &String) -> Self {
        words.as_str().into()
    }
}

impl From<&Instruction> for Text {
    fn from(instruction: &Instruction) -> Self {
        let piece = |piece: instruction::Piece<'_>| match piece {
            instruction::Piece::Words(words) => Piece::Plain(words.to_owned()),
            instruction::Piece::Command(command) => Piece::Code(command.to_owned()),
        };
        Self(instruction.pieces().map(piece).collect())
    }
}

/// The words without markup.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(piece.words()))
    }
}
