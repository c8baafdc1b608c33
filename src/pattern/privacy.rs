//! What is private in a log, and what only looks so: `patterns/redaction/*.toml`.

use serde::{Deserialize, Serialize};

use super::expression;
use super::fields::Fields;
use super::source::{At, Sources, suggestion};
use crate::value::PrivateKind;

/// Where a private value stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivateRule {
    /// What it is.
    pub kind: PrivateKind,
    /// The line holds one of these, in any case; other lines are not looked at.
    pub near: Vec<String>,
    /// The expression; each group that takes part is a value.
    pub find: String,
    /// The value is too common a word to be looked for anywhere else.
    pub local: bool,
}

/// Values that only look private.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicValues {
    /// What they look like; all kinds where none is named.
    pub kinds: Vec<PrivateKind>,
    /// The values, in lower case. A `*` at an end stands for anything.
    pub values: Vec<String>,
    /// A line that holds one of these has no private value of these kinds that is told by its shape alone.
    pub lines: Vec<String>,
    /// Why they tell of nobody.
    pub why: String,
}

/// All of that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Privacy {
    /// Where private values stand.
    pub rules: Vec<PrivateRule>,
    /// What only looks so.
    pub public: Vec<PublicValues>,
    /// Words of logs, in lower case: who is called so is found where names stand, and nowhere else.
    pub common: Vec<String>,
}

/// The keys of which a file about redaction has at least one.
pub const KEYS: [&str; 3] = ["private", "public", "common"];

/// The marks around a value in a sample.
const MARKS: [char; 2] = ['«', '»'];

impl Privacy {
    /// Adds what a file says. A mistake drops the entry that it stands in.
    pub fn read_file(&mut self, sources: &mut Sources<'_>, mut root: Fields<'_>) {
        for table in root.tables(sources, "private") {
            self.rules.extend(rule(sources, table));
        }
        for table in root.tables(sources, "public") {
            self.public.extend(public(sources, table));
        }
        for mut table in root.tables(sources, "common") {
            let words = table.texts(sources, "words");
            table.require(sources, "words", !words.is_empty());
            table.required_text(sources, "why");
            table.finish(sources);
            self.common.extend(words.into_iter().map(|word| word.value.to_ascii_lowercase()));
        }
        root.finish(sources);
    }
}

fn rule(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<PrivateRule> {
    let kind = fields.required_text(sources, "kind");
    let kind = kind.and_then(|word| read_kind(sources, &word));
    let near = fields.texts(sources, "near");
    fields.require(sources, "near", !near.is_empty());
    let find = fields.required_text(sources, "find");
    let local = fields.flag(sources, "local");
    let samples = fields.texts(sources, "sample");
    fields.require(sources, "sample", !samples.is_empty());
    for word in near.iter().filter(|word| word.value.len() < 2) {
        sources.mistake(&word.place, "this is in too many lines to tell anything");
    }
    if let Some(find) = &find {
        check(sources, find, &near, &samples);
    }
    fields.finish(sources);
    let near = near.into_iter().map(|word| word.value).collect();
    Some(PrivateRule { kind: kind?, near, find: find?.value, local })
}

/// Each sample has what `near` says, and the expression finds just what stands between the marks.
fn check(
    sources: &mut Sources<'_>,
    find: &At<String>,
    near: &[At<String>],
    samples: &[At<String>],
) {
    let expression = match expression::compiled(&find.value) {
        Ok(expression) => expression,
        Err(error) => {
            sources.mistake(&find.place, expression::reason(&error));
            return;
        }
    };
    if expression.captures_len() < 2 {
        sources.mistake(&find.place, "no group says which part is the value");
    }
    for sample in samples {
        let (line, wanted) = unmarked(&sample.value);
        let lower = line.to_ascii_lowercase();
        if !near.iter().any(|word| lower.contains(&word.value.to_ascii_lowercase())) {
            sources.mistake(&sample.place, "none of `near` is in this sample");
        }
        let found: Vec<&str> = expression
            .captures_iter(line.as_bytes())
            .flat_map(|found| {
                found.iter().skip(1).flatten().map(|it| it.range()).collect::<Vec<_>>()
            })
            .filter_map(|range| line.get(range).filter(|value| !value.is_empty()))
            .collect();
        if found != wanted.iter().map(String::as_str).collect::<Vec<_>>() {
            let what = format!("found {found:?} in this sample, the marks say {wanted:?}");
            sources.mistake(&sample.place, what);
        }
    }
}

/// The line without marks, and what stood between them.
fn unmarked(sample: &str) -> (String, Vec<String>) {
    let line = sample.chars().filter(|c| !MARKS.contains(c)).collect();
    let values = sample.split(MARKS[0]).skip(1).filter_map(|part| part.split_once(MARKS[1]));
    (line, values.map(|(value, _)| value.to_owned()).collect())
}

fn public(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<PublicValues> {
    let kinds = fields.texts(sources, "kind");
    let kinds = kinds.iter().filter_map(|word| read_kind(sources, word)).collect();
    let values = fields.texts(sources, "values");
    let lines = fields.texts(sources, "lines");
    fields.require(sources, "values", !values.is_empty() || !lines.is_empty());
    let why = fields.required_text(sources, "why");
    fields.finish(sources);
    let lower = |texts: Vec<At<String>>| {
        texts.into_iter().map(|text| text.value.to_ascii_lowercase()).collect()
    };
    Some(PublicValues { kinds, values: lower(values), lines: lower(lines), why: why?.value })
}

fn read_kind(sources: &mut Sources<'_>, word: &At<String>) -> Option<PrivateKind> {
    let found = word.value.parse().ok();
    if found.is_none() {
        let what = format!("`{}` is no kind of private value", word.value);
        match suggestion(&word.value, PrivateKind::names().iter().copied()) {
            Some(hint) => sources.mistake_with_hint(&word.place, what, hint),
            None => sources.mistake(&word.place, what),
        }
    }
    found
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
    fn mistakes_are_named() {
        let text =
            "[[private]]\nkind = 'hots'\nnear = 'x'\nfind = '(a'\n[[public]]\nkind = 'uuid'\n";
        let found = mistakes(text).join("\n");
        for want in [
            "`hots` is no kind",
            "too many lines",
            "unclosed group",
            "`sample` is missing",
            "`values` is missing",
            "`why` is missing",
        ] {
            assert!(found.contains(want), "{want} is not in {found}");
        }
    }
}
