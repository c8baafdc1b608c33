//! The result of a signature that matched: certainty, whether it is shown, its rank, its actions.

use std::cell::LazyCell;

use crate::pattern::Patterns;
use crate::pattern::constraint::Condition;
use crate::pattern::signature::{Certainty, Reason, Role, Scope, Severity, Signature};

use super::super::action::{ActionStatus, Hindrance, action_status, hindrance};
use super::super::built::severity_of;
use super::super::certainty::certainty;
use super::super::confidence::{Circumstances, confidence, holds};
use super::super::hits::{Hit, MatchTarget, matching};
use super::super::rank::{Ahead, ahead, ranked};
use super::super::sequence::{Search, search};
use super::super::silence::silencers;
use super::super::survey::{Stream, Survey};
use super::super::{
    conclusions_of_incidents, diagnosed, diagnosis_of_boot, explained,
    is_a_failure_that_is_explained, is_told_of_a_gpu,
};
use super::{MatchScope, Stage};

/// A signature that matched.
#[derive(Clone, Debug)]
pub struct Matched {
    /// The certainty.
    pub certainty: Certainty,
    /// The match score, from 0 to 1.
    pub match_score: f64,
    /// Every reason that can change the score, and whether it applied.
    pub(crate) reasons: Vec<(Reason, bool)>,
    /// Its severity in this log.
    pub severity: Severity,
    /// Whether and how it is shown.
    pub shown: Shown,
    /// Its actions, in the order of the file.
    pub actions: Vec<ActionAnswer>,
}

/// Whether and how a match is shown.
#[derive(Clone, Debug)]
pub enum Shown {
    /// Suppressed by these signatures, which matched as well.
    Silenced(Vec<String>),
    /// One of the incident's diagnoses.
    Diagnosis {
        /// Its role.
        role: Role,
        /// Its rank, from 1.
        rank: usize,
        /// The number of diagnoses.
        of: usize,
        /// The diagnoses before it.
        before: Vec<Before>,
    },
    /// One of the notices.
    Notice {
        /// Whether it is shown only on request.
        benign: bool,
    },
    /// Not shown: the incident is a granted request.
    Granted,
    /// Not shown: the signature applies only to requested resets, and this incident is a failure.
    NotAskedFor,
    /// Not repeated for the boot, because it was reported for an incident of this GPU.
    SaidAlready,
}

/// A diagnosis that comes before another one.
#[derive(Clone, Debug)]
pub struct Before {
    /// The id of its signature.
    pub(crate) id: String,
    pub(crate) why: Ahead,
}

/// The result for an action.
#[derive(Clone, Debug)]
pub struct ActionAnswer {
    /// The id of the advice.
    pub advice: String,
    /// Whether it is new; `None` if it was left out.
    pub standing: Option<ActionStatus>,
    /// The condition that does not hold.
    pub(crate) condition: Option<Condition>,
    /// Why it cannot be followed.
    pub(crate) hindrance: Option<Hindrance>,
}

/// The result for `signature`; `None` if it does not match.
pub(super) fn matched(
    signature: &Signature,
    ground: &MatchScope,
    stage: &Stage<'_>,
    patterns: &Patterns,
) -> Option<Matched> {
    let (stream, scene) = (stage.stream, stage.scene());
    let against = match ground {
        MatchScope::Incident { incident, .. } => MatchTarget::of(incident),
        MatchScope::Boot { .. } => MatchTarget::Boot,
    };
    let hits = matching(patterns, against, stream.known(), scene, &mut Vec::new());
    let found = match search(signature, scene) {
        Search::Found(found) => *found,
        Search::Absent | Search::GaveUp => return None,
    };
    let mine = &Hit { signature, found };
    let outcome = match ground {
        MatchScope::Incident { incident, .. } => Some(incident.outcome),
        MatchScope::Boot { .. } => None,
    };
    let conditions = stream.circumstances(scene.events, outcome);
    let severity = severity_of(mine, &conditions);
    let silencers = silencers(mine, &hits);
    let shown = if !against.suits(signature) {
        if against == MatchTarget::Request { Shown::Granted } else { Shown::NotAskedFor }
    } else if silencers.is_empty() {
        shown(mine, ground, &hits, &conditions, (stream.survey, patterns))
    } else {
        Shown::Silenced(silencers.into_iter().map(str::to_owned).collect())
    };
    let reasons = signature.confidence.reasons.iter();
    let reasons =
        reasons.map(|reason| (reason.clone(), holds(&reason.when, &mine.found, &conditions)));
    Some(Matched {
        certainty: certainty(signature, &mine.found, &conditions),
        match_score: confidence(&signature.confidence, &mine.found, &conditions).0,
        reasons: reasons.collect(),
        severity,
        shown,
        actions: actions(mine, patterns, &conditions, stream),
    })
}

fn shown(
    mine: &Hit<'_>,
    ground: &MatchScope,
    hits: &[Hit<'_>],
    conditions: &Circumstances,
    (survey, patterns): (&Survey<'_>, &Patterns),
) -> Shown {
    let signature = mine.signature;
    match ground {
        MatchScope::Incident { incident, .. } if incident.is_granted_request() => notice(mine),
        MatchScope::Incident { .. } => {
            let (role, rank, of, before) = place(mine, hits, conditions);
            Shown::Diagnosis { role, rank, of, before }
        }
        MatchScope::Boot { boot, device } => {
            let conclusions = LazyCell::new(|| conclusions_of_incidents(survey, patterns));
            let said = || {
                signature.scope == Scope::Either
                    && diagnosed(&conclusions, *boot, *device).contains(&signature.id)
            };
            let is_explained = || {
                let stream = survey.stream(*boot, *device);
                let problem = diagnosis_of_boot(mine, patterns, conditions, stream);
                let explained = explained(&conclusions.findings, survey.log);
                is_a_failure_that_is_explained(&problem, survey.log, &explained)
                    || device.is_none() && is_told_of_a_gpu(&problem, &conclusions.findings)
            };
            if said() || is_explained() { Shown::SaidAlready } else { notice(mine) }
        }
    }
}

const fn notice(mine: &Hit<'_>) -> Shown {
    Shown::Notice { benign: mine.signature.harmless }
}

/// The role and rank of `mine` among the hits that are not suppressed, and what comes before it.
fn place(
    mine: &Hit<'_>,
    hits: &[Hit<'_>],
    conditions: &Circumstances,
) -> (Role, usize, usize, Vec<Before>) {
    let said: Vec<Hit<'_>> =
        hits.iter().filter(|hit| silencers(hit, hits).is_empty()).cloned().collect();
    let order = ranked(&said, conditions);
    let id = |index: usize| said.get(index).map(|hit| hit.signature.id.as_str());
    let is_mine = |(index, _): &(usize, Role)| id(*index) == Some(mine.signature.id.as_str());
    let found = order.iter().enumerate().find(|(_, one)| is_mine(one));
    let Some((rank, (index, role))) = found else {
        unreachable!("each hit that is not silenced is ranked")
    };
    let before = order.iter().take(rank).filter_map(|(other, _)| {
        let why = ahead(&said, (*other, *index), conditions);
        Some(Before { id: id(*other)?.to_owned(), why })
    });
    (*role, rank + 1, order.len(), before.collect())
}

fn actions(
    mine: &Hit<'_>,
    patterns: &Patterns,
    conditions: &Circumstances,
    stream: Stream<'_>,
) -> Vec<ActionAnswer> {
    let answer = |action: &crate::pattern::signature::Action| {
        let advice = patterns.advice(&action.advice)?;
        let condition = action.when.clone().filter(|when| !holds(when, &mine.found, conditions));
        let hindrance = hindrance(advice, patterns, conditions, stream);
        let given = condition.is_none() && hindrance.is_none();
        Some(ActionAnswer {
            advice: action.advice.clone(),
            standing: given.then(|| action_status(advice, stream)),
            condition,
            hindrance,
        })
    };
    mine.signature.actions.iter().filter_map(answer).collect()
}
