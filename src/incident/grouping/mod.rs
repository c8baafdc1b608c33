//! Groups events into incidents: by GPU, by time, by possible causes, and by common resets.

mod adopt;
mod group;
mod place;

use std::collections::{BTreeMap, BTreeSet};

use super::cause;
use super::recovery;
use super::{Incident, opens};
use crate::event::Observed;
use crate::event::log::{Coverage, Log};
use crate::kind::{Effect, Kind, Part, Subject};
use crate::value::{Micros, PciAddress};

use group::Group;

/// Aftermath of a recovery may appear up to this time later.
const AFTERMATH: Micros = Micros::seconds(300);
/// An event without a device can belong to a failure within this time.
const NEAR: Micros = Micros::seconds(10);
/// Events that led to a failure may be up to this time older.
const LEAD_UP: Micros = Micros::seconds(10);

/// Maximum number of incidents that are open, or searched for one with aftermath. No machine has as
/// many GPUs, but a log may name any number.
const MOST_OPEN: usize = 256;

/// Groups the events of `log`.
pub(super) fn grouped(log: &Log) -> Vec<Incident> {
    let mut grouping = Grouping {
        log,
        open: Vec::new(),
        closed: Vec::new(),
        past: Vec::new(),
        early: BTreeMap::new(),
        dead: BTreeSet::new(),
        starting: BTreeSet::new(),
        reports: Vec::new(),
        timed: timed(log),
    };
    for index in 0..log.events.len() {
        grouping.take(index);
    }
    let reports = std::mem::take(&mut grouping.reports);
    let mut groups = grouping.finish();
    adopt::adopt(&mut groups, &reports, log);
    adopt::rejoin(&mut groups, log);
    groups.retain(|group| !group.is_start(log));
    groups.sort_by_key(|group| group.first_placed(log));
    groups.into_iter().map(|group| group.into_incident(log)).collect()
}

/// The boots that have events with times.
fn timed(log: &Log) -> Vec<bool> {
    let mut timed = vec![false; log.boots.len()];
    for observed in log.events.iter().filter(|observed| !observed.stamp.is_timeless()) {
        if let Some(boot) = timed.get_mut(observed.boot) {
            *boot = true;
        }
    }
    timed
}

/// Whether it is a reset with which the driver puts a GPU to sleep.
///
/// Source: `amdgpu_pmops_suspend_noirq` of `amdgpu_drv.c`.
fn is_part_of_a_sleep(observed: &Observed) -> bool {
    observed.event.kind() == Kind::ResetMethodChosen && observed.event.text("during").is_some()
}

/// Whether the driver begins to save the state of a GPU, and the log ends before the reason for it:
/// the message about the job that timed out comes after the dump.
fn ends_with_a_dump(at: usize, log: &Log) -> bool {
    log.events.get(at).is_some_and(|dump| {
        let ends = log.coverage(dump.boot, dump.sequence, &dump.stamp, NEAR);
        recovery::begins_a_dump(&dump.event) && ends == Coverage::Ends
    })
}

struct Grouping<'l> {
    log: &'l Log,
    open: Vec<Group>,
    /// Ended incidents whose aftermath may still appear.
    closed: Vec<Group>,
    /// Incidents that ended long ago; nothing more belongs to them.
    past: Vec<Group>,
    /// Steps, and failures that open nothing, from before their device had an incident: they may
    /// have led to one.
    early: BTreeMap<Option<PciAddress>, Vec<usize>>,
    /// GPUs, by boot, with a part that did not work before any incident.
    dead: BTreeSet<(usize, Option<PciAddress>)>,
    /// GPUs, by boot, that the driver will reset as part of their setup.
    starting: BTreeSet<(usize, Option<PciAddress>)>,
    /// Program output without times, in boots whose other lines have times; assigned at the end.
    reports: Vec<usize>,
    /// The boots that have events with times.
    timed: Vec<bool>,
}

impl Grouping<'_> {
    fn take(&mut self, index: usize) {
        let log = self.log;
        let Some(observed) = log.events.get(index) else { return };
        let columns = observed.event.columns();
        let opens = match columns.part {
            Part::Context if observed.event.kind() == Kind::InitReset => {
                self.starting.insert((observed.boot, observed.device));
                return;
            }
            Part::Context => return self.take_back(index, observed),
            // Tasks hang for many reasons; those that do not wait for a GPU are not part of its
            // failure.
            Part::Failure if !observed.of_a_gpu => return,
            // The device on the bus is not necessarily a GPU.
            Part::Step if !observed.of_a_gpu && columns.subject == Subject::BusRepair => return,
            Part::Step | Part::Aftermath if !observed.of_a_gpu => false,
            Part::Failure | Part::Step | Part::Aftermath => opens(observed),
        };
        if is_part_of_a_sleep(observed) {
            return;
        }
        if observed.event.kind() == Kind::ResetBegin {
            self.starting.remove(&(observed.boot, observed.device));
        }
        if self.is_without_place(observed) {
            return self.reports.push(index);
        }
        self.close_stale(observed);
        if let Some(at) = self.group_of(observed) {
            if let Some(group) = self.open.get_mut(at) {
                group.add(index, observed);
            }
        } else if self.add_aftermath(index, observed) {
            // It belongs to an incident that has ended.
        } else if opens {
            let group = self.begin(index, observed);
            if self.open.len() >= MOST_OPEN {
                self.closed.push(self.open.remove(0));
            }
            self.open.push(group);
        } else if matches!(columns.part, Part::Step | Part::Failure) {
            self.early.entry(observed.device).or_default().push(index);
        } else if columns.recovery == Effect::ShowsADeadPartIfRing {
            self.dead.insert((observed.boot, observed.device));
        }
    }

    /// Whether its place in the text means nothing: program output without times, pasted before or
    /// after lines with times.
    fn is_without_place(&self, observed: &Observed) -> bool {
        let timed = self.timed.get(observed.boot).is_some_and(|timed| *timed);
        let told = observed.device.is_some() && !observed.inferred;
        timed && observed.stamp.is_timeless() && !told && cause::is_report_of_a_program(observed)
    }

    /// A GPU that was lost or not recovered is taken back into service.
    fn take_back(&mut self, index: usize, observed: &Observed) {
        let effect = observed.event.columns().recovery;
        if !matches!(effect, Effect::TakesTheGpuBack | Effect::TakesTheGpuBackIfPowered) {
            return;
        }
        let its = |group: &&mut Group| {
            group.boot == observed.boot && group.device.is_some() && group.device == observed.device
        };
        // It came back from the last thing that happened to it.
        let mut groups = self.open.iter_mut().chain(self.closed.iter_mut().rev());
        if let Some(group) = groups.find(its).filter(|group| group.recovery.is_gone()) {
            group.recovery.see(observed);
            if group.recovery.has_succeeded() {
                group.add(index, observed);
            }
        }
    }

    fn finish(mut self) -> Vec<Group> {
        self.add_last_dumps();
        for group in &mut self.open {
            group.closed = self.log.is_followed(group.boot) || group.is_quiet_at_the_end(self.log);
        }
        for group in self.closed.iter_mut().chain(&mut self.past) {
            group.closed = true;
        }
        self.past.append(&mut self.closed);
        self.past.append(&mut self.open);
        self.past
    }

    /// Adds the dumps with which a GPU begins to fail again, and the log ends, to its last
    /// incident.
    fn add_last_dumps(&mut self) {
        let log = self.log;
        let dumps = self.early.values().flatten().filter(|at| ends_with_a_dump(**at, log));
        let mut dumps: Vec<usize> = dumps.copied().collect();
        dumps.sort_unstable();
        let mut served: BTreeSet<(usize, Option<PciAddress>)> = BTreeSet::new();
        for at in dumps {
            let Some(dump) = log.events.get(at) else { continue };
            if !served.insert((dump.boot, dump.device)) {
                continue;
            }
            let its = |group: &&mut Group| {
                let first = group.events.first();
                group.boot == dump.boot
                    && group.device == dump.device
                    && first.is_some_and(|first| *first < at)
            };
            let groups = self.open.iter_mut().chain(&mut self.closed).chain(&mut self.past);
            let last = groups.filter(its).max_by_key(|group| group.events.last().copied());
            if let Some(group) = last.filter(|group| group.is_back()) {
                group.add(at, dump);
                // The end of the dump, and the file that is made of it.
                let rest = self.early.get(&dump.device).into_iter().flatten();
                for later in rest.copied().filter(|later| *later > at) {
                    let step = log.events.get(later).filter(|step| step.boot == dump.boot);
                    if let Some(step) = step {
                        group.add(later, step);
                    }
                }
            }
        }
    }

    fn close_stale(&mut self, next: &Observed) {
        let over = |group: &Group| group.boot != next.boot || group.is_over_at(next);
        let (stale, open) = std::mem::take(&mut self.open).into_iter().partition(over);
        self.open = open;
        self.closed.extend::<Vec<Group>>(stale);
        let surplus = self.closed.len().saturating_sub(MOST_OPEN);
        self.past.extend(self.closed.drain(..surplus));
    }

    /// Adds the aftermath of a recovery to the incident that has ended; returns false if there is
    /// not exactly one candidate.
    fn add_aftermath(&mut self, index: usize, observed: &Observed) -> bool {
        let limit = if observed.event.kind().part() == Part::Aftermath {
            AFTERMATH
        } else if cause::is_report_of_a_program(observed) {
            NEAR
        } else {
            return false;
        };
        self.retire_old(observed);
        let fits = |group: &Group| {
            let span = group.last.elapsed(&observed.stamp);
            (observed.device.is_none() || group.device == observed.device)
                && (span.is_none_or(|span| span <= limit) || group.recovery.is_gone())
        };
        let fitting: Vec<usize> = (0..self.closed.len())
            .rev()
            .filter(|at| self.closed.get(*at).is_some_and(fits))
            .collect();
        let device = |at: &usize| self.closed.get(*at).map(|group| group.device);
        let first = fitting.first().copied();
        let certain = fitting.iter().all(|at| device(at) == first.as_ref().and_then(device));
        let since = |at: &usize| Some((self.closed.get(*at)?.since_a_cause_of(observed)?, *at));
        let chosen = if certain {
            first
        } else {
            let caused = fitting.iter().filter_map(since);
            caused.min_by_key(|(span, at)| (*span, std::cmp::Reverse(*at))).map(|(_, at)| at)
        };
        let group = chosen.and_then(|at| self.closed.get_mut(at));
        group.map(|group| group.add(index, observed)).is_some()
    }

    /// Moves incidents that ended long ago out of the search, because a log may have thousands. A
    /// lost GPU may come back at any time.
    fn retire_old(&mut self, next: &Observed) {
        // A saved crash record has no time on the log's clock.
        let undated = next.event.kind() == Kind::SavedCrash;
        let is_past = |group: &mut Group| {
            let span = group.last.elapsed(&next.stamp);
            let old = span.map_or(!undated, |span| span > AFTERMATH);
            group.boot != next.boot || (old && !group.recovery.is_gone())
        };
        self.past.extend(self.closed.extract_if(.., is_past));
    }

    fn begin(&mut self, index: usize, observed: &Observed) -> Group {
        let log = self.log;
        let led_here = |early: &&usize| {
            log.events.get(**early).is_some_and(|step| {
                step.boot == observed.boot
                    && step.stamp.elapsed(&observed.stamp).is_none_or(|span| span <= LEAD_UP)
            })
        };
        let early = self.early.remove(&observed.device).unwrap_or_default();
        // An event without a GPU may concern any of them.
        let nameless = self.early.get(&None).into_iter().flatten();
        let causes = nameless.filter(|at| {
            let cause = log.events.get(**at);
            cause.is_some_and(|cause| cause::can_cause(cause.event.kind(), observed))
        });
        let mut led: Vec<usize> = causes.chain(&early).filter(led_here).copied().collect();
        led.sort_unstable();
        let mut group = Group::new(observed);
        // An event without a GPU concerns all of them.
        group.expected = self.starting.iter().any(|(boot, device)| {
            *boot == observed.boot && (observed.device.is_none() || *device == observed.device)
        });
        let is_dead = |device| self.dead.contains(&(observed.boot, device));
        if is_dead(observed.device) || is_dead(None) {
            group.recovery.note_dead_before();
        }
        for early in led {
            if let Some(step) = log.events.get(early) {
                group.add(early, step);
            }
        }
        group.add(index, observed);
        group
    }
}
