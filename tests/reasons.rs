//! What the first screen says follows from what the lines prove: no outcome of a GPU that only
//! programs speak of, the kernel's reason before guesses, and advice for the system and the program
//! at hand.

use super::common::{Run, none, root};

/// The first screen of a fixture of a signature, in one line.
fn card(name: &str) -> String {
    let text = std::fs::read_to_string(root("fixtures/signatures").join(name)).unwrap();
    let (_, log) = text.split_once("\n\n").unwrap();
    let card = Run::human(log.as_bytes()).output().stdout;
    card.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is missing on a first screen, and what should not be there.
fn differences(name: &str, wanted: &[&str], unwanted: &[&str]) -> Vec<String> {
    let card = card(name);
    let missing = wanted.iter().filter(|text| !card.contains(**text));
    let missing = missing.map(|text| format!("{name}: `{text}` is missing:\n{card}"));
    let extra = unwanted.iter().filter(|text| card.contains(**text));
    missing.chain(extra.map(|text| format!("{name}: `{text}` is there:\n{card}"))).collect()
}

#[test]
fn what_only_a_program_reports_has_no_outcome_and_begins_with_the_kernel_log() {
    const LOG: &str = "Now Read the kernel log from that time";
    const OUTCOME: [&str; 3] = ["OUTCOME", "recovered", "desktop that survives"];
    let mut wrong = differences(
        "context-lost-userspace/hit-guilty.log",
        &[LOG, "GPU PROGRAM FAILED", "Update Mesa", "its own work hung the GPU (guilty)."],
        &OUTCOME,
    );
    wrong.extend(differences(
        "rocm-memory-access-fault/hit-null.log",
        &[LOG, "null pointer.", "1 Use a ROCm release"],
        &OUTCOME,
    ));
    wrong.extend(differences(
        "hip-out-of-memory/hit-more-free-than-requested.log",
        &["7.12 GiB of 15.92 GiB were free", "does not show why the request failed"],
        // It fails again.
        &["OUTCOME", "Now Restart the program", "recovered", "reboot"],
    ));
    none(&wrong);
}

#[test]
fn the_reason_that_the_kernel_gives_comes_before_access_rights() {
    let mut wrong = differences(
        "hip-no-gpu/hit-atomics.log",
        &["1 Use a slot with PCIe atomics", "The kernel gives the reason"],
        &["Give the user", "VISIBLE_DEVICES"],
    );
    wrong.extend(differences(
        "hip-no-gpu/hit-kfd-refused.log",
        &["1 Look for the compute driver's own reason", "not a permission problem"],
        &["Give the user", "VISIBLE_DEVICES"],
    ));
    wrong.extend(differences("hip-no-gpu/hit-kfd-denied.log", &["1 Give the user"], &[]));
    none(&wrong);
}

#[test]
fn a_rejected_atomic_operation_is_no_bad_contact() {
    let mut wrong = differences(
        "pcie-aer/hit-atomic-rejected.log",
        &["PCIE ERROR", "rejected an atomic operation", "1 Use a slot with PCIe atomics"],
        &["GPU LOST", "Check slot", "ASPM"],
    );
    wrong.extend(differences(
        "pcie-aer/hit-other-request-rejected.log",
        &["PCIE ERROR"],
        &["atomic", "Check slot", "ASPM"],
    ));
    wrong.extend(differences(
        "init-failure/hit-errors-of-its-switch.log",
        &["1 Check slot", "the switch on the card reported bus errors"],
        &[],
    ));
    none(&wrong);
}

#[test]
fn a_page_fault_is_told_by_its_address_space_and_program() {
    let mut wrong = differences(
        "driver-page-fault/hit-status-zero.log",
        &["address space of the driver and firmware"],
        &["Restart the program", "Mesa"],
    );
    wrong.extend(differences(
        "gfx-page-fault/hit-miner.log",
        &["1 Run the miner at stock clocks"],
        &["graphics program", "Mesa"],
    ));
    wrong.extend(differences(
        "mmhub-page-fault/hit-llama-server.log",
        &["Copy with shaders instead of the copy engines"],
        &[],
    ));
    none(&wrong);
}

#[test]
fn freebsd_gets_its_own_commands() {
    none(&differences(
        "firmware-missing/hit-freebsd-security-processor.log",
        &["explain --distro freebsd initramfs-fw"],
        &["(or for", "--distro ubuntu", "dracut", "update-initramfs", "systemctl"],
    ));
}

#[test]
fn advice_is_for_the_screen_and_the_class_that_the_lines_show() {
    let mut wrong = differences(
        "flip-done-timeout/hit-named-external.log",
        &["flip_done"],
        &["panel self refresh"],
    );
    wrong.extend(differences(
        "ras-uncorrectable/hit-banks-without-the-chip.log",
        &["Now Drain the node"],
        &["Check cooling", "Check slot"],
    ));
    none(&wrong);
}

/// Each first screen says what its log says: the heading, the deciding line, and what to do now.
#[test]
fn a_first_screen_says_what_its_log_says() {
    let each: [(&str, &[&str], &[&str]); 17] = [
        (
            "compute-page-fault/hit-gfx942-vmid-5.log",
            &["address space of pt_main_thread (pid 5123); the bug may be in the program"],
            &["not necessarily at fault"],
        ),
        (
            "discovery-failed-unexplained/hit-nothing-else.log",
            &["WARNING: GPU STARTED AFTER AN ERROR", "The GPU started all the same."],
            &["Restart what crashed", "DID NOT START"],
        ),
        (
            "kfd-queue-failed-unexplained/hit-nothing-else.log",
            &["GPU QUEUE FAILED, GPU STILL WORKS"],
            &["GPU HANG"],
        ),
        (
            "rocr-memory-fault-unexplained/hit-nothing-else.log",
            &["GPU HARDWARE ERROR", "Now Do not trust results from that time."],
            &["PAGE FAULT", "Restart the program"],
        ),
        (
            "reset-failed-unexplained/hit-nothing-else.log",
            &["A later reset succeeded, and the GPU works again.", "Now Restart what crashed"],
            &["Reboot cleanly"],
        ),
        (
            "over-temperature-unexplained/hit-nothing-else.log",
            &["GPU OVERHEATED, NO SHUTDOWN SEEN"],
            &["no failure of the GPU"],
        ),
        (
            "psp-failed-unexplained/hit-toc.log",
            &["GPU START FAILURE, OUTCOME NOT IN THE LOG"],
            &["DID NOT START"],
        ),
        (
            "vendor-reset-no-answer/hit-log-ends-in-the-reset.log",
            &["GPU RESET, OUTCOME NOT IN THE LOG"],
            &["IOMMU FAULT"],
        ),
        (
            "ras-uncorrectable/hit-alarm-of-another-gpu.log",
            &["record is from 0000:61:00.0", "the alarm from 0000:41:00.0, which saw it first"],
            &[],
        ),
        (
            "pcie-link-lost/hit-enclosure-unplugged.log",
            &["its card was not present", "device lost from bus!", "reconnect it"],
            &[],
        ),
        (
            "gpu-retired/hit-in-a-reset.log",
            &["This GPU is in BAD status.", "Now Use another GPU and replace this card"],
            &[],
        ),
        (
            "pcie-aer/hit-fatal-and-repaired.log",
            &["completion timeout (CmpltTO)", "device recovery successful"],
            &["calls it"],
        ),
        (
            "context-lost-userspace/hit-guilty.log",
            &["Cause: the program's own work, according to the driver"],
            &["Possible cause"],
        ),
        (
            "hip-out-of-memory/hit-torch.log",
            &[
                "requested 978 MiB; 630 MiB of 15.98 GiB were free.",
                "allocate 978.00 MiB. What to try",
            ],
            &["environment-variables"],
        ),
        (
            "blocked-task-unexplained/hit-nothing-else.log",
            &["WARNING: TASK STUCK", "Stated by a process list"],
            &["by the kernel"],
        ),
        ("reset-crash/hit-call-trace-missing.log", &["KERNEL CRASH", "BUG: unable to handle"], &[]),
        ("hip-no-gpu/hit-docker-host.log", &["lsmod | grep amdgpu"], &[]),
    ];
    let wrong = each.into_iter().flat_map(|(name, has, has_not)| differences(name, has, has_not));
    none(&wrong.collect::<Vec<_>>());
}
