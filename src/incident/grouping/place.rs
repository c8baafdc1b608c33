//! Assigns an event to an open incident.

use super::super::cause::TOGETHER;
use super::super::opens;
use super::group::Group;
use super::{AFTERMATH, Grouping, NEAR};
use crate::event::Observed;
use crate::kind::{Kind, Part};
use crate::value::{Micros, RasKind, ResetSource};

impl Grouping<'_> {
    /// The open incident of an event: that of its device, or of the GPU that its own is reset with,
    /// or one without a device; for an event without a device, one with a possible cause.
    pub(super) fn group_of(&mut self, observed: &Observed) -> Option<usize> {
        let own = self.open.iter().position(|group| group.has(observed.device));
        if let Some(hive) = self.reset_around(observed, own) {
            return Some(own.map_or(hive, |own| self.merge(own, hive, observed)));
        }
        if own.is_some() {
            return own;
        }
        if let Some(at) = self.causing_error(observed) {
            // From here on this GPU's lines show the progress of the recovery.
            if let Some(group) = self.open.get_mut(at) {
                group.device = observed.device;
            }
            return Some(at);
        }
        self.nameless(observed)
    }

    /// If the event or the incident has no device: the only incident nearby, else the one with the
    /// latest possible cause of `observed`.
    fn nameless(&self, observed: &Observed) -> Option<usize> {
        if self.is_one_of_several(observed) {
            return None;
        }
        let is_left_behind = observed.event.kind().part() == Part::Aftermath;
        let near = |group: &Group| {
            let span = group.last.elapsed(&observed.stamp);
            let late = || {
                let dead = group.is_being_reset() || group.recovery.is_gone();
                let in_time = dead || span.is_none_or(|span| span <= AFTERMATH);
                is_left_behind && in_time && group.since_a_cause_of(observed).is_some()
            };
            (observed.device.is_none() || group.device.is_none())
                && (span.is_none_or(|span| span <= NEAR) || late())
        };
        if let [only] = self.open.as_slice() {
            return near(only).then_some(0);
        }
        let fitting = self.open.iter().enumerate().filter(|(_, group)| near(group));
        let caused =
            fitting.filter_map(|(at, group)| Some((group.since_a_cause_of(observed)?, at)));
        let recent = |(span, at): &(Micros, usize)| (*span, std::cmp::Reverse(*at));
        caused.min_by_key(recent).map(|(_, at)| at)
    }

    /// Whether it is the start of a reset at the same time as another GPU's, so that a line without
    /// a device may have led to either.
    fn is_one_of_several(&self, begin: &Observed) -> bool {
        const MOST: usize = 64;
        if begin.event.kind() != Kind::ResetBegin || begin.device.is_none() {
            return false;
        }
        let place = self.log.position(begin.sequence).unwrap_or_default();
        let around = self.log.events.get(place.saturating_sub(MOST)..).unwrap_or_default();
        around.iter().take(2 * MOST).any(|other| {
            let span = begin.stamp.elapsed(&other.stamp);
            other.event.kind() == Kind::ResetBegin
                && other.boot == begin.boot
                && other.device.is_some_and(|device| Some(device) != begin.device)
                && span.is_some_and(|span| Micros(span.0.abs()) <= TOGETHER)
        })
    }

    /// The incident of another GPU whose memory error is the reason for this one's reset: in a hive
    /// any GPU may begin it.
    fn causing_error(&self, observed: &Observed) -> Option<usize> {
        let source = observed.event.get::<ResetSource>("source");
        let asked = source.is_none_or(|source| *source == ResetSource::Ras);
        if observed.event.kind() != Kind::ResetBegin || observed.device.is_none() || !asked {
            return None;
        }
        let just_failed = |group: &Group| {
            let span = group.last.elapsed(&observed.stamp);
            group.device.is_some()
                && !group.is_being_reset()
                && span.is_some_and(|span| span <= TOGETHER)
                && group.events.iter().any(|at| self.is_memory_error(*at))
        };
        let mut failed = self.open.iter().enumerate().filter(|(_, group)| just_failed(group));
        let (at, _) = failed.next()?;
        failed.next().is_none().then_some(at)
    }

    fn is_memory_error(&self, index: usize) -> bool {
        let error = self.log.events.get(index).filter(|error| error.event.kind() == Kind::RasError);
        error.is_some_and(|error| {
            error.event.get::<RasKind>("kind") == Some(&RasKind::Uncorrectable) || opens(error)
        })
    }

    /// The only reset of another GPU that has just begun, if `observed` is a step of a reset that
    /// its own GPU has not begun: then both are reset together.
    fn reset_around(&self, observed: &Observed, own: Option<usize>) -> Option<usize> {
        let kind = observed.event.kind();
        let is_end = matches!(kind, Kind::ResetSucceeded | Kind::ResetFailed);
        let begun = own.and_then(|own| self.open.get(own)).is_some_and(Group::is_being_reset);
        if !(kind.part() == Part::Step || is_end) || observed.device.is_none() || begun {
            return None;
        }
        // The ends of common resets are printed one after the other.
        let has_just_ended = |group: &Group| is_end && own.is_none() && group.recovery.has_ended();
        let near = |group: &Group| {
            group.last.elapsed(&observed.stamp).is_some_and(|span| span <= TOGETHER)
        };
        let fits = |(_, group): &(usize, &Group)| {
            (group.is_being_reset() || has_just_ended(group)) && near(group)
        };
        let mut running = self.open.iter().enumerate().filter(fits);
        let (index, _) = running.next()?;
        running.next().is_none().then_some(index)
    }

    /// Merges the incident of a GPU that is reset together with another one into that one's,
    /// including events without a GPU if no other incident is left for them. Returns the new index
    /// of the other incident.
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
}
