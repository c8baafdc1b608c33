//! A growing file, read by complete lines.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use memchr::memrchr;
use rustix::fs::SeekFrom;

use sha2::{Digest, Sha256};

use super::{BLOCK, Mark, Sender};
use crate::value::hexadecimal;

/// The number of bytes at the start of a file that identify it.
const HEAD: usize = 1024;
/// An incomplete line is held back up to this length.
const LONGEST_TAIL: usize = 1 << 20;

/// A position in a file, with data that identifies the file under any name.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct FilePlace {
    device: u64,
    inode: u64,
    /// The offset of its text.
    start: u64,
    /// The number of bytes of its text with the SHA-256 `head`.
    head_length: usize,
    head: String,
    /// The offset of the first unread line.
    offset: u64,
}

impl FilePlace {
    /// The offset of the first unread line, in bytes.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) const fn inode(&self) -> u64 {
        self.inode
    }

    /// Whether `file` contains what was read. Device numbers change at reboot, so they are not
    /// compared.
    pub(super) fn is_in(&self, file: &File) -> bool {
        let is_long = file.metadata().is_ok_and(|found| found.len() >= self.offset);
        let head = || bytes_at(file, self.start, self.head_length).unwrap_or_default();
        is_long && self.head_length <= HEAD && hexadecimal(&Sha256::digest(head())) == self.head
    }

    /// Whether `file` is the same file, and not a copy.
    pub(super) fn is_of(&self, file: &File) -> bool {
        file.metadata().is_ok_and(|found| found.ino() == self.inode) && self.is_in(file)
    }

    /// Whether a copy of the file could be recognised.
    pub(super) const fn has_a_head(&self) -> bool {
        self.head_length > 0
    }
}

/// A growing file. Several are read at the same time around a rotation, and lines are sent
/// complete, so that lines of two files are not mixed.
pub(super) struct Written {
    file: File,
    /// Its number among the files of the log.
    number: u64,
    /// The offset of its text: after truncation, a writer without `O_APPEND` continues at its old
    /// position and leaves NUL bytes before the text.
    start: u64,
    /// The first bytes of its text; empty without text.
    head: Vec<u8>,
    /// The offset of the unread part.
    position: u64,
    /// The beginning of an incomplete line.
    tail: Vec<u8>,
}

impl Written {
    /// A file that was not read yet.
    pub(super) fn new(number: u64, file: File) -> Self {
        Self { file, number, start: 0, head: Vec::new(), position: 0, tail: Vec::new() }
    }

    /// Sends new lines; returns false if the receiver is gone.
    pub(super) fn read(&mut self, sender: &Sender) -> io::Result<bool> {
        self.read_up_to(u64::MAX, sender)
    }

    /// Sends new lines before the offset `end`.
    pub(super) fn read_up_to(&mut self, end: u64, sender: &Sender) -> io::Result<bool> {
        self.learn_head()?;
        // New bytes may be NUL.
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
            // If it was truncated meanwhile, these bytes may belong to the new text, and will be
            // read again.
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

    /// Sends an incomplete line that will not be completed.
    pub(super) fn end_line(&mut self, sender: &Sender) -> bool {
        if self.tail.is_empty() {
            return true;
        }
        self.tail.push(b'\n');
        sender.bytes(std::mem::take(&mut self.tail)) && self.tell_place(sender)
    }

    /// Sends the current position.
    pub(super) fn tell_place(&self, sender: &Sender) -> bool {
        // Without a file number, the file cannot be found again.
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

    /// Reports that it is no longer read.
    pub(super) fn send_closed(&self, sender: &Sender) -> bool {
        sender.mark(Mark::Left { file: self.number })
    }

    /// Whether it was truncated: it is shorter than what was read, or its text begins differently.
    pub(super) fn is_another(&self) -> io::Result<bool> {
        Ok(!self.continues(&self.file)?)
    }

    /// Whether `file` contains what was read of this one.
    fn continues(&self, file: &File) -> io::Result<bool> {
        Ok(file.metadata()?.len() >= self.position
            && bytes_at(file, self.start, self.head.len())? == self.head)
    }

    /// Whether `file` is a copy in which reading can continue.
    pub(super) fn has_copy(&self, file: &File) -> bool {
        !self.head.is_empty() && self.continues(file).unwrap_or(false)
    }

    /// The same, continued in `copy`.
    pub(super) fn moved_to(self, copy: File) -> Self {
        Self { file: copy, ..self }
    }

    /// The same file with another number, to be read from the start.
    pub(super) fn anew(&self, number: u64) -> io::Result<Self> {
        Ok(Self::new(number, self.file.try_clone()?))
    }

    /// Device and inode number.
    pub(super) fn key(&self) -> io::Result<(u64, u64)> {
        self.file.metadata().map(|found| (found.dev(), found.ino()))
    }

    fn learn_head(&mut self) -> io::Result<()> {
        if self.head.is_empty() {
            self.pass_nuls()?;
        }
        if self.head.len() < HEAD {
            let now = bytes_at(&self.file, self.start, HEAD)?;
            // If the start differs, the file was truncated, which is noticed at the next read.
            if now.starts_with(&self.head) {
                self.head = now;
            }
        }
        Ok(())
    }

    /// Skips to the start of the text.
    fn pass_nuls(&mut self) -> io::Result<()> {
        // A hole is skipped at once, if the file system supports that.
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

/// Up to `most` bytes of a file from `place`.
fn bytes_at(file: &File, place: u64, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; most];
    let count = file.read_at(&mut bytes, place)?;
    bytes.truncate(count);
    Ok(bytes)
}
