//! The bytes that come out of a compressed file, and what failures on the way mean.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use super::streams::{Ahead, Frames, Streams};
use super::{Compression, Container, UnpackError};
use crate::input::cost::Meter;

/// Where the packed bytes come from. Unpackers turn a failure of theirs into one of their own, so it
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

/// The bytes that come out of one compressed file.
pub(super) struct Unpacking<'a> {
    compression: Compression,
    decoder: Box<dyn Read + 'a>,
    failure: Rc<RefCell<Option<io::Error>>>,
    meter: Meter,
    /// An unpacker that has failed is not asked again.
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

    /// What a failure of the unpacker means.
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
