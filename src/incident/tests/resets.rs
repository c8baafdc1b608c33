//! Resets without a failure, and resets of several GPUs.

use super::{A, B, Outcome, SOFT, Stuck, TIMEOUT, incidents, log, on_a, read};

const HALF: &str = "GPU reset succeeded, trying to resume";
const PENDING: &str = "Pending hive reset.";

#[test]
fn a_reset_that_sets_gpus_up_is_no_incident() {
    let start = [
        (5.0, A, PENDING),
        (6.0, B, PENDING),
        (9.0, A, HALF),
        (9.1, "[drm] ", "VRAM is lost due to GPU reset!"),
        (14.0, B, HALF),
        (14.1, "[drm] ", "VRAM is lost due to GPU reset!"),
    ];
    assert_eq!(read(&start), []);
    let used = [&start[..], &[(500.0, A, TIMEOUT), (900.0, "usb 1-2: ", "new device")]].concat();
    assert_eq!(read(&used), [on_a(1, Outcome::Hung)]);
    // The only message about a failure on this code path.
    let failed = [
        &start[..3],
        &[(
            9.2,
            "[drm:amdgpu_drv_delayed_reset_work_handler [amdgpu]] *ERROR* ",
            "reinit gpus failure",
        )],
    ]
    .concat();
    assert_eq!(read(&failed), [on_a(2, Outcome::Failed)]);
}

/// A page fault of later work shows nothing of what the recovery was for.
#[test]
fn a_recovery_does_not_cover_a_page_fault_after_it() {
    const FAULT: &str = "[gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:32785)";
    let later = (200.0, "usb 1-2: ", "new device");
    for (lines, outcome) in [
        (vec![(10.0, A, SOFT), (10.4, A, FAULT)], Outcome::Unknown),
        (vec![(10.0, A, SOFT), (10.4, A, FAULT), later], Outcome::Recovered),
        (vec![(10.0, A, SOFT), (10.001, A, FAULT)], Outcome::Recovered),
        (vec![(9.0, A, FAULT), (10.0, A, SOFT), (10.4, A, FAULT)], Outcome::Recovered),
    ] {
        let found: Vec<Outcome> = read(&lines).into_iter().map(|found| found.2).collect();
        assert_eq!(found, [outcome], "{lines:?}");
    }
}

/// A page fault says nothing of a reset of the whole GPU that succeeded before it or after it.
#[test]
fn a_page_fault_does_not_hide_what_recovered_the_gpu() {
    const FAULT: &str = "[gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:32785)";
    let lost = ("[drm] ", "VRAM is lost due to GPU reset!");
    let whole = [(5.0, A, TIMEOUT), (5.1, A, BEGIN), (7.0, lost.0, lost.1), (7.3, A, BACK)];
    let fault = [(10.0, A, SOFT), (10.4, A, FAULT)];
    let outcomes = |lines: &[(f64, &str, &str)]| -> Vec<Outcome> {
        read(lines).into_iter().map(|found| found.2).collect()
    };
    assert_eq!(outcomes(&[&whole[..], &fault].concat()), [Outcome::VramLost]);
    for (begin, back) in [(13.0, 14.0), (17.0, 19.0), (20.5, 22.0)] {
        let reset = [(begin, A, BEGIN), (back, A, BACK)];
        let found = outcomes(&[&fault[..], &reset].concat());
        assert!(found.iter().all(|outcome| *outcome == Outcome::Recovered), "{begin}: {found:?}");
    }
    let twice = [(12.4, A, SOFT), (13.0, A, FAULT)];
    assert_eq!(outcomes(&[&fault[..], &twice].concat()), [Outcome::Recovered]);
}

/// A boot that follows does not show that the GPU worked in the one before.
#[test]
fn a_new_boot_does_not_settle_a_page_fault() {
    let text = "[    1.000000] Linux version 6.12.0 (x@y) (gcc) #1 SMP\n\
                [   10.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, but soft recovered\n\
                [   10.400000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:32785)\n\
                [    0.000000] Linux version 6.12.0 (x@y) (gcc) #1 SMP\n\
                [  100.000000] usb 1-2: new device\n";
    let outcomes = |text: &str| -> Vec<Outcome> {
        incidents(&log(text)).into_iter().map(|incident| incident.outcome).collect()
    };
    assert_eq!(outcomes(text), [Outcome::Unknown]);
}

/// Each attempt to reset a GPU starts its SMU; only a complete start of the driver counts.
#[test]
fn after_a_failed_reset_a_start_counts_only_with_a_time() {
    let failed = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=10, emitted seq=12\n\
                  amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n\
                  [drm:amdgpu_device_ip_resume_phase2 [amdgpu]] *ERROR* resume of IP block <gfx_v10_0> failed -110\n\
                  amdgpu 0000:03:00.0: amdgpu: GPU reset end with ret = -110\n";
    let smu = "amdgpu 0000:03:00.0: amdgpu: SMU is resumed successfully!\n";
    let ready = "[drm] Initialized amdgpu 3.57.0 for 0000:03:00.0 on minor 0\n";
    let outcomes = |text: &str| -> Vec<Outcome> {
        incidents(&log(text)).into_iter().map(|incident| incident.outcome).collect()
    };
    let timed = |text: &str| -> String {
        let line = |(at, line): (usize, &str)| format!("[{:5}.000001] {line}\n", 10 + at);
        text.lines().enumerate().map(line).collect()
    };
    for (after, without, with) in [
        ("", Outcome::Failed, Outcome::Failed),
        (smu, Outcome::Failed, Outcome::Failed),
        (ready, Outcome::Unknown, Outcome::Recovered),
    ] {
        let text = [failed, after].concat();
        assert_eq!(outcomes(&text), [without], "{text}");
        assert_eq!(outcomes(&timed(&text)), [with], "{text}");
    }
}

/// People paste the start of a kernel that fails and of one that works, one below the other.
#[test]
fn without_times_a_start_that_succeeds_may_be_another_one() {
    let failed = "amdgpu 0000:03:00.0: Failed to setup smc hw!\n\
                  amdgpu 0000:03:00.0: probe with driver amdgpu failed with error -62\n";
    let works = "amdgpu 0000:03:00.0: SMU is initialized successfully!\n";
    let outcomes = |text: &str| -> Vec<Outcome> {
        incidents(&log(text)).into_iter().map(|incident| incident.outcome).collect()
    };
    assert_eq!(outcomes(failed), [Outcome::Failed]);
    assert_eq!(outcomes(&[failed, works].concat()), [Outcome::Unknown]);
    let all = [failed, works].concat();
    let timed: Vec<String> = { all.lines().enumerate() }
        .map(|(at, line)| format!("[{:5}.000000] {line}\n", 10 + at))
        .collect();
    assert_eq!(outcomes(&timed.concat()), [Outcome::Recovered]);
}

/// The state of a GPU is saved before the line about the job that hung.
#[test]
fn without_times_a_dump_after_a_recovery_belongs_to_what_follows_it() {
    let text = "amdgpu 0000:03:00.0: amdgpu: Starting gfx_0.0.0 ring reset\n\
                amdgpu 0000:03:00.0: amdgpu: Ring gfx_0.0.0 reset succeeded\n\
                amdgpu 0000:03:00.0: amdgpu: Dumping IP State\n\
                amdgpu 0000:03:00.0: amdgpu: Dumping IP State Completed\n\
                amdgpu 0000:03:00.0: amdgpu: ring comp_1.0.1 timeout, signaled seq=45, emitted seq=47\n\
                amdgpu 0000:03:00.0: amdgpu: Ring comp_1.0.1 reset succeeded\n";
    let found = incidents(&log(text));
    let outcomes: Vec<Outcome> = found.iter().map(|incident| incident.outcome).collect();
    assert_eq!(outcomes, [Outcome::Recovered, Outcome::Recovered]);
    let events: Vec<usize> = found.iter().map(|incident| incident.events.len()).collect();
    assert_eq!(events, [2, 4]);
}

#[test]
fn the_end_of_a_reset_is_missed_only_where_its_begin_is_seen() {
    let later = (200.0, "usb 1-2: ", "new device");
    assert_eq!(read(&[(10.0, A, HALF), later]), [on_a(1, Outcome::Unknown)]);
    let begun = [(9.0, A, "GPU reset begin!"), (10.0, A, HALF), later];
    assert_eq!(read(&begun), [on_a(2, Outcome::NeverCompleted)]);
}

const BEGIN: &str = "GPU reset begin!";
const MODE1: &str = "MODE1 reset";
const BACK: &str = "GPU reset(1) succeeded!";
const FAILED: &str = "GPU reset(1) failed";

fn on_b(events: usize, outcome: Outcome) -> (Option<String>, usize, Outcome) {
    (Some("0000:0a:00.0".to_owned()), events, outcome)
}

#[test]
fn gpus_that_are_reset_together_came_back_only_if_all_did() {
    let hive = [(10.0, A, TIMEOUT), (10.1, A, BEGIN), (10.2, A, MODE1), (10.2, B, MODE1)];
    let ends = |a, b| [&hive[..], &[(12.0, A, a), (12.1, B, b)]].concat();
    assert_eq!(read(&ends(BACK, BACK)), [on_a(6, Outcome::Recovered)]);
    assert_eq!(read(&ends(BACK, FAILED)), [on_a(6, Outcome::Failed)]);
    // What a member reports later does not cause the earlier hang.
    let bad = (11.0, B, "This GPU is in BAD status.");
    assert_eq!(read(&[&hive[..], &[bad, (12.0, A, BACK)]].concat()), [on_a(6, Outcome::Failed)]);
}

#[test]
fn a_ring_that_times_out_right_after_the_reset_of_another_one_had_hung_before() {
    const COMPUTE: &str = "ring comp_1.2.1 timeout, signaled seq=5, emitted seq=6";
    let reset = [
        (10.0, A, COMPUTE),
        (10.001, A, "Starting comp_1.2.1 ring reset"),
        (10.002, A, "Ring comp_1.2.1 reset succeeded"),
    ];
    let stuck_in = |lines: &[(f64, &str, &str)]| {
        let line = |(at, prefix, text): &(f64, &str, &str)| format!("[{at:12.6}] {prefix}{text}\n");
        let text: Vec<String> = lines.iter().map(line).collect();
        let log = log(&text.concat());
        incidents(&log).first().and_then(|incident| incident.recovery(&log).stuck_again())
    };
    let stuck = |at: f64| stuck_in(&[&reset[..], &[(at, A, TIMEOUT)]].concat());
    assert_eq!(stuck(10.003), Some(Stuck::Before));
    assert_eq!(stuck(12.003), Some(Stuck::Since));
    // The dump does not show what got stuck; a shorter limit is possible for the ring that was reset.
    assert_eq!(
        stuck_in(&[&reset[..], &[(10.003, A, "Dumping IP State")]].concat()),
        Some(Stuck::Since)
    );
    let again = (10.5, A, COMPUTE);
    assert_eq!(stuck_in(&[&reset[..], &[again]].concat()), Some(Stuck::Since));
}

#[test]
fn a_reset_that_is_skipped_is_so_for_all_gpus_of_it() {
    let lines = [
        (10.0, A, TIMEOUT),
        (10.1, A, BEGIN),
        (10.2, A, "Guilty job already signaled, skipping HW reset"),
        (10.3, A, BACK),
        (10.3, B, BACK),
    ];
    assert_eq!(read(&lines), [on_a(5, Outcome::Recovered)]);
}

#[test]
fn reloading_the_driver_recovers_the_gpu() {
    let failed = [(10.0, A, BEGIN), (12.0, A, FAILED)];
    let powered = (50.0, A, "SMU is initialized successfully!");
    let ready = (52.0, "[drm] ", "Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1");
    assert_eq!(read(&[&failed[..], &[powered]].concat()), [on_a(2, Outcome::Failed)]);
    assert_eq!(read(&[&failed[..], &[powered, ready]].concat()), [on_a(3, Outcome::Recovered)]);
}

#[test]
fn a_power_controller_that_wakes_up_is_no_gpu_that_did() {
    let failed = [(10.0, A, "amdgpu_device_ip_resume failed (-62).")];
    let powered = [(90.0, A, "SMU is resumed successfully!")];
    let woken = [&failed[..], &powered].concat();
    assert_eq!(read(&woken), [on_a(2, Outcome::Recovered)]);
    let again = [&woken[..], &[(93.0, A, "amdgpu_device_ip_resume failed (-110).")]].concat();
    assert_eq!(read(&again), [on_a(3, Outcome::Failed)]);
    let later = [&woken[..], &[(800.0, A, TIMEOUT)]].concat();
    assert_eq!(read(&later), [on_a(2, Outcome::Recovered), on_a(1, Outcome::Unknown)]);
}

#[test]
fn where_recovery_is_switched_off_only_a_reset_ends_the_hang() {
    let off = [(10.0, A, TIMEOUT), (10.1, A, "GPU recovery disabled.")];
    let soft = (11.0, A, "ring comp_1.0.0 timeout, but soft recovered");
    assert_eq!(read(&[&off[..], &[soft]].concat()), [on_a(3, Outcome::Hung)]);
    let mut before = vec![(9.0, A, "ring comp_1.0.0 timeout, but soft recovered")];
    before.extend(off);
    assert_eq!(read(&before), [on_a(3, Outcome::Hung)]);
    let by_hand = [(4000.0, A, "GPU reset begin!. Source:  5"), (4002.0, A, BACK)];
    assert_eq!(read(&[&off[..], &by_hand].concat()), [on_a(4, Outcome::Recovered)]);
}

#[test]
fn jobs_that_are_stopped_instead_of_a_reset_leave_the_gpu_out_of_use() {
    let stop = [(10.0, A, "GPU jobs stop begin!"), (200.0, "usb 1-2: ", "new device")];
    assert_eq!(read(&stop), [on_a(1, Outcome::Failed)]);
}

#[test]
fn lines_without_a_device_follow_the_one_beside_them() {
    const OLD: &str = "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ";
    let ready = [
        (1.0, A, "SMU is initialized successfully!"),
        (2.0, B, "SMU is initialized successfully!"),
    ];
    let both = [
        (10.0, OLD, TIMEOUT),
        (10.000_01, A, BEGIN),
        (10.1, OLD, "ring sdma0 timeout, signaled seq=4, emitted seq=5"),
        (10.100_01, B, BEGIN),
        (12.0, B, BACK),
        (12.5, A, "GPU reset end with ret = -62"),
        (12.500_01, OLD, "GPU Recovery Failed: -62"),
    ];
    let lines = [&ready[..], &both].concat();
    // The last line says the same as the one before it.
    assert_eq!(read(&lines), [on_a(3, Outcome::Failed), on_b(3, Outcome::Recovered)]);
    // Two resets begin, and no line shows which of them the timeout led to.
    let unclear = [
        (10.0, OLD, TIMEOUT),
        (10.5, A, BEGIN),
        (10.6, B, BEGIN),
        (12.0, A, BACK),
        (12.1, B, BACK),
    ];
    let unclear = read(&[&ready[..], &unclear].concat());
    let alone = (None, 1, Outcome::Unknown);
    assert_eq!(unclear, [alone, on_a(2, Outcome::Recovered), on_b(2, Outcome::Recovered)]);
}

#[test]
fn the_repair_of_a_bus_error_that_fails_is_a_failure() {
    const DRM: &str = "[drm:amdgpu_pci_slot_reset [amdgpu]] *ERROR* ";
    let failed = (12.0, DRM, "PCIe error recovery failed, err:-110");
    assert_eq!(read(&[failed]), [(None, 1, Outcome::Failed)]);
    let error = (10.0, "[drm] ", "PCI error: detected callback, state(2)!!");
    assert_eq!(read(&[error, failed]), [(None, 2, Outcome::Failed)]);
    let port = (12.0, "pcieport 0000:00:01.1: AER: ", "device recovery failed");
    assert_eq!(read(&[port]), []);
}

#[test]
fn a_failure_at_the_end_of_a_log_does_not_show_that_the_gpu_works() {
    let fault = (10.0, A, "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770)");
    assert_eq!(read(&[fault]), [on_a(1, Outcome::Unknown)]);
    // A job that hung is reported after ten seconds.
    assert_eq!(read(&[fault, (12.0, "usb 1-2: ", "new device")]), [on_a(1, Outcome::Unknown)]);
    let later = (21.0, "usb 1-2: ", "new device");
    assert_eq!(read(&[fault, later]), [on_a(1, Outcome::None)]);
    // The state is saved for a job that hung, or for a reset: the lines that show it are missing.
    let dump = (10.5, A, "Dumping IP State");
    assert_eq!(read(&[fault, dump, later]), [on_a(2, Outcome::Unknown)]);
}

#[test]
fn a_compute_queue_that_is_reset_is_a_failure() {
    let queue = [
        (10.0, A, "queue id 0x2 at pasid 0x8006 is reset"),
        (10.1, A, "Queues reset on process hashcat tid 71 thread hashcat pid 74"),
    ];
    assert_eq!(read(&queue), [on_a(2, Outcome::Recovered)]);
}

#[test]
fn a_reported_failure_ends_the_reset() {
    let failed = (10.5, A, "GPU mode1 reset failed");
    assert_eq!(read(&[(10.0, A, BEGIN), failed]), [on_a(2, Outcome::Failed)]);
    // Also where a suspend resets the GPU, which no line announces.
    assert_eq!(read(&[failed]), [on_a(1, Outcome::Failed)]);
    let frozen = (10.0, A, "pci_channel_io_frozen: state(2)!!");
    assert_eq!(read(&[frozen]), [on_a(1, Outcome::Unknown)]);
    let dead = (10.0, A, "pci_channel_io_perm_failure: state(3)!!");
    assert_eq!(read(&[dead]), [on_a(1, Outcome::Failed)]);
}

#[test]
fn a_compute_ring_that_fails_its_test_does_not_deny_a_success() {
    let fails = |ring: &str| {
        let test = format!("ring {ring} test failed (-110)");
        let lines = [(10.0, A, BEGIN), (10.5, A, test.as_str()), (11.0, A, BACK)];
        read(&lines)
    };
    assert_eq!(fails("comp_1.3.1"), [on_a(3, Outcome::Recovered)]);
    assert_eq!(fails("gfx"), [on_a(3, Outcome::Failed)]);
}

#[test]
fn a_state_dump_after_a_success_begins_the_next_hang() {
    let back = [(10.0, A, TIMEOUT), (10.1, A, "Ring gfx_0.0.0 reset succeeded")];
    let dump = (12.1, A, "Dumping IP State");
    assert_eq!(read(&[&back[..], &[dump]].concat()), [on_a(3, Outcome::Unknown)]);
    let soft = (12.2, A, SOFT);
    assert_eq!(read(&[&back[..], &[dump, soft]].concat()), [on_a(4, Outcome::Recovered)]);
}

#[test]
fn the_dumps_at_the_end_of_a_log_are_counted_once() {
    let mut text = "[ 1201.101500] amdgpu 0000:c4:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n\
                    [ 1201.102000] amdgpu 0000:c4:00.0: amdgpu: Starting gfx_0.0.0 ring reset\n\
                    [ 1201.302000] amdgpu 0000:c4:00.0: amdgpu: Ring gfx_0.0.0 reset succeeded\n"
        .to_owned();
    for second in ["1690", "1691", "1692"] {
        text.push_str(
            &["[ ", second, ".100000] amdgpu 0000:c4:00.0: amdgpu: Dumping IP State\n"].concat(),
        );
    }
    let all = super::super::incidents(&super::log(&text));
    let events: Vec<usize> = all.iter().flat_map(|incident| incident.events.clone()).collect();
    assert_eq!(events, [0, 1, 2, 3, 4, 5]);
}
