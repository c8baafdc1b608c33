//! The list of records: how each line was read, which lines were not, and why.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::common::{Fixture, Json, Output, Run, child, snapshot};

/// A kernel log with every kind of line.
const PASTED: &str = "\
ada@workbench:~$ sudo dmesg
```text
[    0.000000] Linux version 6.14.2 (builder@forge)
[    4.318225] [drm] Initialized amdgpu 3.61.0 for 0000:2d:00.0 on minor 1
[  913.550412] amdgpu 0000:2d:00.0: amdgpu: first line
               second line
                 third line, further in
[  913.550413] amdgpu_irq_dispatch: 36 callbacks suppressed
[  913.550444] systemd[1]: Started text.
```
ada@workbench:~$
";

/// The sequence numbers show that eight records are missing.
const KMSG: &str = "\
6,11,4318225,-;[drm] Initialized amdgpu 3.61.0 for 0000:2d:00.0 on minor 1
3,20,913550412,-;amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout\\x0asecond line
 SUBSYSTEM=pci
 DEVICE=+pci:0000:2d:00.0
30,21,913550431,-;systemd[1]: Started text.
";

const DAMAGED: &str = r#"{"MESSAGE":"usb 1-1: new device","PRIORITY":"6","_TRANSPORT":"kernel","_SOURCE_MONOTONIC_TIMESTAMP":"4318225","__REALTIME_TIMESTAMP":"1772648414318225"}
{"MESSAGE":"usb 1-1: the end of this li
{"MESSAGE":"Started text.","PRIORITY":"6","SYSLOG_IDENTIFIER":"systemd","_PID":"1","_TRANSPORT":"journal","__REALTIME_TIMESTAMP":"1772648415000000"}
"#;

fn records(arguments: &[&str], log: impl Into<Vec<u8>>) -> Output {
    Run::new(["records"].iter().chain(arguments)).input(log).output()
}

/// The objects of a list.
fn objects(output: &Output) -> Vec<Json> {
    let lines = output.stdout.lines();
    lines.map(|line| Json::read(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

#[test]
fn each_line_is_shown_as_it_was_understood() {
    let reversed = Fixture::read("formats/journal-short-iso-precise-reversed.log").text();
    let logs = [("pasted", PASTED), ("kmsg", KMSG), ("reversed", &reversed), ("damaged", DAMAGED)];
    for (name, log) in logs {
        let mut all = String::new();
        for arguments in [&[][..], &["-v"], &["--format", "ndjson"], &["--format", "ndjson", "-v"]]
        {
            let output = records(arguments, log);
            assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{name} {arguments:?}");
            let line: Vec<&str> = ["records"].iter().chain(arguments).copied().collect();
            writeln!(all, "$ amdtriage {}\n{}", line.join(" "), output.stdout).unwrap();
        }
        let command = "amdtriage records, in four ways # its input stands in the test";
        snapshot(&format!("records__{name}"), command, &all);
    }
}

/// Colours carry no additional information.
#[test]
fn skipped_lines_are_dimmed_where_there_are_colours() {
    let painted = records(&["-v", "--color", "always"], PASTED).stdout;
    let plain = records(&["-v"], PASTED).stdout;
    assert!(!plain.contains('\u{1b}'), "no terminal, no colours");
    assert!(painted.contains("\u{1b}[2m(around a pasted log) "), "{painted}");
    let bare = painted.replace("\u{1b}[2m", "").replace("\u{1b}[33m", "").replace("\u{1b}[0m", "");
    assert_eq!(bare, plain);
}

/// `--input-format` decides if a line would be read in another format.
#[test]
fn what_an_input_is_said_to_be_overrides_its_lines() {
    let log = "[    1.000000] host kernel: usb 1-1: text\n6,11,4318225,-;usb 2-1: text\n";
    for (format, messages) in [
        (None, ["usb 1-1: text", "usb 2-1: text"]),
        (Some("journal"), ["usb 1-1: text", "6,11,4318225,-;usb 2-1: text"]),
        (Some("syslog"), ["usb 1-1: text", "6,11,4318225,-;usb 2-1: text"]),
        (Some("kmsg"), ["[    1.000000] host kernel: usb 1-1: text", "usb 2-1: text"]),
        (
            Some("text"),
            ["[    1.000000] host kernel: usb 1-1: text", "6,11,4318225,-;usb 2-1: text"],
        ),
    ] {
        let said: Vec<&str> = format.iter().flat_map(|format| ["--input-format", format]).collect();
        let arguments: Vec<&str> = ["--format", "ndjson"].into_iter().chain(said).collect();
        let found = objects(&records(&arguments, log));
        let told: Vec<&str> = found.iter().map(|record| record["message"].text()).collect();
        assert_eq!(told, messages, "{format:?}");
    }
    let refused = records(&["--input-format", "evtx"], log);
    assert_eq!((refused.status, refused.stdout.as_str()), (2, ""));
    // The report and the events support it, too.
    let log = Fixture::read("formats/dmesg.log").log;
    let report = |format: &str| {
        Run::new(["--format", "json", "--input-format", format]).input(log.clone()).output()
    };
    assert_eq!(report("dmesg").json().diagnosed(), ["ring-timeout-reset"]);
    assert_eq!(report("dmesg").json()["inputs"][0]["format"].text(), "dmesg");
    assert_eq!(report("json").json()["inputs"][0]["format"].text(), "text");
    let events = Run::new(["events", "--input-format", "dmesg"]).input(log.clone()).output();
    assert!(events.stdout.contains("ring-timeout"), "{}", events.stdout);
}

/// Seconds since 1970 of 2026-01-02T00:00:00Z.
const SAVED: u64 = 1_767_312_000;

fn saved(log: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kern.log");
    fs::write(&path, log).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(SAVED)).unwrap();
    let run = Run::new(["records"].iter().chain(arguments)).argument("kern.log");
    run.variable("TZ", "UTC").folder(folder.path()).output()
}

const NEW_YEAR: &str = "\
Dec 31 23:59:59 host kernel: usb 1-1: last year's
Jan  1 00:00:01 host kernel: usb 1-1: this year's
Jan  1 00:00:02 host kernel: [    2.000000] usb 1-1: with the kernel's clock
";

#[test]
fn years_follow_from_the_time_of_the_file() {
    let found = objects(&saved(NEW_YEAR, &["--format", "ndjson"]));
    let times = |key: &str| -> Vec<Json> {
        found.iter().map(|record| record["time"][key].clone()).collect()
    };
    let text = |text: &str| Json::Text(text.to_owned());
    let local = ["2025-12-31T23:59:59", "2026-01-01T00:00:01", "2026-01-01T00:00:02"];
    assert_eq!(times("local"), local.map(text));
    assert_eq!(times("year"), ["inferred"; 3].map(text));
    assert_eq!(times("clock"), ["received", "received", "kernel"].map(text));
    // An inferred value is not shown as a fact.
    assert_eq!(times("wall"), vec![Json::Null; 3]);
}

/// Removes the line breaks of wrapped text.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An inferred year is marked.
#[test]
fn inferred_years_are_marked() {
    let shown = saved(NEW_YEAR, &["-v"]).stdout;
    assert!(shown.contains(" ~2025-12-31T23:59:59 "), "{shown}");
    assert!(unwrapped(&shown).contains("years (~) inferred from the file's date"), "{shown}");
    let printed = "2026-03-04T18:35:23+01:00 host kernel: usb 1-1: text\n";
    let shown = saved(printed, &["-v"]).stdout;
    assert!(shown.contains(" 2026-03-04T18:35:23+01:00 ") && !shown.contains('~'), "{shown}");
    let piped = records(&["-v"], NEW_YEAR).stdout;
    assert!(unwrapped(&piped).contains("inferred from today's date"), "{piped}");
}

/// The time zone of the reader is not in the log.
#[test]
fn a_file_is_as_old_as_the_readers_clock_says() {
    // When the file is saved, it is 2026-01-02T14:00 in Kiritimati and 2026-01-01T13:00 in Niue.
    for (zone, year) in [("Etc/GMT-14", "2026"), ("Etc/GMT+11", "2025")] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kern.log");
        fs::write(&path, "Jan  3 00:00:00 host kernel: usb 1-1: text\n").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(SAVED)).unwrap();
        let run = Run::new(["records", "kern.log"]).variable("TZ", zone).folder(folder.path());
        let shown = run.output().stdout;
        assert!(shown.contains(&format!(" ~{year}-01-03T00:00:00 ")), "{zone}: {shown}");
    }
}

/// All places where text appears in the list: message, source, skipped line, several lines.
#[test]
fn hostile_text_is_escaped_everywhere() {
    let evil = "\u{1b}[2J\u{202e}\u{9b}31m\u{7}\u{200b}";
    let log = format!(
        "{{\"MESSAGE\":\"cut {evil}\n\
         Mar  4 18:35:23 host ev{evil}il[7]: text {evil}\n\
         Mar  4 18:35:23 host kernel: usb 1-1: {evil}\n\
         \u{20}                           below {evil}\n\
         ada{evil}@workbench:~$ \n"
    );
    for arguments in [&["-v"][..], &["-v", "--format", "ndjson"], &[], &["--format", "ndjson"]] {
        let output = records(arguments, log.clone());
        assert_eq!((output.status, output.stderr.as_str()), (0, ""));
        assert!(output.stdout.contains("\\u"), "{}", output.stdout);
        let harmful = amdtriage::document::untrusted::is_harmful;
        let found = output.stdout.chars().find(|c| *c != '\n' && harmful(*c));
        assert_eq!(found, None, "{arguments:?}: {:?}", output.stdout);
    }
}

/// Several lists have headings with the name of the log.
#[test]
fn each_list_has_the_name_of_its_log() {
    let files = ["fixtures/formats/dmesg.log", "fixtures/formats/kmsg.log"];
    let both = Run::new(["records"].iter().chain(&files)).output().stdout;
    let heads: Vec<&str> = both.lines().filter(|line| line.starts_with("== ")).collect();
    assert_eq!(heads, files.map(|file| format!("== {file} ==")));
    let one = Run::new(["records", files[0]]).output().stdout;
    assert!(one.starts_with("Line "), "{one}");
}

/// Events of several logs have headings, too, and objects have an index.
#[test]
fn several_inputs_are_told_apart_everywhere() {
    let files = ["fixtures/formats/dmesg.log", "fixtures/formats/kmsg.log"];
    let both = Run::new(["events"].iter().chain(&files)).output().stdout;
    let heads: Vec<&str> = both.lines().filter(|line| line.starts_with("fixtures/")).collect();
    assert_eq!(heads, files);
    let one = Run::new(["events", files[0]]).output().stdout;
    assert!(one.trim_start().starts_with("Line "), "{one}");

    let objects = |list: &str, files: &[&str]| {
        let output = Run::new([list, "--format", "ndjson"].iter().chain(files)).output();
        let mut inputs: Vec<usize> =
            objects(&output).iter().map(|object| object["input"].count()).collect();
        inputs.dedup();
        inputs
    };
    for list in ["records", "events"] {
        assert_eq!(objects(list, &files), [0, 1]);
        assert_eq!(objects(list, &files[..1]), [0]);
    }
}

/// The run ends when its reader closes the list, long before the end of the input.
#[cfg(unix)]
#[test]
fn the_list_of_a_log_without_end_ends_with_its_reader() {
    let program = env!("CARGO_BIN_EXE_amdtriage");
    for format in ["table", "ndjson"] {
        let script = format!(
            "yes '[    1.000000] usb 1-1: text' | timeout 60 '{program}' records --format {format} | head -1; \
             echo ${{PIPESTATUS[*]}}"
        );
        let mut shell = std::process::Command::new("bash");
        let output = child::run(shell.args(["-c", &script])).unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(told.lines().count(), 2, "{told}");
        assert!(told.ends_with(" 0 0\n"), "{told}");
    }
}

/// Columns widen for later rows, and earlier rows stay unchanged.
#[test]
fn columns_grow() {
    let mut log = "[    1.000000] usb 1-1: text\n".repeat(300);
    log.push_str("[1234567890.000000] usb 1-1: text\n[    2.000000] usb 1-1: text\n");
    let shown = records(&[], log).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[1], "   1  1.000000  -      kernel  usb 1-1: text");
    assert_eq!(lines[301], " 301  1234567890.000000  -      kernel  usb 1-1: text");
    assert_eq!(lines[302], " 302           2.000000  -      kernel  usb 1-1: text");
}

#[test]
fn the_report_says_which_way_and_by_which_clock_it_was_read() {
    let said = |name: &str| {
        let shown = Run::human(Fixture::read(name).log).argument("-v").output().stdout;
        let at = shown.rfind("Read: ").unwrap_or_else(|| panic!("{name}: {shown}"));
        unwrapped(&shown[at..])
    };
    let late = "which are late by any time the machine was asleep";
    for (name, program) in [
        ("formats/dmesg-ctime.log", "dmesg -T"),
        ("formats/dmesg-iso.log", "dmesg --time-format=iso"),
        ("formats/dmesg-reltime.log", "dmesg -H"),
    ] {
        let want = format!("; times from {program}, {late}.");
        assert!(said(name).ends_with(&want), "{}", said(name));
    }
    let turned = said("formats/journal-short-iso-precise-reversed.log");
    assert!(turned.ends_with("; newest first, reversed."), "{turned}");
    let pasted = said("formats/paste-prompt.log");
    assert!(pasted.contains(", 3 lines ignored (not log lines)"), "{pasted}");
    let plain = said("formats/dmesg.log");
    assert_eq!(plain, "Read: standard input, dmesg, 8 lines, 8 records.");
}
