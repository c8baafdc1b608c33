//! What a person types to learn what programs read.

use clap::{Args, ValueEnum};

use crate::report::json::schema::Subject;

/// Arguments of schemas.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Of what
    #[arg(value_enum, default_value_t = SchemaOf::Report, value_name = "OUTPUT")]
    pub(crate) of: SchemaOf,
}

/// What a schema is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The document of --format json.
    Report,
    /// A line of --format ndjson.
    Ndjson,
    /// A line of events --format ndjson.
    Events,
    /// A line of records --format ndjson.
    Records,
    /// A line of follow --format ndjson.
    Follow,
    /// The document of run --format json.
    Run,
    /// The document of check --format json.
    Check,
    /// The document of diff --format json.
    Diff,
    /// What report says of a machine: host.json.
    Host,
}

impl SchemaOf {
    /// What the schemas call it.
    pub(crate) const fn subject(self) -> Subject {
        match self {
            Self::Report => Subject::Report,
            Self::Ndjson => Subject::Ndjson,
            Self::Events => Subject::Events,
            Self::Records => Subject::Records,
            Self::Follow => Subject::Follow,
            Self::Run => Subject::Run,
            Self::Check => Subject::Check,
            Self::Diff => Subject::Diff,
            Self::Host => Subject::Host,
        }
    }
}
