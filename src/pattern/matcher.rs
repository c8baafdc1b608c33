//! Which message a text is: candidates by their first letters, then one regular expression each.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::expression::compiled;
use super::message::{Form, Message, Printer};
use crate::value::field::Conversion;

/// How many bytes of a form's lead sort it.
const KEY: usize = 3;

/// All messages, ready to be looked up.
#[derive(Debug)]
pub struct Matcher<'m> {
    forms: Vec<Compiled<'m>>,
    by_lead: BTreeMap<[u8; KEY], Vec<usize>>,
    /// Forms that begin with a value: tried on every text that holds their literal.
    floating: Vec<usize>,
}

#[derive(Debug)]
struct Compiled<'m> {
    message: usize,
    definition: &'m Message,
    form: &'m Form,
    expression: OnceLock<Option<Regex>>,
}

/// A message found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'m, 't> {
    /// Which message.
    pub message: &'m Message,
    /// What its conversions captured: field, text, how to read it.
    pub captures: Vec<(&'m str, &'t str, Conversion)>,
}

impl<'m> Matcher<'m> {
    /// Sorts `messages`; expressions are compiled when first needed.
    #[must_use]
    pub fn new(messages: &'m [Message]) -> Self {
        let mut matcher =
            Self { forms: Vec::new(), by_lead: BTreeMap::new(), floating: Vec::new() };
        for (message, definition) in messages.iter().enumerate() {
            for form in &definition.forms {
                let index = matcher.forms.len();
                let expression = OnceLock::new();
                matcher.forms.push(Compiled { message, definition, form, expression });
                match key(&form.lead).filter(|_| !definition.anywhere) {
                    Some(key) => matcher.by_lead.entry(key).or_default().push(index),
                    None => matcher.floating.push(index),
                }
            }
        }
        matcher
    }

    /// The message that `text` is, if one of `printers` prints it so. `inside` allows messages that
    /// may stand in the middle of a line.
    #[must_use]
    pub fn find<'t>(
        &self,
        text: &'t str,
        printers: &[Printer],
        inside: bool,
    ) -> Option<Found<'m, 't>> {
        self.candidates(text).find_map(|compiled| compiled.find(text, printers, inside))
    }

    /// The indices of all messages that match `text`, for checking samples.
    #[must_use]
    pub fn all(&self, text: &str, printers: &[Printer]) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .candidates(text)
            .filter(|compiled| compiled.find(text, printers, true).is_some())
            .map(|compiled| compiled.message)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn candidates<'s>(&'s self, text: &'s str) -> impl Iterator<Item = &'s Compiled<'m>> {
        let led = key(text.trim_start()).and_then(|key| self.by_lead.get(&key));
        led.into_iter().flatten().chain(&self.floating).filter_map(|index| self.forms.get(*index))
    }
}

fn key(text: &str) -> Option<[u8; KEY]> {
    text.as_bytes().first_chunk().copied()
}

impl<'m> Compiled<'m> {
    fn find<'t>(&self, text: &'t str, printers: &[Printer], inside: bool) -> Option<Found<'m, 't>> {
        let printed = self.definition.from.iter().any(|printer| printers.contains(printer));
        if !printed || !text.contains(&self.form.literal) {
            return None;
        }
        let expression = self.expression.get_or_init(|| compiled(&self.form.expression).ok());
        let expression = expression.as_ref()?;
        let whole = expression.captures(text.as_bytes()).map(|captures| (captures, text));
        let (captures, text) = whole.or_else(|| {
            // Behind something else on the same line, such as a progress bar.
            let start = text.find(&self.form.lead).filter(|at| *at > 0)?;
            let rest = text.get(start..)?;
            (inside && self.definition.anywhere && !self.form.lead.is_empty())
                .then(|| expression.captures(rest.as_bytes()).map(|captures| (captures, rest)))?
        })?;
        let captures = self
            .form
            .captures
            .iter()
            .enumerate()
            .filter_map(|(index, capture)| {
                let field = capture.field.as_deref()?;
                let text = text.get(captures.get(index + 1)?.range())?;
                Some((field, text, capture.conversion))
            })
            .collect();
        Some(Found { message: self.definition, captures })
    }
}
