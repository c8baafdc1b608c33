//! Detects and decompresses containers, by their first bytes and never by file name.

mod packed;
mod streams;

use std::fmt;
use std::io::{self, Cursor, Read};

use self::packed::Unpacking;
use super::archive;
use super::charset::Charset;
use super::cost::{Budget, Count, JOURNAL_LIMIT, Limit, Meter};

/// Maximum memory for decompression, in MiB. The highest levels of `xz` and `zstd` need 64 and 128.
pub const MEMORY_LIMIT: u32 = 256;

/// Maximum nesting of containers; no program writes more than three levels.
pub(super) const NESTING_LIMIT: u32 = 6;

/// The number of bytes that [`unpacked`] examines to determine the content.
const SAMPLE: u64 = 8 << 10;

/// Supported compression formats.
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

    /// The compression with this magic number.
    fn of(head: &[u8]) -> Option<Self> {
        // A zstd file may begin with skippable frames: `50 2A 4D 18` to `5F 2A 4D 18`.
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

/// The first three bytes are letters, so the following ones are checked, too: the block size, and
/// the magic number of a block or of the end.
fn is_bzip2(head: &[u8]) -> bool {
    let Some([size, mark @ ..]) = head.strip_prefix(b"BZh") else { return false };
    let mark = mark.get(..6).unwrap_or(mark);
    (b'1'..=b'9').contains(size)
        && (b"1AY&SY".starts_with(mark) || b"\x17\x72\x45\x38\x50\x90".starts_with(mark))
}

/// A container of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// A compressed file.
    Compressed(Compression),
    /// A tar archive.
    Tar,
    /// A systemd journal, in which one text may be shared by any number of entries.
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

    /// The command that decompresses as much of `file` as possible to standard output.
    pub(super) fn command(self, file: &str) -> String {
        match self {
            Self::Compressed(Compression::Gzip) => format!("zcat {file}"),
            Self::Compressed(compression) => format!("{} -dc {file}", compression.name()),
            Self::Tar => format!("tar -xOf {file}"),
            Self::Journal => format!("journalctl -o export --file {file}"),
        }
    }

    /// The command that verifies `file`.
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

/// Containers that may hold a log and that need another program.
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
    /// The command that converts the file to text.
    pub(super) fn command(self, file: &str) -> String {
        match self {
            Self::Lz4 => format!("lz4 -dc {file} | amdtriage"),
            Self::Zip => format!("unzip -p {file} | amdtriage"),
        }
    }
}

/// Why decompression failed; wrapped in the [`io::Error`] of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// The compressed data is truncated.
    #[error("the end of the {0} is missing")]
    Truncated(Container),
    /// The compressed data is corrupt.
    #[error("the {0} is damaged")]
    Corrupt(Container),
    /// Decompression needs more memory than [`MEMORY_LIMIT`].
    #[error("the {0} takes more than {MEMORY_LIMIT} MiB of memory to unpack")]
    TooHungry(Container),
    /// Decompression exceeds a limit.
    #[error("the {0} {1}")]
    TooLarge(Container, Limit),
    /// A journal is too large to be copied into a temporary file.
    #[error("the systemd journal is larger than {} GiB", JOURNAL_LIMIT >> 30)]
    TooLargeToCopy,
    /// Containers are nested too deeply.
    #[error("the {0} is packed too many times")]
    TooDeep(Container),
}

impl UnpackError {
    pub(super) fn raised(self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self)
    }

    /// The error that `error` wraps, if it is one of these.
    pub(super) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// The content after decompression.
pub(super) enum Kind {
    Text,
    Empty,
    Binary(&'static str),
    Foreign(Foreign),
    Tar,
    Journal,
}

pub(super) struct Content<'a> {
    /// The innermost compression.
    pub(super) compression: Option<Compression>,
    /// The number of compressions.
    pub(super) layers: u32,
    pub(super) reader: Box<dyn Read + 'a>,
    pub(super) kind: Kind,
}

/// Removes all compressions and determines the content.
///
/// `nesting` is the number of outer containers.
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

/// The first bytes, and a reader that begins with them again.
///
/// An error after the first byte is deferred to the reader, because the bytes before it are still
/// useful.
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

/// Fails once with this error; at the end of input otherwise.
struct Failure(Option<io::Error>);

impl Read for Failure {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Magic numbers of files that are passed by mistake.
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

/// Whether this is a journal in export format, whose fields may contain binary data.
fn is_export(head: &[u8]) -> bool {
    head.starts_with(b"__CURSOR=") || head.starts_with(b"__REALTIME_TIMESTAMP=")
}

/// Whether more than a twentieth of the bytes never occurs in logs. A run of NUL bytes, as a power
/// loss leaves it, counts once.
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
