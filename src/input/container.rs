//! Bytes to unpacked bytes: the container is told by its first bytes, never by a file name.

use std::fmt;
use std::io::{self, BufReader, Cursor, Read};

use flate2::read::MultiGzDecoder;

use super::charset::Charset;

/// How many unpacked bytes are read at most: a small file can unpack to anything.
pub const UNPACKED_LIMIT: u64 = 8 << 30;

/// How far into the input [`unpacked`] looks before it says what the bytes are.
const SAMPLE: u64 = 8 << 10;

/// Compressed forms that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// gzip, with any number of members.
    Gzip,
}

impl Compression {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
        }
    }
}

/// Containers that may hold a log and that another program has to unpack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// xz.
    Xz,
    /// Zstandard.
    Zstd,
    /// bzip2.
    Bzip2,
    /// lz4.
    Lz4,
    /// A tar archive.
    Tar,
    /// A journal file of systemd.
    Journal,
    /// A journal or a kernel log written as JSON.
    Json,
    /// A journal in its export form.
    Export,
    /// The records of `/dev/kmsg`.
    Kmsg,
}

impl Foreign {
    /// The command that turns the file into text that can be read.
    pub(super) fn command(self, file: &str) -> String {
        match self {
            Self::Xz => format!("xz -dc {file} | amdtriage"),
            Self::Zstd => format!("zstd -dc {file} | amdtriage"),
            Self::Bzip2 => format!("bzip2 -dc {file} | amdtriage"),
            Self::Lz4 => format!("lz4 -dc {file} | amdtriage"),
            Self::Tar => format!("tar -xOf {file} | amdtriage"),
            Self::Journal => format!("journalctl --file {file} -o short-monotonic | amdtriage"),
            Self::Json => {
                "journalctl -k -o short-monotonic | amdtriage, or docker logs NAME | amdtriage"
                    .to_owned()
            }
            Self::Export => "journalctl -k -o short-monotonic | amdtriage".to_owned(),
            Self::Kmsg => "dmesg | amdtriage".to_owned(),
        }
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Xz => "an xz file",
            Self::Zstd => "a zstd file",
            Self::Bzip2 => "a bzip2 file",
            Self::Lz4 => "an lz4 file",
            Self::Tar => "a tar archive",
            Self::Journal => "a systemd journal",
            Self::Json => "a log in JSON",
            Self::Export => "a journal in its export form",
            Self::Kmsg => "a list of /dev/kmsg records",
        })
    }
}

/// Why unpacking stopped; carried by the [`io::Error`] of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// The packed data ends early.
    #[error("the end of the packed data is missing")]
    Truncated,
    /// The packed data contradicts itself.
    #[error("the packed data is damaged")]
    Corrupt,
    /// More than [`UNPACKED_LIMIT`] came out.
    #[error("the data unpacks to more than {} GiB", UNPACKED_LIMIT >> 30)]
    TooLarge,
}

impl UnpackError {
    fn raised(self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self)
    }
}

/// What the bytes turned out to be.
pub(super) enum Kind {
    Text,
    Empty,
    Binary(&'static str),
    Foreign(Foreign),
}

pub(super) struct Content {
    pub(super) compression: Option<Compression>,
    pub(super) reader: Box<dyn Read>,
    pub(super) kind: Kind,
}

/// Unpacks what is packed and says what is inside.
pub(super) fn unpacked(reader: impl Read + 'static) -> io::Result<Content> {
    let (head, reader) = peeked(reader, 2)?;
    if head != [0x1F, 0x8B] {
        let (head, reader) = peeked(reader, SAMPLE)?;
        return Ok(Content { compression: None, reader: Box::new(reader), kind: kind(&head) });
    }
    let unpacking = Unpacking { decoder: MultiGzDecoder::new(BufReader::new(reader)), count: 0 };
    let (head, reader) = peeked(unpacking, SAMPLE)?;
    let compression = Some(Compression::Gzip);
    Ok(Content { compression, reader: Box::new(reader), kind: kind(&head) })
}

/// The first bytes, and a reader that still begins with them.
///
/// A failure behind the first byte is left for the one who reads on: what came before it counts.
fn peeked<R: Read>(mut reader: R, limit: u64) -> io::Result<(Vec<u8>, impl Read)> {
    let mut head = Vec::new();
    match reader.by_ref().take(limit).read_to_end(&mut head) {
        Err(error) if head.is_empty() => Err(error),
        outcome => {
            let failure = Failure(outcome.err());
            Ok((head.clone(), Cursor::new(head).chain(failure).chain(reader)))
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

struct Unpacking<R> {
    decoder: MultiGzDecoder<R>,
    count: u64,
}

impl<R: io::BufRead> Read for Unpacking<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => UnpackError::Truncated.raised(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
                UnpackError::Corrupt.raised()
            }
            _ => error,
        })?;
        self.count = self.count.saturating_add(count as u64);
        if self.count > UNPACKED_LIMIT {
            return Err(UnpackError::TooLarge.raised());
        }
        Ok(count)
    }
}

/// First bytes of things that people hand over by mistake.
const MAGIC: &[(&[u8], Kind)] = &[
    (b"\xFD7zXZ\0", Kind::Foreign(Foreign::Xz)),
    (b"\x28\xB5\x2F\xFD", Kind::Foreign(Foreign::Zstd)),
    (b"BZh", Kind::Foreign(Foreign::Bzip2)),
    (b"\x04\x22\x4D\x18", Kind::Foreign(Foreign::Lz4)),
    (b"LPKSHHRH", Kind::Foreign(Foreign::Journal)),
    (b"\x89PNG", Kind::Binary("a PNG image")),
    (b"\xFF\xD8\xFF", Kind::Binary("a JPEG image")),
    (b"GIF8", Kind::Binary("a GIF image")),
    (b"\x7FELF", Kind::Binary("a program")),
    (b"PK\x03\x04", Kind::Binary("a zip archive")),
    (b"Rar!", Kind::Binary("a RAR archive")),
    (b"7z\xBC\xAF", Kind::Binary("a 7z archive")),
    (b"\x1F\x8B", Kind::Binary("a gzip file inside a gzip file")),
    (b"%PDF", Kind::Binary("a PDF document")),
    (b"SQLite format 3\0", Kind::Binary("a database")),
];

fn kind(head: &[u8]) -> Kind {
    if head.is_empty() {
        return Kind::Empty;
    }
    for (magic, kind) in MAGIC {
        if head.starts_with(magic) {
            return match kind {
                Kind::Binary(what) => Kind::Binary(what),
                Kind::Foreign(foreign) => Kind::Foreign(*foreign),
                Kind::Text | Kind::Empty => Kind::Text,
            };
        }
    }
    if head.get(257..262) == Some(b"ustar") {
        return Kind::Foreign(Foreign::Tar);
    }
    // `50 2A 4D 18` to `5F 2A 4D 18` begin a frame that a zstd reader skips.
    if head.get(1..4) == Some(b"\x2A\x4D\x18") && head.first().is_some_and(|byte| byte >> 4 == 5) {
        return Kind::Foreign(Foreign::Zstd);
    }
    if Charset::of(head) == Charset::Utf8 && is_binary(head) {
        return Kind::Binary("binary data");
    }
    Kind::Text
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
