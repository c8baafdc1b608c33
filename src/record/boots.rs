//! Where one boot ends and the next begins. Decides by markers, by the kernel's banner and by its
//! clock; a clock on the wall can be set and proves nothing.

use super::{Origin, Record, Stamp};
use crate::value::Micros;

/// How far the kernel's clock may fall without a boot: processors store lines out of order.
const DISORDER: Micros = Micros::seconds(1);

/// One run of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// The first record of it; the boot lasts up to the next one's.
    pub first_sequence: u64,
    /// The stamp of its first record.
    pub first: Stamp,
    /// The stamp of the last record that has one.
    pub last: Stamp,
    /// The id that journalctl prints between boots.
    pub boot_id: Option<String>,
    /// Whether the log has the line by which a kernel begins, so that nothing is missing before.
    pub from_banner: bool,
}

/// A boot and what is only needed while it lasts.
#[derive(Debug)]
struct Open {
    boot: Boot,
    /// The kernel printed something.
    kernel: bool,
    /// The highest clock of the kernel so far.
    high: Option<Micros>,
    cause: Cause,
}

/// Why a boot was taken to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Start,
    Marker,
    Banner,
    Clock,
}

/// A record whose clock fell; the next one decides.
#[derive(Clone, Copy, Debug)]
struct Suspect {
    sequence: u64,
    stamp: Stamp,
    clock: Micros,
    /// The last stamp of the boot that may have ended here.
    before: Stamp,
}

/// What a marker says of the boot that follows.
#[derive(Debug)]
struct Announced {
    boot_id: Option<String>,
}

/// The boots of one input, as they come.
#[derive(Debug, Default)]
pub(super) struct Boots {
    all: Vec<Open>,
    suspect: Option<Suspect>,
    /// A marker was seen: the next record begins a boot.
    announced: Option<Announced>,
}

impl Boots {
    /// `-- Boot 0123… --` or `-- Reboot --` stands between two records.
    pub(super) fn marker(&mut self, boot_id: Option<&str>) {
        self.announced = Some(Announced { boot_id: boot_id.map(str::to_owned) });
    }

    /// How many there are so far.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Takes the next record into account.
    pub(super) fn record(&mut self, record: &Record) {
        let kernel = record.origin == Origin::Kernel;
        let clock = record.stamp.monotonic.filter(|_| kernel);
        let banner = kernel && record.message.starts_with("Linux version ");
        let announced = self.announced.take();
        let cause = match (&announced, self.all.last()) {
            (Some(_), _) => Some(Cause::Marker),
            (None, None) => Some(Cause::Start),
            (None, Some(open)) => (banner && open.ended_by_banner(clock)).then_some(Cause::Banner),
        };
        if let Some(cause) = cause {
            self.begin(
                record.sequence,
                record.stamp,
                announced.and_then(|announced| announced.boot_id),
                cause,
            );
        } else if let Some(clock) = clock {
            self.watch(record, clock);
        }
        let Some(open) = self.all.last_mut() else { return };
        open.boot.from_banner |= banner;
        open.kernel |= kernel;
        open.high = open.high.max(clock);
        if record.stamp != Stamp::default() {
            open.boot.last = record.stamp;
        }
    }

    fn begin(&mut self, first_sequence: u64, stamp: Stamp, boot_id: Option<String>, cause: Cause) {
        let boot = Boot { first_sequence, first: stamp, last: stamp, boot_id, from_banner: false };
        self.all.push(Open { boot, kernel: false, high: None, cause });
        self.suspect = None;
    }

    /// A clock that falls and stays low is a boot; one line out of order is none.
    fn watch(&mut self, record: &Record, clock: Micros) {
        let Some(open) = self.all.last_mut() else { return };
        if open.high.is_none_or(|high| high.since(clock) <= DISORDER) {
            self.suspect = None;
            return;
        }
        let Some(suspect) = self.suspect.take() else {
            let (sequence, stamp, before) = (record.sequence, record.stamp, open.boot.last);
            self.suspect = Some(Suspect { sequence, stamp, clock, before });
            return;
        };
        open.boot.last = suspect.before;
        self.begin(suspect.sequence, suspect.stamp, None, Cause::Clock);
        if let Some(open) = self.all.last_mut() {
            open.high = Some(suspect.clock);
        }
    }

    /// All boots of an input of `records` records.
    ///
    /// In one that runs backwards a falling clock is the normal course, and a banner is the last line
    /// of its boot instead of the first.
    pub(super) fn finish(self, reversed: bool, records: u64) -> Vec<Boot> {
        let marked = self.all.iter().any(|open| open.cause == Cause::Marker);
        let mut boots: Vec<Boot> = Vec::new();
        for mut open in self.all {
            let mut joins = reversed && open.cause == Cause::Clock;
            if reversed && open.cause == Cause::Banner {
                open.boot.first_sequence += 1;
                joins = marked || open.boot.first_sequence >= records;
            }
            match boots.last_mut() {
                Some(before) if joins => {
                    before.last = open.boot.last;
                    before.from_banner |= open.boot.from_banner;
                }
                _ => boots.push(open.boot),
            }
        }
        boots
    }
}

impl Open {
    /// Whether a banner is the next boot's: lines of the same boot can stand before it, at time 0.
    fn ended_by_banner(&self, clock: Option<Micros>) -> bool {
        let later = match (self.high, clock) {
            (Some(high), Some(clock)) => high > clock,
            _ => true,
        };
        self.kernel && (later || self.boot.from_banner)
    }
}
