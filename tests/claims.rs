//! Regression tests for wrong statements in texts and advice.

use super::common::{Json, Run};

const DEVICE: &str = "amdgpu 0000:03:00.0: amdgpu: ";

/// The report on lines at these seconds; `%` stands for the driver's prefix.
fn report(lines: &[(f64, &str)]) -> Json {
    let line = |(at, text): &(f64, &str)| format!("[{at:12.6}] {}\n", text.replace('%', DEVICE));
    Run::json(lines.iter().map(line).collect::<String>()).output().json()
}

/// The summary of a diagnosis or a notice.
fn summary(report: &Json, id: &str) -> String {
    let incidents = report["incidents"].list().iter();
    let diagnoses = incidents.flat_map(|incident| incident["diagnoses"].list());
    let all = diagnoses.chain(report["notices"].list());
    let found = all.into_iter().find(|one| one["id"].text() == id);
    found.unwrap_or_else(|| panic!("{id} is not said"))["summary"].text().to_owned()
}

fn advice(report: &Json, id: &str) -> Vec<String> {
    let actions = &report.diagnosis(id)["actions"];
    actions.each("id").into_iter().map(str::to_owned).collect()
}

const TIMEOUT: (f64, &str) = (100.0, "%ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3");
const BEGIN: (f64, &str) = (100.1, "%GPU reset begin!");
const DONE: (f64, &str) = (102.0, "%GPU reset(1) succeeded!");

#[test]
fn a_late_job_is_no_reset_of_the_whole_gpu() {
    let skipped = (100.5, "%Guilty job already signaled, skipping HW reset");
    assert_eq!(report(&[TIMEOUT, BEGIN, skipped, DONE]).diagnosed(), ["late-job-signal"]);
    assert_eq!(report(&[TIMEOUT, BEGIN, DONE]).diagnosed(), ["ring-timeout-reset"]);
}

#[test]
fn a_hang_after_a_series_of_silent_requests_is_something_worse() {
    let misc = |at| (at, "%MES failed to respond to msg=MISC (WAIT_REG_MEM)");
    let series = [misc(100.0), misc(180.0), misc(260.0), (291.0, TIMEOUT.1)];
    let text = summary(&report(&series), "mes-misc-timeout");
    assert!(text.contains("A hang or reset followed"), "{text}");
}

#[test]
fn what_bad_data_was_read_for_is_lost() {
    let lines = [
        (100.0, "%poison is consumed by client 10, kick off gpu reset flow"),
        (100.1, "%GPU reset begin!. Source:  2"),
        DONE,
    ];
    let text = summary(&report(&lines), "ras-uncorrectable");
    assert!(text.contains("the results of that work are lost"), "{text}");
}

#[test]
fn removing_overclocking_is_the_first_repair_where_it_is_on_and_not_at_all_where_nothing_hints_at_it()
 {
    let on = (
        1.0,
        "%Overdrive is enabled, please disable it before reporting any bugs unrelated to overdrive.",
    );
    let advised = advice(&report(&[on, TIMEOUT, BEGIN, DONE]), "ring-timeout-reset");
    // Only urgent actions precede it.
    assert_eq!(advised[..2], ["restart-session", "od-off"]);
    let advised = advice(&report(&[TIMEOUT, BEGIN, DONE]), "ring-timeout-reset");
    assert!(!advised.contains(&"od-off".to_owned()), "{advised:?}");
}

#[test]
fn the_version_of_a_block_reads_as_people_write_it() {
    for printed in ["0xb0500", "0xb050000"] {
        let line = format!("%Failed to add gfx ip block(GC_HWIP:{printed})");
        let text = summary(&report(&[(3.0, &line)]), "kernel-too-old-for-chip");
        assert!(text.contains("version 11.5.0"), "{text}");
    }
}

#[test]
fn sentences_have_no_holes() {
    let struck = "python3[4242]: Memory access fault by GPU node-1 (Agent handle: 0x55d0c0a01200) on address 0x7f10c2a00000. Reason: Page not present or supervisor privilege.\n";
    let report = Run::json(struck.replace("0x7f10c2a00000", "xxxx")).output().json();
    if !report["incidents"].list().is_empty() {
        let text = summary(&report, "rocm-memory-access-fault");
        assert!(!text.contains("address  ") && !text.contains("accessed address on"), "{text}");
    }
    let both = [
        (0.1, "Command line: BOOT_IMAGE=/vmlinuz amdgpu.gfxoff=0 quiet"),
        (1.0, "amdgpu: unknown parameter 'gfxoff' ignored"),
        (2.0, "[drm] Initialized amdgpu 3.57.0 for 0000:03:00.0 on minor 1"),
    ];
    let text = summary(&self::report(&both), "unknown-module-param");
    assert!(!text.contains(".The") && !text.contains("  ") && !text.starts_with(' '), "{text}");
}

/// The signature and `check` name the same last release with the fault.
#[test]
fn a_known_fault_ends_with_the_same_release_everywhere() {
    let known =
        std::fs::read_to_string(super::common::root("patterns/machine/known.toml")).unwrap();
    let listed = Run::new(["explain", "known-bad-kfd-doorbell"]).output().stdout;
    let words = listed.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [known, words] {
        assert!(text.contains("6.15.6") && text.contains("6.15.7"), "{text}");
        assert!(!text.contains("6.15.8"), "{text}");
    }
}
