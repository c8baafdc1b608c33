//! The GPUs that logs show: a line for each GPU in the fixtures of `fixtures/devices`.

use std::fmt::Write as _;

use super::common::{Fixture, Json, Run, snapshot};

/// A GPU in one line; unknown values are a hyphen.
fn described(device: &Json) -> String {
    let word = |key: &str| match &device[key] {
        value if value.is_null() => "-".to_owned(),
        value => value.text().to_owned(),
    };
    let number = |key: &str| match &device[key] {
        value if value.is_null() => "-".to_owned(),
        value => value.count().to_string(),
    };
    let candidates: Vec<&str> = device["gfx_candidates"].list().iter().map(Json::text).collect();
    let firmware = &device["firmware"];
    let versions: Vec<String> =
        firmware.keys().iter().map(|key| format!("{key} {}", firmware[*key].text())).collect();
    format!(
        "{} id {} asic {} target {} of [{}] by {} kind {} vram {} {} firmware [{}] lost {}{}",
        word("pci_address"),
        word("pci_id"),
        word("asic"),
        word("gfx_target"),
        candidates.join(" "),
        word("gfx_evidence"),
        word("kind"),
        number("vram_mib"),
        word("memory"),
        versions.join(", "),
        number("lost_line"),
        if device["virtual_function"] == Json::Flag(true) { " virtual" } else { "" },
    )
}

#[test]
fn each_gpu_is_what_its_lines_prove() {
    let mut text = String::new();
    for fixture in Fixture::all("devices") {
        let said = fixture.report().json();
        writeln!(text, "{}: {}", fixture.name, said["verdict"].text()).unwrap();
        for device in said["devices"].list() {
            writeln!(text, "  {}", described(device)).unwrap();
        }
    }
    let command = "amdtriage --format json, `verdict` and `devices` # each of fixtures/devices";
    snapshot("devices", command, &text);
}

/// A line that several drivers may have printed is not attributed to a GPU if another driver is
/// active.
#[test]
fn a_shared_line_beside_another_driver_is_nobody_s() {
    let log = Fixture::read("devices/another-driver.log").text();
    let incidents = |log: &str| Run::json(log).output().json()["incidents"].list().len();
    assert_eq!(incidents(&log), 0);
    let alone: Vec<&str> = log.lines().filter(|line| !line.contains("i915")).collect();
    assert_eq!(incidents(&alone.join("\n")), 0, "i915's name of the output");
    assert_eq!(incidents(&alone.join("\n").replace("pipe B", "crtc-1")), 1);
    assert_eq!(incidents(&log.replace("pipe B", "crtc-1")), 0);
}

/// GPUs that are reset together are one incident, and each diagnosis is about the GPU in its lines.
#[test]
fn of_several_gpus_each_diagnosis_names_its_own() {
    let log = "\
[ 100.000000] amdgpu 0000:0a:00.0: {1}uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!
[ 100.000003] amdgpu 0000:0b:00.0: amdgpu: The cp might be in an unrecoverable state due to an unsuccessful queues preemption
[ 100.000008] amdgpu: Failed to evict process queues
[ 100.031000] amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!
[ 100.053000] amdgpu 0000:0a:00.0: amdgpu: MODE1 reset
[ 100.053001] amdgpu 0000:0b:00.0: amdgpu: MODE1 reset
[ 104.820000] amdgpu 0000:0a:00.0: amdgpu: GPU reset succeeded, trying to resume
";
    let report = Run::json(log).output().json();
    assert_eq!(report["incidents"].list().len(), 1);
    let summary = |id: &str| report.diagnosis(id)["summary"].text().to_owned();
    assert!(summary("ras-uncorrectable").contains("GPU 0000:0a:00.0"));
    assert!(summary("kfd-hws-hang").contains("GPU 0000:0b:00.0"));
    // It is unknown whose queues these were.
    assert!(!summary("kfd-queue-evict-failed").contains("0000:"));
}
