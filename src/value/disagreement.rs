//! Differences between a status word and the lines that the driver printed from it.

use super::field::{Conversion, Field, FieldKind, Shape, Value};

/// One field whose printed value differs from the status word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disagreement {
    /// The field's name in the decoded word.
    pub field: &'static str,
    /// The value in the printed line.
    pub printed: Value,
    /// The value in the status word.
    pub decoded: Value,
    /// Whether the hardware can cause the difference, because it keeps the first fault.
    pub legitimate: bool,
    /// A possible reason.
    pub note: &'static str,
}

/// All fields that differ, in the order of the register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disagreements(pub Vec<Disagreement>);

impl Field for Disagreements {
    const KIND: FieldKind = FieldKind::Derived;
    const SHAPE: Shape = Shape::Disagreements;

    /// No message contains it.
    fn read(_: &str, _: Conversion) -> Option<Self> {
        None
    }

    fn value(&self) -> Value {
        let entry = |one: &Disagreement| {
            vec![
                ("field", Value::Word(one.field.to_owned())),
                ("printed", one.printed.clone()),
                ("decoded", one.decoded.clone()),
                ("legitimate", Value::Number(i64::from(one.legitimate))),
                ("note", Value::Text(one.note.to_owned())),
            ]
        };
        Value::Records(self.0.iter().map(entry).collect())
    }

    fn in_words(&self) -> String {
        let one = |one: &Disagreement| {
            let first = if one.legitimate { " (of the first of several faults)" } else { "" };
            format!("{} {} printed, {} in the word{first}", one.field, one.printed, one.decoded)
        };
        self.0.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}
