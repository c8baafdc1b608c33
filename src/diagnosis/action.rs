//! Advice for a diagnosis: what is in force already is said to be, what cannot work is left out.

use crate::pattern::Patterns;
use crate::pattern::advice::{Advice, Setting};
use crate::pattern::signature::Signature;
use crate::value::PciAddress;

use super::confidence::{Circumstances, holds};
use super::sequence::Match;
use super::survey::Survey;

/// Whether advice is new to this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(const_into_str, serialize_all = "kebab-case")]
pub enum Standing {
    /// Worth doing.
    Suggested,
    /// In force already, by the log.
    AlreadyActive,
    /// Set already, and the driver ignored it.
    NoEffect,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What to do, with the GPU's address filled in.
    pub advice: Advice,
    /// Whether it is new.
    pub standing: Standing,
}

/// Where the advice is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine<'l> {
    /// The log.
    pub(super) survey: &'l Survey<'l>,
    /// The boot.
    pub(super) boot: usize,
    /// The GPU.
    pub(super) device: Option<PciAddress>,
}

/// The actions of `signature`, what is worth doing first.
#[must_use]
pub(super) fn actions(
    signature: &Signature,
    patterns: &Patterns,
    found: &Match<'_>,
    conditions: &Circumstances,
    machine: Machine<'_>,
) -> Vec<Action> {
    let fits = |when: &Option<_>| when.as_ref().is_none_or(|when| holds(when, found, conditions));
    let mut actions: Vec<Action> = signature
        .actions
        .iter()
        .filter(|action| fits(&action.when))
        .filter_map(|action| patterns.advice(&action.advice))
        .filter(|advice| hindrance(advice, patterns, machine).is_none())
        .map(|advice| prepared(advice, machine))
        .collect();
    actions.sort_by_key(|action| action.standing);
    actions
}

/// Why advice cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// The boot that it is about is over.
    BootIsOver,
    /// The driver of this kernel has no such parameter.
    NoParameter(String),
}

/// Why the advice cannot be followed: the boot must still run, or the driver of this kernel lacks the
/// parameter that is to be set.
pub(super) fn hindrance(
    advice: &Advice,
    patterns: &Patterns,
    machine: Machine<'_>,
) -> Option<Hindrance> {
    if advice.now && machine.boot + 1 < machine.survey.log.boots.len() {
        return Some(Hindrance::BootIsOver);
    }
    let name = advice.sets.as_ref()?.parameter.strip_prefix("amdgpu.")?;
    let kernel =
        machine.survey.log.boots.get(machine.boot).and_then(crate::event::log::Boot::version);
    let parameter = patterns.hardware.parameter(name);
    let has = parameter.is_some_and(|parameter| parameter.exists_in(kernel) != Some(false));
    (!has).then(|| Hindrance::NoParameter(name.to_owned()))
}

/// Whether advice is new, told by what it sets.
pub(super) fn standing_of(advice: &Advice, machine: Machine<'_>) -> Standing {
    advice.sets.as_ref().map_or(Standing::Suggested, |sets| standing(sets, machine))
}

fn prepared(advice: &Advice, machine: Machine<'_>) -> Action {
    let device = machine.device.map_or_else(|| "PCI_ADDRESS".to_owned(), |d| d.to_string());
    Action { standing: standing_of(advice, machine), advice: advice.filled(&device) }
}

fn standing(setting: &Setting, machine: Machine<'_>) -> Standing {
    let line =
        machine.survey.log.boots.get(machine.boot).and_then(|boot| boot.command_line.as_deref());
    let wanted = format!("{}={}", setting.parameter, setting.value);
    let set = line.is_some_and(|line| {
        // A later word overrides an earlier one.
        let mut words = line.split_whitespace().rev();
        let name = format!("{}=", setting.parameter);
        words
            .find(|word| word.starts_with(&name))
            .is_some_and(|word| word.eq_ignore_ascii_case(&wanted))
    });
    let ignored = setting
        .parameter
        .strip_prefix("amdgpu.")
        .is_some_and(|name| machine.survey.ignores(machine.boot, name));
    match (ignored, set) {
        (true, _) => Standing::NoEffect,
        (false, true) => Standing::AlreadyActive,
        (false, false) => Standing::Suggested,
    }
}
