//! Bytes to unpacked bytes: a container is told by its first bytes, never by a file name.

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, Cursor, Read};
use std::rc::Rc;

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

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

/// How many packed bytes are asked for at once.
const BLOCK: usize = 32 << 10;

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

/// Where the packed bytes come from. Unpackers turn a failure of theirs into one of their own, so it
/// is kept here.
struct Packed<'a> {
    reader: Box<dyn Read + 'a>,
    failure: Rc<RefCell<Option<io::Error>>>,
}

impl Read for Packed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let kind = error.kind();
                    *self.failure.borrow_mut() = Some(error);
                    return Err(kind.into());
                }
                done => return done,
            }
        }
    }
}

/// The bytes that come out of one compressed file.
struct Unpacking<'a> {
    compression: Compression,
    decoder: Box<dyn Read + 'a>,
    failure: Rc<RefCell<Option<io::Error>>>,
    meter: Meter,
    /// An unpacker that has failed is not asked again.
    ended: bool,
}

impl<'a> Unpacking<'a> {
    fn new(compression: Compression, reader: Box<dyn Read + 'a>, meter: Meter) -> Self {
        let failure = Rc::new(RefCell::new(None));
        let packed = Packed { reader, failure: Rc::clone(&failure) };
        let packed = Ahead::new(packed);
        let decoder: Box<dyn Read + 'a> = match compression {
            Compression::Zstd => Box::new(Frames::new(packed)),
            other => Box::new(Streams { compression: other, stream: Stream::Between(packed) }),
        };
        Self { compression, decoder, failure, meter, ended: false }
    }

    /// What a failure of the unpacker means.
    fn failed(&self, error: &io::Error) -> io::Error {
        let container = Container::Compressed(self.compression);
        if let Some(failure) = self.failure.take() {
            return failure;
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => UnpackError::Truncated(container),
            io::ErrorKind::OutOfMemory => UnpackError::TooHungry(container),
            _ => UnpackError::Corrupt(container),
        }
        .raised()
    }
}

impl Read for Unpacking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let done = self.decoder.read(buffer).map_err(|error| self.failed(&error));
        self.ended = !matches!(done, Ok(1..));
        let count = done?;
        let paid = self.meter.pay(count);
        self.ended |= paid.is_err();
        paid.map(|()| count)
    }
}

/// How many NUL may stand behind a stream: tapes and disks fill their blocks up.
const PADDING_LIMIT: usize = 1 << 20;

/// As many bytes tell whether another stream begins.
const MAGIC: usize = 10;

/// Packed bytes that can be looked at before they are taken.
struct Ahead<R> {
    reader: R,
    buffer: Vec<u8>,
    /// What of `buffer` was not taken yet.
    start: usize,
    end: usize,
    /// Whether this is the first stream, which has to be one.
    first: bool,
}

impl<R: Read> Ahead<R> {
    fn new(reader: R) -> Self {
        Self { reader, buffer: vec![0; BLOCK], start: 0, end: 0, first: true }
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// The next `count` bytes, fewer at the end.
    fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.end - self.start < count {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        while self.end < self.start + count {
            match self.reader.read(self.buffer.get_mut(self.end..).unwrap_or_default())? {
                0 => break,
                more => self.end += more,
            }
        }
        let rest = self.rest();
        Ok(rest.get(..count).unwrap_or(rest))
    }

    /// Whether a stream of this kind begins here. What else stands behind a complete one is no part of
    /// the file, as for the programs that write them.
    fn goes_on(&mut self, compression: Compression) -> io::Result<bool> {
        if std::mem::take(&mut self.first) {
            return Ok(true);
        }
        let mut padding = 0;
        while padding < PADDING_LIMIT && self.fill_buf()?.first() == Some(&0) {
            self.consume(1);
            padding += 1;
        }
        Ok(Compression::of(self.peek(MAGIC)?) == Some(compression))
    }
}

impl<R: Read> Read for Ahead<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Ahead<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            self.end = self.reader.read(&mut self.buffer)?;
        }
        Ok(self.rest())
    }

    fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }
}

/// The streams of a compressed file, one behind the other.
struct Streams<R: Read> {
    compression: Compression,
    stream: Stream<R>,
}

enum Stream<R: Read> {
    Between(Ahead<R>),
    Gzip(Box<GzDecoder<Ahead<R>>>),
    Xz(Box<XzReader<Ahead<R>>>),
    Bzip2(Box<BzDecoder<Ahead<R>>>),
    Ended,
}

impl<R: Read> Stream<R> {
    fn begin(compression: Compression, packed: Ahead<R>) -> Self {
        match compression {
            Compression::Gzip => Self::Gzip(Box::new(GzDecoder::new(packed))),
            Compression::Xz => {
                let limit = MEMORY_LIMIT << 10;
                Self::Xz(Box::new(XzReader::new_mem_limit(packed, false, limit)))
            }
            Compression::Bzip2 => Self::Bzip2(Box::new(BzDecoder::new(packed))),
            // It has frames of its own.
            Compression::Zstd => Self::Ended,
        }
    }

    /// What stands behind the stream.
    fn end(self) -> Self {
        match self {
            Self::Gzip(decoder) => Self::Between(decoder.into_inner()),
            Self::Xz(decoder) => Self::Between(decoder.into_inner()),
            Self::Bzip2(decoder) => Self::Between(decoder.into_inner()),
            other => other,
        }
    }
}

impl<R: Read> Read for Streams<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let count = match &mut self.stream {
                Stream::Gzip(decoder) => decoder.read(buffer)?,
                Stream::Xz(decoder) => decoder.read(buffer)?,
                Stream::Bzip2(decoder) => decoder.read(buffer)?,
                Stream::Between(_) => 0,
                Stream::Ended => return Ok(0),
            };
            if count > 0 {
                return Ok(count);
            }
            self.stream = match std::mem::replace(&mut self.stream, Stream::Ended) {
                Stream::Between(mut packed) => {
                    if !packed.goes_on(self.compression)? {
                        return Ok(0);
                    }
                    Stream::begin(self.compression, packed)
                }
                stream => stream.end(),
            };
        }
    }
}

/// The frames of a zstd file, one behind the other.
struct Frames<R> {
    packed: Ahead<R>,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: Read> Frames<R> {
    fn new(packed: Ahead<R>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(u64::from(MEMORY_LIMIT) << 20);
        Self { packed, decoder, inside: false }
    }

    /// Begins the next frame; false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        while self.packed.goes_on(Compression::Zstd)? {
            match self.decoder.reset(&mut self.packed) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped =
                        io::copy(&mut self.packed.by_ref().take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(frame_error(&error)),
            }
        }
        Ok(false)
    }

    /// Unpacks until there is something to hand on, or the frame ends.
    fn unpack(&mut self) -> io::Result<()> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            self.decoder
                .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(|error| frame_error(&error))?;
        }
        Ok(())
    }

    /// Whether the frame is what was packed, where it says so.
    fn is_sound(&self) -> bool {
        let told = self.decoder.get_checksum_from_data();
        told.is_none() || told == self.decoder.get_calculated_checksum()
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.inside || self.begin()? {
            self.inside = true;
            self.unpack()?;
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if !self.is_sound() {
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.inside = false;
        }
        Ok(0)
    }
}

/// The kind of an error by what caused it in the first place.
fn frame_error(error: &FrameDecoderError) -> io::Error {
    if matches!(error, FrameDecoderError::WindowSizeTooBig { .. }) {
        return io::ErrorKind::OutOfMemory.into();
    }
    let mut kind = io::ErrorKind::InvalidData;
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        kind = error.downcast_ref::<io::Error>().map_or(kind, io::Error::kind);
        cause = error.source();
    }
    kind.into()
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
