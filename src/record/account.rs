//! What is counted on the way, and the last step of each record: its stamp, its boot, its number.

use std::io;
use std::ops::Range;

use strum::VariantArray as _;

use super::boots::{Boot, Boots};
use super::draft::Draft;
use super::echo::Echoes;
use super::flow::Flow;
use super::notice::{self, Hole, HoleKind, Notice};
use super::order::{Direction, Out, STEPS};
use super::passed::Why;
use super::{Form, Origin, Read, Record, Stamp, Visit};
use crate::input::{Skimmed, Skipped};

/// A machine that is booted ten times a day fills this in 27 years.
const BOOT_LIMIT: usize = 100_000;
/// Lines that are missing somewhere: a log with more of them proves nothing.
const HOLE_LIMIT: usize = 500_000;

/// What was read, apart from the records themselves.
#[derive(Debug, Default)]
pub struct Reading {
    /// The machine by the last name that its lines give it, and by the id that the journal does.
    pub host: Option<String>,
    /// See `host`.
    pub machine_id: Option<String>,
    /// The form of most records.
    pub form: Form,
    /// How many lines the input has.
    pub lines: u64,
    /// How many bytes were read, unpacked.
    pub bytes: u64,
    /// How many records there are.
    pub records: u64,
    /// How many of them were only looked through for a few words, since the input is long.
    pub skimmed: u64,
    /// How many of them are lines of the kernel's own buffer, whoever wrote them.
    pub kernel_records: u64,
    /// How many records are processes.
    pub processes: u64,
    /// How many more times records came than they are listed: `message repeated N times`.
    pub repeats: u64,
    /// Lines that are no records, by reason.
    pub passed: [u64; <Why as strum::EnumCount>::COUNT],
    /// What could not be used.
    pub skipped: Skipped,
    /// What of it only the reading of records dropped.
    pub(super) dropped: Skipped,
    /// The boots, in the order of time.
    pub boots: Vec<Boot>,
    /// Which records are an excerpt of a boot that stands in the input as a whole, too.
    pub excerpts: Vec<Range<u64>>,
    /// Where lines are missing, in the order of time.
    pub holes: Vec<Hole>,
    /// The way the input runs.
    pub direction: Direction,
    /// Whether the last line may be cut off.
    pub cut: bool,
    /// Whether the input is damaged, so that it could not be read to its end.
    pub damaged: bool,
    /// Why reading stopped early, if it did; what came before is in.
    pub stopped: Option<io::Error>,
}

impl Reading {
    /// How many lines were passed over for this reason.
    #[must_use]
    pub fn passed_over(&self, why: Why) -> u64 {
        self.passed[why as usize]
    }

    /// Whether the record number `sequence` stands in the input a second time.
    #[must_use]
    pub fn is_excerpt(&self, sequence: u64) -> bool {
        let behind = self.excerpts.partition_point(|range| range.end <= sequence);
        self.excerpts.get(behind).is_some_and(|range| range.contains(&sequence))
    }

    /// How many lines are in no record, or not whole.
    #[must_use]
    pub fn skipped_lines(&self) -> u64 {
        self.skipped.lines + self.passed.iter().sum::<u64>()
    }

    /// How many lines had text that is lost.
    #[must_use]
    pub fn lost_lines(&self) -> u64 {
        let lost = Why::VARIANTS.iter().copied().filter(|why| why.is_loss());
        self.skipped.lines + lost.map(|why| self.passed_over(why)).sum::<u64>()
    }
}

/// What is counted.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Which machine of the input it is of.
    pub(super) number: usize,
    pub(super) reading: Reading,
    pub(super) boots: Boots,
    echoes: Echoes,
    pub(super) flow: Flow,
    forms: [u64; Form::ALL.len()],
    /// When the last record was printed.
    last: Option<Stamp>,
    /// What surrounds a paste stands behind that.
    parted: bool,
}

impl Account {
    /// Whether what is kept per boot and per hole would grow beyond bounds.
    pub(super) fn is_full(&self) -> bool {
        self.boots.count() >= BOOT_LIMIT || self.reading.holes.len() >= HOLE_LIMIT
    }

    /// Counts what goes out and hands it on.
    pub(super) fn give(&mut self, out: Out<&str>, visit: &mut impl Visit) {
        match out {
            Out::Draft(draft) => self.record(&draft, visit),
            Out::Passed(passed) => {
                self.reading.passed[passed.why as usize] += 1;
                self.parted |= passed.why == Why::Surroundings && self.last.is_some();
                visit.see(Read::Passed(passed));
            }
        }
    }

    fn record(&mut self, draft: &Draft<&str>, visit: &mut impl Visit) {
        let &Draft { line, form, time, origin, buffered, device, cut, message, process, .. } =
            draft;
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
            message,
            process,
        };
        reading.records += 1;
        reading.kernel_records += u64::from(record.buffered);
        reading.processes += u64::from(record.process.is_some());
        self.forms[record.form as usize] += 1;
        // What the second excerpt does not have may have been printed at once behind the first.
        let last = if form == Form::Text { None } else { self.last.replace(stamp) };
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
            Some(Notice::Missing(kind, lost)) => self.hole(&record, kind, lost, visit),
            Some(Notice::Repeated(count)) => {
                self.reading.repeats = self.reading.repeats.saturating_add(count);
            }
            None => {}
        }
        self.boots.record(&record, draft.boot);
        if record.origin == Origin::Kernel {
            self.echoes.see(self.boots.serial(), record.stamp.monotonic, record.message);
        }
        visit.see(Read::Record(&record));
    }

    /// Counts lines that were stepped over, each a record of `form`; how many are the kernel's.
    pub(super) fn skim(&mut self, skimmed: Skimmed, form: Form) -> u64 {
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

    /// What was counted up to here. In which direction an input runs is not asked where it still grows.
    pub(super) fn so_far(&self, ids: &[String]) -> Reading {
        let boots = self.boots.so_far(ids);
        let reading = &self.reading;
        Reading {
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

    /// The form of most records.
    fn most_frequent_form(&self) -> Form {
        // Prose around a log outnumbers it easily, so text wins only where there is nothing else.
        let counts = self.forms.into_iter().zip(Form::ALL);
        counts
            .filter(|(count, form)| *count > 0 && *form != Form::Text)
            .max_by_key(|(count, form)| (*count, std::cmp::Reverse(*form)))
            .map_or(Form::Text, |(_, form)| form)
    }

    /// Ends the input.
    pub(super) fn finish(self, reversed: bool, ids: &[String]) -> Reading {
        let form = self.most_frequent_form();
        let Self { mut reading, boots, echoes, flow, .. } = self;
        reading.form = form;
        // Where the order was decided on, a few steps back prove nothing: each boot is one.
        let least = if boots.are_in_any_order() { 2 } else { STEPS };
        let interleaved = boots.are_interleaved();
        reading.direction = match (reversed, flow.runs_backward(least)) {
            _ if interleaved => Direction::Interleaved,
            (true, _) => Direction::Reversed,
            (false, true) => Direction::Mixed,
            (false, false) => Direction::Forward,
        };
        let mut boots = boots.finish(ids);
        reading.excerpts = echoes.taken(&mut boots, reading.records);
        reading.boots = boots.into_iter().map(|(_, boot)| boot).collect();
        reading
    }
}
