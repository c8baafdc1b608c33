//! Reads one line of the input: removes what surrounds a paste, splits lines with several records,
//! and parses the envelope.

use super::super::draft::Draft;
use super::super::envelope::Context;
use super::super::passed::SkipReason;
use super::super::pasted::Pasted;
use super::super::pending::BELOW;
use super::super::pieces::{Header, Start, may_hold_several, pieces};
use super::super::scan::head;
use super::super::unquote::{Unquoted, unquoted};
use super::super::{LogFormat, OWN_QUOTE, Origin, Said, Visit, envelopes, wrapper};
use super::text::opens_string;
use super::{Reader, inner_time};

/// Maximum length of a line with [`OWN_QUOTE`] and its tags.
const LONGEST_HEADING: usize = 100;
/// The ends of a quotation.
const ENDS: [&str; 2] = ["</details>", "</pre>"];

/// The number of bytes that decide whether a record begins here.
const START: usize = 400;

impl Reader {
    /// Removes what surrounds a pasted line, and reads the line.
    pub(super) fn surrounded(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        if self.skip_own_quote(text) {
            return self.pass_over(number, text, SkipReason::QuotedAgain, visit);
        }
        if self.row(number, text, visit) {
            return;
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

    /// Tracks quotations in amdtriage's own reports (Markdown or HTML) that were pasted into the
    /// input; returns whether this line is to be skipped as one.
    fn skip_own_quote(&mut self, text: &str) -> bool {
        if !self.in_evidence {
            self.in_evidence = is_own_heading(text);
            return false;
        }
        // If the end of the quotation is missing, a log may follow.
        self.in_evidence = is_as_we_quote(text) && !ENDS.iter().any(|end| text.contains(end));
        self.in_evidence
    }

    /// Parses the line's envelope.
    pub(super) fn envelope<'a>(&self, text: &'a str) -> Option<Draft<&'a str>> {
        let context = Context { form: self.form, host: &self.host };
        envelopes::read(text, self.options.only, context)
    }

    /// The record that begins with a text within a line.
    fn start(&self, text: &str, visit: &impl Visit) -> Option<Header> {
        let text = head(text, START);
        let Some(draft) = self.envelope(text) else {
            return Some((Start::Words, visit.prefix(text)?));
        };
        let dated = draft.time.wall.is_some();
        let timed = dated || draft.time.monotonic.or(draft.time.delta).is_some();
        let numbered = draft.header.is_some();
        let kind = match draft.origin {
            Origin::Kernel => Start::Kernel { dated },
            Origin::Program { .. } if numbered => Start::Kernel { dated },
            Origin::Program { pid, .. } if pid.is_some() || draft.priority.is_some() => {
                Start::Program { dated }
            }
            Origin::Program { .. } | Origin::Unstated => return None,
        };
        timed.then_some((kind, text.len() - draft.message.len()))
    }

    /// Reads a line, or a part of one, without surrounding text.
    fn unquoted(&mut self, number: u64, line: &Unquoted<'_>, visit: &mut impl Visit) {
        let &Unquoted { text, indent, quotes } = line;
        if let Some(draft) = self.envelope(text) {
            if let Some(found) = self.read_better(text, &draft, visit) {
                return self.pasted(number, text, indent, found, visit);
            }
            if self.quoted.is_again(quotes, &draft.time, draft.message) {
                return self.pass_over(number, text, SkipReason::QuotedAgain, visit);
            }
            return self.enveloped(number, text, indent, draft, visit);
        }
        self.gap = None;
        if self.held.form() == LogFormat::Kmsg && self.held.detail(text, indent) {
            return;
        }
        if text.trim().is_empty() {
            return self.empty(number, quotes + indent > 0, visit);
        }
        if let Some(why) = self.passes(text, visit) {
            if let Some(title) = self.title(text, visit) {
                return self.heading(number, title, visit);
            }
            return match self.titled(number, text, visit) {
                Some(message) => self.entitled(number, text, message, visit),
                None => self.pass_over(number, text, why, visit),
            };
        }
        self.without_envelope(number, line, visit);
    }

    /// The text of a heading that contains a sentence naming the driver: the title of a report.
    /// Comments of source code look alike, but contain sentences of programs.
    fn title<'a>(&self, text: &'a str, visit: &impl Visit) -> Option<&'a str> {
        let title = text.strip_prefix('#')?.trim_start_matches('#').trim();
        let tells = match self.said(title, visit) {
            Said::Message { .. } => true,
            Said::Nothing => title.contains("amdgpu") && visit.message(title),
            Said::Mention => false,
        };
        tells.then_some(title)
    }

    /// Reads a line that is not empty and does not begin with an envelope.
    fn without_envelope(&mut self, number: u64, line: &Unquoted<'_>, visit: &mut impl Visit) {
        let &Unquoted { text, indent, quotes } = line;
        // A far indented line continues a record, whatever it looks like.
        if indent >= BELOW && self.held.try_append_line(text, indent, visit) {
            return;
        }
        let inside =
            wrapper::without_prefix(text).find_map(|inner| Some((inner, self.envelope(inner)?)));
        if let Some((inner, draft)) = inside {
            return self.enveloped(number, inner, indent, draft, visit);
        }
        let found = self.prefixed(text, visit);
        // A record that begins within the line does not end the previous record.
        let begins = match &found {
            Some(found) => found.is_telling() || self.held.form() == LogFormat::Text,
            None => {
                indent < BELOW
                    && (inner_time(text).is_some()
                        || (visit.message(text) && self.held.has_text(visit)))
            }
        };
        let mut is_rest = || {
            self.held.try_append_line(text, indent, visit)
                || self.held.try_append_rest(text, indent, visit)
        };
        if !begins && is_rest() {
            return;
        }
        if let Some(found) = found {
            return self.pasted(number, text, indent, found, visit);
        }
        self.flush_held(visit);
        if !self.listed(number, text, visit) {
            self.text(number, text, quotes, visit);
        }
    }

    /// Parses a line again whose envelope was misread: after a mere time, the driver's name looks
    /// like that of a program or machine.
    fn read_better<'a>(
        &self,
        text: &'a str,
        read: &Draft<&str>,
        visit: &impl Visit,
    ) -> Option<Pasted<'a>> {
        match read.origin {
            Origin::Unstated => self.prefixed(text, visit),
            Origin::Program { pid: None, .. } => {
                self.prefixed(text, visit).filter(|found| !found.is_kernel)
            }
            Origin::Program { pid: Some(_), .. } | Origin::Kernel => None,
        }
    }

    /// A line of the kernel after text that no program, or not only a program, wrote.
    pub(super) fn prefixed<'a>(&self, text: &'a str, visit: &impl Visit) -> Option<Pasted<'a>> {
        if self.options.only.is_some() || visit.is_kernel_text(text) {
            return None;
        }
        let begins = |inner: &str| {
            inner.len() < text.len()
                && (visit.is_kernel_text(inner) || self.envelope(inner).is_some())
        };
        let found = Pasted::read(text, self.shape.as_deref(), begins)?;
        let before = text.get(..text.len().saturating_sub(found.rest.len())).unwrap_or_default();
        if opens_string(before) {
            return None;
        }
        if found.is_telling() {
            return Some(found);
        }
        match self.said(text, visit) {
            Said::Nothing => Some(found),
            Said::Mention => None,
            // A sentence that continues after the message is a person's.
            Said::Message { behind, .. } => {
                let behind = behind.trim_start_matches(['`', '"', '\'', '”']);
                let goes_on = behind.starts_with(' ')
                    && behind.trim_start().starts_with(char::is_alphanumeric);
                (!goes_on).then_some(found)
            }
        }
    }

    /// Reads such a line.
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
        let draft = found.draft();
        self.shape = Some(found.shape);
        match inner {
            Some(inner) => self.enveloped(number, rest, indent, inner, visit),
            None => self.enveloped(number, text, indent, draft, visit),
        }
    }
}

/// Whether a line is the heading above the lines that amdtriage's own report quotes, in text,
/// Markdown or HTML: only marks, tags and a count may surround it.
fn is_own_heading(line: &str) -> bool {
    let marks = ['#', '<', OWN_QUOTE.chars().next().unwrap_or_default()];
    // Runs for every line, so the beginning is checked before a search.
    if line.len() > LONGEST_HEADING || !line.trim_start().starts_with(marks) {
        return false;
    }
    let Some((before, behind)) = line.split_once(OWN_QUOTE) else { return false };
    let before = before.trim();
    (before.bytes().all(|mark| mark == b'#') || (before.starts_with('<') && before.ends_with('>')))
        && (behind.trim().is_empty() || behind.starts_with([':', '<']))
}

/// Whether a line looks like a quotation in amdtriage's reports: `17: text`, `17  text`, a tag, a
/// fence.
fn is_as_we_quote(line: &str) -> bool {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let behind = &text[digits..];
    let numbered = digits > 0 && (behind.starts_with(": ") || behind.starts_with("  "));
    numbered || text.is_empty() || text.starts_with(['<', '`', '~'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_of_our_own_quote_is_known_in_each_form() {
        for (line, is_heading) in [
            ("Lines of the log that show it", true),
            ("  ### Lines of the log that show it", true),
            ("<details><summary>Lines of the log that show it: 7 events</summary>", true),
            ("\u{A0}Lines of the log that show it", true),
            ("[    1.000000] Lines of the log that show it", false),
            ("# Lines of the log that show it again", false),
            ("Lines of the log", false),
            ("", false),
        ] {
            assert_eq!(is_own_heading(line), is_heading, "{line}");
        }
    }
}
