//! One file that is written to, read by whole lines.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use memchr::memrchr;
use rustix::fs::SeekFrom;

use sha2::{Digest, Sha256};

use super::{BLOCK, Mark, Sender};
use crate::value::hexadecimal;

/// So many bytes at the beginning of a file tell whether it is still the same.
const HEAD: usize = 1024;
/// The beginning of a line is kept until its end is written, unless it is longer.
const LONGEST_TAIL: usize = 1 << 20;

/// How far a file was read, and by what it is known again, whatever it is called by then.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FilePlace {
    device: u64,
    inode: u64,
    /// Where its text begins.
    start: u64,
    /// So many bytes of its text have the SHA-256 `head`, in hexadecimal.
    head_length: usize,
    head: String,
    /// Where the first line begins that was not read.
    offset: u64,
}

impl FilePlace {
    /// Where the first line begins that was not read, in bytes.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) const fn inode(&self) -> u64 {
        self.inode
    }

    /// Whether `file` holds what was read. Devices get other numbers when a machine is booted.
    pub(super) fn is_in(&self, file: &File) -> bool {
        let is_long = file.metadata().is_ok_and(|found| found.len() >= self.offset);
        let head = || bytes_at(file, self.start, self.head_length).unwrap_or_default();
        is_long && self.head_length <= HEAD && hexadecimal(&Sha256::digest(head())) == self.head
    }

    /// Whether `file` is that very file, and no copy.
    pub(super) fn is_of(&self, file: &File) -> bool {
        file.metadata().is_ok_and(|found| found.ino() == self.inode) && self.is_in(file)
    }

    /// Whether enough is known of the file to tell a copy of it.
    pub(super) const fn has_a_head(&self) -> bool {
        self.head_length > 0
    }
}

/// A file that is written to. Several are read at the same time around a rotation, so that a line is handed on
/// in one piece, or the lines of two files would become one.
pub(super) struct Written {
    file: File,
    /// Its number among those that were read.
    number: u64,
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
    pub(super) fn new(number: u64, file: File) -> Self {
        Self { file, number, start: 0, head: Vec::new(), position: 0, tail: Vec::new() }
    }

    /// Hands on the lines that are new; false where nobody listens any more.
    pub(super) fn read(&mut self, sender: &Sender) -> io::Result<bool> {
        self.read_up_to(u64::MAX, sender)
    }

    /// Hands on the lines that are new before the byte `end`.
    pub(super) fn read_up_to(&mut self, end: u64, sender: &Sender) -> io::Result<bool> {
        self.learn_head()?;
        // What came just now may be NUL bytes.
        if self.head.is_empty() {
            return Ok(true);
        }
        let mut block = vec![0; BLOCK];
        loop {
            let left = end.saturating_sub(self.position).min(block.len() as u64);
            let room = block.get_mut(..usize::try_from(left).unwrap_or_default());
            let count = match self.file.read_at(room.unwrap_or_default(), self.position) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                count => count?,
            };
            if count == 0 {
                return Ok(true);
            }
            // Cut off meanwhile: what stands there may belong to the next text, of which it is read again.
            if self.is_another()? {
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
        if lines.is_empty() {
            self.tail.extend_from_slice(rest);
        } else {
            self.tail.extend_from_slice(lines);
            let lines = std::mem::replace(&mut self.tail, rest.to_vec());
            if !sender.bytes(lines) || !self.tell_place(sender) {
                return false;
            }
        }
        self.tail.len() <= LONGEST_TAIL || self.end_line(sender)
    }

    /// Hands on a line whose end will not come.
    pub(super) fn end_line(&mut self, sender: &Sender) -> bool {
        if self.tail.is_empty() {
            return true;
        }
        self.tail.push(b'\n');
        sender.bytes(std::mem::take(&mut self.tail)) && self.tell_place(sender)
    }

    /// Says up to where it was read.
    pub(super) fn tell_place(&self, sender: &Sender) -> bool {
        // What cannot be asked for its number any more cannot be found again either.
        let Ok((device, inode)) = self.key() else { return true };
        let place = FilePlace {
            device,
            inode,
            start: self.start,
            head_length: self.head.len(),
            head: hexadecimal(&Sha256::digest(&self.head)),
            offset: self.position - self.tail.len() as u64,
        };
        sender.mark(Mark::Read { file: self.number, place })
    }

    /// Says that it is not read any more.
    pub(super) fn is_left(&self, sender: &Sender) -> bool {
        sender.mark(Mark::Left { file: self.number })
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

    /// The same, read on in `copy`.
    pub(super) fn moved_to(self, copy: File) -> Self {
        Self { file: copy, ..self }
    }

    /// The same file under another number, as if nothing had been read of it.
    pub(super) fn anew(&self, number: u64) -> io::Result<Self> {
        Ok(Self::new(number, self.file.try_clone()?))
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
