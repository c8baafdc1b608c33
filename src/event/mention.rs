//! Searches all lines, also those that a person wrote, for words that tell something about the machine or the work.

use std::collections::BTreeSet;

use crate::input::Words;
use crate::pattern::hardware::KernelNames;
use crate::value::Mention;

/// A search for what was not found so far.
#[derive(Debug)]
pub(super) struct MentionSearch<'p> {
    names: &'p KernelNames,
    words: Option<Words>,
}

impl<'p> MentionSearch<'p> {
    /// A search for all that `names` has words for.
    pub(super) fn new(names: &'p KernelNames) -> Self {
        Self { names, words: words(names, &BTreeSet::new()) }
    }

    /// Adds what `text` mentions to `known`.
    pub(super) fn see(&mut self, text: &str, known: &mut BTreeSet<Mention>) {
        while let Some(found) = self.words.as_ref().and_then(|words| words.found_in(text)) {
            let found =
                self.names.mentions().find(|(word, _)| Some(*word) == text.get(found.clone()));
            let Some((_, mention)) = found else { return };
            known.insert(mention);
            self.words = words(self.names, known);
        }
    }
}

/// The words of what is not known.
fn words(names: &KernelNames, known: &BTreeSet<Mention>) -> Option<Words> {
    let new = names.mentions().filter(|(_, mention)| !known.contains(mention));
    Words::new(new.map(|(word, _)| word), [])
}
