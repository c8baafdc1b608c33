//! Bytes to unpacked bytes: a container is told by its first bytes, never by a file name.

mod packed;
mod streams;

use std::fmt;
use std::io::{self, Cursor, Read};

use self::packed::Unpacking;
use super::archive;
use super::charset::Charset;
use super::cost::{Budget, Count, JOURNAL_LIMIT, Limit, Meter};

/// How much memory one unpacker may ask for, in MiB. The highest levels of `xz` and `zstd` want 64
/// and 128.
pub const MEMORY_LIMIT: u32 = 256;

/// How many containers may lie one in another: no archive that a program writes has more than three.
pub(super) const NESTING_LIMIT: u32 = 6;

/// How far into the input [`unpacked`] looks before it says what the bytes are.
const SAMPLE: u64 = 8 << 10;

/// Compressed forms that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// gzip, with any number of members.
    Gzip,
    /// Zstandard, with any number of frames.
    Zstd,
    /// xz, with any number of streams.
    Xz,
    /// bzip2, with any number of streams.
    Bzip2,
}

impl Compression {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
        }
    }

    /// The form whose first bytes these are.
    fn of(head: &[u8]) -> Option<Self> {
        // A zstd file may begin with frames that are skipped: `50 2A 4D 18` to `5F 2A 4D 18`.
        let skipped = head.get(1..4) == Some(b"\x2A\x4D\x18")
            && head.first().is_some_and(|byte| byte >> 4 == 5);
        if head.starts_with(b"\x1F\x8B") {
            Some(Self::Gzip)
        } else if head.starts_with(b"\x28\xB5\x2F\xFD") || skipped {
            Some(Self::Zstd)
        } else if head.starts_with(b"\xFD7zXZ\0") {
            Some(Self::Xz)
        } else if is_bzip2(head) {
            Some(Self::Bzip2)
        } else {
            None
        }
    }
}

/// The first three bytes are letters, so what follows them has to fit as well: the block size, and the
/// mark of a block or of the end.
fn is_bzip2(head: &[u8]) -> bool {
    let Some([size, mark @ ..]) = head.strip_prefix(b"BZh") else { return false };
    let mark = mark.get(..6).unwrap_or(mark);
    (b'1'..=b'9').contains(size)
        && (b"1AY&SY".starts_with(mark) || b"\x17\x72\x45\x38\x50\x90".starts_with(mark))
}

/// What an input can be packed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A compressed file.
    Compressed(Compression),
    /// A tar archive.
    Tar,
    /// A journal of systemd, in which one text may stand for any number of entries.
    Journal,
}

impl Container {
    /// The word for it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Compressed(compression) => compression.name(),
            Self::Tar => "tar",
            Self::Journal => "journal",
        }
    }

    /// The command that unpacks as much of `file` as can be, to standard output.
    pub(super) fn command(self, file: &str) -> String {
        match self {
            Self::Compressed(Compression::Gzip) => format!("zcat {file}"),
            Self::Compressed(compression) => format!("{} -dc {file}", compression.name()),
            Self::Tar => format!("tar -xOf {file}"),
            Self::Journal => format!("journalctl -o export --file {file}"),
        }
    }

    /// The command that says whether `file` is whole.
    pub(super) fn check(self, file: &str) -> String {
        match self {
            Self::Compressed(compression) => format!("{} -t {file}", compression.name()),
            Self::Tar => format!("tar -tf {file}"),
            Self::Journal => format!("journalctl --verify --file {file}"),
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compressed(compression) => write!(f, "{} file", compression.name()),
            Self::Tar => f.write_str("tar archive"),
            Self::Journal => f.write_str("systemd journal"),
        }
    }
}

/// Containers that may hold a log and that another program has to unpack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Foreign {
    /// lz4.
    #[strum(to_string = "an lz4 file")]
    Lz4,
    /// zip.
    #[strum(to_string = "a zip archive")]
    Zip,
}

impl Foreign {
    /// The command that turns the file into text that can be read.
    pub(super) fn command(self, file: &str) -> String {
        match self {
            Self::Lz4 => format!("lz4 -dc {file} | amdtriage"),
            Self::Zip => format!("unzip -p {file} | amdtriage"),
        }
    }
}

/// Why unpacking stopped; carried by the [`io::Error`] of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// The packed data ends early.
    #[error("the end of the {0} is missing")]
    Truncated(Container),
    /// The packed data contradicts itself.
    #[error("the {0} is damaged")]
    Corrupt(Container),
    /// Unpacking takes more memory than [`MEMORY_LIMIT`].
    #[error("the {0} takes more than {MEMORY_LIMIT} MiB of memory to unpack")]
    TooHungry(Container),
    /// Unpacking it costs too much.
    #[error("the {0} {1}")]
    TooLarge(Container, Limit),
    /// A journal is too large to be copied into a temporary file.
    #[error("the systemd journal is larger than {} GiB", JOURNAL_LIMIT >> 30)]
    TooLargeToCopy,
    /// More than a few containers lie one in another.
    #[error("the {0} is packed too many times")]
    TooDeep(Container),
}

impl UnpackError {
    pub(super) fn raised(self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self)
    }

    /// What `error` carries, if it is one of these.
    pub(super) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// What the bytes turned out to be.
pub(super) enum Kind {
    Text,
    Empty,
    Binary(&'static str),
    Foreign(Foreign),
    Tar,
    Journal,
}

pub(super) struct Content<'a> {
    /// The innermost of the compressions that were taken off.
    pub(super) compression: Option<Compression>,
    /// How many of them there are.
    pub(super) layers: u32,
    pub(super) reader: Box<dyn Read + 'a>,
    pub(super) kind: Kind,
}

/// Takes off what compression there is and says what is inside.
///
/// `nesting` is how many containers there were before.
pub(super) fn unpacked<'a>(
    reader: impl Read + 'a,
    budget: &Budget,
    nesting: u32,
) -> io::Result<Content<'a>> {
    let mut compression = None;
    let mut layers = 0;
    let packed = Count::default();
    let (mut head, mut reader) = peeked(packed.counted(reader))?;
    while let Some(found) = Compression::of(&head) {
        compression = Some(found);
        layers += 1;
        if nesting + layers > NESTING_LIMIT {
            return Err(UnpackError::TooDeep(Container::Compressed(found)).raised());
        }
        let meter = Meter::new(Container::Compressed(found), packed.clone(), budget.clone());
        (head, reader) = peeked(Unpacking::new(found, reader, meter))?;
    }
    Ok(Content { compression, layers, reader, kind: kind(&head) })
}

/// The first bytes, and a reader that still begins with them.
///
/// A failure behind the first byte is left for the one who reads on: what came before it counts.
pub(super) fn peeked<'a>(mut reader: impl Read + 'a) -> io::Result<(Vec<u8>, Box<dyn Read + 'a>)> {
    let mut head = Vec::new();
    match reader.by_ref().take(SAMPLE).read_to_end(&mut head) {
        Err(error) if head.is_empty() => Err(error),
        outcome => {
            let failure = Failure(outcome.err());
            let again = Cursor::new(head.clone()).chain(failure).chain(reader);
            Ok((head, Box::new(again)))
        }
    }
}

/// Fails once if there is something to report, else is empty.
struct Failure(Option<io::Error>);

impl Read for Failure {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// First bytes of things that people hand over by mistake.
const MISTAKES: &[(&[u8], &str)] = &[
    (b"\x89PNG", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7FELF", "a program"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xBC\xAF", "a 7z archive"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3\0", "a database"),
];

fn kind(head: &[u8]) -> Kind {
    if head.is_empty() {
        return Kind::Empty;
    }
    if head.starts_with(b"LPKSHHRH") {
        return Kind::Journal;
    }
    if head.get(257..262) == Some(b"ustar") || archive::is_header(head) {
        return Kind::Tar;
    }
    if head.starts_with(b"\x04\x22\x4D\x18") {
        return Kind::Foreign(Foreign::Lz4);
    }
    if head.starts_with(b"PK\x03\x04") {
        return Kind::Foreign(Foreign::Zip);
    }
    if let Some((_, what)) = MISTAKES.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Kind::Binary(what);
    }
    if Charset::of(head) == Charset::Utf8 && !is_export(head) && is_binary(head) {
        return Kind::Binary("binary data");
    }
    Kind::Text
}

/// Whether this is a journal in its export form, in which fields may stand that are no text.
fn is_export(head: &[u8]) -> bool {
    head.starts_with(b"__CURSOR=") || head.starts_with(b"__REALTIME_TIMESTAMP=")
}

/// Whether more than a twentieth is what no log writes. A run of NUL is what a power loss leaves in a
/// log, so it counts once.
fn is_binary(head: &[u8]) -> bool {
    let mut strange = 0;
    let mut all = 0;
    let mut before = b'\n';
    for &byte in head {
        if byte != 0 || before != 0 {
            all += 1;
            let control = byte < 0x20 || byte == 0x7F;
            strange += usize::from(control && !b"\t\n\r\x08\x07\x0B\x0C\x1B".contains(&byte));
        }
        before = byte;
    }
    strange * 20 > all
}
