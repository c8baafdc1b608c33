//! What all tests of records need.

mod boots;
mod bytes;
mod forms;
mod holes;
mod lines;

use super::Level::{Error, Info};
use super::*;
use crate::input::{self, Lines};
use proptest::prelude::*;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every file of `fixtures/formats` says, with the kernel's clock.
const STORY: [(i64, &str); 8] = [
    (0, "Linux version 6.14.2 (builder@forge) (gcc (GCC) 14.2.1) #1 SMP PREEMPT_DYNAMIC"),
    (4_318_225, "[drm] Initialized amdgpu 3.61.0 for 0000:2d:00.0 on minor 1"),
    (
        913_550_412,
        "amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=88120, emitted seq=88122",
    ),
    (
        913_550_431,
        "amdgpu 0000:2d:00.0: amdgpu:  Process render pid 3120 thread render:cs0 pid 3127",
    ),
    (913_550_444, "amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!"),
    (914_107_903, "amdgpu 0000:2d:00.0: amdgpu: MODE1 reset"),
    (914_612_077, "amdgpu 0000:2d:00.0: amdgpu: GPU reset succeeded, trying to resume"),
    (917_889_310, "amdgpu 0000:2d:00.0: amdgpu: GPU reset(1) succeeded!"),
];

/// The boot of the story, 2026-03-04T18:20:10, in seconds on the clock of the wall; without a year
/// it is 1972's.
const DATED: i64 = 1_772_648_410;
const UNDATED: i64 = 68_581_210;

/// A record without borrowed parts.
#[derive(Clone, Debug, PartialEq)]
struct Own {
    line: u64,
    stamp: Stamp,
    level: Option<Level>,
    origin: String,
    buffered: bool,
    device: Option<PciAddress>,
    message: String,
}

fn records_of(reader: impl io::Read) -> (Vec<Own>, ReadStats) {
    records_with(reader, Options::default())
}

fn records_with(reader: impl io::Read, options: Options) -> (Vec<Own>, ReadStats) {
    let mut found = Vec::new();
    let reading = read(&mut Lines::new(reader), options, |read| {
        let Read::Record(record) = read else { return };
        assert_eq!(record.sequence, found.len() as u64);
        found.push(Own {
            line: record.line,
            stamp: record.stamp,
            level: record.level,
            origin: format!("{:?}", record.origin),
            buffered: record.buffered,
            device: record.device,
            message: record.message.to_owned(),
        });
    });
    (found, reading.unwrap())
}

fn records(text: &str) -> (Vec<Own>, ReadStats) {
    records_of(text.as_bytes())
}

fn fixture(path: &str) -> (Vec<Own>, ReadStats) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path);
    records_of(input::open(&path).unwrap().reader)
}

fn messages(records: &[Own]) -> Vec<&str> {
    records.iter().map(|record| record.message.as_str()).collect()
}

const SECOND: i64 = 1_000_000;
const BOOT_ID: &str = "5a6f1c3b9d2e4807a1b4c7d8e9f00112";

fn lines(records: &[Own]) -> Vec<u64> {
    records.iter().map(|record| record.line).collect()
}

fn boot_ids(reading: &ReadStats) -> Vec<&str> {
    reading.boots.iter().map(|boot| boot.boot_id.as_deref().unwrap_or_default()).collect()
}

const AS_IT_COMES: Options =
    Options { only: None, reference: None, as_it_comes: true, skim_beyond: usize::MAX };

/// Gives out an input in pieces of given sizes.
struct Pieces<'a>(&'a [u8], Vec<usize>);

impl io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.1.pop().unwrap_or(7).clamp(1, buffer.len()).min(self.0.len());
        let (piece, rest) = self.0.split_at(size);
        buffer[..size].copy_from_slice(piece);
        self.0 = rest;
        Ok(size)
    }
}
