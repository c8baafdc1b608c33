//! Regular expressions over log text.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// Compiles an expression whose classes (`\d`, `\w`, `\b`) are ASCII only, like kernel messages:
/// the Unicode tables would take more time than reading an ordinary log.
pub(crate) fn compiled(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression).unicode(false).build()
}

/// Why a text is not a regular expression, in one line.
pub(crate) fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// A regular expression that is compiled at first use.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Expression {
    /// Parses an expression.
    pub(crate) fn new(text: &str) -> Result<Self, regex::Error> {
        let compiled = OnceLock::from(Some(compiled(text)?));
        Ok(Self { text: text.to_owned(), compiled })
    }

    /// The source of the expression.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches a part of `text`.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let expression = self.compiled.get_or_init(|| compiled(&self.text).ok());
        expression.as_ref().is_some_and(|expression| expression.is_match(text.as_bytes()))
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Expression {}

impl Serialize for Expression {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        // It was checked when it was stored.
        Ok(Self { text, compiled: OnceLock::new() })
    }
}
