//! The second look at what is to be given away, and the list of what was taken out.

use std::io::{self, Read, Write};

use crate::bundle::Member;
use crate::input::Lines;
use crate::redact::{Kind, Redactor, Token};

/// How a file begins that is packed with gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// So many places are named at most.
const NAMED: usize = 20;

/// Where something private is left: of which kind, and in which file, line and column. What it is stays
/// unsaid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// What it is.
    pub kind: Kind,
    /// The file of the bundle.
    pub member: String,
    /// The line, counted from 1.
    pub line: u64,
    /// The byte of the line, counted from 1.
    pub column: usize,
}

impl std::fmt::Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, member, line, column } = self;
        write!(f, "{} in {member}, line {line}, column {column}", kind.name())
    }
}

/// What is private and still in one of `members`.
pub(super) fn left(redactor: &Redactor, members: &[Member]) -> io::Result<Vec<Left>> {
    let mut all = Vec::new();
    for member in members {
        if member.content.starts_with(&GZIP) {
            look(
                redactor,
                member,
                flate2::read::GzDecoder::new(member.content.as_slice()),
                &mut all,
            )?;
        } else {
            look(redactor, member, member.content.as_slice(), &mut all)?;
        }
    }
    all.truncate(NAMED);
    Ok(all)
}

fn look(
    redactor: &Redactor,
    member: &Member,
    reader: impl Read,
    all: &mut Vec<Left>,
) -> io::Result<()> {
    let mut lines = Lines::new(reader);
    while let Some(line) = lines.next()? {
        for found in redactor.leftovers(line.text) {
            all.push(Left {
                kind: found.kind,
                member: member.name.clone(),
                line: line.number,
                column: found.column + 1,
            });
        }
    }
    Ok(())
}

/// Writes what each token stands for, one a line.
pub(super) fn write_mapping(mapping: &[(Token, &str)], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "# What the tokens of a bundle stand for. Keep this to yourself.")?;
    mapping.iter().try_for_each(|(token, value)| writeln!(out, "{token}\t{value}"))
}
