//! Compressions and containers never change the diagnosis.

use std::fs;
use std::process::{Command, Stdio};

use amdtriage::document::untrusted::is_harmful;

use super::common::{Fixture, Json, Output, Run, child, root};

/// An archive in tar format.
fn tar<'m>(members: impl IntoIterator<Item = (&'m str, &'m [u8])>) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, path, bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

#[track_caller]
fn assert_told(output: &Output, told: &str) {
    assert_eq!(output.stderr.lines().collect::<Vec<_>>(), [format!("amdtriage: {told}")]);
}

/// Each fixture is a log in two halves, compressed by the program of this name.
#[test]
fn what_other_programs_packed_is_read() {
    let want = Run::new(["-q", "fixtures/formats/dmesg.log"]).output().stdout;
    for (ending, word) in [("gz", "gzip"), ("zst", "zstd"), ("xz", "xz"), ("bz2", "bzip2")] {
        let name = format!("fixtures/containers/dmesg.log.{ending}");
        let got = Run::new(["-q", &name]).output();
        assert_eq!(got.stdout.replace(&name, "fixtures/formats/dmesg.log"), want);
        let report = Run::json(fs::read(root(&name)).unwrap()).output().json();
        assert_eq!(report.diagnosed(), ["ring-timeout-reset"]);
        assert_eq!(report["inputs"][0]["compression"].text(), word);
    }
}

#[test]
fn the_logs_of_an_archive_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let log = Fixture::read("formats/dmesg.log").log;
    let packed = fs::read(root("fixtures/containers/dmesg.log.xz")).unwrap();
    let members: [(&str, &[u8]); 5] = [
        ("sos/etc/hosts", b"127.0.0.1 localhost\n"),
        ("sos/dmesg", &log),
        ("sos/picture.png", b"\x89PNG\r\n\x1a\n"),
        ("sos/var/log/kern.log.1.xz", &packed),
        ("sos/nothing", b""),
    ];
    fs::write(folder.path().join("sos.tar"), tar(members)).unwrap();
    let run = |arguments: &[&str]| Run::new(arguments).folder(folder.path()).output();

    let output = run(&["--format", "json", "sos.tar"]);
    let told = "read sos/dmesg, sos/var/log/kern.log.1.xz; 3 files without a kernel log skipped";
    assert_told(&output, &format!("sos.tar: {told}"));
    assert_eq!(output.status, 1);
    let report = output.json();
    let names = ["sos.tar:sos/dmesg", "sos.tar:sos/var/log/kern.log.1.xz"];
    assert_eq!(report["inputs"].each("name"), names);
    assert_eq!(report.diagnosed(), ["ring-timeout-reset"; 2]);

    let piped = Run::json(fs::read(folder.path().join("sos.tar")).unwrap()).output();
    assert_told(&piped, &format!("standard input: {told}"));
    assert_eq!(piped.json().diagnosed(), ["ring-timeout-reset"; 2]);
    // A directory may contain archives.
    let walked = run(&["--format", "json", "."]);
    assert_eq!(walked.json().diagnosed(), ["ring-timeout-reset"; 2]);
    let records = run(&["records", "sos.tar"]);
    // As in a report, an input without kernel messages is not a log.
    assert!(!records.stdout.contains("localhost") && records.stdout.contains("GPU reset begin"));
    assert_told(&records, &format!("sos.tar: {told}"));
}

#[test]
fn packed_files_that_are_not_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let log = Fixture::read("formats/dmesg.log").log;
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("logs")).unwrap();
    fs::write(path("logs/dmesg"), &log).unwrap();
    fs::write(path("logs/old.zip"), b"PK\x03\x04....").unwrap();
    fs::write(path("logs.tar"), tar([("dmesg", &log[..]), ("a.lz4", b"\x04\x22\x4D\x18....")]))
        .unwrap();
    for (input, told) in [
        (
            "logs",
            "cannot read logs/old.zip: it is a zip archive\nhelp: unzip -p logs/old.zip | amdtriage",
        ),
        (
            "logs.tar",
            "cannot read logs.tar:a.lz4: it is an lz4 file\nhelp: tar -xf logs.tar; lz4 -dc a.lz4 | amdtriage",
        ),
    ] {
        let output = Run::new(["-q", input]).folder(folder.path()).output();
        assert!(output.stderr.starts_with(&format!("amdtriage: {told}\n")), "{}", output.stderr);
        assert_eq!(output.status, 2);
        assert!(output.stdout.contains("A GPU job hung"), "{}", output.stdout);
    }
}

/// The readable part of a truncated file is reported, together with the error.
#[test]
fn a_cut_file_gives_the_report_of_what_came_before() {
    let log = Fixture::read("formats/dmesg.log").log;
    for (ending, name) in [("gz", "gzip"), ("zst", "zstd"), ("xz", "xz"), ("bz2", "bzip2")] {
        let packed = fs::read(root(&format!("fixtures/containers/dmesg.log.{ending}"))).unwrap();
        let output = Run::json(&packed[..packed.len() - 9]).output();
        let told = format!("amdtriage: standard input is a truncated {name} file");
        assert!(output.stderr.starts_with(&told), "{}", output.stderr);
        assert_eq!((output.status, output.stderr.lines().count()), (2, 2));
        // bzip2 and xz decode whole blocks; each half of the log is one.
        assert!(!output.json()["inputs"].list().is_empty(), "{ending}");
        let padded = Run::json([&packed[..], &[0; 100], b"rubbish"].concat()).output();
        assert_eq!((padded.status, padded.stderr.as_str()), (1, ""), "{ending}");
        assert_eq!(padded.json()["inputs"][0]["bytes"].count(), log.len());
    }
}

/// A missing temporary directory is not blamed on the input.
#[test]
fn a_missing_temporary_folder_is_named() {
    let packed = fs::read(root("fixtures/containers/two-boots.journal.xz")).unwrap();
    let output = Run::human(packed).variable("TMPDIR", "/nowhere").output();
    let told = "amdtriage: cannot create a temporary file for standard input: ";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
    assert!(output.stderr.contains("\nnote: set TMPDIR to a directory "), "{}", output.stderr);
    assert_eq!(output.status, 2);
}

/// Reading /dev/kmsg directly would wait forever for the next message, or take it from other
/// readers.
#[cfg(target_os = "linux")]
#[test]
fn the_kernels_buffer_on_standard_input_has_an_end() {
    for (path, ends) in [("/dev/kmsg", [0, 1, 2]), ("/proc/kmsg", [2; 3])] {
        // Not every user may read it, and not every container has it.
        let Ok(file) = fs::File::open(path) else { continue };
        if path == "/proc/kmsg" && !file.metadata().unwrap().is_file() {
            continue;
        }
        let mut program = Command::new("timeout");
        program.args(["60", env!("CARGO_BIN_EXE_amdtriage")]);
        program.stdin(file).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = child::end(child::start(&mut program).unwrap());
        let status = output.status.code().unwrap();
        assert!(ends.contains(&status), "{path}: {status}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.contains("\nhelp: sudo dmesg | amdtriage"), path == "/proc/kmsg", "{told}");
    }
}

/// A full disk is reported for all kinds of output.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_a_failure() {
    for argument in ["--help", "--version", "man", "-h"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_amdtriage"));
        program.arg(argument).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped());
        let output = child::end(child::start(&mut program).unwrap());
        assert_eq!(output.status.code(), Some(2), "{argument}");
        assert!(output.stderr.starts_with(b"amdtriage: cannot write the output: "));
    }
}

#[test]
fn what_was_said_of_an_input_is_the_first_thing_to_doubt() {
    let log = Fixture::read("formats/dmesg.log").log;
    for input in [log.clone(), tar([("dmesg", &log[..])])] {
        let output = Run::new(["--input-format", "logcat"]).input(input).output();
        assert_eq!(output.status, 2);
        // The same command without the option.
        assert!(output.stderr.ends_with("\nhelp: amdtriage\n"), "{}", output.stderr);
    }
}

#[test]
fn an_archive_without_logs_is_refused() {
    let bytes = tar([("hosts", &b"127.0.0.1 localhost\n"[..]), ("empty", b"")]);
    let output = Run::human(bytes).output();
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    let told = "amdtriage: standard input is an archive without logs\nhelp: ";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
}

#[test]
fn a_damaged_archive_shows_what_came_before() {
    let log = Fixture::read("formats/dmesg.log").log;
    let mut bytes = tar([("dmesg", &log[..]), ("rest", &log)]);
    bytes.truncate(bytes.len() / 2 + 600);
    let output = Run::json(bytes).output();
    assert_eq!(output.status, 2);
    assert_eq!(output.json().diagnosed()[0], "ring-timeout-reset");
    let told = "amdtriage: standard input is a truncated tar archive\nhelp: tar -xf FILE\n";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
}

/// The records before the damage are listed, with an error at the end.
#[test]
fn a_damaged_log_is_listed_and_refused() {
    let packed = fs::read(root("fixtures/containers/dmesg.log.gz")).unwrap();
    let output = Run::new(["records"]).input(&packed[..packed.len() - 9]).output();
    assert!(output.stdout.contains("ring gfx"), "{}", output.stdout);
    let told = "amdtriage: standard input is a truncated gzip file\nhelp: ";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
    assert_eq!(output.status, 2);
}

/// File names in an archive are chosen by its creator.
#[test]
fn no_name_in_an_archive_steers_the_terminal() {
    let log = Fixture::read("formats/dmesg.log").log;
    let evil = "\u{1b}[2J\u{202e}\nkern.log";
    let cut = fs::read(root("fixtures/containers/dmesg.log.gz")).unwrap();
    let bytes = tar([(evil, &log[..]), ("\u{1b}]0;cut\u{7}", &cut[..cut.len() - 9])]);
    for format in ["human", "json"] {
        let output =
            Run::new(["--color", "never", "--format", format]).input(bytes.clone()).output();
        assert_eq!(output.stderr.lines().count(), 3, "{}", output.stderr);
        for text in [&output.stdout, &output.stderr] {
            let found = text.chars().find(|c| *c != '\n' && is_harmful(*c));
            assert_eq!(found, None, "in {text:?}");
        }
    }
}

/// The real `journalctl`, if installed.
#[test]
fn a_journal_is_read_by_journalctl() {
    if child::run(Command::new("journalctl").arg("--version")).is_err() {
        eprintln!("skipped: no journalctl");
        return;
    }
    let packed = fs::read(root("fixtures/containers/two-boots.journal.xz")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("system.journal");
    let mut bytes = Vec::new();
    let mut reader = lzma_rust2::XzReader::new(&packed[..], false);
    std::io::copy(&mut reader, &mut bytes).unwrap();
    fs::write(&journal, &bytes).unwrap();
    let plain = Run::new(["records", "system.journal"]).folder(folder.path()).output();
    assert_eq!((plain.status, plain.stderr.as_str()), (0, ""));
    assert!(plain.stdout.contains("GPU reset(1) succeeded!"), "{}", plain.stdout);
    for input in [bytes, packed] {
        assert_eq!(Run::new(["records"]).input(input).output().stdout, plain.stdout);
    }
    fs::write(&journal, b"LPKSHHRH and nothing more").unwrap();
    let output = Run::new(["system.journal"]).folder(folder.path()).output();
    assert_eq!(output.status, 2);
    let told = "amdtriage: journalctl cannot read system.journal: ";
    assert!(output.stderr.starts_with(told), "{}", output.stderr);
}

/// A central log: two machines, each with a GPU at the same address, of which one recovers.
#[test]
fn machines_of_one_stream_are_reported_each_on_its_own() {
    let gpu = "amdgpu 0000:03:00.0: amdgpu: ";
    let says = |second: usize, host: &str, clock: usize, text: &str| {
        format!("Nov 19 10:33:{second:02} {host} kernel: [{clock:5}.000000] {text}\n")
    };
    let mut log = String::new();
    for second in 0..6 {
        log += &says(second, "node1", 700 + second, "usb 1-1: new device");
        log += &says(second, "node2.site", 80_000 + second, "usb 3-1: new device");
    }
    log += &says(10, "node1", 710, &format!("{gpu}GPU reset begin!"));
    log += &says(10, "node2.site", 80_010, &format!("{gpu}GPU reset begin!"));
    log += &says(12, "node2.site", 80_012, &format!("{gpu}GPU reset(1) failed"));
    log += &says(13, "node1", 713, &format!("{gpu}GPU reset(4) succeeded!"));
    let report = Run::json(log.as_str()).output().json();
    let names = |report: &Json| -> Vec<(String, String)> {
        let inputs = report["inputs"].list().iter();
        inputs.map(|it| (it["name"].text().to_owned(), it["host"].text().to_owned())).collect()
    };
    let told = |name: &str, host: &str| (name.to_owned(), host.to_owned());
    assert_eq!(
        names(&report),
        [
            told("standard input (node1)", "node1"),
            told("standard input (node2.site)", "node2.site")
        ]
    );
    let ends: Vec<String> = { report["incidents"].list().iter() }
        .map(|incident| {
            let (outcome, first) = (incident["outcome"].text(), &incident["first"]);
            format!("{outcome} {} {}", first["input"].number(), first["line"].number())
        })
        .collect();
    assert_eq!(ends, ["recovered 0 13", "failed 1 14"]);
    // With one machine the name of the input is sufficient.
    let one: String = log
        .lines()
        .filter(|line| line.contains("node1"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    assert_eq!(names(&Run::json(one.as_str()).output().json()), [told("standard input", "node1")]);
}
