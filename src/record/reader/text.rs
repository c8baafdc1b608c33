//! Lines without an envelope: what stands between records, rows of a listing, and texts of which
//! only what stands beside them tells whether they are the kernel's.

use super::super::draft::Draft;
use super::super::envelope::Context;
use super::super::heading::Heading;
use super::super::listing::{self, Columns};
use super::super::order::Item as Out;
use super::super::passed::SkipReason as Why;
use super::super::{
    FormatFamily as Family, LogFormat as Form, Process, Said, Visit, dmesg, wrapper,
};
use super::{Reader, inner_time};

/// Maximum number of messages that are quoted in one line.
const QUOTED: usize = 8;

impl Reader {
    /// Why a line is no record at all, if it is none.
    pub(super) fn passes(&mut self, text: &str, visit: &mut impl Visit) -> Option<Why> {
        if self.marker(text, visit) || wrapper::is_marker(text) {
            return Some(Why::Marker);
        }
        if let Some(part) = wrapper::part(text) {
            self.end_paragraph(None, visit);
            self.flush_held(visit);
            self.machines.part(part, visit);
            return Some(Why::PartHeader);
        }
        if wrapper::is_of_ramoops(text) {
            return Some(Why::PartHeader);
        }
        wrapper::is_furniture(text).then_some(Why::Surroundings)
    }

    /// An empty line: between two records of dmesg it is a record without text.
    pub(super) fn empty(&mut self, number: u64, pasted: bool, visit: &mut impl Visit) {
        let dmesg = self.held.is_open() && self.held.form().is_dmesg() && !pasted;
        self.gap = (dmesg && self.together > self.apart).then_some(number);
        self.apart += u32::from(dmesg);
        self.held.close();
        self.end_paragraph(Some(number).filter(|_| !pasted), visit);
    }

    /// A header or a row of `ps`.
    pub(super) fn listed(&mut self, number: u64, text: &str, visit: &mut impl Visit) -> bool {
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
    pub(super) fn text(&mut self, number: u64, text: &str, quotes: usize, visit: &mut impl Visit) {
        if self.options.only == Some(Family::Text) {
            return self.bare(number, text, visit);
        }
        let context = Context { form: Form::Dmesg, host: &self.host };
        let behind = inner_time(text)
            .filter(|_| self.options.allows(Family::Dmesg))
            .and_then(|(at, _)| text.split_at_checked(at))
            // In a sentence a time is quoted, in source code a string.
            .filter(|(before, _)| {
                !before.trim_end().ends_with(char::is_alphabetic) && !opens_string(before)
            });
        if let Some((before, rest)) = behind
            && let Some(draft) = dmesg::read(rest, context)
        {
            self.end_paragraph(None, visit);
            if self.quoted.is_again(quotes, &draft.time, draft.message) {
                return self.pass_over(number, text, Why::QuotedAgain, visit);
            }
            self.plain(number, before, None, visit);
            return self.enveloped(number, rest, 0, draft, visit);
        }
        match self.said(text, visit) {
            Said::Mention => {
                self.end_paragraph(None, visit);
                return self.pass_over(number, text, Why::Mention, visit);
            }
            Said::Message { .. } => return self.quoted(number, text, false, visit),
            Said::Nothing => {}
        }
        if let Some(message) = self.titled(number, text, visit) {
            return self.entitled(number, text, message, visit);
        }
        self.introduce(text);
        self.held.note(text);
        self.in_paragraph(number, text, visit);
    }

    /// What a line without an envelope says of a message. In a run of the kernel's lines, those
    /// with a driver's name are the kernel's.
    pub(super) fn said<'a>(&self, text: &'a str, visit: &impl Visit) -> Said<'a> {
        let is_kernels = self.paragraph.is_kernels() && visit.prefix(text).is_some();
        if self.options.only.is_some() || is_kernels {
            Said::Nothing
        } else {
            visit.said(&self.introduction, text)
        }
    }

    /// Keeps a line that announces the ones behind it: it ends with a colon or an open bracket, or
    /// is the head of a table.
    fn introduce(&mut self, text: &str) {
        let is_row = text.starts_with('|');
        if is_row && self.introduction.starts_with('|') {
            return;
        }
        self.introduction.clear();
        if is_row || text.ends_with([':', '[', '(', '{']) {
            self.introduction.push_str(text);
        }
    }

    /// The heading of a report with a message in it, or one that is a message.
    pub(super) fn heading(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        self.flush_held(visit);
        if matches!(self.said(text, visit), Said::Message { .. }) {
            return self.quoted(number, text, true, visit);
        }
        self.end_paragraph(None, visit);
        self.quote(number, text, visit);
    }

    /// The message that follows the marks of a heading, of a list or of bold text, or a tag. The
    /// first line of an input is the title of a report.
    pub(super) fn titled<'a>(
        &self,
        number: u64,
        text: &'a str,
        visit: &impl Visit,
    ) -> Option<&'a str> {
        if self.options.only.is_some() || self.paragraph.is_kernels() {
            return None;
        }
        // What is a message as it stands has no title before it. Nothing is printed behind the mark
        // of a heading.
        let is_message = || !text.starts_with('#') && visit.message(text);
        let heading = Heading::of(text).filter(|_| !is_message())?;
        visit.titled(&self.introduction, heading.text, number == 1 || !heading.is_of_section)
    }

    /// A line that is a message behind such marks, and before what a person adds.
    pub(super) fn entitled(
        &mut self,
        number: u64,
        text: &str,
        message: &str,
        visit: &mut impl Visit,
    ) {
        self.flush_held(visit);
        self.end_paragraph(None, visit);
        self.quote(number, message, visit);
        if let Some((_, behind)) = text.split_once(message).filter(|(_, behind)| !behind.is_empty())
        {
            self.plain(number, behind, None, visit);
        }
    }

    /// A line with messages in it, of a person, or of a program that has more to say: the kernel
    /// ends its lines with a message, and in a heading everything is a person's.
    fn quoted(&mut self, number: u64, text: &str, heading: bool, visit: &mut impl Visit) {
        self.end_paragraph(None, visit);
        let mut rest = text;
        for _ in 0..QUOTED {
            let (before, message, behind) = match visit.said("", rest) {
                Said::Message { before, message, behind } => (before, message, behind),
                Said::Nothing => return self.plain(number, rest, None, visit),
                Said::Mention => return,
            };
            if rest.len() == text.len() {
                self.plain(number, before, None, visit);
            }
            let is_in_quotes = before.ends_with(['"', '\'', '`', '“', '„', '«', '‘']);
            // A line that has lost the beginning of its time.
            let is_tagged = before.trim_end().ends_with("kernel:");
            if heading || is_in_quotes || visit.is_kernel_text(message) && !is_tagged {
                self.quote(number, message, visit);
            } else {
                self.plain(number, message, None, visit);
            }
            rest = behind;
        }
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
    pub(super) fn end_paragraph_before(&mut self, next: &Draft<&str>, visit: &mut impl Visit) {
        let first = !self.begun && next.form.is_dmesg() && next.time.monotonic.is_some();
        if first && let Some((line, text)) = self.paragraph.take_only(is_tail) {
            let draft = Draft { cut: true, ..Draft::bare(&text) };
            self.send(Out::Draft(draft.at(line, self.boot)), visit);
        }
        self.end_paragraph(None, visit);
    }

    /// A line of the kernel's buffer without an envelope.
    pub(super) fn bare(&mut self, line: u64, message: &str, visit: &mut impl Visit) {
        self.drop_end(message.trim_end());
        let draft = Draft::bare(message.trim_end());
        self.send(Out::Draft(draft.at(line, self.boot)), visit);
    }

    /// A message that a person quotes.
    fn quote(&mut self, line: u64, message: &str, visit: &mut impl Visit) {
        self.drop_end(message.trim_end());
        let draft = Draft { quoted: true, ..Draft::plain(message.trim_end()) };
        self.send(Out::Draft(draft.at(line, self.boot)), visit);
    }

    /// A line of whoever, or a row of a listing.
    fn plain(
        &mut self,
        line: u64,
        message: &str,
        process: Option<Process<&str>>,
        visit: &mut impl Visit,
    ) {
        self.drop_end(message.trim_end());
        let form = if process.is_some() { Form::ProcessListing } else { Form::Text };
        let draft = Draft { form, process, ..Draft::plain(message.trim_end()) };
        self.send(Out::Draft(draft.at(line, self.boot)), visit);
    }
}

/// Whether a text ends where a string begins in source code: `log = "`, `parse("`. What programs
/// print has no space before the quote: `msg="`.
pub(super) fn opens_string(text: &str) -> bool {
    let code = text.trim_end_matches(['"', '\'', '`']);
    code.len() < text.len() && (code.ends_with("= ") || code.ends_with('('))
}

/// Whether a line before the first record can be the end of one: it begins in the middle of a text.
fn is_tail(text: &str) -> bool {
    let prose =
        text.ends_with([':', '.', '?', '!']) || text.starts_with(|c: char| c.is_uppercase());
    text.len() >= 8 && !prose
}
