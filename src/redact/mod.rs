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

mod context;
mod findings;
mod found;
mod json;
mod left;
mod needles;
mod outline;
mod recent;
mod rules;
mod shape;
mod stamp;
pub mod stream;
mod values;
mod view;
mod words;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::pattern::Patterns;
pub use crate::value::PrivateKind as Kind;
pub(crate) use crate::value::Token;

use context::Context;
pub use findings::Findings;
use found::{PrivateValue, Seen, merge, tokens};
pub(crate) use left::Leftover;
use rules::Rules;
use stamp::Stamps;
use values::Values;
use words::Words;

/// The choices of whoever redacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Also replace names of processes, except common programs.
    pub(crate) drop_process_names: bool,
}

/// Number of replaced values of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub kind: Kind,
    /// Number of different values.
    pub values: u64,
    /// Number of replacements.
    pub replaced: u64,
}

/// The consequences of too many private values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Excess {
    /// Kinds with values that share one token.
    pub shared: Vec<Kind>,
    /// Whether some names were replaced only where a rule or a shape identifies them.
    pub by_place: bool,
}

/// The private values of some texts, and their tokens.
#[derive(Debug)]
pub struct Redactor {
    options: Options,
    rules: Rules,
    values: Values,
    words: Words,
    /// Whether values were added after `words` was built.
    stale: bool,
    /// The maximum number of further lines that belong to a private key.
    key_lines: u16,
    /// The number of bytes that findings may still take.
    room: usize,
    /// What earlier lines say about the current one.
    context: Context,
}

/// In the first and last line of a key in PEM form.
static KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("PRIVATE KEY-----"));
/// Maximum number of lines of a key in PEM form.
const KEY_LINES: u16 = 120;
/// Minimum length of the parts of a key that are replaced; shorter ones may be ordinary words.
const KEY_PART: usize = 20;

impl Redactor {
    /// Maximum number of values of a kind with tokens of their own.
    pub(crate) const LIMIT: usize = values::LIMIT;

    /// Knows the rules, and no values.
    #[must_use]
    pub fn new(patterns: &Patterns, options: Options) -> Self {
        let rules = Rules::new(patterns);
        let (values, words) = (Values::default(), Words::default());
        let (stale, key_lines, room) = (false, 0, findings::ROOM);
        let context = Context::new(&patterns.privacy);
        Self { options, rules, values, words, stale, key_lines, room, context }
    }

    /// Adds a private value: this machine's host name, a user's name, a serial number. Values that identify nobody
    /// are ignored: `localhost`, `root`, `To be filled by O.E.M.`.
    pub(crate) fn know(&mut self, kind: Kind, value: &str) {
        self.note(kind, value.trim(), false);
    }

    fn note(&mut self, kind: Kind, value: &str, local: bool) {
        if !self.rules.is_public(kind, value) {
            self.keep(kind, value, local);
        }
    }

    /// Adds a value that is known to identify somebody.
    fn keep(&mut self, kind: Kind, value: &str, local: bool) {
        let everywhere = !local && self.rules.is_rare(kind, value);
        let (_, new) = self.values.add(kind, value, everywhere);
        self.stale |= new;
        // The first part of a machine's full name is also used alone.
        if let Some((name, domain)) = value.split_once('.').filter(|_| kind == Kind::Host) {
            self.note(Kind::Host, name, local);
            if domain.contains('.') {
                self.note(Kind::Domain, domain, local);
            }
        }
    }

    /// Learns the private values of a line, which may be the text of a record or a line of a file. All lines of all
    /// files must be learnt before one is redacted, because the last line may identify a name in the first.
    pub fn learn(&mut self, line: &str) {
        self.learnt(line);
    }

    /// The same; returns what was found in the line.
    fn learnt(&mut self, line: &str) -> Seen {
        for at in memchr::memchr_iter(b'<', line.as_bytes()) {
            if let Some((token, _)) = Token::at(&line.as_bytes()[at..]) {
                self.values.take(token);
            }
        }
        let stamps = Stamps::of(line.as_bytes());
        self.context.follow(line, &stamps);
        let seen = self.look(line, &stamps);
        for found in &seen.found {
            let value = found.value(line);
            if self.is_wanted(found.kind, &value) {
                self.keep(found.kind, &value, found.local);
            }
        }
        self.learn_key(line);
        seen
    }

    /// Learns the lines of a key in PEM form, which no rule can identify one by one.
    fn learn_key(&mut self, line: &str) {
        if self.key_lines > 0 {
            self.key_lines -= 1;
            let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
            for part in line.split(|c| !is_letter(c)).filter(|part| part.len() >= KEY_PART) {
                self.note(Kind::Secret, part, false);
            }
        }
        if KEY.find(line.as_bytes()).is_some() {
            let ends = line.rfind("-----END ") > line.rfind("-----BEGIN ");
            self.key_lines = if ends { 0 } else { KEY_LINES };
        }
    }

    /// The line with tokens instead of its private values. The same value has the same token everywhere.
    pub fn redact<'a>(&mut self, line: &'a str) -> Cow<'a, str> {
        let stamps = Stamps::of(line.as_bytes());
        self.context.follow(line, &stamps);
        let list = self.private(line, &stamps, None);
        if list.is_empty() {
            return Cow::Borrowed(line);
        }
        let mut out = String::with_capacity(line.len());
        self.write(line, 0..line.len(), list, &mut out);
        Cow::Owned(out)
    }

    /// All private values in a line, ordered and without overlaps. `seen` is the result of [`Self::learnt`], if it
    /// was kept.
    fn private(&mut self, line: &str, stamps: &Stamps, seen: Option<Seen>) -> Vec<PrivateValue> {
        self.settle();
        let seen = seen.unwrap_or_else(|| self.look(line, stamps));
        let mut list = self.with_known(line, stamps, seen);
        if !list.is_empty() {
            merge(&mut list, line);
        }
        list
    }

    /// Writes a part of a line with tokens instead of the values in `list`.
    fn write(&mut self, line: &str, part: Range<usize>, list: Vec<PrivateValue>, out: &mut String) {
        let mut from = part.start;
        for found in list {
            // The rest of a value that began before this part is private, too.
            if found.range.end <= from || found.range.end > part.end {
                continue;
            }
            out.push_str(&line[from..found.range.start.max(from)]);
            self.replace(line, &found, out);
            from = found.range.end;
        }
        out.push_str(&line[from..part.end]);
    }

    /// What would be replaced in a line: kinds and positions.
    pub(crate) fn found_in(&mut self, line: &str) -> Vec<Leftover> {
        let stamps = Stamps::of(line.as_bytes());
        self.context.follow(line, &stamps);
        let leftover =
            |found: PrivateValue| Leftover { kind: found.kind, column: found.range.start };
        self.private(line, &stamps, None).into_iter().map(leftover).collect()
    }

    /// Private values that are left in redacted text. The search is independent of the one that redacts.
    #[cfg(test)]
    pub(crate) fn leftovers(&self, line: &str) -> Vec<Leftover> {
        left::find(self, line, false)
    }

    /// The number of replaced values of each kind, if there were any.
    pub(crate) fn counts(&self) -> Vec<Count> {
        let count = |kind| {
            let of_kind = self.values.replaced().filter(|value| value.kind == kind);
            let nameless = self.values.nameless.get(&kind).copied();
            let counts: Vec<u64> = of_kind.map(|value| value.replaced).chain(nameless).collect();
            Count { kind, values: counts.len() as u64, replaced: counts.iter().sum() }
        };
        Kind::ALL.iter().copied().map(count).filter(|count| count.replaced > 0).collect()
    }

    /// Each token that was written, with its value, ordered by kind and number.
    pub(crate) fn mapping(&self) -> Vec<(Token, &str)> {
        let replaced = self.values.replaced();
        let mut list: Vec<_> = replaced.map(|value| (value.token(), value.text.as_str())).collect();
        list.sort_by_key(|(token, _)| *token);
        list
    }

    /// The consequences of too many values.
    pub(crate) fn excess(&self) -> Excess {
        let mut shared: Vec<Kind> = self.values.nameless.keys().copied().collect();
        shared.sort_unstable();
        Excess { shared, by_place: self.values.is_full() }
    }

    /// Prepares the search for everything that was learnt.
    fn settle(&mut self) {
        self.values.number();
        if std::mem::take(&mut self.stale) {
            self.words = Words::new(self.values.all());
        }
    }

    /// Writes the token of a value.
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
            token.push_to(out);
        }
    }
}

#[cfg(test)]
mod tests;
