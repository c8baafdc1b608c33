//! `check` on fixture machines: findings in every format, and what is never done.

#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::common::{Json, Machine, Output, Run, child, none, snapshot};

/// Checks a machine's files. The run's working directory is the root, so that output is
/// reproducible.
fn checked(machine: &Machine, arguments: &[&str]) -> Output {
    let folder = machine.unpacked();
    let all = ["check", "--root", "."].iter().chain(arguments);
    let source = format!("fixtures/machines/{}.tree", machine.name);
    Run::new(all.copied()).source(source).folder(folder.path()).output()
}

fn ids(report: &Json) -> Vec<String> {
    report["findings"].list().iter().map(|one| one["id"].text().to_owned()).collect()
}

#[test]
fn machines_are_what_their_headers_say() {
    let mut wrong = Vec::new();
    for machine in Machine::all() {
        let output = checked(&machine, &["--format", "json"]);
        let report = output.json();
        let (verdict, found) = (report["verdict"].text(), ids(&report));
        if verdict != machine.verdict() || found != machine.says() {
            wrong.push(format!("{}: {verdict}, {}", machine.name, found.join(" ")));
        }
        let metrics = checked(&machine, &["--format", "prometheus"]).stdout;
        let is_measured =
            |id: &&String| metrics.contains(&format!("amdtriage_finding{{id=\"{id}\""));
        if let Some(id) = found.iter().find(|id| !is_measured(id)) {
            wrong.push(format!("{}: the metrics do not have {id}", machine.name));
        }
        let has_failed = !report["log"].is_null() && report["log"]["verdict"].text() == "failure";
        let status = match verdict {
            "failure" => 1,
            _ if has_failed => 1,
            "unknown" => 2,
            _ => 0,
        };
        if output.status != status {
            wrong.push(format!("{}: ends with {}", machine.name, output.status));
        }
    }
    none(&wrong);
}

#[test]
fn machines_in_every_form() {
    let mut short = String::new();
    for machine in Machine::all() {
        let name = &machine.name;
        checked(&machine, &["--color", "never"]).snapshot(&format!("check__{name}__human"));
        let line = checked(&machine, &["--short"]);
        assert_eq!(line.stderr, "", "{name}");
        write!(short, "{name}: exit status {}\n{}", line.status, line.stdout).unwrap();
    }
    snapshot(
        "check__short",
        "amdtriage check --root . --short # each of fixtures/machines",
        &short,
    );
    checked(&Machine::read("gpus-gone"), &["--format", "json"]).snapshot("check__gpus-gone__json");
    for name in ["gpus-gone", "eight-accelerators", "unreadable"] {
        let metrics = checked(&Machine::read(name), &["--format", "prometheus"]);
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r#"version="[^"]*",patterns="[0-9a-f]{64}""#, "[version and digest]");
        settings.bind(|| metrics.snapshot(&format!("check__{name}__prometheus")));
    }
    let machine = Machine::read("apu-sixteen-workers");
    checked(&machine, &["--color", "never", "-v"]).snapshot("check__apu-sixteen-workers__verbose");
}

/// Validates metrics with Prometheus' own program.
#[test]
fn metrics_are_what_prometheus_reads() {
    let named = std::env::var("AMDTRIAGE_PROMTOOL").ok();
    let promtool = named.clone().unwrap_or_else(|| "promtool".to_owned());
    let mut wrong = Vec::new();
    for machine in Machine::all() {
        let metrics = checked(&machine, &["--format", "prometheus"]).stdout;
        let mut program = Command::new(&promtool);
        program
            .args(["check", "metrics"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = match child::start(&mut program) {
            Ok(child) => child,
            Err(error) => {
                assert!(named.is_none(), "{promtool}: {error}");
                eprintln!("skipped: no promtool");
                return;
            }
        };
        child.stdin.take().unwrap().write_all(metrics.as_bytes()).unwrap();
        let done = child::end(child);
        let told = String::from_utf8_lossy(&done.stderr) + String::from_utf8_lossy(&done.stdout);
        if !done.status.success() || !told.trim().is_empty() {
            wrong.push(format!("{}: {told}", machine.name));
        }
    }
    none(&wrong);
}

/// A machine with GPUs needs its log for a verdict of clean.
#[test]
fn without_the_log_of_a_machine_with_gpus_nothing_is_fine() {
    let folder = Machine::read("desktop-navi31").unpacked();
    let check = |arguments: &[&str]| {
        let all = ["check", "--root", "."].iter().chain(arguments);
        Run::new(all.copied()).folder(folder.path()).output()
    };
    let path = folder.path().join("var/log/dmesg");
    assert_eq!(check(&["--short"]).status, 0);
    fs::remove_file(&path).unwrap();
    let short = check(&["--short", "--expect-gpus", "1"]);
    assert_eq!(short.status, 3, "{}", short.stdout);
    let told = "UNKNOWN: This boot's kernel log is not among these files: no /sos_commands/kernel/dmesg, /var/log/dmesg or journal. | ";
    assert!(short.stdout.starts_with(told), "{}", short.stdout);
    assert_eq!(check(&["--short", "--exit", "npd"]).status, 2);
    let metrics = check(&["--format", "prometheus"]).stdout;
    assert!(metrics.contains("amdtriage_verdict{verdict=\"unknown\"} 1\n"), "{metrics}");
    // What cannot be read, whoever runs the test.
    symlink("dmesg", &path).unwrap();
    let short = check(&["--short"]).stdout;
    let told = "UNKNOWN: This boot's kernel log could not be read: /var/log/dmesg: ";
    assert!(short.starts_with(told), "{short}");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "dmesg: read kernel buffer failed\n").unwrap();
    let short = check(&["--short"]);
    assert_eq!(short.status, 3, "{}", short.stdout);
    let told = "UNKNOWN: This boot's kernel log could not be read: no kernel message is in /var/log/dmesg.";
    assert!(short.stdout.starts_with(told), "{}", short.stdout);
    assert_eq!(check(&["--short", "--exit", "npd"]).status, 2);
    assert_eq!(check(&["--format", "json"]).json()["verdict"].text(), "unknown");
}

/// A GPU that recovered works; who is asked to come for nothing does not come the next time.
#[test]
fn a_failure_in_the_log_is_told_with_its_time_and_the_next_step() {
    let recovered = "2026-03-04T10:00:00+00:00 host kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n";
    for (end, word, statuses, over) in
        [(recovered, "WARNING", [1, 0, 1], true), ("", "CRITICAL", [2, 1, 1], false)]
    {
        let folder = Machine::read("desktop-navi31").unpacked();
        let head = "2026-03-04T09:59:58+00:00 host kernel: amdgpu 0000:03:00.0: amdgpu: ";
        let text = format!(
            "{head}ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n{head}GPU reset begin!\n{end}\
             2026-03-04T11:00:00+00:00 host kernel: usb 1-1: new device\n"
        );
        fs::write(folder.path().join("var/log/dmesg"), text).unwrap();
        let check = |arguments: &[&str]| {
            let all = ["check", "--root", "."].iter().chain(arguments);
            Run::new(all.copied()).folder(folder.path()).output()
        };
        let short = check(&["--short"]);
        let told = format!("{word}: By this boot's log, 2026-03-04 09:59:58Z: GPU");
        assert!(short.stdout.starts_with(&told), "{}", short.stdout);
        let npd = check(&["--short", "--exit", "npd"]).status;
        let json = check(&["--format", "json"]);
        assert_eq!([short.status, npd, json.status], statuses, "{word}");
        let incident = &json.json()["log"]["incident"];
        assert!(json.stdout.contains(&format!("\"over\": {over},")), "{}", json.stdout);
        assert_eq!(incident["time"]["wall"].text(), "2026-03-04T09:59:58Z");
        assert_eq!(incident["command"].text(), "amdtriage ./var/log/dmesg");
        let page = check(&["--color", "never"]).stdout;
        assert!(page.contains("amdtriage ./var/log/dmesg\n"), "{page}");
        let metrics = check(&["--format", "prometheus"]).stdout;
        assert!(
            metrics.contains("amdtriage_log_incident_timestamp_seconds 1772618398\n"),
            "{metrics}"
        );
        let verdict = if over { "warning" } else { "failure" };
        let verdict = format!("amdtriage_verdict{{verdict=\"{verdict}\"}} 1\n");
        assert!(metrics.contains(&verdict), "{metrics}");
    }
}

#[test]
fn a_gpu_that_is_missing_is_a_failure() {
    let machine = Machine::read("eight-accelerators");
    for (expected, ids_wanted, status) in
        [("8", None, 0), ("9", Some("gpus-missing"), 1), ("7", Some("gpus-more"), 0)]
    {
        let output = checked(&machine, &["--expect-gpus", expected, "--format", "json"]);
        let found = ids(&output.json());
        let found: Vec<&str> =
            found.iter().map(String::as_str).filter(|id| id.starts_with("gpus-")).collect();
        assert_eq!(found, ids_wanted.into_iter().collect::<Vec<_>>(), "{expected}");
        assert_eq!(output.status, status, "{expected}");
    }
    let short = checked(&machine, &["--short", "--expect-gpus", "9"]).stdout;
    assert!(short.starts_with("CRITICAL: A GPU is missing. | gpus=8;;;0 "), "{short}");
}

#[test]
fn watchers_get_their_own_exit_status() {
    for (name, word, nagios, npd) in [
        ("desktop-navi31", "OK", 0, 0),
        ("dkms-beside", "WARNING", 1, 0),
        ("apu-sixteen-workers", "CRITICAL", 2, 1),
        ("container-without-sys", "UNKNOWN", 3, 2),
    ] {
        let machine = Machine::read(name);
        for (arguments, status) in [
            (&["--short"][..], nagios),
            (&["--short", "--exit", "nagios"], nagios),
            (&["--short", "--exit", "npd"], npd),
        ] {
            let output = checked(&machine, arguments);
            assert_eq!((output.status, output.stdout.lines().count()), (status, 1), "{name}");
            assert!(output.stdout.starts_with(&format!("{word}: ")), "{}", output.stdout);
        }
    }
    let output = Run::new(["check", "--short", "--root", "/nonexistent"]).output();
    assert_eq!(output.status, 3);
    assert!(
        output.stdout.starts_with("UNKNOWN: /nonexistent is not a directory"),
        "{}",
        output.stdout
    );
    let output = Run::new(["check", "--root", "Cargo.toml"]).output();
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
}

/// A FIFO without a writer would block whoever opens it; below a root it is not opened.
#[test]
fn a_pipe_below_a_root_keeps_nobody_waiting() {
    let machine = Machine::read("desktop-navi31");
    let folder = machine.unpacked();
    let gpu = "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0";
    for path in [&format!("{gpu}/config"), "proc/cmdline"] {
        let path = folder.path().join(path);
        fs::remove_file(&path).unwrap_or_default();
        assert!(child::run(Command::new("mkfifo").arg(&path)).unwrap().status.success());
    }
    let begun = Instant::now();
    let output =
        Run::new(["check", "--root", ".", "--format", "json"]).folder(folder.path()).output();
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    let report = output.json();
    assert!(report["host"]["command_line"].is_null());
    // Regular files are still read.
    assert_eq!(report["host"]["kernel"].text(), "6.12.48+deb13-amd64");
    assert_eq!(output.status, 0, "{}", output.stderr);
}

#[test]
fn dumps_are_copied_and_nobody_else_reads_them() {
    let machine = Machine::read("coredump-waits");
    let folder = machine.unpacked();
    let saved = folder.path().join("saved");
    let run = || {
        let run = Run::new(["check", "--root", ".", "--save-coredumps", "saved"]);
        run.folder(folder.path()).output()
    };
    let output = run();
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains("saved 90 bytes of devcd3"), "{}", output.stderr);
    let name = "devcd3-0000-03-00.0.devcoredump";
    let text = fs::read_to_string(saved.join(name)).unwrap();
    assert!(text.starts_with("**** AMDGPU Device Coredump ****\n"), "{text}");
    let mode = fs::metadata(saved.join(name)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Another dump of the same name is a different one, and the radio's dump is ignored.
    run();
    let mut names: Vec<String> = fs::read_dir(&saved)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["devcd3-0000-03-00.0-1.devcoredump", name]);
    assert!(folder.path().join("sys/class/devcoredump/devcd3/data").exists());

    let output = checked(&Machine::read("desktop-navi31"), &["--save-coredumps", "saved"]);
    assert!(output.stderr.contains("no crash dump of an AMD GPU waits"), "{}", output.stderr);
}

#[test]
fn nothing_outside_the_root_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("secret"), "outside").unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("proc")).unwrap();
    fs::create_dir_all(root.join("sys/bus/pci/devices")).unwrap();
    for (name, target) in [
        ("proc/cmdline", folder.path().join("secret").display().to_string()),
        ("proc/version", "../../secret".to_owned()),
        ("etc", "/etc".to_owned()),
        ("sos_commands", "/".to_owned()),
    ] {
        symlink(target, root.join(name)).unwrap();
    }
    let output = Run::new(["check", "--format", "json", "--root"]).argument(&root).output();
    let report = output.json();
    assert!(report["host"]["command_line"].is_null() && report["host"]["distribution"].is_null());
    assert!(!output.stdout.contains("outside"), "{}", output.stdout);
}

#[test]
fn huge_and_binary_files_are_no_facts() {
    let machine = Machine::read("desktop-navi31");
    let folder = machine.unpacked();
    let at = |path: &str| folder.path().join(path);
    fs::write(at("proc/sys/kernel/osrelease"), "6".repeat(1 << 20)).unwrap();
    fs::write(at("proc/sys/kernel/tainted"), [0xff, 0, 0x80]).unwrap();
    fs::write(at("proc/cmdline"), vec![0xff; 70_000]).unwrap();
    fs::write(at("etc/os-release"), "").unwrap();
    let output =
        Run::new(["check", "--root", ".", "--format", "json"]).folder(folder.path()).output();
    let report = output.json();
    for key in ["kernel", "tainted", "command_line", "distribution"] {
        assert!(report["host"][key].is_null(), "{key}");
    }
    assert_eq!(report["gpus"].list().len(), 1);
}

/// Checks the machine that runs the tests, whatever can be read.
#[test]
fn this_machine_is_looked_at() {
    let output = Run::new(["check", "--format", "json"]).output();
    let report = output.json();
    assert!((0..=2).contains(&output.status), "{}", output.stderr);
    assert!(report["tasks"]["seen"].count() > 0);
    let output = Run::new(["check", "--short"]).output();
    assert_eq!((output.stdout.lines().count(), output.stderr.as_str()), (1, ""));
}

/// For a monitoring program 2 is a failure of the machine.
#[test]
fn a_wrong_option_is_unknown_to_monitoring() {
    let run = |arguments: &[&str]| Run::new(arguments).output();
    for wrong in [["--expect-gpus", "x"], ["--root", "/nonexistent"], ["--nosuch", "x"]] {
        let output = run(&[&["check", "--short"], wrong.as_slice()].concat());
        assert_eq!(output.status, 3, "{wrong:?}");
        assert!(output.stdout.starts_with("UNKNOWN: "), "{}", output.stdout);
        assert_eq!(output.stdout.lines().count(), 1);
    }
    assert_eq!(run(&["check", "--expect-gpus", "x"]).status, 2);
}

/// A file of metrics says by itself what was found.
#[test]
fn the_status_may_say_only_whether_the_result_was_written() {
    let machines = Machine::all();
    let machine = machines.iter().find(|machine| machine.name == "desktop-navi31").unwrap();
    let run = |more: &[&str]| {
        let arguments = ["--expect-gpus", "9", "--format", "prometheus"];
        checked(machine, &[&arguments, more].concat()).status
    };
    assert_eq!(run(&[]), 1);
    assert_eq!(run(&["--exit", "written"]), 0);
    assert_eq!(run(&["--exit", "written", "-o", "/nonexistent/amdtriage.prom"]), 2);
}
