//! A prefilter for texts that cannot be a message, by prefixes and literals.

use std::collections::BTreeSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::form::Form;
use super::later::LazyList;
use super::matcher::KEY;
use super::message::{Message, Printer};

/// Properties that every message of some printers has: one of these prefixes, or one of these
/// literals.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PrefilterLiterals {
    /// All prefixes, concatenated.
    text: String,
    /// The range of each prefix in `text`, sorted by prefix.
    leads: Vec<Range<usize>>,
    /// For each byte, the index of the first prefix that begins with it or a greater one.
    firsts: Vec<usize>,
    literals: Vec<String>,
}

impl PrefilterLiterals {
    /// The properties of messages of `printers`, and the prefixes of the messages for which `alone`
    /// holds: those that are known by their words alone.
    pub(crate) fn new(
        messages: &LazyList<Message>,
        printers: &[Printer],
        alone: impl Fn(&Message) -> bool,
    ) -> Self {
        let mut leads = BTreeSet::new();
        let mut literals = BTreeSet::new();
        let is_of =
            |message: &Message| printers.iter().any(|printer| message.from.contains(printer));
        for message in messages.iter().filter(|message| is_of(message) || alone(message)) {
            for form in &message.forms {
                if let Some(lead) = lead(message, form) {
                    leads.insert(lead);
                // A line that only continues others is searched for only after those.
                } else if is_of(message) && (!message.joins || message.alone) {
                    literals.insert(form.literal.as_str());
                }
            }
        }
        // A literal that contains another one is found by that one.
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
        Self { text, leads, firsts, literals }
    }

    /// Whether `text` begins like one of the messages.
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

    /// The literals. Every text without one of the prefixes has one of them.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        self.literals.iter().map(String::as_str)
    }
}

/// The prefix of every text of the form; `None` if it varies or is too short to be distinctive.
fn lead<'m>(message: &Message, form: &'m Form) -> Option<&'m str> {
    Some(form.lead()).filter(|lead| lead.len() >= KEY && !message.anywhere)
}
