//! What is private in a line: by its place, by its shape, or because it is known.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::rules::Hit;
use super::values::Value;
use super::view::View;
use super::{Kind, Redactor, json, shape};
use crate::record::Table;
use crate::value::Token;

/// A private value in a line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct PrivateValue {
    /// Where in the line.
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    /// What it is, where the line writes it in another way.
    value: Option<String>,
    /// The value, where it is known already.
    #[serde(skip)]
    pub(super) known: Option<usize>,
    /// Whether it is too common a word to be looked for elsewhere.
    pub(super) local: bool,
    /// Whether the line gives it as a list of numbers.
    pub(super) array: bool,
}

/// What a look at a line finds.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Seen {
    /// What is private by its place or by its shape. Not all names of processes are: see [`Redactor::is_wanted`].
    pub(super) found: Vec<PrivateValue>,
    /// Whether the line says nothing but what stands in it: nothing is encoded, and it is no JSON.
    is_plain: bool,
}

impl PrivateValue {
    /// What it is, once decoded.
    pub(super) fn value<'v>(&'v self, line: &'v str) -> Cow<'v, str> {
        match &self.value {
            Some(value) => Cow::Borrowed(value),
            None => String::from_utf8_lossy(&line.as_bytes()[self.range.clone()]),
        }
    }
}

impl Redactor {
    /// Looks at a line without knowing anything of others.
    pub(super) fn look(&self, line: &str) -> Seen {
        let mut found = Vec::new();
        let json = json::is_json(line);
        let views_of_json = if json { views(line, true) } else { Vec::new() };
        for view in &views_of_json {
            self.look_at(line, view, true, &mut found);
        }
        let views = views(line, false);
        for view in &views {
            self.look_at(line, view, !json, &mut found);
        }
        found.extend(self.host_of_row(line));
        Seen { found, is_plain: !json && views.len() == 1 }
    }

    /// The machine that a row of a table names.
    fn host_of_row(&self, line: &str) -> Option<PrivateValue> {
        let (range, value) = self.table.as_ref()?.host(line)?;
        if Table::headed(line).is_some() {
            return None;
        }
        let kind = Kind::Host;
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let is_name = value.bytes().all(is_part) && !self.rules.is_public(kind, &value);
        let (value, known, local, array) = (Some(value), None, false, false);
        is_name.then_some(PrivateValue { range, kind, value, known, local, array })
    }

    /// Rules say nothing of a whole line of JSON: what is behind a name there may be the next name.
    fn look_at(&self, line: &str, view: &View<'_>, rules: bool, list: &mut Vec<PrivateValue>) {
        let text = &*view.text;
        let near = self.rules.near(text);
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
        shape::find(text, view.outline(), &self.rules.domains, &mut |kind, range| {
            if !near.is_plain(kind) {
                push(Hit { kind, range, local: false, rare: false });
            }
        });
    }

    /// Whether a value goes: names of processes do where somebody wants it, or where they tell a user.
    pub(super) fn is_wanted(&self, kind: Kind, value: &str) -> bool {
        kind != Kind::Process
            || self.options.drop_process_names
            || self.values.users().any(|known| names_user(value, known))
    }

    /// All that is private in a line, with the values that are known.
    pub(super) fn with_known(&self, line: &str, seen: Seen) -> Vec<PrivateValue> {
        let Seen { found: mut list, is_plain } = seen;
        list.retain(|found| self.is_wanted(found.kind, &found.value(line)));
        let views = match is_plain {
            true => vec![View::of(line)],
            false if json::is_json(line) => [views(line, false), views(line, true)].concat(),
            false => views(line, false),
        };
        for view in views {
            self.words.find(&self.values, &view.text, &mut |at, part| {
                let range = view.place(&part);
                if !range.is_empty() {
                    let array = view.is_array(&range);
                    let (kind, known) = (self.values.all()[at].kind, Some(at));
                    let (value, local) = (None, false);
                    list.push(PrivateValue { range, kind, value, known, local, array });
                }
            });
        }
        list
    }
}

/// Whether the name of a process tells who runs it.
fn names_user(process: &str, known: &Value) -> bool {
    known.everywhere && known.text.len() >= 4 && process.contains(&known.text)
}

/// What a line says, plain and decoded; of JSON, if it is to be read as such, each text apart.
fn views(line: &str, json: bool) -> Vec<View<'_>> {
    if !json {
        return View::of(line).layers();
    }
    let texts = json::texts(line).into_iter();
    texts.flat_map(|text| View::named(&line[text.name], line, text.value).layers()).collect()
}

/// What was found, in order, no two in the same place: of two that overlap the longer one takes in the other.
/// Nothing is replaced within a token.
pub(super) fn merged(mut list: Vec<PrivateValue>, line: &str) -> Vec<PrivateValue> {
    for PrivateValue { range, .. } in &mut list {
        // Half a character is none.
        while !line.is_char_boundary(range.start) {
            range.start -= 1;
        }
        while !line.is_char_boundary(range.end) {
            range.end += 1;
        }
    }
    let tokens = tokens(line);
    let in_token = |range: &Range<usize>| {
        tokens.iter().any(|token| token.start <= range.start && range.end <= token.end)
    };
    list.retain(|found| !in_token(&found.range));
    // What a rule found stands before what was only known.
    list.sort_by_key(|found| (found.range.start, Reverse(found.range.end), found.known.is_some()));
    let mut out: Vec<PrivateValue> = Vec::with_capacity(list.len());
    for found in list {
        match out.last_mut().filter(|before| found.range.start < before.range.end) {
            Some(before) if found.range.end <= before.range.end => {}
            Some(before) => {
                let range = before.range.start..found.range.end;
                let longer = found.range.len() > before.range.len();
                let kind = if longer { found.kind } else { before.kind };
                *before = PrivateValue { range, kind, value: None, known: None, ..found };
            }
            None => out.push(found),
        }
    }
    out
}

/// Where tokens stand in a line.
pub(super) fn tokens(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let at = |at: usize| Token::at(&bytes[at..]).map(|(_, length)| at..at + length);
    memchr::memchr_iter(b'<', bytes).filter_map(at).collect()
}
