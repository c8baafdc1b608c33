//! Reads a demand on one event, from `event`, `where` and `or`.

use super::constraint::{Operand, Test};
use super::document::{FromToml, Node, Record, Table, read_record};
use super::expression::{Expression, reason};
use super::message::{field, field_hint};
use super::reading::integer;
use super::signature::EventMatcher;
use crate::kind::Kind;
use crate::value::field::FieldKind;

impl Record for EventMatcher {
    fn from_table(table: &Table<'_>) -> Self {
        let kinds: Option<Vec<Kind>> = table.required("event");
        let kinds = kinds.unwrap_or_default();
        let conditions = table.tables("where");
        let conditions = conditions.iter().flat_map(Table::entries);
        let tests = conditions.flat_map(|value| tests(&kinds, &value)).collect();
        let or = table.field("or").unwrap_or_default();
        let of_a_gpu = table.field("gpu").flatten();
        Self { kinds, tests, of_a_gpu, or }
    }
}

impl FromToml for EventMatcher {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        read_record(node)
    }

    fn placeholder() -> Self {
        Self::default()
    }
}

/// The conditions on one field.
fn tests(kinds: &[Kind], value: &Node<'_>) -> Vec<(String, Test)> {
    let name = value.key;
    let Some(kind) = field(kinds, name) else {
        if !kinds.is_empty() {
            let what = format!("this event has no field `{name}`");
            let hint = Some(field_hint(kinds, name));
            value.sources.mistake(value.key_place, what, hint);
        }
        return Vec::new();
    };
    let found = match value.table() {
        None => operands(kind, value).map(Test::Is).into_iter().collect(),
        Some(table) => tests_of_table(kind, &table),
    };
    found.into_iter().map(|test| (name.to_owned(), test)).collect()
}

fn tests_of_table(kind: FieldKind, table: &Table<'_>) -> Vec<Test> {
    let min = table.field::<Option<i64>>("min").flatten();
    let max = table.field::<Option<i64>>("max").flatten();
    let range = match kind {
        FieldKind::Stack => Test::Length,
        FieldKind::Number
        | FieldKind::Text
        | FieldKind::Name
        | FieldKind::Word(_)
        | FieldKind::WordOrNumber(_)
        | FieldKind::Derived => Test::Between,
    };
    let between = (min.is_some() || max.is_some()).then(|| range(min, max));
    let fits = table.field::<Option<Expression>>("regex").flatten().map(Test::Fits);
    let misfits = table.field::<Option<Expression>>("not_regex").flatten().map(Test::Misfits);
    let known = table.field::<Option<bool>>("known").flatten().map(Test::Known);
    let not = table.get("not").and_then(|not| operands(kind, &not)).map(Test::IsNot);
    let maybe = table.get("maybe").and_then(|maybe| operands(kind, &maybe)).map(Test::Maybe);
    if !table.has_one_of(&["min", "max", "regex", "not_regex", "known", "not", "maybe"]) {
        table
            .mistake("write a value, a list, or a table with min, max, not, maybe, regex, not_regex or known");
    }
    table.finish();
    [between, fits, misfits, known, not, maybe].into_iter().flatten().collect()
}

impl FromToml for Expression {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let wrong = |error| node.mistake(format!("not a regular expression: {}", reason(&error)));
        Self::new(&String::from_toml(node)?).map_err(wrong).ok()
    }

    fn placeholder() -> Self {
        unreachable!("an expression is always read as one that may be missing")
    }
}

/// The values in a condition.
fn operands(kind: FieldKind, node: &Node<'_>) -> Option<Vec<Operand>> {
    let one = |item: &Node<'_>| {
        let number = integer(item.value).map(Operand::Number);
        number.or_else(|| item.text().map(|text| Operand::Word(text.to_owned())))
    };
    let fits = |operand: &Operand| match (kind, operand) {
        (FieldKind::Number | FieldKind::WordOrNumber(_), Operand::Number(_))
        | (FieldKind::Text | FieldKind::Name | FieldKind::Stack, Operand::Word(_)) => true,
        (FieldKind::Word(known) | FieldKind::WordOrNumber(known), Operand::Word(word)) => {
            known.contains(&word.as_str())
        }
        (FieldKind::Derived, _)
        | (FieldKind::Number, Operand::Word(_))
        | (
            FieldKind::Text | FieldKind::Name | FieldKind::Stack | FieldKind::Word(_),
            Operand::Number(_),
        ) => false,
    };
    let read = |item: &Node<'_>| one(item).filter(&fits);
    let found: Option<Vec<Operand>> = node.items().iter().map(read).collect();
    if found.is_none() {
        let what = format!("this field is {}, which this can never be", kind.name());
        match kind {
            FieldKind::Word(known) | FieldKind::WordOrNumber(known) => {
                node.mistake_with_hint(what, format!("its words are {}", known.join(", ")));
            }
            FieldKind::Number
            | FieldKind::Text
            | FieldKind::Name
            | FieldKind::Stack
            | FieldKind::Derived => {
                node.mistake(what);
            }
        }
    }
    found
}
