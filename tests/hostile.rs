//! Damaged, huge and malicious input: a result or one sentence about the problem, never a panic,
//! and no text that could control the terminal.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use amdtriage::document::untrusted::is_harmful;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::common::{Fixture, Output, Run, child, none};

/// Far more than slow machines need, and far less than a quadratic algorithm takes.
const PATIENCE: Duration = Duration::from_secs(60);

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

/// A rejected input: a sentence with this end, and a line with a hint.
#[track_caller]
fn assert_refused(output: &Output, sentence: &str) {
    let lines: Vec<&str> = output.stderr.lines().collect();
    let [message, hints @ ..] = lines.as_slice() else { panic!("nothing on standard error") };
    assert!(message.starts_with("amdtriage: ") && message.ends_with(sentence), "{message}");
    assert!((1..=2).contains(&hints.len()), "{lines:#?}");
    for hint in hints {
        assert!(hint.starts_with("help: ") || hint.starts_with("note: "), "{hint}");
    }
    assert_eq!(output.stdout, "");
    assert_eq!(output.status, 2);
}

/// Only text, line breaks and this program's own escape sequences.
#[track_caller]
fn assert_harmless(output: &Output) {
    for text in [&output.stdout, &output.stderr] {
        let found = text.chars().find(|c| *c != '\n' && is_harmful(*c));
        assert_eq!(found, None, "in {text:?}");
    }
    assert!(!output.stderr.contains("panicked"), "{}", output.stderr);
}

#[test]
fn what_is_no_log_is_refused_in_one_sentence() {
    let mut truncated = gzip(&b"Dear all,\nthe screen is black.\n".repeat(4000));
    truncated.truncate(truncated.len() - 12);
    for (input, sentence) in [
        (Vec::new(), " is empty"),
        (gzip(b""), " is empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), " is a PNG image, not a text log"),
        ((0..=255).cycle().take(4096).collect(), " is binary data, not a text log"),
        (truncated, " is a truncated gzip file"),
        (
            b"Dear all,\nthe screen is black.\n".to_vec(),
            "no message of the kernel or of a GPU program that amdtriage knows in standard input",
        ),
    ] {
        assert_refused(&Run::human(input).output(), sentence);
    }
}

/// A decompression bomb is read up to a limit, and what was found before counts.
#[test]
fn a_bomb_is_no_clean_log() {
    let healthy = Fixture::read("quiet/laptop-phoenix.log").log;
    let failure = Fixture::read("formats/dmesg.log").log;
    let flood = b"[ 5000.000000] usb 1-1: reset high-speed USB device\n".repeat(20_000);
    for (begin, state) in [(healthy, "incomplete"), (failure, "failure")] {
        let mut packed =
            GzEncoder::new(GzEncoder::new(Vec::new(), Compression::fast()), Compression::fast());
        packed.write_all(&begin).unwrap();
        for _ in 0..270 {
            packed.write_all(&flood).unwrap();
        }
        let packed = packed.finish().unwrap().finish().unwrap();
        let begun = Instant::now();
        let output = Run::human(packed.as_slice()).output();
        assert!(begun.elapsed() < PATIENCE);
        let said = "amdtriage: standard input unpacks to more than 1000 times its size\nhelp: ";
        assert!(output.stderr.starts_with(said), "{}", output.stderr);
        assert_eq!(output.status, 2);
        let why = "the rest was not read, because standard input unpacks to more than 1000 times";
        let shown = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(why) && shown.contains(" records"), "{}", output.stdout);
        let json = Run::json(packed).output().json();
        let input = &json["inputs"].list()[0];
        assert_eq!(json["verdict"].text(), state);
        assert_eq!(input["error"].text(), "too-dense");
    }
}

/// A power loss leaves files of NUL bytes; they are not a healthy log, whatever their name.
#[test]
fn only_nul_bytes_are_no_log() {
    for count in [1, 4096, 1 << 20] {
        let output = Run::human(vec![0; count]).output();
        assert_refused(&output, "");
    }
}

#[test]
fn missing_things_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("picture.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    let run = |argument: &str| Run::new([argument]).folder(folder.path()).output();
    assert_refused(&run("none.log"), "cannot read none.log: no such file or directory");
    assert_refused(&run("."), ". is a directory without logs");
}

#[test]
fn what_others_keep_to_themselves_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kern.log");
    fs::write(&path, "[    1.000000] usb 1-1: new device\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let output = Run::new(["kern.log"]).folder(folder.path()).output();
    assert_refused(&output, "cannot read kern.log: permission denied");
}

#[test]
fn one_missing_input_does_not_hide_the_others() {
    for format in ["human", "json"] {
        let files = ["fixtures/formats/dmesg.log", "none.log", "fixtures/quiet/laptop-phoenix.log"];
        let output =
            Run::new(["--format", format]).argument(files[0]).argument(files[1]).argument(files[2]);
        let output = output.output();
        assert_eq!(output.status, 2);
        assert_eq!(output.stderr.lines().count(), 2, "{}", output.stderr);
        assert!(
            output
                .stderr
                .starts_with("amdtriage: cannot read none.log: no such file or directory\nhelp: ")
        );
        assert!(output.stdout.contains("ring-timeout-reset"));
        assert!(output.stdout.contains("quiet/laptop-phoenix.log"));
        if format == "json" {
            let report = output.json();
            let inputs = &report["inputs"];
            assert_eq!(inputs.each("name"), [files[0], files[2], files[1]]);
            assert_eq!(inputs.each("status"), ["whole", "whole", "unreadable"]);
            assert_eq!(inputs.list()[2]["error"].text(), "not-found");
        }
    }
}

#[test]
fn packed_logs_are_unpacked() {
    let log = Fixture::read("formats/dmesg.log").log;
    let half = log.len() / 2;
    let members = [gzip(&log[..half]), gzip(&log[half..])].concat();
    for packed in [gzip(&log), members] {
        let report = Run::json(packed).output().json();
        assert_eq!(report.diagnosed(), ["ring-timeout-reset"]);
        assert_eq!(report["inputs"][0]["compression"].text(), "gzip");
    }
}

#[test]
fn damaged_logs_are_still_diagnosed() {
    let refused = ["hostile/binary.log", "hostile/empty.log"];
    let mut wrong = Vec::new();
    for fixture in Fixture::all("hostile") {
        if refused.contains(&fixture.name.as_str()) {
            let output = Run::human(fixture.log).output();
            assert_eq!((output.status, output.stderr.lines().count()), (2, 2), "{}", output.stderr);
            continue;
        }
        let output = Run::json(fixture.log.clone()).output();
        assert_harmless(&output);
        assert_harmless(&Run::human(fixture.log).argument("-v").output());
        let report = output.json();
        let want =
            if fixture.name.contains("cut-first-and-last") { "unknown" } else { "recovered" };
        if report.diagnosed() != ["ring-timeout-reset"] || report.outcomes() != [want] {
            wrong.push(format!(
                "{}: {:?} {:?}",
                fixture.name,
                report.diagnosed(),
                report.outcomes()
            ));
        }
    }
    none(&wrong);
}

/// `dmesg | tac`, `journalctl -r`: later records come first.
#[test]
fn a_log_that_runs_backwards_is_turned_round() {
    for form in ["dmesg", "syslog-iso", "journal-short-monotonic", "journal-short-precise"] {
        let text = Fixture::read(&format!("formats/{form}.log")).text();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        let ids = |text: String| Run::json(text).output().json()["incidents"].clone();
        let (turned, straight) = (ids(lines.join("\n") + "\n"), ids(text.clone()));
        assert_eq!(turned[0]["outcome"], straight[0]["outcome"], "{form}");
        assert_eq!(turned[0]["fingerprint"], straight[0]["fingerprint"], "{form}");
    }
}

/// Forty ascending lines prove a direction; later lines in the other direction contradict it.
#[test]
fn a_log_without_a_direction_is_refused() {
    let line = |second: u32| format!("[{second:>5}.000000] usb 1-1: text\n");
    let log: String = (100..140).chain((0..90).rev()).map(line).collect();
    assert_refused(&Run::human(log).output(), "its times run forward and backward");
}

/// Processes, monitors and USB devices can have any name.
#[test]
fn no_text_of_a_log_steers_the_terminal() {
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}gpj\u{2066}\u{200b}\u{9b}31m\u{ad}\r\u{8}";
    let mut log = String::new();
    writeln!(log, "[    0.000000] Linux version 6.14.2{evil} (builder@forge) #1 SMP").unwrap();
    writeln!(log, "[    0.000001] Command line: BOOT_IMAGE={evil} quiet").unwrap();
    let gpu = "amdgpu 0000:03:00.0: amdgpu:";
    let lines = [
        format!(
            "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process {evil} pid 9 thread {evil} pid 9)"
        ),
        "  in page starting at address 0x0000800100000000 from client 0x1b (UTCL2)".to_owned(),
        format!("ring gfx_0.0.0{evil} timeout, signaled seq=1, emitted seq=2"),
        format!("Process information: process {evil} pid 9 thread {evil} pid 9"),
        "GPU reset begin!".to_owned(),
        format!("{evil} unknown"),
    ];
    for (at, line) in lines.iter().enumerate() {
        writeln!(log, "[   10.{at:06}] {gpu} {line}").unwrap();
    }
    writeln!(log, "[   11.000000] usb 1-1: Product: {evil}").unwrap();
    for arguments in [
        vec!["--color", "never", "-v", "--all"],
        vec!["--color", "never", "-q"],
        vec!["--format", "json", "--events"],
        vec!["--format", "html"],
        vec!["records"],
        vec!["records", "--format", "ndjson"],
        vec!["events"],
        vec!["events", "--format", "ndjson"],
    ] {
        let output = Run::new(arguments).input(log.clone()).output();
        assert!(output.stdout.len() > 40, "{output:?}");
        assert_harmless(&output);
    }
}

/// The names of files are chosen by the creator of the archive.
#[test]
fn no_name_of_a_file_steers_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let name = "\u{1b}[2J\u{202e}kern.log";
    for missing in ["\u{1b}[2J\u{202e}none.log", name] {
        if missing == name {
            fs::write(folder.path().join(name), Fixture::read("formats/dmesg.log").log).unwrap();
        }
        for format in ["human", "json", "html"] {
            let run = Run::new(["--color", "never", "--format", format, missing]);
            assert_harmless(&run.folder(folder.path()).output());
        }
    }
}

#[test]
fn a_line_without_an_end_is_passed_over() {
    let mut log = b"[    1.000000] usb 1-1: new device\n".to_vec();
    log.resize(log.len() + (64 << 20), b'x');
    let begun = Instant::now();
    let output = Run::json(log).output();
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert_eq!(output.status, 0, "{}", output.stderr);
    let report = output.json();
    assert_eq!(report["inputs"][0]["lines"].count(), 2);
    assert_eq!(report["inputs"][0]["skipped_lines"].count(), 1);
}

fn storm(count: usize) -> String {
    let mut log = String::new();
    for at in 0..count {
        let (seconds, micros) = (100 + at / 1000, at % 1000 * 1000);
        writeln!(
            log,
            "[{seconds:5}.{micros:06}] amdgpu 0000:0c:00.0: amdgpu: [gfxhub] page fault (src_id:0 \
             ring:169 vmid:3 pasid:32770, for process game pid 411 thread game:cs0 pid 413)"
        )
        .unwrap();
    }
    log
}

/// 200,000 faults are one incident, and reporting them takes no longer than reading them.
#[test]
fn a_storm_of_faults_is_one_incident_in_json() {
    let begun = Instant::now();
    let report = Run::json(storm(200_000)).output().json();
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert_eq!(report.diagnosed(), ["gfx-page-fault"]);
}

#[test]
fn a_storm_of_faults_is_one_row_for_people() {
    let begun = Instant::now();
    let output = Run::human(storm(200_000)).output();
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert_eq!(output.status, 1);
    assert!(output.stdout.lines().count() < 150, "{}", output.stdout.lines().count());
}

/// Its page is not much larger than that of a short log.
#[test]
fn a_storm_of_faults_is_a_page_that_a_browser_opens() {
    let begun = Instant::now();
    let output = Run::new(["--format", "html"]).input(storm(200_000)).output();
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    assert_eq!(output.status, 1);
    assert!(output.stdout.len() < 200_000, "{}", output.stdout.len());
}

/// With thousands of incidents, the table has all of them, and the detailed part is limited.
#[test]
fn thousands_of_incidents_are_a_page_that_a_browser_opens() {
    let mut log = String::new();
    for at in 0..1500 {
        let gpu = "amdgpu 0000:0c:00.0: amdgpu:";
        let begin = 100 + at * 600;
        writeln!(log, "[{begin:8}.000000] {gpu} GPU reset begin!").unwrap();
        writeln!(log, "[{:8}.000000] {gpu} GPU reset(1) succeeded!", begin + 1).unwrap();
    }
    let output = Run::new(["--format", "html"]).input(log).output();
    assert!(output.stdout.len() < 8_000_000, "{}", output.stdout.len());
    assert!(output.stdout.contains("1500 incidents. Worst: "));
    assert_eq!(output.stdout.matches("id=\"log-1-incident-").count(), 100);
}

/// `amdtriage records … | head -n 1`.
#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kern.log");
    fs::write(&path, "[    1.000000] usb 1-1: new device\n".repeat(50_000)).unwrap();
    for arguments in
        [&["records"][..], &["records", "--format", "ndjson"], &["--format", "json", "--events"]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_amdtriage"))
            .args(arguments)
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child::end(child);
        assert_eq!(output.stderr, b"", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}
