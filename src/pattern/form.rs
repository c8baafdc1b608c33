//! The forms of a message, from its `format`, `regex` and `values`.

use std::collections::BTreeMap;

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use super::document::{FromToml as _, Node, Table};
use super::expression::{compiled, reason};
use super::format::{Capture, Format};
use super::message::{field, field_hint};
use super::setting::Settings;
use super::source::{FileSpan, suggestion};
use super::step::{Class, Step};
use crate::kind::{Event, Kind};
use crate::value::field::{Conversion, FieldKind};

/// One form in which a message is printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Form {
    /// Its definition.
    pub shape: Shape,
    /// The literal prefix of every match, in which a space matches any run of spaces and tabs;
    /// empty if matches begin differently.
    pub prefix: String,
    /// A literal that every match contains.
    pub literal: String,
}

/// The definition of a form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Shape {
    /// A printf format.
    Format {
        text: String,
        /// Conversions that print one fixed text.
        values: Vec<(String, String)>,
    },
    /// A regular expression for the whole message.
    Regex {
        /// The expression.
        text: String,
    },
}

impl Form {
    /// The format or expression as written in the pattern file.
    pub(crate) fn text(&self) -> &str {
        match &self.shape {
            Shape::Format { text, .. } | Shape::Regex { text } => text,
        }
    }

    /// The prefix up to the first space.
    pub(crate) fn lead(&self) -> &str {
        self.prefix.split(' ').next().unwrap_or_default()
    }
}

impl Form {
    /// The fields that its captures fill in events of `kinds`.
    pub(crate) fn fields(&self, kinds: &[Kind]) -> Vec<String> {
        let captures = match &self.shape {
            Shape::Format { text, .. } => {
                Format::parse(text).map(|format| format.captures().cloned().collect()).ok()
            }
            Shape::Regex { text } => compiled(text).map(|regex| groups(&regex, kinds)).ok(),
        };
        let captures: Vec<Capture> = captures.unwrap_or_default();
        captures.into_iter().filter_map(|capture| capture.field).collect()
    }
}

/// A form, prepared for matching.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) how: How,
    /// The number of its captures.
    pub(super) captures: usize,
    /// Whether its prefix is equivalent to its first two steps: spaces and a literal.
    pub(super) led: bool,
    /// The fields to set, for each kind of event that the message can become.
    pub(super) settings: Vec<Settings>,
}

/// How a form is matched.
#[derive(Debug)]
pub(super) enum How {
    Steps(Vec<Step>),
    /// By a regular expression with one group for each capture.
    Regex(Regex),
}

impl Pattern {
    /// Prepares a form of a message with these `kinds` and constants; `None` if that fails, which
    /// the build script has ruled out.
    pub(super) fn new(
        shape: &Shape,
        kinds: &[Kind],
        constants: &BTreeMap<String, String>,
    ) -> Option<Self> {
        let mut led = false;
        let (how, captures) = match shape {
            Shape::Format { text, values } => {
                let mut format = Format::parse(text).ok()?;
                for (name, value) in values {
                    format.bind(name, value);
                }
                let steps = format.steps(|name| class(kinds, name));
                let prefix = format.prefix();
                led = match steps.as_slice() {
                    [Step::Run(_), Step::Literal(first), ..] => {
                        prefix.strip_suffix(' ').unwrap_or(&prefix) == first
                    }
                    _ => false,
                };
                (How::Steps(steps), format.captures().cloned().collect())
            }
            Shape::Regex { text } => {
                let regex = compiled(text).ok()?;
                let captures = groups(&regex, kinds);
                (How::Regex(regex), captures)
            }
        };
        let settings = kinds.iter().map(|kind| Settings::new(*kind, constants, &captures));
        Some(Self { how, captures: captures.len(), led, settings: settings.collect() })
    }
}

/// What a field's text consists of; `None` if it can be any text.
fn class(kinds: &[Kind], name: &str) -> Option<Class> {
    match field(kinds, name)? {
        FieldKind::Word(_) | FieldKind::WordOrNumber(_) => Some(Class::Word),
        FieldKind::Name => Some(Class::Name),
        FieldKind::Number | FieldKind::Text | FieldKind::Stack | FieldKind::Derived => None,
    }
}

/// The captures of an expression's groups.
fn groups(regex: &Regex, kinds: &[Kind]) -> Vec<Capture> {
    let capture = |name: Option<&str>| Capture {
        field: name.map(str::to_owned),
        conversion: name.map_or(Conversion::Text, |name| conversion(kinds, name)),
    };
    regex.capture_names().skip(1).map(capture).collect()
}

/// Expressions for what may precede several messages of a file, by id.
pub(super) type Openings = BTreeMap<String, String>;

/// Reads the openings of a file.
pub(super) fn openings(file: &Table<'_>) -> Openings {
    let opening = |table: &Table<'_>| {
        let id: String = table.field("id").flatten()?;
        let regex: String = table.field("regex").flatten()?;
        table.finish();
        Some((id, regex))
    };
    file.list("opening").iter().filter_map(opening).collect()
}

/// Reads the forms of a message with these `kinds`, in a file with these openings.
pub(super) fn forms(table: &Table<'_>, kinds: &[Kind], openings: &Openings) -> Vec<Form> {
    let literal: Option<String> = table.field("literal").flatten();
    let (formats, regexes) = (table.items("format"), table.items("regex"));
    if formats.is_empty() && regexes.is_empty() {
        table.require("format");
    }
    if !regexes.is_empty() && literal.is_none() {
        table.mistake("a `regex` needs a `literal` that is part of everything it matches");
    }
    let literal = literal.unwrap_or_default();
    let opening: Option<String> = table.field("opening").flatten();
    let opening = opening.map(|id| match openings.get(&id) {
        Some(regex) => regex.as_str(),
        None => {
            table.mistake_at("opening", true, "there is no opening of this id in this file");
            ""
        }
    });
    let formats: Vec<(String, Format)> =
        formats.iter().filter_map(|text| format(text, kinds)).collect();
    let values: BTreeMap<String, Vec<String>> = table.field("values").unwrap_or_default();
    for value in table.tables("values").iter().flat_map(Table::entries) {
        check_values(&value, &formats, kinds);
    }
    let mut forms: Vec<Form> =
        formats.iter().flat_map(|(text, format)| forms_of_format(text, format, &values)).collect();
    forms.extend(
        regexes
            .iter()
            .filter_map(|text| form_of_regex(text, opening.unwrap_or_default(), &literal, kinds)),
    );
    forms
}

/// Reads a format and checks its captures.
fn format(node: &Node<'_>, kinds: &[Kind]) -> Option<(String, Format)> {
    let text = String::from_toml(node)?;
    match Format::parse(&text) {
        Ok(format) => {
            for capture in format.captures() {
                check_capture(node, capture, kinds);
            }
            Some((text, format))
        }
        Err(wrong) => {
            // The offset after the opening quote; exact unless the text contains escapes.
            let start = node.place.start + 1;
            let (start, end) = (start + wrong.span.start, start + wrong.span.end);
            node.sources.mistake(FileSpan { start, end, ..node.place }, wrong.what, None);
            None
        }
    }
}

/// Checks `values`, the fixed texts of conversions.
fn check_values(values: &Node<'_>, formats: &[(String, Format)], kinds: &[Kind]) {
    let name = values.key;
    let captures = || formats.iter().flat_map(|(_, format)| format.captures());
    let Some(capture) = captures().find(|capture| capture.field.as_deref() == Some(name)) else {
        let what = format!("no format of this message has a conversion `{name}`");
        let known = captures().filter_map(|capture| capture.field.as_deref());
        let hint = suggestion(name, known);
        let hint = hint.unwrap_or_else(|| "values are the texts of a conversion".to_owned());
        return values.sources.mistake(values.key_place, what, Some(hint));
    };
    let texts = values.items();
    if texts.is_empty() {
        values.sources.mistake(values.key_place, format!("`{name}` has no values"), None);
    }
    for node in texts {
        let Some(text) = node.text() else { continue };
        let fits = |kind: &Kind| Event::empty(*kind).set(name, text, capture.conversion);
        if text.is_empty() || text != text.trim() {
            node.mistake("a value neither is empty nor begins or ends with a blank");
        } else if field(kinds, name).is_some() && !kinds.iter().any(fits) {
            node.mistake(format!("`{text}` is no value of `{name}`"));
        }
    }
}

/// The forms of a format: one for each fixed text of its conversions, so that these texts can be
/// used in the index.
fn forms_of_format(
    text: &str,
    format: &Format,
    values: &BTreeMap<String, Vec<String>>,
) -> Vec<Form> {
    let mut bound: Vec<(Format, Vec<(String, String)>)> = vec![(format.clone(), Vec::new())];
    for (name, texts) in values {
        if !format.captures().any(|capture| capture.field.as_ref() == Some(name)) {
            continue;
        }
        let each = |(format, values): &(Format, Vec<(String, String)>)| {
            let (format, values) = (format.clone(), values.clone());
            let bind = move |value: &String| {
                let (mut format, mut values) = (format.clone(), values.clone());
                format.bind(name, value);
                values.push((name.clone(), value.clone()));
                (format, values)
            };
            texts.iter().map(bind).collect::<Vec<_>>()
        };
        bound = bound.iter().flat_map(each).collect();
    }
    let form = |(format, values): (Format, Vec<(String, String)>)| Form {
        prefix: format.prefix(),
        literal: format.literal().to_owned(),
        shape: Shape::Format { text: text.to_owned(), values },
    };
    bound.into_iter().map(form).collect()
}

fn check_capture(node: &Node<'_>, capture: &Capture, kinds: &[Kind]) {
    let Some(name) = capture.field.as_ref().filter(|_| !kinds.is_empty()) else { return };
    match field(kinds, name) {
        None => {
            let what = format!("this event has no field `{name}`");
            node.mistake_with_hint(what, field_hint(kinds, name));
        }
        Some(kind) if !kind.accepts(capture.conversion) => {
            let what = format!("`{name}` is {}; this conversion does not print that", kind.name());
            node.mistake(what);
        }
        Some(_) => {}
    }
}

fn form_of_regex(node: &Node<'_>, opening: &str, literal: &str, kinds: &[Kind]) -> Option<Form> {
    let own = String::from_toml(node)?;
    let text = if own.starts_with('^') { own } else { format!("{opening}{own}") };
    let expression = match compiled(&text) {
        Ok(expression) => expression,
        Err(error) => {
            node.mistake(format!("not a regular expression: {}", reason(&error)));
            return None;
        }
    };
    for name in groups(&expression, kinds).iter().filter_map(|capture| capture.field.as_ref()) {
        if field(kinds, name).is_none() && !kinds.is_empty() {
            let what = format!("this event has no field `{name}`");
            node.mistake_with_hint(what, field_hint(kinds, name));
        }
    }
    Some(Form { shape: Shape::Regex { text }, prefix: String::new(), literal: literal.to_owned() })
}

/// The conversion for a regular expression's group, from the type of its field.
fn conversion(kinds: &[Kind], name: &str) -> Conversion {
    match field(kinds, name) {
        Some(FieldKind::Number) => Conversion::Decimal,
        _ => Conversion::Text,
    }
}
