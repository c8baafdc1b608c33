//! Unnamed temporary files, which vanish with this process. Their size is limited, so that no input
//! fills the disk.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Maximum size in bytes: the most that is decompressed of one input, plus its index.
const LIMIT: u64 = 16 << 30;

/// An unnamed file.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: File,
    /// The number of bytes that may still be written.
    left: u64,
}

impl Temporary {
    /// Creates an empty file.
    pub(crate) fn new() -> io::Result<Self> {
        Self::limited(LIMIT)
    }

    fn limited(limit: u64) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile()?, left: limit })
    }

    /// The file, rewound to its beginning.
    pub(crate) fn rewound(mut self) -> io::Result<File> {
        self.file.rewind()?;
        Ok(self.file)
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        if room == 0 && !bytes.is_empty() {
            let text = "a temporary file reached its limit of 16 GiB";
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let count = self.file.write(bytes.get(..room).unwrap_or_default())?;
        self.left -= count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Read for Temporary {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Read for &Temporary {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.file).read(buffer)
    }
}

impl Seek for Temporary {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_file_grows_to_its_limit() {
        let mut file = Temporary::limited(10).unwrap();
        let error = io::copy(&mut io::repeat(b'x'), &mut file).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(error.to_string(), "a temporary file reached its limit of 16 GiB");
        let mut text = String::new();
        file.rewound().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "x".repeat(10));
    }
}
