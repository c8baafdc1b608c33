//! How sure a diagnosis is, and the list of reasons.

use crate::pattern::constraint::{Condition, LogCondition};
use crate::pattern::signature::{Confidence, Reason};

use super::sequence::{Absence, Match};

/// Nothing that a log says is more certain than this.
const MOST: f64 = 0.99;
/// A sequence that matches is never worth less than this.
const LEAST: f64 = 0.05;

/// A reason that counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// How much it added.
    pub by: f64,
    /// In words.
    pub because: String,
}

/// Whether `condition` holds for a match in a log with these properties.
#[must_use]
pub fn holds(condition: &Condition, found: &Match<'_>, log: &[LogCondition]) -> bool {
    match condition {
        Condition::Step(name) => found.steps.contains_key(name.as_str()),
        Condition::NoStep(name) => !found.steps.contains_key(name.as_str()),
        Condition::Unknown(name) => {
            matches!(found.nevers.get(name.as_str()), Some((Absence::Unknown, _)))
        }
        Condition::Log(condition) => log.contains(condition),
    }
}

/// The confidence, 0 to 1 with two decimals, and the reasons that counted.
#[must_use]
pub fn confidence(
    rule: &Confidence,
    found: &Match<'_>,
    log: &[LogCondition],
) -> (f64, Vec<Counted>) {
    let counted: Vec<Counted> = rule
        .reasons
        .iter()
        .filter(|reason| holds(&reason.when, found, log))
        .map(|Reason { by, because, .. }| Counted { by: *by, because: because.clone() })
        .collect();
    let sum = rule.base + counted.iter().map(|reason| reason.by).sum::<f64>();
    ((sum.clamp(LEAST, MOST) * 100.0).round() / 100.0, counted)
}
