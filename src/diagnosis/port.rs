//! An error of a PCI Express port before a failure of a GPU, where the log does not show what is below
//! that port.

use super::Diagnosis;
use super::action::{Action, ActionStatus};
use super::aftermath::{AT_ONCE, LOOK_BACK};
use super::certainty::{CauseReason, KnownCause};
use super::survey::Stream;
use crate::event::Observed;
use crate::event::log::Log;
use crate::incident::Incident;
use crate::kind::{Event, Kind};
use crate::pattern::Patterns;
use crate::pattern::signature::Cause;
use crate::value::{AerSeverity, FailureClass};

/// The advice that shows what is below a port.
const LOOK_BELOW: &str = "pci-tree";

/// Makes the error of a port, in `line`, a possible cause of a failure whose cause is not in the log,
/// and what is below that port the first thing to look at.
pub(super) fn suspect(
    diagnosis: &mut Diagnosis,
    line: u64,
    patterns: &Patterns,
    stream: Stream<'_>,
) {
    if diagnosis.cause.cause != Cause::NotInLog {
        return;
    }
    let candidate =
        format!("the error of a PCI Express port (line {line}), if the GPU is below that port");
    diagnosis.cause = KnownCause {
        cause: Cause::Candidates,
        reason: Some(CauseReason::Undecided),
        candidates: vec![candidate],
        shown: None,
    };
    let advice = patterns.advice(LOOK_BELOW).map(|advice| Action {
        standing: ActionStatus::Suggested,
        advice: stream.survey.advice(advice, stream, &patterns.distributions),
    });
    diagnosis.actions.splice(0..0, advice);
}

/// The line of the last uncorrected error of a PCI Express port in the minute before the GPU failed
/// in a way that such an error can cause.
pub(super) fn error_before(incident: &Incident, diagnoses: &[Diagnosis], log: &Log) -> Option<u64> {
    let first = log.at(&incident.events).next()?;
    let may_follow = |seen: &Observed| seen.event.class().is_some_and(may_follow_a_bus_error);
    if !log.at(&incident.events).any(may_follow) {
        return None;
    }
    let near = |seen: &&Observed| {
        let span = seen.stamp.elapsed(&first.stamp);
        seen.boot == first.boot && span.is_some_and(|span| span <= AT_ONCE)
    };
    let at = log.position(first.sequence)?;
    let before = log.events.get(..at)?.iter().enumerate().rev().take(LOOK_BACK);
    let mut before = before.take_while(|(_, seen)| near(seen));
    let gpu = first.device;
    let may_be_below = |seen: &Observed| {
        let known = gpu.zip(seen.printed);
        known.is_none_or(|(gpu, port)| !log.paths.lead_past(seen.boot, port, gpu))
    };
    let (at, error) = before.find(|(_, seen)| is_error_of_a_port(seen) && may_be_below(seen))?;
    let is_used = diagnoses.iter().any(|one| one.evidence.binary_search(&at).is_ok());
    (!is_used).then(|| error.line())
}

/// Whether a port, below which there may be anything, reports an error that was not corrected.
fn is_error_of_a_port(seen: &Observed) -> bool {
    let is_uncorrected = if let Event::PcieError(error) = &seen.event {
        let is_corrected = |severity: &AerSeverity| *severity == AerSeverity::Corrected;
        error.source.is_none() && error.severity.as_ref().is_some_and(|it| !is_corrected(it))
    } else {
        seen.event.kind() == Kind::PcieContained
    };
    is_uncorrected && seen.device.is_none() && seen.printed.is_some()
}

/// Whether an error of the bus can lead to such a failure of a GPU.
const fn may_follow_a_bus_error(class: FailureClass) -> bool {
    match class {
        FailureClass::Hang
        | FailureClass::Queue
        | FailureClass::Ring
        | FailureClass::Video
        | FailureClass::Start
        | FailureClass::Sleep
        | FailureClass::Loss
        | FailureClass::Power
        | FailureClass::Reset => true,
        FailureClass::Fault
        | FailureClass::Program
        | FailureClass::Bus
        | FailureClass::Iommu
        | FailureClass::Hardware
        | FailureClass::OutOfMemory
        | FailureClass::Display
        | FailureClass::Heat
        | FailureClass::Task
        | FailureClass::Crash
        | FailureClass::Passthrough => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnosis::conclusions;
    use crate::event::log::tests::log;

    const READY: &str =
        "[  101.000000] [drm] Initialized amdgpu 3.57.0 for 0000:06:00.0 on minor 0\n";
    const HANG: &str = "[  910.000000] amdgpu 0000:06:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";

    /// The line of the port's error, and the possible causes of the first diagnosis.
    fn told(text: &str) -> (Option<u64>, Vec<String>) {
        let log = log(text);
        let conclusions = conclusions(&log, &crate::builtin::patterns());
        let finding = &conclusions.findings[0];
        (finding.aftermath.port, finding.diagnoses[0].cause.candidates.clone())
    }

    #[test]
    fn an_error_of_a_port_shortly_before_a_hang_is_a_possible_cause() {
        let error = |time: u64, severity: &str| {
            format!(
                "[  {time}.000000] pcieport 0000:05:00.0: PCIe Bus Error: severity={severity}, type=Transaction Layer, (Receiver ID)\n"
            )
        };
        let after = |error: String| told(&[READY, &error, HANG].concat());
        let (line, causes) = after(error(900, "Uncorrectable (Fatal)"));
        assert_eq!(line, Some(2));
        assert!(causes[0].contains("PCI Express port (line 2)"), "{causes:?}");
        for other in [error(900, "Corrected"), error(200, "Uncorrectable (Fatal)")] {
            assert_eq!(after(other), (None, Vec::new()));
        }
        let late = error(920, "Uncorrectable (Fatal)");
        assert_eq!(told(&[READY, HANG, &late].concat()).0, None);
        let path = "[    0.510001] pci 0000:06:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x4 link at 0000:05:00.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)\n";
        let elsewhere = "[    0.410001] pci 0000:05:00.0: PCI bridge to [bus 07-08]\n";
        let past = [elsewhere, READY, &error(900, "Uncorrectable (Fatal)"), HANG].concat();
        assert_eq!(told(&past).0, None);
        let known = [path, READY, &error(900, "Uncorrectable (Fatal)"), HANG].concat();
        assert_eq!(told(&known).0, None);
    }
}
