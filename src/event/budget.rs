//! Limits the memory for events, of which a log may have any number.

use crate::event::{Observed, QuotedLine};
use crate::kind::{Kind, Part, Proof};
use crate::record::Stamp;
use crate::value::Micros;

/// Maximum number of events to keep; a log with more of them repeats itself.
const MOST_EVENTS: usize = 200_000;
/// Maximum memory for events, in bytes.
const MOST_BYTES: usize = 20 << 20;
/// Estimated overhead of an event in bytes: allocations for its text and fields, and entries in
/// lists.
const BESIDE: usize = 64;
/// Estimated memory for a joined line, in bytes: a name, a number and values.
const JOINED: usize = 64;

/// A range of records whose relevant events were dropped, so that it is unknown what happened
/// there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The first and last record of dropped events.
    from: u64,
    to: u64,
    /// The time of the first one.
    stamp: Stamp,
}

impl Gap {
    /// Extends the gap by one event.
    pub(super) fn with(gap: Option<Self>, sequence: u64, stamp: Stamp) -> Self {
        let one = Self { from: sequence, to: sequence, stamp };
        let Some(gap) = gap else { return one };
        let first = if gap.from <= sequence { gap } else { one };
        Self { to: gap.to.max(sequence), ..first }
    }

    /// Whether the gap hides events after record `sequence`, printed at `since`, up to `limit`
    /// later and before record `end`.
    pub(super) fn hides(&self, sequence: u64, since: &Stamp, limit: Micros, end: u64) -> bool {
        let near = since.elapsed(&self.stamp).is_none_or(|span| span <= limit);
        sequence <= self.to && self.from < end && (self.from <= sequence || near)
    }
}

/// The remaining budget.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    most: usize,
    /// Whether the limit was reached once: from then on minor events are not kept.
    pub(super) is_tight: bool,
    /// Whether nothing is left that could be dropped.
    pub(super) is_bare: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: 0, most: MOST_BYTES, is_tight: false, is_bare: false }
    }
}

impl Budget {
    /// Whether this number of events exceeds it.
    pub(super) const fn is_spent(&self, events: usize) -> bool {
        events >= MOST_EVENTS || self.bytes >= self.most
    }

    /// Divides the budget among several recognisers.
    pub(super) const fn share(&mut self, among: usize) {
        self.most = MOST_BYTES / among;
    }

    /// Counts an added event.
    pub(super) fn add(&mut self, observed: &Observed) {
        self.bytes += size(observed);
    }

    /// Counts a line added to an event.
    pub(super) const fn join(&mut self) {
        self.bytes += JOINED;
    }

    /// Counts a quoted line.
    pub(super) const fn quote(&mut self, text: &str) {
        self.bytes += size_of::<QuotedLine>() + text.len();
    }

    /// Recounts after dropping events. Returns whether considerably less is left.
    pub(super) fn recount(&mut self, events: &[Observed], before: usize) -> bool {
        self.bytes = events.iter().map(size).sum();
        before - events.len() >= before / 8
    }
}

fn size(observed: &Observed) -> usize {
    // Repeated texts are shared.
    let shared = std::rc::Rc::strong_count(&observed.text) > 2;
    let text = if shared { 0 } else { observed.text.len() };
    let joined = observed.joined.len() * JOINED;
    let quoted: usize = observed.quoted.iter().map(|one| size_of_val(one) + one.text.len()).sum();
    size_of::<Observed>() + observed.event.size() + text + joined + quoted + BESIDE
}

/// Whether events of a kind are minor if there are hundreds of them: they report no failure, and do
/// not identify GPUs or boots.
pub(super) fn is_aside(kind: Kind) -> bool {
    let columns = kind.row().columns;
    let tells = matches!(
        kind,
        Kind::KernelBanner
            | Kind::CommandLine
            | Kind::DriverReady
            | Kind::DriverPackage
            | Kind::MachineName
            | Kind::UnknownParameter
            | Kind::GfxOverride
    );
    columns.part == Part::Context && columns.proves == Proof::Nothing && !tells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::log::tests::log;
    use crate::value::Outcome;

    /// Minor events are dropped first; the others are counted.
    #[test]
    fn what_is_beside_the_point_makes_room() {
        const LINES: usize = 90_000;
        let killed = |n: usize| {
            format!(
                "[{n:5}.000000] Out of memory: Killed process {n} (willow) total-vm:12345678kB, \
                 anon-rss:{n}kB, file-rss:8kB, shmem-rss:0kB, UID:1000 pgtables:88kB oom_score_adj:{n}\n"
            )
        };
        let line = |n: usize| match n % 50 {
            0 => format!(
                "[{n:5}.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, \
                 signaled seq={n}, emitted seq=3\n"
            ),
            _ => killed(n),
        };
        let log = log(&(0..LINES).map(line).collect::<String>());
        let count = |kind: Kind| log.events.iter().filter(|o| o.event.kind() == kind).count();
        assert_eq!(count(Kind::RingTimeout), LINES / 50, "every failure is kept");
        assert_eq!(log.events.len() as u64 + log.dropped_events, LINES as u64);
        assert!(log.dropped_events > 0 && count(Kind::OomKill) > 200);
        assert!(log.events.iter().map(size).sum::<usize>() <= MOST_BYTES);
    }

    /// In a storm of relevant events the middle is dropped, and the gap makes its contents unknown.
    #[test]
    fn the_middle_of_a_storm_makes_room() {
        const ROUNDS: usize = 40_000;
        let round = |n: usize| {
            let (at, our) = (10 * n, "amdgpu 0000:03:00.0: amdgpu: ");
            format!(
                "[{at:6}.000000] {our}ring gfx_0.0.0 timeout, signaled seq={n}, emitted seq=3\n\
                 [{at:6}.100000] {our}GPU reset begin!\n\
                 [{at:6}.200000] {our}GPU reset({n}) succeeded!\n"
            )
        };
        let log = log(&(1..=ROUNDS).map(round).collect::<String>());
        assert_eq!(log.events.len() as u64 + log.dropped_events, 3 * ROUNDS as u64);
        assert!(log.dropped_events > 0);
        let kept = log.events.iter().map(size).sum::<usize>();
        assert!(kept > MOST_BYTES / 4 && kept < MOST_BYTES + 4096, "{kept}");
        let ends = [log.events.first(), log.events.last()].map(|end| end.map(Observed::line));
        assert_eq!(ends, [Some(1), Some(3 * ROUNDS as u64)]);
        let all = crate::incident::incidents(&log);
        let unfinished = all.iter().filter(|incident| incident.outcome != Outcome::Recovered);
        assert!(unfinished.clone().count() <= 2);
        assert!(unfinished.clone().all(|incident| incident.outcome == Outcome::Unknown));
    }
}
