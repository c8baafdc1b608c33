use std::io::Read;

use super::super::journal::stand_in;
use super::*;

const A: &str = "a1a1a1a1a1a14a1a8a1aa1a1a1a1a1a1";
const B: &str = "b2b2b2b2b2b24b2b8b2bb2b2b2b2b2b2";

/// A machine with these scripts as `journalctl` and `dmesg`.
fn with<T>(journalctl: &str, dmesg: &str, look: impl FnOnce(&ThisMachine) -> T) -> T {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let journalctl = stand_in(folders[0].path(), journalctl);
    let dmesg = stand_in(folders[1].path(), dmesg);
    look(&ThisMachine::with(folders[0].path(), &journalctl, &dmesg))
}

fn boots(journalctl: &str) -> StoredBoots {
    with(journalctl, "exit 1", ThisMachine::stored_boots)
}

#[test]
fn boots_are_listed_as_every_journalctl_lists_them() {
    let at = |text: &str| time(text);
    let want = |id: &str, first, last| StoredBoot { id: id.to_owned(), first, last };
    let wanted = [
        want(A, at("2026-11-18 20:15:03"), at("2026-11-18 20:28:43")),
        want(B, at("2026-11-19 08:48:54"), at("2026-11-19 09:33:15")),
    ];
    for script in [
        format!(
            "echo 'IDX BOOT ID FIRST ENTRY LAST ENTRY'
             echo ' -1 {A} Wed 2026-11-18 20:15:03 UTC Wed 2026-11-18 20:28:43 UTC'
             echo '  0 {B} Thu 2026-11-19 08:48:54 UTC Thu 2026-11-19 09:33:15 UTC'"
        ),
        format!(
            "echo '-1 {A} Wed 2026-11-18 20:15:03 UTC—Wed 2026-11-18 20:28:43 UTC'
             echo ' 0 {B} Thu 2026-11-19 08:48:54 UTC—Thu 2026-11-19 09:33:15 UTC'"
        ),
    ] {
        let StoredBoots { all, unread, persistent, .. } = boots(&script);
        assert_eq!(all, wanted);
        assert!(unread.is_none() && !persistent);
    }
    assert_eq!(boots(&format!("echo '0 {A} n/a n/a'")).all, [want(A, None, None)]);
}

#[test]
fn an_unreadable_journal_differs_from_a_missing_one() {
    let hint =
        "echo 'Hint: You are currently not seeing messages from other users and the system.' >&2";
    for (script, closed) in [
        (format!("{hint}; echo '0 {A} n/a n/a'"), true),
        (
            "echo 'No journal files were opened due to insufficient permissions.' >&2; exit 1"
                .to_owned(),
            true,
        ),
        ("echo 'No journal files were found.' >&2; exit 1".to_owned(), false),
        ("echo 'No journal files were found.' >&2".to_owned(), false),
        ("exit 0".to_owned(), false),
    ] {
        let unread = boots(&script).unread;
        assert_eq!(unread.as_ref().is_some_and(Unread::is_closed), closed, "{script}");
        assert!(closed || matches!(unread.unwrap().why, WhyUnread::Missing), "{script}");
    }
    let broken = boots("echo 'Bad message' >&2; exit 1").unread.unwrap();
    assert!(matches!(broken.why, WhyUnread::Failed(InputError::Journal { .. })), "{broken:?}");
}

#[test]
fn which_boot_runs_is_known_by_its_id() {
    let script = format!("echo '-1 {A} n/a n/a'; echo ' 0 {B} n/a n/a'");
    let folder = tempfile::tempdir().unwrap();
    let program = stand_in(folder.path(), &script);
    // A volatile journal.
    let journal = folder.path().join("run/log/journal/0f1e");
    fs::create_dir_all(&journal).unwrap();
    fs::write(journal.join("system.journal"), "").unwrap();
    // On another machine's disk it is the last one.
    let machine = ThisMachine::new(Some(folder.path()));
    let machine = ThisMachine { journalctl: program, ..machine };
    assert_eq!(machine.stored_boots().this, Some(1));
    assert!(!machine.stored_boots().persistent);
    fs::create_dir_all(folder.path().join("var/log/journal/0f1e")).unwrap();
    assert!(machine.stored_boots().persistent);
    assert!(machine.kernel_buffer().source.is_none());
    let running = ThisMachine { runs: true, ..machine };
    assert_eq!(running.stored_boots().this, Some(1));
    let id = "a1a1a1a1-a1a1-4a1a-8a1a-a1a1a1a1a1a1\n";
    fs::create_dir_all(folder.path().join("proc/sys/kernel/random")).unwrap();
    fs::write(folder.path().join("proc/sys/kernel/random/boot_id"), id).unwrap();
    fs::write(folder.path().join("proc/sys/kernel/dmesg_restrict"), "1\n").unwrap();
    assert_eq!(running.stored_boots().this, Some(0));
    assert!(running.is_restricted());
}

fn text(source: Source<'_>) -> String {
    let mut text = String::new();
    let mut reader = source.reader;
    reader.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn segments_of_the_journal_come_one_after_the_other() {
    let script = "for last; do :; done; echo \"MESSAGE=$last\"; echo";
    let segments = || {
        let segment = |id: &str, more: &str| Segment {
            boots: vec![id.to_owned()],
            more: more.as_bytes().to_vec(),
        };
        vec![segment(A, "MESSAGE=more\n\n"), segment(B, "")]
    };
    let read = with(script, "exit 1", |machine| text(machine.journal("x", segments()).unwrap()));
    assert_eq!(read, format!("MESSAGE=_BOOT_ID={A}\n\nMESSAGE=more\n\nMESSAGE=_BOOT_ID={B}\n\n"));
    let error = with("echo no >&2; exit 1", "exit 1", |machine| {
        machine.journal("x", segments()).unwrap_err()
    });
    assert_eq!(error.to_string(), "journalctl cannot read x: no");
}

#[test]
fn dmesg_is_asked_where_there_is_no_device() {
    let read = with("exit 1", "echo \"<6>[    1.000000] $*\"", |machine| {
        let buffer = machine.kernel_buffer();
        assert!(matches!(buffer.unread[0].why, WhyUnread::Missing));
        text(buffer.source.unwrap())
    });
    assert_eq!(read, "<6>[    1.000000] -r\n");
    for (said, closed) in [
        ("dmesg: read kernel buffer failed: Operation not permitted", true),
        ("dmesg: klogctl: Operation not permitted", true),
        ("dmesg: out of memory", false),
    ] {
        let script = format!("echo '{said}' >&2; exit 1");
        let unread = with("exit 1", &script, |machine| machine.kernel_buffer().unread);
        assert_eq!(unread[1].is_closed(), closed, "{said}");
    }
}
