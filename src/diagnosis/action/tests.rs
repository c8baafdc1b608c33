use super::*;
use crate::builtin::patterns;
use crate::diagnosis::{Conclusions, conclusions};
use crate::event::log::tests::log;

const TIMEOUT: &str = "\
[  100.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[  100.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
";
const DONE: &str = "\
[  101.500000] [drm] VRAM is lost due to GPU reset!
[  102.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";

fn concluded(text: &str) -> Conclusions {
    conclusions(&log(text), &patterns())
}

/// The ids of the actions after the first incident of a log.
fn advised(text: &str) -> Vec<String> {
    let conclusions = concluded(text);
    let actions = conclusions.findings[0].actions().into_iter();
    actions.map(|action| action.advice.id.clone()).collect()
}

fn has(ids: &[String], id: &str) -> bool {
    ids.iter().any(|own| own == id)
}

#[test]
fn urgent_actions_are_first_and_reporting_is_last() {
    let text = format!("{TIMEOUT}{DONE}");
    let conclusions = concluded(&text);
    let finding = &conclusions.findings[0];
    let actions = finding.actions();
    assert_eq!(actions[0].advice.id, "restart-session");
    let phases: Vec<AdvicePhase> = actions.iter().map(|action| action.advice.phase).collect();
    assert!(phases.is_sorted(), "{phases:?}");
    assert_eq!(actions.last().map(|last| last.advice.id.as_str()), Some("report"));
}

/// The unfinished reset is an effect: urgent actions are listed with the cause.
#[test]
fn the_first_diagnosis_says_what_is_urgent_for_all() {
    let text = format!("{TIMEOUT}[  300.000000] usb 1-4: reset high-speed USB device number 2\n");
    let conclusions = concluded(&text);
    let finding = &conclusions.findings[0];
    assert!(finding.diagnoses.len() > 1, "{:?}", finding.diagnoses);
    assert_eq!(finding.diagnoses[0].actions[0].advice.id, "reboot-hard");
    assert_eq!(finding.actions()[0].advice.id, "reboot-hard");
}

#[test]
fn an_effect_is_repaired_only_where_the_cause_cannot_be() {
    let ids = advised(&format!("{TIMEOUT}{DONE}"));
    assert!(has(&ids, "mesa-update") && !has(&ids, "split-gpu"), "{ids:?}");
}

#[test]
fn a_complete_log_is_not_asked_for() {
    let filler = |at: u32| format!("[   {:02}.000000] usb 1-{at}: new device\n", 10 + at / 10);
    let head = "[    0.000000] Linux version 6.17.9-arch1-1 (linux@archlinux) (gcc) #1\n";
    let rest: String = (0..300).map(filler).collect();
    let ids = advised(&format!("{head}{rest}{TIMEOUT}"));
    assert!(!has(&ids, "dmesg"), "{ids:?}");
    let ids = advised(&format!("{rest}{TIMEOUT}"));
    assert!(has(&ids, "dmesg"), "{ids:?}");
    let ids = advised(&format!("{head}{TIMEOUT}"));
    assert!(has(&ids, "dmesg"), "an excerpt may begin with the first line, too: {ids:?}");
}

#[test]
fn overclocking_is_removed_where_it_is_shown_to_be_on() {
    let on = "[    1.000000] amdgpu 0000:03:00.0: amdgpu: Overdrive is enabled, please disable it before reporting any bugs unrelated to overdrive.\n";
    let asked = |mask: &str| {
        format!("[    0.000000] Command line: BOOT_IMAGE=/vmlinuz amdgpu.ppfeaturemask={mask}\n")
    };
    for (head, is_on) in [
        (on.to_owned(), true),
        (asked("0xffffffff"), true),
        (asked("4294967295"), true),
        (asked("0xfff7bfff"), false),
        (asked("0xfff73fff"), false),
        (String::new(), false),
    ] {
        let ids = advised(&format!("{head}{TIMEOUT}{DONE}"));
        assert_eq!(has(&ids, "od-off"), is_on, "{head}{ids:?}");
        if is_on {
            assert_eq!(ids[1], "od-off", "after what is urgent");
        }
    }
}

#[test]
fn a_dump_that_the_kernel_does_not_make_is_not_asked_for() {
    let head = |release| format!("[    0.000000] Linux version {release} (a@b) (gcc) #1\n");
    let ids = |release| advised(&format!("{}{TIMEOUT}{DONE}", head(release)));
    assert!(has(&ids("6.17.9-arch1-1"), "coredump") && !has(&ids("5.15.0-91-generic"), "coredump"));
}

#[test]
fn an_accelerator_gets_no_advice_about_desktops() {
    let text = "\
[    1.000000] [drm] initializing kernel modesetting (IP DISCOVERY 0x1002:0x74A1 0x1002:0x74A1 0x00).
[    1.100000] amdgpu 0000:03:00.0: amdgpu: [drm] initializing kernel modesetting (IP DISCOVERY 0x1002:0x74A1 0x1002:0x74A1 0x00).
[  100.000000] amdgpu 0000:03:00.0: amdgpu: uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!
[  100.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!. Source:  2
[  101.500000] [drm] VRAM is lost due to GPU reset!
[  102.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";
    let ids = advised(text);
    assert_eq!(ids[0], "drain", "{ids:?}");
    assert!(has(&ids, "service-guide") && has(&ids, "gpu-validate"), "{ids:?}");
    for never in ["compositor", "restart-session", "split-gpu", "mesa-update", "app-check"] {
        assert!(!has(&ids, never), "{never}: {ids:?}");
    }
}

#[test]
fn a_kernel_that_is_too_old_is_updated_first() {
    let text = "\
[    0.000000] Linux version 6.1.0-25-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1
[    3.000000] amdgpu 0000:03:00.0: amdgpu: Failed to add gfx ip block(GC_HWIP:0xc0000)
[    3.100000] amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init
";
    let ids = advised(text);
    assert_eq!(ids.first().map(String::as_str), Some("kern-update"), "{ids:?}");
}

#[test]
fn active_settings_are_not_recommended() {
    let head = "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz amdgpu.runpm=0\n";
    let lost = "\
[   20.000000] amdgpu 0000:03:00.0: amdgpu: device lost from bus!
[   20.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
";
    let conclusions = concluded(&format!("{head}{lost}"));
    let actions = conclusions.findings[0].actions();
    let place = actions.iter().position(|action| action.advice.id == "runpm0");
    let new = actions.iter().rposition(|action| action.is_new());
    if let Some(place) = place {
        assert!(Some(place) > new && actions[place].standing == ActionStatus::AlreadyActive);
    }
}
