//! Sentences: plain words, and pieces of them that mean something more.

use std::fmt;

use crate::pattern::instruction::{self, Instruction};

/// How good or bad something is, or how quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tone {
    Bad,
    Warn,
    Good,
    Cool,
    Quiet,
    /// Neither.
    Plain,
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Piece {
    Plain(String),
    Strong(String),
    /// What is typed, or named as it stands; never broken into lines.
    Code(String),
    /// Words that show how good or bad something is.
    Toned(Tone, String),
    /// An address, shown as it is.
    Address(String),
    /// Words that lead to the section with this anchor.
    Reference {
        anchor: String,
        words: String,
    },
}

impl Piece {
    /// Its words, without marks.
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

/// A sentence, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text(Vec<Piece>);

impl Text {
    /// Words that show how good or bad something is.
    pub(crate) fn toned(tone: Tone, words: impl Into<String>) -> Self {
        Self(vec![Piece::Toned(tone, words.into())])
    }

    /// What is typed, or named as it stands.
    pub(crate) fn code(words: impl Into<String>) -> Self {
        Self(vec![Piece::Code(words.into())])
    }

    /// Where to read on.
    pub(crate) fn address(address: impl Into<String>) -> Self {
        Self(vec![Piece::Address(address.into())])
    }

    /// Words that stand out.
    pub(crate) fn strong(words: impl Into<String>) -> Self {
        Self(vec![Piece::Strong(words.into())])
    }

    /// The pieces.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// The same with more behind it.
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

/// The words, without marks.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(piece.words()))
    }
}
