//! Serialisation of facts: `null` if a fact could not be read.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use super::Fact;

/// Serialises a [`Fact`] with `#[serde(with = "OrNull::<T>")]`, and provides its schema.
pub(super) struct OrNull<T>(PhantomData<T>);

impl<T: Serialize> OrNull<T> {
    pub(super) fn serialize<S: Serializer>(fact: &Fact<T>, to: S) -> Result<S::Ok, S::Error> {
        fact.as_ref().ok().serialize(to)
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for OrNull<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        <Option<T>>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Option<T>>::json_schema(generator)
    }
}

/// Serialises a map of facts.
pub(super) fn each_or_null<K: Serialize, S: Serializer>(
    facts: &BTreeMap<K, Fact<String>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_map(facts.iter().map(|(name, fact)| (name, fact.as_ref().ok())))
}

/// Serialises a value as its text.
pub(super) fn text<T: Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}
