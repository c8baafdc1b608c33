//! Steps that can never match: kinds that no message produces, fields that no message fills,
//! contradictory tests.

use std::collections::{BTreeMap, BTreeSet};

use crate::kind::{Effect, Kind, Part};
use crate::pattern::constraint::{Operand, Test};
use crate::pattern::message::Message;
use crate::pattern::signature::EventMatcher;
use crate::value::field::{FieldKind, Value};

/// Fields that are filled without a conversion: from a process listing, from the hardware tables,
/// or computed from other fields (`event/completion.rs`).
const COMPLETED: [(Kind, &[&str]); 13] = [
    (Kind::BlockedTask, &["task", "state", "pid", "wait_channel", "queue"]),
    (Kind::HungTask, &["queue"]),
    (Kind::FirmwareMissing, &["stops"]),
    (Kind::KernelOops, &["words", "words_line", "earlier", "sleep", "sleep_line"]),
    (Kind::IommuFault, &["access"]),
    (
        Kind::PageFault,
        &["hub", "space", "client", "clients", "tried", "null", "emptied", "disagrees"],
    ),
    (Kind::SavedCrash, &["engine", "fault", "busy"]),
    (
        Kind::CommandLine,
        &["words", "no_such", "power_added", "power_removed", "display_off", "without_effect"],
    ),
    (Kind::GpuName, &["target"]),
    (Kind::IpBlockFailed, &["during"]),
    (Kind::ResetMethodChosen, &["during"]),
    (Kind::RingTimeout, &["finished"]),
    (Kind::RingTestFailed, &["during"]),
];

/// The kinds that messages produce, with the fields that they fill.
pub(super) struct ProducedFields(BTreeMap<Kind, BTreeSet<String>>);

impl ProducedFields {
    pub(super) fn new<'m>(messages: impl Iterator<Item = &'m Message>) -> Self {
        let mut printed: BTreeMap<Kind, BTreeSet<String>> = BTreeMap::new();
        // A row of a process listing is an event without a message.
        printed.entry(Kind::BlockedTask).or_default();
        for message in messages {
            let constants = message.constants.keys().cloned();
            let forms = message.forms.iter().flat_map(|form| form.fields(&message.kinds));
            let names: BTreeSet<String> = constants.chain(forms).collect();
            for kind in &message.kinds {
                printed.entry(*kind).or_default().extend(names.iter().cloned());
            }
        }
        for (kind, names) in COMPLETED {
            if let Some(fields) = printed.get_mut(&kind) {
                fields.extend(names.iter().map(|name| (*name).to_owned()));
            }
        }
        Self(printed)
    }

    /// Why no event of this kind can match; `in_incident` if only events of an incident are
    /// searched.
    pub(super) fn never(
        &self,
        kind: Kind,
        wanted: &EventMatcher,
        in_incident: bool,
    ) -> Option<String> {
        let name = kind.name();
        let Some(filled) = self.0.get(&kind) else {
            return Some(format!("no message becomes a {name} event"));
        };
        if in_incident && kind.part() == Part::Context && !joins(kind) {
            return Some(format!(
                "a {name} event says nothing of a failure and is in no incident; \
                 `reach = \"boot\"` looks for it in the boot"
            ));
        }
        for (field, test) in &wanted.tests {
            let definition = kind.fields().iter().find(|known| known.name == field);
            let derived = definition.is_some_and(|known| known.kind == FieldKind::Derived);
            if needs_a_value(test) && definition.is_none() {
                return Some(format!("a {name} event has no field `{field}`"));
            }
            if needs_a_value(test) && !derived && !filled.contains(field) {
                return Some(format!("no message of a {name} event fills `{field}`"));
            }
        }
        None
    }
}

/// Whether events that report no failure can still join an incident: they show that a lost GPU is
/// back.
const fn joins(kind: Kind) -> bool {
    matches!(kind.recovery(), Effect::TakesTheGpuBack | Effect::TakesTheGpuBackIfPowered)
}

/// The field with contradictory tests.
pub(super) fn contradiction(wanted: &EventMatcher) -> Option<&str> {
    let mut by_field: BTreeMap<&str, Vec<&Test>> = BTreeMap::new();
    for (field, test) in &wanted.tests {
        by_field.entry(field).or_default().push(test);
    }
    by_field.into_iter().find(|(_, tests)| contradict(tests)).map(|(field, _)| field)
}

/// Whether a missing field fails the test.
const fn needs_a_value(test: &Test) -> bool {
    match test {
        Test::Is(_)
        | Test::Between(..)
        | Test::Length(..)
        | Test::Fits(_)
        | Test::Misfits(_)
        | Test::Known(true) => true,
        Test::Maybe(_) | Test::IsNot(_) | Test::Known(false) => false,
    }
}

fn contradict(tests: &[&Test]) -> bool {
    let untold = tests.iter().any(|test| matches!(test, Test::Known(false)));
    if untold && tests.iter().any(|test| needs_a_value(test)) {
        return true;
    }
    let (mut least, mut most) = (i64::MIN, i64::MAX);
    let mut some_between = false;
    for test in tests {
        if let Test::Between(min, max) = test {
            some_between = true;
            least = least.max(min.unwrap_or(i64::MIN));
            most = most.min(max.unwrap_or(i64::MAX));
        }
    }
    if some_between && least > most {
        return true;
    }
    let passes_all = |operand: &Operand| {
        let value = match operand {
            Operand::Number(number) => Value::Number(*number),
            Operand::Word(word) => Value::Word(word.clone()),
        };
        tests.iter().all(|test| test.passes(Some(&value)))
    };
    let passes_untold = tests.iter().all(|test| test.passes(None));
    tests.iter().any(|test| match test {
        Test::Is(operands) => !operands.iter().any(passes_all),
        Test::Maybe(operands) => !passes_untold && !operands.iter().any(passes_all),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;

    fn wanted(kind: Kind, field: &str, tests: &[Test]) -> EventMatcher {
        let tests = tests.iter().map(|test| (field.to_owned(), test.clone())).collect();
        EventMatcher { kinds: vec![kind], tests, ..EventMatcher::default() }
    }

    #[test]
    fn demands_that_exclude_each_other_are_found() {
        let is = |number| Test::Is(vec![Operand::Number(number)]);
        let not = |number| Test::IsNot(vec![Operand::Number(number)]);
        let maybe = |number| Test::Maybe(vec![Operand::Number(number)]);
        for (tests, want) in [
            (vec![Test::Between(Some(1), Some(7)), not(0)], false),
            (vec![Test::Between(Some(5), Some(2))], true),
            (vec![is(3), not(3)], true),
            (vec![is(3), not(4)], false),
            (vec![Test::Known(false), Test::Known(true)], true),
            (vec![Test::Known(false), not(3)], false),
            (vec![maybe(3), not(3)], false),
            (vec![maybe(3), not(3), Test::Known(true)], true),
        ] {
            let found = contradiction(&wanted(Kind::PageFault, "vmid", &tests)).is_some();
            assert_eq!(found, want, "{tests:?}");
        }
    }

    #[test]
    fn a_field_that_no_message_fills_is_dead() {
        let patterns = crate::builtin::patterns();
        let printed = ProducedFields::new(patterns.messages.iter());
        let vmid = wanted(Kind::PageFault, "vmid", &[Test::Known(true)]);
        assert_eq!(printed.never(Kind::PageFault, &vmid, true), None);
        let none = ProducedFields::new(iter::empty()).never(Kind::PageFault, &vmid, true);
        assert_eq!(none.as_deref(), Some("no message becomes a page-fault event"));
        // Rows of a process listing are not messages.
        let queue = wanted(Kind::BlockedTask, "queue", &[Test::Known(true)]);
        assert_eq!(
            ProducedFields::new(iter::empty()).never(Kind::BlockedTask, &queue, false),
            None
        );
        let banner = EventMatcher { kinds: vec![Kind::KernelBanner], ..EventMatcher::default() };
        assert!(printed.never(Kind::KernelBanner, &banner, true).is_some());
        assert_eq!(printed.never(Kind::KernelBanner, &banner, false), None);
        let of_begin = patterns.messages.iter().filter(|message| {
            let fields: Vec<String> =
                message.forms.iter().flat_map(|form| form.fields(&message.kinds)).collect();
            let is_it = message.kinds.contains(&Kind::ResetBegin);
            let sets = message.constants.iter().any(|(name, _)| name == "source");
            is_it && !sets && !fields.iter().any(|name| name == "source")
        });
        let printed = ProducedFields::new(of_begin);
        let source = wanted(Kind::ResetBegin, "source", &[Test::Known(true)]);
        let told = printed.never(Kind::ResetBegin, &source, true);
        assert_eq!(told.as_deref(), Some("no message of a reset-begin event fills `source`"));
        let without = EventMatcher { tests: Vec::new(), ..source };
        assert_eq!(printed.never(Kind::ResetBegin, &without, true), None);
    }
}
