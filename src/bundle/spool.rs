//! Buffers the records for the bundle in an unnamed file, because the last record may show that
//! something in the first one is private.

use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use serde::{Deserialize, Serialize};

use crate::temporary::Temporary;

/// The sender of a record, as far as it decides whether the record is included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Class {
    /// The kernel, or unknown: part of the kernel log.
    Kernel,
    /// A program: included only if the record concerns a GPU.
    Program,
    /// Before the first record with a known sender; classified later.
    Around,
}

/// A record for the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The index of the record in its log.
    pub sequence: u64,
    /// The sender.
    pub class: Class,
    /// Its lines, with line endings.
    pub text: String,
    /// The placeholder if it is left out, without the number of omitted records: the time only.
    pub stead: Option<String>,
}

impl Entry {
    /// How many lines it has.
    pub(crate) fn lines(&self) -> u64 {
        memchr::memchr_iter(b'\n', self.text.as_bytes()).count() as u64
    }
}

/// Records in a temporary file.
#[derive(Debug)]
pub(crate) struct Spool {
    file: BufWriter<Temporary>,
}

impl Spool {
    /// Creates an empty spool. Fails if no temporary file can be created.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(Temporary::new()?) })
    }

    /// Adds an entry. Fails if the disk is full or the limit is reached.
    pub(crate) fn push(&mut self, entry: &Entry) -> io::Result<()> {
        let bytes = postcard::to_stdvec(entry).map_err(io::Error::other)?;
        self.file.write_all(&(bytes.len() as u64).to_le_bytes())?;
        self.file.write_all(&bytes)
    }

    /// Passes all entries to `visit`, in order. Fails if the file cannot be read or `visit` fails.
    pub(crate) fn each(
        &mut self,
        mut visit: impl FnMut(Entry) -> io::Result<()>,
    ) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.rewind()?;
        let mut reader = BufReader::new(&*file);
        let (mut length, mut bytes) = ([0; 8], Vec::new());
        while !at_end(&mut reader)? {
            reader.read_exact(&mut length)?;
            bytes.clear();
            let wanted = u64::from_le_bytes(length);
            if (&mut reader).take(wanted).read_to_end(&mut bytes)? as u64 != wanted {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            visit(postcard::from_bytes(&bytes).map_err(io::Error::other)?)?;
        }
        Ok(())
    }
}

fn at_end(reader: &mut impl io::BufRead) -> io::Result<bool> {
    reader.fill_buf().map(<[u8]>::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_were_as_often_as_wanted() {
        let mut spool = Spool::new().unwrap();
        let entry = |sequence, text: &str, stead: Option<&str>| Entry {
            sequence,
            class: if stead.is_some() { Class::Program } else { Class::Kernel },
            text: text.to_owned(),
            stead: stead.map(str::to_owned),
        };
        let all = [entry(0, "a\n", None), entry(1, "b\nc\n", Some("12:00 ")), entry(7, "\n", None)];
        for one in &all {
            spool.push(one).unwrap();
        }
        for _ in 0..2 {
            let mut found = Vec::new();
            let taken = spool.each(|entry| {
                found.push(entry);
                Ok(())
            });
            taken.unwrap();
            assert_eq!(found, all);
        }
        assert_eq!(all.map(|entry| entry.lines()), [1, 2, 1]);
    }
}
