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
    const LOG: &str = "Now Read the kernel log of that moment";
    const OUTCOME: [&str; 3] = ["OUTCOME", "recovered", "desktop that survives"];
    let mut wrong = differences(
        "context-lost-userspace/hit-guilty.log",
        &[LOG, "GPU PROGRAM FAILED", "Update Mesa", "its own work hung the GPU (guilty)."],
        &OUTCOME,
    );
    wrong.extend(differences(
        "rocm-memory-access-fault/hit-null.log",
        &[LOG, "null pointer.", "1 Use a ROCm build"],
        &OUTCOME,
    ));
    wrong.extend(differences(
        "hip-out-of-memory/hit-more-free-than-requested.log",
        &["7.12 GiB is free", "fragmentation", "Now Restart the program that failed."],
        &["OUTCOME", "recovered", "reboot"],
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
        &["1 Look for the compute driver's own reason", "not a question of access rights"],
        &["Give the user", "VISIBLE_DEVICES"],
    ));
    wrong.extend(differences("hip-no-gpu/hit-kfd-denied.log", &["1 Give the user"], &[]));
    none(&wrong);
}

#[test]
fn a_rejected_atomic_operation_is_no_bad_contact() {
    let mut wrong = differences(
        "pcie-aer/hit-atomic-rejected.log",
        &["PCIE ERROR", "was an atomic operation", "1 Use a slot with PCIe atomics"],
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
        &["gpu-firmware-amd-kmod-NAME; sudo kldload amdgpu"],
        &["--distro", "dracut", "update-initramfs", "systemctl"],
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
