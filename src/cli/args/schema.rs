//! What a person types to learn what programs read.

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use strum::VariantArray as _;

use crate::report::json::schema::Subject;

/// Arguments of schemas.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Of what
    #[arg(value_enum, default_value_t = Subject::Report, value_name = "OUTPUT")]
    pub of: Subject,
}

impl ValueEnum for Subject {
    fn value_variants<'a>() -> &'a [Self] {
        Self::VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.title()))
    }
}
