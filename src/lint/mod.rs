//! Finds likely mistakes in pattern files that load: steps that can never match, dangling names,
//! texts with gaps, signatures without fixtures.

mod anchors;
mod dead;
mod links;
mod proof;
mod steps;
mod texts;

use toml::de::DeTable;

use crate::pattern::Patterns;
use crate::pattern::signature::Signature;
use crate::pattern::source::SourceFile;

pub(crate) use proof::Proof;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LintLevel {
    /// An error: it cannot be intended.
    Error,
    /// A warning: it may be intended.
    Warning,
}

impl LintLevel {
    /// The word for it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// The part of a pattern file that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spot {
    Whole,
    /// The value of a key.
    Key(&'static str),
    /// One of several tables, counted from 0.
    Table(&'static str, usize),
}

/// A likely mistake.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Issue {
    /// The id of the signature or advice.
    pub id: String,
    /// The part of the file.
    pub(crate) spot: Spot,
    /// The severity.
    pub level: LintLevel,
    /// The name of the rule.
    pub(crate) rule: &'static str,
    /// The problem, in one sentence without a full stop.
    pub what: String,
}

impl Issue {
    fn new(
        gravity: LintLevel,
        rule: &'static str,
        id: &str,
        spot: Spot,
        what: impl Into<String>,
    ) -> Self {
        Self { id: id.to_owned(), spot, level: gravity, rule, what: what.into() }
    }
}

/// The location of a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FileLine {
    /// The file.
    pub path: String,
    /// The line number, from 1.
    pub line: usize,
}

/// The pattern files to check.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'p> {
    /// All patterns, including the built-in ones.
    pub patterns: &'p Patterns,
    /// The number of signatures at the beginning that are not checked.
    pub known_signatures: usize,
    /// The number of pieces of advice at the beginning that are not checked.
    pub known_advice: usize,
    /// The fixtures; `None` if they are not checked.
    pub proofs: Option<&'p [Proof]>,
}

impl<'p> Subject<'p> {
    /// The signatures to check.
    pub(crate) fn signatures(&self) -> &'p [Signature] {
        self.patterns.signatures.get(self.known_signatures..).unwrap_or_default()
    }
}

/// All findings, in the order of signatures and their parts.
#[must_use]
pub fn findings(subject: &Subject<'_>) -> Vec<Issue> {
    let printed = dead::ProducedFields::new(subject.patterns.messages.iter());
    let mut found = Vec::new();
    for signature in subject.signatures() {
        steps::look(signature, &printed, &mut found);
        texts::look(signature, &mut found);
        anchors::look(subject.patterns, signature, &mut found);
    }
    links::look(subject, &mut found);
    if let Some(proofs) = subject.proofs {
        proof::look(subject.signatures(), proofs, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

/// The location of a finding in `files`.
pub(crate) fn place(finding: &Issue, files: &[SourceFile]) -> Option<FileLine> {
    files.iter().find_map(|file| {
        let root = DeTable::parse(&file.text).ok()?;
        let at = offset(finding, root.get_ref())?;
        let before = file.text.get(..at)?;
        Some(FileLine { path: file.path.clone(), line: before.matches('\n').count() + 1 })
    })
}

/// The byte offset of the part that a finding is about, if this file contains it.
fn offset(finding: &Issue, root: &DeTable<'_>) -> Option<usize> {
    let is_it = |table: &DeTable<'_>| {
        table.get("id").is_some_and(|id| id.get_ref().as_str() == Some(finding.id.as_str()))
    };
    if !is_it(root) {
        let advice = root.get("advice")?.get_ref().as_array()?;
        let found = advice.iter().filter_map(|one| one.get_ref().as_table());
        return found.into_iter().find(|one| is_it(one))?.get("id").map(|id| id.span().start);
    }
    let whole = root.get("id").map(|id| id.span().start);
    let found = match finding.spot {
        Spot::Whole => None,
        Spot::Key(key) => root.get(key).map(|value| value.span().start),
        Spot::Table(key, index) => {
            let tables = root.get(key).and_then(|value| value.get_ref().as_array());
            tables.and_then(|tables| tables.get(index)).map(|table| table.span().start)
        }
    };
    found.or(whole)
}
