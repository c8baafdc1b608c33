//! The columns of flat objects, derived from the stored schema, so that columnar formats need no
//! types of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::Deserialize;
use serde_json::Value;

use super::{Definitions, REFERENCE, STORED, Stored};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A signed 64-bit integer.
    Number,
    Truth,
}

/// A column.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Whether it may be null.
    pub(crate) nullable: bool,
}

/// An object whose keys are all mandatory, in order.
#[derive(Deserialize)]
struct Object {
    properties: BTreeMap<String, Value>,
    required: Vec<String>,
}

/// The columns of rows: those of `Row`, which is flat. The row of types is none of a log.
pub(crate) fn of_rows() -> io::Result<Vec<Column>> {
    columns("Row")
}

fn columns(name: &str) -> io::Result<Vec<Column>> {
    let stored: Stored<'_> = serde_json::from_str(STORED)?;
    let Some(text) = stored.definitions.get(name) else { unreachable!("{name} is defined") };
    let object: Object = serde_json::from_str(text.get())?;
    let of = |name: String| {
        let mut types = BTreeSet::new();
        add_types(object.properties.get(&name), &stored.definitions, &mut types)?;
        Ok(column(name, &types))
    };
    object.required.into_iter().map(of).collect()
}

fn column(name: String, types: &BTreeSet<String>) -> Column {
    let mut others = types.iter().map(String::as_str).filter(|name| *name != "null");
    let kind = match (others.next(), others.next()) {
        (Some("string"), None) => Kind::Text,
        (Some("integer"), None) => Kind::Number,
        (Some("boolean"), None) => Kind::Truth,
        _ => unreachable!("{name} is one of {types:?}, which no column holds"),
    };
    Column { name, kind, nullable: types.contains("null") }
}

/// Adds the names of the types that a value may have.
fn add_types(
    schema: Option<&Value>,
    all: &Definitions<'_>,
    types: &mut BTreeSet<String>,
) -> io::Result<()> {
    let Some(schema) = schema else { return Ok(()) };
    let name = schema["$ref"].as_str().and_then(|to| to.strip_prefix(REFERENCE));
    if let Some(definition) = name.and_then(|name| all.get(name)) {
        add_types(Some(&serde_json::from_str(definition.get())?), all, types)?;
    }
    for choice in ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten()
    {
        add_types(Some(choice), all, types)?;
    }
    let own = &schema["type"];
    let own = own.as_array().map_or(std::slice::from_ref(own), Vec::as_slice);
    types.extend(own.iter().filter_map(Value::as_str).map(str::to_owned));
    Ok(())
}
