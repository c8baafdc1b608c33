//! The result of `diff`, for people and programs.

mod answer;
mod gaps;
pub(crate) mod human;
pub(crate) mod json;
mod rows;
mod steps;
pub(super) mod words;

use super::ReportPart;
use crate::compare::chosen::SelectedBoot;
use crate::compare::{ComparedVerdict, Comparison, GpuPair, Machine, Side};

pub(super) use rows::{MessageRow, difference_lines, failure_rows, message_sections};

/// One side of a comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComparedSide<'r> {
    /// The log.
    pub part: &'r ReportPart,
    /// The boot, and why it was selected.
    pub chosen: SelectedBoot,
    /// The machine, if a bundle contains facts about it.
    pub machine: Option<&'r Machine>,
    /// The number of other logs in the input, which were ignored because this one has more lines of
    /// the driver.
    pub others: usize,
}

impl<'r> ComparedSide<'r> {
    /// What is compared.
    pub(crate) fn side(&self) -> Side<'r> {
        let ReportPart { log, conclusions, .. } = self.part;
        Side { log, conclusions, boot: self.chosen.boot, machine: self.machine }
    }
}

/// A comparison with the names of its sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared<'r> {
    /// SHA-256 of the patterns.
    pub patterns: &'r str,
    pub good: ComparedSide<'r>,
    pub bad: ComparedSide<'r>,
    /// What differs.
    pub comparison: &'r Comparison<'r>,
    /// Whether equal things are shown, too.
    pub all: bool,
    /// Whether long lists are shown completely.
    pub verbose: bool,
}

/// A side in a word, its log, and the compared boot.
pub(super) struct SideRow {
    pub(super) label: &'static str,
    pub(super) good: String,
    pub(super) bad: String,
}

impl Compared<'_> {
    pub(super) fn sides(&self) -> Vec<SideRow> {
        let Comparison { kernel, good, bad, .. } = self.comparison;
        let told = |text: Option<&str>| text.unwrap_or("not in this log").to_owned();
        let row = |label, good, bad| SideRow { label, good, bad };
        let mut rows = vec![
            row("kernel", told(kernel.good), told(kernel.bad)),
            row("length", words::length(good), words::length(bad)),
        ];
        rows.extend(self.comparison.gpus.iter().filter(|pair| self.shows(pair)).map(|pair| {
            let (good, bad) = (words::gpu_of(pair.good), words::gpu_of(pair.bad));
            let bad = if good == bad { "the same".to_owned() } else { bad };
            row("GPU", good, bad)
        }));
        rows
    }

    /// Whether a GPU is listed: equal GPUs of both logs are not interesting.
    fn shows(&self, pair: &GpuPair<'_>) -> bool {
        self.all || self.comparison.gpus.len() == 1 || !pair.is_one_chip()
    }
}

/// Whether the result is good.
pub(super) const fn is_good(verdict: ComparedVerdict) -> bool {
    matches!(verdict, ComparedVerdict::Different | ComparedVerdict::Same)
}
