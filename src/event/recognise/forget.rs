//! What is not kept of a log that says more than there is room for.

use std::collections::BTreeMap;

use super::Recogniser;
use crate::event::budget::{Gap, is_aside};
use crate::event::unknown::Unknowns;
use crate::event::{MessageName, Observed};
use crate::kind::Kind;
use crate::pattern::matcher::Found;
use crate::record::Record;

/// Of each message so many events are kept when others like them are forgotten.
const KEPT_OF_EACH: usize = 200;

impl Recogniser<'_> {
    /// Forgets of the events between the `first` and the `last` ones what was said over and over, and counts
    /// it: of each message some are kept, so that what happens rarely is never forgotten.
    pub(crate) fn forget(&mut self, first: usize, last: usize) {
        let end = self.result.events.len().saturating_sub(last);
        if first >= end {
            return;
        }
        let from = self.result.events.get(end).map_or(u64::MAX, |observed| observed.sequence);
        self.thin(|at, times, _| at < first || at >= end || times <= KEPT_OF_EACH);
        self.result.facts.forget(from);
        self.result.unknown = Unknowns::default();
    }

    /// Forgets of what is beside the point all but the first of each message; where that is not much, of all
    /// that is said over and over what stands in the middle. How a log begins and how it ends is kept.
    pub(super) fn make_room(&mut self) {
        let before = self.result.events.len();
        self.budget.is_tight = true;
        self.thin(|_, times, observed| times <= KEPT_OF_EACH || !is_aside(observed.event.kind()));
        if self.budget.recount(&self.result.events, before) {
            return;
        }
        let before = self.result.events.len();
        let (first, end) = (before / 4, before - before / 4);
        let mut gap = self.result.gap;
        self.thin(|at, times, observed| {
            let keeps = at < first || at >= end || times <= KEPT_OF_EACH;
            if !keeps {
                gap = Some(Gap::with(gap, observed.sequence, observed.stamp));
            }
            keeps
        });
        self.result.gap = gap;
        let helped = self.budget.recount(&self.result.events, before);
        self.budget.is_bare = !helped;
    }

    /// Forgets the events that are not kept, by their place, how often their message has come by then, and
    /// what they are.
    pub(super) fn thin(&mut self, mut keep: impl FnMut(usize, usize, &Observed) -> bool) {
        let mut said: BTreeMap<MessageName, usize> = BTreeMap::new();
        // Where each event stands afterwards.
        let mut places: Vec<Option<usize>> = Vec::with_capacity(self.result.events.len());
        let (mut at, mut kept) = (0, 0);
        self.result.events.retain(|observed| {
            let times = said.entry(observed.message.clone()).or_default();
            *times += 1;
            let keeps = keep(at, *times, observed);
            places.push(keeps.then_some(kept));
            at += 1;
            kept += usize::from(keeps);
            keeps
        });
        self.result.dropped_events += (at - kept) as u64;
        let moved = |(index, last): (usize, u64)| Some(((*places.get(index)?)?, last));
        self.begun.each(|begun| *begun = begun.drain(..).filter_map(moved).collect());
    }

    /// Whether there is no room for another event that is beside the point; then that one is counted.
    pub(super) fn is_one_too_many(&mut self, found: &Found<'_, '_>, kind: Kind) -> bool {
        let Some(known) = self.known(found) else { return false };
        known.times += 1;
        let is_repeated = known.times > KEPT_OF_EACH;
        let surplus = is_repeated && self.budget.is_tight && is_aside(kind);
        self.result.dropped_events += u64::from(surplus);
        surplus
    }

    /// Whether there is no room for another event; then that one is counted.
    pub(super) fn is_full(&mut self, record: &Record<'_>) -> bool {
        if self.budget.is_spent(self.result.events.len()) && !self.budget.is_bare {
            self.make_room();
        }
        let full = self.budget.is_spent(self.result.events.len());
        if full {
            self.result.dropped_events += 1;
            self.result.gap = Some(Gap::with(self.result.gap, record.sequence, record.stamp));
        }
        full
    }
}
