//! How much room the events of a log take: a log may have any number.

use crate::event::{Observed, QuotedLine};
use crate::kind::{Kind, Part, Proof};
use crate::record::Stamp;
use crate::value::Micros;

/// How many events are kept; a log with more says the same thing over and over.
const MOST_EVENTS: usize = 200_000;
/// What is kept of events takes no more than this, in bytes.
const MOST_BYTES: usize = 20 << 20;
/// What the allocator adds to an event's parts, its text and its fields, and what lists of events take.
const BESIDE: usize = 64;
/// A line that joins an event adds a name, a number, and what it says.
const JOINED: usize = 64;

/// Where events are not kept that matter to what stands around them: nobody can tell there what came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The records that began the first and the last of them.
    from: u64,
    to: u64,
    /// When the first was printed.
    stamp: Stamp,
}

impl Gap {
    /// The gap with one more event in it.
    pub(super) fn with(gap: Option<Self>, sequence: u64, stamp: Stamp) -> Self {
        let one = Self { from: sequence, to: sequence, stamp };
        let Some(gap) = gap else { return one };
        let first = if gap.from <= sequence { gap } else { one };
        Self { to: gap.to.max(sequence), ..first }
    }

    /// Whether it hides what comes behind record number `sequence`, printed at `since`, up to `limit`
    /// later and before record number `end`.
    pub(super) fn hides(&self, sequence: u64, since: &Stamp, limit: Micros, end: u64) -> bool {
        let near = since.elapsed(&self.stamp).is_none_or(|span| span <= limit);
        sequence <= self.to && self.from < end && (self.from <= sequence || near)
    }
}

/// What there is room for.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    most: usize,
    /// Whether there was no room left once: from then on what is beside the point is not kept any more.
    pub(super) is_tight: bool,
    /// Whether there is nothing left of which less would do.
    pub(super) is_bare: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: 0, most: MOST_BYTES, is_tight: false, is_bare: false }
    }
}

impl Budget {
    /// Whether it is used up by so many events.
    pub(super) const fn is_spent(&self, events: usize) -> bool {
        events >= MOST_EVENTS || self.bytes >= self.most
    }

    /// What there is room for is divided among so many.
    pub(super) const fn share(&mut self, among: usize) {
        self.most = MOST_BYTES / among;
    }

    /// An event was added.
    pub(super) fn add(&mut self, observed: &Observed) {
        self.bytes += size(observed);
    }

    /// A line was added to an event.
    pub(super) const fn join(&mut self) {
        self.bytes += JOINED;
    }

    /// A line that was added is quoted.
    pub(super) const fn quote(&mut self, text: &str) {
        self.bytes += size_of::<QuotedLine>() + text.len();
    }

    /// Counts anew what is left. Returns whether that is a good deal less.
    pub(super) fn recount(&mut self, events: &[Observed], before: usize) -> bool {
        self.bytes = events.iter().map(size).sum();
        before - events.len() >= before / 8
    }
}

fn size(observed: &Observed) -> usize {
    // What repeats itself shares its text.
    let shared = std::rc::Rc::strong_count(&observed.text) > 2;
    let text = if shared { 0 } else { observed.text.len() };
    let joined = observed.joined.len() * JOINED;
    let quoted: usize = observed.quoted.iter().map(|one| size_of_val(one) + one.text.len()).sum();
    size_of::<Observed>() + observed.event.size() + text + joined + quoted + BESIDE
}

/// Whether events of a kind are beside the point where there are hundreds like it: they fail nothing, and
/// neither the GPUs nor the boots of the log are known from them.
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

    /// A log of events that do not fit: what is beside the point goes first, the rest is counted.
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

    /// A storm in which nothing is beside the point: its middle goes, its beginning and its end stay, and
    /// what came in the gap nobody can tell.
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
