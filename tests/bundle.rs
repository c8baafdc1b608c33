//! The archive for bug reports: it contains what trackers ask for and nothing private, and its log
//! has the same diagnoses as the original.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use amdtriage::report::json::schema::Subject;
use amdtriage::value::hexadecimal;

use super::common::schema::holds;
use super::common::{Fixture, Json, Output, Run, child};

/// Logs of typical reporters: a GPU whose scheduler hangs, stuck workers, a page fault of a
/// program, a crashed runner, and parts of a failure pasted into a report.
const CASES: [&str; 5] = [
    "signatures/gfx11-mes-hang/hit-mode1-after-silence.log",
    "signatures/ttm-deadlock/hit-listing.log",
    "signatures/rocm-memory-access-fault/hit-behind-a-progress-bar.log",
    "signatures/rocm-runner-crash/hit-library-named.log",
    "reports/staged-in-a-report.log",
];

/// The template of drm/amd, in order.
const DRM_AMD: [&str; 14] = [
    "## Brief summary of the problem:",
    "## Hardware description:",
    "- CPU: ",
    "- GPU: ",
    "- System Memory: ",
    "- Display(s): ",
    "- Type of Display Connection: ",
    "## System information:",
    "- Distro name and Version: ",
    "- Kernel version: ",
    "- Custom kernel: ",
    "- AMD official driver version: ",
    "## How to reproduce the issue:",
    "## Attached files:",
];

/// The fields of ROCm's form, in order.
const ROCM: [&str; 9] = [
    "### Problem Description",
    "### Operating System",
    "### CPU",
    "### GPU",
    "### ROCm Version",
    "### ROCm Component",
    "### Steps to Reproduce",
    "### (Optional for Linux users) Output of /opt/rocm/bin/rocminfo --support",
    "### Additional Information",
];

/// An archive, unpacked.
struct Unpacked {
    output: Output,
    folder: String,
    files: BTreeMap<String, Vec<u8>>,
}

impl Unpacked {
    /// Runs `amdtriage report` on `log` and unpacks the archive.
    #[track_caller]
    fn of(log: &[u8], arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("log.txt"), log).unwrap();
        let words = ["report", "log.txt", "-o", "report.tar.gz"];
        let words = words.iter().chain(arguments).copied();
        let output = Run::new(words).folder(folder.path()).output();
        assert_eq!(output.status, 0, "{}", output.stderr);
        Self::read(output, &folder.path().join("report.tar.gz"))
    }

    #[track_caller]
    fn read(output: Output, path: &Path) -> Self {
        let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
        let (mut folder, mut files) = (String::new(), BTreeMap::new());
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let name = entry.path().unwrap().to_str().unwrap().to_owned();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            let (top, name) = name.split_once('/').unwrap();
            top.clone_into(&mut folder);
            match name {
                "amdtriage.json" => {
                    holds(Subject::Report, name, std::str::from_utf8(&content).unwrap());
                }
                "host.json" => holds(Subject::Host, name, std::str::from_utf8(&content).unwrap()),
                _ => {}
            }
            assert!(files.insert(name.to_owned(), content).is_none(), "{name} twice");
        }
        Self { output, folder, files }
    }

    #[track_caller]
    fn text(&self, name: &str) -> String {
        let content = self.files.get(name).unwrap_or_else(|| panic!("no {name}"));
        String::from_utf8(content.clone()).unwrap()
    }

    fn log(&self) -> String {
        let mut text = String::new();
        GzDecoder::new(self.files["kernel.log.gz"].as_slice()).read_to_string(&mut text).unwrap();
        text
    }
}

/// Checks that `text` contains all of `wanted`, in order.
#[track_caller]
fn assert_in_order(text: &str, wanted: &[&str]) {
    let mut rest = text;
    for want in wanted {
        let at = rest.find(want).unwrap_or_else(|| panic!("no `{want}` (in its place) in\n{text}"));
        rest = &rest[at + want.len()..];
    }
}

/// The failures in a report, without line numbers.
fn failures(report: &Json) -> Vec<String> {
    report["incidents"]
        .list()
        .iter()
        .map(|incident| {
            let diagnoses: Vec<String> = incident["diagnoses"]
                .list()
                .iter()
                .map(|known| {
                    format!("{:?} {:?} {:?}", known["id"], known["role"], known["certainty"])
                })
                .collect();
            let names = ["device", "severity", "outcome", "fingerprint"];
            let facts: Vec<String> =
                names.iter().map(|name| format!("{:?}", incident[*name])).collect();
            format!("{} | {}", facts.join(" "), diagnoses.join(", "))
        })
        .collect()
}

/// A text that is no log is refused as it is without `report`: an archive of it would have no log.
#[test]
fn a_text_that_is_no_log_makes_no_archive() {
    let folder = tempfile::tempdir().unwrap();
    let line =
        "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=<n>, emitted seq=<m>";
    fs::write(folder.path().join("log.txt"), line).unwrap();
    for words in [&["log.txt"][..], &["report", "log.txt", "-o", "x.tar.gz"]] {
        let output = Run::new(words.iter().copied()).folder(folder.path()).output();
        assert_eq!(output.status, 2, "{words:?}: {}", output.stderr);
        assert!(output.stderr.contains("although line 1 mentions amdgpu"), "{}", output.stderr);
    }
    assert!(!folder.path().join("x.tar.gz").exists());
}

#[test]
fn a_bundle_has_what_the_templates_ask_for() {
    for case in CASES {
        let fixture = Fixture::read(case);
        for (tracker, wanted) in [("drm-amd", &DRM_AMD[..]), ("rocm", &ROCM)] {
            let bundle = Unpacked::of(&fixture.log, &["--for", tracker]);
            let page = bundle.text("report.md");
            assert_in_order(&page, wanted);
            check_page(case, &bundle, &page);
            check_files(&fixture, &bundle);
        }
    }
}

/// A page has a title, an addressee, the failure, evidence, and search words; unknown facts are
/// questions.
#[track_caller]
fn check_page(case: &str, bundle: &Unpacked, page: &str) {
    let report = Json::read(&bundle.text("amdtriage.json")).unwrap();
    let incident = report["incidents"].list().first().unwrap();
    let head = incident["diagnoses"].list().first().unwrap();
    let title = page.lines().find_map(|line| line.strip_prefix("Title: ")).unwrap();
    assert!(title.contains(": ") && title.len() < 161, "{case}: {title}");
    assert!(page.contains("File at: http"), "{case}");
    assert!(page.contains(&format!("`{}`", head["id"].text())), "{case}");
    assert!(page.contains(&format!("`{}`", incident["fingerprint"].text())), "{case}");
    // The evidence as in the attached log.
    let log = bundle.log();
    let first = incident["first"]["line"].count();
    let line = log.lines().nth(first - 1).unwrap();
    let line: String = line.chars().take(60).collect();
    let quoted = page.lines().find(|quoted| quoted.starts_with(&format!(">{first:>6}: ")));
    assert!(quoted.is_some_and(|quoted| quoted.contains(&line)), "{case}: {first}: {line}");
    assert!(page.contains("[What were you doing"), "{case}: nothing is left to fill in");
    for file in
        bundle.files.keys().filter(|name| !name.starts_with("report.") && *name != "MANIFEST")
    {
        assert!(page.contains(&format!("`{file}`")) || file == "amdtriage.json", "{case}: {file}");
    }
}

/// The log in the archive has the same diagnoses, and every file matches the list.
#[track_caller]
fn check_files(fixture: &Fixture, bundle: &Unpacked) {
    let before = Run::json(fixture.log.as_slice()).output().json();
    let again = Run::json(bundle.log()).output().json();
    let inside = Json::read(&bundle.text("amdtriage.json")).unwrap();
    assert_eq!(failures(&before), failures(&inside), "{}", fixture.name);
    assert_eq!(failures(&inside), failures(&again), "{}", fixture.name);
    assert!(bundle.text("report.html").contains("</html>"));
    let list = bundle.text("MANIFEST");
    for (name, content) in bundle.files.iter().filter(|(name, _)| *name != "MANIFEST") {
        let sum = hexadecimal(&Sha256::digest(content));
        assert!(list.contains(&format!("\n{sum}  {name}\n")), "{name}\n{list}");
    }
    assert!(bundle.folder.starts_with("amdtriage-"), "{}", bundle.folder);
    assert!(bundle.output.stdout.contains("report.md"), "{}", bundle.output.stdout);
}

/// The log in the archive is understood like the original, in every format.
#[test]
fn no_failure_is_lost_or_changed_on_the_way() {
    let mut compared = 0;
    let others = ["reports", "boots", "formats"].into_iter().flat_map(Fixture::all);
    for fixture in Fixture::one_of_each_signature().into_iter().chain(others) {
        let Ok(before) = Json::read(&fixture.report().stdout) else { continue };
        if before["incidents"].list().is_empty() {
            continue;
        }
        let bundle = Unpacked::of(&fixture.log, &[]);
        let inside = Json::read(&bundle.text("amdtriage.json")).unwrap();
        assert_eq!(failures(&before), failures(&inside), "{}", fixture.name);
        compared += 1;
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn the_same_log_gives_the_same_bytes() {
    let log = Fixture::read(CASES[0]).log;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.txt"), &log).unwrap();
    let made = |name: &str| {
        let words = ["report", "log.txt", "-o", name];
        let output = Run::new(words).folder(folder.path()).output();
        assert_eq!(output.status, 0, "{}", output.stderr);
        fs::read(folder.path().join(name)).unwrap()
    };
    assert_eq!(made("one.tar.gz"), made("other.tar.gz"));
}

#[test]
fn an_archive_is_for_its_owner_and_replaces_none_that_it_was_not_told_to() {
    let log = Fixture::read(CASES[0]).log;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.txt"), &log).unwrap();
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    for count in 1..=3 {
        let output = Run::new(["report", "log.txt"]).folder(folder.path()).output();
        assert_eq!(output.status, 0, "{}", output.stderr);
        let archives = names(folder.path());
        assert_eq!(archives.len(), count + 1, "{archives:?}");
    }
    for name in names(folder.path()).iter().filter(|name| *name != "log.txt") {
        use std::os::unix::fs::PermissionsExt;
        assert!(name.starts_with("amdtriage-") && name.ends_with(".tar.gz"), "{name}");
        let mode = fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    // The creator of a link could choose what is replaced.
    std::os::unix::fs::symlink("elsewhere", folder.path().join("link.tar.gz")).unwrap();
    let words = ["report", "log.txt", "-o", "link.tar.gz"];
    let output = Run::new(words).folder(folder.path()).output();
    assert_eq!(output.status, 2);
    assert!(!folder.path().join("elsewhere").exists());
}

#[test]
fn a_look_before_writes_nothing() {
    let log = Fixture::read(CASES[0]).log;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.txt"), &log).unwrap();
    let output = Run::new(["report", "--dry-run", "log.txt"])
        .source(format!("fixtures/{}", CASES[0]))
        .folder(folder.path())
        .output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_in_order(
        &output.stdout,
        &["Nothing is written", "report.md", "kernel.log.gz", "Taken out as private", "drm-amd"],
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    output.snapshot("bundle__preview");
}

/// A page never exceeds the tracker's limit, and evidence is removed last.
#[test]
fn a_page_fits_its_tracker() {
    let name = "reports/five-incidents.log";
    let log = Fixture::read(name).log;
    for tracker in ["drm-amd", "mesa", "rocm", "debian", "ubuntu", "fedora", "arch"] {
        let output =
            Run::new(["report", "--stdout", "--for", tracker, "-"]).input(log.clone()).output();
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stdout.chars().count() <= 50_000, "{tracker}");
        assert!(output.stdout.contains("GPU reset begin!"), "{tracker}: {}", output.stdout);
        assert!(!output.stdout.contains('\u{1b}'));
    }
    let output = Run::new(["report", "--stdout", "-"])
        .source(format!("fixtures/{name}"))
        .input(log)
        .output();
    output.snapshot("bundle__page");
}

#[test]
fn a_tracker_that_nobody_knows_is_refused_before_anything_is_read() {
    let output = Run::new(["report", "--for", "drm-and", "missing.log"]).output();
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("drm-amd"), "{}", output.stderr);
}

/// Failures of graphics libraries, compute libraries and the driver go to their own trackers.
#[test]
fn the_layer_of_the_cause_decides_where_to_report() {
    for (fixture, tracker) in [
        ("signatures/gfx11-mes-hang/hit-mode1-after-silence.log", "drm-amd"),
        ("signatures/rocm-runner-crash/hit-library-named.log", "rocm"),
    ] {
        let log = Fixture::read(fixture).log;
        let output = Run::new(["report", "--dry-run", "-"]).input(log).output();
        let told = format!("Report it to: {tracker} (");
        assert!(output.stdout.contains(&told), "{fixture}: {}", output.stdout);
        assert!(output.stdout.contains("\n  because "), "{}", output.stdout);
    }
}

/// An archive of a machine contains its facts, and nothing that identifies its owner.
#[cfg(unix)]
#[test]
fn a_machine_tells_what_it_is_and_not_whose() {
    let machine = super::common::Machine::read("report/debian-desktop");
    let root = machine.unpacked();
    let fixture = Fixture::read(CASES[0]);
    let private = [
        "ada-tower",
        "Lovelace",
        "/home/ada",
        "SN-0042-SECRET",
        "S6Z1NX0W000042",
        "0123456789abcdef0123456789abcdef",
        "4c4c4544-0000-2010-8020-80c04f202020",
        "d8:bb:c1:00:00:01",
        "K7XW29QPL0",
    ];
    let log = format!(
        "{}\n[ 9999.000000] usb 1-2: SerialNumber: K7XW29QPL0\n[ 9999.100000] systemd[1]: Hostname set to <ada-tower>.\n[ 9999.200000] audit: USER=ada cwd=\"/home/ada/x\" enp5s0 d8:bb:c1:00:00:01\n",
        fixture.text()
    );
    fs::create_dir_all(root.path().join("var/log")).unwrap();
    fs::write(root.path().join("var/log/dmesg"), log).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let words = ["report", "-o", "report.tar.gz", "--map", "private.map", "--root"];
    let run = Run::new(words).argument(root.path()).folder(folder.path());
    let output = run.variable("XDG_CURRENT_DESKTOP", "GNOME").output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    let bundle = Unpacked::read(output, &folder.path().join("report.tar.gz"));
    let page = bundle.text("report.md");
    for told in [
        "- CPU: AMD Ryzen",
        "- Distro name and Version: Debian GNU/Linux",
        "GNOME",
        "firmware-amd-graphics",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let facts = Json::read(&bundle.text("host.json")).unwrap();
    assert!(!facts["system"]["kernel"].is_null() && !facts["gpus"].list().is_empty());
    assert!(bundle.files.keys().any(|name| name.starts_with("host/")));
    assert!(bundle.text("host.md").contains("| Distribution | Debian GNU/Linux"));
    for (name, content) in &bundle.files {
        let mut text = Vec::new();
        if GzDecoder::new(content.as_slice()).read_to_end(&mut text).is_err() {
            text.clone_from(content);
        }
        let text = String::from_utf8_lossy(&text);
        for value in private {
            assert!(!text.contains(value), "{name} has {value}");
        }
    }
    let map = fs::read_to_string(folder.path().join("private.map")).unwrap();
    assert!(map.contains("ada-tower") && map.contains("K7XW29QPL0"), "{map}");
    assert!(!bundle.files.keys().any(|name| name.contains("map")));
}

/// Whenever the run is interrupted, there is a complete archive or none.
#[cfg(unix)]
#[test]
fn an_interruption_leaves_no_part_of_an_archive() {
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let log = Fixture::read(CASES[0]).text().repeat(60);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.txt"), log).unwrap();
    let path = folder.path().join("report.tar.gz");
    let mut cut = 0;
    for step in 0..16 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_amdtriage"))
            .args(["report", "log.txt", "-o", "report.tar.gz"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(25 * step));
        child.kill().unwrap();
        child::end(child);
        match fs::File::open(&path) {
            Err(_) => cut += 1,
            Ok(file) => {
                let mut archive = tar::Archive::new(GzDecoder::new(file));
                let names: Vec<String> = archive
                    .entries()
                    .unwrap()
                    .map(|entry| entry.unwrap().path().unwrap().display().to_string())
                    .collect();
                assert!(names.last().is_some_and(|name| name.ends_with("/MANIFEST")), "{names:?}");
                fs::remove_file(&path).unwrap();
            }
        }
    }
    assert!(cut > 0, "nothing was interrupted");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left behind");
}

/// A coredump is deleted after five minutes, so it is read first.
#[cfg(unix)]
#[test]
fn a_crash_dump_that_waits_goes_with_it() {
    let machine = super::common::Machine::read("coredump-waits");
    let root = machine.unpacked();
    let folder = tempfile::tempdir().unwrap();
    let dump = "**** AMDGPU Device Coredump ****\nversion: 1\nprocess_name: game.exe PID: 4711\n";
    fs::write(root.path().join("sys/class/devcoredump/devcd3/data"), dump).unwrap();
    fs::create_dir_all(root.path().join("var/lib/systemd/pstore")).unwrap();
    fs::write(
        root.path().join("var/lib/systemd/pstore/dmesg-efi-1"),
        "Panic#1 Part1\n<0>[ 1.0] x 00:11:22:33:44:55\n",
    )
    .unwrap();
    fs::create_dir_all(root.path().join("var/log")).unwrap();
    fs::write(root.path().join("var/log/dmesg"), Fixture::read(CASES[0]).log).unwrap();
    let run = Run::new(["report", "-o", "report.tar.gz", "--root"]).argument(root.path());
    let output = run.folder(folder.path()).output();
    let bundle = Unpacked::read(output, &folder.path().join("report.tar.gz"));
    assert_eq!(bundle.text("devcoredump-1.txt"), dump);
    assert!(bundle.text("pstore/1.txt").contains("<mac-"), "{}", bundle.text("pstore/1.txt"));
    assert!(bundle.text("report.md").contains("`devcoredump-1.txt`"));
    // The other dump is of a radio.
    assert!(!bundle.files.contains_key("devcoredump-2.txt"));
}

/// A machine may have the name of a word in the pages.
#[test]
fn a_machine_may_have_any_name() {
    for name in ["report", "mesa", "mark", "chip", "timeline", "stable", "ffffff", "sudo"] {
        let log = format!(
            "Mar 04 18:35:20 {name} kernel: Linux version 6.8.0 (a@b) #45\nMar 04 18:35:21 {name} sshd[7]: \
             Accepted password for {name} from 203.0.113.9\nMar 04 18:35:23 {name} kernel: amdgpu 0000:03:00.0: \
             amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14\n"
        );
        let bundle = Unpacked::of(log.as_bytes(), &[]);
        assert!(!bundle.log().contains(&format!(" {name} ")), "{}", bundle.log());
    }
}

/// Triagers pass the archive itself to amdtriage.
#[test]
fn an_archive_is_read_as_the_log_in_it() {
    let folder = tempfile::tempdir().unwrap();
    // Lines with and without levels from one machine.
    let line = |second: u32, level: u8, text: &str| {
        format!(
            "{{\"MESSAGE\":\"{text}\",\"_TRANSPORT\":\"kernel\",\"PRIORITY\":\"{level}\",\
             \"_SOURCE_MONOTONIC_TIMESTAMP\":\"{second}000000\",\
             \"__REALTIME_TIMESTAMP\":\"17726493{second:02}000000\",\"_HOSTNAME\":\"tower\"}}\n"
        )
    };
    let mut log = line(10, 6, "Linux version 6.8.0 (a@b) #45");
    for second in 11..30 {
        log += &line(second, if second % 2 == 0 { 6 } else { 3 }, "usb 1-1: text");
    }
    log += &line(
        30,
        3,
        "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14",
    );
    log += &line(31, 6, "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!");
    log += &line(33, 6, "amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!");
    fs::write(folder.path().join("log.json"), &log).unwrap();
    let run = |words: &[&str]| Run::new(words.iter().copied()).folder(folder.path()).output();
    let made = run(&["report", "log.json", "-o", "a.tar.gz"]);
    assert_eq!(made.status, 0, "{}", made.stderr);
    let before = run(&["--format", "json", "log.json"]).json();
    let again = run(&["--format", "json", "a.tar.gz"]);
    assert_eq!(failures(&before), failures(&again.json()));
    assert_eq!(again.json()["inputs"].list().len(), 1, "{}", again.stderr);
    // A report on a report is about the log, too.
    let twice = run(&["report", "--dry-run", "a.tar.gz"]);
    assert!(twice.stdout.contains("kernel.log.gz") && !twice.stdout.contains("kernel-2"));
}

/// The log in an archive contains nothing that could control a terminal.
#[test]
fn nothing_in_the_log_of_an_archive_steers_a_terminal() {
    let log =
        "[   10.000000] amdgpu 0000:03:00.0: amdgpu: ring \u{1b}]0;x\u{7}gfx timeout\t\u{9b}31m\n";
    let bundle = Unpacked::of(log.as_bytes(), &[]);
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!bundle.log().contains(steers), "{:?}", bundle.log());
}

/// A tracker with plain text gets no markup, and Debian reads the first lines of a mail.
#[test]
fn a_tracker_without_markdown_gets_none() {
    let log = Fixture::read(CASES[0]).log;
    for tracker in ["debian", "ubuntu", "fedora"] {
        let output =
            Run::new(["report", "--stdout", "--for", tracker, "-"]).input(log.clone()).output();
        let (_, page) = output.stdout.split_once("-->\n\n").unwrap();
        for markup in ["&lt;", "<!-- -->", "\\_", "```", "**"] {
            assert!(!page.contains(markup), "{tracker}: {markup}: {page}");
        }
        assert_eq!(page.starts_with("Package: src:linux\n"), tracker == "debian", "{page}");
    }
}

#[test]
fn what_tokens_stand_for_never_takes_the_place_of_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.txt"), Fixture::read(CASES[0]).log).unwrap();
    let run = |words: &[&str]| Run::new(words.iter().copied()).folder(folder.path()).output();
    let same = run(&["report", "log.txt", "-o", "x.tar.gz", "--map", "./x.tar.gz"]);
    assert_eq!(same.status, 2, "{}", same.stderr);
    let nowhere = run(&["report", "log.txt", "-o", "nowhere/x.tar.gz", "--map", "map"]);
    assert_eq!(nowhere.status, 2, "{}", nowhere.stderr);
    assert_eq!(run(&["report", "log.txt", "--dry-run", "--map", "map"]).status, 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// If no log could be read, the page does not refer to one.
#[cfg(unix)]
#[test]
fn without_a_log_no_log_is_spoken_of() {
    let machine = super::common::Machine::read("report/debian-desktop");
    let (root, folder) = (machine.unpacked(), tempfile::tempdir().unwrap());
    fs::remove_file(root.path().join("var/log/dmesg")).unwrap();
    let run = Run::new(["report", "-o", "report.tar.gz", "--root"]).argument(root.path());
    let output = run.folder(folder.path()).output();
    let bundle = Unpacked::read(output, &folder.path().join("report.tar.gz"));
    let page = bundle.text("report.md");
    assert!(page.contains("Title: Navi 31 (gfx1100): [what fails]"), "{page}");
    assert!(
        page.contains("No kernel log could be read") && !page.contains("It shows no GPU failure")
    );
}
