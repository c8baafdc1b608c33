//! Which texts cannot be a message: told by how they begin and by a few literals, before anything
//! is read more closely.

use std::collections::BTreeSet;
use std::ops::Range;

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
}

impl Marks {
    /// The marks of what `printer` prints.
    pub(crate) fn new(messages: &Each<Message>, printer: Printer) -> Self {
        let mut leads = BTreeSet::new();
        let mut literals = BTreeSet::new();
        for message in messages.iter().filter(|message| message.from.contains(&printer)) {
            for form in &message.forms {
                if let Some(lead) = lead(message, form) {
                    leads.insert(lead);
                // A line that only continues others is looked for only behind those.
                } else if !message.joins || message.alone {
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
        Self { text, leads, firsts, literals }
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

    /// One of which every other text has.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        self.literals.iter().map(String::as_str)
    }
}

/// How every text of the form begins; `None` where that varies, or is so short that many other texts
/// begin so, too.
fn lead<'m>(message: &Message, form: &'m Form) -> Option<&'m str> {
    Some(form.lead()).filter(|lead| lead.len() >= KEY && !message.anywhere)
}
