//! Which texts cannot be a message: told by how they begin and by a few literals, before anything
//! is read more closely.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::form::Form;
use super::later::Each;
use super::matcher::KEY;
use super::message::{Message, Printer};

/// What every text has that one of some printer's messages matches: one of the beginnings, or one
/// of the literals somewhere.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Marks {
    /// All beginnings, one behind the other.
    text: String,
    /// Where each stands in that, sorted.
    leads: Vec<Range<usize>>,
    /// Where the first of them stands that begins with each byte or one behind it.
    firsts: Vec<usize>,
    literals: Vec<String>,
    #[serde(skip)]
    expression: OnceLock<Option<Regex>>,
}

impl Marks {
    /// The marks of what `printer` prints, and the beginnings of the messages that are known by their words `alone`.
    pub(crate) fn new(
        messages: &Each<Message>,
        printer: Printer,
        alone: impl Fn(&Message) -> bool,
    ) -> Self {
        let mut leads = BTreeSet::new();
        let mut literals = BTreeSet::new();
        let is_of = |message: &Message| message.from.contains(&printer);
        for message in messages.iter().filter(|message| is_of(message) || alone(message)) {
            for form in &message.forms {
                if let Some(lead) = lead(message, form) {
                    leads.insert(lead);
                // A line that only continues others is looked for only behind those.
                } else if is_of(message) && (!message.joins || message.alone) {
                    literals.insert(form.literal.as_str());
                }
            }
        }
        // A literal that holds another one is found by it.
        let shorter =
            |text: &str| literals.iter().any(|other| *other != text && text.contains(other));
        let literals =
            literals.iter().filter(|text| !shorter(text)).map(|text| (*text).to_owned()).collect();
        let leads: Vec<&str> = leads.into_iter().collect();
        let begin = |first: usize| {
            leads.partition_point(|lead| lead.bytes().next().map(usize::from) < Some(first))
        };
        let firsts = (0..=usize::from(u8::MAX) + 1).map(begin).collect();
        let mut text = String::new();
        let place = |lead: &&str| {
            text.push_str(lead);
            text.len() - lead.len()..text.len()
        };
        let leads = leads.iter().map(place).collect();
        Self { text, leads, firsts, literals, expression: OnceLock::new() }
    }

    /// Whether `text` begins as one of the messages does.
    pub(crate) fn begins(&self, text: &str) -> bool {
        let text = text.trim_start();
        let Some(first) = text.as_bytes().first().map(|first| usize::from(*first)) else {
            return false;
        };
        let Some(&[from, to]) = self.firsts.get(first..first + 2) else { return false };
        let leads = self.leads.get(from..to).unwrap_or_default();
        let lead = |place: &Range<usize>| self.text.as_bytes().get(place.clone());
        leads.iter().any(|place| lead(place).is_some_and(|lead| text.as_bytes().starts_with(lead)))
    }

    pub(crate) fn literals(&self) -> &[String] {
        &self.literals
    }

    /// All literals as one expression, for where they are many; `None` if that fails for their
    /// number.
    pub(crate) fn expression(&self) -> Option<&Regex> {
        let build = || {
            let literals: Vec<String> =
                self.literals.iter().map(|literal| regex::escape(literal)).collect();
            Regex::new(&literals.join("|")).ok()
        };
        self.expression.get_or_init(build).as_ref()
    }
}

/// How every text of the form begins; `None` where that varies, or is so short that many other texts
/// begin so, too.
fn lead<'m>(message: &Message, form: &'m Form) -> Option<&'m str> {
    Some(form.lead()).filter(|lead| lead.len() >= KEY && !message.anywhere)
}
