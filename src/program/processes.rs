//! Reads `/proc` about the processes of this machine.
#![allow(clippy::disallowed_methods, reason = "it reads what the kernel says of processes")]

use std::collections::BTreeSet;
use std::fs::{self, File};

/// Maximum number of processes to collect.
const MOST: usize = 100_000;

/// Adds `pid` and all its descendants (`/proc/PID/task/TID/children`, proc(5)).
pub fn add_descendants(pid: u32, seen: &mut BTreeSet<u32>) {
    let mut wanted = vec![pid];
    while let Some(pid) = wanted.pop() {
        let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for task in tasks.flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            let children = children.split_ascii_whitespace().filter_map(|child| child.parse().ok());
            wanted.extend(children.filter(|child: &u32| *child != pid));
        }
        if seen.len() < MOST {
            seen.insert(pid);
        }
    }
}

/// The `signals` that were not ignored when this process was started; `nohup` ignores some
/// (`SigIgn` of `/proc/self/status`, proc(5)).
#[must_use]
pub fn not_ignored(signals: &[i32]) -> Vec<i32> {
    let ignored = own_mask("SigIgn:").unwrap_or(0);
    let is_ignored = |signal: i32| (1..=64).contains(&signal) && ignored >> (signal - 1) & 1 == 1;
    signals.iter().copied().filter(|signal| !is_ignored(*signal)).collect()
}

/// Whether this process has capabilities (`CapEff` of `/proc/self/status`).
pub(super) fn has_capabilities() -> bool {
    own_mask("CapEff:").is_none_or(|mask| mask != 0)
}

/// A bit mask in `/proc/self/status`.
fn own_mask(field: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix(field))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Whether this process is in the foreground process group of its terminal.
#[must_use]
pub fn is_in_the_foreground() -> bool {
    let own = rustix::process::getpgrp();
    File::open("/dev/tty").map(rustix::termios::tcgetpgrp).is_ok_and(|group| group == Ok(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn children_and_theirs_are_found() {
        let script = "sleep 60 & echo; wait";
        let mut child =
            Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut seen = BTreeSet::new();
        for _ in 0..1000 {
            add_descendants(child.id(), &mut seen);
            if seen.len() > 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let grandchild = seen.iter().find(|pid| **pid != child.id()).copied();
        child.kill().unwrap();
        child.wait().unwrap();
        let pid = grandchild.expect("sh has started sleep").to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
    }
}
