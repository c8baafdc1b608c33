//! Verifies that no private data is left in a bundle.

use std::io::{self, BufReader};

use crate::bundle::Member;
use crate::redact::stream::{self, LineLeftover};
use crate::redact::{Kind, Redactor};

/// Whether values of this kind are words with other uses.
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

/// The magic number of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Maximum number of places to report.
const NAMED: usize = 20;

/// A place where private data is left; the data itself is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its kind.
    pub kind: Kind,
    /// The file in the bundle.
    pub member: String,
    /// The line number, from 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: usize,
}

impl std::fmt::Display for Left {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, member, line, column } = self;
        write!(f, "{} in {member}, line {line}, column {column}", kind.name())
    }
}

/// The private data that is left in `members`. Pages contain words of this program, which may
/// coincide with a machine's name, so names are not searched for in them.
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
