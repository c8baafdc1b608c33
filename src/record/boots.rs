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

/// Which boot the input itself says a record is of; the default is that it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BootKey(pub(super) u32);

/// A boot and what is only needed while it lasts.
#[derive(Debug)]
struct Open {
    boot: Boot,
    key: BootKey,
    /// The kernel printed something.
    kernel: bool,
    /// The highest clock of the kernel so far.
    high: Option<Micros>,
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

/// The boots of one input, as they come.
#[derive(Debug, Default)]
pub(super) struct Boots {
    all: Vec<Open>,
    suspect: Option<Suspect>,
    /// The boot that the input named last.
    key: BootKey,
    /// The records may come in any order, so a clock that falls says nothing.
    any_order: bool,
}

impl Boots {
    /// For records that may come in any order: only markers and banners begin a boot.
    pub(super) fn in_any_order(&mut self) {
        self.any_order = true;
    }

    /// Whether they may come in any order.
    pub(super) fn are_in_any_order(&self) -> bool {
        self.any_order
    }

    /// How many there are so far.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Takes the next record into account, which the input says is of boot `key`.
    pub(super) fn record(&mut self, record: &Record, key: BootKey) {
        let kernel = record.origin == Origin::Kernel;
        let clock = record.stamp.monotonic.filter(|_| kernel);
        let banner = kernel && record.message.starts_with("Linux version ");
        let told = key != BootKey::default() && key != self.key;
        if told {
            self.key = key;
        }
        let ended = |open: &Open| banner && open.ended_by_banner(clock);
        if told || self.all.last().is_none_or(ended) {
            let key = if told { key } else { BootKey::default() };
            self.begin(record.sequence, record.stamp, key);
        } else if let Some(clock) = clock.filter(|_| !self.any_order) {
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

    /// Whether a record with this clock could begin a boot.
    pub(super) fn watches(&self, clock: Option<Micros>) -> bool {
        let Some(open) = self.all.last() else { return true };
        clock.is_some_and(|clock| self.suspect.is_some() || open.high > Some(clock))
    }

    /// Takes a record into account that begins no boot, see [`Self::watches`].
    pub(super) fn pass(&mut self, clock: Option<Micros>) {
        if let Some(open) = self.all.last_mut() {
            open.high = open.high.max(clock);
        }
    }

    /// Notes the time of the last record that [`Self::pass`] took.
    pub(super) fn settle(&mut self, stamp: Stamp) {
        if let Some(open) = self.all.last_mut() {
            open.boot.last = stamp;
        }
    }

    fn begin(&mut self, first_sequence: u64, stamp: Stamp, key: BootKey) {
        let boot =
            Boot { first_sequence, first: stamp, last: stamp, boot_id: None, from_banner: false };
        self.all.push(Open { boot, key, kernel: false, high: None });
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
        self.begin(suspect.sequence, suspect.stamp, BootKey::default());
        if let Some(open) = self.all.last_mut() {
            open.high = Some(suspect.clock);
        }
    }

    /// All boots; `ids` holds what the input calls each key, counted from 1, or nothing.
    pub(super) fn finish(self, ids: &[String]) -> Vec<Boot> {
        let named = |mut open: Open| {
            let id = (open.key.0 as usize).checked_sub(1).and_then(|index| ids.get(index));
            open.boot.boot_id = id.filter(|id| !id.is_empty()).cloned();
            open.boot
        };
        self.all.into_iter().map(named).collect()
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
