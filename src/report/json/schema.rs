//! The JSON Schema of all output for programs. It is generated from the types by a test, which
//! fails if the stored schema is outdated (`UPDATE_SCHEMA=1 cargo test --lib schema` updates it);
//! nothing in it is written by hand.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::SCHEMA_VERSION;
use crate::value::comment_of;

#[cfg(feature = "columns")]
pub(crate) mod columns;
#[cfg(test)]
mod made;

/// The stored definitions.
const STORED: &str = include_str!("schema.json");

/// The JSON Schema dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What a schema is of. Its documentation is its title, and the help of the program.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::EnumMessage, strum::IntoStaticStr, strum::VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Subject {
    /// The document of --format json
    Report,
    /// A line of --format ndjson
    Ndjson,
    /// A line of rows --format ndjson
    Rows,
    /// A line of events --format ndjson
    Events,
    /// A line of records --format ndjson
    Records,
    /// A line of follow --format ndjson
    Follow,
    /// The document of run --format json
    Run,
    /// The document of check --format json
    Check,
    /// The document of diff --format json
    Diff,
    /// What report says of a machine: host.json
    Host,
    /// The document of explain --format json
    Explain,
    /// The document of decode --format json
    Decode,
    /// A line of patterns list --format ndjson
    PatternsList,
    /// The document of patterns explain --format json
    PatternsExplain,
    /// A line of patterns lint --format ndjson
    PatternsLint,
    /// A line of patterns coverage --format ndjson
    PatternsCoverage,
}

impl Subject {
    /// The word by which it is asked for.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub(crate) fn title(self) -> &'static str {
        comment_of(&self)
    }

    const fn definition(self) -> &'static str {
        match self {
            Self::Report => "Report",
            Self::Ndjson => "ReportLine",
            Self::Rows => "RowLine",
            Self::Events => "EventLine",
            Self::Records => "RecordLine",
            Self::Follow => "LiveLine",
            Self::Run => "Run",
            Self::Check => "Check",
            Self::Diff => "Diff",
            Self::Host => "HostFacts",
            Self::Explain => "Explain",
            Self::Decode => "Decode",
            Self::PatternsList => "PatternsListLine",
            Self::PatternsExplain => "Why",
            Self::PatternsLint => "PatternsLintLine",
            Self::PatternsCoverage => "PatternsCoverageLine",
        }
    }
}

/// Definitions by name, as text: the schema is printed as it is stored.
type Definitions<'s> = BTreeMap<&'s str, &'s RawValue>;

#[derive(Deserialize)]
struct Stored<'s> {
    #[serde(rename = "$defs", borrow)]
    definitions: Definitions<'s>,
}

#[derive(Serialize)]
struct Schema<'s> {
    #[serde(rename = "$schema")]
    dialect: &'static str,
    #[serde(rename = "$id")]
    id: String,
    title: &'static str,
    #[serde(rename = "$ref")]
    root: String,
    #[serde(rename = "$defs")]
    definitions: Definitions<'s>,
}

/// Writes the schema of `subject`.
///
/// # Errors
/// What the writer returns.
pub fn write(subject: Subject, out: &mut dyn io::Write) -> io::Result<()> {
    let stored: Stored<'_> = serde_json::from_str(STORED)?;
    let schema = Schema {
        dialect: DIALECT,
        id: format!("urn:amdtriage:{}:{SCHEMA_VERSION}", subject.name()),
        title: subject.title(),
        root: format!("{REFERENCE}{}", subject.definition()),
        definitions: needed(subject.definition(), &stored.definitions),
    };
    serde_json::to_writer_pretty(&mut *out, &schema)?;
    writeln!(out)
}

/// The definition of this name, and those that it refers to, recursively.
fn needed<'s>(name: &'s str, all: &Definitions<'s>) -> Definitions<'s> {
    let mut found = Definitions::new();
    let mut wanted = vec![name];
    while let Some(name) = wanted.pop() {
        if let Some(definition) = all.get(name)
            && found.insert(name, definition).is_none()
        {
            wanted.extend(references(definition.get()));
        }
    }
    found
}

/// The prefix of references.
const REFERENCE: &str = "#/$defs/";

/// The names of referenced definitions.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split(REFERENCE).skip(1).filter_map(|rest| rest.split('"').next())
}
