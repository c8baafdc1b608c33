//! Words by which talk about a message differs from a quoted one: `patterns/prose.toml`.

use serde::{Deserialize, Serialize};

use super::document::{Table, record};
use crate::value::words;

words! {
    /// Where words stand, relative to a message, and what they say there.
    pub(crate) Place {
        /// Before it: it was not printed here.
        Denied,
        /// Before a colon after which the sentence goes on.
        Colon,
        /// Before it, behind a denial: it was printed after all.
        Seen,
        /// Before it: somebody says that it was printed.
        Reported,
        /// Before it: it is asked about.
        Asked,
        /// Before it: it is explained or looked for, unless the writer speaks of himself.
        Told,
        /// A writer speaks of himself.
        Own,
        /// Last before it: an example follows.
        Example,
        /// First in the line: a change of code.
        Change,
        /// First in the sentence: a condition, unless the writer speaks of himself.
        Condition,
        /// The heading of a column of a table that explains messages.
        Heading,
        /// A command whose argument it is.
        Command,
        /// A key of what a program looks for.
        Rule,
        /// A key of what was printed.
        Printed,
        /// Behind it: it is not printed, or no longer.
        Gone,
        /// Behind it: its meaning.
        Explained,
        /// The end of what is compared behind it.
        Joint,
        /// How a sentence may go on behind it.
        GoesOn,
    }
}

record! {
    /// Words for one place.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Prose {
        /// Where they stand.
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
    use crate::pattern::Patterns;
    use crate::pattern::source::SourceFile;

    #[test]
    fn mistakes_have_a_place() {
        let mistakes = |text: &str| {
            let file = SourceFile { path: "my.toml".to_owned(), text: text.to_owned() };
            let found = Patterns::default().extended(&[file]).err().unwrap_or_default();
            found.iter().map(|one| format!("{}: {}", one.line, one.what)).collect::<Vec<_>>()
        };
        let good = "[[prose]]\nplace = \"gone\"\nwords = [\"is past\"]\n";
        assert_eq!(mistakes(good), [""; 0]);
        let case = "words are in lower case, and have no blank around them";
        assert_eq!(mistakes(&good.replace("is past", "Is past")), [format!("3: {case}")]);
        assert_eq!(mistakes(&good.replace("gone", "far")).len(), 1);
        assert_eq!(mistakes(&good.replace("words", "wrods")).len(), 2);
    }
}
