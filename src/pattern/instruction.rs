//! Sentences with commands in backticks, such as `uname -r`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A sentence with commands in backticks.
///
/// Renderers may wrap words but never a command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Instruction(String);

/// A part of an [`Instruction`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Words(&'a str),
    /// A command.
    Command(&'a str),
}

impl Instruction {
    /// Parses a sentence. Fails if a backtick is unpaired or a command is empty.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let parts: Vec<&str> = text.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return Err("a command begins with a backtick and does not end with one");
        }
        let mut commands = parts.iter().skip(1).step_by(2);
        if commands.any(|command| command.trim().is_empty()) {
            return Err("there is nothing between two backticks");
        }
        Ok(Self(text.to_owned()))
    }

    /// Its words and commands, in order.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let parts = self.0.split('`').enumerate();
        let pieces = parts.map(|(index, part)| match index % 2 {
            0 => Piece::Words(part),
            _ => Piece::Command(part),
        });
        pieces.filter(|piece| !matches!(piece, Piece::Words("")))
    }

    /// The same with placeholders filled in.
    pub(crate) fn map(&self, fill: impl FnOnce(&str) -> String) -> Self {
        Self(fill(&self.0))
    }
}

/// Prints the sentence without backticks.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.split('`').try_for_each(|part| f.write_str(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_between_backticks() {
        let read = Instruction::parse("`uname -r` prints 6.8; or `cat x`").unwrap();
        let pieces: Vec<_> = read.pieces().collect();
        let words = [Piece::Words(" prints 6.8; or ")];
        assert_eq!(pieces[..1], [Piece::Command("uname -r")]);
        assert_eq!(pieces[1..2], words);
        assert_eq!(pieces[2..], [Piece::Command("cat x")]);
        assert_eq!(read.to_string(), "uname -r prints 6.8; or cat x");
        assert_eq!(Instruction::default().pieces().count(), 0);
    }

    #[test]
    fn a_command_has_an_end_and_something_to_type() {
        for wrong in ["`uname -r", "a ` b", "nothing ``", "nothing ` ` here"] {
            assert!(Instruction::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Instruction::parse("`a` `b`").is_ok());
    }
}
