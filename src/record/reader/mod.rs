//! Turns lines into records one by one: tries the formats, joins lines of one record, and counts
//! everything else.

mod entry;
mod envelope;
mod line;
mod table;
mod text;

use std::collections::HashMap;

use super::account::ReadStats;
use super::block::{self, Block, GivenBack, Step};
use super::boots::BootKey;
use super::draft::Draft;
use super::listing::Columns;
use super::machines::{Machine, Machines};
use super::order::Item;
use super::paragraph::Paragraph;
use super::passed::{NonRecord, SkipReason};
use super::pasted::Word;
use super::pending::PendingRecord;
use super::quoted::Quoted;
use super::senders::Numbers;
use super::table::Table;
use super::wrapper::{self, Part};
use super::{LogFormat, MESSAGE_LIMIT, Options, Visit};
use crate::input::{Line, Skimmed};
pub(super) use envelope::inner_time;

/// The incomplete line of each stream of a container: its first line number and text.
#[derive(Debug, Default)]
struct Partial {
    out: Option<(u64, String)>,
    error: Option<(u64, String)>,
}

/// Reads records from lines that are passed in one by one, also from a growing input.
#[derive(Debug, Default)]
pub struct Reader {
    options: Options,
    form: LogFormat,
    host: String,
    listing: Option<Columns>,
    block: Block,
    partial: Partial,
    /// The last container line that was passed on.
    floor: u64,
    held: PendingRecord,
    paragraph: Paragraph,
    /// A line that introduces the following ones; empty if there is none.
    introduction: String,
    machines: Machines,
    numbers: Numbers,
    /// The number of lines, and whether the last may be incomplete.
    lines: u64,
    cut: bool,
    /// Whether there was a record.
    begun: bool,
    /// A buffer for lines with replaced characters.
    clean: String,
    quoted: Quoted,
    /// Whether the lines are a quotation in this program's own output.
    in_evidence: bool,
    /// The prefix of the last message with an incomplete envelope, see [`Pasted`].
    ///
    /// [`Pasted`]: super::pasted::Pasted
    shape: Option<Vec<Word>>,
    /// The boot of the records according to the input.
    boot: BootKey,
    /// The names of boots in the input, by key.
    boot_ids: Vec<String>,
    boot_keys: HashMap<String, BootKey>,
    /// The layout of the table whose rows the lines are.
    table: Option<Table>,
    /// The empty line after the held record.
    gap: Option<u64>,
    /// The number of dmesg records that directly follow another one, and of those after an empty
    /// line.
    together: u32,
    apart: u32,
}

impl Reader {
    /// A reader for one machine.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, machines: Machines::new(options, false), ..Self::default() }
    }

    /// A reader for several machines.
    #[must_use]
    pub fn of_machines(options: Options) -> Self {
        Self { options, machines: Machines::new(options, true), ..Self::default() }
    }

    /// The input ended after this number of lines; the last ones may have held nothing but NUL.
    pub(super) fn ended_after(&mut self, lines: u64) {
        self.lines = self.lines.max(lines);
    }

    /// Takes the next line. A record is passed on when the next line shows that it is complete and
    /// the order of the input is known, or by [`Self::flush`].
    pub fn line(&mut self, line: &Line<'_>, visit: &mut impl Visit) {
        self.lines = line.number;
        self.cut = !line.whole;
        self.read_line(line.number, line.text, visit);
        if !line.whole {
            self.block.no_binary();
            // The lost part of a line may contain the end of a string.
            if self.block.is_in_object() {
                self.end_block(visit);
            }
        }
    }

    /// Whether a length-prefixed value follows, for [`Self::binary`].
    #[must_use]
    pub fn wants_binary(&self) -> bool {
        self.block.wants_binary()
    }

    /// Takes the value that [`Self::wants_binary`] requested, if there is one.
    pub fn binary(&mut self, value: Option<&str>) {
        match value {
            Some(value) => self.block.binary(value),
            None => self.block.no_binary(),
        }
    }

    /// Passes on what is held back.
    pub fn flush(&mut self, visit: &mut impl Visit) {
        self.end_block(visit);
        self.end_partial(visit);
        self.end_paragraph(None, visit);
        self.flush_held(visit);
    }

    /// Whether the last line is part of an incomplete entry.
    #[must_use]
    pub fn is_inside_entry(&self) -> bool {
        self.block.is_open()
    }

    /// The number of lines so far.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Whether exactly the lines before this one were passed on.
    #[must_use]
    pub fn has_come_to(&self, line: u64) -> bool {
        let is_whole = !self.block.is_open()
            && matches!(self.partial, Partial { out: None, error: None })
            && self.paragraph.is_empty();
        is_whole && self.held.line().unwrap_or(self.lines + 1) == line
    }

    /// The statistics of a growing input so far.
    #[must_use]
    pub fn so_far(&mut self, machine: usize) -> ReadStats {
        let reading = self.machines.so_far(machine, &self.boot_ids);
        ReadStats { lines: self.lines, cut: self.cut, ..reading }
    }

    /// Whether there are more machines than the limit; the others are not read.
    #[must_use]
    pub fn has_too_many_machines(&self) -> bool {
        self.machines.are_too_many()
    }

    /// The number of records of a machine so far.
    #[must_use]
    pub fn records(&self, machine: usize) -> u64 {
        self.machines.all().get(machine).map_or(0, |one| one.account.reading.records)
    }

    /// Forgets all but the last `count` gaps.
    pub fn forget_holes(&mut self, count: usize) {
        for machine in self.machines.all_mut() {
            let holes = &mut machine.account.reading.holes;
            holes.drain(..holes.len().saturating_sub(count));
        }
    }

    /// Ends the input; returns the statistics of each machine. The caller fills in `bytes` and
    /// `skipped`.
    pub fn finish(mut self, visit: &mut impl Visit) -> Vec<ReadStats> {
        self.flush(visit);
        let Self { lines, cut, boot_ids, machines, .. } = self;
        let readings = machines.finish(&boot_ids, visit);
        readings.into_iter().map(|reading| ReadStats { lines, cut, ..reading }).collect()
    }

    /// Whether lines without search words may be skipped: each line is a record, and none may
    /// continue the last one.
    pub(super) fn can_skim(&mut self, next: Option<u8>, visit: &mut impl Visit) -> bool {
        let by_lines = self.form.is_a_line()
            && self.machines.are_forward()
            && !self.block.is_open()
            && matches!(self.partial, Partial { out: None, error: None });
        if !by_lines {
            return false;
        }
        // An indented line continues the last record.
        if next.is_some_and(|byte| !byte.is_ascii_whitespace()) && self.held.is_whole() {
            self.flush_held(visit);
        }
        !self.held.is_open() && !visit.wants_next()
    }

    /// Whether all lines are from one kernel, so that their number and machine are known without
    /// reading them.
    pub(super) fn is_one_kernels(&self) -> bool {
        self.form.is_dmesg() && self.machines.all().len() == 1
    }

    /// Counts skipped lines.
    pub(super) fn skimmed(&mut self, skimmed: Skimmed, visit: &mut impl Visit) {
        if skimmed.lines == 0 {
            return;
        }
        self.end_paragraph(None, visit);
        self.flush_held(visit);
        self.gap = None;
        self.listing = None;
        let (of_kernel, of_another) = self.machines.skim(skimmed, self.form);
        visit.skimmed(of_kernel, of_another);
    }

    /// The limit that was reached, if any.
    pub(super) fn is_full(&self) -> Option<&'static str> {
        if self.machines.are_too_many() {
            return Some("more machines write into it than can be kept apart");
        }
        let is_full = |machine: &Machine| machine.account.is_full() || machine.order.is_full();
        let full = self.machines.all().iter().any(is_full);
        full.then_some("more is kept of it than any log needs")
    }

    /// Reads a line of the input, or of a container's log.
    fn read_line(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        if self.block.is_open() && self.block.ends_before(text) {
            self.end_block(visit);
        }
        let begins = || block::may_begin(text).is_some_and(|family| self.options.allows(family));
        if self.block.is_open() || begins() {
            let step = self.block.line(number, text);
            return self.step(step, number, text, visit);
        }
        if let Some(part) = wrapper::container(text) {
            return self.container(number, part, visit);
        }
        self.end_partial(visit);
        self.surrounded(number, text, visit);
    }

    fn step(&mut self, step: Step, number: u64, text: &str, visit: &mut impl Visit) {
        if !matches!(step, Step::Container(_)) {
            self.end_partial(visit);
        }
        match step {
            Step::Foreign => self.surrounded(number, text, visit),
            Step::Taken => {}
            Step::Complete => self.entry(visit),
            Step::Structure => self.pass_over(number, text, SkipReason::Structure, visit),
            Step::Container(line) => {
                let text = line.text.trim_end_matches(['\r', '\n']);
                let whole = text.len() < line.text.len();
                self.container(number, Part { stream: line.stream, text, whole }, visit);
            }
            Step::GivenBack(back) => self.given_back(&back, visit),
        }
    }

    fn end_block(&mut self, visit: &mut impl Visit) {
        if self.block.is_open() {
            match self.block.end() {
                Step::Complete => self.entry(visit),
                Step::GivenBack(back) => self.given_back(&back, visit),
                _ => {}
            }
        }
    }

    /// Reads lines that looked like an object and are not.
    fn given_back(&mut self, back: &GivenBack, visit: &mut impl Visit) {
        for (number, line) in &back.lines {
            if back.damaged && block::is_of_object(line) {
                self.pass_over(*number, line, SkipReason::Damaged, visit);
            } else {
                self.surrounded(*number, line, visit);
            }
        }
    }

    fn send(&mut self, out: Item<&str>, visit: &mut impl Visit) {
        self.begun |= matches!(out, Item::Draft(_));
        self.machines.pass(out, visit);
    }

    fn pass_over(&mut self, line: u64, text: &str, why: SkipReason, visit: &mut impl Visit) {
        self.end_paragraph(None, visit);
        self.flush_held(visit);
        self.send(Item::NonRecord(NonRecord { line, text, why }), visit);
    }

    /// Counts the part of a message that exceeds the limit.
    pub(super) fn drop_end(&mut self, message: &str) {
        let dropped = message.len().saturating_sub(MESSAGE_LIMIT) as u64;
        let counted = &mut self.machines.speaker().account.reading.dropped;
        counted.bytes += dropped;
        // Lines cut by the input are counted there.
        counted.lines += u64::from(dropped > 0 && !self.cut);
    }

    fn flush_held(&mut self, visit: &mut impl Visit) {
        if let Some(draft) = self.held.take(self.boot) {
            self.begun = true;
            self.machines.pass(Item::Draft(draft), visit);
        }
    }

    fn hold(
        &mut self,
        number: u64,
        text: &str,
        indent: usize,
        draft: &Draft<&str>,
        visit: &mut impl Visit,
    ) {
        self.flush_held(visit);
        self.drop_end(draft.message);
        self.held.put(number, text, indent, draft);
    }
}
