//! The match score with its reasons, and the evaluation of conditions.

use serde::Serialize;

use crate::pattern::constraint::{Condition, Known, LogCondition};
use crate::pattern::hardware::{Fit, Silicon};
use crate::pattern::signature::{Confidence, Reason};
use crate::value::{KernelVersion, Outcome};

use super::sequence::{Absence, Match};

/// Maximum score.
const MOST: f64 = 0.99;
/// Minimum score of a match.
const LEAST: f64 = 0.05;

/// A reason that changed the match score.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Reason"))]
pub(crate) struct Counted {
    /// The change.
    #[cfg_attr(test, schemars(range(min = -1, max = 1)))]
    pub by: f64,
    /// The reason in words.
    pub because: String,
}

/// What conditions refer to in addition to the match.
#[derive(Clone, Debug, Default)]
pub(crate) struct Circumstances {
    /// Properties of the log.
    pub log: Vec<LogCondition>,
    pub gpu: Known,
    /// The kernel, if the log names it.
    pub kernel: Option<KernelVersion>,
    /// The outcome of the incident; `None` for a notice.
    pub outcome: Option<Outcome>,
}

/// Whether `condition` holds for a match in these circumstances.
pub(crate) fn holds(condition: &Condition, found: &Match<'_>, around: &Circumstances) -> bool {
    match condition {
        Condition::Step(name) => found.steps.contains_key(name.as_str()),
        Condition::NoStep(name) => !found.steps.contains_key(name.as_str()),
        Condition::Unknown(name) => {
            matches!(found.nevers.get(name.as_str()), Some((Absence::Unknown, _)))
        }
        Condition::Log(condition) => around.log.contains(condition),
        Condition::Gfx(patterns) => {
            let silicon = match (around.gpu.target, around.gpu.generation) {
                (Some(target), _) => Silicon::from(target),
                (None, Some(generation)) => Silicon::from(generation),
                (None, None) => return false,
            };
            patterns.iter().any(|pattern| pattern.fit(silicon) == Fit::Yes)
        }
        Condition::Kind(kind) => around.gpu.kind == Some(*kind),
        Condition::Chip(fact) => around.gpu.has(&[*fact]),
        Condition::Class(classes) => around.gpu.classes.is(classes),
        Condition::Kernel(range) => around.kernel.is_some_and(|kernel| range.contains(kernel)),
        Condition::Outcome(outcomes) => {
            around.outcome.is_some_and(|outcome| outcomes.contains(&outcome))
        }
        Condition::Not(inner) => !holds(inner, found, around),
        Condition::All(all) => all.iter().all(|one| holds(one, found, around)),
    }
}

/// Whether `condition` holds, or is absent.
pub(crate) fn fits(
    condition: Option<&Condition>,
    found: &Match<'_>,
    around: &Circumstances,
) -> bool {
    condition.is_none_or(|condition| holds(condition, found, around))
}

/// The score from 0 to 1, rounded to two decimals, and the reasons that applied.
pub(crate) fn confidence(
    rule: &Confidence,
    found: &Match<'_>,
    around: &Circumstances,
) -> (f64, Vec<Counted>) {
    let counted: Vec<Counted> = rule
        .reasons
        .iter()
        .filter(|reason| holds(&reason.when, found, around))
        .map(|Reason { by, because, .. }| Counted { by: *by, because: because.clone() })
        .collect();
    let sum = rule.base + counted.iter().map(|reason| reason.by).sum::<f64>();
    ((sum.clamp(LEAST, MOST) * 100.0).round() / 100.0, counted)
}
