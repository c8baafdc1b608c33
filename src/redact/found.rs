//! What is private in a line: by its place, by its shape, or because it is known.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use super::context::Place;
use super::rules::Hit;
use super::stamp::Stamps;
use super::values::Value;
use super::view::View;
use super::{Kind, Redactor, json, shape};
use crate::record::{NameKind as Named, Table};
use crate::value::Token;

/// The fewest digits of an account's number that tells it from others everywhere.
const ACCOUNT_NUMBER: usize = 9;

/// A private value in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PrivateValue {
    /// Its position in the line.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// The value, if the line has it encoded.
    pub(super) value: Option<String>,
    /// The position among the known values, if the search for these found it.
    pub(super) known: Option<usize>,
    /// Whether it is too common a word to be searched for elsewhere.
    pub(super) local: bool,
    /// Whether the line has it as a list of numbers.
    pub(super) array: bool,
}

/// What rules and shapes find in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// The values; [`Redactor::is_wanted`] decides on names of processes.
    pub(super) found: Vec<PrivateValue>,
    /// Whether the line is neither JSON nor has anything encoded.
    pub(super) is_plain: bool,
}

impl PrivateValue {
    /// The decoded value.
    pub(super) fn value<'v>(&'v self, line: &'v str) -> Cow<'v, str> {
        match (&self.value, line.get(self.range.clone())) {
            (Some(value), _) => Cow::Borrowed(value),
            (None, Some(value)) => Cow::Borrowed(value),
            // A part of a character.
            (None, None) => String::from_utf8_lossy(&line.as_bytes()[self.range.clone()]),
        }
    }
}

impl Redactor {
    /// Applies rules and shapes to a line, independently of other lines.
    pub(super) fn look(&self, line: &str, stamps: &Stamps) -> Seen {
        let mut found = Vec::new();
        let json = json::is_json(line);
        let views_of_json = if json { views(line, true) } else { Vec::new() };
        for view in &views_of_json {
            self.look_at(line, view, true, &mut found);
        }
        let view = View::stamped(line, stamps);
        // Nearly all lines are plain, and need no list of views.
        let has_one = if view.may_be_encoded() {
            let views = view.layers();
            for view in &views {
                self.look_at(line, view, !json, &mut found);
            }
            views.len() == 1
        } else {
            self.look_at(line, &view, !json, &mut found);
            true
        };
        found.extend(self.names_in_row(line));
        found.extend(self.told_before(line));
        Seen { found, is_plain: !json && has_one }
    }

    /// The machines and people that a row of a table names.
    fn names_in_row(&self, line: &str) -> Vec<PrivateValue> {
        let Some(table) = &self.context.table else { return Vec::new() };
        if Table::of_messages(line).is_some() {
            return Vec::new();
        }
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let private = |(who, range, value): (Named, Range<usize>, String)| {
            let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
            let (kind, is_name) = match who {
                Named::Machine => (Kind::Host, value.bytes().all(is_part)),
                // The number of an account on a server, which is long; that of one on a machine
                // tells of nobody.
                Named::Person if is_number => (Kind::Serial, value.len() >= ACCOUNT_NUMBER),
                Named::Person => (Kind::User, true),
            };
            let is_private = is_name && !self.rules.is_public(kind, &value);
            let (value, known, local, array) = (Some(value), None, false, false);
            is_private.then_some(PrivateValue { range, kind, value, known, local, array })
        };
        table.names(line).into_iter().filter_map(private).collect()
    }

    /// What earlier lines say to be private in this one.
    fn told_before<'r>(&'r self, line: &'r str) -> impl Iterator<Item = PrivateValue> + 'r {
        self.context.places.iter().filter_map(move |place| {
            let &Place { kind, ref range, local } = place;
            let value = line.get(range.clone())?;
            let stays = !local && value.split(' ').any(|word| self.rules.is_common(word));
            let is_private = !stays && !self.rules.is_public(kind, value);
            let (range, value, known, array) = (range.clone(), None, None, false);
            is_private.then_some(PrivateValue { range, kind, value, known, local, array })
        })
    }

    /// Applies shapes and, with `rules`, the rules to a text. Rules do not apply to a whole line of
    /// JSON, in which the next name may follow a word; they apply to its texts one by one.
    fn look_at(&self, line: &str, view: &View<'_>, rules: bool, list: &mut Vec<PrivateValue>) {
        let text = &*view.text;
        let near = self.rules.near(text, view.stamps());
        let mut push = |Hit { kind, range: part, local, rare }: Hit| {
            let value = String::from_utf8_lossy(&text[part.clone()]);
            let range = view.place(&part);
            let stays = rare && !self.rules.is_rare(kind, &value);
            if !range.is_empty() && !stays && !self.rules.is_public(kind, &value) {
                let array = view.is_array(&range);
                let is_plain = line.as_bytes()[range.clone()] == text[part];
                let value = (!is_plain).then(|| value.into_owned());
                list.push(PrivateValue { range, kind, value, known: None, local, array });
            }
        };
        if rules {
            self.rules.find(&near, text, &mut push);
        }
        let (outline, stamps) = (view.outline(), view.stamps());
        shape::find(text, outline, stamps, &self.rules.domains, &mut |kind, range| {
            let in_edid = kind == Kind::Uuid && self.context.is_edid();
            if !near.is_plain(kind) && !in_edid {
                push(Hit { kind, range, local: false, rare: false });
            }
        });
        self.rules.reuse(near);
    }

    /// Whether a value is to be replaced. Names of processes are if the options say so or if they
    /// contain a user's name.
    pub(super) fn is_wanted(&self, kind: Kind, value: &str) -> bool {
        kind != Kind::Process
            || self.options.drop_process_names
            || self.values.users().any(|known| names_user(value, known))
    }

    /// All private values in a line, including the known ones.
    pub(super) fn with_known(&self, line: &str, stamps: &Stamps, seen: Seen) -> Vec<PrivateValue> {
        let Seen { found: mut list, is_plain } = seen;
        list.retain(|found| self.is_wanted(found.kind, &found.value(line)));
        let mut search = |view: &View<'_>| {
            self.words.find(&self.values, &view.text, view.stamps(), &mut |at, part| {
                let range = view.place(&part);
                if !range.is_empty() {
                    let array = view.is_array(&range);
                    let (kind, known) = (self.values.all()[at].kind, Some(at));
                    let (value, local) = (None, false);
                    list.push(PrivateValue { range, kind, value, known, local, array });
                }
            });
        };
        if is_plain {
            search(&View::stamped(line, stamps));
        } else {
            views(line, false).iter().for_each(&mut search);
            if json::is_json(line) {
                views(line, true).iter().for_each(&mut search);
            }
        }
        list
    }
}

/// Whether the name of a process contains that of a user.
fn names_user(process: &str, known: &Value) -> bool {
    known.everywhere && known.text.len() >= 4 && process.contains(&known.text)
}

/// The texts of a line, plain and decoded; with `json` each text in it separately.
fn views(line: &str, json: bool) -> Vec<View<'_>> {
    if !json {
        return View::of(line).layers();
    }
    let texts = json::texts(line).into_iter();
    texts.flat_map(|text| View::named(&line[text.name], line, text.value).layers()).collect()
}

/// The values in order, without overlaps: two that overlap become one of the longer one's kind.
/// Nothing within a token is replaced.
pub(super) fn merge(list: &mut Vec<PrivateValue>, line: &str) {
    for PrivateValue { range, .. } in list.iter_mut() {
        // Ranges of bytes are widened to whole characters.
        while !line.is_char_boundary(range.start) {
            range.start -= 1;
        }
        while !line.is_char_boundary(range.end) {
            range.end += 1;
        }
    }
    let tokens: Vec<Range<usize>> = tokens(line).collect();
    let in_token = |range: &Range<usize>| {
        tokens.iter().any(|token| token.start <= range.start && range.end <= token.end)
    };
    list.retain(|found| !in_token(&found.range));
    // What a rule found comes before a known value in the same place.
    list.sort_by_key(|found| (found.range.start, Reverse(found.range.end), found.known.is_some()));
    list.dedup_by(|found, before| {
        let overlaps = found.range.start < before.range.end;
        if overlaps && found.range.end > before.range.end {
            let range = before.range.start..found.range.end;
            let longer = found.range.len() > before.range.len();
            let kind = if longer { found.kind } else { before.kind };
            let PrivateValue { local, array, .. } = *found;
            *before = PrivateValue { range, kind, value: None, known: None, local, array };
        }
        overlaps
    });
}

/// The tokens in a line.
pub(super) fn tokens(line: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = line.as_bytes();
    let at = |at: usize| Token::at(&bytes[at..]).map(|(_, length)| at..at + length);
    memchr::memchr_iter(b'<', bytes).filter_map(at)
}
