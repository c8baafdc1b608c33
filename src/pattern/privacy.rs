//! What is private in a log, and what only looks private: `patterns/redaction/*.toml`.

use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

use super::document::{Node, Table, record};
use super::expression;
use super::glob::Glob;
use crate::value::PrivateKind;

record! {
    /// Where a private value occurs.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct PrivateRule {
        /// The kind of value.
        pub kind: PrivateKind,
        /// The rule applies to lines that contain one of these, ignoring case.
        pub near: Vec<String> = required,
        /// The regular expression; each group that matches is a value.
        pub find: String,
        /// What each match ends with, if the expression also tells no digit from another: lines
        /// that begin alike up to there are not searched again.
        pub ends: Option<String>,
        /// The value is too common a word to be replaced elsewhere.
        pub local: bool,
        /// A value that is also an ordinary word in logs is kept.
        pub rare: bool,
        /// The rule does not apply to lines that contain one of these, ignoring case.
        pub unless: Vec<String>,
    }
    check
}

record! {
    /// Values that only look private.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct PublicValues {
        /// The kinds that they look like; empty for all.
        pub kinds: Vec<PrivateKind> as "kind",
        /// The values, ignoring case. `*` at an end matches anything.
        pub values: Vec<Glob>,
        /// In a line that contains one of these, values of these kinds are not recognised by their
        /// shape alone.
        pub lines: Vec<String>,
        /// Why they do not identify a person or machine.
        pub why: String,
    }
    check
}

record! {
    /// Words of logs that may also be names: they are replaced only where names occur.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct CommonWords {
        /// The words.
        pub words: Vec<String> = required,
        /// Their source.
        pub why: String,
    }
}

record! {
    /// How to distinguish domain names from file and interface names.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct DomainNames {
        /// Top-level domains, in lower case.
        pub endings: Vec<String> = required,
        /// Prefixes of interface names, which look like reversed domain names:
        /// `org.freedesktop.Notifications`.
        pub interfaces: Vec<String>,
        /// The reason for this selection.
        pub why: String,
    }
    check
}

record! {
    /// Columns of tables that programs print under a heading in capitals.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct PrivateColumn {
        /// What stands in them.
        pub kind: PrivateKind,
        /// Their headings.
        pub names: Vec<String> = required,
        /// The table has a column with one of these headings, too.
        pub with: Vec<String>,
    }
}

record! {
    /// The end of a mail, which a name follows.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Closing {
        /// What the line says, ignoring case and the marks at its end.
        pub phrases: Vec<String> = required,
        /// The languages.
        pub why: String,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Privacy {
    /// Where private values occur.
    pub rules: Vec<PrivateRule>,
    /// Values that only look private.
    pub public: Vec<PublicValues>,
    /// Words that are not names.
    pub common: Vec<CommonWords>,
    /// How to recognise domain names.
    pub domains: Vec<DomainNames>,
    /// Which columns of tables are private.
    pub columns: Vec<PrivateColumn>,
    /// How mails end.
    pub closings: Vec<Closing>,
}

/// The marks around a private value in a sample.
const MARKS: [char; 2] = ['«', '»'];

impl Privacy {
    /// Adds the rules of a file.
    pub(super) fn add(&mut self, file: &Table<'_>) {
        file.collect("private", &mut self.rules);
        file.collect("public", &mut self.public);
        file.collect("common", &mut self.common);
        file.collect("domain", &mut self.domains);
        file.collect("column", &mut self.columns);
        file.collect("closing", &mut self.closings);
    }
}

impl PrivateRule {
    fn check(&self, table: &Table<'_>) {
        table.require("sample");
        check_length(table, "near");
        check_length(table, "unless");
        let Some(find) = table.get("find") else { return };
        match expression::compiled(&self.find) {
            Err(error) => find.mistake(expression::reason(&error)),
            Ok(expression) => {
                if expression.captures_len() < 2 {
                    find.mistake("no group says which part is the value");
                }
                if let (Some(ends), Some(node)) = (&self.ends, table.get("ends")) {
                    if !always_ends_with(&self.find, ends) || has_flags(&self.find) {
                        node.mistake("not all that `find` finds ends with this");
                    }
                    if names_digits(&self.find) {
                        node.mistake("`find` names single digits, which `ends` does not allow");
                    }
                }
                for sample in table.items("sample") {
                    self.check_sample(&expression, &sample);
                }
            }
        }
    }

    /// Checks that a sample contains one of `near`, and that the expression finds exactly the
    /// marked text.
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

/// Texts of less than two bytes are not searched for.
fn check_length(table: &Table<'_>, key: &'static str) {
    for word in table.items(key) {
        if word.text().is_some_and(|text| text.len() < 2) {
            word.mistake("this is in too many lines to select any");
        }
    }
}

/// Whether an expression or a part of it ignores case or blanks.
fn has_flags(find: &str) -> bool {
    let flags = |(at, _): (usize, &str)| find[at + 2..].split([':', ')', '<']).next();
    find.match_indices("(?").filter_map(flags).any(|flags| flags.contains(['i', 'x']))
}

/// Whether whatever an expression matches ends with a text: the expression itself does, and its end
/// is no part of an escape, a class, a group or an alternative.
fn always_ends_with(find: &str, ends: &str) -> bool {
    let Some(head) = find.strip_suffix(regex::escape(ends).as_str()) else { return false };
    let (mut groups, mut classes) = (0_usize, 0_usize);
    let mut rest = head.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // What follows the last backslash is the beginning of the end.
            '\\' if rest.next().is_none() => return false,
            '[' => {
                classes += 1;
                rest.next_if_eq(&'^');
                rest.next_if_eq(&']');
            }
            ']' => classes = classes.saturating_sub(1),
            '(' if classes == 0 => groups += 1,
            ')' if classes == 0 => groups = groups.saturating_sub(1),
            '|' if classes == 0 && groups == 0 => return false,
            _ => {}
        }
    }
    groups == 0 && classes == 0
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

/// The line without marks, and the marked texts.
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
        check_length(table, "lines");
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
        for other in [
            r"\d (y)xx",
            r"(?i)\d (y)xx\]: ",
            r"(?x)\d\ (y)xx\]: ",
            r"7 (y)xx\]: ",
            r"\d (y)xx|q\]: ",
            r"\d (y)xx[x\]: ]",
        ] {
            assert_ne!(rule(other), [""; 0], "{other}");
        }
        // A class or an escape that only looks like the text.
        for (find, ends, want) in [
            (r"a\d: ", "d: ", false),
            (r"a\\d: ", "d: ", true),
            (r"a[]b]: ", ": ", true),
            (r"a[\]: ", "]: ", false),
            (r"(a|b): ", ": ", true),
            (r"(?:a|b: ", ": ", false),
        ] {
            assert_eq!(super::always_ends_with(find, ends), want, "{find}");
        }
    }

    #[test]
    fn what_is_too_short_to_be_searched_for_is_a_mistake() {
        let rule = |key: &str| {
            mistakes(&format!(
                "[[private]]\nkind = 'host'\nnear = 'name='\nfind = 'name=(\\S+)'\nsample = 'name=«x»'\n{key}\n"
            ))
        };
        assert_eq!(rule("unless = 'ab'"), [""; 0]);
        assert_eq!(rule("unless = 'a'").len(), 1);
        assert_eq!(mistakes("[[public]]\nkind = 'uuid'\nlines = 'a'\nwhy = 'x'\n").len(), 1);
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
