//! All formats of a log are read as the same records.

use super::*;

/// Which times a form keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kept {
    Kernel,
    /// On the wall, this fine, counted from this second.
    Wall(i64, i64),
    Inferred(i64, i64),
    Both(i64, i64),
    /// The kernel's, and when the tool that shows the log has read it.
    Late,
    /// How much passes between the lines after the first minute.
    Passed,
    Nothing,
}

/// Every fixture of a form: what it is, which times it keeps, what else it keeps, and the names.
const FORMS: [(LogFormat, Kept, &str, &str); 43] = {
    use Kept::*;
    use LogFormat::*;
    [
        (
            Dmesg,
            Kernel,
            "",
            "dmesg.log dmesg-caller.log dmesg-caller-glued.log dmesg-caller-wide.log dmesg-color.log \
             dmesg-reindented.log netconsole.log serial-console.log console-ramoops.log \
             vmcore-dmesg.log",
        ),
        (
            Dmesg,
            Kernel,
            "",
            "cat-n.log grep-n.log docker-compose.log kubernetes-cri.log paste-fence.log \
             paste-indented.log paste-mail.log paste-nbsp.log paste-numbered.log paste-one-line.log \
             paste-prompt.log paste-quoted.log paste-wrapped.log paste-wrapped-76.log",
        ),
        (
            Dmesg,
            Kernel,
            "",
            "cr.log crlf.log utf-8-bom.log utf-16be.log utf-16be-bom.log utf-16le.log \
             utf-16le-bom.log",
        ),
        (
            Dmesg,
            Kernel,
            "",
            "story.log.gz story-members.log.gz story.log.xz story.log.zst story.log.bz2 story.tar.xz",
        ),
        (Dmesg, Kernel, "level", "dmesg-x.log"),
        (Dmesg, Both(DATED, SECOND), "", "dmesg-clock-ctime-241.log"),
        (
            Raw,
            Kernel,
            "level",
            "dmesg-raw.log dmesg-caller-raw.log pstore-newest-first.log pstore-oldest-first.log \
             docker-json-file.log paste-html.log paste-quoted-printable.log",
        ),
        (Text, Nothing, "", "dmesg-notime.log journal-cat.log"),
        (DmesgDelta, Kernel, "", "dmesg-delta.log dmesg-delta-de.log"),
        (DmesgDelta, Passed, "", "dmesg-delta-only.log"),
        (
            DmesgCtime,
            Wall(DATED, SECOND),
            "",
            "dmesg-ctime.log dmesg-ctime-de.log dmesg-ctime-fr.log dmesg-ctime-ja.log \
             dmesg-ctime-ja-241.log dmesg-ctime-nl.log dmesg-ctime-nl-241.log dmesg-ctime-ru.log \
             dmesg-ctime-zh.log dmesg-delta-ctime.log",
        ),
        (DmesgCtime, Wall(DATED, SECOND), "level", "dmesg-ctime-x-color.log"),
        (DmesgIso, Wall(DATED, 1), "", "dmesg-iso.log"),
        (DmesgIso, Wall(DATED, 1), "level", "dmesg-iso-x.log"),
        (
            DmesgReltime,
            Passed,
            "",
            "dmesg-reltime.log dmesg-human-color.log dmesg-reltime-de.log dmesg-reltime-fr.log \
             dmesg-reltime-ja.log dmesg-reltime-ja-241.log dmesg-reltime-nl.log \
             dmesg-reltime-nl-241.log dmesg-reltime-ru.log dmesg-reltime-zh.log",
        ),
        (DmesgReltime, Wall(DATED, SECOND), "", "dmesg-reltime-ctime-241.log"),
        (DmesgJson, Kernel, "level", "dmesg-json.json dmesg-json-caller.json dmesg-json-x.json"),
        (Kmsg, Kernel, "level device", "story.kmsg kmsg.log netconsole-extended.log"),
        // Its header has the year.
        (JournalShort, Inferred(DATED, SECOND), "", "journal-short-245.log"),
        (
            JournalShort,
            Wall(UNDATED, SECOND),
            "",
            "journal-short.log journal-short-color.log journal-short-fr.log \
             journal-short-ja.log journal-short-no-hostname.log journal-short-reversed.log \
             journal-short-ru.log hw-probe.log",
        ),
        (JournalShort, Wall(UNDATED - 3600, SECOND), "", "journal-short-utc.log"),
        (JournalShort, Wall(UNDATED, 1), "", "journal-short-precise.log"),
        (
            JournalShortIso,
            Wall(DATED, SECOND),
            "",
            "journal-short-iso.log journal-short-iso-257.log",
        ),
        (JournalShortIso, Wall(DATED - 3600, SECOND), "", "journal-short-iso-utc.log"),
        (
            JournalShortIso,
            Wall(DATED, 1),
            "",
            "journal-short-iso-precise.log journal-short-iso-precise-reversed.log \
             syslog-iso-no-clock.log",
        ),
        (JournalShortFull, Wall(DATED, SECOND), "", "journal-short-full.log journal-with-unit.log"),
        (JournalShortFull, Wall(DATED - 3600, SECOND), "", "journal-short-full-utc.log"),
        (JournalShortUnix, Wall(DATED - 3600, 1), "", "journal-short-unix.log"),
        (
            JournalShortMonotonic,
            Kernel,
            "",
            "journal-short-monotonic.log journal-short-monotonic-no-hostname.log \
             journal-short-delta.log",
        ),
        (
            JournalExport,
            Both(DATED - 3600, 1),
            "level device boot",
            "journal-export.export story.journal.xz",
        ),
        (JournalVerbose, Both(DATED - 3600, 1), "level device boot", "journal-verbose.log"),
        (
            JournalJson,
            Both(DATED - 3600, 1),
            "level device boot",
            "journal-json.json journal-json-pretty.json journal-json-seq.json journal-json-sse.json",
        ),
        // With no other fields than were asked for.
        (JournalJson, Both(DATED - 3600, 1), "level boot", "journal-json-fields.json"),
        (Logcat, Wall(UNDATED, 1000), "level", "android-logcat.log"),
        (
            Syslog,
            Both(UNDATED, SECOND),
            "",
            "syslog.log syslog-busybox-small.log netconsole-syslog.log grep.log",
        ),
        (Syslog, Both(UNDATED, SECOND), "level", "syslog-busybox.log syslog-forward.log"),
        (Syslog, Both(DATED, SECOND), "level", "syslog-openwrt.log"),
        (SyslogIso, Both(DATED, 1), "", "syslog-iso.log"),
        (
            SyslogIso,
            Both(DATED, 1),
            "level",
            "syslog-iso-pri.log syslog-rfc5424.log syslog-ng-rfc5424.log",
        ),
        (SyslogIso, Both(DATED, 1000), "", "syslog-ng-iso.log"),
        (SyslogIso, Late, "", "kubectl-timestamps.log"),
        (SyslogIso, Wall(DATED, 1), "level", "syslog-rfc5424-no-clock.log"),
        (Csv, Wall(DATED, 1), "level", "table-comma.csv table-semicolon.csv table-tab.csv"),
    ]
};

fn forms_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats")
}

/// The one log in a file, whatever it is packed in; nothing if it is a journal and `journalctl`,
/// which alone can read it, is not installed.
#[allow(clippy::print_stderr, reason = "a test that did not run says so")]
fn unpacked(path: &Path) -> Option<(Vec<Own>, ReadStats)> {
    let mut all = Vec::new();
    let done: Result<(), input::InputError> = input::each(path, &mut |found| {
        all.push(records_of(found.source?.reader));
        Ok(())
    });
    match done {
        Ok(()) => {
            assert_eq!(all.len(), 1, "{}", path.display());
            all.pop()
        }
        Err(error) => {
            let journal = path.to_string_lossy().contains(".journal");
            assert!(
                journal && Command::new("journalctl").arg("--version").output().is_err(),
                "{error}"
            );
            eprintln!("{} is skipped: {error}", path.display());
            None
        }
    }
}

#[test]
fn every_format_yields_the_same_records() {
    for (form, kept, keeps, names) in FORMS {
        for name in names.split(' ') {
            let Some((found, reading)) = unpacked(&forms_folder().join(name)) else { continue };
            // The surrounding text comes from programs and from people.
            let found: Vec<Own> = found.into_iter().filter(|record| record.buffered).collect();
            assert_eq!(messages(&found), STORY.map(|(_, message)| message), "{name}");
            assert_eq!(reading.form, form, "{name}");
            assert_eq!(reading.boots.len(), 1, "{name}");
            assert_eq!(reading.boots[0].from_banner, form != LogFormat::Text, "{name}");
            let boot_id = keeps.contains("boot").then_some(BOOT_ID);
            assert_eq!(reading.boots[0].boot_id.as_deref(), boot_id, "{name}");
            assert_eq!(
                reading.direction == Direction::Reversed,
                name.contains("reversed"),
                "{name}"
            );
            assert_eq!(reading.lost_lines(), 0, "{name}");
            // The story leaves out what else a boot says, and only these forms count.
            assert_eq!(reading.holes.len(), if form == LogFormat::Kmsg { 2 } else { 0 }, "{name}");
            let levels = [Info, Info, Error, Error, Info, Info, Info, Info];
            for ((record, (clock, message)), level) in found.iter().zip(STORY).zip(levels) {
                let context = format!("{name}: {record:?}");
                let origin = if form == LogFormat::Text { "Unstated" } else { "Kernel" };
                assert_eq!(record.origin, origin, "{context}");
                assert_eq!(record.level, keeps.contains("level").then_some(level), "{context}");
                let device = keeps.contains("device") && message.starts_with("amdgpu ");
                let device = device.then(|| "0000:2d:00.0".parse().unwrap());
                assert_eq!(record.device, device, "{context}");
                assert_kept(record, kept, clock, &context);
            }
            if kept == Kept::Passed {
                let passed = |record: &Own| record.stamp.passed.unwrap().0;
                assert_eq!(
                    passed(&found[7]) - passed(&found[2]),
                    STORY[7].0 - STORY[2].0,
                    "{name}"
                );
            }
        }
    }
}

#[track_caller]
fn assert_kept(record: &Own, kept: Kept, clock: i64, context: &str) {
    let kernel = record.stamp.monotonic.map(|clock| clock.0);
    let wall = record.stamp.wall.map(|wall| (wall.local.0, wall.dated == Dated::Printed));
    let want = |base: i64, unit: i64| {
        let at = base * SECOND + clock;
        Some((at - at % unit, base > DATED / 2))
    };
    match kept {
        Kept::Kernel => assert_eq!((kernel, wall), (Some(clock), None), "{context}"),
        Kept::Wall(base, unit) => {
            assert_eq!((kernel, wall), (None, want(base, unit)), "{context}");
        }
        Kept::Inferred(base, unit) => {
            let want = want(base, unit).map(|(time, _)| (time, false));
            assert_eq!((kernel, wall), (None, want), "{context}");
            assert_eq!(record.stamp.wall.map(|wall| wall.dated), Some(Dated::Inferred));
        }
        Kept::Both(base, unit) => {
            assert_eq!((kernel, wall), (Some(clock), want(base, unit)), "{context}");
        }
        Kept::Late => {
            assert_eq!(kernel, Some(clock), "{context}");
            assert!(wall > want(DATED - 3600, 1), "{context}");
        }
        Kept::Passed => assert_eq!(kernel, None, "{context}"),
        Kept::Nothing => assert_eq!(record.stamp, Stamp::default(), "{context}"),
    }
}

#[test]
fn every_fixture_of_a_form_is_in_the_table() {
    let mut listed: Vec<&str> = FORMS.iter().flat_map(|(.., names)| names.split(' ')).collect();
    // The program that makes them, and files without a log.
    listed.extend(["make", "process-listing.log"]);
    listed.sort_unstable();
    let entries = fs::read_dir(forms_folder()).unwrap();
    let mut files: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort_unstable();
    assert_eq!(files, listed);
}
