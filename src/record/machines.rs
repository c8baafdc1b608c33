//! Distinguishes the machines that wrote into an input, by hosts and ids in their lines.
//!
//! A machine may change its name while it boots, and a file may contain several machines, mixed or
//! one after the other. Which of these is the case shows when the first name returns, or does not;
//! until then lines of a new name are held back.

use super::account::{ReadStats, RecordSink};
use super::draft::Draft;
use super::flow::Time;
use super::order::{Item, Order, Part};
use super::senders::BeforeJournald;
use super::{LogFormat, Options, Origin, Visit};
use crate::input::Skimmed;
use crate::value::Micros;

/// Maximum number of machines.
pub(super) const MOST: usize = 64;
/// Maximum number of machines without kernel lines: routers, switches, containers.
const WITHOUT_KERNEL: usize = 32;
/// Maximum number of names to remember.
const NAMES: usize = 1024;
/// After this time since boot, in microseconds, a machine does not change its name any more.
const BOOTING: i64 = 300_000_000;
/// Maximum number of held records of hosts whose machine is unknown.
const WAITING: usize = 4096;
/// Lines of one host within this time, in microseconds, with another's in between, are from
/// different machines.
const TOGETHER: i64 = 60_000_000;
/// How far the wall times of the same boot's start may differ, in microseconds: daemons store lines
/// late.
const DELAY: i64 = 30_000_000;
/// How far the kernel's clock may fall within a boot, in microseconds.
const DISORDER: i64 = 1_000_000;

/// A machine: the order of its records, its clocks, boots and statistics.
#[derive(Debug, Default)]
pub(super) struct Machine {
    pub(super) order: Order,
    pub(super) account: RecordSink,
    pub(super) early: BeforeJournald,
    /// Its id in the journal.
    id: Option<String>,
}

/// A host name in kernel lines.
#[derive(Debug)]
struct Host {
    name: String,
    of: HostOwner,
    /// Whether its first line began a boot.
    boots: bool,
    first: Time,
    last: Time,
    /// The number of boots in the input up to its last line.
    booted: u32,
}

/// The machine of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HostOwner {
    /// That machine's.
    Machine(usize),
    /// Unknown: it may be another name of the previous machine, and its lines are held back.
    Doubt,
}

/// The machines of an input.
#[derive(Debug)]
pub(super) struct Machines {
    /// Whether they are distinguished.
    apart: bool,
    options: Options,
    all: Vec<Machine>,
    hosts: Vec<Host>,
    /// The host of the last line.
    host: Option<usize>,
    /// The machine of the last line, or before the held lines.
    speaker: usize,
    /// Held lines, with their host, in order.
    waiting: Vec<(usize, Item<String>)>,
    /// The number of boots so far.
    booted: u32,
    /// Whether there were more machines than the limit.
    too_many: bool,
    /// Whether the current machine is beyond the limit, so that its lines are left out.
    is_nobody: bool,
}

impl Default for Machines {
    fn default() -> Self {
        Self::new(Options::default(), false)
    }
}

impl Machines {
    /// Treats the input as one machine, or distinguishes machines if `apart`.
    pub(super) fn new(options: Options, apart: bool) -> Self {
        let all = vec![Machine::new(options)];
        let (hosts, waiting) = (Vec::new(), Vec::new());
        Self {
            apart,
            options,
            all,
            hosts,
            host: None,
            speaker: 0,
            waiting,
            booted: 0,
            too_many: false,
            is_nobody: false,
        }
    }

    /// The machine of the last line, as far as known.
    pub(super) fn speaker(&mut self) -> &mut Machine {
        &mut self.all[self.speaker]
    }

    /// All machines.
    pub(super) fn all(&self) -> &[Machine] {
        &self.all
    }

    /// All of them, to be changed.
    pub(super) fn all_mut(&mut self) -> &mut [Machine] {
        &mut self.all
    }

    /// The statistics for a machine so far.
    pub(super) fn so_far(&mut self, machine: usize, boot_ids: &[String]) -> ReadStats {
        let Machine { account, id, .. } = &mut self.all[machine];
        ReadStats { machine_id: id.clone(), ..account.so_far(boot_ids) }
    }

    /// Whether there are more machines than the limit.
    pub(super) fn are_too_many(&self) -> bool {
        self.too_many
    }

    /// Determines the machine of a line that is about to be passed on.
    pub(super) fn turn_to(&mut self, draft: &Draft<&str>, visit: &mut impl Visit) {
        if let Some(id) = draft.machine.filter(|_| self.apart) {
            return self.turn_to_id(id, draft.host);
        }
        let Some(name) = draft.host else { return };
        self.is_nobody = false;
        self.booted += u32::from(begins_boot(draft));
        let kernel = draft.origin == Origin::Kernel && draft.form.names_host();
        match self.host_called(name) {
            Some(host) => self.known(host, draft, kernel, visit),
            None if kernel && self.is_full() => {
                self.too_many = true;
                self.is_nobody = true;
            }
            None if kernel => self.unknown(name, draft),
            // A router or container; belongs to the machine itself if there is no other.
            None if self.all.len() == 1 => {}
            None if self.all.len() > WITHOUT_KERNEL || self.hosts.len() >= NAMES => {
                self.is_nobody = true;
            }
            None => {
                let machine = self.another();
                self.add(name, HostOwner::Machine(machine), draft);
            }
        }
    }

    /// The journal gives the machine's id.
    fn turn_to_id(&mut self, id: &str, host: Option<&str>) {
        self.is_nobody = false;
        if self.all[self.speaker].id.as_deref() == Some(id) {
            return self.call(self.speaker, host);
        }
        let known = self.all.iter().position(|machine| machine.id.as_deref() == Some(id));
        let unnamed = || self.all[0].id.is_none().then_some(0);
        let machine = match known.or_else(unnamed) {
            Some(machine) => machine,
            None if self.all.len() >= MOST => {
                (self.too_many, self.is_nobody) = (true, true);
                return;
            }
            None => self.another(),
        };
        self.all[machine].id.get_or_insert_with(|| id.to_owned());
        self.speaker = machine;
        self.call(machine, host);
    }

    /// Sets the current name of a machine.
    fn call(&mut self, machine: usize, host: Option<&str>) {
        let known = &mut self.all[machine].account.reading.host;
        if let Some(host) = host.filter(|host| known.as_deref() != Some(*host)) {
            *known = Some(host.to_owned());
        }
    }

    /// A new machine.
    fn another(&mut self) -> usize {
        if self.all.len() >= MOST {
            self.too_many = true;
            return self.speaker;
        }
        let mut machine = Machine::new(self.options);
        machine.account.number = self.all.len();
        machine.account.flow.reference = self.all[0].account.flow.reference;
        self.all.push(machine);
        self.all.len() - 1
    }

    /// Whether no further machine or name can be distinguished. A host in doubt may be a machine.
    fn is_full(&self) -> bool {
        let doubts = self.hosts.iter().filter(|host| host.of == HostOwner::Doubt).count();
        self.apart && (self.all.len() + doubts >= MOST || self.hosts.len() >= NAMES)
    }

    fn host_called(&self, name: &str) -> Option<usize> {
        let is = |host: usize| is_same_name(&self.hosts[host].name, name);
        self.host.filter(|host| is(*host)).or_else(|| (0..self.hosts.len()).find(|at| is(*at)))
    }

    fn add(&mut self, name: &str, of: HostOwner, draft: &Draft<&str>) {
        let boots = begins_boot(draft);
        let (first, last) = (draft.time, draft.time);
        self.host = Some(self.hosts.len());
        let (name, booted) = (name.to_owned(), self.booted);
        if let HostOwner::Machine(machine) = of {
            self.speaker = machine;
            self.all[machine].account.reading.host = Some(name.clone());
        }
        self.hosts.push(Host { name, of, boots, first, last, booted });
    }

    /// A name that is new in kernel lines.
    fn unknown(&mut self, name: &str, draft: &Draft<&str>) {
        let before = self.host.and_then(|host| self.hosts.get(host));
        let of = match before {
            None => HostOwner::Machine(self.speaker),
            Some(_) if !self.apart => HostOwner::Machine(self.speaker),
            Some(before) if is_beside(&before.last, &draft.time) => {
                HostOwner::Machine(self.another())
            }
            // A growing log cannot wait for later lines, and machines may boot at the same time.
            Some(before) if self.options.as_it_comes => {
                let boots = draft.time.monotonic.is_some_and(|clock| clock.0 < BOOTING);
                let renamed = boots
                    && is_default_name(&before.name)
                    && is_same_boot(&before.last, &draft.time) == Some(true);
                HostOwner::Machine(if renamed { self.speaker } else { self.another() })
            }
            Some(_) => HostOwner::Doubt,
        };
        self.add(name, of, draft);
    }

    /// A line of a known host.
    fn known(&mut self, host: usize, draft: &Draft<&str>, kernel: bool, visit: &mut impl Visit) {
        let before = self.host.replace(host);
        if before.is_some_and(|before| before != host) {
            self.returned(host, before, draft, kernel, visit);
        }
        let renamed = before != Some(host);
        let known = &mut self.hosts[host];
        known.booted = self.booted;
        if kernel {
            known.last = draft.time;
        }
        if let HostOwner::Machine(machine) = known.of {
            self.speaker = machine;
            if renamed {
                known
                    .name
                    .clone_into(self.all[machine].account.reading.host.get_or_insert_default());
            }
        }
    }

    /// A host returns after others.
    fn returned(
        &mut self,
        host: usize,
        before: Option<usize>,
        draft: &Draft<&str>,
        kernel: bool,
        visit: &mut impl Visit,
    ) {
        let doubtful = |at: &usize| self.hosts[*at].of == HostOwner::Doubt;
        let last = &self.hosts[host].last;
        if self.hosts[host].of == HostOwner::Doubt {
            // The hosts in between are other machines; it may be the machine before them.
            let others: Vec<usize> = (host + 1..self.hosts.len()).filter(doubtful).collect();
            return self.settle(&others, |_| true, visit);
        }
        let doubts: Vec<usize> = (0..self.hosts.len()).filter(doubtful).collect();
        if !doubts.is_empty() {
            let last = *last;
            return self.settle(&doubts, |doubt| is_another(doubt, &last, draft), visit);
        }
        let beside = last.until(&draft.time).is_some_and(|span| span.abs() < TOGETHER)
            && self.hosts[host].booted == self.booted;
        let Some(before) = before.filter(|_| kernel && beside) else { return };
        let together = self.hosts[before].of == self.hosts[host].of;
        if !together || has_fallen(&self.hosts[before].last, &draft.time) {
            return;
        }
        if self.apart {
            // It was considered another name of the same machine.
            let of = HostOwner::Machine(self.another());
            self.hosts[before].of = of;
        } else {
            self.all[self.speaker].account.boots.note_return();
        }
    }

    /// Decides whether unknown hosts are other machines, and passes on held lines.
    fn settle(
        &mut self,
        doubts: &[usize],
        is_another: impl Fn(&Host) -> bool,
        visit: &mut impl Visit,
    ) {
        let mut speaker = self.speaker;
        for &doubt in doubts {
            if is_another(&self.hosts[doubt]) {
                speaker = self.another();
            }
            let host = &mut self.hosts[doubt];
            host.of = HostOwner::Machine(speaker);
            self.all[speaker].account.reading.host = Some(host.name.clone());
        }
        for (host, out) in std::mem::take(&mut self.waiting) {
            match self.hosts[host].of {
                HostOwner::Machine(machine) => self.all[machine].pass(out.borrowed(), visit),
                HostOwner::Doubt => self.waiting.push((host, out)),
            }
        }
        self.speaker = speaker;
    }

    /// No name returned within the held lines: a name with which a boot began is another machine.
    fn settle_all(&mut self, visit: &mut impl Visit) {
        let doubts: Vec<usize> =
            (0..self.hosts.len()).filter(|at| self.hosts[*at].of == HostOwner::Doubt).collect();
        let Some(first) = doubts.first() else { return };
        let before = first.checked_sub(1).and_then(|before| self.hosts.get(before));
        let before =
            before.map(|before| (before.last, before.boots || is_default_name(&before.name)));
        self.settle(
            &doubts,
            |doubt| {
                let Some((last, may_be_renamed)) = before else { return doubt.boots };
                let clocks = last.monotonic.is_some() && doubt.first.monotonic.is_some();
                // Without the kernel's clock, as in lines that were picked from the log of a
                // collecting host: a machine gets its name while it boots, and seldom another one.
                let other = !clocks && !may_be_renamed && !is_default_name(&doubt.name);
                is_same_boot(&last, &doubt.first).map_or(doubt.boots || other, |same| !same)
            },
            visit,
        );
    }

    /// Passes on a line of the current machine.
    pub(super) fn pass(&mut self, out: Item<&str>, visit: &mut impl Visit) {
        if self.is_nobody {
            return;
        }
        let doubt = self.host.filter(|host| self.hosts[*host].of == HostOwner::Doubt);
        let Some(host) = doubt else { return self.all[self.speaker].pass(out, visit) };
        self.waiting.push((host, out.kept()));
        if self.waiting.len() >= WAITING {
            self.settle_all(visit);
        }
    }

    /// Begins a part of a saved crash.
    pub(super) fn part(&mut self, part: Part, visit: &mut impl Visit) {
        let Machine { order, account, .. } = self.speaker();
        order.part(part, &mut |out| account.emit(out, visit));
    }

    /// Counts skipped lines, whose machine is unknown. Returns the number of the kernel's, and the
    /// last record if another GPU's driver printed one.
    pub(super) fn skim(&mut self, skimmed: Skimmed, form: LogFormat) -> (u64, Option<u64>) {
        let account = &mut self.speaker().account;
        let of_kernel = account.skim(skimmed, form);
        let last = account.reading.records.checked_sub(1);
        (of_kernel, last.filter(|_| skimmed.of_another))
    }

    /// Whether lines can be skipped: nothing is held back.
    pub(super) fn are_forward(&self) -> bool {
        self.all.iter().all(|machine| machine.order.is_forward())
    }

    /// Ends the input. Returns the first machine in any case, others if they have kernel lines.
    pub(super) fn finish(mut self, boot_ids: &[String], visit: &mut impl Visit) -> Vec<ReadStats> {
        self.settle_all(visit);
        let finished = self.all.into_iter().map(|machine| {
            let Machine { mut order, mut account, id, .. } = machine;
            order.finish(&mut |out| account.emit(out, visit));
            let reading = account.finish(order.is_reversed(), boot_ids);
            ReadStats { machine_id: id, ..reading }
        });
        finished.collect()
    }
}

impl Machine {
    fn new(options: Options) -> Self {
        let mut machine = Self::default();
        machine.account.flow.reference = options.reference;
        if options.as_it_comes {
            machine.order = Order::as_it_comes();
            machine.account.boots.in_any_order();
        }
        machine
    }

    fn pass(&mut self, out: Item<&str>, visit: &mut impl Visit) {
        let Self { order, account, .. } = self;
        order.pass(out, &mut |out| account.emit(out, visit));
    }
}

/// Whether two names are of one host: with and without its domain.
fn is_same_name(one: &str, other: &str) -> bool {
    let is_short = |short: &str, long: &str| {
        let domain = long.strip_prefix(short).filter(|_| !short.is_empty());
        !short.contains('.') && domain.is_some_and(|domain| domain.starts_with('.'))
    };
    one == other || is_short(one, other) || is_short(other, one)
}

fn begins_boot(draft: &Draft<&str>) -> bool {
    draft.message.starts_with("Linux version ")
}

/// The wall time at which the kernel's clock was 0.
fn began(time: &Time) -> Option<i64> {
    let (clock, wall) = (time.monotonic?, time.wall?);
    Some(wall.local.0 - clock.0)
}

/// Whether the kernel's clock shows a boot between two lines of one machine.
fn has_fallen(first: &Time, second: &Time) -> bool {
    let fallen = |(first, second): (Micros, Micros)| first.since(second).0 > DISORDER;
    first.monotonic.zip(second.monotonic).is_some_and(fallen)
}

/// Whether two lines are from one boot; `None` if their clocks do not show it.
fn is_same_boot(first: &Time, second: &Time) -> Option<bool> {
    let (clock, later) = first.monotonic.zip(second.monotonic)?;
    if has_fallen(first, second) {
        return Some(false);
    }
    match began(first).zip(began(second)) {
        Some((first, second)) if (second - first).abs() <= DELAY => Some(true),
        // The wall clock may have been set.
        Some(_) if later.since(clock).0 < TOGETHER => None,
        Some(_) => Some(false),
        None => Some(true),
    }
}

/// Whether a machine has this name before it is given its own: the kernel's default
/// (`CONFIG_DEFAULT_HOSTNAME`), and what distributions build systemd with (`fallback-hostname`).
fn is_default_name(name: &str) -> bool {
    const DEFAULT: [&str; 7] =
        ["(none)", "localhost", "fedora", "archlinux", "nixos", "linux", "debian"];
    DEFAULT.contains(&name.split('.').next().unwrap_or(name))
}

/// Whether clocks prove that a line is from another machine than the previous one: that machine was
/// running at the same time, with another boot time.
fn is_beside(first: &Time, second: &Time) -> bool {
    let ran = || Some(began(second)? < first.wall?.local.0 - DELAY);
    is_same_boot(first, second) == Some(false) && ran() == Some(true)
}

/// Whether a host is a different machine than the one before it, whose last line was at `last` and
/// which returns now. A booting machine may have another name at first.
fn is_another(doubt: &Host, last: &Time, again: &Draft<&str>) -> bool {
    let boots = begins_boot(again);
    let same = |first: &Time, second: &Time| is_same_boot(first, second);
    match (same(last, &again.time), same(&doubt.last, &again.time)) {
        (Some(true), _) if !boots => true,
        (_, Some(true)) if !boots => false,
        // It has booted since; the other name may have been its own before that.
        (Some(_), _) => same(last, &doubt.first) != Some(true),
        (None, _) => doubt.boots == boots,
    }
}

#[cfg(test)]
mod tests;
