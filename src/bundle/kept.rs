//! Which records of a log are in the bundle: the kernel's of the boots concerned, and of those of programs
//! the ones that prove something. Of what would be too much, how the boots began, what surrounds the
//! failures, and what came last.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::{Class, Entry};

/// So many lines before the first of an incident's are kept where not all can be.
const BEFORE: u64 = 200;
/// So many behind its last one.
const BEHIND: u64 = 600;
/// Of a boot that is only there to show that it came, so many records.
const SHOWN_OF_NEXT: u64 = 20;

/// What is wanted of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The boots, by their places.
    pub boots: BTreeSet<usize>,
    /// Where each boot begins: the sequence of its first record.
    pub starts: Vec<u64>,
    /// The lines that prove something, in order, without overlap.
    pub evidence: Vec<RangeInclusive<u64>>,
    /// The lines from the first to the last of each incident, in order.
    pub incidents: Vec<RangeInclusive<u64>>,
    /// So many bytes are kept at most, or a little more where the evidence alone is more.
    pub limit: u64,
}

/// What is done with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Kept,
    /// It is of a program and says nothing of a GPU.
    Withheld,
    /// It is of a boot that is not concerned.
    OtherBoot,
    /// It would be too much.
    TooMuch,
}

/// Decides for one entry after the other. Needs two goes: the first to measure, the second to decide.
#[derive(Debug)]
pub(crate) struct LogTrimmer<'c> {
    chosen: &'c Chosen,
    /// The bytes that would be kept if all could be.
    whole: u64,
    /// Of those, how many came before the next entry.
    passed: u64,
    /// Of the boot that is going on.
    of_boot: Option<(usize, u64, u64)>,
    line: u64,
    measuring: bool,
}

impl<'c> LogTrimmer<'c> {
    /// Knows nothing of the log yet.
    pub(crate) const fn new(chosen: &'c Chosen) -> Self {
        Self { chosen, whole: 0, passed: 0, of_boot: None, line: 0, measuring: true }
    }

    /// The first go has ended.
    pub(crate) fn measured(&mut self) {
        *self = Self { whole: self.whole, measuring: false, ..Self::new(self.chosen) };
    }

    /// The boot that the record number `sequence` is of.
    pub(crate) fn boot(&self, sequence: u64) -> usize {
        self.chosen.starts.partition_point(|start| *start <= sequence).saturating_sub(1)
    }

    /// What becomes of the next entry.
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

    /// How many records and bytes of the boot were kept so far.
    fn within(&mut self, boot: usize) -> (u64, u64) {
        match self.of_boot {
            Some((known, records, bytes)) if known == boot => (records, bytes),
            _ => {
                self.of_boot = Some((boot, 0, 0));
                (0, 0)
            }
        }
    }

    /// Whether the lines are near an incident's beginning or end.
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

/// Whether one of the ranges, in order and without overlap, has one of the lines.
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

    fn decisions(chosen: &Chosen, entries: &[Entry]) -> Vec<Decision> {
        let mut trimmer = LogTrimmer::new(chosen);
        for entry in entries {
            trimmer.decide(entry);
        }
        trimmer.measured();
        entries.iter().map(|entry| trimmer.decide(entry)).collect()
    }

    #[test]
    fn of_programs_only_what_proves_something_is_kept() {
        let chosen = Chosen {
            boots: BTreeSet::from([0]),
            starts: vec![0],
            evidence: vec![3..=3],
            limit: 1 << 20,
            ..Chosen::default()
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
    fn of_the_boot_behind_only_the_beginning_is_kept() {
        let chosen = Chosen {
            boots: BTreeSet::from([1]),
            starts: vec![0, 10, 20],
            limit: 1 << 20,
            ..Chosen::default()
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
        let chosen = Chosen {
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
