//! Which texts cannot be a message: told by how they begin and by a few literals, before anything
//! is read more closely.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex::Regex;

use super::form::Form;
use super::matcher::KEY;
use super::message::{Message, Printer};

/// What every text has that one of some printer's messages matches: one of the beginnings, or one
/// of the literals somewhere.
#[derive(Debug)]
pub(crate) struct Marks {
    /// The beginnings, by their first byte.
    leads: Vec<Vec<String>>,
    literals: Vec<String>,
    expression: OnceLock<Option<Regex>>,
}

impl Marks {
    /// The marks of what `printer` prints.
    pub(crate) fn new(messages: &[Message], printer: Printer) -> Self {
        let mut leads = vec![Vec::new(); usize::from(u8::MAX) + 1];
        let mut literals = BTreeSet::new();
        for message in messages.iter().filter(|message| message.from.contains(&printer)) {
            for form in &message.forms {
                if let Some((first, lead)) = lead(message, form) {
                    if let Some(known) = leads.get_mut(usize::from(first)) {
                        known.push(lead.to_owned());
                    }
                // A line that only continues others is looked for only behind those.
                } else if !message.joins || message.alone {
                    literals.insert(form.literal.as_str());
                }
            }
        }
        for leads in &mut leads {
            leads.sort_unstable();
            leads.dedup();
        }
        // A literal that holds another one is found by it.
        let shorter =
            |text: &str| literals.iter().any(|other| *other != text && text.contains(other));
        let literals =
            literals.iter().filter(|text| !shorter(text)).map(|text| (*text).to_owned()).collect();
        Self { leads, literals, expression: OnceLock::new() }
    }

    /// Whether `text` begins as one of the messages does.
    pub(crate) fn begins(&self, text: &str) -> bool {
        let text = text.trim_start();
        let leads = text.as_bytes().first().and_then(|first| self.leads.get(usize::from(*first)));
        leads.is_some_and(|leads| leads.iter().any(|lead| text.starts_with(lead)))
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

/// How every text of the form begins, and the first byte of that; `None` where that varies, or is
/// so short that many other texts begin so, too.
fn lead<'m>(message: &Message, form: &'m Form) -> Option<(u8, &'m str)> {
    let lead = Some(form.lead()).filter(|lead| lead.len() >= KEY && !message.anywhere)?;
    Some((*lead.as_bytes().first()?, lead))
}
