//! An incident under construction.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Incident;
use super::super::cause::{can_cause, first_to_fail};
use super::super::outcome::{self, Outcome};
use super::super::recovery::{Recovery, SETTLED_AFTER, TakenBack, begins_a_dump, fails_its_start};
use super::super::request::{is_init_reset, is_request};
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Effect, Kind, Part};
use crate::record::Stamp;
use crate::value::{Errno, Micros, PciAddress};

/// After a recovery that the driver calls successful, the incident ends after this time without a
/// failure.
const QUIET_AFTER_RECOVERY: Micros = Micros::seconds(5);
/// Without a recovery, or after a failed one, the incident ends after this time without a failure.
const QUIET_WITHOUT_RECOVERY: Micros = Micros::seconds(300);

/// Within this time after its SMU was started, a GPU has started all blocks or has failed.
const START: Micros = Micros::seconds(30);
/// Events within this time after a reset whose start is not in the log belong to it.
const HALF_WAY: Micros = Micros::seconds(60);

/// Whether it is the line with which the kernel gives up on a device that did not start:
/// `probe of 0000:03:00.0 failed with error -22`.
///
/// Source: `call_driver_probe` of `drivers/base/dd.c`.
fn ends_the_start(observed: &Observed) -> bool {
    let errno = observed.event.get::<Errno>("errno");
    observed.event.kind() == Kind::InitFailed && errno.is_some()
}

/// An incident under construction.
#[derive(Debug)]
pub(super) struct Group {
    pub boot: usize,
    pub device: Option<PciAddress>,
    pub devices: Vec<PciAddress>,
    pub events: Vec<usize>,
    pub recovery: Recovery,
    /// The time of the last failure, or of the end of the recovery.
    pub last: Stamp,
    pub closed: bool,
    /// Whether the driver announced a reset of the GPU as part of its setup.
    pub expected: bool,
    /// GPUs that are reset together with this one and were not recovered.
    failed_members: BTreeSet<PciAddress>,
    /// The last time of each kind of event.
    seen: BTreeMap<Kind, Stamp>,
}

impl Group {
    /// An incident that begins with `observed`.
    pub(super) fn new(observed: &Observed) -> Self {
        Self {
            boot: observed.boot,
            device: observed.device,
            devices: observed.device.into_iter().collect(),
            events: Vec::new(),
            recovery: Recovery::default(),
            last: observed.stamp,
            closed: false,
            expected: false,
            failed_members: BTreeSet::new(),
            seen: BTreeMap::new(),
        }
    }

    pub(super) const fn is_being_reset(&self) -> bool {
        self.recovery.is_running()
    }

    /// Whether it concerns this GPU.
    pub(super) fn has(&self, device: Option<PciAddress>) -> bool {
        self.device == device || device.is_some_and(|device| self.devices.contains(&device))
    }

    /// The time since its last event that can have caused `observed`: `None` without such an event,
    /// and the maximum if both share no clock.
    pub(super) fn since_a_cause_of(&self, observed: &Observed) -> Option<Micros> {
        const UNKNOWN: Micros = Micros(i64::MAX);
        let causes = self.seen.iter().filter(|(kind, _)| can_cause(**kind, observed));
        causes.map(|(_, stamp)| stamp.elapsed(&observed.stamp).unwrap_or(UNKNOWN)).min()
    }

    /// Adds the events of another incident that turns out to be the same one.
    pub(super) fn take_over(&mut self, other: Self) {
        self.recovery.add_losses(&other.recovery);
        self.events.extend(other.events);
        self.events.sort_unstable();
        for (kind, stamp) in other.seen {
            self.seen.entry(kind).or_insert(stamp);
        }
        self.failed_members.extend(other.failed_members);
        for device in other.devices {
            if !self.devices.contains(&device) {
                self.devices.push(device);
            }
        }
    }

    /// Adds an event from elsewhere in the log.
    pub(super) fn insert(&mut self, index: usize, observed: &Observed) {
        if let Err(place) = self.events.binary_search(&index) {
            self.events.insert(place, index);
            self.recovery.see(observed);
        }
    }

    pub(super) fn add(&mut self, index: usize, observed: &Observed) {
        self.events.push(index);
        self.seen.insert(observed.event.kind(), observed.stamp);
        if self.device.is_none() {
            self.device = observed.device;
        }
        // A GPU that is reset together with this one says nothing about this one's recovery.
        match observed.device.filter(|device| Some(*device) != self.device) {
            None => self.recovery.see(observed),
            Some(member) => self.see_member(member, observed),
        }
        if let Some(device) = observed.device.filter(|device| !self.devices.contains(device)) {
            self.devices.push(device);
        }
        if observed.event.kind().part() != Part::Aftermath {
            self.last = observed.stamp;
        }
    }

    /// Records the state of a GPU that is reset together with this one.
    fn see_member(&mut self, member: PciAddress, observed: &Observed) {
        let effect = observed.event.columns().recovery;
        if matches!(effect, Effect::Fails | Effect::GivesUp) {
            self.failed_members.insert(member);
        } else if matches!(effect, Effect::Succeeds | Effect::TakesTheGpuBack) {
            self.failed_members.remove(&member);
        }
    }

    pub(super) fn is_over_at(&self, next: &Observed) -> bool {
        let columns = next.event.columns();
        let quiet = self.last.elapsed(&next.stamp);
        match self.recovery.taken_back() {
            Some(TakenBack::InService) => return true,
            Some(TakenBack::Powered) => {
                let soon = quiet.is_some_and(|quiet| quiet <= START);
                return !(soon && fails_its_start(&next.event));
            }
            // Something that hangs continues to hang until it is reset.
            None if self.recovery.is_switched_off() => return false,
            None => {}
        }
        let Some(quiet) = quiet else {
            // Without times, a failure after a successful recovery is a new incident; the state of
            // the GPU is saved before the line that says what failed.
            let begins = columns.part == Part::Failure || begins_a_dump(&next.event);
            return self.recovery.has_succeeded() && begins;
        };
        if self.recovery.is_running() && !self.recovery.is_unannounced() {
            return false;
        }
        // A GPU that was not recovered stays out of service: only a failure of its own is a new
        // incident.
        if self.recovery.has_failed() && !columns.begins {
            return false;
        }
        quiet > self.longest_quiet()
    }

    /// Whether it would be over at the end of the log, because no failure occurred for long enough.
    pub(super) fn is_quiet_at_the_end(&self, log: &Log) -> bool {
        let end = log.boots.get(self.boot).map(|boot| boot.last);
        let Some(quiet) = end.and_then(|end| self.last.elapsed(&end)) else { return false };
        quiet > self.longest_quiet()
    }

    /// The time without a failure after which it is over.
    fn longest_quiet(&self) -> Micros {
        if self.recovery.is_unannounced() {
            HALF_WAY
        } else if self.recovery.faulted_since().is_some() {
            SETTLED_AFTER
        } else if self.recovery.has_said_success() {
            QUIET_AFTER_RECOVERY
        } else {
            QUIET_WITHOUT_RECOVERY
        }
    }

    /// Whether its recovery succeeded and none is running.
    pub(super) const fn is_back(&self) -> bool {
        self.recovery.has_succeeded() && !self.recovery.is_running() && !self.recovery.has_failed()
    }

    /// The first of its events with a known place in the log: one with a time, else any.
    pub(super) fn first_placed(&self, log: &Log) -> Option<usize> {
        let timed = |at: &&usize| log.events.get(**at).is_some_and(|o| !o.stamp.is_timeless());
        self.events.iter().find(timed).or_else(|| self.events.first()).copied()
    }

    /// Whether all of it is a reset with which the driver sets up a GPU.
    pub(super) fn is_start(&self, log: &Log) -> bool {
        let events: Vec<&Observed> = log.at(&self.events).collect();
        is_init_reset(&events, self.expected, log)
    }

    /// Its outcome.
    pub(super) fn outcome(&self, log: &Log) -> Outcome {
        let events: Vec<&Observed> = log.at(&self.events).collect();
        // What a person quotes may be of another time.
        let (quoted, lines): (Vec<&Observed>, Vec<&Observed>) =
            events.into_iter().partition(|observed| observed.in_prose);
        let own = match (quoted.is_empty(), lines.is_empty()) {
            (true, _) => outcome::outcome(&self.recovery, &lines, log),
            // The kernel does not try again after it has given up on the device.
            (false, true) if quoted.iter().any(|seen| ends_the_start(seen)) => Outcome::Failed,
            (false, true) => Outcome::Unknown,
            (false, false) => {
                let mut recovery = Recovery::default();
                for observed in &lines {
                    recovery.see(observed);
                }
                outcome::outcome(&recovery, &lines, log)
            }
        };
        // GPUs that are reset together are recovered only if all of them are.
        if own.is_back() && !self.failed_members.is_empty() { Outcome::Failed } else { own }
    }

    /// Merges a later incident which shows that this one's recovery did not work.
    pub(super) fn go_on(&mut self, next: Self, log: &Log) {
        for observed in log.at(&next.events) {
            self.recovery.see(observed);
        }
        self.last = next.last;
        self.closed = next.closed;
        self.take_over(next);
    }

    pub(super) fn into_incident(self, log: &Log) -> Incident {
        let events: Vec<&Observed> = log.at(&self.events).collect();
        let device = first_to_fail(&self.events, log).or(self.device);
        let outcome = self.outcome(log);
        let mut devices = self.devices;
        devices.sort_by_key(|other| Some(*other) != device);
        Incident {
            outcome,
            requested: is_request(&events, log),
            closed: self.closed,
            boot: self.boot,
            device,
            devices,
            events: self.events,
        }
    }
}
