//! Judges facts about a machine by the states in `patterns/machine`.
//!
//! Independent of logs and of the output format. Every finding rests on a fact that was read; what
//! could not be read is reported as not judged.

pub(crate) mod gaps;
mod gpus;
mod settings;
mod tasks;
#[cfg(test)]
mod tests;
mod versions;

use serde::Serialize;

pub(crate) use tasks::of_a_gpu;

use crate::diagnosis::action::{Action, ActionStatus};
use crate::diagnosis::verdict::Verdict;
use crate::diagnosis::{Conclusions, Finding};
use crate::host::{Host, Unread};
use crate::pattern::Patterns;
use crate::pattern::advice::Advice;
use crate::pattern::hardware::{Chip, Silicon};
use crate::pattern::machine::{About, Condition, State};
use crate::pattern::signature::Severity;
use crate::value::{Named, PciAddress, PciId};

/// The verdict on the machine.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum MachineVerdict {
    /// No problem was found in what could be checked.
    Clean,
    /// A problem was found, but no failure.
    Warning,
    /// Too little could be checked for a verdict.
    Unknown,
    /// A failure was found.
    Failure,
}

impl MachineVerdict {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// The worse of this and the verdict on the kernel log. A failure that is over is a warning:
    /// the GPU works now.
    pub(crate) fn with_log(self, log: Verdict, is_over: bool) -> Self {
        self.max(match log {
            Verdict::Failure if is_over => Self::Warning,
            Verdict::Failure => Self::Failure,
            Verdict::Warning => Self::Warning,
            Verdict::Clean | Verdict::Incomplete | Verdict::NoKernelLog => Self::Clean,
        })
    }
}

/// Whether every GPU that failed in a log works again, as far as the log shows.
pub(crate) fn is_over(conclusions: &Conclusions) -> bool {
    let failures = || conclusions.findings.iter().filter(|finding| finding.is_failure());
    let is_usable = |finding: &Finding| finding.incident.outcome.is_usable() == Some(true);
    conclusions.left_out == 0 && failures().next().is_some() && failures().all(is_usable)
}

/// A fact that supports a finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Fact"))]
pub(crate) struct Evidence {
    /// The path from which it was read.
    pub path: String,
    /// The value that was read.
    pub value: String,
}

/// A problem of the machine, with its evidence and advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct MachineFinding {
    /// The stable identifier.
    pub id: String,
    /// The severity.
    pub severity: Severity,
    /// The GPU concerned; null if it concerns none.
    pub device: Option<PciAddress>,
    /// The title.
    pub title: String,
    /// A description of the finding.
    pub summary: String,
    /// The facts that support it.
    pub evidence: Vec<Evidence>,
    /// What to do.
    pub actions: Vec<Action>,
    /// The source of the rule.
    pub source: String,
    /// URLs with more information.
    pub references: Vec<String>,
}

/// A check that was not possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct NotJudged {
    /// The stable identifier.
    pub id: String,
    /// What could not be checked.
    pub what: String,
    /// The reason why it could not be checked.
    pub why: String,
    /// The command that would make the check possible; null for none.
    pub command: Option<String>,
}

/// The result of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Health {
    /// The findings, worst first.
    pub findings: Vec<MachineFinding>,
    /// What could not be checked.
    pub not_judged: Vec<NotJudged>,
    /// The verdict.
    pub verdict: MachineVerdict,
}

/// Judges a machine on which the user expects this number of AMD GPUs.
pub(crate) fn judged(host: &Host, patterns: &Patterns, expected: Option<usize>) -> Health {
    let mut judge = Judge { host, patterns, findings: Vec::new() };
    if let Some(expected) = expected {
        judge.number_of_gpus(expected);
    }
    judge.tasks();
    judge.gpus();
    judge.settings();
    judge.versions();
    judge.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let not_judged = gaps::found(host, patterns);
    let findings = judge.findings;
    let worst = findings.iter().map(|finding| finding.severity).max();
    // Without the list of GPUs nothing else about them can be checked.
    let blind = host.gpus.is_err();
    let verdict = match worst {
        Some(Severity::Error | Severity::Critical) => MachineVerdict::Failure,
        _ if blind => MachineVerdict::Unknown,
        Some(Severity::Warning) => MachineVerdict::Warning,
        Some(Severity::Info) | None => MachineVerdict::Clean,
    };
    Health { findings, not_judged, verdict }
}

/// The specific part of a finding, in addition to its entry in the pattern files.
#[derive(Clone, Default)]
struct Occurrence {
    device: Option<PciAddress>,
    /// The values for the placeholders of its summary, by name.
    values: Vec<(&'static str, String)>,
    evidence: Vec<Evidence>,
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "the callers have no other use for what they give"
)]
impl Occurrence {
    fn of(device: PciAddress) -> Self {
        Self { device: Some(device), ..Self::default() }
    }

    fn value(mut self, name: &'static str, value: impl ToString) -> Self {
        self.values.push((name, value.to_string()));
        self
    }

    /// Adds a value that comes from a file of the machine.
    fn named(self, name: &'static str, value: &str) -> Self {
        self.value(name, Named(value))
    }

    fn value_if_known(self, name: &'static str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.value(name, value),
            None => self,
        }
    }

    fn evidence(mut self, path: impl Into<String>, value: impl ToString) -> Self {
        self.evidence.push(Evidence { path: path.into(), value: value.to_string() });
        self
    }
}

struct Judge<'j> {
    host: &'j Host,
    patterns: &'j Patterns,
    findings: Vec<MachineFinding>,
}

impl<'j> Judge<'j> {
    /// The states with this condition.
    fn states(&self, when: Condition) -> impl Iterator<Item = &'j State> + use<'j> {
        self.patterns.machines.states.iter().filter(move |state| state.when == when)
    }

    /// Adds a finding for each state with this condition.
    fn add_all(&mut self, when: Condition, found: &Occurrence) {
        for state in self.states(when) {
            self.add(&state.about, found.clone());
        }
    }

    /// Adds findings for the states with this condition and the highest threshold that `count`
    /// reaches.
    fn add_counted(&mut self, when: Condition, count: usize, found: &Occurrence) {
        let most = self.states(when).map(|state| state.at_least).filter(|least| *least <= count);
        let Some(most) = most.max() else { return };
        for state in self.states(when).filter(|state| state.at_least == most) {
            self.add(&state.about, found.clone());
        }
    }

    fn add(&mut self, about: &About, found: Occurrence) {
        let device = found.device;
        let Occurrence { values, evidence, .. } = found.value_if_known("device", device);
        let value = |path: &str| {
            values.iter().find(|(name, _)| *name == path).map(|(_, value)| value.clone())
        };
        let advice = about.advice.iter().filter_map(|id| self.patterns.advice(id));
        let about_one = device.or_else(|| self.only_gpu());
        let actions = advice.filter_map(|advice| self.action(advice, about_one)).collect();
        self.findings.push(MachineFinding {
            id: about.id.clone(),
            severity: about.severity,
            title: about.title.clone(),
            summary: about.summary.filled(value),
            device,
            evidence,
            actions,
            source: about.source.clone(),
            references: about.references.clone(),
        });
    }

    /// The GPU for the commands of a finding that names none: the only amdgpu GPU.
    fn only_gpu(&self) -> Option<PciAddress> {
        let mut driven = self.host.gpus.iter().flatten().filter(|gpu| gpu.is_driven());
        let first = driven.next()?;
        driven.next().is_none().then_some(first.address)
    }

    /// Advice for this machine; `None` if its driver does not have the parameter that the advice
    /// sets.
    fn action(&self, advice: &Advice, device: Option<PciAddress>) -> Option<Action> {
        let mut standing = ActionStatus::Suggested;
        if let Some(sets) = &advice.sets
            && let Some(name) = sets.parameter.strip_prefix("amdgpu.")
        {
            if self.has_parameter(name) == Some(false) {
                return None;
            }
            if self.host.module.value(name).is_some_and(|value| settings::same(value, &sets.value))
            {
                standing = ActionStatus::AlreadyActive;
            }
        }
        let known = &self.patterns.distributions;
        Some(Action { advice: advice.filled(device, known, known.assumed()).into(), standing })
    }

    fn chip(&self, id: PciId) -> Option<&'j Chip> {
        self.patterns.hardware.chip_by_pci(id)
    }

    fn silicon(&self, id: PciId) -> Silicon<'j> {
        self.chip(id).map_or(Silicon::Unknown, Chip::silicon)
    }

    /// The name of the product or chip with this id.
    fn name(&self, id: PciId) -> Option<String> {
        let chip = self.chip(id)?;
        let product = chip.device(id).and_then(crate::pattern::hardware::Device::name);
        Some(product.unwrap_or_else(|| chip.asic.clone()))
    }
}

/// Describes why several facts could not be read.
fn reasons<'u>(unread: impl IntoIterator<Item = &'u Unread>) -> String {
    const NAMED: usize = 3;
    let all: Vec<&Unread> = unread.into_iter().collect();
    let mut reasons: Vec<String> =
        all.iter().take(NAMED).map(|one| format!("{}: {}", one.path, one.why)).collect();
    if all.len() > NAMED {
        reasons.push(format!("{} more", all.len() - NAMED));
    }
    reasons.join("; ")
}
