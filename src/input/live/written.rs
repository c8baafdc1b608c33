//! One file that is written to, read by whole lines.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use memchr::memrchr;
use rustix::fs::SeekFrom;

use super::{BLOCK, Sender};

/// So many bytes at the beginning of a file tell whether it is still the same.
const HEAD: usize = 1024;
/// The beginning of a line is kept until its end is written, unless it is longer.
const LONGEST_TAIL: usize = 1 << 20;

/// A file that is written to. Several are read at the same time around a rotation, so that a line is handed on
/// in one piece, or the lines of two files would become one.
pub(super) struct Written {
    file: File,
    /// Where its text begins: a writer that does not append (`O_APPEND`) leaves NUL bytes before it when the file is
    /// cut off, because it goes on where it was.
    start: u64,
    /// The bytes with which its text begins; none while there is no text.
    head: Vec<u8>,
    /// Up to where it was read.
    position: u64,
    /// What was read of a line whose end was not.
    tail: Vec<u8>,
}

impl Written {
    /// A file of which nothing was read yet.
    pub(super) fn new(file: File) -> Self {
        Self { file, start: 0, head: Vec::new(), position: 0, tail: Vec::new() }
    }

    /// Hands on the lines that are new; false where nobody listens any more.
    pub(super) fn read(&mut self, sender: &Sender) -> io::Result<bool> {
        self.learn_head()?;
        // What came just now may be NUL bytes.
        if self.head.is_empty() {
            return Ok(true);
        }
        let mut block = vec![0; BLOCK];
        loop {
            let count = match self.file.read_at(&mut block, self.position) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count?,
            };
            if count == 0 {
                return Ok(true);
            }
            self.position += count as u64;
            if !self.take(block.get(..count).unwrap_or_default(), sender) {
                return Ok(false);
            }
        }
    }

    fn take(&mut self, bytes: &[u8], sender: &Sender) -> bool {
        let end = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
        let (lines, rest) = bytes.split_at(end);
        if !lines.is_empty() {
            self.tail.extend_from_slice(lines);
            if !sender.bytes(std::mem::take(&mut self.tail)) {
                return false;
            }
        }
        self.tail.extend_from_slice(rest);
        self.tail.len() <= LONGEST_TAIL || self.end_line(sender)
    }

    /// Hands on a line whose end will not come.
    pub(super) fn end_line(&mut self, sender: &Sender) -> bool {
        if self.tail.is_empty() {
            return true;
        }
        self.tail.push(b'\n');
        sender.bytes(std::mem::take(&mut self.tail))
    }

    /// Whether it is shorter than what was read of it, or its text begins with other bytes: it was cut off and
    /// begun anew.
    pub(super) fn is_another(&self) -> io::Result<bool> {
        Ok(!self.continues(&self.file)?)
    }

    /// Whether `file` holds what was read of this one.
    fn continues(&self, file: &File) -> io::Result<bool> {
        Ok(file.metadata()?.len() >= self.position
            && bytes_at(file, self.start, self.head.len())? == self.head)
    }

    /// Whether `file` is a copy in which this one can be read on.
    pub(super) fn has_copy(&self, file: &File) -> bool {
        !self.head.is_empty() && self.continues(file).unwrap_or(false)
    }

    /// Reads on in `copy`, and leaves this one as if nothing had been read of it.
    pub(super) fn moved_to(&mut self, copy: File) -> Self {
        let rest = Self {
            file: copy,
            start: self.start,
            head: std::mem::take(&mut self.head),
            position: self.position,
            tail: std::mem::take(&mut self.tail),
        };
        self.begin_anew();
        rest
    }

    /// Reads it from its beginning again.
    pub(super) fn begin_anew(&mut self) {
        self.head.clear();
        self.tail.clear();
        (self.start, self.position) = (0, 0);
    }

    /// What no other file has at the same time.
    pub(super) fn key(&self) -> io::Result<(u64, u64)> {
        self.file.metadata().map(|found| (found.dev(), found.ino()))
    }

    fn learn_head(&mut self) -> io::Result<()> {
        if self.head.is_empty() {
            self.pass_nuls()?;
        }
        if self.head.len() < HEAD {
            let now = bytes_at(&self.file, self.start, HEAD)?;
            // Another beginning is that of another file, which is noticed the next time.
            if now.starts_with(&self.head) {
                self.head = now;
            }
        }
        Ok(())
    }

    /// Goes to where the text begins, or would.
    fn pass_nuls(&mut self) -> io::Result<()> {
        // A hole is passed over at once where the file system knows of it.
        if let Ok(data) = rustix::fs::seek(&self.file, SeekFrom::Data(self.start)) {
            self.start = data;
        }
        loop {
            let bytes = bytes_at(&self.file, self.start, BLOCK)?;
            let nuls = bytes.iter().take_while(|byte| **byte == 0).count();
            self.start += nuls as u64;
            if nuls < bytes.len() || bytes.is_empty() {
                break;
            }
        }
        self.position = self.start;
        Ok(())
    }
}

/// The bytes of a file from `place` on, so many at most.
fn bytes_at(file: &File, place: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; most];
    let count = file.read_at(&mut bytes, place)?;
    bytes.truncate(count);
    Ok(bytes)
}
