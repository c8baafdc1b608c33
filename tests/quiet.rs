//! No signature matches on a machine with a working GPU.

use super::common::{Fixture, Run, none, snapshot};

#[test]
fn a_healthy_machine_has_no_incident() {
    let mut wrong = Vec::new();
    let mut told = Vec::new();
    for fixture in Fixture::all("quiet") {
        let output = fixture.report();
        let report = output.json();
        let verdict = report["verdict"].text();
        let notices = report["notices"].each("id");
        if !report["incidents"].list().is_empty() {
            wrong.push(format!("{}: says {:?}", fixture.name, report.diagnosed()));
        }
        // Errors of another driver cannot be judged.
        let others = report["inputs"][0]["uncovered_driver_lines"].number() > 0.0;
        let is_quiet = matches!(verdict, "clean" | "warning") || others && verdict == "incomplete";
        if !is_quiet || output.status != 0 {
            wrong.push(format!("{}: {verdict}, exit status {}", fixture.name, output.status));
        }
        if fixture.notices != notices || !fixture.says.is_empty() {
            wrong.push(format!("{}: notices {:?}, got {notices:?}", fixture.name, fixture.notices));
        }
        told.push(format!("{}: {verdict} {notices:?}", fixture.name));
    }
    none(&wrong);
    let command = "amdtriage --format json, `verdict` and `notices` # each of fixtures/quiet";
    snapshot("quiet", command, &told.join("\n"));
}

#[test]
fn what_every_boot_says_again_is_told_once() {
    // Times are unique, because equal records of two boots would be merged.
    let boot = |number: usize, option: &str| {
        format!(
            "[    0.000000] Linux version 6.8.0-90-generic (a@b) (gcc) #91\n\
             [    2.0000{number:02}] amdgpu: unknown parameter '{option}' ignored\n\
             [    4.0000{number:02}] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n"
        )
    };
    let log: String = (0..21).map(|n| boot(n, if n < 20 { "one" } else { "two" })).collect();
    let page = Run::human(log).argument("-v").output().stdout;
    assert_eq!(page.matches("Kernel  ").count(), 1, "{page}");
    assert_eq!(page.matches("option one").count(), 1, "{page}");
    assert_eq!(page.matches("The log has this 20 times").count(), 1, "{page}");
    assert_eq!(page.matches("option two").count(), 1, "{page}");
}

/// Whoever pastes the first lines of a crash is not told that all is well.
#[test]
fn a_crash_at_an_unknown_place_is_named() {
    let crash = "[    9.415593] Unable to handle kernel paging request at virtual address ffffffc080b16cec\n";
    let ready = "[    5.211570] [drm] Initialized amdgpu 3.59.0 for 0000:03:00.0 on minor 2\n";
    for (log, line) in [(crash.to_owned(), 1), ([ready, crash].concat(), 2)] {
        let page = Run::human(log).output().stdout.replace("\n ", "");
        let told =
            format!("The kernel crashed (line {line}), and no line here shows in which code");
        assert!(
            page.contains("PROBLEM FOUND, CAUSE NOT IN THIS LOG") && page.contains(&told),
            "{page}"
        );
    }
    let elsewhere = [crash, "[    9.415600] pc : btusb_probe+0x1c/0x40 [btusb]\n"].concat();
    let page = Run::human(elsewhere).output().stdout;
    let told = "Also noted: The kernel crashed in code that is not the GPU driver's.";
    assert!(page.contains("NO GPU FAILURE FOUND") && page.contains(told), "{page}");
}

/// A call trace or a warning in the driver is no failure, but whoever pastes nothing else asks about it.
#[test]
fn what_a_quiet_log_states_is_on_the_first_screen() {
    for (log, (headline, told)) in [
        (
            "[    3.008243]  amdgpu_gtt_mgr_fini+0x2c/0x50 [amdgpu]\n\
             [    3.008272]  amdgpu_ttm_fini+0x78/0x130 [amdgpu]\n",
            ("NOT JUDGED", "A call trace inside the GPU driver"),
        ),
        (
            "[    3.008243] WARNING: CPU: 6 PID: 15 at drivers/gpu/drm/amd/amdgpu/amdgpu_vm.c:88 x+0x1/0x2 [amdgpu]\n",
            ("NO GPU FAILURE FOUND", "Also noted: The GPU driver hit an unexpected state"),
        ),
    ] {
        let page = Run::human(log).output().stdout;
        let page_in_a_row = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.starts_with(headline) && page_in_a_row.contains(told), "{page}");
        assert!(page.contains("\n  1  "), "the line is quoted: {page}");
    }
}
