//! Divides records into boots, by markers, by the kernel's banner and by its clock. The wall clock
//! can be set, and proves nothing.

use std::collections::HashSet;

use super::{Origin, Record, Stamp};
use crate::value::Micros;

/// How far the kernel's clock may fall within a boot: processors store lines out of order.
const DISORDER: Micros = Micros::seconds(1);

/// One run of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// Its first record; the boot ends before the first one of the next.
    pub first_sequence: u64,
    /// The stamp of its first record.
    pub first: Stamp,
    /// The stamp of the last record that has one.
    pub last: Stamp,
    /// The id that journalctl prints between boots.
    pub boot_id: Option<String>,
    /// Whether the log contains the kernel's first line, so that nothing before it is missing.
    pub from_banner: bool,
    /// Whether it certainly began after the previous boot. A clock that falls may also be due to an
    /// excerpt of the same boot.
    pub certain: bool,
}

/// The boot of a record according to the input itself; the default is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BootKey {
    /// The number of the boot, from 1.
    pub(super) number: u32,
    /// Given by a line between records, and not by each record.
    pub(super) marker: bool,
}

/// The current boot.
#[derive(Debug)]
struct Open {
    boot: Boot,
    /// Counts all boots that began, including those that were discarded.
    serial: usize,
    key: BootKey,
    /// Whether the kernel printed something.
    kernel: bool,
    /// The highest kernel time so far.
    high: Option<Micros>,
    /// The wall time at which the kernel's clock was 0, as precise as known.
    began: Option<Micros>,
}

/// How far two such times may differ for the same boot: daemons store lines late.
const DELAY: Micros = Micros::seconds(30);
/// How far the kernel's clock may advance after lines that came late.
const LATE: Micros = Micros::seconds(60);
/// How often a boot may continue after its end before the input is considered interleaved.
const RETURNS: u32 = 3;

/// A record whose kernel time fell; the next one decides.
#[derive(Clone, Copy, Debug)]
struct PossibleBoot {
    sequence: u64,
    stamp: Stamp,
    clock: Micros,
    /// The last stamp of the boot that may have ended here.
    before: Stamp,
}

/// The boots of an input, updated record by record.
#[derive(Debug, Default)]
pub(super) struct Boots {
    all: Vec<Open>,
    possible_boot: Option<PossibleBoot>,
    /// The number of boots that began.
    begun: usize,
    /// The boot that the input named last.
    key: BootKey,
    /// All boots that the input named.
    named: HashSet<u32>,
    /// How often a boot continued after its end.
    returns: u32,
    /// Whether records may be in any order, so that a falling clock proves nothing.
    any_order: bool,
}

impl Boots {
    /// Accepts records in any order: only markers and banners begin a boot.
    pub(super) fn in_any_order(&mut self) {
        self.any_order = true;
    }

    /// Whether records may be in any order.
    pub(super) fn are_in_any_order(&self) -> bool {
        self.any_order
    }

    /// The number of boots so far.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Handles the next record; `key` is its boot according to the input.
    pub(super) fn record(&mut self, record: &Record, key: BootKey) {
        let kernel = record.origin == Origin::Kernel;
        let clock = record.stamp.monotonic.filter(|_| kernel);
        let banner = kernel && record.message.starts_with("Linux version ");
        let named = self.enter_named_boot(key, clock);
        let ended = |open: &Open| banner && open.ended_by_banner(clock);
        if named || self.all.last().is_none_or(ended) {
            let key = if named { key } else { BootKey::default() };
            self.begin(record.sequence, record.stamp, key, true);
        } else if let Some(clock) = clock.filter(|_| !self.any_order) {
            self.resume(clock);
            self.watch(record, clock);
        }
        let suspected = self.possible_boot.is_some();
        let open = self.open();
        if !suspected {
            open.began = began(&record.stamp).or(open.began);
        }
        open.boot.from_banner |= banner;
        open.kernel |= kernel;
        open.high = open.high.max(clock);
        if record.stamp != Stamp::default() {
            open.boot.last = record.stamp;
        }
    }

    /// Enters the boot that the input names; returns whether it is a new one.
    fn enter_named_boot(&mut self, key: BootKey, clock: Option<Micros>) -> bool {
        if key == BootKey::default() || key == self.key {
            return false;
        }
        self.key = key;
        if !self.named.insert(key.number) {
            self.returns += 1;
            // If boots alternate, their order is unknown.
            return self.returns < RETURNS;
        }
        // Records before the first named boot may belong to it.
        match self.all.last_mut() {
            Some(open) if open.key == BootKey::default() && !key.marker => {
                let goes_on = open.high.zip(clock).is_none_or(|(high, clock)| clock >= high);
                if goes_on {
                    open.key = key;
                }
                !goes_on
            }
            _ => true,
        }
    }

    /// Whether the input alternates between boots or machines.
    pub(super) fn are_interleaved(&self) -> bool {
        self.returns >= RETURNS
    }

    /// Counts a boot that continued after its end.
    pub(super) fn note_return(&mut self) {
        self.returns += 1;
    }

    /// Whether a clock continues that of the boot before the last one, whose only evidence is a
    /// falling clock.
    fn is_resumed(&self, clock: Micros) -> bool {
        let [.., before, open] = &*self.all else { return false };
        let late = |clock: Micros, high: Micros| (0..=LATE.0).contains(&clock.since(high).0);
        let first = open.boot.first.monotonic;
        !open.boot.certain
            && !open.boot.from_banner
            && before.high.is_some_and(|high| late(clock, high))
            && first.zip(before.high).is_some_and(|(first, high)| late(high, first))
    }

    /// The lines before came late, and were not a boot.
    fn resume(&mut self, clock: Micros) {
        if self.is_resumed(clock) {
            self.all.pop();
            self.possible_boot = None;
        }
    }

    fn begin(&mut self, first_sequence: u64, stamp: Stamp, key: BootKey, certain: bool) {
        let boot = Boot {
            first_sequence,
            first: stamp,
            last: stamp,
            boot_id: None,
            from_banner: false,
            certain,
        };
        let began = began(&stamp);
        let serial = self.begun;
        self.begun += 1;
        self.all.push(Open { boot, serial, key, kernel: false, high: None, began });
        self.possible_boot = None;
    }

    /// A clock that falls and stays low is a new boot; one line out of order is not.
    fn watch(&mut self, record: &Record, clock: Micros) {
        let open = self.open();
        let walls = open.began.zip(began(&record.stamp));
        let same = walls.is_some_and(|(before, now)| now.since(before).0.abs() <= DELAY.0);
        if same || open.high.is_none_or(|high| high.since(clock) <= DISORDER) {
            self.possible_boot = None;
            return;
        }
        let before = open.boot.last;
        let Some(suspect) = self.possible_boot.take() else {
            let (sequence, stamp) = (record.sequence, record.stamp);
            self.possible_boot = Some(PossibleBoot { sequence, stamp, clock, before });
            return;
        };
        self.open().boot.last = suspect.before;
        let certain = walls.is_some_and(|(before, now)| now > before);
        self.begin(suspect.sequence, suspect.stamp, BootKey::default(), certain);
        self.open().high = Some(suspect.clock);
    }

    /// The current boot.
    fn open(&mut self) -> &mut Open {
        self.all.last_mut().unwrap_or_else(|| unreachable!("the first record begins a boot"))
    }

    /// The unique serial number of the last record's boot.
    pub(super) fn serial(&self) -> usize {
        self.all.last().map_or(0, |open| open.serial)
    }

    /// The boots so far.
    pub(super) fn so_far(&self, ids: &[String]) -> Vec<Boot> {
        self.all.iter().map(|open| open.named(ids)).collect()
    }

    /// All boots with their serial numbers; `ids` has the name of each boot in the input, from 1,
    /// or is empty.
    pub(super) fn finish(self, ids: &[String]) -> Vec<(usize, Boot)> {
        self.all.iter().map(|open| (open.serial, open.named(ids))).collect()
    }
}

/// The wall time at which the kernel's clock was 0.
fn began(stamp: &Stamp) -> Option<Micros> {
    let (clock, wall) = (stamp.monotonic?, stamp.wall?);
    Some(Micros(wall.local.0 - clock.0))
}

impl Open {
    /// The boot with its name in the input.
    fn named(&self, ids: &[String]) -> Boot {
        let id = (self.key.number as usize).checked_sub(1).and_then(|index| ids.get(index));
        Boot { boot_id: id.filter(|id| !id.is_empty()).cloned(), ..self.boot.clone() }
    }

    /// Whether a banner begins another boot: lines of the same boot can precede it, at time 0.
    fn ended_by_banner(&self, clock: Option<Micros>) -> bool {
        let later = match (self.high, clock) {
            (Some(high), Some(clock)) => high > clock,
            _ => true,
        };
        self.kernel && (later || self.boot.from_banner)
    }
}
