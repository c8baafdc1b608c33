use std::fs;
use std::process::Command;

use super::*;
use crate::cli::streams::Messages;

const LIST: &str = "echo '0 b2b2b2b2b2b24b2b8b2bb2b2b2b2b2b2 n/a n/a'";

/// Reads a machine with these scripts as its programs; returns the logs, messages and result. A
/// journal is useful if it contains kernel messages.
fn read(journalctl: &str, dmesg: &str) -> (Vec<String>, String, Result<bool, Failure>) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, script) in [("journalctl", journalctl), ("dmesg", dmesg)] {
        // A shell writes the script: a file that this process has open for writing cannot be
        // executed.
        let write = "printf '#!/bin/sh\n%s\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let status = Command::new("sh").args(["-c", write, &path(name), script]).status().unwrap();
        assert!(status.success());
    }
    fs::create_dir_all(path("proc/sys/kernel/random")).unwrap();
    let machine = ThisMachine::with(folder.path(), &path("journalctl"), &path("dmesg"));
    let (mut taken, mut messages) = (Vec::new(), Vec::new());
    let mut take = |source: Source<'_>, role: Role| {
        let text = std::io::read_to_string(source.reader).unwrap_or_default();
        taken.push(source.name);
        Ok(LogOutcome { of_use: role == Role::Asked || text.contains("kernel"), cut: None })
    };
    let mut told = Messages::new(&mut messages);
    let mut survey = Survey {
        alone: true,
        said: false,
        complete: true,
        unread: Vec::new(),
        messages: &mut told,
        take: &mut take,
    };
    let mut choice = Choice::default();
    let asked = Asked { all_boots: false, choice: &mut choice, patterns: &[] };
    let done = survey.machine(&machine, asked).map(|()| survey.complete);
    (taken, String::from_utf8(messages).unwrap(), done)
}

fn journal(entries: &str) -> String {
    format!("case \"$*\" in *--list-boots*) {LIST};; *) {entries};; esac")
}

const OPEN: &str = "echo '<6>[    1.000000] x'";
const SHUT: &str = "echo 'dmesg: klogctl: Operation not permitted' >&2; exit 1";

#[test]
fn the_journal_is_read_or_else_what_the_kernel_keeps() {
    let (taken, messages, done) = read(&journal("echo _TRANSPORT=kernel"), OPEN);
    assert!(taken == [input::THIS_BOOT] && done.unwrap(), "{messages}");
    assert_eq!(messages, "amdtriage: reading this boot's journal\n");
    // A container has a journal without kernel messages.
    let (taken, messages, done) = read(&journal("echo MESSAGE=x"), OPEN);
    assert!(taken == [input::THIS_BOOT, input::DMESG_OUTPUT] && done.unwrap(), "{messages}");
    let (taken, messages, done) = read("echo 'No journal files were found.' >&2", OPEN);
    assert!(taken == [input::DMESG_OUTPUT] && done.unwrap());
    assert_eq!(messages, "amdtriage: reading what dmesg prints\n");
}

#[test]
fn inaccessible_logs_are_reported_to_a_user() {
    let hint = "echo 'Hint: You are currently not seeing messages from other users.' >&2";
    let closed = format!("{hint}; {}", journal("echo MESSAGE=x"));
    let (taken, messages, done) = read(&closed, OPEN);
    assert!(taken == [input::DMESG_OUTPUT] && done.unwrap());
    let told = "amdtriage: cannot read the system's journal: permission denied";
    assert!(messages.lines().any(|line| line == told), "{messages}");
    // A user's own entries are read if nothing else is accessible.
    let (taken, _, done) = read(&closed, SHUT);
    assert_eq!(taken, [input::THIS_BOOT]);
    let Err(Failure::Closed { names, .. }) = done else { panic!("{done:?}") };
    assert_eq!(names, ["the system's journal", "dmesg"]);
    let (taken, _, done) = read(&format!("{hint}; {}", journal("echo MESSAGE=kernel")), SHUT);
    assert!(taken == [input::THIS_BOOT] && done.unwrap());
}

#[test]
fn failures_are_reported() {
    let (taken, messages, done) = read("echo 'Bad message' >&2; exit 1", OPEN);
    assert!(taken == [input::DMESG_OUTPUT] && !done.unwrap());
    assert!(messages.contains("journalctl cannot read the system's journal: Bad message"));
    let (_, _, done) = read("exit 0", "exit 0");
    assert!(matches!(done, Err(Failure::NoLogHere)), "{done:?}");
    let (_, _, done) = read("exit 0", SHUT);
    assert!(matches!(done, Err(Failure::Closed { .. })), "{done:?}");
}

/// Without a journal of the previous boot, what was moved before this boot began is older.
#[test]
fn what_was_moved_in_another_boot_is_old() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for place in ["var/lib/systemd/pstore", "sys/fs/pstore", "proc"] {
        fs::create_dir_all(path(place)).unwrap();
    }
    fs::write(path("var/lib/systemd/pstore/dmesg-ramoops-0"), "x").unwrap();
    fs::write(path("sys/fs/pstore/dmesg-ramoops-1"), "x").unwrap();
    let machine = ThisMachine::with(folder.path(), "none", "none");
    let old = |btime: u64| {
        fs::write(path("proc/stat"), format!("cpu 1\nbtime {btime}\n")).unwrap();
        let look = Look {
            machine: &machine,
            stored: StoredBoots::default(),
            this: 0,
            closed: false,
            traces: BTreeMap::new(),
            more: BTreeMap::new(),
            unread: Vec::new(),
            useless: None,
        };
        let crashes = machine.saved_crashes().all;
        crashes.iter().map(|crash| look.is_old(crash)).collect::<Vec<_>>()
    };
    assert_eq!(old(1_000_000_000), [false, false]);
    // What the kernel provides itself was not moved.
    let mut known = old(9_000_000_000);
    known.sort_unstable();
    assert_eq!(known, [false, true]);
}

#[test]
fn a_journal_without_the_kernel_s_messages_is_named() {
    let (_, _, done) = read(&journal("echo MESSAGE=x"), "exit 0");
    let Err(Failure::NoKernelLog { name, .. }) = done else { panic!("{done:?}") };
    assert_eq!(name, input::THIS_BOOT);
}

#[test]
fn what_opens_a_log_can_be_typed() {
    let hint = |names: &[&str], restricted, again: Option<&str>| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Failure::Closed { names, restricted, again: again.map(str::to_owned) }
            .hint()
            .unwrap()
            .lines()
            .join("\n")
    };
    let again = Some("amdtriage -q");
    assert_eq!(hint(&["/sys/fs/pstore"], true, again), "help: sudo amdtriage -q");
    let group = hint(&["the system's journal", "dmesg"], true, again);
    assert!(group.ends_with("sudo usermod -aG systemd-journal \"$USER\""), "{group}");
    let restrict = hint(&["/dev/kmsg", "dmesg"], true, again);
    assert!(restrict.ends_with("sudo sysctl kernel.dmesg_restrict=0"), "{restrict}");
    assert_eq!(hint(&["/dev/kmsg", "dmesg"], false, again), "help: sudo amdtriage -q");
    assert!(hint(&["dmesg"], true, None).contains("CAP_SYSLOG"));
}
