//! What reading one packed input may cost: bytes, times its size, time, and room in temporary files. A small file
//! can be made to unpack to anything.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;
use std::time::Duration;

use super::container::{Container, UnpackError};

/// How many unpacked bytes are read at most of one input.
pub const UNPACKED_LIMIT: u64 = 8 << 30;

/// How many times its size a file may unpack to. Logs of one line over and over reach a few hundred.
pub const RATIO_LIMIT: u64 = 1000;

/// Up to so many unpacked bytes it may be any number of times: little costs little.
const RATIO_BEYOND: u64 = 256 << 20;

/// How much time one packed input may take, to be unpacked and to be read. The largest that is unpacked takes a third
/// of it where a processor is slow.
pub const TIME_LIMIT: Duration = Duration::from_secs(600);

/// How large a journal may be that is copied into a temporary file; systemd writes none that is larger.
pub const JOURNAL_LIMIT: u64 = 4 << 30;

/// What a packed input had too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Unpacked bytes: more than [`UNPACKED_LIMIT`].
    Bytes,
    /// Unpacked bytes for its own: more than [`RATIO_LIMIT`] times as many.
    Ratio,
    /// Time: more than [`TIME_LIMIT`].
    Time,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Bytes, Self::Ratio, Self::Time];

    /// Whether all files of an archive together may have as much.
    pub(super) const fn is_shared(self) -> bool {
        match self {
            Self::Bytes | Self::Time => true,
            Self::Ratio => false,
        }
    }
}

/// What the input does.
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

/// The limits; those of users are the constants.
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

/// What all containers of one input have cost together.
#[derive(Clone, Debug)]
pub(super) struct Budget(Rc<Spent>);

#[derive(Debug)]
struct Spent {
    limits: Limits,
    unpacked: Cell<u64>,
    /// The thread's processor time when the first container was opened.
    begun: Cell<Option<Duration>>,
    /// For how long another program was waited for.
    waited: Cell<Duration>,
    /// Why no more is unpacked.
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

    /// Why nothing more of the input is unpacked.
    pub(super) fn over(&self) -> Option<Limit> {
        self.0.over.get()
    }

    /// Notes that `bytes` more came out, and which limit that was too much for.
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

/// The processor time of this thread: it never falls, and it stands while a slow pipe is waited for.
#[cfg(feature = "system")]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// A page in a browser has no such clock, and can be closed.
#[cfg(not(feature = "system"))]
const fn processor_time() -> Duration {
    Duration::ZERO
}

/// How many bytes were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Count(Rc<Cell<u64>>);

impl Count {
    /// Of what is to be read this many bytes.
    #[cfg(feature = "system")]
    pub(super) fn of(bytes: u64) -> Self {
        Self(Rc::new(Cell::new(bytes)))
    }

    /// Counts what is read of `reader`.
    pub(super) fn counted<R>(&self, reader: R) -> Counted<R> {
        Counted { reader, count: self.clone() }
    }
}

/// Counts what is read.
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

/// What comes out of one container, up to a limit.
#[derive(Debug)]
pub(super) struct Meter {
    container: Container,
    /// How much was packed.
    packed: Count,
    unpacked: u64,
    budget: Budget,
}

impl Meter {
    pub(super) fn new(container: Container, packed: Count, budget: Budget) -> Self {
        Self { container, packed, unpacked: 0, budget }
    }

    /// Notes what came out. Fails at a limit.
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

/// What another program makes of a file. That it is waited for costs time, too.
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
