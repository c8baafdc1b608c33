//! Collects rows in batches of columns.

use std::io;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde_json::Value;

use crate::report::json::schema::columns::{Column, Kind, of_rows};
use crate::report::rows::Row;

/// Maximum number of rows in a batch.
const ROWS: usize = 8_192;

/// Maximum size of text in a batch, in bytes: names of logs can be long.
const TEXT: usize = 16 << 20;

/// The values of a column.
enum Values {
    Text(StringBuilder),
    Number(Int64Builder),
    Truth(BooleanBuilder),
}

impl Values {
    fn new(kind: Kind) -> Self {
        match kind {
            Kind::Text => Self::Text(StringBuilder::new()),
            Kind::Number => Self::Number(Int64Builder::new()),
            Kind::Truth => Self::Truth(BooleanBuilder::new()),
        }
    }

    /// Adds a value; returns the size of its text.
    fn add(&mut self, value: Option<Value>) -> usize {
        match (self, value) {
            (Self::Text(values), Some(Value::String(text))) => {
                values.append_value(&text);
                return text.len();
            }
            (Self::Text(values), Some(Value::Null)) => values.append_null(),
            (Self::Number(values), Some(Value::Number(number))) => {
                let number = number.as_i64();
                values.append_value(number.unwrap_or_else(|| unreachable!("nobody counts so far")));
            }
            (Self::Number(values), Some(Value::Null)) => values.append_null(),
            (Self::Truth(values), Some(Value::Bool(truth))) => values.append_value(truth),
            (Self::Truth(values), Some(Value::Null)) => values.append_null(),
            (_, other) => unreachable!("{other:?} is not what the schema says"),
        }
        0
    }

    fn taken(&mut self) -> ArrayRef {
        match self {
            Self::Text(values) => ArrayBuilder::finish(values),
            Self::Number(values) => ArrayBuilder::finish(values),
            Self::Truth(values) => ArrayBuilder::finish(values),
        }
    }
}

/// The current batch.
pub(super) struct Batches {
    schema: SchemaRef,
    columns: Vec<Values>,
    rows: usize,
    text: usize,
}

impl Batches {
    /// Creates the columns of the schema of rows. Times are text, because readers know the zone.
    pub(super) fn new() -> io::Result<Self> {
        let columns = of_rows()?;
        let field =
            |column: &Column| Field::new(&column.name, data_type(column.kind), column.nullable);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let columns = columns.iter().map(|column| Values::new(column.kind)).collect();
        Ok(Self { schema, columns, rows: 0, text: 0 })
    }

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Adds a row with the values that it has in NDJSON.
    pub(super) fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        let Value::Object(mut object) = serde_json::to_value(row)? else {
            unreachable!("a row is an object")
        };
        for (field, values) in self.schema.fields().iter().zip(&mut self.columns) {
            self.text += values.add(object.remove(field.name()));
        }
        self.rows += 1;
        Ok(())
    }

    pub(super) const fn is_full(&self) -> bool {
        self.rows >= ROWS || self.text >= TEXT
    }

    /// Returns the current batch and starts a new one; `None` if it is empty.
    pub(super) fn taken(&mut self) -> io::Result<Option<RecordBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        (self.rows, self.text) = (0, 0);
        let columns = self.columns.iter_mut().map(Values::taken).collect();
        RecordBatch::try_new(self.schema(), columns).map(Some).map_err(io::Error::other)
    }
}

const fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Number => DataType::Int64,
        Kind::Truth => DataType::Boolean,
    }
}
