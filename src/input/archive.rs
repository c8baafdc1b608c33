//! Reads the members of a tar archive as a stream.
//!
//! Headers are parsed by the `tar` crate. Its own iteration over members is not used, because it
//! keeps names of any length in memory, and archives are untrusted.

use std::borrow::Cow;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use tar::{EntryType, GnuExtSparseHeader, Header, PaxExtensions};

use super::container::{Container, UnpackError};

const BLOCK: u64 = 512;

/// Maximum size of a member's extended headers, in bytes.
const NOTES_LIMIT: u64 = 1 << 20;

/// A member, from its header.
pub(super) struct Member {
    /// The path in the archive.
    pub(super) path: String,
    /// Its modification time.
    pub(super) modified: Option<SystemTime>,
    /// Whether it is a file whose content is stored unchanged.
    pub(super) is_file: bool,
    /// Whether it is a sparse file.
    pub(super) is_sparse: bool,
}

/// The extended headers of the next member.
#[derive(Default)]
struct Notes {
    path: Option<Vec<u8>>,
    size: Option<u64>,
    modified: Option<u64>,
    sparse: bool,
}

/// An archive; reading it gives the content of the current member.
pub(super) struct Archive<R> {
    reader: R,
    /// The unread bytes of the member.
    left: u64,
    /// The padding of its last block.
    padding: u64,
    /// Why the archive ended early. Reading the member ends there; [`Self::next`] reports the
    /// error.
    failure: Option<io::Error>,
}

impl<R: Read> Archive<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, left: 0, padding: 0, failure: None }
    }

    /// The next member, or `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Member>> {
        let mut notes = Notes::default();
        loop {
            self.pass()?;
            let Some(header) = self.header()? else { return Ok(None) };
            let kind = header.entry_type();
            let announces = kind.is_gnu_longname()
                || kind.is_gnu_longlink()
                || kind.is_pax_local_extensions()
                || kind.is_pax_global_extensions();
            let told = header.entry_size().map_err(|_| corrupt())?;
            let size = notes.size.filter(|_| !announces).unwrap_or(told);
            self.left = size;
            self.padding = size.wrapping_neg() % BLOCK;
            if !announces {
                self.pass_map(&header)?;
                return Ok(Some(member(&header, kind, &notes)));
            }
            if size > NOTES_LIMIT {
                return Err(corrupt());
            }
            self.note(kind, &mut notes)?;
        }
    }

    /// Reads an extended header.
    fn note(&mut self, kind: EntryType, notes: &mut Notes) -> io::Result<()> {
        let mut said = Vec::new();
        self.read_to_end(&mut said)?;
        if kind.is_gnu_longname() {
            said.truncate(said.iter().position(|byte| *byte == 0).unwrap_or(said.len()));
            notes.path = Some(said);
        } else if kind.is_pax_local_extensions() {
            for extension in PaxExtensions::new(&said).flatten() {
                let number = || extension.value().ok()?.split('.').next()?.parse().ok();
                match extension.key_bytes() {
                    b"path" | b"GNU.sparse.name" => {
                        notes.path = Some(extension.value_bytes().to_owned());
                    }
                    b"size" => notes.size = number(),
                    b"mtime" => notes.modified = number(),
                    key => notes.sparse |= key.starts_with(b"GNU.sparse."),
                }
            }
        }
        Ok(())
    }

    /// Skips the rest of the current member.
    fn pass(&mut self) -> io::Result<()> {
        io::copy(self, &mut io::sink())?;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let padding = std::mem::take(&mut self.padding);
        let passed = io::copy(&mut self.reader.by_ref().take(padding), &mut io::sink())?;
        // The current member is complete, but later ones may be lost.
        if passed == padding { Ok(()) } else { Err(truncated()) }
    }

    /// The next header, or `None` at the end.
    fn header(&mut self) -> io::Result<Option<Header>> {
        let mut header = Header::new_old();
        if !self.block(header.as_mut_bytes())? || header.as_bytes().iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        if is_sound(&header) { Ok(Some(header)) } else { Err(corrupt()) }
    }

    /// Skips the extra blocks with the map of a sparse file.
    fn pass_map(&mut self, header: &Header) -> io::Result<()> {
        let mut goes_on = header.entry_type().is_gnu_sparse()
            && header.as_gnu().is_some_and(tar::GnuHeader::is_extended);
        while goes_on {
            let mut map = GnuExtSparseHeader::new();
            if !self.block(map.as_mut_bytes())? {
                return Err(truncated());
            }
            goes_on = map.is_extended();
        }
        Ok(())
    }

    /// Reads one block; returns false at the end of the archive. Some programs omit the empty
    /// blocks at the end.
    fn block(&mut self, block: &mut [u8]) -> io::Result<bool> {
        let mut filled = 0;
        while let Some(room) = block.get_mut(filled..).filter(|room| !room.is_empty()) {
            match self.reader.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => return Err(truncated()),
                Ok(count) => filled += count,
            }
        }
        Ok(true)
    }
}

impl<R: Read> Read for Archive<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 || buffer.is_empty() || self.failure.is_some() {
            return Ok(0);
        }
        match self.reader.by_ref().take(self.left).read(buffer) {
            Ok(0) => self.failure = Some(truncated()),
            Ok(count) => {
                self.left -= count as u64;
                return Ok(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => self.failure = Some(error),
        }
        Ok(0)
    }
}

/// Whether an archive begins with `head`: the oldest format has only a checksum.
pub(super) fn is_header(head: &[u8]) -> bool {
    let mut header = Header::new_old();
    let block = header.as_mut_bytes();
    let Some(head) = head.get(..block.len()) else { return false };
    block.copy_from_slice(head);
    header.as_bytes().first() != Some(&0) && is_sound(&header)
}

/// Whether the checksum is correct. For the sum its own field counts as spaces.
fn is_sound(header: &Header) -> bool {
    let bytes = header.as_bytes().iter().enumerate();
    let sum: u32 = bytes
        .map(|(at, byte)| u32::from(if (148..156).contains(&at) { b' ' } else { *byte }))
        .sum();
    header.cksum().ok() == Some(sum)
}

fn truncated() -> io::Error {
    UnpackError::Truncated(Container::Tar).raised()
}

fn corrupt() -> io::Error {
    UnpackError::Corrupt(Container::Tar).raised()
}

fn member(header: &Header, kind: EntryType, notes: &Notes) -> Member {
    let path = notes.path.as_deref().map_or_else(|| header.path_bytes(), Cow::Borrowed);
    let seconds = notes.modified.or_else(|| header.mtime().ok());
    Member {
        path: String::from_utf8_lossy(&path).into_owned(),
        // Reproducible archives have no time.
        modified: seconds
            .filter(|seconds| *seconds > 0)
            .and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))),
        is_file: kind.is_file() || kind.is_contiguous(),
        is_sparse: kind.is_gnu_sparse() || notes.sparse,
    }
}
