//! What holds for every log: nothing panics, and lines that have nothing to do with the GPU change
//! nothing.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use amdtriage::diagnosis::conclusions;
use amdtriage::event::log::Log;
use amdtriage::input::Lines;
use amdtriage::pattern::Patterns;
use amdtriage::record::Options;
use amdtriage::report::{Part, Report, json, page::Look};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::common::Fixture;

static PATTERNS: LazyLock<Patterns> = LazyLock::new(amdtriage::builtin::patterns);

/// Real lines of every fixture, in order.
static LINES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let fixtures =
        ["signatures", "boots", "quiet", "formats", "hostile"].into_iter().flat_map(Fixture::all);
    let mut lines: Vec<Vec<u8>> = fixtures
        .flat_map(|fixture| {
            fixture.log.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()
        })
        .filter(|line| line.len() < 4096)
        .collect();
    lines.dedup();
    lines
});

/// Goes through the whole library, as the program does.
fn report(log: &[u8]) -> Report {
    let log = Log::read(&mut Lines::new(log), Options::default(), &PATTERNS)
        .expect("reading from memory does not fail");
    let conclusions = conclusions(&log, &PATTERNS);
    let part = Part { name: "-".to_owned(), compression: None, log, conclusions };
    Report { patterns: PATTERNS.digest.clone(), parts: vec![part] }
}

/// The report in every form.
fn written(log: &[u8]) -> Report {
    let report = report(log);
    let mut out = Vec::new();
    json::write(&report, true, &mut out).expect("writing to memory does not fail");
    let look = Look { width: 80, colour: true, verbose: true, all: true };
    amdtriage::report::human::write(&report, look, &mut out).expect("neither does this");
    report
}

/// What a report says: diagnoses, outcomes and counts, without places and times.
fn said(report: &Report) -> Vec<String> {
    let conclusions = &report.parts[0].conclusions;
    let findings = conclusions.findings.iter().map(|finding| {
        let ids: Vec<&str> = finding.diagnoses.iter().map(|one| one.id.as_str()).collect();
        let outcome = finding.incident.outcome.name();
        format!("{ids:?} {outcome} {} {}", finding.incident.events.len(), finding.fingerprint)
    });
    let notices = conclusions.notices.iter().map(|notice| notice.diagnosis.id.clone());
    findings.chain(notices).collect()
}

/// What other parts of a machine say.
const NOISE: [&str; 10] = [
    "usb 1-4: new high-speed USB device number 5 using xhci_hcd",
    "wlan0: associated",
    "EXT4-fs (nvme0n1p2): re-mounted",
    "audit: type=1400 apparmor=\"DENIED\" operation=\"open\" name=\"/proc/1/environ\" pid=911",
    "nvme nvme0: I/O 12 QID 3 timeout, completion polled",
    "i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:85dffffb, in game [4711]",
    "NVRM: Xid (PCI:0000:01:00): 31, pid=4711, name=game",
    "perf: interrupt took too long (2519 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
    "xhci_hcd 0000:0b:00.0: WARN: HC couldn't access mem fast enough",
    "systemd-journald[412]: Received client request to flush runtime journal.",
];

/// Fixtures whose lines begin as `dmesg` prints them: noise with the same times can stand between.
static TIMED: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let all = Fixture::all("signatures").into_iter();
    all.filter(|fixture| fixture.text().lines().all(|line| stamp(line).is_some())).collect()
});

/// `[  100.000000]`
fn stamp(line: &str) -> Option<&str> {
    let end = line.find(']').filter(|_| line.starts_with('['))? + 1;
    line[1..end - 1].trim().parse::<f64>().is_ok().then_some(&line[..end])
}

fn settings(cases: u32) -> ProptestConfig {
    // What fails is printed; it becomes a fixture, not a file of seeds.
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(settings(96))]

    #[test]
    fn no_bytes_panic(bytes in vec(any::<u8>(), 0..2048)) {
        written(&bytes);
    }

    #[test]
    fn no_text_panics(text in "(\\[ *[0-9]{1,6}\\.[0-9]{0,6}\\] )?(amdgpu [0-9a-f:.]{0,12}: )?.{0,120}") {
        written(text.as_bytes());
    }

    #[test]
    fn no_cut_or_copy_panics(
        at in any::<Index>(),
        (from, to) in (any::<Index>(), any::<Index>()),
    ) {
        let fixtures = &*TIMED;
        let log = &fixtures[at.index(fixtures.len())].log;
        let (mut from, mut to) = (from.index(log.len()), to.index(log.len()));
        if from > to {
            std::mem::swap(&mut from, &mut to);
        }
        written(&log[from..to]);
        // A part twice, in the middle of itself.
        let doubled = [&log[..to], &log[from..]].concat();
        written(&doubled);
        let without = [&log[..from], &log[to..]].concat();
        written(&without);
    }

    #[test]
    fn no_order_of_real_lines_panics(picks in vec(any::<Index>(), 0..400)) {
        let lines = &*LINES;
        let log: Vec<&[u8]> = picks.iter().map(|pick| lines[pick.index(lines.len())].as_slice()).collect();
        let begun = Instant::now();
        written(&log.join(&b'\n'));
        prop_assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    #[test]
    fn noise_changes_nothing(
        at in any::<Index>(),
        noise in vec((any::<Index>(), select(&NOISE[..])), 1..40),
    ) {
        let fixtures = &*TIMED;
        let fixture = &fixtures[at.index(fixtures.len())];
        let text = fixture.text();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (place, message) in noise {
            // At the time of the line before it; lines that belong together stay together enough.
            let before = place.index(lines.len());
            let time = stamp(&lines[before]).unwrap_or_default().to_owned();
            lines.insert(before + 1, format!("{time} {message}"));
        }
        let noisy = lines.join("\n") + "\n";
        prop_assert_eq!(said(&report(&fixture.log)), said(&report(noisy.as_bytes())), "{}\n{}", fixture.name, noisy);
    }

    /// Programs write into the same journal as the kernel.
    #[test]
    fn programs_change_nothing(
        noise in vec((any::<Index>(), "[a-z][a-z0-9-]{0,12}", "[ -~]{0,60}"), 1..20),
    ) {
        let fixture = Fixture::read("formats/journal-short-precise.log");
        let text = fixture.text();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (place, program, message) in noise {
            let before = place.index(lines.len());
            let envelope: String = lines[before].split_inclusive(' ').take(4).collect();
            if program != "kernel" {
                lines.insert(before + 1, format!("{envelope}{program}[77]: {message}"));
            }
        }
        let noisy = lines.join("\n") + "\n";
        prop_assert_eq!(said(&report(&fixture.log)), said(&report(noisy.as_bytes())), "{}", noisy);
    }
}

/// The property above is only worth something if it has something to go by.
#[test]
fn enough_fixtures_have_times() {
    assert!(TIMED.len() > 20, "{}", TIMED.len());
    assert!(LINES.len() > 1000, "{}", LINES.len());
}

/// Logs that were stitched together are read in one go.
#[test]
fn all_logs_behind_each_other_are_one_log() {
    let all: Vec<u8> = LINES.join(&b'\n');
    let begun = Instant::now();
    let report = written(&all);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(report.parts[0].conclusions.findings.len() > 5);
}
