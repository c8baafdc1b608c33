//! Cells of a table.

use super::arrange::Need;
use super::flow::{Line, broken, chunk_width, words};
use super::{Look, painted};
use crate::document::width::columns;
use crate::document::{Piece, Text, untrusted::Untrusted};

/// A cell as it is shown on one line.
pub(super) struct Cell {
    text: Text,
    /// It on one line.
    pub(super) line: Line,
    /// The width that it takes.
    pub(super) need: Need,
}

impl Cell {
    pub(super) fn new(text: Text, look: Look) -> Self {
        let mut line = Line::default();
        for piece in text.pieces() {
            let words = Untrusted(piece.words()).to_string();
            line.width += columns(&words);
            line.plain.push_str(&words);
            match piece {
                Piece::Toned(tone, _) => line.shown.push_str(&painted(&words, *tone, look)),
                Piece::Plain(_)
                | Piece::Strong(_)
                | Piece::Code(_)
                | Piece::Address(_)
                | Piece::Reference { .. } => line.shown.push_str(&words),
            }
        }
        Self { need: Need { whole: line.width, word: 0 }, text, line }
    }

    /// The same with the width of its longest word, which a page of limited width needs.
    pub(super) fn with_word(mut self) -> Self {
        let words = words(&self.text);
        self.need.word = words.iter().map(chunk_width).max().unwrap_or_default();
        self
    }

    pub(super) fn as_str(&self) -> &str {
        &self.line.shown
    }

    /// Its lines within `width` columns.
    pub(super) fn lines(&self, width: usize, look: Look) -> Vec<Line> {
        if self.line.width <= width {
            return vec![self.line.clone()];
        }
        broken(words(&self.text), width, look.colour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_too_long_is_broken_after_punctuation() {
        let look = Look { width: Some(40), colour: false };
        let cell = Cell::new("see /var/log/journal/0123456789abcdef/system.journal".into(), look);
        let lines: Vec<String> = cell.lines(24, look).into_iter().map(|line| line.shown).collect();
        assert_eq!(lines, ["see /var/log/journal/", "0123456789abcdef/", "system.journal"]);
    }
}
