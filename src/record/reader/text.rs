//! Lines of which no form is known before they were looked at: what surrounds a paste, and what is left.

use super::super::envelope::{Context, Envelope};
use super::super::held::BELOW;
use super::super::listing::{self, Columns};
use super::super::order::{Draft, Out};
use super::super::passed::Why;
use super::super::pasted::Pasted;
use super::super::pieces::{Header, Start, may_hold_several, pieces};
use super::super::scan::head;
use super::super::unquote::{Unquoted, unquoted};
use super::super::{Family, Form, Origin, Process, Visit, dmesg, kmsg, wrapper};
use super::{Reader, inner_time};

/// How our pages begin what they quote.
const OWN_EVIDENCE: &str = "<summary>Evidence";

/// So many bytes tell whether a record begins with them.
const START: usize = 400;

impl Reader {
    /// Takes off what surrounds a pasted line.
    pub(super) fn surrounded(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        if self.is_own_evidence(text) {
            return self.pass_over(number, text, Why::QuotedAgain, visit);
        }
        let mut clean = std::mem::take(&mut self.clean);
        let line = unquoted(text, &mut clean);
        if may_hold_several(line.text) && self.options.only.is_none() {
            for text in pieces(line.text, |text| self.start(text, visit)) {
                self.unquoted(number, &Unquoted { text, ..line }, visit);
            }
        } else {
            self.unquoted(number, &line, visit);
        }
        self.clean = clean;
    }

    /// Whether a line is what a page of ours quotes of a log: of Markdown or HTML, pasted back.
    fn is_own_evidence(&mut self, text: &str) -> bool {
        if !self.in_evidence {
            let tag = memchr::memchr(b'<', text.as_bytes());
            self.in_evidence = tag.is_some_and(|at| text[at..].contains(OWN_EVIDENCE));
            return false;
        }
        // Whoever cuts the end off has the next heading; a line of a log has no number before it.
        let ends = text.contains("</details>") || text.trim_start().starts_with(['#', '*', '[']);
        self.in_evidence = !ends;
        self.in_evidence
    }

    /// What begins with a text that stands somewhere in a line.
    fn start(&self, text: &str, visit: &impl Visit) -> Option<Header> {
        let text = head(text, START);
        let before = |message: &str| text.len() - message.len();
        if kmsg::may_begin(text) {
            let (envelope, _) = kmsg::read(text)?;
            return Some((Start::Kernel { dated: false }, before(envelope.message)));
        }
        let Some(envelope) = self.envelope(text) else {
            return Some((Start::Words, visit.prefix(text)?));
        };
        let dated = envelope.time.wall.is_some();
        let timed = dated || envelope.time.monotonic.or(envelope.time.delta).is_some();
        let kind = match envelope.origin {
            Origin::Kernel => Start::Kernel { dated },
            Origin::Program { pid, .. } if pid.is_some() || envelope.priority.is_some() => {
                Start::Program { dated }
            }
            Origin::Program { .. } | Origin::Unstated => return None,
        };
        timed.then_some((kind, before(envelope.message)))
    }

    fn unquoted(&mut self, number: u64, line: &Unquoted<'_>, visit: &mut impl Visit) {
        let &Unquoted { text, indent, quotes } = line;
        if let Some(envelope) = self.envelope(text) {
            // Behind a time alone the driver's name looks like that of a machine.
            let may_be = |found: &Pasted<'_>| match envelope.origin {
                Origin::Unstated => true,
                Origin::Program { pid: None, .. } => !found.is_kernel,
                Origin::Program { pid: Some(_), .. } | Origin::Kernel => false,
            };
            let doubtful =
                matches!(envelope.origin, Origin::Unstated | Origin::Program { pid: None, .. });
            if doubtful && let Some(found) = self.prefixed(text, visit).filter(may_be) {
                return self.pasted(number, text, indent, found, visit);
            }
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
        let found = self.prefixed(text, visit);
        // A record that begins behind something else is no end of the record before.
        let begins = match &found {
            Some(found) => found.is_telling() || self.held.form() == Form::Text,
            None => indent < BELOW && inner_time(text).is_some(),
        };
        if !begins && self.held.continues(text, indent) {
            return;
        }
        if let Some(found) = found {
            return self.pasted(number, text, indent, found, visit);
        }
        self.flush_held(visit);
        if self.listed(number, text, visit) {
            return;
        }
        self.text(number, text, quotes, visit);
    }

    /// A line of the kernel behind something that no program wrote, or not all of it.
    fn prefixed<'a>(&self, text: &'a str, visit: &impl Visit) -> Option<Pasted<'a>> {
        if self.options.only.is_some() || visit.landmark(text) {
            return None;
        }
        let begins = |inner: &str| {
            inner.len() < text.len() && (visit.landmark(inner) || self.envelope(inner).is_some())
        };
        Pasted::read(text, self.shape.as_deref(), begins)
    }

    /// Takes such a line.
    fn pasted<'a>(
        &mut self,
        number: u64,
        text: &'a str,
        indent: usize,
        found: Pasted<'a>,
        visit: &mut impl Visit,
    ) {
        let rest = found.rest;
        let inner = self.envelope(rest);
        let envelope = found.envelope();
        self.shape = Some(found.shape);
        match inner {
            Some(inner) => self.enveloped(number, rest, indent, inner, visit),
            None => self.enveloped(number, text, indent, envelope, visit),
        }
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
        let dmesg = self.held.is_open() && self.held.form().is_dmesg() && !pasted;
        self.gap = (dmesg && self.together > self.apart).then_some(number);
        self.apart += u32::from(dmesg);
        self.held.close();
        self.end_paragraph(Some(number).filter(|_| !pasted), visit);
    }

    /// A record of `/dev/kmsg`, or a line that says more about one.
    fn kmsg(&mut self, number: u64, text: &str, indent: usize, visit: &mut impl Visit) -> bool {
        if self.held.form() == Form::Kmsg && self.held.detail(text, indent) {
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

    /// A header or a row of `ps`.
    fn listed(&mut self, number: u64, text: &str, visit: &mut impl Visit) -> bool {
        if let Some(columns) = Columns::of(text) {
            self.listing = Some(columns);
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
    pub(super) fn end_paragraph(&mut self, gap: Option<u64>, visit: &mut impl Visit) {
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
    pub(super) fn end_paragraph_before(&mut self, next: &Envelope<'_>, visit: &mut impl Visit) {
        let first = !self.begun && next.form.is_dmesg() && next.time.monotonic.is_some();
        if first && let Some((line, text)) = self.paragraph.take_only(is_tail) {
            let mut draft = Draft::bare(line, &text, self.boot);
            draft.record.cut = true;
            self.send(Out::Draft(&draft), visit);
        }
        self.end_paragraph(None, visit);
    }

    /// A line of the kernel's buffer without an envelope.
    pub(super) fn bare(&mut self, line: u64, message: &str, visit: &mut impl Visit) {
        self.drop_end(message.trim_end());
        let draft = Draft::bare(line, message.trim_end(), self.boot);
        self.send(Out::Draft(&draft), visit);
    }

    /// A line of whoever, or a row of a listing.
    fn plain(
        &mut self,
        line: u64,
        message: &str,
        process: Option<Process<'_>>,
        visit: &mut impl Visit,
    ) {
        self.drop_end(message.trim_end());
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
