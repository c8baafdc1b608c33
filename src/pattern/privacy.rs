//! What is private in a log, and what only looks so: `patterns/redaction/*.toml`.

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use super::document::{Node, Table, record};
use super::expression;
use super::glob::Glob;
use crate::value::PrivateKind;

record! {
    /// Where a private value stands.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct PrivateRule {
        /// What it is.
        pub kind: PrivateKind,
        /// The line holds one of these, in any case; other lines are not looked at.
        pub near: Vec<String> = required,
        /// The expression; each group that takes part is a value.
        pub find: String,
        /// What each match ends with, if the expression also tells no digit from another: lines that begin alike up
        /// to there are not searched again.
        pub ends: Option<String>,
        /// The value is too common a word to be looked for anywhere else.
        pub local: bool,
        /// A value that logs use as a word stays.
        pub rare: bool,
        /// A line that holds one of these, in any case, is not looked at.
        pub unless: Vec<String>,
    }
    check
}

record! {
    /// Values that only look private.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct PublicValues {
        /// What they look like; all kinds where none is named.
        pub kinds: Vec<PrivateKind> as "kind",
        /// The values, in any case. A `*` at an end stands for anything.
        pub values: Vec<Glob>,
        /// A line that holds one of these has no private value of these kinds that is told by its shape alone.
        pub lines: Vec<String>,
        /// Why they tell of nobody.
        pub why: String,
    }
    check
}

record! {
    /// Words of logs: who is called so is found where names stand, and nowhere else.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct CommonWords {
        /// The words.
        pub words: Vec<String> = required,
        /// Where they are from.
        pub why: String,
    }
}

record! {
    /// How domain names are told from names of files and of interfaces.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct DomainNames {
        /// What they end in, in lower case.
        pub endings: Vec<String> = required,
        /// How names of interfaces begin, which are written the other way round: `org.freedesktop.Notifications`.
        pub interfaces: Vec<String>,
        /// Why these and no others.
        pub why: String,
    }
    check
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Privacy {
    /// Where private values stand.
    pub rules: Vec<PrivateRule>,
    /// What only looks so.
    pub public: Vec<PublicValues>,
    /// Words that are no names.
    pub common: Vec<CommonWords>,
    /// What domain names look like.
    pub domains: Vec<DomainNames>,
}

/// The marks around a value in a sample.
const MARKS: [char; 2] = ['«', '»'];

impl Privacy {
    /// Adds what a file says.
    pub(super) fn add(&mut self, file: &Table<'_>) {
        file.collect("private", &mut self.rules);
        file.collect("public", &mut self.public);
        file.collect("common", &mut self.common);
        file.collect("domain", &mut self.domains);
    }
}

impl PrivateRule {
    fn check(&self, table: &Table<'_>) {
        table.require("sample");
        for word in table.items("near") {
            if word.text().is_some_and(|text| text.len() < 2) {
                word.mistake("this is in too many lines to tell anything");
            }
        }
        let Some(find) = table.get("find") else { return };
        match expression::compiled(&self.find) {
            Err(error) => find.mistake(expression::reason(&error)),
            Ok(expression) => {
                if expression.captures_len() < 2 {
                    find.mistake("no group says which part is the value");
                }
                if let (Some(ends), Some(node)) = (&self.ends, table.get("ends")) {
                    if !self.find.ends_with(&regex::escape(ends)) || ignores_case(&self.find) {
                        node.mistake("not all that `find` finds ends with this");
                    }
                    if names_digits(&self.find) {
                        node.mistake("`find` tells digits apart");
                    }
                }
                for sample in table.items("sample") {
                    self.check_sample(&expression, &sample);
                }
            }
        }
    }

    /// A sample has what `near` says, and the expression finds just what stands between the marks.
    fn check_sample(&self, expression: &Regex, sample: &Node<'_>) {
        let Some(text) = sample.text() else { return };
        let (line, wanted) = unmarked(text);
        let lower = line.to_ascii_lowercase();
        if !self.near.iter().any(|word| lower.contains(&word.to_ascii_lowercase())) {
            sample.mistake("none of `near` is in this sample");
        }
        let groups = expression.captures_iter(line.as_bytes()).flat_map(|found| {
            found.iter().skip(1).flatten().map(|group| group.range()).collect::<Vec<_>>()
        });
        let found: Vec<&str> =
            groups.filter_map(|range| line.get(range).filter(|value| !value.is_empty())).collect();
        if found != wanted.iter().map(String::as_str).collect::<Vec<_>>() {
            sample.mistake(format!("found {found:?} in this sample, the marks say {wanted:?}"));
        }
    }
}

/// Whether an expression or a part of it takes small letters for capitals.
fn ignores_case(find: &str) -> bool {
    let flags = |(at, _): (usize, &str)| find[at + 2..].split([':', ')', '<']).next();
    find.match_indices("(?").filter_map(flags).any(|flags| flags.contains('i'))
}

/// Whether an expression names digits and not only all of them: those in braces are counts.
fn names_digits(find: &str) -> bool {
    let counts = |part: &str| part.split_once('}').map_or(part.len(), |(counts, _)| counts.len());
    let mut parts = find.split('{');
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| &part[counts(part)..]);
    std::iter::once(first)
        .chain(rest)
        .any(|part| part.replace("0-9", "").bytes().any(|byte| byte.is_ascii_digit()))
}

/// The line without marks, and what stood between them.
fn unmarked(sample: &str) -> (String, Vec<String>) {
    let line = sample.chars().filter(|c| !MARKS.contains(c)).collect();
    let values = sample.split(MARKS[0]).skip(1).filter_map(|part| part.split_once(MARKS[1]));
    (line, values.map(|(value, _)| value.to_owned()).collect())
}

impl DomainNames {
    fn check(&self, table: &Table<'_>) {
        let is_label = |text: &str| text.len() > 1 && text.bytes().all(|b| b.is_ascii_lowercase());
        for (key, texts) in [("endings", &self.endings), ("interfaces", &self.interfaces)] {
            for (item, _) in table.items(key).iter().zip(texts).filter(|(_, text)| !is_label(text))
            {
                item.mistake("this is no ending of a domain: lower-case letters, without a dot");
            }
        }
    }
}

impl PublicValues {
    fn check(&self, table: &Table<'_>) {
        if self.values.is_empty() && self.lines.is_empty() {
            table.mistake("`values` is missing");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Patterns;
    use super::super::source::SourceFile;

    fn mistakes(text: &str) -> Vec<String> {
        let file = SourceFile { path: "patterns/redaction/a.toml".into(), text: text.into() };
        let outcome = Patterns::default().extended(&[file]);
        outcome.err().unwrap_or_default().into_iter().map(|mistake| mistake.what).collect()
    }

    #[test]
    fn a_rule_finds_what_its_sample_marks() {
        let rule = |sample: &str| {
            mistakes(&format!(
                "[[private]]\nkind = 'host'\nnear = 'name='\nfind = 'name=(\\S+)'\nsample = '{sample}'\n"
            ))
        };
        assert_eq!(rule("name=«tower» name=«x»"), [""; 0]);
        assert_eq!(rule("name=«tow»er").len(), 1);
        assert_eq!(rule("tower").len(), 1);
        assert_eq!(rule("«tower»").len(), 2);
    }

    #[test]
    fn the_end_of_a_rule_is_that_of_all_matches() {
        let rule = |find: &str| {
            mistakes(&format!(
                "[[private]]\nkind = 'host'\nnear = 'xx'\nfind = '{find}'\nends = ']: '\nsample = '7 «y»xx]: '\n"
            ))
        };
        assert_eq!(rule(r"\d{1,2} (y)[0-9x]+\]: "), [""; 0]);
        for other in [r"\d (y)xx", r"(?i)\d (y)xx\]: ", r"7 (y)xx\]: "] {
            assert_eq!(rule(other).len(), 1, "{other}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let text = "[[private]]\nkind = 'hots'\nnear = 'x'\nfind = '(a'\n[[public]]\nkind = 'uuid'\n\
             [[domain]]\nendings = ['lan', '.home']\nwhy = 'x'\n";
        let found = mistakes(text).join("\n");
        for want in [
            "`hots` is no value of `kind`",
            "too many lines",
            "unclosed group",
            "`sample` is missing",
            "`values` is missing",
            "`why` is missing",
            "no ending of a domain",
        ] {
            assert!(found.contains(want), "{want} is not in {found}");
        }
    }
}
