//! Which events belong to one incident: by GPU, by time, and by what is reset together.

use std::collections::BTreeMap;

use super::outcome::{self, Recovery};
use super::{Incident, is_request, opens};
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Kind, Part, Subject};
use crate::record::Stamp;
use crate::value::{Micros, PciAddress};

/// After a completed recovery, so long without another failure ends the incident.
const QUIET_AFTER_RECOVERY: Micros = Micros::seconds(5);
/// Where no recovery is seen, so long without another failure ends the incident.
const QUIET_WITHOUT_RECOVERY: Micros = Micros::seconds(300);
/// What a recovery leaves behind may show up so much later.
const AFTERMATH: Micros = Micros::seconds(300);
/// A line that does not tell its device belongs to a failure this close to it, if to any.
const NEAR: Micros = Micros::seconds(10);
/// GPUs that are reset together are so within this span.
const TOGETHER: Micros = Micros::seconds(2);
/// What led to a failure may have been printed so much earlier.
const LEAD_UP: Micros = Micros::seconds(10);

/// So many incidents are open at a time, and so many are looked through for one that left something
/// behind: no machine has so many GPUs, but a log may name any number.
const MOST_OPEN: usize = 256;

/// Groups the events of `log`.
pub(super) fn grouped(log: &Log) -> Vec<Incident> {
    let mut grouping = Grouping {
        log,
        open: Vec::new(),
        closed: Vec::new(),
        past: Vec::new(),
        early: BTreeMap::new(),
    };
    for index in 0..log.events.len() {
        grouping.take(index);
    }
    let mut groups = grouping.finish();
    groups.sort_by_key(|group| group.events.first().copied());
    groups.into_iter().map(|group| group.into_incident(log)).collect()
}

/// An incident that is being put together.
#[derive(Debug)]
struct Group {
    boot: usize,
    device: Option<PciAddress>,
    devices: Vec<PciAddress>,
    events: Vec<usize>,
    recovery: Recovery,
    /// The last failure, or the end of the recovery.
    last: Stamp,
    closed: bool,
}

struct Grouping<'l> {
    log: &'l Log,
    open: Vec<Group>,
    /// Over, but what they left behind may still show up.
    closed: Vec<Group>,
    /// Over for so long that nothing more belongs to them.
    past: Vec<Group>,
    /// Steps, and failures that open nothing, seen while their device had no incident: they may have led
    /// to one.
    early: BTreeMap<Option<PciAddress>, Vec<usize>>,
}

impl Grouping<'_> {
    fn take(&mut self, index: usize) {
        let log = self.log;
        let Some(observed) = log.events.get(index) else { return };
        let columns = observed.event.columns();
        let opens = match columns.part {
            Part::Context => return,
            // Tasks get stuck for many reasons; those of others are no part of a GPU's failure.
            Part::Failure if !observed.of_a_gpu => return,
            // Behind the bus there may be any device.
            Part::Step if !observed.of_a_gpu && columns.subject == Subject::BusRepair => return,
            Part::Aftermath if !observed.of_a_gpu => false,
            Part::Failure | Part::Step | Part::Aftermath => opens(observed),
        };
        self.close_stale(observed);
        if let Some(at) = self.group_of(observed) {
            if let Some(group) = self.open.get_mut(at) {
                group.add(index, observed);
            }
        } else if self.left_behind(index, observed) {
            // It is part of an incident that is over.
        } else if opens {
            let group = self.begin(index, observed);
            if self.open.len() >= MOST_OPEN {
                self.closed.push(self.open.remove(0));
            }
            self.open.push(group);
        } else if matches!(columns.part, Part::Step | Part::Failure) {
            self.early.entry(observed.device).or_default().push(index);
        }
    }

    fn finish(mut self) -> Vec<Group> {
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

    fn close_stale(&mut self, next: &Observed) {
        let over = |group: &Group| group.boot != next.boot || group.is_over_at(next);
        let (stale, open) = std::mem::take(&mut self.open).into_iter().partition(over);
        self.open = open;
        self.closed.extend::<Vec<Group>>(stale);
        let surplus = self.closed.len().saturating_sub(MOST_OPEN);
        self.past.extend(self.closed.drain(..surplus));
    }

    /// The open incident that an event belongs to: its device's, or that of the GPU with which its own is
    /// reset, or the only one there is, if one of them does not tell its device.
    fn group_of(&mut self, observed: &Observed) -> Option<usize> {
        let same = |group: &Group| {
            group.device == observed.device
                || observed.device.is_some_and(|device| group.devices.contains(&device))
        };
        let own = self.open.iter().position(same);
        if let Some(hive) = self.reset_around(observed, own) {
            return Some(own.map_or(hive, |own| self.merge(own, hive, observed)));
        }
        if own.is_some() {
            return own;
        }
        let [only] = self.open.as_slice() else { return None };
        let span = only.last.elapsed(&observed.stamp);
        let nameless = (observed.device.is_none() || only.device.is_none())
            && span.is_none_or(|span| span <= NEAR);
        nameless.then_some(0)
    }

    /// The one reset of another GPU that has just begun, where `observed` is a step of a reset that its
    /// own GPU has not begun: then both are reset together.
    fn reset_around(&self, observed: &Observed, own: Option<usize>) -> Option<usize> {
        let is_step = observed.event.kind().part() == Part::Step && observed.device.is_some();
        let begun = own.and_then(|own| self.open.get(own)).is_some_and(Group::is_being_reset);
        if !is_step || begun {
            return None;
        }
        let near = |group: &Group| {
            group.last.elapsed(&observed.stamp).is_some_and(|span| span <= TOGETHER)
        };
        let fits = |(_, group): &(usize, &Group)| group.is_being_reset() && near(group);
        let mut running = self.open.iter().enumerate().filter(fits);
        let (index, _) = running.next()?;
        running.next().is_none().then_some(index)
    }

    /// Puts the incident of a GPU that is reset with another one into that one's, and with it what names
    /// no GPU, if no other incident is left for it. Returns where the other one stands now.
    fn merge(&mut self, own: usize, hive: usize, observed: &Observed) -> usize {
        if own == hive {
            return hive;
        }
        let moved = self.open.remove(own);
        let mut hive = if own < hive { hive - 1 } else { hive };
        if let Some(group) = self.open.get_mut(hive) {
            group.take_over(moved);
        }
        if let [first, second] = self.open.as_slice() {
            let other = usize::from(hive == 0);
            let nameless = if other == 0 { first } else { second };
            let near = nameless.last.elapsed(&observed.stamp).is_some_and(|span| span <= NEAR);
            if nameless.device.is_none() && near {
                let nameless = self.open.remove(other);
                hive = 0;
                if let Some(group) = self.open.get_mut(hive) {
                    group.take_over(nameless);
                }
            }
        }
        hive
    }

    /// Adds what a recovery left behind to the incident that is over already; false where that is
    /// not the one there can be.
    fn left_behind(&mut self, index: usize, observed: &Observed) -> bool {
        if observed.event.kind().part() != Part::Aftermath {
            return false;
        }
        // What is long over is looked at no more: a log may have thousands of incidents.
        // A saved crash carries no time of the log's.
        let undated = observed.event.kind() == Kind::SavedCrash;
        let is_past = |group: &mut Group| {
            let span = group.last.elapsed(&observed.stamp);
            group.boot != observed.boot || span.map_or(!undated, |span| span > AFTERMATH)
        };
        self.past.extend(self.closed.extract_if(.., is_past));
        let fits =
            |group: &&mut Group| observed.device.is_none() || group.device == observed.device;
        let mut fitting: Vec<&mut Group> = self.closed.iter_mut().rev().filter(fits).collect();
        let one = fitting.first().map(|group| group.device);
        let certain = fitting.iter().all(|group| Some(group.device) == one);
        match fitting.first_mut().filter(|_| certain) {
            Some(group) => {
                group.add(index, observed);
                true
            }
            None => false,
        }
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
        let led: Vec<usize> = early.iter().filter(led_here).copied().collect();
        let mut group = Group {
            boot: observed.boot,
            device: observed.device,
            devices: observed.device.into_iter().collect(),
            events: Vec::new(),
            recovery: Recovery::default(),
            last: observed.stamp,
            closed: false,
        };
        for early in led {
            if let Some(step) = log.events.get(early) {
                group.add(early, step);
            }
        }
        group.add(index, observed);
        group
    }
}

impl Group {
    const fn is_being_reset(&self) -> bool {
        self.recovery.is_running()
    }

    /// Takes over the events of an incident that turns out to be the same one.
    fn take_over(&mut self, other: Self) {
        self.recovery.add_losses(&other.recovery);
        self.events.extend(other.events);
        self.events.sort_unstable();
        for device in other.devices {
            if !self.devices.contains(&device) {
                self.devices.push(device);
            }
        }
    }

    fn add(&mut self, index: usize, observed: &Observed) {
        self.events.push(index);
        if self.device.is_none() {
            self.device = observed.device;
        }
        // A GPU that is reset along with this one does not tell how this one fares.
        if observed.device.is_none() || observed.device == self.device {
            self.recovery.see(observed);
        }
        if let Some(device) = observed.device.filter(|device| !self.devices.contains(device)) {
            self.devices.push(device);
        }
        if observed.event.kind().part() != Part::Aftermath {
            self.last = observed.stamp;
        }
    }

    fn is_over_at(&self, next: &Observed) -> bool {
        let Some(quiet) = self.last.elapsed(&next.stamp) else {
            // Without times, a failure behind a recovery that worked is another one.
            return self.recovery.has_succeeded() && next.event.kind().part() == Part::Failure;
        };
        // A GPU that did not come back stays out of use: what follows belongs to the same failure.
        if self.recovery.is_running() || self.recovery.has_failed() {
            return false;
        }
        let limit = if self.recovery.has_succeeded() {
            QUIET_AFTER_RECOVERY
        } else {
            QUIET_WITHOUT_RECOVERY
        };
        quiet > limit
    }

    /// Whether so much time passed without a failure that it would be over for whatever comes next. A
    /// GPU that did not come back has nothing more to tell after that time.
    fn is_quiet_at_the_end(&self, log: &Log) -> bool {
        let end = log.boots.get(self.boot).map(|boot| boot.last);
        let Some(quiet) = end.and_then(|end| self.last.elapsed(&end)) else { return false };
        quiet > if self.is_back() { QUIET_AFTER_RECOVERY } else { QUIET_WITHOUT_RECOVERY }
    }

    /// Whether its recovery succeeded, and none runs.
    const fn is_back(&self) -> bool {
        self.recovery.has_succeeded() && !self.recovery.is_running() && !self.recovery.has_failed()
    }

    fn into_incident(self, log: &Log) -> Incident {
        let events: Vec<&Observed> =
            self.events.iter().filter_map(|at| log.events.get(*at)).collect();
        Incident {
            outcome: outcome::outcome(&self.recovery, &events, log),
            requested: is_request(&events),
            closed: self.closed,
            boot: self.boot,
            device: self.device,
            devices: self.devices,
            events: self.events,
        }
    }
}
