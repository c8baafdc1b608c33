//! Names for the completions of shells and for help. The user's pattern files may add others, so
//! none is rejected here.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};

use crate::explain::names;
use crate::pattern::Patterns;

/// Reads any name, and offers those that are built in.
#[derive(Clone)]
struct Known(fn(&Patterns) -> Vec<String>);

impl TypedValueParser for Known {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = self.0(&crate::builtin::patterns());
        Some(Box::new(names.into_iter().map(PossibleValue::new)))
    }
}

/// The trackers that reports go to.
pub(super) fn trackers() -> impl TypedValueParser<Value = String> {
    Known(|patterns| patterns.trackers.iter().map(|one| one.id.clone()).collect())
}

/// Signatures.
pub(super) fn signatures() -> impl TypedValueParser<Value = String> {
    Known(|patterns| patterns.signatures.iter().map(|one| one.id.clone()).collect())
}

/// All that can be explained: kinds, signatures, advice, messages, findings of a check.
pub(super) fn explained() -> impl TypedValueParser<Value = String> {
    Known(|patterns| names(patterns).into_iter().map(str::to_owned).collect())
}

/// The driver's parameters, as the kernel's command line has them.
pub(super) fn parameters() -> impl TypedValueParser<Value = String> {
    Known(|patterns| {
        let parameters = patterns.hardware.parameters.iter();
        let real = parameters.filter(|one| one.exists_in(None) != Some(false));
        real.map(|parameter| format!("amdgpu.{}", parameter.name)).collect()
    })
}
