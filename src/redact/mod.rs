//! Replaces private values in a log by tokens: `<host-1>`.
//!
//! All lines are passed to a [`Redactor`] first, because a name that one line reveals may occur in
//! any other. Then each line is redacted. Private values are found in three ways: by their place
//! (`patterns/redaction/`, data), by a distinctive shape (addresses, ids), and by searching for
//! values that are known already, anywhere and in any encoding. [`Redactor::leftovers`] verifies
//! the result independently.
//!
//! Data that a diagnosis needs is never replaced: PCI addresses, registers, kernel addresses,
//! versions, times.

mod findings;
mod found;
mod json;
mod left;
mod needles;
mod outline;
mod rules;
mod shape;
pub mod stream;
mod values;
mod view;
mod words;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use crate::pattern::Patterns;
use crate::record::Table;
pub use crate::value::PrivateKind as Kind;
pub(crate) use crate::value::Token;

pub use findings::Findings;
use found::{PrivateValue, Seen, merged, tokens};
pub(crate) use left::Leftover;
use rules::Rules;
use values::Values;
use words::Words;

/// What is a matter of choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the names of processes go, too, but for those that everybody has.
    pub(crate) drop_process_names: bool,
}

/// How many values of a kind there are, and how often tokens stand for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub kind: Kind,
    /// How many different ones were replaced.
    pub values: u64,
    /// How often.
    pub replaced: u64,
}

/// What comes of more private values than are told apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Excess {
    /// Kinds of which some values share one token.
    pub shared: Vec<Kind>,
    /// Whether some names were replaced only where a name is expected.
    pub by_place: bool,
}

/// What is private in some texts, and what stands for it.
#[derive(Debug)]
pub struct Redactor {
    options: Options,
    rules: Rules,
    values: Values,
    words: Words,
    /// Whether values were found since the words were made ready.
    stale: bool,
    /// How many lines at most are still those of a private key.
    key_lines: u16,
    /// How much may still be kept of what is found in lines that are shown.
    room: usize,
    /// The table of which the lines are rows, if they are.
    table: Option<Table>,
}

/// How many lines a key in PEM form may have.
const KEY_LINES: u16 = 120;
/// How long a part of such a line is at least that is no ordinary word.
const KEY_PART: usize = 20;

impl Redactor {
    /// How many private values of a kind have tokens of their own.
    pub(crate) const LIMIT: usize = values::LIMIT;

    /// Knows nothing yet but the rules.
    #[must_use]
    pub fn new(patterns: &Patterns, options: Options) -> Self {
        let rules = Rules::new(patterns);
        let (values, words) = (Values::default(), Words::default());
        let (stale, key_lines, room, table) = (false, 0, findings::ROOM, None);
        Self { options, rules, values, words, stale, key_lines, room, table }
    }

    /// Says that a value is private: this machine's host name, a user's name, a serial number. Values that
    /// tell of nobody are not taken: `localhost`, `root`, `To be filled by O.E.M.`.
    pub(crate) fn know(&mut self, kind: Kind, value: &str) {
        self.note(kind, value.trim(), false);
    }

    fn note(&mut self, kind: Kind, value: &str, local: bool) {
        if !self.rules.is_public(kind, value) {
            self.keep(kind, value, local);
        }
    }

    /// Notes a value that is nobody else's.
    fn keep(&mut self, kind: Kind, value: &str, local: bool) {
        let everywhere = !local && self.rules.is_rare(kind, value);
        let (_, new) = self.values.add(kind, value, everywhere);
        self.stale |= new;
        // A machine is called by the first part of its name, too.
        if let Some((name, domain)) = value.split_once('.').filter(|_| kind == Kind::Host) {
            self.note(Kind::Host, name, local);
            if domain.contains('.') {
                self.note(Kind::Domain, domain, local);
            }
        }
    }

    /// Looks through one line, a record's text or a line of a file with its envelope, for what is private.
    /// All lines of all files are shown first, since a name may be found out late.
    pub fn learn(&mut self, line: &str) {
        self.learnt(line);
    }

    /// The same, and what was found in the line.
    fn learnt(&mut self, line: &str) -> Seen {
        for at in memchr::memchr_iter(b'<', line.as_bytes()) {
            if let Some((token, _)) = Token::at(&line.as_bytes()[at..]) {
                self.values.take(token);
            }
        }
        self.follow_table(line);
        let seen = self.look(line);
        for found in &seen.found {
            let value = found.value(line);
            if self.is_wanted(found.kind, &value) {
                self.keep(found.kind, &value, found.local);
            }
        }
        self.learn_key(line);
        seen
    }

    /// Another log begins: what was a table before is none in it.
    fn begin_log(&mut self) {
        self.table = None;
    }

    /// Learns the columns of the lines below this one if it is the heading of a table.
    fn follow_table(&mut self, line: &str) {
        self.table = Table::headed(line).or(self.table.take());
    }

    /// The lines of a key in PEM form say nothing of themselves.
    fn learn_key(&mut self, line: &str) {
        if self.key_lines > 0 {
            self.key_lines -= 1;
            let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
            for part in line.split(|c| !is_letter(c)).filter(|part| part.len() >= KEY_PART) {
                self.note(Kind::Secret, part, false);
            }
        }
        if line.contains("PRIVATE KEY-----") {
            let ends = line.rfind("-----END ") > line.rfind("-----BEGIN ");
            self.key_lines = if ends { 0 } else { KEY_LINES };
        }
    }

    /// The line with tokens in the place of what is private; the same value has the same token everywhere.
    pub fn redact<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        let list = self.private(line, None);
        if list.is_empty() {
            return Cow::Borrowed(line);
        }
        let mut out = String::with_capacity(line.len());
        self.write(line, 0..line.len(), list, &mut out);
        Cow::Owned(out)
    }

    /// All that is private in a line, in order, no two in the same place; `seen` is what [`Self::learnt`] said.
    fn private(&mut self, line: &str, seen: Option<Seen>) -> Vec<PrivateValue> {
        self.settle();
        let seen = seen.unwrap_or_else(|| self.look(line));
        let list = self.with_known(line, seen);
        if list.is_empty() { list } else { merged(list, line) }
    }

    /// Writes a part of a line with tokens in the place of what was found in it.
    fn write(&mut self, line: &str, part: Range<usize>, list: Vec<PrivateValue>, out: &mut String) {
        let mut from = part.start;
        for found in list {
            if found.range.start < from || found.range.end > part.end {
                continue;
            }
            out.push_str(&line[from..found.range.start]);
            self.replace(line, &found, out);
            from = found.range.end;
        }
        out.push_str(&line[from..part.end]);
    }

    /// What would be replaced in a line: kind and where it begins.
    pub(crate) fn found_in(&mut self, line: &str) -> Vec<Leftover> {
        let leftover =
            |found: PrivateValue| Leftover { kind: found.kind, column: found.range.start };
        self.private(line, None).into_iter().map(leftover).collect()
    }

    /// What is left in a text that should be gone. Looks for every known value in its own way, and for what
    /// is private by its shape.
    pub(crate) fn leftovers(&self, line: &str) -> Vec<Leftover> {
        left::find(self, line)
    }

    /// How much was replaced, by kind; kinds of which nothing was are left out.
    pub(crate) fn counts(&self) -> Vec<Count> {
        let count = |kind| {
            let of_kind = self.values.replaced().filter(|value| value.kind == kind);
            let nameless = self.values.nameless.get(&kind).copied();
            let counts: Vec<u64> = of_kind.map(|value| value.replaced).chain(nameless).collect();
            Count { kind, values: counts.len() as u64, replaced: counts.iter().sum() }
        };
        Kind::ALL.iter().copied().map(count).filter(|count| count.replaced > 0).collect()
    }

    /// Each token that was written, with what it stands for, ordered by kind and number.
    pub(crate) fn mapping(&self) -> Vec<(Token, &str)> {
        let replaced = self.values.replaced();
        let mut list: Vec<_> = replaced.map(|value| (value.token(), value.text.as_str())).collect();
        list.sort_by_key(|(token, _)| *token);
        list
    }

    /// What could not be done because of too many values.
    pub(crate) fn excess(&self) -> Excess {
        let mut shared: Vec<Kind> = self.values.nameless.keys().copied().collect();
        shared.sort_unstable();
        Excess { shared, by_place: self.values.is_full() }
    }

    /// Makes everything ready that was learnt.
    fn settle(&mut self) {
        self.values.number();
        if std::mem::take(&mut self.stale) {
            self.words = Words::new(self.values.all());
        }
    }

    /// Writes what stands for a value.
    fn replace(&mut self, line: &str, found: &PrivateValue, out: &mut String) {
        let place = found.known.or_else(|| {
            let (place, _) = self.values.add(found.kind, &found.value(line), false);
            self.values.number();
            place
        });
        let token = self.values.replace(found.kind, place);
        if found.array {
            let bytes = token.to_string().into_bytes();
            out.push_str(&bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(","));
        } else {
            write!(out, "{token}").unwrap_or_else(|_| unreachable!("a string takes all"));
        }
    }
}

#[cfg(test)]
mod tests;
