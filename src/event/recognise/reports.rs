//! The reports of the kernel about itself: where each begins, and what a warning says in its own
//! words before it names its place.

use std::rc::Rc;

use super::Recogniser;
use crate::event::QuotedLine;
use crate::event::envelope::Envelope;
use crate::kind::{Event, KernelOops};
use crate::record::{Origin, Record};
use crate::value::Text;

/// The line before the words of a warning, and before its place if it has no words.
const CUT: &str = "------------[ cut here ]------------";
/// How reports begin that the kernel may be marked for (tainted): a warning, a crash, a mistake.
const BEGINNINGS: [&str; 7] =
    [CUT, "WARNING: ", "BUG: ", "Oops: ", "UBSAN: ", "kernel BUG at ", "general protection fault"];
/// Maximum number of records from the words to the place: other CPUs print at the same time.
const BETWEEN: u64 = 4;
/// Maximum number of beginnings to keep.
const MOST: usize = 256;

/// Where reports begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    /// The record of the last line before a report.
    cut: Option<u64>,
    /// The line behind it.
    words: Option<Words>,
    /// The records with which reports begin.
    begin: Vec<u64>,
}

/// What the kernel prints before the place of a warning.
#[derive(Clone, Debug)]
struct Words {
    sequence: u64,
    line: u64,
    text: Rc<str>,
}

impl Reports {
    /// Looks at the next record.
    fn see(&mut self, record: &Record<'_>) {
        let text = record.message.trim();
        // This runs for each record.
        let may_begin = text.starts_with(['-', 'W', 'B', 'O', 'U', 'k', 'g']);
        if !may_begin && self.cut.is_none() {
            return;
        }
        let begins = BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
        if begins && self.begin.len() < MOST {
            self.begin.push(record.sequence);
        }
        if text == CUT {
            (self.cut, self.words) = (Some(record.sequence), None);
        } else if let Some(cut) = self.cut.take()
            && !begins
            && cut + 1 == record.sequence
        {
            let (sequence, line) = (record.sequence, record.line);
            self.words = Some(Words { sequence, line, text: text.into() });
        }
    }

    /// Sets the words of a warning whose place is in `record`; returns their line.
    fn tell(&mut self, oops: &mut KernelOops, record: &Record<'_>) -> Option<QuotedLine> {
        let words = self.words.take().filter(|_| oops.what.as_deref() == Some("warning"))?;
        if record.sequence.saturating_sub(words.sequence) > BETWEEN {
            return None;
        }
        oops.words = Some(Text::from(Envelope::open(&words.text).body));
        oops.words_line = Some(words.line);
        Some(QuotedLine { line: words.line, text: words.text, field: "words".into() })
    }

    /// Whether a report begins in the records from `first` until shortly before `sequence`, or may
    /// do so.
    pub(crate) fn has_one(&self, first: u64, sequence: u64) -> bool {
        // The first lines of the same report do not count.
        let before = sequence.saturating_sub(BETWEEN + 2);
        self.begin.len() == MOST || self.begin.iter().any(|begin| (first..before).contains(begin))
    }
}

impl Recogniser<'_> {
    /// Notes where a report of the kernel begins.
    pub(super) fn see_report(&mut self, record: &Record<'_>) {
        match record.origin {
            Origin::Kernel | Origin::Unstated => self.result.reports.see(record),
            Origin::Program { .. } => {}
        }
    }

    /// Adds to the event that a record begins what it says in its own words.
    pub(super) fn tell_words(&mut self, event: &mut Event, record: &Record<'_>) -> Vec<QuotedLine> {
        let Event::KernelOops(oops) = event else { return Vec::new() };
        self.result.reports.tell(oops, record).into_iter().collect()
    }
}
