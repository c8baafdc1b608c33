//! Drops events of logs that exceed the budget.

use std::collections::BTreeMap;

use super::Recogniser;
use crate::event::budget::{Gap, is_aside};
use crate::event::unknown::Unknowns;
use crate::event::{MessageName, Observed};
use crate::kind::Kind;
use crate::pattern::matcher::Found;
use crate::record::Record;

/// The number of events of each message that are kept when others are dropped.
const KEPT_OF_EACH: usize = 200;

impl Recogniser<'_> {
    /// Drops repetitions between the `first` and the `last` events, and counts them. Some of each
    /// message are kept, so that rare events are never dropped.
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

    /// Drops minor events except the first of each message; if that frees too little, repetitions
    /// in the middle of the log. The start and end of the log are kept.
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

    /// Drops events for which `keep` is false, given their index, the number of events of their
    /// message so far, and the event.
    pub(super) fn thin(&mut self, mut keep: impl FnMut(usize, usize, &Observed) -> bool) {
        let mut said: BTreeMap<MessageName, usize> = BTreeMap::new();
        // The new index of each event.
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

    /// Counts a minor event and returns true if there is no room for it.
    pub(super) fn refuse_minor(&mut self, found: &Found<'_, '_>, kind: Kind) -> bool {
        let Some(known) = self.known(found) else { return false };
        known.times += 1;
        let is_repeated = known.times > KEPT_OF_EACH;
        let surplus = is_repeated && self.budget.is_tight && is_aside(kind);
        self.result.dropped_events += u64::from(surplus);
        surplus
    }

    /// Counts an event and returns true if there is no room for it.
    pub(super) fn refuse_event(&mut self, record: &Record<'_>) -> bool {
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
