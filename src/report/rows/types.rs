//! A row without content that has a value in each column.
//!
//! Readers of NDJSON find the type of a column in the first rows: Polars in 100, DuckDB in 20,480.
//! Columns of incidents are null in all of these if the first logs have no failure; then Polars
//! fails, and DuckDB reads null in all rows.

use std::fmt;
use std::io;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

use super::{Row, RowKind};
use crate::report::json::line;

/// The columns with numbers.
const NUMBERS: [&str; 10] = [
    "bytes",
    "lines",
    "records",
    "boots",
    "incidents",
    "incident",
    "pid",
    "monotonic_us",
    "first_line",
    "last_line",
];
/// The column with truth values. All other columns contain text.
const TRUTH: &str = "fallback";
/// The value of `row`.
const KIND: &str = "types";

/// Writes a row in which texts are empty, numbers 0, and truth values false.
pub(crate) fn write_types(patterns: &str, out: &mut dyn io::Write) -> io::Result<()> {
    line(&columns(patterns)?, out)
}

/// The schema of the row.
#[cfg(test)]
pub(crate) fn schema() -> serde_json::Value {
    use serde_json::json;

    let Columns(columns) = columns("").unwrap();
    let names: Vec<&String> = columns.iter().map(|(name, _)| name).collect();
    let of = |(name, value): &(String, Value)| {
        let schema = match value {
            Value::Text(_) if name == "row" => json!({ "const": KIND }),
            Value::Text(_) => json!({ "type": "string" }),
            Value::Number(_) => json!({ "type": "integer" }),
            Value::Truth(_) => json!({ "type": "boolean" }),
        };
        (name.clone(), schema)
    };
    let properties: serde_json::Map<String, serde_json::Value> = columns.iter().map(of).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": names,
        "additionalProperties": false,
        "description": "The first row, which has a value of each column's type.",
    })
}

/// The columns of a row, in order.
struct Columns(Vec<(String, Value)>);

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    Number(u64),
    Truth(bool),
}

fn columns(patterns: &str) -> io::Result<Columns> {
    let empty = serde_json::to_string(&Row::new(RowKind::Log, "", patterns))?;
    Ok(serde_json::from_str(&empty)?)
}

impl<'de> Deserialize<'de> for Columns {
    fn deserialize<D: Deserializer<'de>>(row: D) -> Result<Self, D::Error> {
        row.deserialize_map(InOrder)
    }
}

/// Reads the columns in their order, and gives those that are null the value of their type.
struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Columns;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut row: A) -> Result<Columns, A::Error> {
        let mut columns = Vec::new();
        while let Some((name, text)) = row.next_entry::<String, Option<String>>()? {
            let value = match name.as_str() {
                "row" => Value::Text(KIND.to_owned()),
                TRUTH => Value::Truth(false),
                number if NUMBERS.contains(&number) => Value::Number(0),
                _ => Value::Text(text.unwrap_or_default()),
            };
            columns.push((name, value));
        }
        Ok(Columns(columns))
    }
}

impl Serialize for Columns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| row.serialize_entry(name, value))?;
        row.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema is made from the types of the columns.
    #[test]
    fn each_column_has_a_value_of_its_type() {
        let schema = schemars::schema_for!(Row<'static>);
        let schema = serde_json::to_value(schema).unwrap();
        let text = schema.to_string();
        let properties = schema["properties"].as_object().unwrap();
        let Columns(columns) = columns("0").unwrap();
        assert_eq!(columns.len(), properties.len());
        for (name, value) in columns {
            let said = properties[&name]["type"].to_string();
            let want = if said.contains("integer") {
                Value::Number(0)
            } else if said.contains("boolean") {
                Value::Truth(false)
            } else {
                assert!(!said.contains("number"), "{name} in {text}");
                let Value::Text(_) = value else { panic!("{name} is {value:?}") };
                continue;
            };
            assert_eq!(value, want, "{name}");
        }
    }
}
