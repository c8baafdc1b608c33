//! The result of `check`, for people and programs.

pub(crate) mod human;
mod incident;
pub(crate) mod json;
pub(crate) mod prometheus;
pub(crate) mod short;

use super::ReportPart;
use super::view::PartView;
use crate::diagnosis::verdict::Verdict;
use crate::health::{Health, MachineFinding, MachineVerdict, NotJudged, gaps, is_over};
use crate::host::{Gpu, Host};
use crate::pattern::Patterns;
use crate::pattern::hardware::{Chip, Device};
use incident::LogIncident;

/// The kernel's log.
#[derive(Debug)]
pub(crate) enum LogAnswer {
    Read {
        /// Its analysis.
        part: Box<ReportPart>,
        /// Why it was not read to its end.
        cut: Option<String>,
        /// The command for the whole report on it.
        command: String,
    },
    /// It could not be read, for this reason.
    Unread(String),
    /// It is in none of these places among the files.
    Elsewhere(String),
}

/// Everything known about a machine.
#[derive(Debug)]
pub(crate) struct Checkup<'c> {
    /// The patterns in use.
    pub patterns: &'c Patterns,
    /// The facts.
    pub host: &'c Host,
    /// The judgement on the facts.
    pub health: &'c Health,
    /// The kernel's log.
    pub log: LogAnswer,
    /// The number of AMD GPUs that the user expects.
    pub expected: Option<usize>,
}

impl Checkup<'_> {
    /// The worse of the verdicts on facts and log.
    pub(crate) fn verdict(&self) -> MachineVerdict {
        let health = self.health.verdict;
        match &self.log {
            LogAnswer::Read { part, .. } => {
                health.with_log(part.verdict(), is_over(&part.conclusions))
            }
            // The log that could not be read may contain failures of its GPUs, and only the log
            // could show that a GPU was there.
            LogAnswer::Unread(_) | LogAnswer::Elsewhere(_)
                if !self.gpus().is_empty() || self.lacks_gpu() =>
            {
                health.max(MachineVerdict::Unknown)
            }
            LogAnswer::Unread(_) | LogAnswer::Elsewhere(_) => health,
        }
    }

    /// The verdict on the log, if it was read.
    pub(crate) fn log_verdict(&self) -> Option<Verdict> {
        match &self.log {
            LogAnswer::Read { part, .. } => Some(part.verdict()),
            LogAnswer::Unread(_) | LogAnswer::Elsewhere(_) => None,
        }
    }

    /// The incident of the log to report.
    fn incident(&self) -> Option<LogIncident<'_>> {
        match &self.log {
            LogAnswer::Read { part, command, .. } => LogIncident::of(part, command),
            LogAnswer::Unread(_) | LogAnswer::Elsewhere(_) => None,
        }
    }

    /// Whether there is no AMD GPU, and nobody said that there should be none.
    fn lacks_gpu(&self) -> bool {
        self.gpus().is_empty() && self.expected.is_none()
    }

    /// The command that makes a missing GPU a failure, if the result leaves open whether it is one.
    fn if_missing(&self) -> Option<&'static str> {
        let open = self.verdict() == MachineVerdict::Clean && self.lacks_gpu();
        open.then_some("amdtriage check --expect-gpus 1")
    }

    /// The result in a sentence.
    fn answer(&self) -> String {
        let worst = self.health.findings.first();
        let verdict = self.verdict();
        match (verdict, worst) {
            (MachineVerdict::Failure | MachineVerdict::Warning, Some(finding))
                if self.health.verdict == verdict =>
            {
                headline(finding)
            }
            (MachineVerdict::Failure | MachineVerdict::Warning, _) => self.of_log(),
            (MachineVerdict::Unknown, _) => self.unknown(),
            (MachineVerdict::Clean, _) => self.clean(),
        }
    }

    /// The failure in the log, if the facts show none.
    fn of_log(&self) -> String {
        let answer = self.log_answer().unwrap_or_default();
        match self.incident() {
            Some(incident) if self.log_verdict() == Some(Verdict::Failure) => {
                // The answer on several incidents is not about one time.
                let when = incident.when.filter(|_| incident.is_only);
                let when = when.map(|when| format!(", {when}")).unwrap_or_default();
                format!("By this boot's log{when}: {answer}")
            }
            _ => "Nothing is broken now; this boot's log has something worth knowing.".to_owned(),
        }
    }

    /// What would have to be read.
    fn unknown(&self) -> String {
        if let Some(gap) = self.health.not_judged.iter().find(|gap| gap.id == "gpus") {
            return format!("Too little could be read to judge this machine: {}.", gap.why);
        }
        let none = if self.gpus().is_empty() { "No AMD GPU was found, and this" } else { "This" };
        match &self.log {
            LogAnswer::Unread(why) => format!("{none} boot's kernel log could not be read: {why}."),
            LogAnswer::Elsewhere(places) => {
                format!("{none} boot's kernel log is not among these files: {places}.")
            }
            LogAnswer::Read { .. } => "Too little could be read to judge this machine.".to_owned(),
        }
    }

    fn clean(&self) -> String {
        let rest = if self.not_judged().is_empty() { "" } else { ", as far as it could be judged" };
        match self.gpus().len() {
            0 if self.lacks_gpu() => "No AMD GPU is in this machine.".to_owned(),
            0 => format!("No AMD GPU is in this machine, as expected{rest}."),
            1 => format!("Nothing is wrong with the AMD GPU{rest}."),
            count => format!("Nothing is wrong with the {count} AMD GPUs{rest}."),
        }
    }

    /// The result for the log, in a sentence.
    fn log_answer(&self) -> Option<String> {
        match &self.log {
            LogAnswer::Read { part, .. } => Some(PartView::new(part).answer()),
            LogAnswer::Unread(_) | LogAnswer::Elsewhere(_) => None,
        }
    }

    fn gpus(&self) -> &[Gpu] {
        self.host.gpus.as_deref().unwrap_or_default()
    }

    fn chip(&self, gpu: &Gpu) -> Option<&Chip> {
        self.patterns.hardware.chip_by_pci(gpu.id)
    }

    /// The product or chip name of the GPU.
    fn name(&self, gpu: &Gpu) -> Option<String> {
        let chip = self.chip(gpu)?;
        Some(chip.device(gpu.id).and_then(Device::name).unwrap_or_else(|| chip.asic.clone()))
    }

    /// What could not be judged, including the log.
    fn not_judged(&self) -> Vec<NotJudged> {
        let why = match &self.log {
            LogAnswer::Read { cut, .. } => cut.clone(),
            LogAnswer::Unread(why) => Some(why.clone()),
            LogAnswer::Elsewhere(places) => Some(format!("none is among these files: {places}")),
        };
        let log = why.and_then(|why| gaps::not_judged(self.patterns, "log", why));
        self.health.not_judged.iter().cloned().chain(log).collect()
    }
}

/// One sentence: which GPU, and what.
fn headline(finding: &MachineFinding) -> String {
    let gpu = finding.device.map(|device| format!("GPU {device}: ")).unwrap_or_default();
    format!("{gpu}{}.", finding.title)
}
