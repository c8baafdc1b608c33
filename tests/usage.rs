//! Wrong usage is answered with a command line that works.

use std::fs;

use super::common::Run;

/// The messages for `arguments` in a folder with a log, an empty file, and an empty folder.
fn told(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("my log.txt"), "[    1.000000] usb 1-1: new device\n").unwrap();
    fs::write(folder.path().join("empty.txt"), "").unwrap();
    fs::create_dir(folder.path().join("logs")).unwrap();
    let output = Run::new(arguments.iter().copied()).folder(folder.path()).output();
    assert_eq!(output.status, 2, "{arguments:?}: {}", output.stderr);
    output.stderr
}

#[test]
fn the_help_is_about_what_was_typed() {
    for (arguments, help) in [
        (&["my", "log.txt"][..], "help: amdtriage 'my log.txt'"),
        (&["--tail", "my log.txt"], "help: amdtriage 'my log.txt'"),
        (&["--boot", "last", "my log.txt"], "help: amdtriage --boot 0 'my log.txt'"),
        (&["-S", "yesterday", "my log.txt"], "help: amdtriage -S -1d 'my log.txt'"),
        (&["https://example.org/x.log"], "help: curl -L https://example.org/x.log | amdtriage"),
        (&["https://example.org/x.log"], "note: amdtriage does not use the network"),
        (&["diff", "my log.txt", "empty.txt"], "help: journalctl -k -b -1 > bad.log"),
        (&["diff", "my log.txt"], "help: amdtriage diff good.log 'my log.txt'"),
        (&["--distro", "void", "my log.txt"], "give its family: apt, dnf, pacman, zypper,"),
    ] {
        let said = told(arguments);
        assert!(said.contains(help), "{arguments:?}: {said}");
    }
}

/// A folder in which nothing can happen is not watched.
#[test]
fn a_folder_without_journals_is_not_followed() {
    let said = told(&["follow", "logs"]);
    assert_eq!(said, "amdtriage: logs has no journal files\nhelp: amdtriage follow\n");
}
