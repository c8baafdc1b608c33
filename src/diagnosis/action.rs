//! Selects advice for a diagnosis: marks what is in effect already, and omits what cannot work.

use std::rc::Rc;

use serde::Serialize;

use crate::pattern::Patterns;
use crate::pattern::advice::{Advice, Command, Setting, Trust};
use crate::pattern::constraint::{Condition, LogCondition};
use crate::pattern::signature::{Role, Signature};
use crate::value::{AdvicePhase, DistributionFamily};

use super::Diagnosis;
use super::confidence::{Circumstances, fits, holds};
use super::sequence::Match;
use super::survey::Stream;

/// Whether advice was already followed on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ActionStatus {
    /// Recommended.
    Suggested,
    /// Already in effect, according to the log.
    AlreadyActive,
    /// Already set, but ignored by the driver.
    NoEffect,
}

/// An action to take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(with = "ActionObject"))]
#[serde(into = "ActionObject")]
pub struct Action {
    /// What to do, with the GPU's address filled in.
    pub advice: Rc<Advice>,
    /// Whether it is new.
    pub(crate) standing: ActionStatus,
}

impl Action {
    /// Whether it is not in effect already.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.standing == ActionStatus::Suggested
    }

    /// Whether it is to be done at once.
    pub(crate) fn is_urgent(&self) -> bool {
        match self.advice.phase {
            AdvicePhase::Now => true,
            // What is about to vanish.
            AdvicePhase::Collect => self.advice.while_running && self.is_new(),
            AdvicePhase::Fix | AdvicePhase::NarrowDown | AdvicePhase::Report => false,
        }
    }
}

/// Something to do at once.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Urgent<'a> {
    /// What follows from how the incident ended.
    ByOutcome,
    /// Advice.
    Advice(&'a Action),
}

/// What to do at once, where `actions` are recommended: first what is about to vanish. If the GPU
/// works and the failure comes back, restarting programs is no advice.
pub(crate) fn at_once<'a>(actions: &[&'a Action], comes_back: bool) -> Vec<Urgent<'a>> {
    let advice = |phase| {
        let all = actions.iter().copied().filter(|action| action.is_urgent());
        all.filter(move |action| action.advice.phase == phase).map(Urgent::Advice)
    };
    let mut now: Vec<Urgent<'a>> =
        if comes_back { Vec::new() } else { advice(AdvicePhase::Now).collect() };
    if now.is_empty() {
        now.push(Urgent::ByOutcome);
    }
    now.splice(0..0, advice(AdvicePhase::Collect));
    now
}

/// How an action is serialised: its advice is stored with the patterns, in another order.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ActionObject {
    /// The action in one line.
    summary: String,
    /// Shell commands, one for each family of distributions; only those of the machine's own family
    /// if that is known.
    commands: Vec<CommandObject>,
    /// The phase in which the action is useful.
    phase: AdvicePhase,
    /// The reason why it may help.
    why: String,
    /// Its risks and costs.
    risk: String,
    /// How to check that it took effect.
    verify: String,
    /// Quality of the evidence: A documented, B reproduced by several users, C one report.
    trust: Trust,
    /// Whether the log shows that it was already done.
    status: ActionStatus,
    /// The stable identifier.
    id: String,
    /// The source of the advice.
    source: String,
}

/// Shell commands for one family of distributions.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Command"))]
pub(crate) struct CommandObject {
    /// The family.
    family: DistributionFamily,
    /// Lines for a shell.
    command: String,
    /// A remark on its use: for which distribution of the family, or what to fill in.
    comment: Option<String>,
}

impl CommandObject {
    /// One for each family that `command` is for.
    pub(crate) fn of(command: &Command) -> impl Iterator<Item = Self> + '_ {
        let names = command.distributions.join(", ");
        let comment = match (&command.comment, names.is_empty()) {
            (comment, true) => comment.clone(),
            (None, false) => Some(names),
            (Some(comment), false) => Some(format!("{names}: {comment}")),
        };
        command.families.iter().map(move |family| Self {
            family: *family,
            command: command.text.clone(),
            comment: comment.clone(),
        })
    }
}

impl From<Action> for ActionObject {
    fn from(Action { advice, standing }: Action) -> Self {
        let commands = advice.commands.iter().flat_map(CommandObject::of).collect();
        let advice = Rc::unwrap_or_clone(advice);
        let Advice { id, phase, summary, why, risk, verify, trust, source, .. } = advice;
        let verify = verify.to_string();
        Self { summary, commands, phase, why, risk, verify, trust, status: standing, id, source }
    }
}

/// The actions of `signature`, by phase and within a phase in the order of the file.
pub(super) fn actions(
    signature: &Signature,
    patterns: &Patterns,
    found: &Match<'_>,
    conditions: &Circumstances,
    stream: Stream<'_>,
) -> Vec<Action> {
    let given = |advice: &&Advice| hindrance(advice, patterns, conditions, stream).is_none();
    let mut actions: Vec<Action> = signature
        .actions
        .iter()
        .filter(|action| fits(action.when.as_ref(), found, conditions))
        .filter_map(|action| patterns.advice(&action.advice))
        .filter(given)
        .map(|advice| Action {
            standing: action_status(advice, stream),
            advice: stream.survey.advice(advice, stream, &patterns.distributions),
        })
        .collect();
    actions.sort_by_key(|action| (action.standing, action.advice.phase));
    actions
}

/// Why advice cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    /// The boot in question is over.
    BootIsOver,
    /// The driver of this kernel does not have this parameter.
    NoParameter(String),
    /// It is for other classes of hardware.
    OtherHardware,
    /// The advice is useless, or was followed already, because this condition holds.
    RuledOut(Condition),
}

/// Why the advice cannot be followed: it needs the failed boot, it is for other hardware, the
/// driver does not have its parameter, or its own conditions exclude it.
pub(super) fn hindrance(
    advice: &Advice,
    patterns: &Patterns,
    conditions: &Circumstances,
    stream: Stream<'_>,
) -> Option<Hindrance> {
    if advice.while_running && stream.boot + 1 < stream.log().boots.len() {
        return Some(Hindrance::BootIsOver);
    }
    if !advice.classes.is_empty() && !stream.known().classes.may_be(&advice.classes) {
        return Some(Hindrance::OtherHardware);
    }
    if stream.log().is_of_windows() && !advice.windows {
        return Some(Hindrance::RuledOut(Condition::Log(LogCondition::Windows)));
    }
    let no_steps = Match::default();
    let ruled_out = advice.not_when.iter().find(|one| holds(one, &no_steps, conditions));
    if let Some(condition) = ruled_out {
        return Some(Hindrance::RuledOut(condition.clone()));
    }
    let name = advice.sets.as_ref()?.parameter.strip_prefix("amdgpu.")?;
    let parameter = patterns.hardware.parameter(name);
    let has = parameter.is_some_and(|it| it.exists_in(stream.kernel()) != Some(false));
    (!has).then(|| Hindrance::NoParameter(name.to_owned()))
}

/// Moves urgent actions to the first diagnosis with any actions, whichever recommends them, because
/// they concern the incident as a whole.
pub(super) fn gather_what_is_urgent(diagnoses: &mut [Diagnosis]) {
    let advises = |diagnosis: &Diagnosis| diagnosis.actions.iter().any(Action::is_new);
    let Some(first) = diagnoses.iter().position(advises) else { return };
    let Some((head, others)) = diagnoses.get_mut(first..).and_then(<[_]>::split_first_mut) else {
        return;
    };
    for action in others.iter().flat_map(|other| &other.actions) {
        let is_urgent = action.is_new() && action.advice.phase == AdvicePhase::Now;
        if is_urgent && head.actions.iter().all(|own| own.advice.id != action.advice.id) {
            head.actions.push(action.clone());
        }
    }
    head.actions.sort_by_key(|action| (action.standing, action.advice.phase));
}

/// The actions after an incident with these diagnoses, each once: urgent ones first; then those
/// that may remove the cause or, without any, those that may remove an effect; then those that
/// narrow down, collect and report. The first action is one of the first diagnosis that has any.
/// Actions in effect already come last.
pub(super) fn in_order(diagnoses: &[Diagnosis]) -> Vec<&Action> {
    let head =
        diagnoses.iter().find_map(|one| Some((one, one.actions.iter().find(|it| it.is_new())?)));
    let is_fix = |action: &Action| action.is_new() && action.advice.phase == AdvicePhase::Fix;
    let on_the_way = |diagnosis: &Diagnosis| {
        head.is_some_and(|(first, _)| first.id == diagnosis.id)
            || matches!(diagnosis.role, Role::RootCause | Role::Mechanism)
    };
    let mut causes = diagnoses.iter().filter(|one| on_the_way(one));
    let cause_has_fix = causes.any(|one| one.actions.iter().any(is_fix));
    let mut actions: Vec<&Action> = Vec::new();
    for diagnosis in diagnoses {
        let is_effect = cause_has_fix && !on_the_way(diagnosis);
        for action in diagnosis.actions.iter().filter(|action| !(is_effect && is_fix(action))) {
            if actions.iter().all(|known| known.advice.id != action.advice.id) {
                actions.push(action);
            }
        }
    }
    actions.sort_by_key(|action| (action.standing, action.advice.phase));
    let place = |head: &Action| actions.iter().position(|one| one.advice.id == head.advice.id);
    if let Some(place) = head.and_then(|(_, head)| place(head)) {
        // It may have a later phase than an action for an effect.
        actions[..=place].rotate_right(1);
    }
    actions
}

/// Whether advice is new, judged by the parameter that it sets.
pub(super) fn action_status(advice: &Advice, stream: Stream<'_>) -> ActionStatus {
    let Some(Setting { parameter, value }) = &advice.sets else { return ActionStatus::Suggested };
    let line = stream.in_log().and_then(|boot| boot.command_line.as_deref());
    // A later setting overrides an earlier one.
    let mut words = line.into_iter().flat_map(|line| line.split_whitespace().rev());
    let set = words.find_map(|word| word.strip_prefix(parameter.as_str())?.strip_prefix('='));
    let name = parameter.strip_prefix("amdgpu.");
    if name.is_some_and(|name| stream.survey.ignores(stream.boot, name)) {
        ActionStatus::NoEffect
    } else if set.is_some_and(|set| set.eq_ignore_ascii_case(value)) {
        ActionStatus::AlreadyActive
    } else {
        ActionStatus::Suggested
    }
}

#[cfg(test)]
mod tests;
