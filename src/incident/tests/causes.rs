//! Events that are grouped because one can have caused the other.

use super::{A, B, TIMEOUT};
use crate::event::log::tests::log;
use crate::incident::{Incident, Outcome, incidents};
use crate::kind::Kind;

const BEGIN: &str = "GPU reset begin!";
const DONE: &str = "GPU reset(1) succeeded!";
const READY: &str = "SMU is initialized successfully!";
const ERROR: &str = "2 uncorrectable hardware errors detected in gfx block";
const PROGRAM: &str = "Memory access fault by GPU node-1 (Agent handle: 0x55d0c8f0) on address \
                       0x7f5a3c000000. Reason: Page not present or supervisor privilege.\n";
const EXCEPTION: &str = "HW Exception by GPU node-1 (Agent handle: 0x55d0c8f0) reason :GPU Hang\n";

fn line(at: f64, text: &str) -> String {
    format!("[{at:12.6}] {text}\n")
}

fn on(gpu: &str, at: f64, text: &str) -> String {
    line(at, &format!("{gpu}{text}"))
}

fn fault(gpu: &str, at: f64, page: &str) -> String {
    let head = "[gfxhub0] no-retry page fault (src_id:0 ring:40 vmid:8 pasid:32770)";
    let page = format!("  in page starting at address {page} from IH client 0x1b (UTCL2)");
    on(gpu, at, head) + &on(gpu, at, &page)
}

/// Both GPUs are initialised in a boot that is complete from its start, with other lines.
fn boot() -> String {
    let others = (0..30).map(|n| line(1.0, &format!("usb 1-{n}: new device"))).collect::<String>();
    let banner = line(0.0, "Linux version 6.12.10 (a@b) (gcc 14.2.1) #1 SMP");
    banner + &others + &on(A, 5.0, READY) + &on(B, 5.1, READY)
}

fn found(text: &str) -> Vec<Incident> {
    incidents(&log(text))
}

fn kinds(text: &str, incident: &Incident) -> Vec<Kind> {
    log(text).at(&incident.events).map(|observed| observed.event.kind()).collect()
}

#[test]
fn program_output_without_time_joins_the_kernels_fault_of_that_page() {
    let page = "0x00007f5a3c000000";
    let kernel = boot() + &fault(A, 100.0, "0x00007f0000000000") + &fault(B, 900.0, page);
    for text in [PROGRAM.to_owned() + &kernel, kernel.clone() + PROGRAM] {
        let all = found(&text);
        let with: Vec<Vec<Kind>> = all.iter().map(|one| kinds(&text, one)).collect();
        assert_eq!(all.len(), 2, "{with:?}");
        assert!(!with[0].contains(&Kind::RocrMemoryFault), "{with:?}");
        assert!(with[1].contains(&Kind::RocrMemoryFault), "{with:?}");
    }
}

#[test]
fn without_a_page_it_joins_the_nearest_failure_that_can_be_its_cause() {
    let hang = on(A, 100.0, TIMEOUT) + &on(A, 100.1, BEGIN) + &on(A, 101.0, DONE);
    let text = boot() + &hang + &fault(B, 900.0, "0x0000000000010000") + EXCEPTION;
    let all = found(&text);
    assert_eq!(all.len(), 2);
    assert!(kinds(&text, &all[0]).contains(&Kind::RocrHwException));
    let alone = boot() + EXCEPTION;
    assert_eq!(found(&alone).len(), 1, "what nothing here has caused is told all the same");
}

#[test]
fn a_line_without_a_gpu_joins_the_failure_with_a_cause() {
    let refused = "[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!";
    let text = boot()
        + &on(A, 100.0, BEGIN)
        + &fault(B, 101.0, "0x0000000000010000")
        + &line(102.0, refused);
    let all = found(&text);
    assert_eq!(all.len(), 2);
    assert!(kinds(&text, &all[0]).contains(&Kind::SubmissionRejected));
}

#[test]
fn in_a_hive_the_gpu_with_the_error_is_named() {
    let resets = |begun: f64| {
        on(A, begun, BEGIN) + &on(A, 100.3, "MODE1 reset") + &on(B, 100.3, "MODE1 reset")
    };
    let back = on(A, 102.0, DONE) + &on(B, 102.0, DONE);
    for text in [
        boot() + &on(B, 100.0, ERROR) + &resets(100.1) + &back,
        boot() + &resets(100.0) + &on(B, 100.2, ERROR) + &back,
        boot() + &on(B, 100.0, ERROR) + &on(A, 100.1, BEGIN) + &on(A, 102.0, DONE),
    ] {
        let all = found(&text);
        let [one] = all.as_slice() else { panic!("{all:?}") };
        let devices: Vec<String> = one.devices.iter().map(ToString::to_string).collect();
        assert_eq!(devices, ["0000:0a:00.0", "0000:03:00.0"]);
        assert_eq!((one.device, one.outcome), (one.devices.first().copied(), Outcome::Recovered));
    }
}

#[test]
fn a_reset_for_which_nothing_failed_is_one_that_was_asked_for() {
    let reset = on(A, 100.0, BEGIN) + &on(A, 102.0, DONE);
    let granted = |text: &str| found(text).iter().all(Incident::is_granted_request);
    assert!(granted(&(boot() + &reset)));
    let filtered: String =
        (boot() + &reset).lines().filter(|line| line.contains("amdgpu")).collect();
    for other in [
        boot() + &on(A, 100.0, BEGIN) + &on(A, 102.0, "GPU reset(1) failed"),
        boot() + &on(A, 100.0, BEGIN),
        boot() + &on(B, 50.0, ERROR) + &reset,
        boot() + &on(A, 99.0, "a sentence that no message knows") + &reset,
        boot() + &line(99.0, "** 500 printk messages dropped **") + &reset,
        on(A, 90.0, READY)
            + &(0..30).map(|_| line(91.0, "usb 1-1: new")).collect::<String>()
            + &reset,
        filtered.replace('[', "\n["),
    ] {
        assert!(!granted(&other), "{other}");
    }
}

#[test]
fn after_a_reset_that_failed_only_a_later_failure_is_another_one() {
    let failed = boot()
        + &on(A, 100.0, TIMEOUT)
        + &on(A, 100.1, BEGIN)
        + &on(A, 101.0, "GPU reset(1) failed");
    let refused = "[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!";
    let follows = failed.clone() + &line(900.0, refused);
    assert_eq!(found(&follows).len(), 1);
    assert_eq!(found(&(failed.clone() + &on(A, 200.0, TIMEOUT))).len(), 1);
    assert_eq!(found(&(failed + &on(A, 900.0, TIMEOUT))).len(), 2);
}

#[test]
fn a_second_reset_that_is_refused_cancels_nothing() {
    let refused = "Bailing on TDR for s_job:1a2b, as another already in progress";
    let text = boot() + &on(A, 100.0, TIMEOUT) + &on(A, 100.1, BEGIN) + &on(A, 100.2, refused);
    let later = line(300.0, "usb 1-1: new device");
    assert_eq!(found(&(text.clone() + &later))[0].outcome, Outcome::NeverCompleted);
    assert_eq!(found(&(text + &on(A, 102.0, DONE)))[0].outcome, Outcome::Recovered);
}

#[test]
fn a_gpu_that_is_taken_into_service_anew_came_back() {
    let lost = boot() + &on(A, 100.0, "device lost from bus!");
    let later = line(9000.0, "usb 1-1: new device");
    assert_eq!(found(&(lost.clone() + &later))[0].outcome, Outcome::Hung);
    for back in ["SMU is initialized successfully!", "SMU is resumed successfully!"] {
        let text = lost.clone() + &on(A, 5000.0, back) + &later;
        assert_eq!(found(&text)[0].outcome, Outcome::Recovered, "{back}");
    }
    let reset = boot() + &on(A, 90.0, TIMEOUT) + &on(A, 90.1, BEGIN) + &on(A, 91.0, DONE);
    let text = reset + &on(A, 93.0, "device lost from bus!") + &on(A, 120.0, READY) + &later;
    assert_eq!(found(&text)[0].outcome, Outcome::Recovered, "lost behind a reset");
    let failed = boot() + &on(A, 100.0, BEGIN) + &on(A, 101.0, "GPU reset(1) failed");
    let anew = failed + &on(A, 150.0, READY) + &on(A, 160.0, TIMEOUT) + &later;
    let outcomes: Vec<Outcome> = found(&anew).iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Failed, Outcome::Hung], "what brought it back was no reset");
    let other = lost + &on(B, 5000.0, READY) + &later;
    assert_eq!(found(&other)[0].outcome, Outcome::Hung, "another GPU");
}

#[test]
fn a_part_dead_after_a_reset_refutes_its_success() {
    let reset = boot() + &on(A, 100.0, TIMEOUT) + &on(A, 100.1, BEGIN) + &on(A, 101.0, DONE);
    let later = line(900.0, "usb 1-1: new device");
    let skipped = (0..3)
        .map(|n| line(102.0 + f64::from(n), "[drm] scheduler comp_1.0.0 is not ready, skipping"))
        .collect::<String>();
    let again = (0..3).map(|n| on(A, 111.0 + 10.0 * f64::from(n), TIMEOUT)).collect::<String>();
    for (follows, outcome) in [
        (String::new(), Outcome::Recovered),
        (skipped, Outcome::Failed),
        (again, Outcome::Hung),
        (on(A, 103.0, TIMEOUT), Outcome::Hung),
        (on(A, 103.0, "device lost from bus!"), Outcome::Failed),
    ] {
        let text = reset.clone() + &follows + &later;
        let all = found(&text);
        assert_eq!((all.len(), all[0].outcome), (1, outcome), "{follows}");
    }
}

#[test]
fn freebsd_numbers_a_lost_context_otherwise() {
    let refused =
        |errno: i32| format!("[drm ERROR :amdgpu_cs_ioctl] Failed to initialize parser {errno}!\n");
    for (errno, incidents) in [(-85, 1), (-125, 1), (-22, 0)] {
        assert_eq!(found(&refused(errno)).len(), incidents, "{errno}");
    }
}

#[test]
fn a_lost_context_alone_shows_no_recovery() {
    let later = line(900.0, "usb 1-1: new device");
    for text in [
        line(10.0, "[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!"),
        "amdgpu: The CS has been rejected (-125), but the context isn't robust.\n".to_owned(),
    ] {
        for text in [text.clone(), text + &later] {
            assert_eq!(found(&text)[0].outcome, Outcome::Unknown, "{text}");
        }
    }
}
