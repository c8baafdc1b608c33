//! Selects the records of a log for the bundle: the kernel's records of the boots concerned, and
//! those records of programs that are evidence. If they exceed the size limit, it keeps the
//! beginning of each boot, the surroundings of the incidents, and the end.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::{Class, Entry};

/// Lines to keep before the first line of an incident if not all fit.
const BEFORE: u64 = 200;
/// Lines to keep after its last line.
const BEHIND: u64 = 600;
/// Records to keep of a boot that is included only to show that it happened.
const SHOWN_OF_NEXT: u64 = 20;

/// What to keep of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KeptParts {
    /// The boots, by index.
    pub boots: BTreeSet<usize>,
    /// The sequence number of the first record of each boot.
    pub starts: Vec<u64>,
    /// The lines of evidence, sorted and disjoint.
    pub evidence: Vec<RangeInclusive<u64>>,
    /// The lines from the first to the last of each incident, sorted.
    pub incidents: Vec<RangeInclusive<u64>>,
    /// Maximum number of bytes to keep; exceeded only if the evidence alone is larger.
    pub limit: u64,
}

/// What happens to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Kept,
    /// It was printed by a program and does not concern a GPU.
    Withheld,
    /// It belongs to a boot that is not included.
    OtherBoot,
    /// It exceeds the size limit.
    TooMuch,
}

/// Decides about the entries, one after the other, in two passes: the first measures, the second
/// decides.
#[derive(Debug)]
pub(crate) struct LogTrimmer<'c> {
    chosen: &'c KeptParts,
    /// The size of everything that would be kept without a limit, in bytes.
    whole: u64,
    /// The part of it that precedes the next entry.
    passed: u64,
    /// The current boot, with the number of records and bytes kept of it.
    of_boot: Option<(usize, u64, u64)>,
    line: u64,
    measuring: bool,
}

impl<'c> LogTrimmer<'c> {
    /// Knows nothing of the log yet.
    pub(crate) const fn new(chosen: &'c KeptParts) -> Self {
        Self { chosen, whole: 0, passed: 0, of_boot: None, line: 0, measuring: true }
    }

    /// Ends the first pass.
    pub(crate) fn measured(&mut self) {
        *self = Self { whole: self.whole, measuring: false, ..Self::new(self.chosen) };
    }

    /// The boot of the record with this sequence number.
    pub(crate) fn boot(&self, sequence: u64) -> usize {
        self.chosen.starts.partition_point(|start| *start <= sequence).saturating_sub(1)
    }

    /// Decides about the next entry.
    pub(crate) fn decide(&mut self, entry: &Entry) -> Decision {
        let first = self.line + 1;
        self.line += entry.lines();
        let lines = first..=self.line.max(first);
        let boot = self.boot(entry.sequence);
        let (records, bytes) = self.within(boot);
        let length = entry.text.len() as u64;
        let chosen = self.chosen.boots.contains(&boot);
        let follows = boot > 0 && self.chosen.boots.contains(&(boot - 1));
        let proves = touches(&self.chosen.evidence, &lines);
        let shows = follows && records < SHOWN_OF_NEXT && entry.class == Class::Kernel;
        if !chosen && !shows {
            return Decision::OtherBoot;
        }
        if entry.class != Class::Kernel && !proves {
            return Decision::Withheld;
        }
        let before = if self.measuring { &mut self.whole } else { &mut self.passed };
        let from = *before;
        *before += length;
        self.of_boot = Some((boot, records + 1, bytes + length));
        let share = self.chosen.limit / 4;
        let fits = self.whole <= self.chosen.limit;
        let begins = bytes < share / self.chosen.boots.len().max(1) as u64;
        let ends = from + 2 * share >= self.whole;
        if self.measuring || fits || begins || ends || proves || self.is_near(&lines) {
            Decision::Kept
        } else {
            Decision::TooMuch
        }
    }

    /// The number of records and bytes of the boot that were kept so far.
    fn within(&mut self, boot: usize) -> (u64, u64) {
        match self.of_boot {
            Some((known, records, bytes)) if known == boot => (records, bytes),
            _ => {
                self.of_boot = Some((boot, 0, 0));
                (0, 0)
            }
        }
    }

    /// Whether the lines are near the start or end of an incident.
    fn is_near(&self, lines: &RangeInclusive<u64>) -> bool {
        let incidents = &self.chosen.incidents;
        let behind = incidents.partition_point(|range| range.end() + BEHIND < *lines.start());
        incidents[behind..].iter().take(2).any(|range| {
            let begins = range.start().saturating_sub(BEFORE)..=range.start() + BEHIND;
            let ends = range.end().saturating_sub(BEFORE)..=range.end() + BEHIND;
            begins.contains(lines.start()) || ends.contains(lines.start())
        })
    }
}

/// Whether one of the ranges, which are sorted and disjoint, overlaps the lines.
fn touches(ranges: &[RangeInclusive<u64>], lines: &RangeInclusive<u64>) -> bool {
    let behind = ranges.partition_point(|range| range.end() < lines.start());
    ranges.get(behind).is_some_and(|range| range.start() <= lines.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(sequence: u64, class: Class) -> Entry {
        let text = format!("[{sequence:>12}] some text of forty bytes or so\n");
        Entry { sequence, class, text, stead: None }
    }

    fn decisions(chosen: &KeptParts, entries: &[Entry]) -> Vec<Decision> {
        let mut trimmer = LogTrimmer::new(chosen);
        for entry in entries {
            trimmer.decide(entry);
        }
        trimmer.measured();
        entries.iter().map(|entry| trimmer.decide(entry)).collect()
    }

    #[test]
    fn of_programs_only_what_proves_something_is_kept() {
        let chosen = KeptParts {
            boots: BTreeSet::from([0]),
            starts: vec![0],
            evidence: vec![3..=3],
            limit: 1 << 20,
            ..KeptParts::default()
        };
        let entries: Vec<Entry> = [Class::Kernel, Class::Program, Class::Program, Class::Kernel]
            .into_iter()
            .zip(0..)
            .map(|(class, sequence)| entry(sequence, class))
            .collect();
        let want = [Decision::Kept, Decision::Withheld, Decision::Kept, Decision::Kept];
        assert_eq!(decisions(&chosen, &entries), want);
    }

    #[test]
    fn only_the_beginning_of_the_next_boot_is_kept() {
        let chosen = KeptParts {
            boots: BTreeSet::from([1]),
            starts: vec![0, 10, 20],
            limit: 1 << 20,
            ..KeptParts::default()
        };
        let entries: Vec<Entry> = (0..60).map(|at| entry(at, Class::Kernel)).collect();
        let decisions = decisions(&chosen, &entries);
        let kept: Vec<usize> = (0..60).filter(|at| decisions[*at] == Decision::Kept).collect();
        assert_eq!(kept, (10..40).collect::<Vec<_>>());
    }

    #[test]
    fn of_too_much_the_beginning_the_failure_and_the_end_are_kept() {
        let entries: Vec<Entry> = (0..100_000).map(|at| entry(at, Class::Kernel)).collect();
        let length = entries[0].text.len() as u64;
        let chosen = KeptParts {
            boots: BTreeSet::from([0]),
            starts: vec![0],
            evidence: vec![50_001..=50_001, 60_001..=60_001],
            incidents: vec![50_001..=60_001],
            limit: 8_000 * length,
        };
        let decisions = decisions(&chosen, &entries);
        let kept = |at: usize| decisions[at] == Decision::Kept;
        assert!(kept(0) && kept(1_999) && !kept(2_100));
        assert!(!kept(49_700) && kept(49_800) && kept(50_000) && kept(50_500) && !kept(51_000));
        assert!(!kept(59_700) && kept(59_800) && kept(60_000) && !kept(60_700));
        assert!(!kept(95_000) && kept(96_001) && kept(99_999));
        let all = decisions.iter().filter(|decision| **decision == Decision::Kept).count();
        assert!(all < 8_000, "{all}");
    }
}
