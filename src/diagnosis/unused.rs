//! Error lines of the driver that no conclusion rests on.

use std::collections::BTreeSet;

use super::Conclusions;
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Kind, Part, Subject};
use crate::value::Level;

impl Conclusions {
    /// The events of `log` with an error of the driver that neither an incident nor a notice has as
    /// evidence. An event is left out if one of the same message is evidence: of many alike,
    /// diagnoses keep a few.
    pub(super) fn find_unused_errors(&self, log: &Log) -> Vec<usize> {
        let of_incidents = self.findings.iter().flat_map(|finding| &finding.incident.events);
        let diagnoses = self.findings.iter().flat_map(|finding| &finding.diagnoses);
        let diagnoses = diagnoses.chain(self.notices.iter().map(|notice| &notice.diagnosis));
        let evidence = diagnoses.flat_map(|diagnosis| &diagnosis.evidence);
        let used: Vec<usize> = of_incidents.chain(evidence).copied().collect();
        let used: BTreeSet<_> = log.at(&used).map(|seen| &seen.message).collect();
        let events = log.events.iter().enumerate();
        let unused = events.filter(|(_, seen)| is_error(seen) && !used.contains(&seen.message));
        unused.map(|(at, _)| at).collect()
    }

    /// Whether one of them is a sign of a failure: what failed is not known.
    pub(super) fn has_unused_failure(&self, log: &Log) -> bool {
        log.at(&self.unused_errors).any(|seen| seen.event.kind().part() == Part::Aftermath)
    }
}

/// Whether the driver reports an error of its own with it. That overdrive is on is printed at that
/// level to be noticed.
fn is_error(seen: &Observed) -> bool {
    let is_of_the_driver = !seen.message.is_of_a_program()
        && match seen.event.columns().subject {
            Subject::Gpu | Subject::GpuInText | Subject::LostDevice | Subject::PassedDevice => true,
            Subject::GpuOfProgram
            | Subject::Task
            | Subject::Machine
            | Subject::BusDevice
            | Subject::BusError
            | Subject::BusRepair => false,
        };
    is_of_the_driver
        && seen.program.is_none()
        && seen.of_a_gpu
        && !seen.shared
        && !seen.in_prose
        && seen.level.is_some_and(|level| level <= Level::Error)
        && seen.event.kind() != Kind::OverdriveEnabled
}

#[cfg(test)]
mod tests {
    use crate::builtin;
    use crate::diagnosis::conclusions;
    use crate::diagnosis::verdict::Verdict;
    use crate::event::log::tests::log;

    /// The texts of the unused errors, and the verdict.
    fn unused(text: &str) -> (Vec<String>, Verdict) {
        let log = log(text);
        let conclusions = conclusions(&log, &builtin::patterns());
        let texts = log.at(&conclusions.unused_errors).map(|seen| seen.text.to_string());
        (texts.collect(), conclusions.verdict(&log))
    }

    /// An error that is known and that no signature uses must not be quieter than an unknown one.
    #[test]
    fn an_error_of_the_driver_that_no_signature_uses_is_not_called_clean() {
        let line = "amdgpu 0000:0a:00.0: amdgpu: failed to get a new IB (-12)";
        let (texts, verdict) = unused(&format!("[    1.000000] {line}\n[    9.000000] {line}\n"));
        assert_eq!((texts, verdict), (vec![line.to_owned(); 2], Verdict::Incomplete));
    }

    #[test]
    fn evidence_and_facts_at_the_level_of_errors_are_not_unused() {
        for line in [
            "amdgpu 0000:03:00.0: amdgpu: Overdrive is enabled, please disable it before reporting any bugs unrelated to overdrive.",
            "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3",
            "amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!",
            // Neither the driver's nor about a GPU.
            "Out of memory: Killed process 9300 (firefox) total-vm:98231456kB, anon-rss:61120044kB, file-rss:512kB, shmem-rss:0kB, UID:1000 pgtables:1kB oom_score_adj:0",
            "GPU process isn't usable. Goodbye.",
        ] {
            assert_eq!(unused(&format!("[    1.000000] {line}\n")).0, Vec::<String>::new());
        }
    }
}
