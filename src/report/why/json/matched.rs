//! The result of a match.

use serde::Serialize;

use super::super::words;
use crate::diagnosis::action::ActionStatus;
use crate::diagnosis::why::{Matched, Shown};
use crate::pattern::signature::{Certainty, Role, Severity, Signature};
use crate::report::explain::words::condition;

/// The result of a match.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MatchResult"))]
pub(super) struct ResultObject<'w> {
    /// Whether and how the match is shown.
    shown: Visibility,
    /// Its role in the incident; null unless it is a diagnosis.
    role: Option<Role>,
    /// Its rank among the diagnoses of the incident, from 1; null unless it is a diagnosis.
    rank: Option<usize>,
    /// The number of these diagnoses; null unless it is a diagnosis.
    of: Option<usize>,
    /// The severity in this log.
    severity: Severity,
    /// The certainty.
    certainty: Certainty,
    /// The match score, from 0 to 1. It is not a probability.
    match_score: f64,
    /// The match score before any reason applies.
    base: f64,
    /// All reasons that can change the score.
    reasons: Vec<CountedObject<'w>>,
    /// The matching signatures that suppress it.
    silenced_by: &'w [String],
    /// The diagnoses before it.
    before: Vec<BeforeObject<'w>>,
    /// Its actions, in the order of the file.
    actions: Vec<ActionObject<'w>>,
}

/// Whether and how a match is shown.
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

/// A reason that changes the match score.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PossibleReason"))]
struct CountedObject<'w> {
    /// The change of the score, from -1 to 1.
    by: f64,
    /// The reason, in words.
    because: &'w str,
    /// The condition, in words.
    when: String,
    /// Whether it applied.
    counted: bool,
}

/// A diagnosis that comes before another one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BeforeObject<'w> {
    /// The id of its signature.
    id: &'w str,
    /// Why.
    why: String,
}

/// The result for an action.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ActionAnswer"))]
struct ActionObject<'w> {
    /// The id of the advice.
    id: &'w str,
    /// Whether it was already followed on this machine; null if it is omitted.
    status: Option<ActionStatus>,
    /// Why it is omitted, in words; null if it is not.
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
