//! What earlier lines say about a line: what its columns hold, that a name stands below a mail, or that it is a part of
//! a monitor's EDID.

mod columns;
mod edid;
mod signature;

use std::ops::Range;

use super::Kind;
use super::stamp::Stamps;
use crate::pattern::privacy::Privacy;
use crate::record::Table;
use columns::{Columns, Headings};
pub(super) use edid::Edid;
use signature::{Closings, Signature};

/// What a shell prints before a command.
const PROMPTS: [&str; 4] = ["$ ", "# ", "% ", "> "];

/// A value that a line has because of the lines before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    /// Whether it means nothing elsewhere.
    pub(super) local: bool,
}

/// What is known of the current line from earlier ones.
#[derive(Debug, Default)]
pub(super) struct Context {
    headings: Headings,
    closings: Closings,
    /// The table of a log store whose rows the lines are.
    pub(super) table: Option<Table>,
    columns: Option<Columns>,
    signature: Signature,
    edid: Option<Edid>,
    /// What the current line has.
    pub(super) places: Vec<Place>,
}

impl Context {
    pub(super) fn new(privacy: &Privacy) -> Self {
        let headings = Headings::new(&privacy.columns);
        Self { headings, closings: Closings::new(&privacy.closings), ..Self::default() }
    }

    /// Forgets the lines of a log, because another one begins.
    pub(super) fn begin_log(&mut self) {
        (self.table, self.columns, self.edid) = (None, None, None);
        self.signature = Signature::default();
        self.places.clear();
    }

    /// Goes on to a line with these times.
    pub(super) fn follow(&mut self, line: &str, stamps: &Stamps) {
        self.places.clear();
        self.table = Table::of_messages(line).or(self.table.take());
        let is_stamped = stamps.head() > 0;
        // Lines of logs are no headings: in their time (`Mar  4 18:20:14`) a word begins with a digit.
        let heading = if is_stamped { None } else { self.headings.read(line) };
        if let Some(columns) = heading {
            self.columns = Some(columns);
        } else if let Some(columns) = &mut self.columns {
            // Neither a command nor a line of a log is a row.
            let ends = line.trim().is_empty()
                || PROMPTS.iter().any(|prompt| line.starts_with(prompt))
                || is_stamped;
            if ends || !columns.row(line, &mut self.places) {
                self.columns = None;
            }
        }
        if let Some(name) = self.signature.follow(line, &self.closings) {
            self.places.push(Place { kind: Kind::User, range: name, local: false });
        }
        self.edid = Edid::next(self.edid.take(), line, &mut self.places);
    }

    /// Whether the current line is a row of a dump, in which no digits are an id.
    pub(super) fn is_edid(&self) -> bool {
        self.edid.as_ref().is_some_and(Edid::has_rows)
    }
}
