//! Containers of every kind, intact and damaged, nested.

mod archives;
mod folders;
mod journals;
mod limits;
mod packed;

use std::fs;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::time::Duration;

use super::container::NESTING_LIMIT;
use super::cost::Limits;
use super::journal_error::JOURNALCTL;
use super::*;

/// The result of one visit.
struct Shown {
    member: bool,
    source: Result<Read, InputError>,
}

/// A source that was read to its end.
struct Read {
    name: String,
    compression: Option<Compression>,
    journal: bool,
    modified: Option<SystemTime>,
    text: Vec<u8>,
    failure: Option<InputError>,
}

fn collect(found: Found<'_>) -> Shown {
    let Found { member, source } = found;
    let source = source.map(|source| {
        let Source { name, archive, compression, journal, modified, mut reader } = source;
        let mut text = Vec::new();
        let read = reader.read_to_end(&mut text);
        let failed = |error| InputError::from_read(&name, error).within(archive.as_deref());
        let failure = read.err().map(failed);
        Read { name, compression, journal, modified, text, failure }
    });
    Shown { member, source }
}

fn shown(opener: &Opener, bytes: &[u8]) -> Vec<Shown> {
    let mut all = Vec::new();
    let origin = Origin::new("x".to_owned());
    let done: Result<(), ()> = opener.content(origin, bytes, &mut |found| {
        all.push(collect(found));
        Ok(())
    });
    done.unwrap();
    all
}

/// The only log in `bytes`.
#[track_caller]
fn single(bytes: &[u8]) -> Result<Read, InputError> {
    let mut all = shown(&Opener::default(), bytes);
    assert_eq!(all.len(), 1);
    all.remove(0).source
}

/// The error when reading `bytes`, and what was read before it.
#[track_caller]
fn failing(bytes: &[u8]) -> (Vec<u8>, InputError) {
    match single(bytes) {
        Ok(read) => (read.text, read.failure.unwrap()),
        Err(error) => (Vec::new(), error),
    }
}

fn pack(compression: Compression, text: &[u8]) -> Vec<u8> {
    match compression {
        Compression::Gzip => {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        }
        Compression::Zstd => {
            ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(1);
            let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        }
        Compression::Bzip2 => {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        }
    }
}

const ALL: [Compression; 4] =
    [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2];

const TIME: u64 = 1_700_000_000;

fn tar<'m>(members: impl IntoIterator<Item = (&'m str, &'m [u8])>) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mtime(TIME);
        builder.append_data(&mut header, path, bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// A log that is not trivially compressible.
fn log(lines: u32) -> Vec<u8> {
    let mut log = Vec::new();
    for at in 0..lines {
        let number = at.wrapping_mul(2_654_435_761);
        writeln!(log, "[{at:5}.{:06}] usb 1-1: device {number:08x}", number % 1_000_000).unwrap();
    }
    log
}

/// The default limits, except for the size.
fn limits() -> Limits {
    Limits { bytes: 1 << 20, ..Limits::default() }
}
