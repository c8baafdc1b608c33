//! Reads the concatenated streams of a compressed file.

use std::error::Error;
use std::io::{self, BufRead, Read};

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Compression, MEMORY_LIMIT};

/// The size of one read of compressed bytes.
const BLOCK: usize = 32 << 10;

/// Maximum number of NUL bytes after a stream, which tapes and disks use as padding.
const PADDING_LIMIT: usize = 1 << 20;

/// The number of bytes that identify another stream.
const MAGIC: usize = 10;

/// Compressed bytes with lookahead.
pub(super) struct Ahead<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The start of the unread part of `buffer`.
    start: usize,
    end: usize,
    /// Whether this is the first stream, which is mandatory.
    first: bool,
}

impl<R: Read> Ahead<R> {
    pub(super) fn new(reader: R) -> Self {
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

    /// Whether another stream of this kind follows. Other data after a complete stream is ignored,
    /// as the compression programs do.
    fn starts_next_stream(&mut self, compression: Compression) -> io::Result<bool> {
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

/// The concatenated streams of a compressed file.
pub(super) struct Streams<R: Read> {
    compression: Compression,
    stream: Stream<R>,
}

impl<R: Read> Streams<R> {
    pub(super) const fn new(compression: Compression, packed: Ahead<R>) -> Self {
        Self { compression, stream: Stream::Between(packed) }
    }
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
            // zstd has its own frames.
            Compression::Zstd => Self::Ended,
        }
    }

    /// The data after the stream.
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
                    if !packed.starts_next_stream(self.compression)? {
                        return Ok(0);
                    }
                    Stream::begin(self.compression, packed)
                }
                stream => stream.end(),
            };
        }
    }
}

/// The concatenated frames of a zstd file.
pub(super) struct Frames<R> {
    packed: Ahead<R>,
    decoder: FrameDecoder,
    inside: bool,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(packed: Ahead<R>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(u64::from(MEMORY_LIMIT) << 20);
        Self { packed, decoder, inside: false }
    }

    /// Begins the next frame; returns false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        while self.packed.starts_next_stream(Compression::Zstd)? {
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

    /// Decompresses until there is output or the frame ends.
    fn unpack(&mut self) -> io::Result<()> {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            self.decoder
                .decode_blocks(&mut self.packed, BlockDecodingStrategy::UptoBlocks(1))
                .map_err(|error| frame_error(&error))?;
        }
        Ok(())
    }

    /// Whether the frame's checksum, if present, is correct.
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

/// Derives the kind of an error from its root cause.
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
