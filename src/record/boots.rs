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
    key: BootKey,
    /// Whether the kernel printed something.
    kernel: bool,
    /// The highest kernel time so far.
    high: Option<Micros>,
    /// The wall time at which the kernel's clock was 0, as precise as known.
    began: Option<Micros>,
    /// The crashes of the kernel.
    crashes: Crashes,
}

/// The crashes of one run of the kernel, which numbers them from 1.
#[derive(Clone, Copy, Debug, Default)]
struct Crashes {
    /// The highest number, and the time of its line.
    last: Option<(u32, Micros)>,
    /// The first record behind them, with its stamp and the one before it, from which another boot
    /// may have begun.
    behind: Option<(u64, Stamp, Stamp)>,
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
        if let Some(clock) = clock.filter(|_| !self.any_order) {
            self.count_crashes(record, clock);
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
        let crashes = Crashes::default();
        self.all.push(Open { boot, key, kernel: false, high: None, began, crashes });
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

    /// A kernel that numbers its crashes from 1 again is another run of it, also where its clock is
    /// later than that of the run before: a suspended machine has such a clock, too.
    fn count_crashes(&mut self, record: &Record, clock: Micros) {
        let stamp = record.stamp;
        let open = self.open();
        let jumps = || {
            let walls = open.began.zip(began(&stamp));
            walls.is_some_and(|(before, now)| now.since(before).0 > DELAY.0)
        };
        let before = open.boot.last;
        let crashes = &mut open.crashes;
        if crashes.last.is_some() {
            let is_first = || crashes.behind.is_none() && record.message.starts_with("BUG: ");
            if jumps() || is_first() {
                crashes.behind.get_or_insert((record.sequence, stamp, before));
            }
        }
        let Some((number, begins)) = number_of_crash(record.message) else { return };
        let restarts = |(_, at): (u32, Micros)| begins && number == 1 && clock.since(at) > DELAY;
        if crashes.last.is_some_and(restarts) {
            let (first, stamp, before) = crashes.behind.unwrap_or((record.sequence, stamp, before));
            self.open().boot.last = before;
            self.begin(first, stamp, BootKey::default(), true);
        }
        let crashes = &mut self.open().crashes;
        let highest = crashes.last.map_or(number, |(last, _)| last.max(number));
        *crashes = Crashes { last: Some((highest, clock)), behind: None };
    }

    /// The current boot.
    fn open(&mut self) -> &mut Open {
        self.all.last_mut().unwrap_or_else(|| unreachable!("the first record begins a boot"))
    }

    /// The boots so far; `ids` has the name of each boot in the input, from 1, or is empty.
    pub(super) fn so_far(&self, ids: &[String]) -> Vec<Boot> {
        self.all.iter().map(|open| open.named(ids)).collect()
    }
}

/// The wall time at which the kernel's clock was 0.
fn began(stamp: &Stamp) -> Option<Micros> {
    let (clock, wall) = (stamp.monotonic?, stamp.wall?);
    Some(Micros(wall.local.0 - clock.0))
}

/// The number of the crash of a line such as `Oops: 0000 [#1] SMP`, and whether the line is its
/// beginning. Of a crash whose end alone is in the log, the address behind its registers is known.
///
/// Source: `__die_header()` of `arch/x86/kernel/dumpstack.c`, `__die()` of
/// `arch/arm64/kernel/traps.c`; `page_fault_oops()` of `arch/x86/mm/fault.c`.
fn number_of_crash(message: &str) -> Option<(u32, bool)> {
    const BEGINNINGS: [&str; 4] =
        ["Oops: ", "Internal error: ", "invalid opcode: ", "general protection fault"];
    if message.starts_with("CR2: ") {
        return (message.trim_end().len() == "CR2: ".len() + 16).then_some((1, false));
    }
    let begins = BEGINNINGS.iter().any(|beginning| message.starts_with(beginning));
    let (_, rest) = message.split_once("[#").filter(|_| begins)?;
    Some((rest.split_once(']')?.0.parse().ok()?, true))
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
