//! Decompresses a file, and translates errors.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use super::streams::{Ahead, Frames, Streams};
use super::{Compression, Container, UnpackError};
use crate::input::cost::Meter;

/// The source of compressed bytes. Decompressors replace its errors by their own, so the original
/// is kept here.
struct Packed<'a> {
    reader: Box<dyn Read + 'a>,
    failure: Rc<RefCell<Option<io::Error>>>,
}

impl Read for Packed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let kind = error.kind();
                    *self.failure.borrow_mut() = Some(error);
                    return Err(kind.into());
                }
                done => return done,
            }
        }
    }
}

/// The content of one compressed file.
pub(super) struct Unpacking<'a> {
    compression: Compression,
    decoder: Box<dyn Read + 'a>,
    failure: Rc<RefCell<Option<io::Error>>>,
    meter: Meter,
    /// After an error the decompressor is not used again.
    ended: bool,
}

impl<'a> Unpacking<'a> {
    pub(super) fn new(compression: Compression, reader: Box<dyn Read + 'a>, meter: Meter) -> Self {
        let failure = Rc::new(RefCell::new(None));
        let packed = Packed { reader, failure: Rc::clone(&failure) };
        let packed = Ahead::new(packed);
        let decoder: Box<dyn Read + 'a> = match compression {
            Compression::Zstd => Box::new(Frames::new(packed)),
            other => Box::new(Streams::new(other, packed)),
        };
        Self { compression, decoder, failure, meter, ended: false }
    }

    /// Translates an error of the decompressor.
    fn failed(&self, error: &io::Error) -> io::Error {
        let container = Container::Compressed(self.compression);
        if let Some(failure) = self.failure.take() {
            return failure;
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => UnpackError::Truncated(container),
            io::ErrorKind::OutOfMemory => UnpackError::TooHungry(container),
            _ => UnpackError::Corrupt(container),
        }
        .raised()
    }
}

impl Read for Unpacking<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let done = self.decoder.read(buffer).map_err(|error| self.failed(&error));
        self.ended = !matches!(done, Ok(1..));
        let count = done?;
        let paid = self.meter.pay(count);
        self.ended |= paid.is_err();
        paid.map(|()| count)
    }
}
