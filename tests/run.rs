//! `run`: a command while the GPU is monitored. The log is a file that the command itself writes.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::common::{Output, Run, child, schema};

const LOG: &str = "\
[    1.000000] Linux version 6.8.0-90-generic (a@b) (gcc) #91
[    5.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[    5.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[    6.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
[   60.000000] usb 1-1: new device
";

/// Writes a hang with recovery to the log, in the name of the shell that runs it.
const HANG: &str = "\
A='amdgpu 0000:03:00.0: amdgpu:'
echo \"[  100.000000] $A ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3\" >> \"$LOG\"
echo \"[  100.000010] $A Process information: process job pid $$ thread job pid $$\" >> \"$LOG\"
echo \"[  100.500000] $A GPU reset begin!\" >> \"$LOG\"
";
const BACK: &str =
    "echo \"[  101.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!\" >> \"$LOG\"\n";
const NOT_BACK: &str =
    "echo \"[  101.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset(2) failed\" >> \"$LOG\"\n";

struct Machine {
    _folder: TempDir,
    log: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("kern.log");
        fs::write(&log, LOG).unwrap();
        Self { _folder: folder, log }
    }

    fn run(&self, options: &[&str], script: &str) -> Output {
        let log = self.log.to_str().unwrap();
        let options = [&["run", "--log", log, "--settle", "0.3"], options].concat();
        Run::new([&options[..], &["--", "sh", "-c", script]].concat())
            .variable("LOG", log)
            .variable("PATH", &std::env::var("PATH").unwrap())
            .output()
    }
}

fn script(parts: &[&str]) -> String {
    parts.concat()
}

#[test]
fn the_command_s_output_and_status_are_its_own() {
    let output = Machine::new().run(&["-q"], "cat; echo out; echo err >&2; exit 7");
    assert_eq!((output.status, output.stdout.as_str()), (7, "out\n"));
    assert!(output.stderr.starts_with("err\namdtriage: sh -c "), "{}", output.stderr);
    assert!(output.stderr.ends_with("no GPU failure in the kernel's log of that time.\n"));
    assert_eq!(Machine::new().run(&["-q"], "kill -9 $$").status, 128 + 9);
    let absent = Run::new(["run", "--", "/nowhere/program"]).output();
    assert_eq!(absent.status, 127, "{}", absent.stderr);
    assert!(absent.stderr.contains("cannot run /nowhere/program: no such file"));
}

#[test]
fn what_the_gpu_did_meanwhile_is_told_and_what_it_did_before_is_not() {
    let output = Machine::new().run(&[], &script(&[HANG, BACK]));
    assert_eq!(output.status, 0);
    let told = output.stderr.replace('\n', " ");
    assert!(told.contains("1 GPU incident in"), "{told}");
    assert!(told.contains("a process of this command, is named on line 6."), "{told}");
    assert!(told.contains("The driver reports that the GPU can be used again."), "{told}");
    assert!(told.contains("When     1 min 40 s after boot"), "{told}");
    let quiet = Machine::new().run(&[], "true");
    assert!(!quiet.stderr.contains("incident"), "{}", quiet.stderr);
}

#[test]
fn the_gate_and_the_advice_to_try_again_change_the_status() {
    for (options, parts, want) in [
        (&["--gate"][..], &[HANG, BACK][..], 1),
        (&["--gate"], &[HANG, BACK, "exit 5"], 5),
        (&["--gate"], &["true"], 0),
        (&["--gate", "--fail-on", "never"], &[HANG, BACK], 0),
        (&["--gate", "--fail-on", "warning"], &[HANG, BACK], 1),
        (&["--retry-safe"], &[HANG, BACK, "exit 5"], 75),
        (&["--retry-safe"], &[HANG, NOT_BACK, "exit 5"], 5),
        (&["--retry-safe"], &[HANG, BACK], 0),
        (&["--retry-safe"], &["exit 5"], 5),
    ] {
        let output = Machine::new().run(options, &script(parts));
        assert_eq!(output.status, want, "{options:?} {parts:?}: {}", output.stderr);
    }
    let blind = ["run", "-q", "--gate", "--log", "/nowhere/kern.log", "--", "/bin/true"];
    let output = Run::new(blind).output();
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("the kernel's log of that time could not be read"));
}

/// A burst of similar lines does not hide a single failure.
#[test]
fn a_storm_hides_no_failure() {
    let storm = "i=0; while [ $i -lt 15000 ]; do i=$((i+1)); \
                 echo \"[  102.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, but soft \
                 recovered\"; done >> \"$LOG\"\n";
    let output = Machine::new().run(&["--gate"], &script(&[HANG, NOT_BACK, storm]));
    assert_eq!(output.status, 1, "{}", output.stderr);
    let told = output.stderr.replace('\n', " ");
    assert!(told.contains("a process of this command, is named"), "{told}");
    assert!(told.contains("The log does not show that the GPU came back."), "{told}");
}

/// The command runs to its end, whatever happens to the log.
#[test]
fn a_log_that_is_gone_ends_no_command() {
    let gone = "rm \"$LOG\"; mkdir \"$LOG\"; sleep 1.5; echo done; exit 6";
    let output = Machine::new().run(&["-q"], gone);
    assert_eq!((output.status, output.stdout.as_str()), (6, "done\n"), "{}", output.stderr);
}

#[test]
fn what_is_ignored_at_the_start_stays_ignored() {
    let script = "trap '' HUP; exec \"$0\" run -q --settle 0 --log \"$LOG\" -- sh -c 'kill -HUP $$; kill -HUP \
                  $PPID; sleep 0.3; exit 9'";
    let machine = Machine::new();
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_amdtriage")]).env("LOG", &machine.log);
    let output = child::run(&mut shell).unwrap();
    assert_eq!(output.status.code(), Some(9));
    let wrong = Run::new(["run", "--settle", "nan", "--", "true"]).output();
    assert_eq!(wrong.status, 2, "{}", wrong.stderr);
}

#[test]
fn programs_get_it_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gpu.json");
    let machine = Machine::new();
    let script = script(&[HANG, NOT_BACK]);
    let output = machine.run(&["--format", "json", "--output", path.to_str().unwrap()], &script);
    assert_eq!(output.stderr, "");
    let text = fs::read_to_string(&path).unwrap();
    schema::check(&["run", "--format", "json"].map(Into::into), &text);
    for part in ["\"verdict\": \"failure\"", "\"retry_safe\": false", "\"name\": \"job\""] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let output = machine.run(&["--format", "json"], "true");
    schema::check(&["run", "--format", "json"].map(Into::into), &output.stderr);
    let json: serde_json::Value = serde_json::from_str(&output.stderr).unwrap();
    assert_eq!((json["verdict"].as_str(), json["status"].as_u64()), (Some("clean"), Some(0)));
}

#[test]
fn signals_reach_the_command() {
    let machine = Machine::new();
    let ready = machine.log.with_extension("ready");
    let script = "trap 'exit 42' TERM; : > \"$READY\"; while :; do sleep 0.05; done";
    let mut program = Command::new(env!("CARGO_BIN_EXE_amdtriage"));
    program
        .args(["run", "-q", "--settle", "0", "--log"])
        .arg(&machine.log)
        .args(["--", "sh", "-c", script])
        .env("READY", &ready)
        .stderr(Stdio::null());
    let child = child::start(&mut program).unwrap();
    (0..600)
        .take_while(|_| !ready.exists())
        .for_each(|_| thread::sleep(Duration::from_millis(100)));
    child::run(Command::new("kill").args(["-TERM", &child.id().to_string()])).unwrap();
    assert_eq!(child::end(child).status.code(), Some(42));
}
