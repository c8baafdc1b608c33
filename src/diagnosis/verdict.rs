//! The result for a log in one word, and whether its GPUs are usable.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::aftermath::Last;
use super::{Conclusions, Finding, Notice};
use crate::event::log::Log;
use crate::pattern::signature::{Certainty, Layer, Severity};
use crate::value::FailureClass;

/// The verdict on a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// The input contains no kernel log.
    NoKernelLog,
    /// Kernel messages were read and no problem was found.
    Clean,
    /// No problem was found, but a part of the input was not read, or cannot be judged.
    Incomplete,
    /// A problem was found, but no failure.
    Warning,
    /// A failure was found.
    Failure,
}

/// What remains of an incident at its end, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Remains {
    /// The GPU is usable.
    Usable,
    /// The log does not show it.
    Unknown,
    /// A reset began, and the log does not show that it ended well.
    InReset,
    /// The GPU is not usable.
    Unusable,
}

impl Finding {
    /// Whether a GPU failed.
    pub(crate) fn is_failure(&self) -> bool {
        self.severity >= Severity::Error
    }

    /// A sort key: what failed, then what became of the GPU.
    pub(crate) fn badness(&self) -> (Severity, Remains) {
        (self.severity, self.remains())
    }

    fn remains(&self) -> Remains {
        let class = self.diagnoses.first().and_then(|head| head.class);
        match (self.incident.outcome.is_usable(), self.aftermath.last) {
            (Some(true), _) => Remains::Usable,
            // Neither of them stops the GPU.
            (None, Last::Nothing)
                if matches!(class, Some(FailureClass::OutOfMemory | FailureClass::Heat)) =>
            {
                Remains::Usable
            }
            (Some(false), _) => Remains::Unusable,
            (
                None,
                Last::Begun
                | Last::PartFailed
                | Last::BegunAgain
                | Last::HardwareDone
                | Last::StuckAgain
                | Last::StuckElsewhere,
            ) => Remains::InReset,
            (None, Last::Nothing | Last::Success | Last::SetUpAgain | Last::FaultedSince) => {
                Remains::Unknown
            }
        }
    }

    /// A sort key for how much the log says of it: that a reset of the GPU began, whose work
    /// failed, and in so many words what happened.
    fn richness(&self) -> (bool, bool, Option<Certainty>) {
        let is_reset = matches!(
            self.aftermath.last,
            Last::Begun | Last::PartFailed | Last::BegunAgain | Last::HardwareDone
        );
        let certainty = self.diagnoses.first().map(|head| head.certainty);
        (is_reset, self.owner.is_some(), certainty)
    }

    /// What it is to a user of the GPU, who is told what to do: no program is at fault in a page
    /// fault where the first diagnosis names only driver, firmware and hardware.
    pub(crate) fn class_to_act_on(&self, log: &Log) -> Option<FailureClass> {
        let programs = [Layer::Application, Layer::Rocm, Layer::Mesa];
        let head = self.diagnoses.first();
        let layers = head.map(|head| head.layers.as_slice()).unwrap_or_default();
        let may_blame = layers.iter().any(|layer| programs.contains(layer));
        self.class(log).filter(|class| *class != FailureClass::Fault || may_blame)
    }
}

impl Conclusions {
    /// The index of the worst finding; of several, the one of which the log says most, else the
    /// first.
    pub(crate) fn worst(&self) -> Option<usize> {
        let findings = self.findings.iter().enumerate();
        findings
            .max_by_key(|(at, finding)| (finding.badness(), finding.richness(), Reverse(*at)))
            .map(|(at, _)| at)
    }

    /// Notices about a working GPU that is limited, or warnings of a failure to come: each once,
    /// worst first.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Notice> {
        let bad = |notice: &&Notice| notice.diagnosis.severity >= Severity::Warning;
        let mut problems: Vec<&Notice> = self.notices.iter().filter(bad).collect();
        let all = problems.clone();
        let is_told =
            |one: &Notice| all.iter().any(|other| one.diagnosis.is_told_by(&other.diagnosis));
        problems.retain(|notice| !is_told(notice));
        problems.sort_by_key(|notice| Reverse(notice.diagnosis.severity));
        let mut known = BTreeSet::new();
        problems.retain(|notice| known.insert((notice.device, notice.diagnosis.id.as_str())));
        problems.into_iter()
    }

    /// The worst of them, which is the result if nothing failed.
    pub(crate) fn worst_problem(&self) -> Option<&Notice> {
        self.problems().next().filter(|_| self.findings.is_empty() && self.left_out == 0)
    }

    /// Notices whose lines are a part of something that only missing lines name: each once.
    pub(crate) fn unjudged(&self) -> impl Iterator<Item = &Notice> {
        let mut known = BTreeSet::new();
        let open = self.notices.iter().filter(|notice| notice.diagnosis.leaves_unjudged);
        open.filter(move |notice| known.insert(notice.diagnosis.id.as_str()))
    }

    /// The verdict on `log`, from which these conclusions were drawn.
    pub(crate) fn verdict(&self, log: &Log) -> Verdict {
        // Incidents that were not diagnosed may be as bad as any, at any time.
        if self.left_out > 0 || self.findings.iter().any(Finding::is_failure) {
            Verdict::Failure
        } else if !self.findings.is_empty() || self.worst_problem().is_some() {
            Verdict::Warning
        } else if log.has_content() {
            let is_of_any_gpu = !log.has_kernel_messages() && log.of_any_vendor().is_some();
            let is_judged = !log.sightings.are_unjudged()
                && !self.has_unused_failure(log)
                && self.unjudged().next().is_none()
                && log.cut_off.is_none()
                && !is_of_any_gpu
                && log.complaints.count == 0;
            if log.is_whole() && is_judged { Verdict::Clean } else { Verdict::Incomplete }
        } else {
            Verdict::NoKernelLog
        }
    }

    /// Whether the GPUs are usable after all that happened; `None` if the log does not show it.
    pub(crate) fn is_usable(&self) -> Option<bool> {
        let usable = |finding: &Finding| finding.incident.outcome.is_usable();
        let each: Vec<Option<bool>> = self.findings.iter().map(usable).collect();
        if each.contains(&Some(false)) {
            return Some(false);
        }
        each.into_iter().try_fold(true, |_, usable| usable)
    }
}
