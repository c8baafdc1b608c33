//! Findings of `patterns lint`, one line each, in the format of compilers, or as objects.

use std::io;

use serde::Serialize;

use super::json::{self, Head};
use crate::document::counts::several;
use crate::document::{Block, Document, Text, Tone, prose};
use crate::lint::{FileLine, Issue, LintLevel};

/// A finding with its location.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// What is wrong.
    pub finding: Issue,
    /// Its location; `None` for built-in files.
    pub place: Option<FileLine>,
}

/// One line for each finding, and the counts.
pub(crate) fn document(all: &[Located], signatures: usize) -> Document {
    let line = |Located { finding, place }: &Located| {
        let Issue { id, level: gravity, rule, what, .. } = finding;
        let tone = match gravity {
            LintLevel::Error => Tone::Bad,
            LintLevel::Warning => Tone::Warn,
        };
        let place = place.as_ref().map(|FileLine { path, line }| format!("{path}:{line}: "));
        Text::from(place.unwrap_or_default())
            .and(Text::toned(tone, gravity.name()))
            .and(format!(": {id}: {what} [{rule}]"))
    };
    let found = match counts(all) {
        [0, 0] => "nothing found".to_owned(),
        [errors, warnings] => {
            format!("{}, {}", several(errors, "error"), several(warnings, "warning"))
        }
    };
    let summary = prose(format!("{}: {found}", several(signatures, "signature")));
    Document::new("Pattern files", vec![Block::Lines(all.iter().map(line).collect()), summary])
}

/// One line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PatternsLintLine"))]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum LintLine<'t> {
    /// A finding.
    Finding {
        /// The severity.
        severity: LintLevel,
        /// The name of the rule.
        rule: &'static str,
        /// The signature or advice.
        id: &'t str,
        /// The file; null for built-in ones, which keep no places.
        path: Option<&'t str>,
        /// The line number, from 1.
        line: Option<usize>,
        /// A description in one sentence.
        what: &'t str,
    },
    /// The last line.
    Summary {
        #[serde(flatten)]
        head: Head<'t>,
        /// The number of signatures that were checked.
        signatures: usize,
        /// The number of errors.
        errors: usize,
        /// The number of warnings.
        warnings: usize,
    },
}

/// Writes one object for each finding; `patterns` is the digest of the patterns.
pub(crate) fn write_objects(
    all: &[Located],
    signatures: usize,
    patterns: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    for Located { finding, place } in all {
        let object = LintLine::Finding {
            severity: finding.level,
            rule: finding.rule,
            id: &finding.id,
            path: place.as_ref().map(|place| place.path.as_str()),
            line: place.as_ref().map(|place| place.line),
            what: &finding.what,
        };
        json::line(&object, out)?;
    }
    let (head, [errors, warnings]) = (Head::new(patterns), counts(all));
    json::line(&LintLine::Summary { head, signatures, errors, warnings }, out)
}

/// The number of errors and of warnings.
fn counts(all: &[Located]) -> [usize; 2] {
    [LintLevel::Error, LintLevel::Warning]
        .map(|gravity| all.iter().filter(|told| told.finding.level == gravity).count())
}
