//! A sequence of events indexed by kind, so that a search for a few kinds skips all others.

use std::ops::Deref;

use crate::event::Observed;
use crate::kind::Kind;
use crate::pattern::constraint::Test;
use crate::pattern::signature::EventMatcher;

/// Events in order. Hundreds of signatures search one run, each for a few kinds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run<'l> {
    events: Vec<&'l Observed>,
    /// The positions of events, grouped by kind.
    places: Vec<usize>,
    /// Each kind that occurs, and the end of its group.
    ends: Vec<(Kind, usize)>,
}

impl<'l> Run<'l> {
    /// Indexes `events`.
    #[must_use]
    pub(crate) fn new(events: Vec<&'l Observed>) -> Self {
        let kind = |at: &usize| events.get(*at).map(|observed| observed.event.kind());
        let mut places: Vec<usize> = (0..events.len()).collect();
        places.sort_by_key(kind);
        let mut ends: Vec<(Kind, usize)> = Vec::new();
        for (end, kind) in (1..).zip(places.iter().filter_map(kind)) {
            match ends.last_mut().filter(|last| last.0 == kind) {
                Some(last) => last.1 = end,
                None => ends.push((kind, end)),
            }
        }
        Self { events, places, ends }
    }

    /// The positions of events of `kind`.
    pub(super) fn of(&self, kind: Kind) -> &[usize] {
        let Ok(at) = self.ends.binary_search_by_key(&kind, |(known, _)| *known) else { return &[] };
        let end = |at: usize| self.ends.get(at).map_or(0, |(_, end)| *end);
        let first = at.checked_sub(1).map_or(0, end);
        self.places.get(first..end(at)).unwrap_or_default()
    }

    /// The positions of events of `kind` that meet the demand itself, not its alternatives. Field
    /// indices are looked up once.
    fn of_kind(&self, kind: Kind, wanted: &EventMatcher) -> impl Iterator<Item = usize> {
        let of_a_gpu = wanted.of_a_gpu;
        let tests = wanted.tests.iter().map(|(field, test)| (kind.place(field), test));
        let tests: Vec<(Option<usize>, &Test)> = tests.collect();
        let fits = move |at: &usize| {
            #[cfg(test)]
            tests::LOOKED.set(tests::LOOKED.get() + 1);
            self.events.get(*at).is_some_and(|Observed { event, of_a_gpu: own, .. }| {
                let value = |place: &Option<usize>| place.and_then(|place| event.value(place));
                of_a_gpu.is_none_or(|wanted| wanted == *own)
                    && tests.iter().all(|(place, test)| test.passes(value(place).as_ref()))
            })
        };
        self.of(kind).iter().copied().filter(fits)
    }

    /// The positions of events that meet the demand, sorted.
    pub(super) fn fitting(&self, wanted: &EventMatcher) -> Vec<usize> {
        let mut found = Vec::new();
        let parts = wanted.parts();
        for part in &parts {
            for kind in &part.kinds {
                found.extend(self.of_kind(*kind, part));
            }
        }
        if parts.len() > 1 || wanted.kinds.len() > 1 {
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// The same, as events.
    pub(super) fn that_are<'r>(
        &'r self,
        wanted: &EventMatcher,
    ) -> impl Iterator<Item = &'l Observed> + 'r {
        self.fitting(wanted).into_iter().filter_map(|at| self.events.get(at).copied())
    }
}

impl<'l> Deref for Run<'l> {
    type Target = [&'l Observed];

    fn deref(&self) -> &[&'l Observed] {
        &self.events
    }
}

impl<'l> FromIterator<&'l Observed> for Run<'l> {
    fn from_iter<I: IntoIterator<Item = &'l Observed>>(events: I) -> Self {
        Self::new(events.into_iter().collect())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::diagnosis::conclusions;
    use crate::diagnosis::sequence::is;
    use crate::event::log::tests::log;

    thread_local! {
        /// The number of events examined.
        pub(in crate::diagnosis) static LOOKED: Cell<usize> = const { Cell::new(0) };
    }

    /// A failure without end, in a log that repeats every message: the number of examined events
    /// grows linearly.
    #[test]
    fn what_is_looked_at_is_in_proportion_to_the_log() {
        let patterns = crate::builtin::patterns();
        let samples = patterns.messages.iter().filter_map(|message| message.samples.first());
        let samples: Vec<&String> = samples.collect();
        let looked = |lines: usize| {
            let line = |at: usize| {
                let sample = samples[at % samples.len()];
                format!("[{at:5}.000000] amdgpu 0000:03:00.0: amdgpu: {sample}\n")
            };
            let log = log(&(0..lines).map(line).collect::<String>());
            LOOKED.set(0);
            let found = conclusions(&log, &patterns);
            assert!(found.not_evaluated.is_empty() && !found.findings.is_empty());
            LOOKED.get() * 100 / log.events.len()
        };
        let few = looked(8 * samples.len());
        let many = looked(24 * samples.len());
        assert!(few < 4000 && many < few + few / 5, "{few} {many}");
    }

    /// For any demand, the run finds what examining each event finds.
    #[test]
    fn a_run_finds_what_looking_at_each_event_finds() {
        let log = log("\
[   10.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[   11.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[   12.000000] amdgpu 0000:03:00.0: amdgpu: MODE1 reset
[   13.000000] amdgpu 0000:03:00.0: amdgpu: ring sdma0 timeout, signaled seq=1, emitted seq=3
[   14.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
[   15.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=5, emitted seq=7
");
        let run: Run<'_> = log.events.iter().collect();
        assert_eq!(run.of(Kind::RingTimeout), [0, 3, 5]);
        assert_eq!(run.of(Kind::PageFault), [0; 0]);
        assert_eq!(Run::default().of(Kind::PageFault), [0; 0]);
        let patterns = crate::builtin::patterns();
        let steps = patterns.signatures.iter().flat_map(|signature| &signature.steps);
        for step in steps {
            let plainly: Vec<usize> =
                (0..run.len()).filter(|at| is(&step.wanted, run[*at])).collect();
            assert_eq!(run.fitting(&step.wanted), plainly, "{step:?}");
        }
        let kinds = vec![Kind::ResetBegin, Kind::RingTimeout, Kind::ResetBegin];
        let again = EventMatcher { kinds: vec![Kind::RingTimeout], ..EventMatcher::default() };
        let wanted = EventMatcher { kinds, or: vec![again], ..EventMatcher::default() };
        assert_eq!(run.fitting(&wanted), [0, 1, 3, 5]);
    }
}
