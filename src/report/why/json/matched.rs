//! The result of a match.

use serde::Serialize;

use super::super::words;
use crate::diagnosis::action::ActionStatus;
use crate::diagnosis::why::{Matched, Shown};
use crate::pattern::signature::{Certainty, Role, Severity, Signature};
use crate::report::explain::words::condition;

/// What follows from a match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MatchResult"))]
pub(super) struct ResultObject<'w> {
    /// The result.
    shown: Visibility,
    /// Its role in the incident.
    role: Option<Role>,
    /// Where it stands among the incident's diagnoses, counted from 1.
    rank: Option<usize>,
    /// Of how many.
    of: Option<usize>,
    /// How bad it is here.
    severity: Severity,
    /// The certainty.
    certainty: Certainty,
    /// How well the lines fit, from 0 to 1. It measures no probability.
    match_score: f64,
    /// How well before any reason counts.
    base: f64,
    /// Every reason for which they fit better or worse.
    reasons: Vec<CountedObject<'w>>,
    /// The signatures that it keeps still for.
    silenced_by: &'w [String],
    /// What stands before it.
    before: Vec<BeforeObject<'w>>,
    /// What it advises.
    actions: Vec<ActionObject<'w>>,
}

/// The result of a match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MatchFate"))]
#[serde(rename_all = "kebab-case")]
enum Visibility {
    Silenced,
    Diagnosis,
    Notice,
    NotShownResetWasAskedFor,
    NotShownResetWasNotAskedFor,
    NotShownSaidOfAnIncident,
}

/// A reason to be more or less sure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PossibleReason"))]
struct CountedObject<'w> {
    /// By how much, from -1 to 1.
    by: f64,
    /// Why.
    because: &'w str,
    /// When it counts, in words.
    when: String,
    /// Whether it counted here.
    counted: bool,
}

/// A diagnosis that stands before another one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BeforeObject<'w> {
    /// Its signature.
    id: &'w str,
    /// Why.
    why: String,
}

/// The result for an action.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ActionAnswer"))]
struct ActionObject<'w> {
    /// The advice.
    id: &'w str,
    /// Whether it is new to this machine; null where it is left out.
    status: Option<ActionStatus>,
    /// Why it is omitted, in words.
    left_out: Option<String>,
}

/// The result of a match of `signature`.
pub(super) fn result<'w>(matched: &'w Matched, signature: &'w Signature) -> ResultObject<'w> {
    let reasons = matched.reasons.iter().map(|(reason, counted)| CountedObject {
        by: reason.by,
        because: &reason.because,
        when: condition(&reason.when),
        counted: *counted,
    });
    let actions = matched.actions.iter().map(|action| ActionObject {
        id: &action.advice,
        status: action.standing,
        left_out: action.standing.is_none().then(|| words::action(action)),
    });
    let mut object = ResultObject {
        shown: Visibility::Diagnosis,
        role: None,
        rank: None,
        of: None,
        severity: matched.severity,
        certainty: matched.certainty,
        match_score: matched.match_score,
        base: signature.confidence.base,
        reasons: reasons.collect(),
        silenced_by: &[],
        before: Vec::new(),
        actions: actions.collect(),
    };
    object.shown = match &matched.shown {
        Shown::Silenced(by) => {
            object.silenced_by = by;
            Visibility::Silenced
        }
        Shown::Diagnosis { role, rank, of, before } => {
            object.role = Some(*role);
            (object.rank, object.of) = (Some(*rank), Some(*of));
            let before = before.iter();
            object.before =
                before.map(|one| BeforeObject { id: &one.id, why: words::before(one) }).collect();
            Visibility::Diagnosis
        }
        Shown::Notice { .. } => Visibility::Notice,
        Shown::Granted => Visibility::NotShownResetWasAskedFor,
        Shown::NotAskedFor => Visibility::NotShownResetWasNotAskedFor,
        Shown::SaidAlready => Visibility::NotShownSaidOfAnIncident,
    };
    object
}
