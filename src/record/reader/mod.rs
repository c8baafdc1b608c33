//! Lines to records, one at a time: asks each form in turn, joins what one record is, and keeps
//! account of everything else.

mod entry;
mod envelope;
mod line;
mod table;
mod text;

use std::collections::HashMap;

use super::account::Reading;
use super::block::{self, Block, GivenBack, Step};
use super::boots::BootKey;
use super::draft::Draft;
use super::listing::Columns;
use super::machines::{Machine, Machines};
use super::order::Out;
use super::paragraph::Paragraph;
use super::passed::{Passed, Why};
use super::pasted::Word;
use super::pending::PendingRecord;
use super::quoted::Quoted;
use super::senders::Numbers;
use super::table::Table;
use super::wrapper::{self, Part};
use super::{Form, MESSAGE_LIMIT, Options, Visit};
use crate::input::{Line, Skimmed};
pub(super) use envelope::inner_time;

/// The first line and the text so far of a container's line that goes on, of each stream.
#[derive(Debug, Default)]
struct Partial {
    out: Option<(u64, String)>,
    error: Option<(u64, String)>,
}

/// Reads records from lines that are handed in one by one, for an input that still grows.
#[derive(Debug, Default)]
pub struct Reader {
    options: Options,
    form: Form,
    host: String,
    listing: Option<Columns>,
    block: Block,
    partial: Partial,
    /// The last line of a container that was handed on.
    floor: u64,
    held: PendingRecord,
    paragraph: Paragraph,
    machines: Machines,
    numbers: Numbers,
    /// How many lines came, and whether the last may be cut off.
    lines: u64,
    cut: bool,
    /// There was a record.
    begun: bool,
    /// Where a line is put together if a character has to be replaced.
    clean: String,
    quoted: Quoted,
    /// The lines are what a page of ours quotes.
    in_evidence: bool,
    /// What stood before the last message of which no program wrote the envelope, see [`Pasted`].
    ///
    /// [`Pasted`]: super::pasted::Pasted
    shape: Option<Vec<Word>>,
    /// The boot that the input itself says the records are of.
    boot: BootKey,
    /// What it calls the boots, by key.
    boot_ids: Vec<String>,
    boot_keys: HashMap<String, BootKey>,
    /// How the rows of the table are built that the lines are.
    table: Option<Table>,
    /// The empty line behind the record that is held.
    gap: Option<u64>,
    /// How many records of dmesg came right behind another, and how many behind an empty line.
    together: u32,
    apart: u32,
}

impl Reader {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, machines: Machines::new(options, false), ..Self::default() }
    }

    /// The same for an input in which several machines may speak.
    #[must_use]
    pub fn of_machines(options: Options) -> Self {
        Self { options, machines: Machines::new(options, true), ..Self::default() }
    }

    /// Takes the next line. A record is handed on as soon as the line behind it shows that it is
    /// complete and the way the input runs is known, or by [`Self::flush`].
    pub fn line(&mut self, line: &Line<'_>, visit: &mut impl Visit) {
        self.lines = line.number;
        self.cut = !line.whole;
        self.read_line(line.number, line.text, visit);
        if !line.whole {
            self.block.no_binary();
            // What a line has lost may be the end of a string.
            if self.block.is_in_object() {
                self.end_block(visit);
            }
        }
    }

    /// Whether a value with its length before it follows, to be handed to [`Self::binary`].
    #[must_use]
    pub fn wants_binary(&self) -> bool {
        self.block.wants_binary()
    }

    /// Takes the value that [`Self::wants_binary`] asked for, if there is one.
    pub fn binary(&mut self, value: Option<&str>) {
        match value {
            Some(value) => self.block.binary(value),
            None => self.block.no_binary(),
        }
    }

    /// Hands on what waits for its next line.
    pub fn flush(&mut self, visit: &mut impl Visit) {
        self.end_block(visit);
        self.end_partial(visit);
        self.end_paragraph(None, visit);
        self.flush_held(visit);
    }

    /// Whether what was read last is a part of an entry of which more has to come.
    #[must_use]
    pub fn is_inside_entry(&self) -> bool {
        self.block.is_open()
    }

    /// How many lines came.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }

    /// Whether the lines before this one were handed on, and no other.
    #[must_use]
    pub fn has_come_to(&self, line: u64) -> bool {
        let is_whole = !self.block.is_open()
            && matches!(self.partial, Partial { out: None, error: None })
            && self.paragraph.is_empty();
        is_whole && self.held.line().unwrap_or(self.lines + 1) == line
    }

    /// What was read up to here, of an input that still grows.
    #[must_use]
    pub fn so_far(&mut self, machine: usize) -> Reading {
        let reading = self.machines.so_far(machine, &self.boot_ids);
        Reading { lines: self.lines, cut: self.cut, ..reading }
    }

    /// Whether more machines write into the log than can be told apart: of the others nothing is read.
    #[must_use]
    pub fn has_too_many_machines(&self) -> bool {
        self.machines.are_too_many()
    }

    /// How many records there are of a machine up to here.
    #[must_use]
    pub fn records(&self, machine: usize) -> u64 {
        self.machines.all().get(machine).map_or(0, |one| one.account.reading.records)
    }

    /// Forgets all but the last `count` places where lines are missing.
    pub fn forget_holes(&mut self, count: usize) {
        for machine in self.machines.all_mut() {
            let holes = &mut machine.account.reading.holes;
            holes.drain(..holes.len().saturating_sub(count));
        }
    }

    /// Ends the input; what was read of each machine. `bytes` and `skipped` are for the one who has the
    /// lines to fill in.
    pub fn finish(mut self, visit: &mut impl Visit) -> Vec<Reading> {
        self.flush(visit);
        let Self { lines, cut, boot_ids, machines, .. } = self;
        let readings = machines.finish(&boot_ids, visit);
        readings.into_iter().map(|reading| Reading { lines, cut, ..reading }).collect()
    }

    /// Whether lines may be stepped over that hold none of the visitor's words: where each line is a record,
    /// and none may belong to what was read last.
    pub(super) fn can_skim(&mut self, next: Option<u8>, visit: &mut impl Visit) -> bool {
        let by_lines = self.form.is_a_line()
            && self.machines.are_forward()
            && !self.block.is_open()
            && matches!(self.partial, Partial { out: None, error: None });
        if !by_lines {
            return false;
        }
        // What is indented goes on what was read last.
        if next.is_some_and(|byte| !byte.is_ascii_whitespace()) && self.held.is_whole() {
            self.flush_held(visit);
        }
        !self.held.is_open() && !visit.wants_next()
    }

    /// Whether each line is one kernel's, so that neither whose it is nor how many there are need be asked.
    pub(super) fn is_one_kernels(&self) -> bool {
        self.form.is_dmesg() && self.machines.all().len() == 1
    }

    /// Lines were stepped over.
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

    /// Why no more can be kept, where that is so.
    pub(super) fn is_full(&self) -> Option<&'static str> {
        if self.machines.are_too_many() {
            return Some("more machines write into it than can be kept apart");
        }
        let is_full = |machine: &Machine| machine.account.is_full() || machine.order.is_full();
        let full = self.machines.all().iter().any(is_full);
        full.then_some("more is kept of it than any log needs")
    }

    /// A line as it stands in the input, or as a container's log wraps it.
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
            Step::Structure => self.pass_over(number, text, Why::Structure, visit),
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

    /// Lines that looked like an object and are none.
    fn given_back(&mut self, back: &GivenBack, visit: &mut impl Visit) {
        for (number, line) in &back.lines {
            if back.damaged && block::is_of_object(line) {
                self.pass_over(*number, line, Why::Damaged, visit);
            } else {
                self.surrounded(*number, line, visit);
            }
        }
    }

    fn send(&mut self, out: Out<&str>, visit: &mut impl Visit) {
        self.begun |= matches!(out, Out::Draft(_));
        self.machines.pass(out, visit);
    }

    fn pass_over(&mut self, line: u64, text: &str, why: Why, visit: &mut impl Visit) {
        self.end_paragraph(None, visit);
        self.flush_held(visit);
        self.send(Out::Passed(Passed { line, text, why }), visit);
    }

    /// Counts what a record does not hold of a message.
    pub(super) fn drop_end(&mut self, message: &str) {
        let dropped = message.len().saturating_sub(MESSAGE_LIMIT) as u64;
        let counted = &mut self.machines.speaker().account.reading.dropped;
        counted.bytes += dropped;
        // A line that the input cut is counted there.
        counted.lines += u64::from(dropped > 0 && !self.cut);
    }

    fn flush_held(&mut self, visit: &mut impl Visit) {
        if let Some(draft) = self.held.take(self.boot) {
            self.begun = true;
            self.machines.pass(Out::Draft(draft), visit);
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
