//! What opens, continues and ends an incident.

mod causes;
mod resets;

use super::*;
use crate::event::log::tests::log;

const A: &str = "amdgpu 0000:03:00.0: amdgpu: ";
const B: &str = "amdgpu 0000:0a:00.0: amdgpu: ";

fn read(lines: &[(f64, &str, &str)]) -> Vec<(Option<String>, usize, Outcome)> {
    let line = |(at, prefix, text): &(f64, &str, &str)| format!("[{at:12.6}] {prefix}{text}\n");
    let text: Vec<String> = lines.iter().map(line).collect();
    incidents(&log(&text.concat()))
        .into_iter()
        .map(|i| (i.device.map(|device| device.to_string()), i.events.len(), i.outcome))
        .collect()
}

fn on_a(events: usize, outcome: Outcome) -> (Option<String>, usize, Outcome) {
    (Some("0000:03:00.0".to_owned()), events, outcome)
}

const TIMEOUT: &str = "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3";
const SOFT: &str = "ring gfx_0.0.0 timeout, but soft recovered";

#[test]
fn a_recovery_and_five_quiet_seconds_end_an_incident() {
    let one =
        [(10.0, A, TIMEOUT), (10.1, A, "GPU reset begin!"), (11.0, A, "GPU reset(1) succeeded!")];
    assert_eq!(read(&one), [on_a(3, Outcome::Recovered)]);
    let again = [&one[..], &[(16.0, A, TIMEOUT)]].concat();
    assert_eq!(read(&again).len(), 1, "exactly five seconds are not more than five");
    let later = [&one[..], &[(16.000_001, A, TIMEOUT)]].concat();
    assert_eq!(read(&later), [on_a(3, Outcome::Recovered), on_a(1, Outcome::Unknown)]);
}

#[test]
fn an_incident_without_recovery_ends_after_five_minutes() {
    let fault = "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770)";
    assert_eq!(read(&[(10.0, A, fault), (310.0, A, fault)]).len(), 1);
    assert_eq!(read(&[(10.0, A, fault), (310.1, A, fault)]).len(), 2);
}

#[test]
fn after_a_failed_reset_only_a_new_failure_is_another_incident() {
    let lines = [
        (10.0, A, "GPU reset begin!"),
        (11.0, A, "GPU reset(1) failed"),
        (900.0, A, SOFT),
        (2000.0, A, TIMEOUT),
    ];
    assert_eq!(read(&lines), [on_a(3, Outcome::Failed), on_a(1, Outcome::Unknown)]);
}

#[test]
fn gpus_that_are_reset_together_have_one_incident() {
    const C: &str = "amdgpu 0000:1b:00.0: amdgpu: ";
    let lines = [
        (9.0, A, "SMU is initialized successfully!"),
        (9.1, B, "SMU is initialized successfully!"),
        (9.2, C, "SMU is initialized successfully!"),
        (10.0, A, "uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!"),
        (10.0, B, "qcm fence wait loop timeout expired"),
        (10.1, "[drm:x [amdgpu]] *ERROR* ", "Failed to initialize parser -125!"),
        (10.2, A, "GPU reset begin!"),
        (10.3, A, "MODE1 reset"),
        (10.3, B, "MODE1 reset"),
        (10.3, C, "MODE1 reset"),
        (12.0, A, "GPU reset(1) succeeded!"),
    ];
    assert_eq!(read(&lines), [on_a(8, Outcome::RecoveredContextLost)]);
}

#[test]
fn two_gpus_interleaved_have_an_incident_each() {
    let lines = [
        (10.0, A, TIMEOUT),
        (10.0, B, TIMEOUT),
        (10.1, A, "GPU reset begin!"),
        (10.2, B, "GPU reset begin!"),
        (11.0, B, "GPU reset(1) succeeded!"),
        (11.1, A, "GPU reset(1) failed"),
    ];
    let found = read(&lines);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], on_a(3, Outcome::Failed));
    assert_eq!(found[1].2, Outcome::Recovered);
}

#[test]
fn the_driver_s_own_words_decide_the_outcome() {
    let refused = "Failed to initialize parser -125!";
    let begin = (10.0, A, "GPU reset begin!");
    let half = (10.5, A, "GPU reset succeeded, trying to resume");
    let vram = (10.6, A, "VRAM is lost due to GPU reset!");
    let done = (11.0, A, "GPU reset(1) succeeded!");
    let untested = (10.9, A, "[drm:x [amdgpu]] *ERROR* ring gfx_0.0.0 test failed (-110)");
    let noise = (80.0, "", "usb 1-2: new device");
    for (lines, outcome) in [
        (vec![begin, half, done], Outcome::Recovered),
        (vec![begin, half, vram, done], Outcome::VramLost),
        (vec![begin, half, done, (11.5, A, refused)], Outcome::RecoveredContextLost),
        (vec![begin, half], Outcome::Unknown),
        (vec![begin, half, noise], Outcome::NeverCompleted),
        (vec![begin, half, untested, done], Outcome::Failed),
        (vec![begin, (11.0, A, "GPU reset end with ret = -62")], Outcome::Failed),
        (vec![(10.0, A, TIMEOUT)], Outcome::Unknown),
        (vec![(10.0, A, TIMEOUT), noise], Outcome::Hung),
        (vec![(10.0, A, SOFT)], Outcome::Recovered),
    ] {
        assert_eq!(read(&lines).first().map(|i| i.2), Some(outcome), "{lines:?}");
    }
}

#[test]
fn aftermath_belongs_to_the_previous_reset() {
    let lines = [
        (10.0, A, "GPU reset begin!"),
        (11.0, A, "GPU reset(1) succeeded!"),
        (200.0, A, "Failed to initialize parser -125!"),
    ];
    assert_eq!(read(&lines), [on_a(3, Outcome::RecoveredContextLost)]);
}

#[test]
fn a_chip_that_is_reset_while_it_is_set_up_has_no_incident() {
    assert!(
        read(&[(3.0, A, "MODE2 reset"), (4.0, A, "SMU is initialized successfully!")]).is_empty()
    );
}

#[test]
fn a_reset_that_was_asked_for_and_worked_is_a_request() {
    let text = format!(
        "[   10.000000] {A}GPU reset begin!. Source:  5\n[   11.000000] {A}GPU reset(1) succeeded!\n"
    );
    assert!(incidents(&log(&text))[0].is_granted_request());
    let failed = text.replace("succeeded!", "failed");
    assert!(!incidents(&log(&failed))[0].is_granted_request());
}

#[test]
fn what_led_to_one_gpu_s_failure_is_kept_while_another_fails() {
    let lines = [
        (10.0, B, "MODE1 reset"),
        (11.0, A, TIMEOUT),
        (12.0, B, TIMEOUT),
        (30.0, A, "GPU reset begin!"),
    ];
    let found = read(&lines);
    assert_eq!(found.iter().map(|i| i.1).collect::<Vec<_>>(), [2, 2], "{found:?}");
}

#[test]
fn recovery_of_another_device_does_not_affect_the_gpu() {
    let port = "pcieport 0000:00:01.1: AER: ";
    let lines = [
        (10.0, A, "GPU reset begin!"),
        (11.0, A, "GPU reset(1) succeeded!"),
        (12.0, port, "Uncorrected (Fatal) error received: 0000:04:00.0"),
        (12.1, port, "device recovery failed"),
    ];
    assert_eq!(read(&lines), [on_a(2, Outcome::Recovered)]);
}

#[test]
fn any_number_of_gpus_fails_in_linear_time() {
    let line = |n: usize| {
        let address = format!("{:04x}:{:02x}:{:02x}.0", n >> 13, n >> 5 & 0xff, n & 31);
        format!("[   10.000000] amdgpu {address}: amdgpu: GPU reset begin!\n")
    };
    let text: String = (0..5000).map(line).collect();
    let found = incidents(&log(&text));
    assert_eq!(found.len(), 5000);
    assert!(found.iter().all(|incident| incident.events.len() == 1));
}

#[test]
fn recovery_of_one_gpu_does_not_affect_another() {
    let lines = [
        (10.0, B, "SMU is initialized successfully!"),
        (100.0, A, "GPU reset begin!"),
        (9000.0, B, "GPU reset succeeded, trying to resume"),
        (9001.0, B, "GPU reset(1) succeeded!"),
    ];
    let found = read(&lines);
    assert_eq!(found[0], on_a(1, Outcome::NeverCompleted));
    assert_eq!(found[1].2, Outcome::Recovered);
}

#[test]
fn a_line_without_device_is_not_given_to_a_failure_long_ago() {
    let lines = [
        (10.0, B, "SMU is initialized successfully!"),
        (100.0, A, "GPU reset begin!"),
        (101.0, A, "GPU reset(1) failed"),
        (9000.0, "[drm:x [amdgpu]] *ERROR* ", SOFT),
    ];
    let found = read(&lines);
    assert_eq!(found[0], on_a(2, Outcome::Failed));
    assert_eq!(found[1], (None, 1, Outcome::Recovered));
}

#[test]
fn missing_lines_prove_no_end_and_a_skipped_reset_is_one() {
    let begin = (200.0, A, "GPU reset begin!");
    let later = (500.0, "", "usb 1-2: new device");
    for (line, outcome) in [
        ((201.0, "", "** 500 printk messages dropped **"), Outcome::Unknown),
        ((201.0, A, "Guilty job already signaled, skipping HW reset"), Outcome::Recovered),
        ((201.0, "", "usb 1-2: new device"), Outcome::NeverCompleted),
    ] {
        assert_eq!(read(&[begin, line, later])[0].2, outcome, "{line:?}");
    }
}

#[test]
fn a_job_that_was_done_by_then_is_not_stuck() {
    let late = "ring gfx_0.0.0 timeout, signaled seq=2, emitted seq=2";
    let noise = (900.0, "", "usb 1-2: new device");
    assert_eq!(read(&[(10.0, A, late), noise])[0].2, Outcome::Unknown);
    assert_eq!(read(&[(10.0, A, TIMEOUT), noise])[0].2, Outcome::Hung);
}

#[test]
fn another_driver_s_stuck_tasks_are_not_amdgpu_s() {
    let text = "\
[    1.000000] amdgpu 0000:0b:00.0: amdgpu: SMU is initialized successfully!
[  200.000000] INFO: task Xorg:4290 blocked for more than 122 seconds.
[  200.000005] Call Trace:
[  200.000008]  ttm_bo_wait_ctx+0x1d0/0x250 [ttm]
[  200.000009]  nouveau_gem_ioctl_cpu_prep+0x10/0x20 [nouveau]
";
    assert!(incidents(&log(text)).is_empty());
}

#[test]
fn corrected_errors_and_warnings_open_no_incident() {
    let opens = |lines: &str| {
        let ready = format!("[    1.000000] {A}SMU is initialized successfully!\n");
        !incidents(&log(&format!("{ready}{lines}"))).is_empty()
    };
    let bus = |severity: &str| {
        format!(
            "[   10.000000] amdgpu 0000:03:00.0: PCIe Bus Error: severity={severity}, \
                 type=Transaction Layer, (Receiver ID)\n"
        )
    };
    assert!(opens(&bus("Uncorrected (Fatal)")));
    assert!(!opens(&bus("Corrected")));
    let ours = "amdgpu_vm_bo_update+0x3a/0x900 [amdgpu]";
    let oops = |head: &str, function: &str| {
        format!("[   10.000000] {head}\n[   10.000001] RIP: 0010:{function}\n")
    };
    let null = "BUG: kernel NULL pointer dereference, address: 0000000000000008";
    let warning = "WARNING: CPU: 2 PID: 99 at kernel/kthread.c:659 kthread_park+0x89/0xa0";
    assert!(opens(&oops(null, ours)));
    assert!(!opens(&oops(null, "iwl_pcie_rx+0x10/0x20 [iwlwifi]")));
    assert!(!opens(&oops(warning, ours)));
    let iommu = |device: &str| {
        format!(
            "[   10.000000] AMD-Vi: Event logged [IO_PAGE_FAULT device={device} domain=0x000c \
                 address=0x7f5a3c000 flags=0x0020]\n"
        )
    };
    assert!(opens(&iommu("0000:03:00.0")));
    assert!(!opens(&iommu("0000:05:00.0")));
}

#[test]
fn tasks_stuck_elsewhere_are_no_gpu_failure() {
    let text = "\
[  200.000000] INFO: task rsync:4290 blocked for more than 122 seconds.
[  200.000003] task:rsync   state:D stack:0     pid:4290  tgid:4290  ppid:2      flags:0x00004000
[  200.000005] Call Trace:
[  200.000007]  schedule+0x5e/0xd0
[  200.000008]  nfs_wait_on_request+0x1d0/0x250 [nfs]
";
    assert!(incidents(&log(text)).is_empty());
}

/// What a person quotes may be of another time.
#[test]
fn an_outcome_is_not_taken_from_a_sentence() {
    let outcomes = |text: &str| -> Vec<Outcome> {
        incidents(&log(text)).into_iter().map(|incident| incident.outcome).collect()
    };
    let failed = "resume of IP block <smu> failed -62";
    let title = format!("# [BUG] amdgpu {failed} after an update");
    assert_eq!(outcomes(&title), [Outcome::Unknown]);
    assert_eq!(outcomes(&format!("[   10.000001] {A}{failed}\n")), [Outcome::Failed]);
}
