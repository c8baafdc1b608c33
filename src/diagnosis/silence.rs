//! Which matching signatures are suppressed by others.
//!
//! A full signature names more specific ones (`unless`). A fallback names none: it reports what one
//! line says, and yields to every signature that explains the incident.

use super::hits::Hit;
use super::reach::Group;
use crate::event::Observed;
use crate::incident::cause::can_cause;
use crate::kind::{Columns, Kind, Milestone, Part};
use crate::pattern::signature::{Role, Severity};
use crate::value::FailureClass;

/// The members of `hits` that suppress `hit`.
pub(super) fn silencers<'h>(hit: &Hit<'_>, hits: &'h [Hit<'_>]) -> Vec<&'h str> {
    let silencing: Vec<&Hit<'_>> = if hit.signature.fallback {
        let full = instead_of(hit, hits);
        if full.is_empty() { earlier(hit, hits) } else { full }
    } else {
        more_specific(hit, hits).collect()
    };
    silencing.into_iter().map(|other| other.signature.id.as_str()).collect()
}

/// The members of `hits` that a full signature names in `unless`.
fn more_specific<'h, 'l>(hit: &Hit<'_>, hits: &'h [Hit<'l>]) -> impl Iterator<Item = &'h Hit<'l>> {
    hits.iter().filter(|other| hit.signature.unless.contains(&other.signature.id))
}

/// The full signatures that replace a fallback.
fn instead_of<'h, 'l>(fallback: &Hit<'_>, hits: &'h [Hit<'l>]) -> Vec<&'h Hit<'l>> {
    let Some(event) = proof(fallback).next() else { return Vec::new() };
    let speaks = |other: &&Hit<'l>| more_specific(other, hits).next().is_none();
    let full = hits.iter().filter(|other| !other.signature.fallback).filter(speaks);
    full.filter(|other| !is_beside_the_display(event, other))
        .filter(|other| {
            explains_the_failure(other)
                || uses(other, event)
                || (!event.event.columns().begins && proves_a_failure(other))
                || is_shown_by_the_display(event, other)
        })
        .collect()
}

/// Whether a signature takes an event into account, other than as an earlier failure to which it
/// is a lesser consequence.
fn uses(hit: &Hit<'_>, event: &Observed) -> bool {
    let first = proof(hit).map(|seen| seen.sequence).min();
    let is_before = event.event.columns().begins && first > Some(event.sequence);
    let is_lesser = hit.signature.severity < Severity::Error;
    !(is_before && is_lesser) && hit.found.steps.values().any(|group| group.has(event))
}

fn is_of_display(seen: &Observed) -> bool {
    seen.event.class() == Some(FailureClass::Display)
}

/// Whether a fallback is for a job that did not finish, for which a picture waits.
fn hangs(hit: &Hit<'_>) -> bool {
    let is_timeout = |seen: &Observed| seen.event.kind() == Kind::RingTimeout;
    hit.signature.fallback && proof(hit).any(is_timeout)
}

/// Whether the display waited for something whose failure `hit` reports. The driver may have ended
/// that failure, which is a warning then.
fn is_shown_by_the_display(event: &Observed, hit: &Hit<'_>) -> bool {
    is_of_display(event)
        && hit.signature.severity >= Severity::Warning
        && proof(hit).any(|seen| !is_of_display(seen) && can_cause(seen.event.kind(), event))
}

/// Whether `hit` is about the display alone and `event` is another failure, which the display does
/// not cause: a job that does not finish is reported after its time limit, and a picture that waits
/// for it may be reported earlier.
fn is_beside_the_display(event: &Observed, hit: &Hit<'_>) -> bool {
    let is_about_it = proof(hit).next().is_some() && proof(hit).all(is_of_display);
    event.event.columns().begins && !is_of_display(event) && is_about_it
}

/// Whether a signature explains how the GPU failed, as opposed to a consequence.
fn explains_the_failure(hit: &Hit<'_>) -> bool {
    let signature = hit.signature;
    let first = signature.roles.first();
    signature.severity >= Severity::Error
        && matches!(first, Some(Role::RootCause | Role::Mechanism))
}

fn proves_a_failure(hit: &Hit<'_>) -> bool {
    proof(hit).any(|observed| observed.event.kind().part() == Part::Failure)
}

/// The other fallbacks that take precedence because their lines came first. The start or success of
/// a recovery is less informative than a line about a failure, regardless of order, and so is the
/// display that waits beside a job that did not finish.
fn earlier<'h, 'l>(fallback: &Hit<'_>, hits: &'h [Hit<'l>]) -> Vec<&'h Hit<'l>> {
    let fails = |hit: &Hit<'_>| proof(hit).next().is_some_and(names_a_failure);
    let anything_failed = hits.iter().any(|other| other.signature.fallback && fails(other));
    let waits = |first: &Observed| is_of_display(first) && hits.iter().any(hangs);
    let place = |hit: &Hit<'_>| {
        let first = proof(hit).next();
        let less =
            anything_failed && first.is_some_and(is_step_of_a_recovery) || first.is_some_and(waits);
        let sequence = first.map(|observed| observed.sequence);
        (less, sequence, hit.signature.blame, hit.signature.id.clone())
    };
    let own = place(fallback);
    let first = hits.iter().filter(|other| other.signature.fallback && place(other) < own);
    first.filter(|other| instead_of(other, hits).is_empty()).collect()
}

/// Whether a line only reports the start or success of a recovery.
fn is_step_of_a_recovery(observed: &Observed) -> bool {
    let Columns { mark, part, .. } = observed.event.columns();
    match mark {
        Some(Milestone::Reset) => true,
        Some(Milestone::Back) => *part == Part::Step,
        Some(Milestone::Fault | Milestone::Failure | Milestone::Lost) | None => false,
    }
}

/// Whether a line reports that something does not work.
fn names_a_failure(observed: &Observed) -> bool {
    match observed.event.columns().mark {
        Some(Milestone::Fault | Milestone::Failure | Milestone::Lost) => true,
        Some(Milestone::Reset | Milestone::Back) | None => false,
    }
}

/// The events of an incident without which a signature would not match.
fn proof<'l>(hit: &Hit<'l>) -> impl Iterator<Item = &'l Observed> {
    let placed = hit.signature.steps.iter().filter(|step| step.is_placed());
    placed.filter_map(|step| hit.found.steps.get(step.name.as_str())).flat_map(Group::iter)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::diagnosis::{Conclusions, conclusions};
    use crate::event::log::tests::log;
    use crate::kind::{Kind, Opens};
    use crate::pattern::message::Printer;
    use crate::value::Outcome;

    fn concluded(text: &str) -> Conclusions {
        conclusions(&log(text), &crate::builtin::patterns())
    }

    fn diagnosis_ids(text: &str) -> Vec<Vec<String>> {
        let ids = |finding: &crate::diagnosis::Finding| {
            finding.diagnoses.iter().map(|one| one.id.clone()).collect()
        };
        concluded(text).findings.iter().map(ids).collect()
    }

    /// A sample as a log line, with a GPU's prefix if its printer has one.
    fn line(printer: Printer, sample: &str) -> String {
        let prefix = match printer {
            Printer::Amdgpu => "amdgpu 0000:03:00.0: amdgpu: ",
            Printer::Drm => "amdgpu 0000:03:00.0: [drm] ",
            Printer::Ttm => "amdgpu 0000:03:00.0: [TTM] ",
            Printer::Pci => "amdgpu 0000:03:00.0: ",
            Printer::Iommu => "AMD-Vi: ",
            Printer::VendorReset => "vfio-pci 0000:03:00.0: AMD_NAVI10: ",
            Printer::Passthrough => "vfio-pci 0000:03:00.0: ",
            Printer::Kernel => "",
            Printer::Program => return format!("{sample}\n"),
        };
        format!("[   10.000000] {prefix}{sample}\n")
    }

    /// Kinds whose line alone does not identify a GPU, and a line that does.
    const TOGETHER: [(Kind, &str); 9] = [
        (
            Kind::PassthroughLost,
            "[    0.300000] pci 0000:03:00.0: [1002:73bf] type 00 class 0x030000\n\
             [   10.000000] vfio-pci 0000:03:00.0: not ready 65535ms after bus reset; giving up\n",
        ),
        (
            Kind::IommuFault,
            "[    9.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n\
             [   10.000000] AMD-Vi: Event logged [IOTLB_INV_TIMEOUT device=0000:03:00.0 address=0x100023af0]\n",
        ),
        (
            Kind::FirmwareError,
            "[    9.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n\
             [   10.000000] {1}[Hardware Error]:  Error 0, type: recoverable\n\
             [   10.000001] {1}[Hardware Error]:   section_type: PCIe error\n\
             [   10.000002] {1}[Hardware Error]:   device_id: 0000:03:00.0\n",
        ),
        (
            Kind::HungTask,
            "[   10.000000] INFO: task kworker/3:1:99 blocked for more than 122 seconds.\n\
             [   10.000001] Workqueue: events dm_irq_work_func [amdgpu]\n",
        ),
        (
            Kind::BlockedTask,
            "USER PID STAT WCHAN COMMAND\nuser 4242 D amdgpu_vm_wait_idle game.exe\n",
        ),
        (
            Kind::Lockup,
            "[   10.000000] watchdog: BUG: soft lockup - CPU#11 stuck for 26s! [game.exe:4711]\n\
             [   10.000001] RIP: 0010:dc_dmub_srv_wait_idle+0x10/0x20 [amdgpu]\n",
        ),
        (
            Kind::KernelOops,
            "[   10.000000] BUG: kernel NULL pointer dereference, address: 0000000000000008\n\
             [   10.000001] RIP: 0010:dc_stream_release+0x10/0x20 [amdgpu]\n",
        ),
        (
            Kind::CommunicationFailed,
            "#   Rank  0 Pid   2188 on node7 device  0 [0000:63:00.0] AMD Instinct MI210\n\
             node7: Test NCCL failure common.cu:1285 'internal error'\n",
        ),
        (Kind::SavedCrash, "**** AMDGPU Device Coredump ****\nversion: 1\nmodule: amdgpu\n"),
    ];

    /// Every event kind that opens an incident is diagnosed when it occurs alone, in each of its
    /// forms.
    #[test]
    fn each_failure_alone_is_named() {
        let patterns = crate::builtin::patterns();
        let mut named: BTreeSet<Kind> = BTreeSet::new();
        let mut silent = Vec::new();
        let mut check = |kinds: &[Kind], text: &str| {
            for finding in concluded(text).findings {
                let says = |summary: &str| !summary.trim().is_empty();
                if finding.diagnoses.iter().any(|one| says(&one.summary)) {
                    named.extend(kinds);
                } else {
                    silent.push(format!("{kinds:?}: {text}"));
                }
            }
        };
        for message in patterns.messages.iter() {
            let opening = message.kinds.iter().any(|kind| kind.row().columns.opens != Opens::Never);
            if let Some(printer) = message.from.first().filter(|_| opening) {
                for sample in &message.samples {
                    check(&message.kinds, &line(*printer, sample));
                }
            }
        }
        for (kind, text) in TOGETHER {
            check(&[kind], text);
        }
        assert!(silent.is_empty(), "{}", silent.concat());
        let opening = Kind::ALL.iter().filter(|kind| kind.row().columns.opens != Opens::Never);
        let missing: Vec<&Kind> = opening.filter(|kind| !named.contains(kind)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    const TIMEOUT: &str = "[   10.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    const TEST: &str =
        "[    9.000000] amdgpu 0000:03:00.0: amdgpu: ring sdma0 test failed (-110)\n";
    const VIDEO: &str = "[   12.000000] amdgpu 0000:03:00.0: amdgpu: ring vcn_dec_0 timeout, signaled seq=1, emitted seq=3\n";
    const LINK: &str = "[    9.500000] [drm:dc_link_dp_perform_link_training [amdgpu]] *ERROR* perform_link_training_with_retries: Link training attempt 4 of 4 failed\n";
    const LOST: &str = "[   11.000000] [drm] VRAM is lost due to GPU reset!\n";

    const FENCES: &str = "[    8.000000] [drm:amdgpu_dm_atomic_commit_tail [amdgpu]] *ERROR* Waiting for fences timed out!\n";

    fn soft_recovered() -> String {
        TIMEOUT.replace("timeout, signaled seq=1, emitted seq=3", "timeout, but soft recovered")
    }

    #[test]
    fn of_several_lines_the_first_is_named() {
        assert_eq!(diagnosis_ids(TIMEOUT), [["ring-timeout-unexplained"]]);
        assert_eq!(diagnosis_ids(&[TEST, TIMEOUT].concat()), [["ring-test-failed-unexplained"]]);
    }

    #[test]
    fn a_failed_step_outranks_the_start_of_the_recovery() {
        let on = |time: f64, words: &str| {
            format!("[{time:12.6}] amdgpu 0000:03:00.0: amdgpu: {words}\n")
        };
        let ring =
            on(10.0, "Starting gfx_0.0.0 ring reset") + &on(10.1, "Ring gfx_0.0.0 reset failed");
        assert_eq!(diagnosis_ids(&ring), [["ring-reset-failed-unexplained"]]);
        let gpu =
            on(10.0, "GPU reset begin!") + &on(10.1, "resume of IP block <gfx_v10_0> failed -110");
        assert_eq!(diagnosis_ids(&gpu), [["ip-block-failed-unexplained"]]);
        assert_eq!(concluded(&gpu).findings[0].incident.outcome, Outcome::Failed);
        assert_eq!(
            diagnosis_ids(&on(10.0, "Starting gfx_0.0.0 ring reset")),
            [["ring-reset-begin-unexplained"]]
        );
    }

    #[test]
    fn a_full_signature_speaks_instead_where_it_says_how_the_gpu_failed() {
        assert_eq!(diagnosis_ids(&[TIMEOUT, VIDEO].concat()), [["vcn-hang"]]);
        // A consequence of a failure, or a minor event next to it, does not explain it.
        assert_eq!(
            diagnosis_ids(&[TIMEOUT, LOST].concat()),
            [["ring-timeout-unexplained", "vram-lost"]]
        );
        // What the display waited for hung, and the driver ended that.
        assert_eq!(
            diagnosis_ids(&[FENCES, &soft_recovered()].concat()),
            [["ring-timeout-recovered"]]
        );
        assert_eq!(diagnosis_ids(FENCES), [["display-fences-unexplained"]]);
        let beside = diagnosis_ids(&[LINK, TIMEOUT].concat()).concat();
        assert!(beside.contains(&"ring-timeout-unexplained".to_owned()), "{beside:?}");
    }

    #[test]
    fn a_fallback_adds_nothing_to_an_event_that_is_explained() {
        let recovered = soft_recovered();
        assert_eq!(diagnosis_ids(&recovered), [["ring-timeout-recovered"]]);
        let begin = "[   10.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n";
        let later = "[  200.000000] usb 1-2: new device\n";
        assert_eq!(diagnosis_ids(&[begin, later].concat()), [["reset-never-completed"]]);
        assert_eq!(diagnosis_ids(begin), [["reset-begin-unexplained"]]);
    }
}
