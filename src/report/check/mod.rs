//! How a machine is, for people and for programs.

pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod prometheus;
pub(crate) mod short;

use super::ReportPart;
use super::view::PartView;
use crate::health::{Health, MachineFinding, MachineVerdict, NotJudged, gaps};
use crate::host::{Gpu, Host};
use crate::pattern::Patterns;
use crate::pattern::hardware::{Chip, Device};

/// What the kernel's log said.
#[derive(Debug)]
pub(crate) enum LogAnswer {
    Read {
        /// What it says.
        part: Box<ReportPart>,
        /// Why not all of it was read.
        cut: Option<String>,
    },
    /// It could not be read, and why.
    Unread(String),
    /// These files have none.
    Elsewhere,
}

/// Everything that is known of a machine.
#[derive(Debug)]
pub(crate) struct Checkup<'c> {
    /// With what it was judged.
    pub patterns: &'c Patterns,
    /// What was read.
    pub host: &'c Host,
    /// What follows from that.
    pub health: &'c Health,
    /// What the log says beside it.
    pub log: LogAnswer,
}

impl Checkup<'_> {
    /// The worse of what the facts and the log say.
    pub(crate) fn verdict(&self) -> MachineVerdict {
        let health = self.health.verdict;
        match &self.log {
            LogAnswer::Read { part, .. } => health.with_log(part.verdict()),
            // What happened to its GPUs stands in the log that could not be read.
            LogAnswer::Unread(_) if !self.gpus().is_empty() => health.max(MachineVerdict::Unknown),
            LogAnswer::Unread(_) | LogAnswer::Elsewhere => health,
        }
    }

    /// The answer in a sentence.
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

    /// What is wrong by the log, where nothing that can be read now is.
    fn of_log(&self) -> String {
        let answer = self.log_answer().unwrap_or_default();
        match self.verdict() {
            MachineVerdict::Failure => format!("By this boot's log: {answer}"),
            _ => "Nothing is broken now; this boot's log has something worth knowing.".to_owned(),
        }
    }

    /// What would have to be read.
    fn unknown(&self) -> String {
        if let (LogAnswer::Unread(why), false) = (&self.log, self.gpus().is_empty()) {
            return format!("This boot's kernel log could not be read: {why}.");
        }
        let why = self.health.not_judged.iter().find(|gap| gap.id == "gpus");
        let why = why.map_or("", |gap| gap.why.as_str());
        format!("Too little could be read to judge this machine: {why}.")
    }

    fn clean(&self) -> String {
        let rest = if self.not_judged().is_empty() { "" } else { ", as far as it could be judged" };
        match self.gpus().len() {
            0 => format!("No AMD GPU is in this machine, and nothing is wrong{rest}."),
            1 => format!("Nothing is wrong with the AMD GPU{rest}."),
            count => format!("Nothing is wrong with the {count} AMD GPUs{rest}."),
        }
    }

    /// What the log says, in a sentence.
    fn log_answer(&self) -> Option<String> {
        match &self.log {
            LogAnswer::Read { part, .. } => Some(PartView::new(part).answer()),
            LogAnswer::Unread(_) | LogAnswer::Elsewhere => None,
        }
    }

    fn gpus(&self) -> &[Gpu] {
        self.host.gpus.as_deref().unwrap_or_default()
    }

    fn chip(&self, gpu: &Gpu) -> Option<&Chip> {
        self.patterns.hardware.chip_by_pci(gpu.id)
    }

    /// What the GPU is sold as, or what its chip is called.
    fn name(&self, gpu: &Gpu) -> Option<String> {
        let chip = self.chip(gpu)?;
        Some(chip.device(gpu.id).and_then(Device::name).unwrap_or_else(|| chip.asic.clone()))
    }

    /// What could not be judged, the log included.
    fn not_judged(&self) -> Vec<NotJudged> {
        let why = match &self.log {
            LogAnswer::Read { cut, .. } => cut.clone(),
            LogAnswer::Unread(why) => Some(why.clone()),
            LogAnswer::Elsewhere => Some("none is among these files".to_owned()),
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
