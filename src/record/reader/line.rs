//! A line as it stands in the input: what surrounds a paste is taken off, what holds several records is cut,
//! and the envelope is read, or learned.

use super::super::draft::Draft;
use super::super::envelope::Context;
use super::super::passed::Why;
use super::super::pasted::Pasted;
use super::super::pending::BELOW;
use super::super::pieces::{Header, Start, may_hold_several, pieces};
use super::super::scan::head;
use super::super::unquote::{Unquoted, unquoted};
use super::super::{Form, OWN_QUOTE, Origin, Said, Visit, envelopes, wrapper};
use super::text::opens_string;
use super::{Reader, inner_time};

/// How long a line with [`OWN_QUOTE`] and its tags is at most.
const LONGEST_HEADING: usize = 100;
/// What ends a quote.
const ENDS: [&str; 2] = ["</details>", "</pre>"];

/// So many bytes tell whether a record begins with them.
const START: usize = 400;

impl Reader {
    /// Takes off what surrounds a pasted line.
    pub(super) fn surrounded(&mut self, number: u64, text: &str, visit: &mut impl Visit) {
        if self.is_own_evidence(text) {
            return self.pass_over(number, text, Why::QuotedAgain, visit);
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

    /// Whether a line is what a page of ours quotes of a log: of Markdown or HTML, pasted back.
    fn is_own_evidence(&mut self, text: &str) -> bool {
        if !self.in_evidence {
            self.in_evidence = is_own_heading(text);
            return false;
        }
        // Whoever cuts the end off may have a log behind it.
        self.in_evidence = is_as_we_quote(text) && !ENDS.iter().any(|end| text.contains(end));
        self.in_evidence
    }

    /// The line with its envelope taken off.
    pub(super) fn envelope<'a>(&self, text: &'a str) -> Option<Draft<&'a str>> {
        let context = Context { form: self.form, host: &self.host };
        envelopes::read(text, self.options.only, context)
    }

    /// What begins with a text that stands somewhere in a line.
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

    /// Takes a line, or a part of one, with nothing around it.
    fn unquoted(&mut self, number: u64, line: &Unquoted<'_>, visit: &mut impl Visit) {
        let &Unquoted { text, indent, quotes } = line;
        if let Some(draft) = self.envelope(text) {
            if let Some(found) = self.read_better(text, &draft, visit) {
                return self.pasted(number, text, indent, found, visit);
            }
            if self.quoted.is_again(quotes, &draft.time, draft.message) {
                return self.pass_over(number, text, Why::QuotedAgain, visit);
            }
            return self.enveloped(number, text, indent, draft, visit);
        }
        self.gap = None;
        if self.held.form() == Form::Kmsg && self.held.detail(text, indent) {
            return;
        }
        if text.trim().is_empty() {
            return self.empty(number, quotes + indent > 0, visit);
        }
        if let Some(why) = self.passes(text, visit) {
            return match self.title(text, visit) {
                Some(text) => self.without_envelope(number, &Unquoted { text, ..*line }, visit),
                None => self.pass_over(number, text, why, visit),
            };
        }
        self.without_envelope(number, line, visit);
    }

    /// What a heading says, if it is or holds a sentence that names the driver: the title of a report. Comments of
    /// source code look alike, and have sentences of programs.
    fn title<'a>(&self, text: &'a str, visit: &impl Visit) -> Option<&'a str> {
        let title = text.strip_prefix('#')?.trim_start_matches('#').trim();
        let tells = match self.said(title, visit) {
            Said::Message { .. } => true,
            Said::Nothing => title.contains("amdgpu") && visit.message(title),
            Said::Mention => false,
        };
        tells.then_some(title)
    }

    /// Takes a line on which something stands, and no envelope at its beginning.
    fn without_envelope(&mut self, number: u64, line: &Unquoted<'_>, visit: &mut impl Visit) {
        let &Unquoted { text, indent, quotes } = line;
        // What stands far to the right is below a record, whatever it looks like.
        if indent >= BELOW && self.held.continues(text, indent, visit) {
            return;
        }
        let inside =
            wrapper::without_prefix(text).find_map(|inner| Some((inner, self.envelope(inner)?)));
        if let Some((inner, draft)) = inside {
            return self.enveloped(number, inner, indent, draft, visit);
        }
        let found = self.prefixed(text, visit);
        // A record that begins behind something else is no end of the record before.
        let begins = match &found {
            Some(found) => found.is_telling() || self.held.form() == Form::Text,
            None => {
                indent < BELOW
                    && (inner_time(text).is_some()
                        || (visit.message(text) && self.held.says_something(visit)))
            }
        };
        let mut is_rest = || {
            self.held.continues(text, indent, visit)
                || self.held.is_finished_by(text, indent, visit)
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

    /// What a line is if its envelope was misread: behind a time alone the driver's name looks like that of a
    /// program or of a machine.
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

    /// A line of the kernel behind something that no program wrote, or not all of it.
    pub(super) fn prefixed<'a>(&self, text: &'a str, visit: &impl Visit) -> Option<Pasted<'a>> {
        if self.options.only.is_some() || visit.landmark(text) {
            return None;
        }
        let begins = |inner: &str| {
            inner.len() < text.len() && (visit.landmark(inner) || self.envelope(inner).is_some())
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
            // A sentence that goes on behind the message is a person's.
            Said::Message { behind, .. } => {
                let goes_on = behind.starts_with(' ')
                    && behind.trim_start().starts_with(char::is_alphanumeric);
                (!goes_on).then_some(found)
            }
        }
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
        let draft = found.draft();
        self.shape = Some(found.shape);
        match inner {
            Some(inner) => self.enveloped(number, rest, indent, inner, visit),
            None => self.enveloped(number, text, indent, draft, visit),
        }
    }
}

/// Whether a line is the heading over what a page of ours quotes: of text, of Markdown or of HTML. What else
/// stands on it is marks and tags, and a count behind it.
fn is_own_heading(line: &str) -> bool {
    let marks = ['#', '<', OWN_QUOTE.chars().next().unwrap_or_default()];
    // Every line is asked, and how it begins takes no search.
    if line.len() > LONGEST_HEADING || !line.trim_start().starts_with(marks) {
        return false;
    }
    let Some((before, behind)) = line.split_once(OWN_QUOTE) else { return false };
    let before = before.trim();
    (before.bytes().all(|mark| mark == b'#') || (before.starts_with('<') && before.ends_with('>')))
        && (behind.trim().is_empty() || behind.starts_with([':', '<']))
}

/// Whether a line looks like one of those that our pages quote: `17: text`, `17  text`, a tag, a fence.
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
