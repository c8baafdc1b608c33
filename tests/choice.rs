//! Selections: conclusions are drawn from the whole log, the verdict is on what is shown, and what
//! is left out is counted.

use super::common::{Fixture, Json, Output, Run};

const FIVE: &str = "reports/five-incidents.log";
/// A log with one incident and no `stated` diagnosis.
const INFERRED: &str = "signatures/psr-hang/hit-warning-and-flip.log";
const EIGHT: &str = "reports/eight-gpus.log";

fn run(log: &str, arguments: &[&str]) -> Output {
    Run::new(arguments).input(Fixture::read(log).log).output()
}

fn json(log: &str, arguments: &[&str]) -> Json {
    let output = run(log, &[&["--format", "json"], arguments].concat());
    assert_eq!(output.stderr, "", "{arguments:?}");
    output.json()
}

/// All incidents as fingerprint and first line, independent of their numbers.
fn incidents(report: &Json) -> Vec<(usize, String)> {
    let incidents = report["incidents"].list().iter();
    let known = |one: &Json| (one["first"]["line"].count(), one["fingerprint"].text().to_owned());
    incidents.map(known).collect()
}

/// The numbers of the five incidents that are shown.
#[test]
fn boots_and_times_choose_incidents() {
    let all = incidents(&json(FIVE, &[]));
    assert_eq!(all.len(), 5);
    for (arguments, want) in [
        (&["--boot", "1"][..], &[1, 2, 3][..]),
        (&["--boot", "2"], &[4]),
        (&["--boot", "3"], &[5]),
        (&["--boot", "0"], &[5]),
        (&["--boot", "-1"], &[4]),
        (&["--boot=-2"], &[1, 2, 3]),
        (&["--since", "2026-03-13"], &[1, 2, 3, 4, 5]),
        (&["--since", "2026-03-13 20:00", "--until", "2026-03-13 20:06"], &[2]),
        (&["--since", "2026-03-13T19:06:40Z", "--boot", "1"], &[2, 3]),
        // The page faults are at 4000 s; the last typed second counts completely.
        (&["--since", "901.8s", "--until", "4000s", "--boot", "1"], &[2]),
        (&["--since", "+4000", "--until", "4000.9", "--boot", "1"], &[2]),
        (&["--since", "-1d", "--boot", "1"], &[1, 2, 3]),
        (&["--since", "-1s"], &[]),
        // An incident is shown completely if any part is inside, even only its middle.
        (&["--since", "900.7s", "--until", "900.8s", "--boot", "1"], &[1]),
    ] {
        let report = json(FIVE, arguments);
        let want: Vec<_> = want.iter().map(|number: &usize| all[number - 1].clone()).collect();
        assert_eq!(incidents(&report), want, "{arguments:?}");
        let hidden = report["left_out"]["incidents"].count();
        assert_eq!(hidden, all.len() - want.len(), "{arguments:?}");
        let verdict = if want.is_empty() { "clean" } else { "failure" };
        assert_eq!(report["verdict"].text(), verdict, "{arguments:?}");
        assert_eq!(run(FIVE, arguments).status, i32::from(!want.is_empty()), "{arguments:?}");
    }
}

#[test]
fn a_gpu_is_chosen_with_what_names_none() {
    let all = json(EIGHT, &["--events"]);
    assert_eq!((all["incidents"].list().len(), all["devices"].list().len()), (2, 8));
    for address in ["0000:9f:00.0", "9f:00.0"] {
        let report = json(EIGHT, &["--device", address, "--events"]);
        assert_eq!(report.diagnosed(), ["ras-uncorrectable"]);
        assert_eq!(report["devices"].each("pci_address"), ["0000:9f:00.0"]);
        let of_others =
            |event: &&Json| !event["device"].is_null() && event["device"].text() != "0000:9f:00.0";
        assert_eq!(report["events"].list().iter().find(of_others), None);
        let hidden = report["left_out"]["events"].count();
        assert_eq!(report["events"].list().len() + hidden, all["events"].list().len());
    }
    // GPUs that are reset together share an incident.
    assert_eq!(json(EIGHT, &["--device", "0000:0c:00.0"]).diagnosed(), ["ras-uncorrectable"]);
    let healthy = run(EIGHT, &["--until", "100s"]);
    assert_eq!(healthy.status, 0, "{}", healthy.stdout);
    let told = healthy.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("2 incidents are not selected"), "{told}");
}

/// An omitted diagnosis leaves the incident and its severity unchanged.
#[test]
fn an_uncertain_diagnosis_leaves_its_incident_behind() {
    let all = json(FIVE, &[]);
    let report = json(FIVE, &["--min-certainty", "stated"]);
    assert_eq!(incidents(&report), incidents(&all));
    assert_eq!(report["incidents"].each("severity"), all["incidents"].each("severity"));
    let gone = all.diagnosed().len() - report.diagnosed().len();
    assert_eq!(report["left_out"]["diagnoses"].count(), gone);
    assert!(gone > 0 && !report.diagnosed().is_empty());
    assert_eq!(json(FIVE, &["--min-certainty", "suspected"]).diagnosed(), all.diagnosed());
    let page = run(INFERRED, &["--min-certainty", "stated"]).stdout;
    assert!(page.contains("no diagnosis is as certain as requested"), "{page}");
    assert!(!page.contains("No known failure"), "{page}");
}

/// Every format reports what is left out.
#[test]
fn every_format_says_what_is_left_out() {
    for format in ["human", "markdown", "html"] {
        let page = run(FIVE, &["-v", "--format", format, "--boot", "1"]).stdout;
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        let counted = page.to_lowercase().contains("3 of 5 incidents. worst");
        assert!(counted, "{format}: {page}");
        assert!(page.contains("2 boots not chosen"), "{format}: {page}");
        assert!(page.contains("2 incidents not chosen"), "{format}: {page}");
        // Boots keep their numbers.
        let page = run(FIVE, &["-v", "--format", format, "--boot", "2"]).stdout;
        assert!(page.contains("2 of 3 in this log"), "{format}: {page}");
    }
    let line = run(FIVE, &["-q", "--boot", "1"]).stdout;
    assert!(line.starts_with("standard input: 3 of 5 incidents; the worst: "), "{line}");
    let whole = Run::json(Fixture::read(FIVE).log).output().json();
    assert!(!whole.keys().contains(&"left_out"), "where nothing is chosen, nothing is left out");
}

#[test]
fn a_choice_of_nothing_says_what_there_is() {
    for (log, arguments, told) in [
        (FIVE, &["--boot", "4"][..], "no boot 4: 3 boots were read\nhelp: amdtriage "),
        (FIVE, &["--boot", "-3"], "no boot -3: 3 boots were read\nhelp: amdtriage "),
        (
            FIVE,
            &["--device", "0a:00.0"],
            "no line concerns a GPU 0000:0a:00.0; known: 0000:03:00.0\nhelp: amdtriage ",
        ),
        (
            "formats/dmesg.log",
            &["--since", "18:35"],
            "cannot select `18:35`: standard input has no times of day\nnote: this log has seconds \
             since boot: --since 913.5s",
        ),
        (
            "formats/journal-short.log",
            &["--until", "913.5s"],
            "cannot select `913.5s`: standard input has no seconds since boot",
        ),
        (
            "formats/dmesg-ctime.log",
            &["--since", "2026-03-04 18:35Z"],
            "cannot select `2026-03-04 18:35Z`: standard input has no dates with a zone",
        ),
        (
            "formats/dmesg-notime.log",
            &["--since", "-10min"],
            "cannot select `-10min`: standard input has no times",
        ),
        (
            FIVE,
            &["--boot", "1", "--device", "0a:00.0"],
            "no line of boot 1 concerns a GPU 0000:0a:00.0; known: 0000:03:00.0\nhelp: ",
        ),
        (
            FIVE,
            &["--until", "2026-03-12"],
            "standard input has no lines between --since and --until\nhelp: amdtriage records",
        ),
        (FIVE, &["--since", "2031-01-01"], "standard input has no lines between"),
        (
            FIVE,
            &["--since", "4000s", "--until", "900s"],
            "--since 4000s is later than --until 900s\nhelp: amdtriage --since 900s --until 4000s",
        ),
        (FIVE, &["--since=-5min", "--until=-10min"], "--since -5min is later than --until -10min"),
    ] {
        let output = run(log, arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.starts_with(&format!("amdtriage: {told}")), "{}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 2, "{}", output.stderr);
    }
}

/// It is sufficient if one of several inputs has the selection; nothing of the others is shown.
#[test]
fn one_input_with_what_was_chosen_is_enough() {
    let files = ["fixtures/reports/eight-gpus.log", "fixtures/reports/five-incidents.log"];
    let arguments = |more: &[&'static str]| [&["--format", "json"], more, &files].concat();
    let output = Run::new(arguments(&["--device", "9f:00.0"])).output();
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let report = output.json();
    assert_eq!(report.diagnosed(), ["ras-uncorrectable"]);
    assert_eq!(report["boots"].each("kernel").len(), 1);
    assert_eq!(report["inputs"].list().len(), 2);
    // A missing clock is different: what cannot be compared may be what is sought.
    let output =
        Run::new(["-q", "--since", "10:00", "fixtures/formats/dmesg.log", files[1]]).output();
    assert_eq!(output.status, 2);
    let told = "amdtriage: cannot select `10:00`: fixtures/formats/dmesg.log has no times of day";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
    assert_eq!(output.stdout.lines().count(), 1, "nothing is said of it: {}", output.stdout);
}

/// A log that names no GPU may be about the selected one.
#[test]
fn an_input_that_names_no_gpu_is_shown_beside_one_that_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nameless.log");
    let line = "[   60.000000] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, \
                signaled seq=1, emitted seq=3\n";
    std::fs::write(&path, line).unwrap();
    let nameless = path.to_str().unwrap();
    let eight = "fixtures/reports/eight-gpus.log";
    let shown = |device| {
        let arguments = ["--format", "json", "--device", device, nameless, eight];
        Run::new(arguments).output().json()["incidents"].list().len()
    };
    assert_eq!(shown("9f:00.0"), 2);
    assert_eq!(Run::new(["--device", "9f:00.0", nameless]).output().status, 2);
}

#[test]
fn what_is_no_choice_is_refused_by_name() {
    for (arguments, told) in [
        (["--since", "yesterday"], "not a time, which looks like 2026-03-04"),
        (["--until", "--since"], "not a time, which looks like"),
        (["--min-certainty", "often"], "note: possible values: stated, inferred, suspected"),
        (["--min-confidence", "80"], "use --min-certainty stated, inferred or suspected"),
        (["--device", "card0"], "not a PCI address, which looks like 0000:03:00.0"),
        (["--boot", "last"], "not a boot number"),
    ] {
        let output = Run::new(arguments).output();
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.contains(told), "{}", output.stderr);
    }
}

/// Shortly after midnight, a time in the evening means yesterday.
#[test]
fn a_time_behind_the_end_is_one_of_the_day_before() {
    let log = "\
2026-03-13T23:50:00.000000+01:00 host kernel: usb 1-1: text
2026-03-13T23:55:00.000000+01:00 host kernel: amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
2026-03-13T23:55:01.000000+01:00 host kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
2026-03-13T23:55:02.000000+01:00 host kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
2026-03-14T00:20:00.000000+01:00 host kernel: usb 1-1: text
";
    for (since, status) in [("23:51", 1), ("00:10", 0)] {
        let output = Run::human(log).argument("--since").argument(since).output();
        assert_eq!(output.status, status, "{since}: {}{}", output.stdout, output.stderr);
    }
}
