//! What to do at once, and what to try afterwards.

use super::IncidentView;
use crate::diagnosis::action::Action;
use crate::value::AdvicePhase;

/// Something to do at once.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) enum Urgent<'a> {
    /// What follows from how the incident ended.
    Words(&'static str),
    /// Advice.
    Advice(&'a Action),
}

impl IncidentView<'_> {
    /// What to do at once: first what is lost by a reboot, where one is due.
    pub(in crate::report) fn now(&self) -> Vec<Urgent<'_>> {
        let advice = |phase| {
            let all = self.actions.iter().copied().filter(move |one| is_urgent(one));
            all.filter(move |one| one.advice.phase == phase).map(Urgent::Advice)
        };
        let mut now: Vec<Urgent<'_>> = advice(AdvicePhase::Now).collect();
        if now.is_empty() {
            now.extend(self.at_once.map(Urgent::Words));
        }
        let at = if self.is_over() { now.len() } else { 0 };
        now.splice(at..at, advice(AdvicePhase::Collect));
        now
    }

    /// What to try afterwards.
    pub(in crate::report) fn later(&self) -> Vec<&Action> {
        self.actions.iter().copied().filter(|action| !is_urgent(action)).collect()
    }
}

fn is_urgent(action: &Action) -> bool {
    match action.advice.phase {
        AdvicePhase::Now => true,
        // What is about to vanish.
        AdvicePhase::Collect => action.advice.while_running && action.is_new(),
        AdvicePhase::Fix | AdvicePhase::NarrowDown | AdvicePhase::Report => false,
    }
}
