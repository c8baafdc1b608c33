use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;

use super::Level::{Error, Info};
use super::*;
use crate::input::{self, Lines};

/// What every file of `fixtures/formats` says, with the kernel's clock.
const STORY: [(i64, &str); 8] = [
    (0, "Linux version 6.14.2 (builder@forge) (gcc (GCC) 14.2.1) #1 SMP PREEMPT_DYNAMIC"),
    (4_318_225, "[drm] Initialized amdgpu 3.61.0 for 0000:2d:00.0 on minor 1"),
    (
        913_550_412,
        "amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=88120, emitted seq=88122",
    ),
    (
        913_550_431,
        "amdgpu 0000:2d:00.0: amdgpu:  Process render pid 3120 thread render:cs0 pid 3127",
    ),
    (913_550_444, "amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!"),
    (914_107_903, "amdgpu 0000:2d:00.0: amdgpu: MODE1 reset"),
    (914_612_077, "amdgpu 0000:2d:00.0: amdgpu: GPU reset succeeded, trying to resume"),
    (917_889_310, "amdgpu 0000:2d:00.0: amdgpu: GPU reset(1) succeeded!"),
];

/// The boot of the story, 2026-03-04T18:20:10, in seconds on the clock of the wall; without a year
/// it is 1972's.
const DATED: i64 = 1_772_648_410;
const UNDATED: i64 = 68_581_210;

/// A record without borrowed parts.
#[derive(Clone, Debug, PartialEq)]
struct Own {
    line: u64,
    stamp: Stamp,
    level: Option<Level>,
    origin: String,
    buffered: bool,
    device: Option<PciAddress>,
    message: String,
}

fn records_of(reader: impl io::Read) -> (Vec<Own>, Reading) {
    records_with(reader, Options::default())
}

fn records_with(reader: impl io::Read, options: Options) -> (Vec<Own>, Reading) {
    let mut found = Vec::new();
    let reading = read(&mut Lines::new(reader), options, |read| {
        let Read::Record(record) = read else { return };
        assert_eq!(record.sequence, found.len() as u64);
        found.push(Own {
            line: record.line,
            stamp: record.stamp,
            level: record.level,
            origin: format!("{:?}", record.origin),
            buffered: record.buffered,
            device: record.device,
            message: record.message.to_owned(),
        });
    });
    (found, reading.unwrap())
}

fn records(text: &str) -> (Vec<Own>, Reading) {
    records_of(text.as_bytes())
}

fn fixture(path: &str) -> (Vec<Own>, Reading) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path);
    records_of(input::open(&path).unwrap().reader)
}

fn messages(records: &[Own]) -> Vec<&str> {
    records.iter().map(|record| record.message.as_str()).collect()
}

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

const SECOND: i64 = 1_000_000;
const BOOT_ID: &str = "5a6f1c3b9d2e4807a1b4c7d8e9f00112";

/// Every fixture of a form: what it is, which times it keeps, what else it keeps, and the names.
const FORMS: [(Form, Kept, &str, &str); 42] = {
    use Form::*;
    use Kept::*;
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
    ]
};

fn forms_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats")
}

/// The one log in a file, whatever it is packed in; nothing if it is a journal and `journalctl`, which
/// alone can read it, is not installed.
#[allow(clippy::print_stderr, reason = "a test that did not run says so")]
fn unpacked(path: &Path) -> Option<(Vec<Own>, Reading)> {
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
fn every_form_tells_the_same_story() {
    for (form, kept, keeps, names) in FORMS {
        for name in names.split(' ') {
            let Some((found, reading)) = unpacked(&forms_folder().join(name)) else { continue };
            // What stands around it comes from programs and from people.
            let found: Vec<Own> = found.into_iter().filter(|record| record.buffered).collect();
            assert_eq!(messages(&found), STORY.map(|(_, message)| message), "{name}");
            assert_eq!(reading.form, form, "{name}");
            assert_eq!(reading.boots.len(), 1, "{name}");
            assert_eq!(reading.boots[0].from_banner, form != Form::Text, "{name}");
            let boot_id = keeps.contains("boot").then_some(BOOT_ID);
            assert_eq!(reading.boots[0].boot_id.as_deref(), boot_id, "{name}");
            assert_eq!(
                reading.direction == Direction::Reversed,
                name.contains("reversed"),
                "{name}"
            );
            assert_eq!(reading.lost_lines(), 0, "{name}");
            // The story leaves out what else a boot says, and only these forms count.
            assert_eq!(reading.holes.len(), if form == Form::Kmsg { 2 } else { 0 }, "{name}");
            let levels = [Info, Info, Error, Error, Info, Info, Info, Info];
            for ((record, (clock, message)), level) in found.iter().zip(STORY).zip(levels) {
                let context = format!("{name}: {record:?}");
                let origin = if form == Form::Text { "Unstated" } else { "Kernel" };
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
    // The program that makes them, and what has no story to tell.
    listed.extend(["make", "process-listing.log"]);
    listed.sort_unstable();
    let entries = fs::read_dir(forms_folder()).unwrap();
    let mut files: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort_unstable();
    assert_eq!(files, listed);
}

#[test]
fn a_process_listing_gives_processes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats/process-listing.log");
    let mut found = Vec::new();
    let reading =
        read(&mut Lines::new(input::open(&path).unwrap().reader), Options::default(), |read| {
            let Some(process) = read.record().and_then(|record| record.process) else { return };
            found.push((process.pid, process.state.to_owned(), process.command.to_owned()));
        });
    assert_eq!(reading.unwrap().form, Form::ProcessListing);
    let want = [
        (318, "D<", "[kworker/u48:3+ttm]"),
        (702, "S", "[gfx_0.0.0]"),
        (3120, "Dl+", "/opt/render/bin/render --scene a b"),
    ];
    assert_eq!(
        found,
        want.map(|(pid, state, command)| (pid, state.to_owned(), command.to_owned()))
    );
}

#[test]
fn damage_does_not_spread() {
    let all = STORY.map(|(_, message)| message);
    for name in [
        "utf-16le-bom",
        "utf-16le",
        "utf-16be-bom",
        "utf-8-bom-inside",
        "carriage-returns",
        "escape-codes",
    ] {
        assert_eq!(messages(&fixture(&format!("hostile/{name}.log")).0), all, "{name}");
    }
    let (found, reading) = fixture("hostile/nul-run.log");
    assert_eq!(found.len(), 8);
    assert_eq!(found[5].message, "amdgp");
    assert_eq!(messages(&found[6..]), all[6..]);
    assert_eq!(reading.skipped.bytes, 2048);

    let (found, reading) = fixture("hostile/over-long-line.log");
    assert_eq!(found.len(), 9);
    assert_eq!(messages(&found[2..]), all[1..]);
    assert_eq!((reading.skipped.lines, reading.skipped.bytes), (1, 100_000 - MESSAGE_LIMIT as u64));

    let (found, reading) = fixture("hostile/cut-first-and-last.log");
    assert_eq!((found[0].origin.as_str(), found[0].stamp), ("Unstated", Stamp::default()));
    assert_eq!(messages(&found[1..6]), all[2..7]);
    assert!(reading.cut);

    let (found, _) = fixture("hostile/latin-1.log");
    assert_eq!(found[8].message, "usb 1-2: Product: Ger\u{FFFD}t f\u{FFFD}r T\u{FFFD}ne");

    let (found, _) = fixture("hostile/interleaved.log");
    assert_eq!(messages(&found)[4..], all[4..]);
    for name in ["empty", "binary"] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/hostile/{name}.log"));
        assert!(input::open(&path).unwrap_err().is_no_log(), "{name}");
    }
}

#[test]
fn who_printed_a_line_is_told_by_its_envelope() {
    for (line, origin, message) in [
        (
            "[    3.400000] systemd[1]: Started x.",
            "Program { name: \"systemd\", pid: Some(1) }",
            "Started x.",
        ),
        ("[   12.000000] game[412]: segfault at 0 ip 0", "Kernel", "game[412]: segfault at 0 ip 0"),
        ("<6>[   12.000000] game[412]: text", "Kernel", "game[412]: text"),
        ("<12>[   12.000000] text", "Program { name: \"unknown\", pid: None }", "text"),
        (
            "[   12.000000] amdgpu 0000:03:00.0: amdgpu: text",
            "Kernel",
            "amdgpu 0000:03:00.0: amdgpu: text",
        ),
        ("[   12.000000] host kernel: text", "Kernel", "text"),
        ("[   12.000000] host kwin[7]: text", "Program { name: \"kwin\", pid: Some(7) }", "text"),
        ("[   12.000000] [drm] text", "Kernel", "[drm] text"),
        ("[   12.000000] [gfxhub] text", "Kernel", "[gfxhub] text"),
        ("[   12.000000][    C3] text", "Kernel", "text"),
        ("[   12.000000] [ T1234] text", "Kernel", "text"),
        (
            "Nov 19 10:33:00 host RDD Process[9]: text",
            "Program { name: \"RDD Process\", pid: Some(9) }",
            "text",
        ),
        (
            "Nov 19 10:33:00 host user@1000.service/a.scope[9]: a: b",
            "Program { name: \"user@1000.service/a.scope\", pid: Some(9) }",
            "a: b",
        ),
        (
            "Nov 19 10:33:00 host kernel:    3.402118] systemd[1]: text",
            "Program { name: \"systemd\", pid: Some(1) }",
            "text",
        ),
        ("Nov 19 10:33:00 192.0.2.7 [ 2649.203914] text", "Kernel", "text"),
        ("Dis 28 04:26:18 host kernel: text", "Kernel", "text"),
        ("xyz 28 04:26:18 host kernel: text", "Kernel", "text"),
        ("[jan29 15:17] text", "Kernel", "text"),
        ("[ +12,600353] text", "Kernel", "text"),
        (
            "  40%|####    | Memory access fault by GPU node-1",
            "Unstated",
            "40%|####    | Memory access fault by GPU node-1",
        ),
        ("step 28 of 04:26:18 took long", "Unstated", "step 28 of 04:26:18 took long"),
        ("[  OK  ] Started x.", "Unstated", "[  OK  ] Started x."),
    ] {
        let (found, _) = records(line);
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!(
            (found[0].origin.as_str(), found[0].message.as_str()),
            (origin, message),
            "{line}"
        );
    }
}

#[test]
fn lines_below_a_record_belong_to_it() {
    let text = "[   10.000001] [    T7] first\n                        second\n                          third\n[   10.000002] [    T7] other\n";
    assert_eq!(messages(&records(text).0), ["first\nsecond\n  third", "other"]);
    let text = "[   10.000001] first\n               [   10.000002] second\n";
    assert_eq!(messages(&records(text).0), ["first", "second"]);
    let text = "[   10.000001] first\n\n               prose\n";
    assert_eq!(messages(&records(text).0), ["first", "prose"]);
}

#[test]
fn lines_that_a_mail_program_broke_are_joined() {
    let wrapped = "[42174.187008] amdgpu 0000:06:00.0: amdgpu: [gfxhub0] retry page fault\n\
                   (src_id:0 ring:0 vmid:1 pasid:32772, for process browser pid 21156 thread\n\
                   browser:cs0 pid 21244)\n\
                   [42174.187021] amdgpu 0000:06:00.0: amdgpu: RW: 0x0\n\
                   What now?\n";
    let want = [
        "amdgpu 0000:06:00.0: amdgpu: [gfxhub0] retry page fault (src_id:0 ring:0 vmid:1 pasid:32772, \
         for process browser pid 21156 thread browser:cs0 pid 21244)",
        "amdgpu 0000:06:00.0: amdgpu: RW: 0x0",
        "What now?",
    ];
    assert_eq!(messages(&records(wrapped).0), want);
    let encoded = "[67760.805914] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process informat=\n\
                   ion:\n\
                   process game pid 41107 thread game:cs0 seq=3D41109\n\
                   [67760.805917] amdgpu 0000:0d:00.0: amdgpu: GPU reset begin!\n";
    let want = "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: \
                process game pid 41107 thread game:cs0 seq=41109";
    assert_eq!(messages(&records(encoded).0)[0], want);
}

#[test]
fn a_record_inside_another_is_one_of_its_own() {
    let joined = "[   10.000001] first [   10.000002] second [   14.000003][    C1] third";
    assert_eq!(messages(&records(joined).0), ["first", "second", "third"]);
    let console = "login: [   10.000001][    C1] text";
    assert_eq!(messages(&records(console).0), ["login:", "text"]);
    let quoted = "[90000.000001] note: [    1.000000] is when it booted";
    assert_eq!(records(quoted).0.len(), 1);
}

#[test]
fn an_answer_that_quotes_twice_is_read_once() {
    let text = "> [   10.000001] first\n> [   10.000002] second\n> > [   10.000001] first\n";
    assert_eq!(messages(&records(text).0), ["first", "second"]);
}

#[test]
fn boots_begin_where_the_kernel_does() {
    let firsts = |text: &str| {
        let (_, reading) = records(text);
        reading.boots.iter().map(|boot| boot.first_sequence).collect::<Vec<_>>()
    };
    let banner = "Linux version 6.1.0 (a@b)";
    for (text, want) in [
        (format!("[    0.000000] {banner}\n[  9.000000] a\n[    0.000000] {banner}\n[  1.000000] b\n"), vec![0, 2]),
        // Updates of microcode are printed before the banner.
        (format!("[    0.000000] microcode: updated\n[    0.000000] {banner}\n[  1.000000] b\n"), vec![0]),
        ("[  90.000000] a\n[  3.000000] b\n[  3.100000] c\n".to_owned(), vec![0, 1]),
        ("[  90.000000] a\n[  3.000000] late\n[  90.100000] c\n".to_owned(), vec![0]),
        ("[  90.000000] a\n[  89.500000] b\n[  89.600000] c\n".to_owned(), vec![0]),
        ("Nov 19 10:00:00 h kernel: a\n-- Reboot --\nNov 19 09:00:00 h kernel: b\n".to_owned(), vec![0, 1]),
        ("Nov 19 10:00:00 h kernel: a\nNov 19 08:00:00 h kernel: b\nNov 19 08:00:01 h kernel: c\n".to_owned(), vec![0]),
        (format!("Nov 19 10:00:00 h kernel: a\nNov 19 11:00:00 h kernel: {banner}\n"), vec![0, 1]),
        // Newest first: a clock that falls is no boot, and a banner ends one.
        (format!("[    9.000000] h kernel: d\n[    5.000000] h kernel: c\n[    2.000000] h kernel: b\n[    0.000000] h kernel: {banner}\n"), vec![0]),
        (String::new(), vec![]),
    ] {
        assert_eq!(firsts(&text), want, "{text}");
    }
    let id = "0123456789abcdef0123456789abcdef";
    let (_, reading) = records(&format!("-- Boot {id} --\nNov 19 10:00:00 h kernel: {banner}\n"));
    assert_eq!(reading.boots[0].boot_id.as_deref(), Some(id));
    assert!(reading.boots[0].from_banner);
}

#[test]
fn holes_are_reported_where_they_are() {
    let text = "[    1.000000] a\n** 12 printk messages dropped **\n[    2.000000] f: 3 callbacks suppressed\n\
                Nov 19 10:33:11 h kernel: message repeated 4 times: [[    2.000000] b]\n";
    let (found, reading) = records(text);
    let holes: Vec<_> =
        reading.holes.iter().map(|hole| (hole.sequence, hole.line, hole.lost, hole.kind)).collect();
    assert_eq!(holes, [(1, 2, Some(12), HoleKind::Dropped), (2, 3, Some(3), HoleKind::RateLimit)]);
    assert_eq!((found.len(), reading.repeats), (4, 4));
}

#[test]
fn what_an_answer_quotes_again_is_read_once_and_counted() {
    let log = "[   10.000001] first\n[   11.000000] second\n";
    let quoted = log.replace('[', "> [");
    let (found, reading) = records(&format!("{log}An answer:\n{quoted}"));
    let messages: Vec<&str> = found.iter().map(|record| record.message.as_str()).collect();
    assert_eq!(messages, ["first", "second", "An answer:"]);
    assert_eq!((reading.passed_over(Why::QuotedAgain), reading.boots.len()), (2, 1));
    let (twice, reading) = records(&log.replace("second", "first").replace("11.0", "10.000001"));
    assert_eq!(
        (twice.len(), reading.passed_over(Why::QuotedAgain)),
        (2, 0),
        "what a log itself repeats stays"
    );
}

/// A mail's body without its header: values that are all encoded prove it.
#[test]
fn encoded_values_prove_an_encoding() {
    let text = "[    1.000000] ring timeout, signaled seq=3D18220914, emitted seq=3D18220916\n\
                [    2.000000] a=3D1\n";
    assert_eq!(
        messages(&records(text).0),
        ["ring timeout, signaled seq=18220914, emitted seq=18220916", "a=1"]
    );
    let register = "[    1.000000] status=3D00 at pc=12\n[    2.000000] reg=3D\n";
    assert_eq!(messages(&records(register).0), ["status=3D00 at pc=12", "reg=3D"]);
}

#[test]
fn one_line_that_ends_in_an_equals_sign_is_no_encoding() {
    let line = format!("[    1.000000] a: {}=", "x".repeat(72 - 19));
    let (found, _) = records(&format!("{line}\nfoo\n[    2.000000] vmid=10 pid=4142\n"));
    assert_eq!(found.last().map(|record| record.message.as_str()), Some("vmid=10 pid=4142"));
}

#[test]
fn lines_around_a_hit_lose_the_name_of_the_file() {
    let text = "my-kern.log-18-Nov 19 10:00:00 h kernel: a\nmy-dmesg.txt-[    2.000000] b\n";
    let (found, _) = records(text);
    let messages: Vec<&str> = found.iter().map(|record| record.message.as_str()).collect();
    assert_eq!(messages, ["a", "b"]);
}

#[test]
fn more_boots_than_a_log_can_have_end_the_reading() {
    let (_, reading) = records(&"-- Reboot --\na\n".repeat(100_001));
    assert_eq!(reading.boots.len(), 100_000);
    assert!(reading.stopped.is_some());
}

#[test]
fn time_passes_only_forward() {
    let passed = |text: &str| {
        records(text)
            .0
            .iter()
            .map(|record| record.stamp.passed.map(|span| span.0 / 1_000_000))
            .collect::<Vec<_>>()
    };
    let short = |times: [&str; 4]| times.map(|time| format!("{time} h kernel: x\n")).concat();
    for (text, want) in [
        (
            short(["Nov 19 10:00:00", "Nov 19 10:00:05", "Nov 19 08:00:00", "Nov 19 08:00:02"]),
            [0, 5, 5, 7],
        ),
        (
            short(["Nov 19 10:00:00", "Nov 19 10:00:05", "Nov 19 10:00:04", "Nov 19 10:00:06"]),
            [0, 5, 5, 6],
        ),
        (
            short(["Dec 31 23:59:58", "Jan  1 00:00:01", "Jan  1 00:00:01", "Jan  1 00:00:02"]),
            [0, 3, 3, 4],
        ),
    ] {
        assert_eq!(passed(&text), want.map(Some), "{text}");
    }
}

#[test]
fn a_failure_later_on_keeps_what_was_read() {
    struct Breaks(usize);
    impl io::Read for Breaks {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            let text = b"[    1.000000] a\n[    2.000000] b and this is long enough to be looked at\n[    3.0";
            if self.0 > 1 {
                return Err(io::Error::other("unplugged"));
            }
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }
    let (found, reading) = records_of(Breaks(0));
    assert_eq!(found.len(), 3);
    assert!(reading.stopped.is_some());
    assert!(read(&mut Lines::new(Breaks(9)), Options::default(), |_| {}).is_err());
}

fn holes(reading: &Reading) -> Vec<(u64, Option<u64>, HoleKind)> {
    reading.holes.iter().map(|hole| (hole.line, hole.lost, hole.kind)).collect()
}

fn lines(records: &[Own]) -> Vec<u64> {
    records.iter().map(|record| record.line).collect()
}

fn boot_ids(reading: &Reading) -> Vec<&str> {
    reading.boots.iter().map(|boot| boot.boot_id.as_deref().unwrap_or_default()).collect()
}

const AS_IT_COMES: Options =
    Options { only: None, reference: None, as_it_comes: true, skim_beyond: usize::MAX };

#[test]
fn a_containers_line_whose_rest_never_comes_stands_where_it_is() {
    let container =
        |tag: &str, text: &str| format!("2026-11-19T09:33:30.000000000Z stdout {tag} {text}\n");
    let begun = container("P", "[    1.000000] a");
    for (behind, second) in [
        ("[    2.000000] b\n", "b"),
        ("{\"MESSAGE\":\"b\",\"_TRANSPORT\":\"kernel\"}\n", "b"),
        ("__CURSOR=s=1\nMESSAGE=b\n\n", "b"),
        ("{\"pri\":6,\"time\":2.0,\"msg\":\"b\"}\n", "b"),
        ("6,1,2000000,-;b\n", "b"),
        ("{\n\"MESSAGE\": \"b\"\n}\n", "b"),
    ] {
        let (found, _) = records(&format!("{begun}{behind}"));
        assert_eq!(messages(&found), ["a", second], "{behind}");
        assert_eq!(lines(&found), [1, 2], "{behind}");
    }
    let (found, _) = records(&(begun.clone() + &container("P", "b") + &container("F", "c")));
    assert_eq!((messages(&found), lines(&found)), (vec!["abc"], vec![1]));
    assert_eq!(messages(&records(&begun).0), ["a"]);
}

#[test]
fn a_damaged_document_keeps_the_numbers_of_its_lines() {
    let head = "{\n   \"dmesg\": [\n      {\n         \"pri\": 6,\n         \"time\": 1.0,\n";
    let (found, _) = records(&format!("{head}[    2.000000] b\n[    3.000000] c\n"));
    let (found, last) = (lines(&found), messages(&found).last().map(|text| (*text).to_owned()));
    assert_eq!((found.last(), last.as_deref()), (Some(&7), Some("c")));
    // A run of NUL divides one line into two that share a number.
    let (found, reading) = records(&format!(
        "{head}         \"msg\": \"a\0\0\0\0b\"\n      }}x\n   ]\n}}\n[    2.000000] c\n"
    ));
    assert_eq!((found.last().map(|record| record.line), reading.lines), (Some(10), 10));
    assert!(lines(&found).is_sorted(), "{found:?}");
    assert!(lines(&found).iter().filter(|line| **line == 6).count() < 3);
}

#[test]
fn a_name_that_nul_cut_has_no_value_with_a_length() {
    let input = b"__CURSOR=s=1\nMESS\0\0\0\0\0\0\0\0\0\0\0\0\n[    1.000000] a\n[    2.000000] b\n";
    let want = records_of(&input[..]).0;
    assert_eq!(messages(&want).iter().rev().take(2).collect::<Vec<_>>(), [&"b", &"a"]);
    for size in 1..input.len() {
        let sizes = vec![size; input.len()];
        assert_eq!(records_of(Pieces(input, sizes)).0, want, "{size}");
    }
}

#[test]
fn an_empty_line_belongs_to_the_run_that_it_ends() {
    let run = "[drm] a\n[drm] b\n";
    let (found, _) = records(&format!("{run}\n[drm] c\n[drm] d\n"));
    assert_eq!(
        messages(&found),
        ["a", "b", "", "c", "d"].map(|text| match text {
            "" => String::new(),
            text => format!("[drm] {text}"),
        })
    );
    let (found, _) = records(&format!("{run}\n[    1.000000] between\n{run}"));
    assert_eq!(messages(&found), ["[drm] a", "[drm] b", "between", "[drm] a", "[drm] b"]);
    let (found, _) = records(&format!("{run}\n-- Boot {BOOT_ID} --\n{run}"));
    assert_eq!(messages(&found), ["[drm] a", "[drm] b", "[drm] a", "[drm] b"]);
}

#[test]
fn the_rest_of_a_record_that_is_lost_is_one_whichever_way_it_is_read() {
    let behind = "rest of a text\n[    1.000000] a\n";
    for (before, tail) in [
        ("", true),
        ("```\n", true),
        ("6,1,2,-;record\n\n", false),
        ("[    0.500000] b\n\n", false),
        ("{\"MESSAGE\":\"b\"}\n", false),
        ("Is this it?\n", false),
    ] {
        let text = format!("{before}{behind}");
        let (found, reading) = records(&text);
        let (straight, other) = records_with(text.as_bytes(), AS_IT_COMES);
        assert_eq!(found, straight, "{text}");
        assert_eq!(holes(&reading), holes(&other), "{text}");
        let rest = found.iter().find(|record| record.message == "rest of a text").unwrap();
        let cut = holes(&reading) == [(rest.line, None, HoleKind::Cut)];
        assert_eq!((rest.buffered, cut), (tail, tail), "{text}");
    }
}

#[test]
fn numbers_that_records_miss_are_holes() {
    let (found, reading) =
        records("6,7,1000000,-;a\n6,8,2000000,-;b\n6,20,3000000,-;c\n6,3,1,-;d\n");
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
    assert_eq!(holes(&reading), [(3, Some(11), HoleKind::Overrun)]);
    // Pieces of one record have its number.
    let pieces = "6,7,1,-,ncfrag=0/4;ab\n6,7,1,-,ncfrag=2/4;cd\n6,9,2,-;e\n";
    let (found, reading) = records(pieces);
    assert_eq!(messages(&found), ["abcd", "e"]);
    assert_eq!(holes(&reading), [(3, Some(1), HoleKind::Overrun)]);
}

#[test]
fn a_field_with_its_length_may_hold_lines() {
    let message = b"first\n\nMESSAGE=no field\n[    1.000000] no record";
    let mut input = b"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1772644810000000\nMESSAGE\n".to_vec();
    input.extend_from_slice(&(message.len() as u64).to_le_bytes());
    input.extend_from_slice(message);
    input.extend_from_slice(b"\n_TRANSPORT=kernel\nPRIORITY=3\n\n__CURSOR=s=2\nMESSAGE=next\n\n");
    let (found, reading) = records_of(input.as_slice());
    assert_eq!(messages(&found), [std::str::from_utf8(message).unwrap(), "next"]);
    assert_eq!((found[0].level, found[0].buffered, found[0].line), (Some(Error), true, 1));
    assert_eq!((reading.form, reading.bytes), (Form::JournalExport, input.len() as u64));
    for size in 1..input.len() {
        let (pieces, _) = records_of(Pieces(&input, vec![size; input.len()]));
        assert_eq!(pieces, found, "{size}");
    }
}

#[test]
fn a_message_that_is_left_out_is_a_hole() {
    let text = "{\"MESSAGE\":\"a\",\"_TRANSPORT\":\"kernel\"}\n\
                {\"MESSAGE\":null,\"_TRANSPORT\":\"kernel\",\"PRIORITY\":\"3\"}\n";
    let (found, reading) = records(text);
    assert_eq!(messages(&found), ["a", ""]);
    assert_eq!(holes(&reading), [(2, None, HoleKind::Cut)]);
}

#[test]
fn the_parts_of_a_crash_are_sorted() {
    let part = |crash: &str, part: u32, clock: u32| {
        format!(
            "{crash} Part{part}\n<6>[{clock:5}.000000] {crash} {part} a\n<6>[{clock:5}.500000] {crash} {part} b\n"
        )
    };
    let one: String = (1..4).map(|number| part("Oops#1", number, 14 - number)).collect();
    let two: String = (1..3).map(|number| part("Panic#2", number, 20 - number)).collect();
    let (found, reading) = records(&(one.clone() + &two));
    let want: Vec<String> =
        [("Oops#1", 3), ("Oops#1", 2), ("Oops#1", 1), ("Panic#2", 2), ("Panic#2", 1)]
            .iter()
            .flat_map(|(crash, part)| [format!("{crash} {part} a"), format!("{crash} {part} b")])
            .collect();
    assert_eq!(messages(&found), want);
    assert_eq!((reading.boots.len(), reading.passed_over(Why::PartHeader)), (1, 5));
    let clocks: Vec<_> = found.iter().map(|record| record.stamp.monotonic).collect();
    assert!(clocks.is_sorted(), "{clocks:?}");
    // Where each record is wanted at once, they stay where they are.
    let (straight, _) = records_with((one + &two).as_bytes(), AS_IT_COMES);
    assert!(lines(&straight).is_sorted());
    assert_eq!(straight.len(), found.len());
}

#[test]
fn a_reversed_journal_names_its_boots_too() {
    let (old, new) = ("a".repeat(32), "b".repeat(32));
    let text = format!(
        "-- Boot {new} --\nNov 19 12:00:02 h kernel: 6\nNov 19 12:00:01 h kernel: 5\n\
         Nov 19 12:00:00 h kernel: Linux version 6.1.0\n-- Boot {old} --\n\
         Nov 19 10:00:02 h kernel: 3\nNov 19 10:00:01 h kernel: 2\n\
         Nov 19 10:00:00 h kernel: Linux version 6.0.0\n"
    );
    let (found, reading) = records(&text);
    assert_eq!(
        messages(&found),
        ["Linux version 6.0.0", "2", "3", "Linux version 6.1.0", "5", "6"]
    );
    assert_eq!(reading.direction, Direction::Reversed);
    assert_eq!(boot_ids(&reading), [old.as_str(), new.as_str()]);
    let firsts: Vec<u64> = reading.boots.iter().map(|boot| boot.first_sequence).collect();
    assert_eq!(firsts, [0, 3]);
}

#[test]
fn objects_name_the_boot_they_are_of() {
    let (old, new) = ("a".repeat(32), "b".repeat(32));
    let object = |boot: &str, clock: u32, text: &str| {
        format!(
            "{{\"_BOOT_ID\":\"{boot}\",\"_TRANSPORT\":\"kernel\",\
             \"__REALTIME_TIMESTAMP\":\"17726448{clock:02}000000\",\"MESSAGE\":\"{text}\"}}\n"
        )
    };
    let text = object(&old, 10, "a")
        + &object(&old, 11, "b")
        + &object(&new, 12, "c")
        + &object(&new, 13, "d");
    let (found, reading) = records(&text);
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
    assert_eq!(boot_ids(&reading), [old.as_str(), new.as_str()]);
    assert_eq!(reading.boots[1].first_sequence, 2);
}

#[test]
fn systemd_writes_into_the_kernels_buffer_until_there_is_a_journal() {
    let text = "Nov 19 10:00:00 h kernel: Linux version 6.1.0\n\
                Nov 19 10:00:01 h systemd[1]: Mounting it.\n\
                Nov 19 10:00:02 h kernel: a\n\
                Nov 19 10:00:03 h systemd-journald[311]: Journal started\n\
                Nov 19 10:00:04 h systemd[1]: Mounted it.\n\
                Nov 19 10:00:05 h systemd[700]: A user's.\n\
                Nov 19 11:00:00 h kernel: Linux version 6.1.0\n\
                Nov 19 11:00:01 h systemd[1]: Once more.\n";
    let (found, reading) = records(text);
    let buffered: Vec<bool> = found.iter().map(|record| record.buffered).collect();
    assert_eq!(buffered, [true, true, true, false, false, false, true, true]);
    assert_eq!((reading.boots.len(), reading.kernel_records), (2, 5));
    // Without the kernel before, it is a journal like any other.
    let (found, _) = records("Nov 19 10:00:01 h systemd[1]: Mounted it.\n");
    assert!(!found[0].buffered);
}

#[test]
fn a_record_without_text_is_an_empty_line() {
    let (found, _) = records(
        "[    1.000000] a\n[    1.000001] b\n[    1.000002] c\n\n[    1.000003] d\n[    9.000000] e\n",
    );
    assert_eq!(messages(&found), ["a", "b", "c", "", "d", "e"]);
    assert_eq!(lines(&found), [1, 2, 3, 4, 5, 6]);
    assert!(found.iter().all(|record| record.buffered));
    // Far apart, it is two pastes.
    let (found, _) =
        records("[    1.000000] a\n[    1.000001] b\n[    1.000002] c\n\n[   99.000003] d\n");
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
}

#[test]
fn a_paste_with_an_empty_line_behind_each_has_no_empty_records() {
    let log: Vec<String> =
        (0..60).map(|number| format!("[    1.{number:06}] text {number}\n")).collect();
    let (found, _) = records(&log.join("\n"));
    let empty = found.iter().filter(|record| record.message.is_empty()).count();
    assert_eq!((found.len() - empty, empty), (60, 0));
    // Nor has one that becomes so after its first lines.
    let (found, _) = records(&(log[..2].concat() + "\n" + &log[2..].join("\n")));
    let empty = found.iter().filter(|record| record.message.is_empty()).count();
    assert!(found.len() - empty == 60 && empty <= 2, "{empty}");
}

#[test]
fn an_object_of_several_lines_that_is_no_record_is_text() {
    let text = "{\n  \"name\": \"settings\",\n  \"list\": [\n    1,\n    \"two\"\n  ]\n}\n\
                [    1.000000] a\n";
    let (found, reading) = records(text);
    let want = ["{", "\"name\": \"settings\",", "\"list\": [", "1,", "\"two\"", "]", "}", "a"];
    assert_eq!(messages(&found), want);
    assert_eq!(lines(&found), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!((reading.kernel_records, reading.lost_lines()), (1, 0));
    // The same if its end is missing.
    let (found, reading) = records("{\n  \"name\": \"settings\",\n");
    assert_eq!(messages(&found), ["{", "\"name\": \"settings\","]);
    assert_eq!(reading.lost_lines(), 0);
}

/// The date of each line of a journal without years that was saved then.
fn dates(saved: &str, days: &[&str]) -> Vec<String> {
    let reference = chrono::NaiveDateTime::parse_from_str(saved, "%Y-%m-%d %H:%M").unwrap();
    let micros = Micros(reference.and_utc().timestamp_micros());
    let options = Options { reference: Some(micros), ..Options::default() };
    let text = days.join(" 10:00:00 h kernel: x\n") + " 10:00:00 h kernel: x\n";
    let (found, _) = records_with(text.as_bytes(), options);
    found
        .iter()
        .map(|record| {
            let wall = record.stamp.wall.unwrap();
            assert_eq!(wall.dated, Dated::Inferred, "{days:?}");
            chrono::DateTime::from_timestamp_micros(wall.local.0).unwrap().format("%F").to_string()
        })
        .collect()
}

#[test]
fn the_year_follows_from_when_the_log_was_saved() {
    for (saved, days, want) in [
        ("2026-11-21 12:00", vec!["Nov 19", "Nov 21"], vec!["2026-11-19", "2026-11-21"]),
        // A year that ends within the log.
        ("2026-01-03 12:00", vec!["Dec 31", "Jan  1"], vec!["2025-12-31", "2026-01-01"]),
        // Saved on the first day of a year, and on the last.
        ("2026-01-01 00:30", vec!["Dec 31"], vec!["2025-12-31"]),
        ("2026-01-01 12:00", vec!["Dec 31", "Jan  1"], vec!["2025-12-31", "2026-01-01"]),
        ("2025-12-31 23:50", vec!["Dec 30", "Dec 31"], vec!["2025-12-30", "2025-12-31"]),
        // The clock there may be a day ahead.
        ("2025-12-31 23:50", vec!["Jan  1"], vec!["2026-01-01"]),
        ("2026-11-21 12:00", vec!["Nov 23"], vec!["2025-11-23"]),
        // Only a leap year has it.
        ("2026-11-21 12:00", vec!["Feb 29"], vec!["2024-02-29"]),
        ("2024-03-01 12:00", vec!["Feb 28", "Feb 29"], vec!["2024-02-28", "2024-02-29"]),
        ("2024-02-28 01:00", vec!["Feb 29"], vec!["2020-02-29"]),
        // Newest first.
        (
            "2026-01-03 12:00",
            vec!["Jan  3", "Jan  2", "Jan  1", "Dec 31", "Dec 30"],
            vec!["2025-12-30", "2025-12-31", "2026-01-01", "2026-01-02", "2026-01-03"],
        ),
        (
            "2026-01-03 12:00",
            vec!["Jan  2", "Jan  1", "Dec 31"],
            vec!["2025-12-31", "2026-01-01", "2026-01-02"],
        ),
    ] {
        assert_eq!(dates(saved, &days), want, "{saved} {days:?}");
    }
}

/// Each boot is a step back of the kernel's clock, and so is a line that was stored late.
#[test]
fn a_few_steps_back_are_no_direction() {
    for text in [
        "[  100.000020] a\n[  100.000010] b\n",
        "[  900.000020] a\n[    0.000000] Linux version 6.1.0 (a@b)\n",
    ] {
        let (found, reading) = records(text);
        assert_eq!((found.len(), reading.direction), (2, Direction::Forward), "{text}");
    }
}

#[test]
fn an_empty_line_before_an_entry_is_not_kept_behind_it() {
    let text = "[    1.000000] a\n[    1.000001] b\n\n{\"MESSAGE\":\"x\"}\n[    1.000003] d\n";
    let lines: Vec<u64> = records(text).0.iter().map(|record| record.line).collect();
    assert_eq!(lines, [1, 2, 4, 5]);
}

#[test]
fn a_day_that_is_none_is_no_time() {
    for line in [
        "Feb 31 10:00:00 h kernel: x",
        "Apr 31 10:00:00 h kernel: x",
        "Nov  0 10:00:00 h kernel: x",
        "2026-02-30T10:00:00+0100 h kernel: x",
        "2026-13-01T10:00:00+0100 h kernel: x",
        "Thu 2026-02-29 10:00:00 CET h kernel: x",
        "[Thu Feb 31 10:00:00 2026] x",
        "2026-02-30T10:00:00,000000+01:00 x",
        "02-30 10:00:00.000     0     0 I x",
        "Nov 19 24:00:00 h kernel: x",
        "Nov 19 10:60:00 h kernel: x",
    ] {
        let (found, _) = records(line);
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!(found[0].stamp, Stamp::default(), "{line}");
    }
    // A leap second and a leap day are.
    for line in ["Dec 31 23:59:60 h kernel: x", "Feb 29 10:00:00 h kernel: x"] {
        assert!(records(line).0[0].stamp.wall.is_some(), "{line}");
    }
}

/// Gives out an input in pieces of given sizes.
struct Pieces<'a>(&'a [u8], Vec<usize>);

impl io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.1.pop().unwrap_or(7).clamp(1, buffer.len()).min(self.0.len());
        let (piece, rest) = self.0.split_at(size);
        buffer[..size].copy_from_slice(piece);
        self.0 = rest;
        Ok(size)
    }
}

/// Bytes in which the characters that matter are frequent.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(vec![0, 0]),
        Just(b"\x1b[31m".to_vec()),
        Just(b"[   12.000001] ".to_vec()),
        Just(b"Nov 19 10:33:00 host kernel: ".to_vec()),
        Just(b"2026-11-19T10:33:00+01:00 host a[1]: ".to_vec()),
        Just("мая 24 ".as_bytes().to_vec()),
        Just(b"\xEF\xBB\xBF> &lt;6&gt;<6>".to_vec()),
        Just(b"USER PID STAT COMMAND\n".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..12),
        "[ -~]{0,20}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_read_in_order(bytes in bytes()) {
        let (found, reading) = records_of(bytes.as_slice());
        let turned = reading.direction == Direction::Reversed;
        let lines: Vec<_> = found.iter().map(|record| record.line).collect();
        let in_order = lines.is_sorted() || (turned && lines.iter().rev().is_sorted());
        prop_assert!(in_order, "{lines:?}");
        prop_assert_eq!(reading.records, found.len() as u64);
        prop_assert_eq!(reading.bytes, bytes.len() as u64);
        prop_assert!(reading.boots.is_sorted_by_key(|boot| boot.first_sequence));
        let passed: Vec<_> = found.iter().filter_map(|record| record.stamp.passed).collect();
        prop_assert!(passed.is_sorted());
    }

    #[test]
    fn blocks_make_no_difference(bytes in bytes(), sizes in proptest::collection::vec(1..50_usize, 0..30)) {
        prop_assert_eq!(records_of(Pieces(&bytes, sizes)).0, records_of(bytes.as_slice()).0);
    }

    #[test]
    fn a_printed_record_reads_back(clock in 0..100_000_000_000_i64, second in 0..86_400_i64, text in "[a-z]{1,8} [a-zA-Z0-9_*.,()]{1,12}") {
        let printed = format!("[{:>12}] {text}\n", Micros(clock).to_string());
        let (found, _) = records(&printed);
        prop_assert_eq!(messages(&found), [text.as_str()]);
        prop_assert_eq!(found[0].stamp.monotonic, Some(Micros(clock)));
        let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
        let printed = format!("Jan 02 {hours:02}:{minutes:02}:{seconds:02} host kernel: {text}\n");
        let (found, _) = records(&printed);
        prop_assert_eq!(messages(&found), [text.as_str()]);
        let since = (730 + 1) * 86_400 + second;
        prop_assert_eq!(found[0].stamp.wall.map(|wall| wall.local), Some(Micros::seconds(since)));
    }
}

/// A record behind a prefix that is not known is no end of a line that a mail program broke.
#[test]
fn records_behind_unknown_prefixes_are_records() {
    for prefix in
        ["* ", "10:33:00.123: ", "R SERIAL> ", "ttyS0: ", "| ", "[pod/a/b] ", "\"", "@ 10:33 "]
    {
        let text = [
            "[ 2649.203914] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1",
            "[ 2649.203999] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!",
            "[ 2664.551202] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) failed",
        ]
        .map(|line| format!("{prefix}{line}\n"))
        .concat();
        let (found, _) = records(&text);
        let kernel = found.iter().filter(|record| record.origin == "Kernel").count();
        assert_eq!(kernel, 3, "{prefix}");
    }
}

#[test]
fn other_programs_clocks_are_not_the_kernels() {
    for line in [
        "[    25.610] (II) AMDGPU: text",
        "[12.5] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) failed",
        "[1,234] text",
        "it was at [   12.300000] for me",
    ] {
        let (found, reading) = records(line);
        assert_eq!((found.len(), reading.kernel_records), (1, 0), "{line}");
    }
    let forged = "[ 2654.000000] systemd[1]: Started [ 2654.203914] amdgpu 0000:03:00.0: GPU reset";
    assert_eq!(records(forged).0.len(), 1, "a program's text is no record of the kernel");
}

#[test]
fn an_excerpt_beside_the_whole_log_is_no_boot() {
    let line =
        |(clock, message): (i64, &str)| format!("[{:>12}] {message}\n", Micros(clock).to_string());
    let lines = STORY.map(line);
    let (whole, excerpt) = (lines.concat(), lines[2..5].concat());
    for (text, range) in [
        (format!("The crash:\n\n{excerpt}\nAll of it:\n\n{whole}"), 0..5),
        (format!("All of it:\n\n{whole}\nThe crash:\n\n{excerpt}"), 10..13),
    ] {
        let (found, reading) = records(&text);
        assert_eq!(reading.boots.len(), 1, "{text}");
        assert_eq!(reading.excerpts.len(), 1, "{text}");
        let first = found.iter().position(|record| reading.is_excerpt(record.line - 1));
        assert!(
            first.is_some() && reading.excerpts[0].end <= range.end + 1,
            "{:?}",
            reading.excerpts
        );
    }
}

/// One line that both have does not become half of an excerpt because it is repeated.
#[test]
fn a_line_that_is_repeated_makes_no_excerpt() {
    let line =
        |(clock, message): (i64, &str)| format!("[{:>12}] {message}\n", Micros(clock).to_string());
    let repeated = "[    1.500000] usb 1-1: reset\n".repeat(100);
    for text in [
        format!("{}{repeated}", STORY.map(line).concat()),
        format!("{repeated}{}{repeated}", STORY.map(line).concat()),
    ] {
        let (found, reading) = records(&text);
        let told = |record: &&Own| {
            record.message.starts_with("amdgpu") && !reading.is_excerpt(record.line - 1)
        };
        assert_eq!(found.iter().filter(told).count(), 6, "{:?}", reading.excerpts);
    }
}

/// Two boots of one machine may print the same at the same time.
#[test]
fn boots_with_different_ids_are_no_excerpts() {
    let entry = |boot: char, at: u32| {
        let id = boot.to_string().repeat(32);
        format!(
            "_BOOT_ID={id}\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP={at}000000\n\
             __MONOTONIC_TIMESTAMP={at}000000\nMESSAGE=line {at}\n\n"
        )
    };
    let boot = |boot| (2..8).map(|at| entry(boot, at)).collect::<String>();
    let boots = |text: &str| {
        let reading = read(&mut Lines::new(text.as_bytes()), Options::default(), |_| ()).unwrap();
        (reading.boots.len(), reading.excerpts.len())
    };
    assert_eq!(boots(&[boot('a'), boot('b')].concat()), (2, 0));
    assert_eq!(boots(&[boot('a'), boot('a')].concat()).0, 1);
}

/// A clock that falls, and nothing else, may be an excerpt of the same boot.
#[test]
fn what_only_a_clock_says_of_boots_is_uncertain() {
    let certain = |text: &str| -> Vec<bool> {
        records(text).1.boots.iter().map(|boot| boot.certain).collect()
    };
    for (text, want) in [
        ("[  900.000000] a\n[    3.000000] b\n[    3.100000] c\n", vec![true, false]),
        (
            "[  900.000000] a\n[    0.000000] Linux version 6.1\n[    3.100000] c\n",
            vec![true, true],
        ),
        // Lines that came late, and the clock goes on.
        ("[    5.000000] a\n[    3.500000] b\n[    3.600000] c\n[    5.100000] d\n", vec![true]),
        // Rotated files in the wrong order: the clock began at the same moment.
        (
            "Nov 19 10:00:00 h kernel: [  100.000000] a\nNov 19 10:00:01 h kernel: [  101.000000] b\n\
             Nov 19 09:59:00 h kernel: [   40.000000] c\nNov 19 09:59:01 h kernel: [   41.000000] d\n",
            vec![true],
        ),
        (
            "Nov 19 10:00:00 h kernel: [  900.000000] a\nNov 19 10:00:01 h kernel: [  901.000000] b\n\
             Nov 19 10:05:00 h kernel: [    4.000000] c\nNov 19 10:05:01 h kernel: [    5.000000] d\n",
            vec![true, true],
        ),
    ] {
        assert_eq!(certain(text), want, "{text}");
    }
}

#[test]
fn several_machines_in_one_input_have_no_order() {
    let line = |host: &str, second: usize| {
        format!("Nov 19 10:33:{second:02} {host} kernel: [ {second:>4}.000000] text\n")
    };
    let mixed: String = (0..12).map(|n| line(["a", "b"][n % 2], n)).collect();
    assert_eq!(records(&mixed).1.direction, Direction::Interleaved);
    // A machine is called otherwise while it boots.
    let renamed: String = (0..12).map(|n| line(if n < 3 { "localhost" } else { "a" }, n)).collect();
    assert_eq!(records(&renamed).1.direction, Direction::Forward);
    let entry = |boot: usize, clock: usize| {
        format!(
            "{{\"MESSAGE\":\"x\",\"_TRANSPORT\":\"kernel\",\"_BOOT_ID\":\"{boot:032}\",\
             \"_SOURCE_MONOTONIC_TIMESTAMP\":\"{clock}000000\"}}\n"
        )
    };
    let mixed: String = (0..12).map(|n| entry(n % 2, 10 + n)).collect();
    assert_eq!(records(&mixed).1.direction, Direction::Interleaved);
    let boots: String = (0..12).map(|n| entry(n / 4, 10 + n)).collect();
    let (_, reading) = records(&boots);
    assert_eq!((reading.direction, reading.boots.len()), (Direction::Forward, 3));
}

#[test]
fn two_crashes_at_once_are_told_apart_and_told_once() {
    let text = "Oops#1 Part1\n<4>[   12.000000] c\nPanic#2 Part1\n<4>[   13.000000] d\n\
                Oops#1 Part2\n<4>[   10.000000] a\n<4>[   11.000000] b\nPanic#2 Part2\n<4>[   12.000000] c\n";
    let (found, reading) = records(text);
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
    assert_eq!((reading.boots.len(), reading.passed_over(Why::QuotedAgain)), (1, 1));
}

#[test]
fn a_broken_object_takes_no_other_with_it() {
    let whole = |text: &str| {
        format!("{{\n\t\"MESSAGE\" : \"{text}\",\n\t\"_TRANSPORT\" : \"kernel\"\n}}\n")
    };
    let cut = format!("{{\n\t\"MESSAGE\" : \"cut he\n{}{}", whole("a"), whole("b"));
    let (found, reading) = records(&cut);
    assert_eq!(messages(&found), ["a", "b"]);
    assert_eq!(reading.passed_over(Why::Damaged), 2);
    let long = format!("{}{}", whole(&"x".repeat(input::LINE_LIMIT)), whole("b"));
    let (found, reading) = records(&long);
    assert_eq!(found.last().map(|record| record.message.as_str()), Some("b"));
    assert!(reading.passed_over(Why::Damaged) > 1);
    let list = "{\n   \"dmesg\": [\n      {\n         \"pri\": 6,\n         \"msg\": \"cut he\n      },{\n         \
                \"pri\": 6,\n         \"time\": 1.000000,\n         \"msg\": \"a\"\n      }\n   ]\n}\n";
    assert_eq!(messages(&records(list).0), ["a"]);
    let array = "[{\"MESSAGE\":\"a\",\"_TRANSPORT\":\"kernel\"},\n{\"MESSAGE\":\"b\",\"_TRANSPORT\":\"kernel\"}]\n";
    assert_eq!(messages(&records(array).0), ["a", "b"]);
    let tail = "_TRANSPORT=kernel\nMESSAGE=a\n\n__CURSOR=x\nMESSAGE=b\n\n";
    assert_eq!(messages(&records(tail).0), ["a", "b"]);
}

#[test]
fn each_stream_of_a_container_goes_on_by_itself() {
    let line = |stream: &str, tag: &str, text: &str| {
        format!("2026-11-19T09:33:30.000000000Z {stream} {tag} {text}\n")
    };
    let text = line("stdout", "P", "[   10.000000] GPU res")
        + &line("stderr", "F", "warning")
        + &line("stdout", "F", "et begin!");
    assert_eq!(messages(&records(&text).0), ["warning", "GPU reset begin!"]);
}

#[test]
fn what_an_input_is_said_to_be_overrides_its_lines() {
    let json = "{\"MESSAGE\":\"a\",\"_TRANSPORT\":\"kernel\"}\n";
    for (only, text, kernel) in [
        (Family::Json, json, 1),
        (Family::Export, json, 0),
        (Family::Dmesg, "[    1.000000] a\n", 1),
        (Family::Syslog, "[    1.000000] a\n", 0),
        (Family::Syslog, "[    1.000000] host kernel: a\n", 1),
        (Family::Kmsg, "6,1,1000000,-;a\n", 1),
        (Family::Text, "[    1.000000] a\n", 1),
        (Family::Verbose, "6,1,1000000,-;a\n", 0),
    ] {
        let options = Options { only: Some(only), ..Options::default() };
        let reading = read(&mut Lines::new(text.as_bytes()), options, |_| {}).unwrap();
        assert_eq!(reading.kernel_records, kernel, "{only:?}: {text}");
    }
}

/// One log pasted over and over happened once; what it says of each copy stays in bounds.
#[test]
fn copies_of_a_boot_are_excerpts_of_the_first() {
    let boot = "[    0.000000] Linux version 6.1.0 (a@b)\n[  900.000000] text\n";
    let (found, reading) = records(&boot.repeat(2000));
    assert_eq!((found.len(), reading.boots.len(), reading.excerpts.len()), (4000, 1, 1999));
    assert!(reading.excerpts.is_sorted_by_key(|range| range.start));
    assert!(!reading.is_excerpt(1) && reading.is_excerpt(2) && reading.is_excerpt(3999));
}

/// A template of rsyslog puts facility and level behind the name of the machine.
#[test]
fn levels_to_and_fro_are_of_one_machine() {
    let line = |second: u32| {
        let level = if second < 20 || second.is_multiple_of(2) { "info" } else { "err" };
        format!(
            "2026-03-04T18:35:{second:02}+01:00 host kern.{level} kernel: [   {second}.000000] usb 1-1: a\n"
        )
    };
    let log: String = (10..40).map(line).collect::<Vec<_>>().concat();
    assert_eq!(records(&log).1.direction, Direction::Forward);
}
