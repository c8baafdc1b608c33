//! Statistics of reading, and the last step for each record: its stamp, boot and number.

use std::io;
use std::ops::Range;

use strum::VariantArray as _;

use super::boots::{Boot, Boots};
use super::draft::Draft;
use super::echo::DuplicateExcerpts;
use super::flow::Flow;
use super::notice::{self, Hole, HoleKind, Notice};
use super::order::{Direction, Item, STEPS};
use super::passed::SkipReason;
use super::{LogFormat, Read, Record, Stamp, Visit};
use crate::input::{Skimmed, Skipped};

/// Maximum number of boots: ten a day for 27 years.
const BOOT_LIMIT: usize = 100_000;
/// Maximum number of gaps; a log with more of them proves nothing.
const HOLE_LIMIT: usize = 500_000;

/// Statistics about an input, without the records.
#[derive(Debug, Default)]
pub struct ReadStats {
    /// The host name in the last line, and the machine id from the journal.
    pub host: Option<String>,
    /// See `host`.
    pub machine_id: Option<String>,
    /// The format of most records.
    pub form: LogFormat,
    /// The number of lines in the input.
    pub lines: u64,
    /// The number of decompressed bytes.
    pub bytes: u64,
    /// The number of records.
    pub records: u64,
    /// The number of records that were only searched for a few words, because the input is long.
    pub skimmed: u64,
    /// The number of records from the kernel's ring buffer, including those that programs wrote.
    pub kernel_records: u64,
    /// The number of processes in listings.
    pub processes: u64,
    /// The number of repetitions that are not listed: `message repeated N times`.
    pub repeats: u64,
    /// Lines that are not records, by reason.
    pub passed: [u64; <SkipReason as strum::EnumCount>::COUNT],
    /// What could not be used.
    pub skipped: Skipped,
    /// The part of it that was dropped while reading records.
    pub(super) dropped: Skipped,
    /// The boots, in chronological order.
    pub boots: Vec<Boot>,
    /// The records of excerpts of a boot that is also in the input completely.
    pub excerpts: Vec<Range<u64>>,
    /// Gaps, in chronological order.
    pub holes: Vec<Hole>,
    /// The order of the input.
    pub direction: Direction,
    /// Whether the last line may be incomplete.
    pub cut: bool,
    /// Whether the input is damaged, so that it could not be read to its end.
    pub damaged: bool,
    /// Why reading stopped early, if it did; the records before that are included.
    pub stopped: Option<io::Error>,
}

impl ReadStats {
    /// The number of lines skipped for this reason.
    #[must_use]
    pub fn passed_over(&self, why: SkipReason) -> u64 {
        self.passed[why as usize]
    }

    /// Whether record `sequence` is part of an excerpt.
    #[must_use]
    pub fn is_excerpt(&self, sequence: u64) -> bool {
        let behind = self.excerpts.partition_point(|range| range.end <= sequence);
        self.excerpts.get(behind).is_some_and(|range| range.contains(&sequence))
    }

    /// The number of lines that are not in a record, or not completely.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.skipped.lines + self.passed.iter().sum::<u64>()
    }

    /// The number of lines with lost text.
    #[must_use]
    pub fn lost_lines(&self) -> u64 {
        let lost = SkipReason::VARIANTS.iter().copied().filter(|why| why.is_loss());
        self.skipped.lines + lost.map(|why| self.passed_over(why)).sum::<u64>()
    }
}

/// The running statistics.
#[derive(Debug, Default)]
pub(super) struct RecordSink {
    /// The index of the machine.
    pub(super) number: usize,
    pub(super) reading: ReadStats,
    pub(super) boots: Boots,
    duplicates: DuplicateExcerpts,
    pub(super) flow: Flow,
    forms: [u64; LogFormat::ALL.len()],
    /// When the last record was printed.
    last: Option<Stamp>,
    /// Whether text around a paste followed that record.
    parted: bool,
}

impl RecordSink {
    /// Whether the number of boots or gaps has reached its limit.
    pub(super) fn is_full(&self) -> bool {
        self.boots.count() >= BOOT_LIMIT || self.reading.holes.len() >= HOLE_LIMIT
    }

    /// Counts an item and passes it to `visit`.
    pub(super) fn emit(&mut self, out: Item<&str>, visit: &mut impl Visit) {
        match out {
            Item::Draft(draft) => self.record(&draft, visit),
            Item::NonRecord(passed) => {
                self.reading.passed[passed.why as usize] += 1;
                self.parted |= passed.why == SkipReason::Surroundings && self.last.is_some();
                visit.see(Read::Passed(passed));
            }
        }
    }

    fn record(&mut self, draft: &Draft<&str>, visit: &mut impl Visit) {
        let &Draft { line, form, time, origin, buffered, device, cut, quoted, .. } = draft;
        let &Draft { message, process, .. } = draft;
        let reading = &mut self.reading;
        let (sequence, stamp) = (reading.records, self.flow.stamp(&time));
        let level = draft.priority.map(|priority| priority.level);
        let record = Record {
            machine: self.number,
            sequence,
            line,
            form,
            stamp,
            level,
            origin,
            buffered,
            device,
            cut,
            quoted,
            message,
            process,
        };
        reading.records += 1;
        reading.kernel_records += u64::from(record.buffered);
        reading.processes += u64::from(record.process.is_some());
        self.forms[record.form as usize] += 1;
        // The missing lines of the second excerpt may directly follow the first.
        let last = if form == LogFormat::Text { None } else { self.last.replace(stamp) };
        if let Some(last) = last.filter(|_| std::mem::take(&mut self.parted)) {
            self.hole(&Record { stamp: last, ..record }, HoleKind::Parted, None, visit);
        }
        if record.cut {
            self.hole(&record, HoleKind::Cut, None, visit);
        }
        if let Some(lost) = time.lost {
            self.hole(&record, HoleKind::Overrun, Some(lost), visit);
        }
        match notice::read(record.message) {
            Some(Notice::Missing(kind, count)) => self.hole(&record, kind, count, visit),
            Some(Notice::Repeated(count)) => {
                self.reading.repeats = self.reading.repeats.saturating_add(count);
            }
            None => {}
        }
        self.boots.record(&record, draft.boot);
        self.duplicates.see(&record);
        visit.see(Read::Record(&record));
    }

    /// Counts skipped lines, each a record of `form`; returns the number of the kernel's.
    pub(super) fn skim(&mut self, skimmed: Skimmed, form: LogFormat) -> u64 {
        let Skimmed { lines, of_kernel, of_another: _ } = skimmed;
        let kernel = if form.is_dmesg() { lines } else { of_kernel };
        let reading = &mut self.reading;
        reading.skimmed += lines;
        reading.records += lines;
        reading.kernel_records += kernel;
        self.forms[form as usize] += lines;
        kernel
    }

    fn hole(
        &mut self,
        record: &Record<'_>,
        kind: HoleKind,
        lost: Option<u64>,
        visit: &mut impl Visit,
    ) {
        let &Record { sequence, line, stamp, .. } = record;
        let hole = Hole { sequence, line, stamp, lost, kind };
        self.reading.holes.push(hole);
        visit.see(Read::Hole(hole));
    }

    /// The statistics so far. The order of a growing input is not determined.
    pub(super) fn so_far(&self, ids: &[String]) -> ReadStats {
        let boots = self.boots.so_far(ids);
        let reading = &self.reading;
        ReadStats {
            host: reading.host.clone(),
            machine_id: None,
            form: self.most_frequent_form(),
            boots,
            passed: reading.passed,
            holes: reading.holes.clone(),
            excerpts: Vec::new(),
            direction: Direction::Forward,
            stopped: None,
            ..*reading
        }
    }

    /// The format of most records.
    fn most_frequent_form(&self) -> LogFormat {
        // Prose around a log may outnumber it, so plain text counts only if there is no other
        // format.
        let counts = self.forms.into_iter().zip(LogFormat::ALL.iter().copied());
        counts
            .filter(|(count, form)| *count > 0 && *form != LogFormat::Text)
            .max_by_key(|(count, form)| (*count, std::cmp::Reverse(*form)))
            .map_or(LogFormat::Text, |(_, form)| form)
    }

    /// The final statistics.
    pub(super) fn finish(self, reversed: bool, ids: &[String]) -> ReadStats {
        let form = self.most_frequent_form();
        let Self { mut reading, boots, duplicates: echoes, flow, .. } = self;
        reading.form = form;
        // If records may be in any order, each boot is a step back, so a few of them prove nothing.
        let least = if boots.are_in_any_order() { 2 } else { STEPS };
        let interleaved = boots.are_interleaved();
        reading.direction = match (reversed, flow.runs_backward(least)) {
            _ if interleaved => Direction::Interleaved,
            (true, _) => Direction::Reversed,
            (false, true) => Direction::Mixed,
            (false, false) => Direction::Forward,
        };
        let mut boots = boots.so_far(ids);
        reading.excerpts = echoes.taken(&mut boots);
        reading.boots = boots;
        reading
    }
}
