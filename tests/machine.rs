//! A machine's own log: which boots are read, and saved crashes. A shell script simulates
//! `journalctl`, and a directory the machine's disk.

#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::common::{Json, Output, Run, child, other_user};

const IDS: [&str; 3] = [
    "a1a1a1a1a1a14a1a8a1aa1a1a1a1a1a1",
    "b2b2b2b2b2b24b2b8b2bb2b2b2b2b2b2",
    "c3c3c3c3c3c34c3c8c3cc3c3c3c3c3c3",
];
/// The start of the boots: 2026-03-04, at 10, 11 and 12 o'clock. Each lasts 40 minutes.
const BEGIN: i64 = 1_772_618_400;
const HOUR: i64 = 3600;

const START: &str = "kernel: Linux version 6.14.2 (builder@forge)";
const GPU: &str = "kernel: [drm] Initialized amdgpu 3.61.0 for 0000:2d:00.0 on minor 1";
const HANG: &str =
    "kernel: amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2";
const RESET: &str = "kernel: amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!";
const DONE: &str = "kernel: amdgpu 0000:2d:00.0: amdgpu: GPU reset(1) succeeded!";
const SHUTDOWN: &str = "systemd-journald: Journal stopped";

/// A machine's disk, and the simulated journalctl.
struct Machine {
    folder: TempDir,
}

impl Machine {
    /// The lines of each boot have times in seconds since its start.
    fn new(boots: &[&[(i64, &str)]]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("disk/var/log/journal/0f1e")).unwrap();
        fs::create_dir_all(path("bin")).unwrap();
        // The content of the journal file is never read.
        fs::write(path("disk/var/log/journal/0f1e/system.journal"), "").unwrap();
        let mut list = String::new();
        for (hours, (id, lines)) in (0..).zip(IDS.iter().zip(boots)) {
            let (begin, hour) = (BEGIN + HOUR * hours, 10 + hours);
            // The current boot is recognised by its position only.
            let number = hours;
            writeln!(
                list,
                "{number} {id} Wed 2026-03-04 {hour}:00:00 UTC—Wed 2026-03-04 {hour}:40:00 UTC"
            )
            .unwrap();
            let entries: String = lines.iter().map(|line| entry(id, begin, *line)).collect();
            fs::write(path("bin").join(id), entries).unwrap();
        }
        fs::write(path("bin/list"), list).unwrap();
        other_user::open_to_all(folder.path());
        let machine = Self { folder };
        machine.program(
            "for a; do case $a in --list-boots) exec cat list;; _BOOT_ID=*) cat ${a#*=}; one=1;; esac; done
             [ \"$one\" ] || cat ??????????*",
        );
        machine
    }

    /// A shell writes the script: a file that this process has open for writing cannot be executed.
    fn program(&self, script: &str) {
        let write = "printf '#!/bin/sh\ncd \"${0%%/*}\"\n%s\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let path = self.folder.path().join("bin/journalctl");
        let mut shell = Command::new("sh");
        let written = child::run(shell.args(["-c", write]).arg(path).arg(script)).unwrap();
        assert!(written.status.success());
    }

    fn save(&self, crash: &str, text: &str) {
        let path = self.folder.path().join("disk/var/lib/systemd/pstore").join(crash);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        let programs = format!("{}:/usr/bin:/bin", path("bin"));
        let run = Run::new(["--root", &path("disk"), "--format", "json"]);
        let run = arguments.iter().fold(run, |run, argument| run.argument(*argument));
        run.variable("PATH", &programs).unprivileged().output()
    }

    /// The indices of the boots that are read, and the report.
    fn read(&self, arguments: &[&str]) -> (Vec<usize>, Json) {
        let report = self.run(arguments).json();
        let ids: Vec<&str> = report["boots"].each("boot_id");
        (ids.into_iter().map(place).collect(), report)
    }
}

/// Times are unique, because equal records of two boots would be merged.
fn place(id: &str) -> usize {
    IDS.iter().position(|known| *known == id).unwrap()
}

/// An entry in export format.
fn entry(id: &str, begin: i64, (seconds, line): (i64, &str)) -> String {
    let (name, message) = line.split_once(": ").unwrap();
    let wall = (begin + seconds) * 1_000_000;
    let clock = match name {
        "kernel" => {
            format!("_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP={seconds}00000{}\n", place(id))
        }
        _ => "_TRANSPORT=journal\n".to_owned(),
    };
    format!(
        "__CURSOR=s=1;b={id}\n__REALTIME_TIMESTAMP={wall}\n_BOOT_ID={id}\n{clock}\
         SYSLOG_IDENTIFIER={name}\nMESSAGE={message}\n\n"
    )
}

const HEALTHY: &[(i64, &str)] = &[(0, START), (4, GPU), (2400, SHUTDOWN)];
const RUNNING: &[(i64, &str)] = &[(0, START), (4, GPU), (2400, "cron: nothing")];
const HUNG: &[(i64, &str)] = &[(0, START), (4, GPU), (2398, HANG), (2399, RESET)];

/// After a hard reset the hang is in the previous boot.
#[test]
fn the_boot_before_is_read_where_it_did_not_end_well() {
    let recovered =
        &[(0, START), (4, GPU), (90, HANG), (91, RESET), (95, DONE), (2400, SHUTDOWN)][..];
    for (before, want, status, why) in [
        (HEALTHY, &[2][..], 0, ""),
        (HUNG, &[1, 2], 1, "it shows no shutdown"),
        // A power cut is not a failure of the GPU.
        (RUNNING, &[1, 2], 0, "it shows no shutdown"),
        (recovered, &[1, 2], 1, "a GPU failed in it"),
    ] {
        let machine = Machine::new(&[HUNG, before, RUNNING]);
        let (read, _) = machine.read(&[]);
        assert_eq!(read, want, "{before:?}");
        let output = machine.run(&[]);
        assert_eq!(output.status, status, "{before:?}");
        let told = output.stderr.split("also reading the boot before: ").nth(1);
        assert_eq!(told.and_then(|rest| rest.lines().next()).unwrap_or_default(), why);
    }
    let (_, report) = Machine::new(&[HUNG, RUNNING]).read(&[]);
    assert_eq!(report.outcomes(), ["never-completed"]);
    assert_eq!(report.diagnosed(), ["ring-timeout-reset", "reset-never-completed"]);
}

/// A check is about the last boot, whatever happened in the one before.
#[test]
fn a_check_reads_the_last_boot() {
    for (boots, incidents) in [([HUNG, RUNNING], 0), ([HEALTHY, HUNG], 1)] {
        let machine = Machine::new(&boots);
        let path = |name: &str| machine.folder.path().join(name).display().to_string();
        let output = Run::new(["check", "--root", &path("disk"), "--format", "json"])
            .variable("PATH", &format!("{}:/usr/bin:/bin", path("bin")))
            .unprivileged()
            .output();
        let log = &output.json()["log"];
        assert_eq!(log["incidents"].count(), incidents, "{}", output.stdout);
        assert_eq!(output.status == 1, incidents > 0, "{}", output.stdout);
    }
}

#[test]
fn boots_and_times_choose_what_is_read() {
    let machine = Machine::new(&[HUNG, HEALTHY, RUNNING]);
    for (arguments, want) in [
        (&["--boot", "0"][..], &[2][..]),
        (&["--boot", "-1"], &[1]),
        (&["--boot", "-2"], &[0]),
        (&["--boot", "1"], &[0]),
        (&["--all-boots"], &[0, 1, 2]),
        (&["--since", "-1h"], &[1, 2]),
        (&["--since", "-90min"], &[1, 2]),
        (&["--since", "-1min"], &[2]),
        (&["--since", "2026-03-04 10:30", "--until", "2026-03-04 10:50"], &[0]),
        (&["--since", "10:30", "--until", "11:10"], &[0, 1]),
        (&["--until", "2026-03-04 10:20"], &[0]),
        (&["--since", "100s"], &[2]),
        (&["--since", "2026-03-05"], &[]),
    ] {
        let output = machine.run(arguments);
        if want.is_empty() {
            assert_eq!(output.status, 2, "{arguments:?}: {}", output.stderr);
            continue;
        }
        assert_eq!(machine.read(arguments).0, want, "{arguments:?}: {}", output.stderr);
    }
}

#[test]
fn times_are_those_of_the_machine_s_zone() {
    let machine = Machine::new(&[HUNG, HEALTHY, RUNNING]);
    let output = machine.run(&["--since", "13:30", "--until", "13:50"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let path = |name: &str| machine.folder.path().join(name).display().to_string();
    let output = Run::new(["--root", &path("disk"), "--since", "12:30", "--until", "12:35"])
        .variable("PATH", &format!("{}:/usr/bin:/bin", path("bin")))
        .unprivileged()
        .variable("TZ", "EET-2")
        .output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    let hung = Run::new(["--root", &path("disk"), "--since", "12:39"])
        .variable("PATH", &format!("{}:/usr/bin:/bin", path("bin")))
        .unprivileged()
        .variable("TZ", "EET-2")
        .output();
    assert!(hung.stdout.contains("2026-03-04 12:39:58+02:00"), "{}", hung.stdout);
}

#[test]
fn a_boot_that_is_not_stored_is_no_other_boot() {
    let machine = Machine::new(&[HUNG, RUNNING]);
    for number in ["-2", "3"] {
        let output = machine.run(&["--boot", number]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        let told =
            format!("amdtriage: no boot {number} in this machine's journal: it has 2 boots\n");
        assert!(output.stderr.starts_with(&told), "{}", output.stderr);
    }
    let kept = |folder: &str| machine.folder.path().join("disk").join(folder);
    fs::create_dir_all(kept("run/log/journal")).unwrap();
    fs::rename(kept("var/log/journal/0f1e"), kept("run/log/journal/0f1e")).unwrap();
    let told = machine.run(&["--boot", "-2"]).stderr;
    assert!(told.contains("kept in memory only\nhelp: amdtriage explain journal-persistent"));
}

/// A crash two seconds before the journal's end, with lines that the journal lacks.
const CRASH: &str = "Panic#1 Part2
<3>[ 2398.000001] amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2
Panic#1 Part1
<6>[ 2399.000001] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!
<6>[ 2400.500000] amdgpu 0000:2d:00.0: amdgpu: MODE1 reset
<0>[ 2401.000000] Kernel panic - not syncing: Fatal exception
";

#[test]
fn a_saved_crash_joins_the_boot_that_it_is_of() {
    // In seconds: the middle boot begins at BEGIN + HOUR.
    let of_second = BEGIN + HOUR + 2402;
    for name in [
        format!("{of_second}/dmesg.txt"),
        format!("dmesg-efi_pstore-{of_second}01001"),
        // The lines show the time of these.
        "dmesg-ramoops-0".to_owned(),
        "console-ramoops-0".to_owned(),
    ] {
        let machine = Machine::new(&[RUNNING, HUNG, RUNNING]);
        machine.save(&name, CRASH);
        let output = machine.run(&["--events"]);
        let told = "2 lines that the journal of its boot lacks";
        assert!(output.stderr.contains(told), "{name}: {}", output.stderr);
        let report = output.json();
        assert_eq!(report["boots"].each("boot_id"), [IDS[1], IDS[2]], "{name}");
        let events = report["events"].each("event");
        let resets = events.iter().filter(|event| **event == "reset-begin").count();
        assert_eq!(resets, 1, "{name}: {events:?}");
        assert!(events.contains(&"reset-method"), "{name}: {events:?}");
        assert_eq!(report["inputs"].list().len(), 1, "{name}");
    }
}

#[test]
fn a_saved_crash_that_is_of_no_boot_is_one_of_its_own() {
    let machine = Machine::new(&[HEALTHY, HEALTHY, RUNNING]);
    // The same range of the clock, with other lines.
    machine.save(
        "dmesg-ramoops-0",
        CRASH.replace("2398.", "2300.").replace("2399.", "2301.").as_str(),
    );
    let output = machine.run(&[]);
    let report = output.json();
    assert_eq!((output.status, report["inputs"].list().len()), (1, 2), "{}", output.stderr);
    assert!(report["inputs"][0]["name"].text().ends_with("/dmesg-ramoops-0"));
    assert_eq!(report["incidents"][0]["boot"].count(), 0);
}

/// A volatile journal has no entries of the boot that crashed.
#[test]
fn a_saved_crash_is_seen_where_the_journal_lacks_its_boot() {
    let machine = Machine::new(&[RUNNING]);
    machine.save(&format!("{}/dmesg.txt", BEGIN - 9000), CRASH);
    machine.save(&format!("{}/dmesg.txt", BEGIN - 100), CRASH);
    let output = machine.run(&[]);
    let report = output.json();
    assert_eq!((output.status, report["inputs"].list().len()), (1, 2), "{}", output.stderr);
    let newest = format!("/{}/dmesg.txt", BEGIN - 100);
    assert!(report["inputs"][0]["name"].text().ends_with(&newest));
    assert!(output.stderr.contains("1 older saved crash not read"), "{}", output.stderr);
}

#[test]
fn an_old_crash_alarms_nobody() {
    let machine = Machine::new(&[HEALTHY, HEALTHY, RUNNING]);
    machine.save(&format!("{}/dmesg.txt", BEGIN - 1000), CRASH);
    let output = machine.run(&[]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(
        output.stderr.contains("1 older saved crash not read; to read them: amdtriage --all-boots")
    );
    assert_eq!(machine.run(&["--all-boots"]).status, 1);
    assert_eq!(machine.run(&["--boot", "-1"]).status, 0);
}

#[test]
fn what_is_closed_is_said_with_what_opens_it() {
    let machine = Machine::new(&[RUNNING]);
    machine.program(
        "echo 'Hint: You are currently not seeing messages from other users and the system.' >&2
         echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1",
    );
    for arguments in [&[][..], &["--boot", "-1"]] {
        let output = machine.run(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        let disk = machine.folder.path().join("disk");
        let told = format!(
            "amdtriage: cannot read the journal of {}: permission denied\n",
            disk.display()
        );
        assert!(output.stderr.starts_with(&told), "{}", output.stderr);
    }
}

#[test]
fn a_disk_without_a_journal_is_said_to_have_none() {
    let machine = Machine::new(&[RUNNING]);
    machine.program("echo 'No journal files were found.' >&2");
    let output = machine.run(&[]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.starts_with("amdtriage: no journal on the disk at /"));
}

/// An unreadable record stays on disk permanently.
#[test]
fn a_saved_crash_that_cannot_be_read_fails_no_run() {
    let machine = Machine::new(&[HEALTHY, RUNNING]);
    machine.save("dmesg-efi_pstore-177262200001001.enc.z", "x\u{9c}\0\u{1}\0");
    machine.save("dmesg-ramoops-0", "");
    let output = machine.run(&[]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains(".enc.z is "), "{}", output.stderr);
}

#[test]
fn a_machine_is_no_file() {
    for option in ["--all-boots", "--this-machine", "--root=/mnt"] {
        let output = Run::new([option, "fixtures/formats/dmesg.log"]).output();
        assert_eq!(output.status, 2);
        assert!(output.stderr.contains("cannot be used with"), "{}", output.stderr);
    }
    let output = Run::new(["--all-boots", "--boot", "1"]).output();
    assert_eq!(output.status, 2);
}

/// The lists of events and records cover the same boots.
#[test]
fn lists_read_the_same() {
    let machine = Machine::new(&[HUNG, RUNNING]);
    let path = |name: &str| machine.folder.path().join(name).display().to_string();
    for command in ["events", "records"] {
        let output = Run::new([command, "--root", &path("disk")])
            .variable("PATH", &format!("{}:/usr/bin:/bin", path("bin")))
            .unprivileged()
            .output();
        assert!(output.stdout.contains("ring gfx_0.0.0"), "{command}: {}", output.stdout);
        assert_eq!(output.status, 0, "{command}");
    }
}
