//! Limits for reading one compressed input: size, ratio, time, and temporary files. A small file
//! can be crafted to decompress to any size.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;
use std::time::Duration;

use super::container::{Container, UnpackError};

/// Maximum decompressed size of an input, in bytes.
pub const UNPACKED_LIMIT: u64 = 8 << 30;

/// Maximum compression ratio. Logs of one repeated line reach a few hundred.
pub const RATIO_LIMIT: u64 = 1000;

/// The ratio is checked only beyond this decompressed size, in bytes.
const RATIO_BEYOND: u64 = 256 << 20;

/// Maximum processor time for decompressing and reading an input. The largest input takes a third
/// of it on a slow processor.
pub const TIME_LIMIT: Duration = Duration::from_secs(600);

/// Maximum size of a journal that is copied to a temporary file, in bytes; systemd writes no larger
/// ones.
pub const JOURNAL_LIMIT: u64 = 4 << 30;

/// The limit that a compressed input exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The size, [`UNPACKED_LIMIT`].
    Bytes,
    /// The ratio, [`RATIO_LIMIT`].
    Ratio,
    /// The time, [`TIME_LIMIT`].
    Time,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Ratio, Self::Time];

    /// Whether all files of an archive share the limit.
    pub(super) const fn is_shared(self) -> bool {
        match self {
            Self::Bytes | Self::Time => true,
            Self::Ratio => false,
        }
    }
}

/// Describes what the input does.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes => write!(f, "unpacks to more than {} GiB", UNPACKED_LIMIT >> 30),
            Self::Ratio => write!(f, "unpacks to more than {RATIO_LIMIT} times its size"),
            Self::Time => {
                write!(f, "takes more than {} s to unpack and read", TIME_LIMIT.as_secs())
            }
        }
    }
}

/// The limits; tests use other values than the constants.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) bytes: u64,
    pub(super) ratio: u64,
    pub(super) ratio_beyond: u64,
    pub(super) time: Duration,
    pub(super) journal: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: UNPACKED_LIMIT,
            ratio: RATIO_LIMIT,
            ratio_beyond: RATIO_BEYOND,
            time: TIME_LIMIT,
            journal: JOURNAL_LIMIT,
        }
    }
}

/// The cost of all containers of an input together.
#[derive(Clone, Debug)]
pub(super) struct Budget(Rc<Spent>);

#[derive(Debug)]
struct Spent {
    limits: Limits,
    unpacked: Cell<u64>,
    /// The thread's processor time when the first container was opened.
    begun: Cell<Option<Duration>>,
    /// The time spent waiting for another program.
    waited: Cell<Duration>,
    /// The limit that was exceeded.
    over: Cell<Option<Limit>>,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Self(Rc::new(Spent {
            limits,
            unpacked: Cell::new(0),
            begun: Cell::new(None),
            waited: Cell::new(Duration::ZERO),
            over: Cell::new(None),
        }))
    }

    pub(super) fn limits(&self) -> Limits {
        self.0.limits
    }

    /// The limit that stops decompression.
    pub(super) fn over(&self) -> Option<Limit> {
        self.0.over.get()
    }

    /// Adds `bytes` of output; returns the limit that this exceeds.
    fn pay(&self, bytes: usize) -> Option<Limit> {
        let spent = &self.0;
        let unpacked = spent.unpacked.get().saturating_add(bytes as u64);
        spent.unpacked.set(unpacked);
        let now = processor_time();
        let begun = spent.begun.get().unwrap_or(now);
        spent.begun.set(Some(begun));
        let took = now.saturating_sub(begun).saturating_add(spent.waited.get());
        if unpacked > spent.limits.bytes {
            spent.over.set(Some(Limit::Bytes));
        } else if took > spent.limits.time {
            spent.over.set(Some(Limit::Time));
        }
        spent.over.get()
    }

    fn wait(&self, time: Duration) {
        self.0.waited.set(self.0.waited.get().saturating_add(time));
    }
}

/// The processor time of this thread: monotonic, and not affected by waiting for a slow pipe.
#[cfg(feature = "system")]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// A browser has no such clock, and its page can be closed.
#[cfg(not(feature = "system"))]
const fn processor_time() -> Duration {
    Duration::ZERO
}

/// The number of bytes read.
#[derive(Clone, Debug, Default)]
pub(super) struct Count(Rc<Cell<u64>>);

impl Count {
    /// A count that starts with this number of bytes.
    #[cfg(feature = "system")]
    pub(super) fn of(bytes: u64) -> Self {
        Self(Rc::new(Cell::new(bytes)))
    }

    /// Counts the bytes read from `reader`.
    pub(super) fn counted<R>(&self, reader: R) -> Counted<R> {
        Counted { reader, count: self.clone() }
    }
}

/// A reader that counts its bytes.
pub(super) struct Counted<R> {
    reader: R,
    count: Count,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.count.0.set(self.count.0.get() + count as u64);
        Ok(count)
    }
}

/// Measures the output of a container against the limits.
#[derive(Debug)]
pub(super) struct Meter {
    container: Container,
    /// The compressed size.
    packed: Count,
    unpacked: u64,
    budget: Budget,
}

impl Meter {
    pub(super) fn new(container: Container, packed: Count, budget: Budget) -> Self {
        Self { container, packed, unpacked: 0, budget }
    }

    /// Adds output. Fails at a limit.
    pub(super) fn pay(&mut self, bytes: usize) -> io::Result<()> {
        self.unpacked += bytes as u64;
        let Limits { ratio, ratio_beyond, .. } = self.budget.limits();
        let times = self.packed.0.get().max(1).saturating_mul(ratio);
        let dense = self.unpacked > ratio_beyond.max(times);
        match self.budget.pay(bytes).or(dense.then_some(Limit::Ratio)) {
            None => Ok(()),
            Some(limit) => Err(UnpackError::TooLarge(self.container, limit).raised()),
        }
    }
}

/// The output of another program for a file; waiting for it counts as time.
#[cfg(feature = "system")]
pub(super) struct Metered<R> {
    reader: R,
    meter: Meter,
    ended: bool,
}

#[cfg(feature = "system")]
impl<R> Metered<R> {
    pub(super) fn new(reader: R, meter: Meter) -> Self {
        Self { reader, meter, ended: false }
    }
}

#[cfg(feature = "system")]
impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let begun = std::time::Instant::now();
        let done = self.reader.read(buffer);
        self.meter.budget.wait(begun.elapsed());
        let count = done?;
        let paid = self.meter.pay(count);
        self.ended = paid.is_err();
        paid.map(|()| count)
    }
}
