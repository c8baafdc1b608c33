//! The kernel's ring buffer of this machine.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The device of the ring buffer: each read returns one record.
pub(super) const RING_BUFFER: &str = "/dev/kmsg";

/// The same buffer, which returns each record once and then blocks.
const READ_ONCE: &str = "/proc/kmsg";

/// Its device number: major 1, minor 11.
const DEVICE: u64 = 0x10B;

/// Whether this is the device of the ring buffer, under any name.
pub(super) fn is_ring_buffer(found: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    found.file_type().is_char_device() && found.rdev() == DEVICE
}

/// Whether this is /proc/kmsg.
pub(super) fn is_read_once(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |known: Metadata| (known.dev(), known.ino()) == (found.dev(), found.ino());
    found.is_file() && fs::metadata(READ_ONCE).is_ok_and(same)
}

/// Size of the read buffer in bytes: the kernel rejects one that is too small for a record, and
/// records have at most 8 KiB.
const RECORD_LIMIT: usize = 16 << 10;

/// Opens the ring buffer without blocking at its end.
pub(super) fn ring_buffer() -> io::Result<Records<File>> {
    ring_buffer_at(Path::new(RING_BUFFER))
}

/// The same, with the device at another path.
#[allow(clippy::disallowed_methods, reason = "the device is opened here")]
pub(super) fn ring_buffer_at(path: &Path) -> io::Result<Records<File>> {
    let mut options = OpenOptions::new();
    options.read(true);
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    Ok(Records::new(options.open(path)?))
}

/// Reads a device that returns one record at a time.
pub(super) struct Records<R> {
    device: R,
    record: Vec<u8>,
    /// The consumed part of `record`.
    taken: usize,
    length: usize,
}

impl<R: Read> Records<R> {
    fn new(device: R) -> Self {
        Self { device, record: vec![0; RECORD_LIMIT], taken: 0, length: 0 }
    }

    /// The device.
    pub(super) const fn device(&self) -> &R {
        &self.device
    }

    /// Reads the next record; returns its length, 0 at the end.
    fn next(&mut self) -> io::Result<usize> {
        loop {
            match self.device.read(&mut self.record) {
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(0),
                    // The kernel has overwritten the next records; the gap shows in the sequence
                    // numbers.
                    io::ErrorKind::BrokenPipe | io::ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
                done => return done,
            }
        }
    }
}

impl<R: Read> Read for Records<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.length {
            self.taken = 0;
            self.length = self.next()?;
        }
        let mut rest = self.record.get(self.taken..self.length).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A simulated device: one result for each read.
    struct Device(Vec<Result<&'static str, io::ErrorKind>>);

    impl Read for Device {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let mut text = self.0.remove(0)?.as_bytes();
            assert!(buffer.len() >= 8 << 10, "the kernel refuses {} bytes", buffer.len());
            text.read(buffer)
        }
    }

    #[test]
    fn records_come_whole_and_the_end_is_an_end() {
        let device = Device(vec![
            Err(io::ErrorKind::BrokenPipe),
            Ok("6,7,8,-;one\n SUBSYSTEM=pci\n"),
            Err(io::ErrorKind::Interrupted),
            Ok("6,8,9,-;two\n"),
            Err(io::ErrorKind::WouldBlock),
            Err(io::ErrorKind::WouldBlock),
        ]);
        let mut records = Records::new(device);
        let mut small = [0; 5];
        records.read_exact(&mut small).unwrap();
        let mut text = String::from_utf8(small.to_vec()).unwrap();
        records.read_to_string(&mut text).unwrap();
        assert_eq!(text, "6,7,8,-;one\n SUBSYSTEM=pci\n6,8,9,-;two\n");
        assert_eq!(records.read(&mut small).unwrap(), 0);
    }

    #[test]
    fn the_ring_buffer_is_known_by_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (target, buffer, once) in
            [(RING_BUFFER, true, false), (READ_ONCE, false, true), ("/dev/null", false, false)]
        {
            std::os::unix::fs::symlink(target, &path).unwrap();
            // Not every container has them.
            if let Ok(found) = fs::metadata(&path)
                && (target != RING_BUFFER || fs::canonicalize(&path).unwrap() == Path::new(target))
                && (target != READ_ONCE || found.is_file())
            {
                assert_eq!((is_ring_buffer(&found), is_read_once(&found)), (buffer, once));
            }
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn other_failures_are_reported() {
        let mut records = Records::new(Device(vec![Err(io::ErrorKind::PermissionDenied)]));
        let error = records.read(&mut [0; 5]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }
}
