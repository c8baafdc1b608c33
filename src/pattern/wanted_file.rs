//! The `event` and `where` of a step read and checked.

use super::constraint::{Operand, Test};
use super::expression::{Expression, reason};
use super::fields::{Fields, integer};
use super::message::{field, field_hint, kinds};
use super::signature::Wanted;
use super::source::{At, Sources};
use crate::value::field::FieldKind;

/// Reads what one event of a step must be, with the alternatives in `or`.
pub(super) fn wanted(sources: &mut Sources<'_>, table: &mut Fields<'_>) -> Wanted {
    let mut found = one(sources, table);
    for mut other in table.tables(sources, "or") {
        found.or.push(one(sources, &mut other));
        other.finish(sources);
    }
    found
}

fn one(sources: &mut Sources<'_>, table: &mut Fields<'_>) -> Wanted {
    let kinds = kinds(sources, table, "event");
    let mut tests = Vec::new();
    if let Some(conditions) = table.table(sources, "where") {
        for (name, value) in conditions.entries() {
            let Some(kind) = field(&kinds, &name.value) else {
                if !kinds.is_empty() {
                    let what = format!("this event has no field `{}`", name.value);
                    sources.mistake_with_hint(&name.place, what, field_hint(&kinds, &name.value));
                }
                continue;
            };
            for test in field_tests(sources, kind, &value) {
                tests.push((name.value.clone(), test));
            }
        }
    }
    Wanted { kinds, tests, or: Vec::new() }
}

type Toml<'t> = toml::de::DeValue<'t>;

/// All that one field must pass.
fn field_tests(sources: &mut Sources<'_>, kind: FieldKind, value: &At<&Toml<'_>>) -> Vec<Test> {
    let Some(table) = value.value.as_table() else {
        return operands(sources, kind, value).map(Test::Is).into_iter().collect();
    };
    let place = &value.place;
    let mut fields = Fields::new(table, place.file, place.span.clone());
    let min = fields.integer(sources, "min").map(|at| at.value);
    let max = fields.integer(sources, "max").map(|at| at.value);
    let mut tests = Vec::new();
    if min.is_some() || max.is_some() {
        tests.push(Test::Between(min, max));
    }
    if let Some(regex) = fields.text(sources, "regex") {
        match Expression::new(&regex.value) {
            Ok(expression) => tests.push(Test::Fits(expression)),
            Err(error) => {
                let what = format!("not a regular expression: {}", reason(&error));
                sources.mistake(&regex.place, what);
                return tests;
            }
        }
    }
    if let Some(known) = fields.value("known") {
        tests.extend(known.value.as_bool().map(Test::Known));
    }
    if let Some(not) = fields.value("not") {
        tests.extend(operands(sources, kind, &not).map(Test::IsNot));
    }
    if let Some(maybe) = fields.value("maybe") {
        tests.extend(operands(sources, kind, &maybe).map(Test::Maybe));
    }
    fields.finish(sources);
    if tests.is_empty() {
        let what = "write a value, a list, or a table with min, max, not, maybe, regex or known";
        sources.mistake(place, what);
    }
    tests
}

fn operands(
    sources: &mut Sources<'_>,
    kind: FieldKind,
    at: &At<&Toml<'_>>,
) -> Option<Vec<Operand>> {
    let At { value, place } = at;
    let one = |value: &Toml<'_>| {
        let number = integer(value).map(Operand::Number);
        number.or_else(|| value.as_str().map(|text| Operand::Word(text.to_owned())))
    };
    let found: Option<Vec<Operand>> = match value.as_array() {
        Some(list) => list.iter().map(|item| one(item.get_ref())).collect(),
        None => one(value).map(|operand| vec![operand]),
    };
    let fits = |operand: &Operand| match (kind, operand) {
        (FieldKind::Number | FieldKind::WordOrNumber(_), Operand::Number(_))
        | (FieldKind::Text | FieldKind::Stack, Operand::Word(_)) => true,
        (FieldKind::Word(known) | FieldKind::WordOrNumber(known), Operand::Word(word)) => {
            known.contains(&word.as_str())
        }
        _ => false,
    };
    if found.as_ref().is_none_or(|operands| !operands.iter().all(fits)) {
        let what = format!("this field is {}, which this can never be", kind.name());
        match kind {
            FieldKind::Word(known) | FieldKind::WordOrNumber(known) => {
                sources.mistake_with_hint(
                    place,
                    what,
                    format!("its words are {}", known.join(", ")),
                );
            }
            FieldKind::Number | FieldKind::Text | FieldKind::Stack | FieldKind::Derived => {
                sources.mistake(place, what);
            }
        }
        return None;
    }
    found
}
