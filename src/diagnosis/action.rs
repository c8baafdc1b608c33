//! Advice for a diagnosis: what is in force already is said to be, what cannot work is left out.

use std::rc::Rc;

use serde::Serialize;

use crate::pattern::Patterns;
use crate::pattern::advice::{Advice, Setting, Trust};
use crate::pattern::signature::Signature;

use super::confidence::{Circumstances, fits};
use super::sequence::Match;
use super::survey::Stream;

/// Whether advice is new to this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Worth doing.
    Suggested,
    /// In force already, by the log.
    AlreadyActive,
    /// Set already, and the driver ignored it.
    NoEffect,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(with = "ActionObject"))]
#[serde(into = "ActionObject")]
pub struct Action {
    /// What to do, with the GPU's address filled in.
    pub(crate) advice: Rc<Advice>,
    /// Whether it is new.
    pub(crate) standing: Standing,
}

/// How an action is serialised: its advice is stored with the patterns, in another order.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ActionObject {
    /// What to do, in one line.
    summary: String,
    /// What to type; lines that begin with `#` say for whom.
    command: Option<String>,
    /// Why it may help.
    why: String,
    /// What it may cost.
    risk: String,
    /// How to see that it took effect.
    verify: String,
    /// How well it is founded: A documented, B reproduced by several users, C one report.
    trust: Trust,
    /// Whether it is new to this machine.
    status: Standing,
    /// Its stable name.
    id: String,
    /// On what it is founded.
    source: String,
}

impl From<Action> for ActionObject {
    fn from(Action { advice, standing }: Action) -> Self {
        let advice = Rc::unwrap_or_clone(advice);
        let Advice { id, summary, command, why, risk, verify, trust, source, .. } = advice;
        let verify = verify.to_string();
        Self { summary, command, why, risk, verify, trust, status: standing, id, source }
    }
}

/// The actions of `signature`, what is worth doing first.
pub(super) fn actions(
    signature: &Signature,
    patterns: &Patterns,
    found: &Match<'_>,
    conditions: &Circumstances,
    stream: Stream<'_>,
) -> Vec<Action> {
    let mut actions: Vec<Action> = signature
        .actions
        .iter()
        .filter(|action| fits(action.when.as_ref(), found, conditions))
        .filter_map(|action| patterns.advice(&action.advice))
        .filter(|advice| hindrance(advice, patterns, stream).is_none())
        .map(|advice| Action {
            standing: standing(advice, stream),
            advice: stream.survey.advice(advice, stream.device),
        })
        .collect();
    actions.sort_by_key(|action| action.standing);
    actions
}

/// Why advice cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    /// The boot that it is about is over.
    BootIsOver,
    /// The driver of this kernel has no such parameter.
    NoParameter(String),
    /// It is for other classes of hardware.
    OtherHardware,
}

/// Why the advice cannot be followed: the boot must still run, the GPU is of another class, or the driver
/// of this kernel lacks the parameter that is to be set.
pub(super) fn hindrance(
    advice: &Advice,
    patterns: &Patterns,
    stream: Stream<'_>,
) -> Option<Hindrance> {
    if advice.now && stream.boot + 1 < stream.log().boots.len() {
        return Some(Hindrance::BootIsOver);
    }
    if !advice.classes.is_empty() && !stream.known().classes.may_be(&advice.classes) {
        return Some(Hindrance::OtherHardware);
    }
    let name = advice.sets.as_ref()?.parameter.strip_prefix("amdgpu.")?;
    let parameter = patterns.hardware.parameter(name);
    let has = parameter.is_some_and(|it| it.exists_in(stream.kernel()) != Some(false));
    (!has).then(|| Hindrance::NoParameter(name.to_owned()))
}

/// Whether advice is new, by what it sets.
pub(super) fn standing(advice: &Advice, stream: Stream<'_>) -> Standing {
    let Some(Setting { parameter, value }) = &advice.sets else { return Standing::Suggested };
    let line = stream.in_log().and_then(|boot| boot.command_line.as_deref());
    // A later word overrides an earlier one.
    let mut words = line.into_iter().flat_map(|line| line.split_whitespace().rev());
    let set = words.find_map(|word| word.strip_prefix(parameter.as_str())?.strip_prefix('='));
    let name = parameter.strip_prefix("amdgpu.");
    if name.is_some_and(|name| stream.survey.ignores(stream.boot, name)) {
        Standing::NoEffect
    } else if set.is_some_and(|set| set.eq_ignore_ascii_case(value)) {
        Standing::AlreadyActive
    } else {
        Standing::Suggested
    }
}
