//! Arguments for `schema`.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use strum::VariantArray as _;

use super::FileArguments;
use crate::report::json::schema::Subject;

/// Arguments of schemas.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// The output to describe
    #[arg(value_enum, default_value_t = Subject::Report, value_name = "OUTPUT")]
    pub of: Subject,

    /// Where it goes.
    #[command(flatten)]
    pub file: FileArguments,
}

impl ValueEnum for Subject {
    fn value_variants<'a>() -> &'a [Self] {
        Self::VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.title()))
    }
}
