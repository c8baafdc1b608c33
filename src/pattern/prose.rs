//! Words by which talk about a message differs from a quoted one: `patterns/prose.toml`.

use serde::{Deserialize, Serialize};

use super::document::{Table, record};
use crate::value::words;

words! {
    /// The position of words relative to a message, and what they imply.
    pub(crate) Place {
        /// Before it: it was not printed here, or something else is not so.
        Negated,
        /// What is printed, as people call it.
        Line,
        /// Between a denial and one of these words: it is of something else.
        Other,
        /// What people and logs do with what is printed.
        Shown,
        /// What may stand behind these words.
        Behind,
        /// Last before it, after a denial: what is denied is like it.
        Alike,
        /// Before it: it was not printed here, or is looked for.
        Denied,
        /// Before a colon after which the sentence continues.
        Colon,
        /// Before it, after a denial: it was printed after all.
        Seen,
        /// Before it: a person reports that it was printed.
        Reported,
        /// Before it: it is asked about.
        Asked,
        /// Before it: it is explained or searched for, unless the writer speaks in the first
        /// person.
        #[serde(rename = "told")]
        #[strum(serialize = "told")]
        Explaining,
        /// The writer speaks in the first person.
        #[serde(rename = "own")]
        #[strum(serialize = "own")]
        FirstPerson,
        /// Anywhere in a line without a message: a person wrote it.
        Sentence,
        /// Last before it: an example follows.
        Example,
        /// First in the line: a change of code.
        Change,
        /// First in the sentence: a condition, unless the writer speaks in the first person.
        Condition,
        /// The heading of a column of a table that explains messages.
        Heading,
        /// A command whose argument it is.
        Command,
        /// A key of what a program looks for.
        Rule,
        /// A key of what was printed.
        Printed,
        /// After it: it is not printed, or no longer.
        #[serde(rename = "gone")]
        #[strum(serialize = "gone")]
        NoLongerPrinted,
        /// After it: its meaning.
        Explained,
        /// After it: the end of a comparison.
        #[serde(rename = "joint")]
        #[strum(serialize = "joint")]
        ComparisonEnd,
        /// After it: a possible continuation of the sentence.
        GoesOn,
        /// In angle brackets within it: a value that is left open.
        Placeholder,
    }
}

record! {
    /// Words for one place.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Prose {
        /// Their position.
        pub place: Place,
        /// The words, in lower case.
        pub words: Vec<String> = required,
    }
    check
}

impl Prose {
    fn check(&self, table: &Table<'_>) {
        for (node, text) in table.items("words").iter().zip(&self.words) {
            if text.is_empty() || text.trim() != text || text.to_lowercase() != *text {
                node.mistake("words are in lower case, and have no blank around them");
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
        let good = "[[prose]]\nplace = \"gone\"\nwords = [\"is past\"]\n";
        assert_eq!(mistakes(good), [""; 0]);
        let case = "words are in lower case, and have no blank around them";
        assert_eq!(mistakes(&good.replace("is past", "Is past")), [format!("3: {case}")]);
        assert_eq!(mistakes(&good.replace("gone", "far")).len(), 1);
        assert_eq!(mistakes(&good.replace("words", "wrods")).len(), 2);
    }
}
