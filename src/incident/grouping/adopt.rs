//! Grouping that needs the whole log: program output without times, and failures that persist after
//! a reset.

use std::collections::BTreeMap;

use super::super::cause::{can_cause, page};
use super::super::opens;
use super::super::outcome::Outcome;
use super::Group;
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Effect, Kind};
use crate::value::{Micros, Ring};

/// A ring that times out within this time after a reset was not recovered by it, if nothing resets
/// it again.
const STILL_DEAD: Micros = Micros::seconds(60);

/// An index of the events of incidents, to find the one nearest to a line.
struct Places {
    /// By boot and kind: sequence number and incident, sorted by sequence number.
    kinds: BTreeMap<(usize, Kind), Vec<(u64, usize)>>,
    /// By boot and page: the first incident in which the kernel saw an access to it.
    pages: BTreeMap<(usize, u64), usize>,
}

impl Places {
    fn new(groups: &[Group], log: &Log) -> Self {
        let mut places = Self { kinds: BTreeMap::new(), pages: BTreeMap::new() };
        for (at, group) in groups.iter().enumerate() {
            for observed in log.at(&group.events) {
                let kind = observed.event.kind();
                places.kinds.entry((group.boot, kind)).or_default().push((observed.sequence, at));
                if let Some(page) = page(observed).filter(|_| kind == Kind::PageFault) {
                    places.pages.entry((group.boot, page)).or_insert(at);
                }
            }
        }
        places.kinds.values_mut().for_each(|places| places.sort_unstable());
        places
    }

    /// The incident with a possible cause of `report`: an access to the same page, else the nearest
    /// line.
    fn of(&self, report: &Observed) -> Option<usize> {
        let boot = report.boot;
        let same = page(report).and_then(|page| self.pages.get(&(boot, page)));
        if let Some(at) = same.filter(|_| can_cause(Kind::PageFault, report)) {
            return Some(*at);
        }
        let causes = report.event.columns().causes.iter().flat_map(|kinds| kinds.iter());
        let places = causes.filter_map(|kind| self.kinds.get(&(boot, *kind)));
        let near = places.flat_map(|places| {
            let next = places.partition_point(|(sequence, _)| *sequence < report.sequence);
            [next.checked_sub(1).and_then(|at| places.get(at)), places.get(next)]
        });
        near.flatten()
            .min_by_key(|(sequence, _)| sequence.abs_diff(report.sequence))
            .map(|(_, at)| *at)
    }
}

/// Adds program output without times to the incidents that caused it; output without a cause
/// becomes an incident of its own in each boot.
pub(super) fn adopt(groups: &mut Vec<Group>, reports: &[usize], log: &Log) {
    let places = Places::new(groups, log);
    let mut alone: BTreeMap<usize, Group> = BTreeMap::new();
    for index in reports {
        let Some(report) = log.events.get(*index) else { continue };
        if let Some(group) = places.of(report).and_then(|at| groups.get_mut(at)) {
            group.insert(*index, report);
        } else if let Some(group) = alone.get_mut(&report.boot) {
            group.add(*index, report);
        } else if opens(report) {
            let mut group = Group::new(report);
            group.add(*index, report);
            alone.insert(report.boot, group);
        }
    }
    groups.extend(alone.into_values());
}

/// Merges a ring that hangs for good soon after a reset of its GPU into that reset's incident: the
/// reset did not recover it, whatever the driver reported.
pub(super) fn rejoin(groups: &mut Vec<Group>, log: &Log) {
    groups.sort_by_key(|group| (group.boot, group.device, group.events.first().copied()));
    let mut joined: Vec<Group> = Vec::with_capacity(groups.len());
    for group in groups.drain(..) {
        match joined.last_mut().filter(|before| is_same_hang(before, &group, log)) {
            Some(before) => before.go_on(group, log),
            None => joined.push(group),
        }
    }
    *groups = joined;
}

/// Whether nothing resets what hangs: the log shows it, or it ends there and only the ring had been
/// reset before.
fn hangs_on(before: &Group, group: &Group, log: &Log) -> bool {
    let whole = |seen: &Observed| seen.event.columns().recovery == Effect::Succeeds;
    match group.outcome(log) {
        Outcome::Hung => true,
        Outcome::Unknown => !log.at(&before.events).any(whole),
        Outcome::Recovered
        | Outcome::RecoveredContextLost
        | Outcome::VramLost
        | Outcome::Failed
        | Outcome::NeverCompleted
        | Outcome::None => false,
    }
}

/// Whether `group` is a ring that still hangs from `before`, and nothing resets it.
fn is_same_hang(before: &Group, group: &Group, log: &Log) -> bool {
    let same = before.boot == group.boot && before.device == group.device && group.device.is_some();
    let rings = |group: &Group| -> Vec<Ring> {
        let timeouts = log.at(&group.events).filter(|o| o.event.kind() == Kind::RingTimeout);
        timeouts.filter_map(|timeout| timeout.event.get::<Ring>("ring").cloned()).collect()
    };
    let first = group.events.first().and_then(|at| log.events.get(*at));
    let soon = first.and_then(|first| before.last.elapsed(&first.stamp));
    same && before.is_back()
        && soon.is_some_and(|span| span <= STILL_DEAD)
        && hangs_on(before, group, log)
        && rings(group).iter().any(|ring| rings(before).contains(ring))
}
