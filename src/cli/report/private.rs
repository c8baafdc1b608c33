//! The second look at what is to be given away.

use std::io::{self, BufReader};

use crate::bundle::Member;
use crate::redact::stream::{self, LineLeftover};
use crate::redact::{Kind, Redactor};

/// Whether values of this kind are words that anybody may use.
const fn is_a_name(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Host
            | Kind::User
            | Kind::Domain
            | Kind::Ssid
            | Kind::Volume
            | Kind::Bluetooth
            | Kind::File
            | Kind::Container
            | Kind::Process
            | Kind::Serial
            | Kind::Usb
            | Kind::Disk
            | Kind::Secret
    )
}

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

/// What is private and still in one of `members`. The pages say what the other files say, in words of this
/// program: a machine may be called like one of those, so that in pages no name is looked for.
pub(super) fn left(redactor: &Redactor, members: &[Member]) -> io::Result<Vec<Left>> {
    let mut all = Vec::new();
    for member in members {
        let mut found = |LineLeftover { line, left }: LineLeftover| {
            let ours = member.is_page && is_a_name(left.kind);
            if all.len() < NAMED && !ours {
                let member = member.name.clone();
                all.push(Left { kind: left.kind, member, line, column: left.column + 1 });
            }
        };
        let content = member.content.as_slice();
        if content.starts_with(&GZIP) {
            let reader = BufReader::new(flate2::read::GzDecoder::new(content));
            stream::leftovers(redactor, reader, &mut found)?;
        } else {
            stream::leftovers(redactor, content, &mut found)?;
        }
    }
    Ok(all)
}
