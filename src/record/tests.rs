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
const FORMS: [(Form, Kept, &str, &str); 41] = {
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
        (
            JournalShort,
            Wall(UNDATED, SECOND),
            "",
            "journal-short.log journal-short-245.log journal-short-color.log journal-short-fr.log \
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
        (Syslog, Both(DATED, SECOND), "", "syslog-openwrt.log"),
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

/// In the table, but not yet read as it says.
const WAITING: [&str; 2] = ["paste-quoted-printable.log", "syslog-rfc5424-no-clock.log"];

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
        for name in names.split(' ').filter(|name| !WAITING.contains(name)) {
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
    assert!(WAITING.iter().all(|name| listed.contains(name)));
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
    assert_eq!(
        (reading.skipped.lines, reading.skipped.bytes),
        (1, 100_015 - input::LINE_LIMIT as u64)
    );

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
            "[    3.4] systemd[1]: Started x.",
            "Program { name: \"systemd\", pid: Some(1) }",
            "Started x.",
        ),
        ("[   12.0] game[412]: segfault at 0 ip 0", "Kernel", "game[412]: segfault at 0 ip 0"),
        ("<6>[   12.0] game[412]: text", "Kernel", "game[412]: text"),
        ("<12>[   12.0] text", "Program { name: \"unknown\", pid: None }", "text"),
        (
            "[   12.0] amdgpu 0000:03:00.0: amdgpu: text",
            "Kernel",
            "amdgpu 0000:03:00.0: amdgpu: text",
        ),
        ("[   12.0] host kernel: text", "Kernel", "text"),
        ("[   12.0] host kwin[7]: text", "Program { name: \"kwin\", pid: Some(7) }", "text"),
        ("[   12.0] [drm] text", "Kernel", "[drm] text"),
        ("[   12.0] [gfxhub] text", "Kernel", "[gfxhub] text"),
        ("[   12.0][    C3] text", "Kernel", "text"),
        ("[   12.0] [ T1234] text", "Kernel", "text"),
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
