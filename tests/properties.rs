//! Properties of every log: nothing panics, and lines that do not concern the GPU change nothing.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use amdtriage::diagnosis::{Finding, conclusions};
use amdtriage::document::terminal::Look;
use amdtriage::event::log::Log;
use amdtriage::input::Lines;
use amdtriage::pattern::Patterns;
use amdtriage::record::{self, Direction, Options, Read, Record};
use amdtriage::report::text::{TextOptions, write, write_html};
use amdtriage::report::{Report, ReportPart, json};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::common::{Fixture, none, settings};

static PATTERNS: LazyLock<Patterns> = LazyLock::new(amdtriage::builtin::patterns);

/// Lines of all fixtures, in order.
pub(crate) static LINES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
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

/// Runs the whole library, as the program does.
pub(crate) fn report(log: &[u8]) -> Report {
    let log = Log::read(&mut Lines::new(log), Options::default(), &PATTERNS)
        .expect("reading from memory does not fail");
    let conclusions = conclusions(&log, &PATTERNS);
    let part = ReportPart::new("-".to_owned(), None, log, conclusions);
    Report { patterns: PATTERNS.digest.clone(), parts: vec![part], unread: Vec::new() }
}

/// The report in every format.
pub(crate) fn written(log: &[u8]) -> Report {
    let report = report(log);
    let mut out = Vec::new();
    json::write(&report, json::Include { events: true, unknown: true }, &mut out)
        .expect("writing to memory does not fail");
    let look = Look { width: Some(80), colour: true };
    for whole in [true, false] {
        let wanted = TextOptions { verbose: whole, all: whole, unknown: whole, timeline: whole };
        write(&report, wanted, look, &mut out).expect("neither does this");
    }
    write_html(&report, &mut out).expect("nor this");
    report
}

/// The content of a report: diagnoses, outcomes and counts, without positions and times.
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

/// Messages of other parts of a machine.
const NOISE: [&str; 10] = [
    "usb 1-4: new high-speed USB device number 5 using xhci_hcd",
    "wlan0: associated",
    "EXT4-fs (nvme0n1p2): re-mounted",
    "audit: type=1400 apparmor=\"DENIED\" operation=\"open\" name=\"/proc/1/environ\" pid=911",
    "nvme nvme0: I/O 12 QID 3 timeout, completion polled",
    "snd_hda_intel 0000:00:1f.3: azx_get_response timeout, switching to polling mode: last cmd=0x20bf8100",
    "NVRM: Xid (PCI:0000:01:00): 31, pid=4711, name=game",
    "perf: interrupt took too long (2519 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
    "xhci_hcd 0000:0b:00.0: WARN: HC couldn't access mem fast enough",
    "systemd-journald[412]: Received client request to flush runtime journal.",
];

/// Fixtures in dmesg format, so that noise with the same times can be inserted.
static TIMED: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let all = Fixture::all("signatures").into_iter();
    all.filter(|fixture| fixture.text().lines().all(|line| stamp(line).is_some())).collect()
});

/// `[  100.000000]`
fn stamp(line: &str) -> Option<&str> {
    let end = line.find(']').filter(|_| line.starts_with('['))? + 1;
    line[1..end - 1].trim().parse::<f64>().is_ok().then_some(&line[..end])
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
        // A part is repeated within itself.
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
            // With the time of the previous line, so that lines of one event stay close enough.
            let before = place.index(lines.len());
            // The console prints the lines of one message together.
            let next = lines.get(before + 1).and_then(|next| next.strip_prefix(stamp(next)?));
            if next.is_some_and(|text| text.starts_with("  ")) {
                continue;
            }
            let time = stamp(&lines[before]).unwrap_or_default().to_owned();
            lines.insert(before + 1, format!("{time} {message}"));
        }
        let noisy = lines.join("\n") + "\n";
        prop_assert_eq!(said(&report(&fixture.log)), said(&report(noisy.as_bytes())), "{}\n{}", fixture.name, noisy);
    }

    /// Programs write to the same journal as the kernel.
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

    #[test]
    fn lines_of_other_drivers_may_be_missing(at in any::<Index>(), drops in vec(any::<bool>(), 60)) {
        let fixture = at.get(&MIXED);
        let text = fixture.text();
        let mut drops = drops.into_iter().cycle();
        let kept: Vec<&str> =
            without(&text, |line| is_foreign(line) && drops.next() == Some(true));
        let kept = kept.join("\n") + "\n";
        prop_assert_eq!(diagnosed(&fixture.log), diagnosed(kept.as_bytes()), "{}\n{}", fixture.name, kept);
    }
}

/// The lines that are not dropped, and the last one, which shows that the log continues.
fn without(text: &str, mut drop: impl FnMut(&str) -> bool) -> Vec<&str> {
    let last = text.lines().count().saturating_sub(1);
    let keep = |(at, line): &(usize, &str)| *at == last || !drop(line);
    text.lines().enumerate().filter(keep).map(|(_, line)| line).collect()
}

/// Whether another driver printed a line.
fn is_foreign(line: &str) -> bool {
    const DRIVERS: [&str; 13] = [
        "ACPI: ",
        "EXT4-fs ",
        "audit: ",
        "docker0: ",
        "input: ",
        "iwlwifi ",
        "nfs: ",
        "nvme ",
        "perf: ",
        "r8169 ",
        "snd_hda_intel ",
        "usb ",
        "xhci_hcd ",
    ];
    let message = line.rsplit_once("kernel: ").map_or(line, |(_, message)| message);
    let message = match message.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((_, message)) => message,
        None => message,
    };
    DRIVERS.iter().any(|driver| message.starts_with(driver)) || message.starts_with("wl")
}

/// Fixtures with lines of other drivers.
static MIXED: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let all = ["signatures", "boots"].into_iter().flat_map(Fixture::all);
    all.filter(|fixture| fixture.text().lines().any(is_foreign)).collect()
});

/// Diagnoses and outcomes; certainty may depend on other lines, which show that the log continues.
fn diagnosed(log: &[u8]) -> Vec<String> {
    let report = report(log);
    let findings = report.parts[0].conclusions.findings.iter();
    let ids = |finding: &Finding| -> Vec<String> {
        finding.diagnoses.iter().map(|one| one.id.clone()).collect()
    };
    findings.map(|one| format!("{:?} {}", ids(one), one.incident.outcome.name())).collect()
}

#[test]
fn without_the_lines_of_other_drivers_the_diagnoses_are_the_same() {
    let mut wrong = Vec::new();
    for fixture in &*MIXED {
        let text = fixture.text();
        let own = without(&text, is_foreign);
        let (want, got) = (diagnosed(&fixture.log), diagnosed((own.join("\n") + "\n").as_bytes()));
        if got != want {
            wrong.push(format!("{}: {got:?}, with them {want:?}", fixture.name));
        }
    }
    none(&wrong);
}

/// A log in reverse order; `None` if that is impossible: records of several lines, several boots,
/// or lines without times.
fn turned(fixture: &Fixture) -> Option<Vec<u8>> {
    let text = fixture.text();
    let mut simple = true;
    let mut next = 1;
    let visit = |read: Read<'_>| {
        let timed = |record: &Record<'_>| {
            // A message that begins with a line feed has two lines on the console.
            !record.message.starts_with(' ')
                && record.line == next
                && (record.stamp.monotonic.is_some() || record.stamp.wall.is_some())
        };
        simple &= read.record().is_some_and(timed);
        next += 1;
    };
    let reading =
        record::read(&mut Lines::new(text.as_bytes()), Options::default(), visit).unwrap();
    let one = reading.boots.len() == 1 && reading.direction == Direction::Forward;
    let lines: Vec<&str> = text.lines().rev().collect();
    let simple = simple && one && lines.len() as u64 == reading.records;
    simple.then(|| (lines.join("\n") + "\n").into_bytes())
}

#[test]
fn the_newest_line_may_come_first() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for fixture in ["signatures", "boots", "quiet", "formats"].into_iter().flat_map(Fixture::all) {
        if std::str::from_utf8(&fixture.log).is_err() {
            continue;
        }
        let Some(turned) = turned(&fixture) else { continue };
        count += 1;
        let (want, got) = (said(&report(&fixture.log)), said(&report(&turned)));
        if got != want {
            wrong.push(format!("{}: {got:?}, oldest first {want:?}", fixture.name));
        }
    }
    none(&wrong);
    assert!(count > 60, "{count}");
}

/// A line as `dmesg --color=always` prints it.
pub(crate) fn coloured(line: &str) -> String {
    let parts = stamp(line).and_then(|time| Some((time, line[time.len()..].strip_prefix(' ')?)));
    let Some((time, message)) = parts else { return line.to_owned() };
    // The subsystem, and then the error colour.
    let system = message.find(": ").map_or(0, |end| end + 2);
    let (system, rest) = message.split_at(system);
    let system =
        if system.is_empty() { String::new() } else { format!("\u{1b}[33m{system}\u{1b}[0m") };
    format!("\u{1b}[32m{time} \u{1b}[0m{system}\u{1b}[31m{rest}\u{1b}[0m")
}

#[test]
fn colours_and_line_ends_change_nothing() {
    let mut wrong = Vec::new();
    for fixture in &*TIMED {
        let text = fixture.text();
        let lines: Vec<String> = text.lines().map(coloured).collect();
        let want = said(&report(&fixture.log));
        for (what, other) in [
            ("colours", lines.join("\n") + "\n"),
            ("CR LF", text.replace('\n', "\r\n")),
            ("colours, CR LF and a mark", format!("\u{feff}{}\r\n", lines.join("\r\n"))),
        ] {
            let got = said(&report(other.as_bytes()));
            if got != want {
                wrong.push(format!("{}: {what}: {got:?}, without {want:?}", fixture.name));
            }
        }
    }
    none(&wrong);
}

/// The property above needs enough fixtures.
#[test]
fn enough_fixtures_have_times() {
    assert!(TIMED.len() > 20, "{}", TIMED.len());
    assert!(MIXED.len() > 20, "{}", MIXED.len());
    assert!(LINES.len() > 1000, "{}", LINES.len());
}

/// Concatenated logs can be read in one run.
#[test]
fn all_logs_behind_each_other_are_one_log() {
    let all: Vec<u8> = LINES.join(&b'\n');
    let begun = Instant::now();
    let report = written(&all);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert!(report.parts[0].conclusions.findings.len() > 5);
}
