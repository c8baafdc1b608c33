//! Lines to records, one at a time: asks each form in turn, joins what one record is, and keeps
//! account of everything else.

use std::collections::HashMap;

use super::account::{Account, Reading};
use super::block::{self, Block, GivenBack, Step};
use super::boots::BootKey;
use super::envelope::{Context, Envelope, kernel_time};
use super::held::{BELOW, Held};
use super::lane::{Brief, Lane};
use super::listing::{self, Columns};
use super::order::{Draft, Order, Out};
use super::paragraph::Paragraph;
use super::passed::{Passed, Why};
use super::quoted::Quoted;
use super::scan::Scan;
use super::senders::{Early, Senders};
use super::stamp::{self, Time};
use super::wrapper::{self, Part, Unwrapped};
use super::{Family, Form, Options, Origin, Process, Visit, dmesg, kmsg, syslog};
use crate::input::{LINE_LIMIT, Line};

/// Reads records from lines that are handed in one by one, for an input that still grows.
#[derive(Debug, Default)]
pub struct Reader {
    options: Options,
    form: Form,
    host: String,
    listing: Option<Columns>,
    block: Block,
    /// The first line and the text so far of a container's line that goes on, of each stream.
    partial: [Option<(u64, String)>; 2],
    /// The last line of a container that was handed on.
    floor: u64,
    held: Held,
    paragraph: Paragraph,
    early: Early,
    senders: Senders,
    lane: Lane,
    order: Order,
    account: Account,
    /// There was a record.
    begun: bool,
    /// Where a line is put together if a character has to be replaced.
    clean: String,
    quoted: Quoted,
    /// The boot that the input itself says the records are of.
    boot: BootKey,
    /// What it calls the boots, by key.
    boot_ids: Vec<String>,
    boot_keys: HashMap<String, BootKey>,
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
        let mut reader = Self { options, ..Self::default() };
        reader.account.set_reference(options.reference);
        if options.as_it_comes {
            reader.order = Order::as_it_comes();
            reader.account.set_any_order();
        }
        reader
    }

    /// Takes the next line. A record is handed on as soon as the line behind it shows that it is
    /// complete and the way the input runs is known, or by [`Self::flush`].
    pub fn line(&mut self, line: &Line<'_>, visit: &mut impl Visit) {
        self.account.reading.lines = line.number;
        self.account.reading.cut = !line.whole;
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

    /// What was read up to here, of an input that still grows.
    #[must_use]
    pub fn so_far(&mut self) -> Reading {
        self.account.so_far(&self.boot_ids)
    }

    /// Forgets all but the last `count` places where lines are missing.
    pub fn forget_holes(&mut self, count: usize) {
        let holes = &mut self.account.reading.holes;
        holes.drain(..holes.len().saturating_sub(count));
    }

    /// Ends the input. `bytes` and `skipped` are for the one who has the lines to fill in.
    pub fn finish(mut self, visit: &mut impl Visit) -> Reading {
        self.flush(visit);
        let account = &mut self.account;
        self.order.finish(&mut |out| account.give(out, visit));
        self.account.finish(self.order.is_turned(), &self.boot_ids)
    }

    /// Whether what is kept would grow beyond bounds.
    pub(super) fn is_full(&self) -> bool {
        self.account.is_full() || self.order.is_full()
    }

    /// A line as it stands in the input, or as a container's log wraps it.
    fn read_line(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        if self.is_passed_unseen(text, visit) {
            return;
        }
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

    /// Takes a record the quick way, if it can be taken so and is not wanted.
    fn is_passed_unseen(&mut self, text: &str, visit: &mut impl Visit) -> bool {
        let Some(form) = self.lane.form().filter(|_| !visit.wants_all()) else { return false };
        let quick = self.order.is_forward()
            && !self.block.is_open()
            && self.partial.iter().all(Option::is_none)
            && self.paragraph.is_empty()
            && self.held.is_unbroken(text.len())
            && self.options.only.is_none()
            && (self.host.is_empty() || form != Form::Dmesg);
        if !quick {
            return false;
        }
        let Some(brief) = self.lane.read(text) else { return false };
        let Brief { clock, local, message, .. } = brief;
        if visit.wants(brief.origin(), message)
            || message.starts_with("Linux version ")
            || (form.is_journal() && !self.early.passes(brief.origin()))
        {
            return false;
        }
        let follows = self.held.is_open();
        // Whether a clock goes on can only be told from the record before.
        self.flush_held(visit);
        if !self.account.can_pass(clock, local, self.boot) {
            return false;
        }
        self.quoted.remember(clock, local, message);
        self.gap = None;
        self.listing = None;
        self.together += u32::from(form.is_dmesg() && follows);
        self.held.pass(form, text.len(), message.len(), clock);
        let kernel = brief.program.is_none().then_some(message);
        self.account.pass(clock, local, form, kernel);
        visit.pass_unseen(brief.origin());
        true
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

    /// A line of a container's log, or a piece of one that goes on in the next of its stream.
    fn container(&mut self, number: u64, part: Part<'_>, visit: &mut impl Visit) {
        let Part { stream, text, whole } = part;
        let Some(partial) = self.partial.get_mut(stream as usize) else { return };
        // A line of the other stream may have come in between.
        let number = number.max(self.floor);
        let (number, text) = match partial.take() {
            Some((first, mut before)) => {
                let room = LINE_LIMIT.saturating_sub(before.len());
                let kept = text.get(..room.min(text.len())).unwrap_or_default();
                before.push_str(kept);
                self.account.reading.dropped += (text.len() - kept.len()) as u64;
                (first.max(self.floor), before)
            }
            None if whole => {
                self.floor = number;
                return self.surrounded(number, text, visit);
            }
            None => (number, text.to_owned()),
        };
        if whole {
            self.floor = number;
            self.surrounded(number, &text, visit);
        } else {
            *partial = Some((number, text));
        }
    }

    /// What follows is not the rest of a container's line.
    fn end_partial(&mut self, visit: &mut impl Visit) {
        let mut ended = std::mem::take(&mut self.partial);
        ended.sort_by_key(|partial| partial.as_ref().map(|(number, _)| *number));
        for (number, text) in ended.into_iter().flatten() {
            self.surrounded(number.max(self.floor), &text, visit);
        }
    }

    /// An entry of named fields is complete.
    fn entry(&mut self, visit: &mut impl Visit) {
        self.gap = None;
        self.end_paragraph(None, visit);
        self.flush_held(visit);
        let block = std::mem::take(&mut self.block);
        let (line, form, entry) = block.complete();
        if !entry.boot_id().is_empty() {
            self.boot = self.boot_key(entry.boot_id());
        }
        if let Some(mut envelope) = entry.envelope(form) {
            self.form = form;
            envelope.message = envelope.message.trim_end_matches('\n');
            let mut draft = envelope.draft(line, self.boot);
            draft.record.cut = entry.is_left_out();
            self.send(Out::Draft(&draft), visit);
        } else {
            self.pass_over(line, "", Why::Structure, visit);
        }
        self.block = block;
    }

    /// The number that stands for a boot's id.
    fn boot_key(&mut self, id: &str) -> BootKey {
        let current = (self.boot.number as usize).checked_sub(1);
        if current.and_then(|index| self.boot_ids.get(index)).is_some_and(|known| known == id) {
            return self.boot;
        }
        if let Some(key) = self.boot_keys.get(id) {
            return *key;
        }
        let key = self.new_boot_key(id, false);
        self.boot_keys.insert(id.to_owned(), key);
        key
    }

    fn new_boot_key(&mut self, id: &str, marker: bool) -> BootKey {
        self.boot_ids.push(id.to_owned());
        BootKey { number: u32::try_from(self.boot_ids.len()).unwrap_or_default(), marker }
    }

    fn send(&mut self, out: Out<'_>, visit: &mut impl Visit) {
        self.begun |= matches!(out, Out::Draft(_));
        let account = &mut self.account;
        self.order.pass(out, &mut |out| account.give(out, visit));
    }

    fn pass_over(&mut self, line: u64, text: &str, why: Why, visit: &mut impl Visit) {
        self.end_paragraph(None, visit);
        self.flush_held(visit);
        self.send(Out::Passed(Passed { line, text, why }), visit);
    }

    fn flush_held(&mut self, visit: &mut impl Visit) {
        if !self.held.waits() {
            return self.held.close();
        }
        if let Some(draft) = self.held.take(self.boot) {
            self.begun = true;
            let account = &mut self.account;
            self.order.pass(Out::Draft(&draft), &mut |out| account.give(out, visit));
        }
    }

    /// Takes off what surrounds a pasted line.
    fn surrounded(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        let mut clean = std::mem::take(&mut self.clean);
        let unwrapped = wrapper::unwrapped(text, &mut clean);
        self.unwrapped(number, &unwrapped, visit);
        self.clean = clean;
    }

    fn unwrapped(&mut self, number: u64, line: &Unwrapped<'_>, visit: &mut impl Visit) {
        let &Unwrapped { text, indent, quotes } = line;
        if let Some(envelope) = self.envelope(text) {
            if self.quoted.is_again(quotes, &envelope.time, envelope.message) {
                return self.pass_over(number, text, Why::QuotedAgain, visit);
            }
            return self.enveloped(number, text, indent, envelope, visit);
        }
        self.gap = None;
        if self.kmsg(number, text, indent, visit) {
            return;
        }
        if text.trim().is_empty() {
            return self.empty(number, quotes + indent > 0, visit);
        }
        if let Some(why) = self.passes(text, visit) {
            self.end_paragraph(None, visit);
            return self.pass_over(number, text, why, visit);
        }
        // What stands far to the right is below a record, whatever it looks like.
        if indent >= BELOW && self.held.continues(text, indent) {
            return;
        }
        let inside =
            wrapper::without_prefix(text).find_map(|inner| Some((inner, self.envelope(inner)?)));
        if let Some((inner, envelope)) = inside {
            return self.enveloped(number, inner, indent, envelope, visit);
        }
        // A record that begins behind something else is no end of the record before.
        let begins = indent < BELOW && inner_time(text).is_some();
        if !begins && self.held.continues(text, indent) {
            return;
        }
        self.flush_held(visit);
        if self.listed(number, text, visit) {
            return;
        }
        self.text(number, text, quotes, visit);
    }

    /// Why a line is no record at all, if it is none.
    fn passes(&mut self, text: &str, visit: &mut impl Visit) -> Option<Why> {
        if self.marker(text, visit) || wrapper::is_marker(text) {
            return Some(Why::Marker);
        }
        if let Some(part) = wrapper::part(text) {
            self.end_paragraph(None, visit);
            self.flush_held(visit);
            let account = &mut self.account;
            self.order.part(part, &mut |out| account.give(out, visit));
            return Some(Why::PartHeader);
        }
        if wrapper::is_of_ramoops(text) {
            return Some(Why::PartHeader);
        }
        wrapper::is_furniture(text).then_some(Why::Surroundings)
    }

    /// An empty line: between two records of dmesg it is a record without text.
    fn empty(&mut self, number: u64, pasted: bool, visit: &mut impl Visit) {
        let dmesg = self.held.is_open() && self.held.form.is_dmesg() && !pasted;
        self.gap = (dmesg && self.together > self.apart).then_some(number);
        self.apart += u32::from(dmesg);
        self.held.close();
        self.end_paragraph(Some(number).filter(|_| !pasted), visit);
    }

    /// A record of `/dev/kmsg`, or a line that says more about one.
    fn kmsg(&mut self, number: u64, text: &str, indent: usize, visit: &mut impl Visit) -> bool {
        if self.held.form == Form::Kmsg && self.held.detail(text, indent) {
            return true;
        }
        if !kmsg::may_begin(text) || !self.options.allows(Family::Kmsg) {
            return false;
        }
        let Some((mut envelope, header)) = kmsg::read(text) else { return false };
        if self.held.goes_on(&header, envelope.message) {
            return true;
        }
        let (before, returned) = self.senders.sequence(header.sequence);
        if returned {
            self.account.boots.note_return();
        }
        let missing = before.and_then(|before| header.sequence.checked_sub(before + 1));
        envelope.time.lost = missing.filter(|missing| *missing > 0);
        self.end_paragraph(None, visit);
        self.listing = None;
        self.form = Form::Kmsg;
        self.hold(number, text, indent, &envelope, visit);
        self.held.is_piece(&header);
        true
    }

    /// Asks the forms, by how the line begins.
    fn envelope<'a>(&self, text: &'a str) -> Option<Envelope<'a>> {
        let context = Context { form: self.form, host: &self.host };
        match self.options.only {
            None => {}
            Some(Family::Dmesg) => return dmesg::read(text, context),
            Some(Family::Syslog) => {
                let monotonic =
                    || dmesg::read(text, context).filter(|envelope| envelope.form.is_journal());
                return syslog::read(text, context).or_else(monotonic);
            }
            Some(Family::Logcat) => return syslog::logcat(text),
            Some(_) => return None,
        }
        match text.as_bytes().first()? {
            b'[' => dmesg::read(text, context),
            b'<' => syslog::read(text, context).or_else(|| dmesg::read(text, context)),
            // The mark behind the seconds of an ISO time tells them apart.
            b'0'..=b'9' if text.as_bytes().get(19) == Some(&b',') => dmesg::read(text, context),
            b'0'..=b'9' if text.as_bytes().get(2) == Some(&b'-') => syslog::logcat(text),
            b'0'..=b'9' | b'A'..=b'Z' => syslog::read(text, context),
            b'a'..=b'z' | 0x80.. => {
                dmesg::read(text, context).or_else(|| syslog::read(text, context))
            }
            _ => None,
        }
    }

    /// Takes a line with an envelope, and every further record that begins inside it.
    fn enveloped<'a>(
        &mut self,
        number: u64,
        text: &'a str,
        indent: usize,
        mut envelope: Envelope<'a>,
        visit: &mut impl Visit,
    ) {
        self.listing = None;
        self.end_paragraph_before(&envelope, visit);
        self.form = envelope.form;
        self.lane.learn(text, &envelope);
        if self.senders.host(text, &envelope) {
            self.account.boots.note_return();
        }
        if envelope.form.is_journal() {
            envelope.buffer |= self.early.buffers(&envelope);
        }
        self.beside(&envelope, visit);
        if self.host.is_empty() && envelope.form == Form::JournalShortMonotonic {
            let before = text.get(..text.len() - envelope.message.len()).unwrap_or_default();
            self.host.push_str(syslog::host(before));
        }
        while let Some((message, inner)) = self.split(&envelope) {
            envelope.message = message;
            self.hold(number, text, indent, &envelope, visit);
            envelope = inner;
        }
        self.hold(number, text, indent, &envelope, visit);
    }

    fn hold(
        &mut self,
        number: u64,
        text: &str,
        indent: usize,
        envelope: &Envelope<'_>,
        visit: &mut impl Visit,
    ) {
        self.flush_held(visit);
        self.held.put(number, text, indent, envelope);
    }

    /// Counts how the records of dmesg follow each other, and hands on the one without text that an
    /// empty line between two of them is.
    fn beside(&mut self, envelope: &Envelope<'_>, visit: &mut impl Visit) {
        let gap = self.gap.take();
        if !envelope.form.is_dmesg() {
            return;
        }
        self.together += u32::from(self.held.is_open());
        let near = || self.held.time().until(&envelope.time).is_some_and(|span| span < 1_000_000);
        if let Some(line) = gap.filter(|_| near()) {
            self.flush_held(visit);
            self.bare(line, "", visit);
        }
    }

    /// Where a second record begins inside a message: two processors on one console, or a paste
    /// without its line ends.
    fn split<'a>(&self, envelope: &Envelope<'a>) -> Option<(&'a str, Envelope<'a>)> {
        if envelope.form == Form::Syslog && envelope.priority.is_some() {
            return self.stream(envelope.message);
        }
        // What a program writes may look like anything.
        let kernel = envelope.buffer && envelope.origin == Origin::Kernel;
        let outer = envelope.time.monotonic.filter(|_| kernel)?;
        let (at, clock) = inner_time(envelope.message)?;
        let span = clock.since(outer).0;
        // A time far away is quoted, not printed.
        if !(-5_000_000..3_600_000_000).contains(&span)
            || envelope.message.starts_with("message repeated")
        {
            return None;
        }
        let (message, rest) = envelope.message.split_at_checked(at)?;
        let context = Context { form: Form::Dmesg, host: &self.host };
        let inner = dmesg::read(rest, context)?;
        let time = Time { wall: envelope.time.wall, ..inner.time };
        Some((message.trim_end(), Envelope { form: envelope.form, time, ..inner }))
    }

    /// Where the next record of a stream without line ends begins: `text<6>Nov 19 …` (RFC 3164).
    fn stream<'a>(&self, message: &'a str) -> Option<(&'a str, Envelope<'a>)> {
        let context = Context { form: Form::Syslog, host: &self.host };
        memchr::memchr_iter(b'<', message.as_bytes()).find_map(|at| {
            let (before, rest) = message.split_at_checked(at)?;
            // `<13>` and the name of a month: anything else is not worth a reading of the rest.
            let end = rest.bytes().take(5).position(|byte| byte == b'>')?;
            rest.as_bytes().get(end + 1).filter(|byte| !byte.is_ascii_digit())?;
            let inner = syslog::read(rest, context).filter(|inner| inner.form == Form::Syslog)?;
            Some((before, inner))
        })
    }

    /// What journalctl prints between records: `-- Boot 0123… --`, `-- No entries --`.
    fn marker(&mut self, text: &str, visit: &mut impl Visit) -> bool {
        let Some(inner) =
            text.strip_prefix("-- ").and_then(|rest| rest.trim_end().strip_suffix("--"))
        else {
            return text.starts_with("-- cursor: ");
        };
        let inner = inner.trim_end();
        let boot = inner.strip_prefix("Boot ").map(Some).or((inner == "Reboot").then_some(None));
        // `Journal begins at …, ends at Thu 2026-11-19 10:33:15 CET.`
        if !self.begun
            && let Some((_, end)) = inner.rsplit_once(" at ")
            && let Some(wall) = stamp::full(&mut Scan::new(end.trim_end_matches('.')))
        {
            self.account.set_reference(Some(wall.local));
        }
        if let Some(boot_id) = boot {
            self.end_paragraph(None, visit);
            self.flush_held(visit);
            // A boot without an id is like no other.
            self.boot = self.new_boot_key(boot_id.unwrap_or_default(), true);
        }
        true
    }

    /// A header or a row of `ps`.
    fn listed(&mut self, number: u64, text: &str, visit: &mut impl Visit) -> bool {
        if let Some(columns) = Columns::of(text) {
            self.listing = Some(columns);
            self.end_paragraph(None, visit);
            self.pass_over(number, text, Why::ListHeader, visit);
            return true;
        }
        let row =
            self.listing.and_then(|columns| columns.row(text)).or_else(|| listing::bare_row(text));
        let Some(process) = row else {
            self.listing = None;
            return false;
        };
        self.form = Form::ProcessListing;
        self.end_paragraph(None, visit);
        self.plain(number, text, Some(process), visit);
        true
    }

    /// A line without an envelope; it may end in a record all the same, where a console prints
    /// behind a prompt.
    fn text(&mut self, number: u64, text: &str, quotes: usize, visit: &mut impl Visit) {
        if self.options.only == Some(Family::Text) {
            return self.bare(number, text, visit);
        }
        let context = Context { form: Form::Dmesg, host: &self.host };
        let behind = inner_time(text)
            .filter(|_| self.options.allows(Family::Dmesg))
            .and_then(|(at, _)| text.split_at_checked(at))
            // In a sentence a time is quoted.
            .filter(|(before, _)| !before.trim_end().ends_with(char::is_alphabetic));
        if let Some((before, rest)) = behind
            && let Some(envelope) = dmesg::read(rest, context)
        {
            self.end_paragraph(None, visit);
            if self.quoted.is_again(quotes, &envelope.time, envelope.message) {
                return self.pass_over(number, text, Why::QuotedAgain, visit);
            }
            self.plain(number, before, None, visit);
            return self.enveloped(number, rest, 0, envelope, visit);
        }
        self.held.note(text);
        self.in_paragraph(number, text, visit);
    }

    fn in_paragraph(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        let Some(kernel) = self.paragraph.line(number, text) else { return };
        if let Some(gap) = self.paragraph.take_gap().filter(|_| kernel) {
            self.bare(gap, "", visit);
        }
        for (number, text) in self.paragraph.take_waiting() {
            self.unenveloped(number, &text, kernel, visit);
        }
        self.unenveloped(number, text, kernel, visit);
    }

    fn unenveloped(&mut self, number: u64, text: &str, kernel: bool, visit: &mut impl Visit) {
        if kernel {
            self.bare(number, text, visit);
        } else {
            self.plain(number, text, None, visit);
        }
    }

    /// A run of lines without an envelope has ended; what waits is not the kernel's.
    fn end_paragraph(&mut self, gap: Option<u64>, visit: &mut impl Visit) {
        if self.paragraph.is_empty() && gap.is_none() {
            return;
        }
        for (number, text) in self.paragraph.take_waiting() {
            self.plain(number, &text, None, visit);
        }
        self.paragraph.end(gap);
    }

    /// The same, before a record. A single line at the very beginning is the end of a record whose
    /// beginning the buffer has lost.
    fn end_paragraph_before(&mut self, next: &Envelope<'_>, visit: &mut impl Visit) {
        if !self.begun && next.form.is_dmesg() && next.time.monotonic.is_some() {
            let mut waiting = self.paragraph.take_waiting();
            if let [(line, text)] = &mut *waiting
                && is_tail(text)
            {
                let (line, text) = (*line, std::mem::take(text));
                let mut draft = Draft::bare(line, &text, self.boot);
                draft.record.cut = true;
                self.send(Out::Draft(&draft), visit);
                waiting.clear();
            }
            for (line, text) in waiting {
                self.plain(line, &text, None, visit);
            }
        }
        self.end_paragraph(None, visit);
    }

    /// A line of the kernel's buffer without an envelope.
    fn bare(&mut self, line: u64, message: &str, visit: &mut impl Visit) {
        let draft = Draft::bare(line, message.trim_end(), self.boot);
        self.send(Out::Draft(&draft), visit);
    }

    fn plain(
        &mut self,
        line: u64,
        message: &str,
        process: Option<Process<'_>>,
        visit: &mut impl Visit,
    ) {
        let mut draft = Draft::bare(line, message.trim_end(), self.boot);
        draft.record.buffered = false;
        draft.record.process = process;
        if process.is_some() {
            draft.record.form = Form::ProcessListing;
        }
        self.send(Out::Draft(&draft), visit);
    }
}

/// Whether a line before the first record can be the end of one: it begins in the middle of a text.
fn is_tail(text: &str) -> bool {
    let prose =
        text.ends_with([':', '.', '?', '!']) || text.starts_with(|c: char| c.is_uppercase());
    text.len() >= 8 && !prose
}

/// The first `[ktime]` that is not at the beginning.
pub(super) fn inner_time(text: &str) -> Option<(usize, crate::value::Micros)> {
    memchr::memchr_iter(b'[', text.as_bytes()).filter(|&at| at > 0).find_map(|at| {
        // Most brackets are told by one byte.
        let digit =
            text.as_bytes().get(at + 1).is_some_and(|byte| *byte == b' ' || byte.is_ascii_digit());
        let found = kernel_time(&mut super::scan::Scan::new(text.get(at..).filter(|_| digit)?))?;
        Some((at, found))
    })
}
