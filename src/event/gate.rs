//! Which lines can matter: one search for literals that are derived from the message patterns.
//!
//! Most lines of most logs have nothing to do with a GPU. Such a line costs this search and no more.

use std::collections::BTreeSet;

use regex::Regex;

use crate::pattern::message::{Message, Printer};

/// What a driver's line holds at least; [`super::envelope`] takes just these off.
const DRIVER_MARKS: [&str; 5] = ["amdgpu", "[drm", "[TTM", "kfd: ", "amdkfd"];

/// Lets lines through that one of the messages might match.
#[derive(Debug)]
pub struct Gate {
    marks: Option<Regex>,
    /// How many of the next lines belong to a block and pass unseen.
    open: u32,
}

impl Gate {
    /// A gate for `messages`.
    #[must_use]
    pub fn new(messages: &[Message]) -> Self {
        let marks: Vec<String> = marks(messages).iter().map(|mark| regex::escape(mark)).collect();
        // Only literals, so this can fail for their number alone; then everything passes.
        Self { marks: Regex::new(&marks.join("|")).ok(), open: 0 }
    }

    /// Whether `text` is worth a closer look.
    pub fn passes(&mut self, text: &str) -> bool {
        if self.open > 0 {
            self.open -= 1;
            return true;
        }
        self.marks.as_ref().is_none_or(|marks| marks.is_match(text))
    }

    /// Lets the next `lines` through: they belong to a block that has begun.
    pub fn keep(&mut self, lines: u32) {
        self.open = self.open.max(lines);
    }
}

/// The literals of which each line that a message can match holds at least one.
fn marks(messages: &[Message]) -> BTreeSet<&str> {
    let mut marks = BTreeSet::new();
    for message in messages {
        let driver =
            |printer: &Printer| matches!(printer, Printer::Amdgpu | Printer::Drm | Printer::Ttm);
        if message.from.iter().any(driver) {
            marks.extend(DRIVER_MARKS);
        }
        if !message.from.iter().all(driver) && (!message.joins || message.alone) {
            marks.extend(message.forms.iter().map(|form| form.literal.as_str()));
        }
    }
    // A mark that holds another one is found by it.
    let shorter = |mark: &str| marks.iter().any(|other| *other != mark && mark.contains(other));
    marks.iter().copied().filter(|mark| !shorter(mark)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_of_every_message_passes() {
        let patterns = crate::builtin::patterns();
        for message in patterns.messages.iter().filter(|message| !message.joins || message.alone) {
            for sample in &message.samples {
                let driver =
                    message.from.contains(&Printer::Amdgpu) || message.from.contains(&Printer::Drm);
                let line = if driver {
                    format!("[drm] {sample}")
                } else if message.from.contains(&Printer::Ttm) {
                    format!("[TTM] {sample}")
                } else {
                    sample.clone()
                };
                assert!(Gate::new(&patterns.messages).passes(&line), "{}: {line}", message.id);
            }
        }
    }

    #[test]
    fn a_block_passes_to_its_end() {
        let mut gate = Gate::new(&crate::builtin::patterns().messages);
        assert!(!gate.passes("schedule+0x5e/0xd0"));
        gate.keep(2);
        assert!(gate.passes("schedule+0x5e/0xd0") && gate.passes("x") && !gate.passes("x"));
    }
}
