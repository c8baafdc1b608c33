//! Starting other programs: which ones, and that they end.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::common::{Run, child, other_user};

/// A `journalctl` in a directory that everybody can write to.
struct Planted(TempDir);

impl Planted {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(folder.path(), open).unwrap();
        let write = "printf '#!/bin/sh\n%s\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let mut shell = Command::new("sh");
        let path = folder.path().join("journalctl");
        let written = child::run(shell.args(["-c", write]).arg(path).arg(script)).unwrap();
        assert!(written.status.success());
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn variable(&self) -> String {
        format!("{}:/usr/bin:/bin", self.0.path().display())
    }
}

/// With `sudo amdtriage`, or a PATH that others can modify, an attacker could otherwise run
/// anything as root.
#[test]
fn root_runs_no_program_of_the_caller_s_path() {
    let script = "echo ran >> \"${0%/*}/ran\"; exit 1";
    let ran = |unprivileged: bool| {
        let planted = Planted::new(script);
        let run = Run::new(["--this-machine"]).variable("PATH", &planted.variable());
        if unprivileged {
            run.unprivileged().output()
        } else {
            run.output()
        };
        planted.path("ran").exists()
    };
    assert!(ran(true), "a user's own PATH is asked");
    if other_user::is_there("root_runs_no_program_of_the_caller_s_path") {
        assert!(!ran(false), "root ran a program of the caller's PATH");
    }
}

fn appears(path: &Path) -> Option<String> {
    let until = Instant::now() + child::PATIENCE;
    while Instant::now() < until {
        if let Some(text) = fs::read_to_string(path).ok().filter(|text| text.ends_with('\n')) {
            return Some(text.trim().to_owned());
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}

/// Empty for a zombie and for a process that is not there.
fn command_line(id: &str) -> String {
    fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default()
}

fn runs(id: &str) -> bool {
    !command_line(id).is_empty()
}

#[test]
fn what_was_started_ends_with_the_program() {
    let script = "d=${0%/*}; sleep 600 & echo $! > \"$d/child\"; echo $$ > \"$d/own\"; wait";
    for (command, signal) in
        [("--this-machine", "-TERM"), ("--this-machine", "-INT"), ("follow", "-TERM")]
    {
        let planted = Planted::new(script);
        let mut program = if other_user::is_root() {
            other_user::program()
        } else {
            Command::new(env!("CARGO_BIN_EXE_amdtriage"))
        };
        program.args([command, "--this-machine"].iter().take(if command == "follow" {
            2
        } else {
            1
        }));
        program.env_clear().env("PATH", planted.variable());
        program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = child::start(&mut program).unwrap();
        let ids = ["child", "own"].map(|name| appears(&planted.path(name)).expect("it starts"));
        // The child is the script first, during exec it has no command line, then it is `sleep`.
        let until = Instant::now() + child::PATIENCE;
        while !command_line(&ids[0]).starts_with("sleep") && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(ids.iter().all(|id| runs(id)), "{command}");
        child::run(Command::new("kill").args([signal, &running.id().to_string()])).unwrap();
        let status = child::status(&mut running);
        assert!(!status.success(), "{command} {signal}: {status}");
        let until = Instant::now() + Duration::from_secs(10);
        while ids.iter().any(|id| runs(id)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        assert!(!ids.iter().any(|id| runs(id)), "{command} {signal}: it goes on");
    }
}
