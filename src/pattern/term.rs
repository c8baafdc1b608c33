//! Terms of the field and what they mean: `patterns/glossary.toml`.

use serde::{Deserialize, Serialize};

use super::document::{Table, record};
use super::source::Noun;

record! {
    /// A term that reports and messages use.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Term {
        /// The stable identifier, by which it is looked up.
        pub id: String,
        /// The term as people write it: `GPU hang`.
        pub name: String,
        /// Other words for it, with hyphens for spaces.
        pub also: Vec<String>,
        /// Its meaning in one sentence.
        pub means: String,
        /// The signatures to read on.
        pub signatures: Vec<String>,
        /// The advice to read on.
        pub advice: Vec<String>,
        /// The source of the meaning.
        pub source: String,
    }
    check
}

impl Term {
    /// Whether `word`, in lower case and with hyphens for spaces, is this term.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        self.id == word || self.also.iter().any(|other| other == word)
    }

    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::Term, "id");
        table.uses(Noun::Signature, "signatures");
        table.uses(Noun::Advice, "advice");
        table.mistake_at("means", !self.means.ends_with('.'), "a meaning is a sentence");
        for (node, text) in table.items("also").iter().zip(&self.also) {
            if text.contains(' ') || text.to_lowercase() != *text {
                node.mistake("other words are in lower case, with hyphens for spaces");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::{Patterns, source};

    #[test]
    fn mistakes_have_a_place() {
        let mistakes = |text: &str| source::tests::mistakes(&Patterns::default(), text);
        let good = "[[term]]\nid = \"mes\"\nname = \"MES\"\nalso = [\"micro-engine\"]\n\
                    means = \"It is firmware.\"\nsource = \"x\"\n";
        assert_eq!(mistakes(good), [""; 0]);
        let also = "other words are in lower case, with hyphens for spaces";
        assert_eq!(mistakes(&good.replace("micro-", "Micro ")), [format!("4: {also}")]);
        assert_eq!(
            mistakes(&good.replace("firmware.", "firmware")),
            ["5: a meaning is a sentence"]
        );
        assert_eq!(mistakes(&good.replace("source", "advice = [\"none\"]\nsource")).len(), 1);
    }

    #[test]
    fn every_term_has_one_entry() {
        let patterns = crate::builtin::patterns();
        let words =
            |term: &super::Term| term.also.iter().chain([&term.id]).cloned().collect::<Vec<_>>();
        let mut all: Vec<String> = patterns.glossary.iter().flat_map(words).collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|two| two[0] != two[1]), "{all:?}");
    }
}
