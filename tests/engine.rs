//! The matcher of signatures: sequences, limits, absence; each case with a minimal log and
//! signature.

use std::fs;

use super::common::{Json, Run};

/// The GPU of most logs here.
const GPU: &str = "amdgpu 0000:03:00.0: amdgpu: ";
/// A second one.
const OTHER: &str = "amdgpu 0000:83:00.0: amdgpu: ";
const TIMEOUT: &str = "ring gfx_0.0.0 timeout, signaled seq=10, emitted seq=12";
const BEGIN: &str = "GPU reset begin!";
const DONE: &str = "GPU reset(1) succeeded!";

/// A log in dmesg format with a line for each pair of time in seconds and text.
fn log(lines: &[(&str, String)]) -> String {
    let lines: Vec<String> =
        lines.iter().map(|(time, text)| format!("[{time:>12}] {text}\n")).collect();
    lines.concat()
}

fn on(gpu: &str, text: &str) -> String {
    format!("{gpu}{text}")
}

fn gpu(text: &str) -> String {
    on(GPU, text)
}

fn usb() -> String {
    "usb 1-1: USB disconnect, device number 4".to_owned()
}

/// A signature file called `id`: `head` has keys, `body` tables.
fn signature(id: &str, head: &str, body: &str) -> String {
    format!(
        "id = \"{id}\"\ntitle = \"A test\"\nseverity = \"error\"\n\
         certainty = \"stated\"\ncause = \"not-in-log\"\nrole = [\"root-cause\", \"consequence\"]\n\
         status = \"experimental\"\nlayer = \"kernel\"\nblame = 1\n{head}\n{body}\n\
         [text]\nsummary = \"A test\"\nexplain = \"A test\"\n"
    )
}

const SURE: &str = "[confidence]\nbase = 0.9\n";

/// A signature with the tables `body` and no confidence reasons.
fn plain(id: &str, body: &str) -> String {
    signature(id, "", &format!("{body}\n{SURE}"))
}

/// The report on `log` with additional signatures.
fn with(signatures: &[String], log: &str) -> Json {
    let folder = tempfile::tempdir().unwrap();
    for (at, text) in signatures.iter().enumerate() {
        fs::write(folder.path().join(format!("{at}.toml")), text).unwrap();
    }
    let output = Run::json(log).argument("--patterns").argument(folder.path()).output();
    assert!(output.status < 2, "{}", output.stderr);
    output.json()
}

fn of(log: &str) -> Json {
    Run::json(log).output().json()
}

/// Whether an additional signature is among the diagnoses.
#[track_caller]
fn says(signature: &str, log: &str) -> bool {
    with(&[signature.to_owned()], log).diagnosed().contains(&"test")
}

#[test]
fn two_gpus_interleaved_are_two_incidents() {
    let report = of(&log(&[
        ("90.000000", "[drm] Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 0".to_owned()),
        ("90.100000", "[drm] Initialized amdgpu 3.61.0 for 0000:83:00.0 on minor 1".to_owned()),
        ("100.000000", gpu(TIMEOUT)),
        ("100.100000", on(OTHER, "ring gfx_0.0.0 timeout, but soft recovered")),
        ("100.200000", gpu(BEGIN)),
        ("100.300000", on(OTHER, "ring gfx_0.0.0 timeout, but soft recovered")),
        ("102.000000", gpu(DONE)),
        ("200.000000", usb()),
    ]));
    assert_eq!(report["incidents"].each("device"), ["0000:03:00.0", "0000:83:00.0"]);
    assert_eq!(report.diagnosed(), ["ring-timeout-reset", "ring-timeout-recovered"]);
    assert_eq!(report.outcomes(), ["recovered", "recovered"]);
    for incident in report["incidents"].list() {
        assert_eq!(incident["devices"].list().len(), 1);
    }
}

#[test]
fn what_another_gpu_does_completes_no_sequence() {
    let report = of(&log(&[
        ("100.000000", gpu(TIMEOUT)),
        ("100.100000", on(OTHER, TIMEOUT)),
        ("100.200000", on(OTHER, BEGIN)),
        ("102.000000", on(OTHER, DONE)),
        ("500.000000", usb()),
    ]));
    let of_device = |device: &str| {
        let incidents = report["incidents"].list().iter();
        let mut of = incidents.filter(|one| one["device"].text() == device);
        of.next().unwrap()["diagnoses"].each("id")
    };
    assert_eq!(of_device("0000:83:00.0"), ["ring-timeout-reset"]);
    assert!(!of_device("0000:03:00.0").contains(&"ring-timeout-reset"));
}

const TIMEOUT_THEN_BEGIN: &str = "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n\
     [[step]]\nname = \"begin\"\nevent = \"reset-begin\"\nwithin = \"10s\"\n";

#[test]
fn equal_times_are_ordered_by_their_lines() {
    let test = plain("test", TIMEOUT_THEN_BEGIN);
    let time = "100.000000";
    assert!(says(&test, &log(&[(time, gpu(TIMEOUT)), (time, gpu(BEGIN))])));
    assert!(!says(&test, &log(&[(time, gpu(BEGIN)), (time, gpu(TIMEOUT))])));
}

#[test]
fn a_step_may_come_exactly_at_its_limit() {
    let test = plain("test", TIMEOUT_THEN_BEGIN);
    for (time, fits) in [("110.000000", true), ("110.000001", false)] {
        let log = log(&[("100.000000", gpu(TIMEOUT)), (time, gpu(BEGIN)), ("400.000000", usb())]);
        assert_eq!(says(&test, &log), fits, "{time}");
    }
}

fn without_end(unknown: &str) -> String {
    format!(
        "[[step]]\nname = \"begin\"\nevent = \"reset-begin\"\n\
         [[step]]\nname = \"stuck\"\nevent = \"ring-timeout\"\noptional = true\n\
         [[never]]\nname = \"end\"\nevent = \"reset-succeeded\"\nafter = \"begin\"\n\
         within = \"60s\"\n{unknown}\n"
    )
}

#[test]
fn an_end_exactly_at_the_limit_refutes_its_absence() {
    let test = plain("test", &without_end("unknown = \"reject\""));
    for (time, missing) in [("160.000000", false), ("160.000001", true)] {
        let log = log(&[("100.000000", gpu(BEGIN)), (time, gpu(DONE)), ("300.000000", usb())]);
        assert_eq!(says(&test, &log), missing, "{time}");
    }
}

#[test]
fn absence_is_shown_by_a_log_that_goes_on_past_the_limit() {
    let test = plain("test", &without_end("unknown = \"reject\""));
    for (time, shown) in [("160.000000", false), ("160.000001", true)] {
        let log = log(&[("100.000000", gpu(BEGIN)), (time, usb())]);
        assert_eq!(says(&test, &log), shown, "{time}");
    }
}

const LESS_SURE: &str = "[confidence]\nbase = 0.9\n\
     lower = [{ when = \"unknown end\", by = 0.3, because = \"the log ends\" }]\n";

#[test]
fn a_log_that_ends_inside_a_window_proves_nothing() {
    let bodies = [
        ("accepts", without_end("unknown = \"accept\"")),
        ("rejects", without_end("unknown = \"reject\"")),
        ("needs", without_end("unknown = { needs = \"stuck\" }")),
    ];
    let signatures: Vec<String> = bodies
        .iter()
        .map(|(id, body)| signature(id, "", &format!("{body}\n{LESS_SURE}")))
        .collect();
    let told = |lines: &[(&str, String)]| {
        let report = with(&signatures, &log(lines));
        let mut told: Vec<String> = Vec::new();
        for (id, _) in &bodies {
            if report.diagnosed().contains(id) {
                told.push(format!("{id} {}", report.diagnosis(id)["match_score"].number()));
            }
        }
        told
    };
    let begin = || ("100.000000", gpu(BEGIN));
    // The log ends after five seconds.
    assert_eq!(told(&[begin(), ("105.000000", usb())]), ["accepts 0.6"]);
    assert_eq!(
        told(&[("99.000000", gpu(TIMEOUT)), begin(), ("105.000000", usb())]),
        ["accepts 0.6", "needs 0.6"]
    );
    // The log continues.
    assert_eq!(
        told(&[begin(), ("300.000000", usb())]),
        ["accepts 0.9", "rejects 0.9", "needs 0.9"]
    );
    // The end is in the log.
    assert_eq!(told(&[begin(), ("103.000000", gpu(DONE)), ("300.000000", usb())]), [""; 0]);
}

#[test]
fn a_hole_inside_a_window_hides_what_may_have_come() {
    let test = plain("test", &without_end("unknown = \"reject\""));
    let dropped = "** 27 printk messages dropped **".to_owned();
    for (hole, shown) in
        [("99.000000", true), ("120.000000", false), ("160.000000", false), ("170.000000", true)]
    {
        let mut lines =
            vec![("100.000000", gpu(BEGIN)), (hole, dropped.clone()), ("300.000000", usb())];
        lines.sort_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then(a.cmp(b)));
        assert_eq!(says(&test, &log(&lines)), shown, "{hole}");
    }
    // A rate limit hides only repetitions of one message.
    let limited = "amdgpu_irq_dispatch: 4096 callbacks suppressed".to_owned();
    let lines = [("100.000000", gpu(BEGIN)), ("120.000000", limited), ("300.000000", usb())];
    assert!(says(&test, &log(&lines)));
}

#[test]
fn a_filtered_log_proves_no_absence() {
    let test = plain("test", &without_end("unknown = \"reject\""));
    let mut lines = vec![("100.000000", gpu(BEGIN))];
    lines.extend((0..30).map(|_| ("300.000000", gpu("an unknown line"))));
    assert!(!says(&test, &log(&lines)));
    lines.extend((0..30).map(|_| ("300.000000", usb())));
    assert!(says(&test, &log(&lines)));
}

#[test]
fn a_start_that_repeats_is_tried_again() {
    let test = plain("test", TIMEOUT_THEN_BEGIN);
    let lines =
        [("100.000000", gpu(TIMEOUT)), ("130.000000", gpu(TIMEOUT)), ("133.000000", gpu(BEGIN))];
    assert!(says(&test, &log(&lines)));
    // The first reset ended, the second did not.
    let test = plain("test", &without_end("unknown = \"reject\""));
    let report = with(
        &[test],
        &log(&[
            ("100.000000", gpu(BEGIN)),
            ("102.000000", gpu(DONE)),
            ("104.000000", gpu(BEGIN)),
            ("300.000000", usb()),
        ]),
    );
    assert_eq!(report["incidents"].list().len(), 1);
    assert_eq!(report.outcomes(), ["never-completed"]);
    let evidence = report.diagnosis("test")["evidence"].list();
    assert_eq!(evidence.iter().map(|one| one["line"].count()).collect::<Vec<_>>(), [3]);
}

#[test]
fn one_event_belongs_to_two_signatures() {
    let step = "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n";
    let report = with(
        &[plain("test-one", step), plain("test-two", step)],
        &log(&[("100.000000", gpu(TIMEOUT)), ("101.000000", gpu(BEGIN)), ("300.000000", usb())]),
    );
    for id in ["test-one", "test-two", "ring-timeout-reset"] {
        assert_eq!(report.diagnosis(id)["evidence"][0]["line"].count(), 1, "{id}");
    }
    let roles = report["incidents"][0]["diagnoses"].each("role");
    assert_eq!(roles.iter().filter(|role| **role == "root-cause").count(), 1, "{roles:?}");
}

#[test]
fn a_count_is_of_events_close_together() {
    let test = plain(
        "test",
        "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n\
         count = { min = 3, within = \"10s\" }\n",
    );
    for (times, fits) in [
        (["100.000000", "105.000000", "110.000000"], true),
        (["100.000000", "105.000000", "110.000001"], false),
        (["100.000000", "100.000000", "100.000000"], true),
    ] {
        let lines: Vec<_> = times.into_iter().map(|time| (time, gpu(TIMEOUT))).collect();
        assert_eq!(says(&test, &log(&lines)), fits, "{times:?}");
    }
    // The first is too early; the others are sufficient.
    let times = ["100.000000", "120.000000", "121.000000", "122.000000"];
    let lines: Vec<_> = times.into_iter().map(|time| (time, gpu(TIMEOUT))).collect();
    assert!(says(&test, &log(&lines)));
    assert!(!says(&test, &log(&lines[..3])));
}

#[test]
fn a_field_can_be_tied_to_another_step() {
    let test = plain(
        "test",
        "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n\
         [[step]]\nname = \"reset\"\nevent = \"ring-reset-begin\"\nsame = [\"ring\"]\n",
    );
    let begin = |ring: &str| ("100.100000", gpu(&format!("Starting {ring} ring reset")));
    assert!(says(&test, &log(&[("100.000000", gpu(TIMEOUT)), begin("gfx_0.0.0")])));
    assert!(!says(&test, &log(&[("100.000000", gpu(TIMEOUT)), begin("sdma0")])));
    // The second timeout is of that ring.
    let sdma = gpu("ring sdma0 timeout, signaled seq=1, emitted seq=2");
    let lines = [("100.000000", gpu(TIMEOUT)), ("100.050000", sdma), begin("sdma0")];
    assert!(says(&test, &log(&lines)));
}

/// `count` and `same` together: events of other rings neither count nor are evidence.
#[test]
fn a_count_is_of_events_with_the_tied_field() {
    let test = |count: u32| {
        plain(
            "test",
            &format!(
                "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n\
                 [[step]]\nname = \"reset\"\nevent = \"ring-reset-begin\"\nsame = [\"ring\"]\n\
                 count = {{ min = {count} }}\n"
            ),
        )
    };
    let begin = |ring: &str| ("100.100000", gpu(&format!("Starting {ring} ring reset")));
    let lines = [("100.000000", gpu(TIMEOUT)), begin("gfx_0.0.0"), begin("sdma0"), begin("sdma0")];
    assert!(!says(&test(2), &log(&lines)));
    let report = with(&[test(1)], &log(&lines));
    assert_eq!(report.diagnosis("test")["evidence"].list().len(), 2);
    let again = [lines[0].clone(), begin("gfx_0.0.0"), begin("sdma0"), begin("gfx_0.0.0")];
    assert!(says(&test(2), &log(&again)));
}

#[test]
fn a_step_can_be_placed_before_another() {
    let test = plain(
        "test",
        "[[step]]\nname = \"begin\"\nevent = \"reset-begin\"\n\
         [[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\nbefore = \"begin\"\nwithin = \"5s\"\n",
    );
    for (timeout, begin, fits) in
        [("100.000000", "105.000000", true), ("100.000000", "105.000001", false)]
    {
        let lines = [(timeout, gpu(TIMEOUT)), (begin, gpu(BEGIN)), ("300.000000", usb())];
        assert_eq!(says(&test, &log(&lines)), fits, "{begin}");
    }
    assert!(!says(&test, &log(&[("100.000000", gpu(BEGIN)), ("101.000000", gpu(TIMEOUT))])));
}

#[test]
fn a_step_can_be_placed_after_an_earlier_one() {
    let test = plain(
        "test",
        "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n\
         [[step]]\nname = \"begin\"\nevent = \"reset-begin\"\n\
         [[step]]\nname = \"done\"\nevent = \"reset-succeeded\"\nafter = \"timeout\"\nwithin = \"10s\"\n",
    );
    for (done, fits) in [("110.000000", true), ("111.000000", false)] {
        let lines = [("100.000000", gpu(TIMEOUT)), ("105.000000", gpu(BEGIN)), (done, gpu(DONE))];
        assert_eq!(says(&test, &log(&lines)), fits, "{done}");
    }
}

const OPTIONAL_DONE: &str = "[[step]]\nname = \"begin\"\nevent = \"reset-begin\"\n\
     [[step]]\nname = \"done\"\nevent = \"reset-succeeded\"\nafter = \"begin\"\noptional = true\n";

#[test]
fn an_optional_step_adds_and_is_not_needed() {
    let test = signature(
        "test",
        "",
        &format!(
            "{OPTIONAL_DONE}\n[confidence]\nbase = 0.5\n\
             raise = [{{ when = \"step done\", by = 0.2, because = \"it ended\" }}]\n\
             lower = [{{ when = \"no step done\", by = 0.1, because = \"it did not end\" }}]\n"
        ),
    );
    let without = with(
        std::slice::from_ref(&test),
        &log(&[("100.000000", gpu(BEGIN)), ("300.000000", usb())]),
    );
    let diagnosis = without.diagnosis("test");
    assert_eq!((diagnosis["match_score"].number(), diagnosis["evidence"].list().len()), (0.4, 1));
    assert_eq!(diagnosis["reasons"].each("because"), ["it did not end"]);
    let lines = [("100.000000", gpu(BEGIN)), ("102.000000", gpu(DONE)), ("300.000000", usb())];
    let complete = with(&[test], &log(&lines));
    let diagnosis = complete.diagnosis("test");
    assert_eq!((diagnosis["match_score"].number(), diagnosis["evidence"].list().len()), (0.7, 2));
}

/// `same` without `after` and `before` refers to the first mandatory step, on either side of it.
#[test]
fn an_optional_step_without_a_place_is_tied_to_its_field_too() {
    let test = plain(
        "test",
        "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n\
         [[step]]\nname = \"reset\"\nevent = \"ring-reset-begin\"\nsame = [\"ring\"]\noptional = true\n",
    );
    for (ring, lines) in [("gfx_0.0.0", 2), ("sdma0", 1)] {
        let reset = gpu(&format!("Starting {ring} ring reset"));
        let behind = [("100.000000", gpu(TIMEOUT)), ("101.000000", reset.clone())];
        let before = [("100.000000", reset), ("101.000000", gpu(TIMEOUT))];
        for log_lines in [behind, before] {
            let report = with(std::slice::from_ref(&test), &log(&log_lines));
            assert_eq!(report.diagnosis("test")["evidence"].list().len(), lines, "{ring}");
        }
    }
}

#[test]
fn a_severity_can_depend_on_a_condition() {
    let head = "severity_if = [{ when = \"step done\", severity = \"warning\" }]";
    let test = signature("test", head, &format!("{OPTIONAL_DONE}\n{SURE}"));
    let begin = || ("100.000000", gpu(BEGIN));
    let open = with(std::slice::from_ref(&test), &log(&[begin(), ("300.000000", usb())]));
    assert_eq!(open.diagnosis("test")["severity"].text(), "error");
    let ended = with(&[test], &log(&[begin(), ("102.000000", gpu(DONE)), ("300.000000", usb())]));
    assert_eq!(ended.diagnosis("test")["severity"].text(), "warning");
}

#[test]
fn unless_silences_beside_the_other_only() {
    let step = |event: &str| format!("[[step]]\nname = \"it\"\nevent = \"{event}\"\n{SURE}");
    let signatures = [
        signature("test", "unless = \"test-louder\"", &step("ring-timeout")),
        signature("test-louder", "", &step("reset-begin")),
    ];
    let timeout = || ("100.000000", gpu(TIMEOUT));
    let alone = with(&signatures, &log(&[timeout(), ("300.000000", usb())]));
    assert!(alone.diagnosed().contains(&"test"));
    let both = with(&signatures, &log(&[timeout(), ("101.000000", gpu(BEGIN))]));
    assert!(both.diagnosed().contains(&"test-louder") && !both.diagnosed().contains(&"test"));
}

#[test]
fn leads_puts_one_before_another() {
    let step = |event: &str| format!("[[step]]\nname = \"it\"\nevent = \"{event}\"\n{SURE}");
    let lines =
        log(&[("100.000000", gpu(TIMEOUT)), ("101.000000", gpu(BEGIN)), ("300.000000", usb())]);
    let first = |over: &str| {
        let body = format!("{}{over}", step("reset-begin"));
        let signatures =
            [signature("test-one", "", &step("ring-timeout")), signature("test-two", "", &body)];
        let report = with(&signatures, &lines);
        let ours = report.diagnosed().into_iter().filter(|id| id.starts_with("test-"));
        ours.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(first(""), ["test-one", "test-two"]);
    assert_eq!(first("[[leads]]\nover = \"test-one\"\n"), ["test-two", "test-one"]);
    let several = "[[leads]]\nover = \"test-one\"\nwhen = \"several-gpus\"\n";
    assert_eq!(first(several), ["test-one", "test-two"]);
}

#[test]
fn a_clock_on_the_wall_that_is_set_back_ends_nothing() {
    let line = |time: &str, text: &str| format!("Mar 14 {time} host kernel: {text}\n");
    let log = [
        line("03:00:00", &gpu(TIMEOUT)),
        line("02:00:01", &gpu(BEGIN)),
        line("02:00:03", &gpu(DONE)),
        line("02:10:00", &usb()),
    ];
    let report = of(&log.concat());
    assert_eq!(report.diagnosed(), ["ring-timeout-reset"]);
    assert_eq!(report.outcomes(), ["recovered"]);
    assert_eq!(report["boots"].list().len(), 1);
}

#[test]
fn lines_a_little_out_of_order_are_one_boot() {
    let report = of(&log(&[
        ("100.000010", gpu(TIMEOUT)),
        ("100.000005", gpu(BEGIN)),
        ("102.000000", gpu(DONE)),
        ("300.000000", usb()),
    ]));
    assert_eq!(report["boots"].list().len(), 1);
    assert_eq!(report.diagnosed(), ["ring-timeout-reset"]);
}

/// A reset that was cut off by the next boot never ended, and events of one boot do not complete a
/// sequence of another.
#[test]
fn a_kernel_clock_that_starts_again_is_another_boot() {
    let report = of(&log(&[
        ("5000.000000", gpu(TIMEOUT)),
        ("5000.100000", gpu(BEGIN)),
        ("0.000000", "Linux version 6.14.2 (builder@host) #1 SMP".to_owned()),
        ("1.000000", usb()),
        ("2.000000", gpu(DONE)),
        ("300.000000", usb()),
    ]));
    assert_eq!(report["boots"].list().len(), 2);
    assert_eq!(report.outcomes()[0], "never-completed");
    assert!(report.diagnosed().contains(&"ring-timeout-reset"));
    assert_eq!(report["incidents"][0]["boot"].count(), 0);
}

#[test]
fn a_reset_that_was_asked_for_and_worked_is_a_notice() {
    let asked = gpu("GPU reset begin!. Source:  5");
    let worked =
        log(&[("100.000000", asked.clone()), ("102.000000", gpu(DONE)), ("300.000000", usb())]);
    let output = Run::json(worked).output();
    let report = output.json();
    assert_eq!(report["incidents"].list(), []);
    assert_eq!(report["notices"].each("id"), ["user-triggered-reset"]);
    assert_eq!(output.status, 0);
    let failed = gpu("GPU reset end with ret = -62");
    let report = of(&log(&[("100.000000", asked), ("102.000000", failed), ("300.000000", usb())]));
    assert_eq!(report.outcomes(), ["failed"]);
    assert!(report.diagnosed().contains(&"reset-failed"));
}

/// Older kernels do not name the GPU in these lines.
const NAMELESS: &str = "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=10, emitted seq=12";

#[test]
fn a_line_without_a_gpu_is_of_the_only_one() {
    let begin = gpu("Fetched VBIOS from VFCT");
    let mut lines =
        vec![("4.000000", begin), ("100.000000", NAMELESS.to_owned()), ("500.000000", usb())];
    let report = of(&log(&lines));
    assert_eq!(report["incidents"][0]["device"].text(), "0000:03:00.0");
    // With a second GPU it is undecidable.
    let second = on(OTHER, "Fetched VBIOS from VFCT");
    lines.insert(1, ("5.000000", second));
    let report = of(&log(&lines));
    assert!(report["incidents"][0]["device"].is_null());
    assert_eq!(report["incidents"][0]["devices"].list(), []);
    // Unless one of them has just failed.
    lines.insert(2, ("99.000000", on(OTHER, TIMEOUT)));
    let report = of(&log(&lines));
    assert_eq!(report["incidents"].list().len(), 1);
    assert_eq!(report["incidents"][0]["device"].text(), "0000:83:00.0");
}

/// `[drm] Initialized amdgpu … for ADDRESS` shows that there is such a GPU.
#[test]
fn the_line_that_ends_the_set_up_names_a_gpu() {
    let begin = "[drm] Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 0".to_owned();
    let lines = [("4.000000", begin), ("100.000000", NAMELESS.to_owned()), ("500.000000", usb())];
    let report = of(&log(&lines));
    assert_eq!(report["devices"].each("pci_address"), ["0000:03:00.0"]);
    assert_eq!(report["incidents"][0]["devices"].list().len(), 1);
}

#[test]
fn a_new_failure_after_the_end_is_a_new_incident() {
    let again = |second: &str, other: &str| {
        let report = of(&log(&[
            ("100.000000", gpu(TIMEOUT)),
            ("100.100000", gpu(BEGIN)),
            ("102.000000", gpu(DONE)),
            (second, gpu(other)),
            ("900.000000", usb()),
        ]));
        report["incidents"].list().len()
    };
    let other = TIMEOUT.replace("gfx", "sdma");
    assert_eq!(again("107.000000", &other), 1, "five seconds still belong to it");
    assert_eq!(again("107.000001", &other), 2);
    assert_eq!(again("120.000000", TIMEOUT), 1, "a ring that hangs on was not brought back");
}

#[test]
fn a_failure_without_a_recovery_lasts_five_minutes() {
    let again = |second: &str| {
        let report = of(&log(&[
            ("100.000000", gpu(TIMEOUT)),
            (second, gpu(TIMEOUT)),
            ("900.000000", usb()),
        ]));
        report["incidents"].list().len()
    };
    assert_eq!(again("400.000000"), 1);
    assert_eq!(again("400.000001"), 2);
}

#[test]
fn a_reset_inside_a_reset_is_the_same_incident() {
    let report = of(&log(&[
        ("100.000000", gpu(TIMEOUT)),
        ("100.100000", gpu(BEGIN)),
        ("103.000000", gpu(BEGIN)),
        ("105.000000", gpu(DONE)),
        ("300.000000", usb()),
    ]));
    assert_eq!(report.outcomes(), ["recovered"]);
}
