//! Which message a text is: candidates by their first letters, then one regular expression each.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::expression::compiled;
use super::mark::Marks;
use super::message::{Form, Message, Printer};
use crate::value::field::Conversion;

/// How many bytes of a form's lead sort it.
pub(super) const KEY: usize = 3;

/// All messages, ready to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct Matcher<'m> {
    messages: &'m [Message],
    index: &'m Index,
}

/// Where to look for which message. It takes longer to build than a small log takes to be read, so
/// one serves all logs.
#[derive(Debug)]
pub struct Index {
    forms: Vec<Compiled>,
    by_lead: BTreeMap<[u8; KEY], Vec<usize>>,
    /// Forms that begin with a value: tried on every text that holds their literal.
    floating: Vec<usize>,
    kernel: Marks,
    program: Marks,
}

/// A form by its place, with its expression once that was needed.
#[derive(Debug)]
struct Compiled {
    message: usize,
    form: usize,
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

impl Index {
    /// Sorts `messages`; expressions are compiled when first needed.
    #[must_use]
    pub fn new(messages: &[Message]) -> Self {
        let mut index = Self {
            forms: Vec::new(),
            by_lead: BTreeMap::new(),
            floating: Vec::new(),
            kernel: Marks::new(messages, Printer::Kernel),
            program: Marks::new(messages, Printer::Program),
        };
        for (at, message) in messages.iter().enumerate() {
            for (form, definition) in message.forms.iter().enumerate() {
                let place = index.forms.len();
                index.forms.push(Compiled { message: at, form, expression: OnceLock::new() });
                match key(&definition.lead).filter(|_| !message.anywhere) {
                    Some(key) => index.by_lead.entry(key).or_default().push(place),
                    None => index.floating.push(place),
                }
            }
        }
        index
    }
}

impl<'m> Matcher<'m> {
    /// Looks `messages` up in the index that was built of them.
    #[must_use]
    pub fn new(messages: &'m [Message], index: &'m Index) -> Self {
        Self { messages, index }
    }

    /// What all messages of the core of the kernel have.
    #[must_use]
    pub fn kernel(&self) -> &'m Marks {
        &self.index.kernel
    }

    /// What all messages of programs have.
    #[must_use]
    pub fn program(&self) -> &'m Marks {
        &self.index.program
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
        self.candidates(text).find_map(|candidate| candidate.find(text, printers, inside))
    }

    /// The indices of all messages that match `text`, for checking samples.
    #[must_use]
    pub fn all(&self, text: &str, printers: &[Printer]) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .candidates(text)
            .filter(|candidate| candidate.find(text, printers, true).is_some())
            .map(|candidate| candidate.compiled.message)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn candidates(&self, text: &str) -> impl Iterator<Item = Candidate<'m>> + use<'m> {
        let Self { messages, index } = *self;
        let led = key(text.trim_start()).and_then(|key| index.by_lead.get(&key));
        led.into_iter().flatten().chain(&index.floating).filter_map(move |place| {
            let compiled = index.forms.get(*place)?;
            let message = messages.get(compiled.message)?;
            Some(Candidate { compiled, message, form: message.forms.get(compiled.form)? })
        })
    }
}

fn key(text: &str) -> Option<[u8; KEY]> {
    text.as_bytes().first_chunk().copied()
}

/// A form that a text may have.
struct Candidate<'m> {
    compiled: &'m Compiled,
    message: &'m Message,
    form: &'m Form,
}

impl<'m> Candidate<'m> {
    fn find<'t>(&self, text: &'t str, printers: &[Printer], inside: bool) -> Option<Found<'m, 't>> {
        let printed = self.message.from.iter().any(|printer| printers.contains(printer));
        if !printed || !text.contains(&self.form.literal) {
            return None;
        }
        let expression =
            self.compiled.expression.get_or_init(|| compiled(&self.form.expression).ok());
        let expression = expression.as_ref()?;
        let whole = expression.captures(text.as_bytes()).map(|captures| (captures, text));
        let (captures, text) = whole.or_else(|| {
            // Behind something else on the same line, such as a progress bar.
            let start = text.find(&self.form.lead).filter(|at| *at > 0)?;
            let rest = text.get(start..)?;
            (inside && self.message.anywhere && !self.form.lead.is_empty())
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
        Some(Found { message: self.message, captures })
    }
}
