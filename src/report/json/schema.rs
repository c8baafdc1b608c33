//! The JSON Schema of what is written for programs. A test makes it from the types and says when the
//! stored one is stale: nothing in it is written by hand.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::SCHEMA_VERSION;

#[cfg(test)]
mod made;

/// All definitions.
const STORED: &str = include_str!("schema.json");

/// The dialect that it is written in.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The document of `--format json`.
    Report,
    /// A line of `--format ndjson`.
    Ndjson,
    /// A line of `events --format ndjson`.
    Events,
    /// A line of `records --format ndjson`.
    Records,
    /// A line of `follow --format ndjson`.
    Follow,
    /// The document of `run --format json`.
    Run,
    /// The document of `check --format json`.
    Check,
    /// The document of `diff --format json`.
    Diff,
    /// The file `host.json` of an archive that `report` makes.
    Host,
}

impl Subject {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Report,
        Self::Ndjson,
        Self::Events,
        Self::Records,
        Self::Follow,
        Self::Run,
        Self::Check,
        Self::Diff,
        Self::Host,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Ndjson => "ndjson",
            Self::Events => "events",
            Self::Records => "records",
            Self::Follow => "follow",
            Self::Run => "run",
            Self::Check => "check",
            Self::Diff => "diff",
            Self::Host => "host",
        }
    }

    /// What it is, as a title.
    const fn title(self) -> &'static str {
        match self {
            Self::Report => "amdtriage --format json",
            Self::Ndjson => "a line of amdtriage --format ndjson",
            Self::Events => "a line of amdtriage events --format ndjson",
            Self::Records => "a line of amdtriage records --format ndjson",
            Self::Follow => "a line of amdtriage follow --format ndjson",
            Self::Run => "amdtriage run --format json",
            Self::Check => "amdtriage check --format json",
            Self::Diff => "amdtriage diff --format json",
            Self::Host => "host.json of amdtriage report",
        }
    }

    /// Its definition.
    const fn definition(self) -> &'static str {
        match self {
            Self::Report => "Report",
            Self::Ndjson => "ReportLine",
            Self::Events => "EventLine",
            Self::Records => "RecordLine",
            Self::Follow => "LiveLine",
            Self::Run => "Run",
            Self::Check => "Check",
            Self::Diff => "Diff",
            Self::Host => "HostFacts",
        }
    }
}

/// Definitions by name, each as its text: what is printed is what is stored.
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
pub fn write(subject: Subject, out: &mut impl io::Write) -> io::Result<()> {
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

/// The definition of that name, and those that it refers to.
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

/// What a reference begins with.
const REFERENCE: &str = "#/$defs/";

/// The names of the definitions that a text refers to.
fn references(text: &str) -> impl Iterator<Item = &str> {
    text.split(REFERENCE).skip(1).filter_map(|rest| rest.split('"').next())
}
