//! Facts about a machine for a bug report: as JSON and as a table, and files that are never opened.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use amdtriage::builtin;
use amdtriage::host::about::{About, Asked, Help, Private, PrivateKind, Session, debug_files};
use amdtriage::host::process::Process;
use amdtriage::host::{
    Answer, Direct, Files, Host, Program, Property, Question, Ran, Refusal, Watch,
};
use amdtriage::pattern::Patterns;
use amdtriage::report::host::{HostFacts, json, table};
use amdtriage::report::json::schema::Subject;

use super::common::schema::holds;
use super::common::{Machine, child, root, snapshot};

/// Records questions, and simulates the answers of programs.
struct Recorded<F> {
    files: F,
    asked: Vec<Question>,
    programs: fn(&Program) -> Answer,
}

impl Recorded<Direct> {
    fn new(root: &Path) -> Self {
        let files = Direct::new(Some(root.to_owned()));
        Self { files, asked: Vec::new(), programs: |_| Answer::Refused(Refusal::Missing) }
    }

    /// The paths of files that were opened or listed.
    fn opened(&self) -> BTreeSet<&str> {
        let opens = |question: &&Question| {
            matches!(question, Question::Read { .. } | Question::List { .. })
        };
        self.asked.iter().filter(opens).map(Question::path).collect()
    }

    fn ran(&self) -> Vec<&Program> {
        let program = |question: &'_ Question| matches!(question, Question::Run(_));
        self.asked
            .iter()
            .filter(|question| program(question))
            .filter_map(|question| match question {
                Question::Run(run) => Some(&run.program),
                _ => None,
            })
            .collect()
    }
}

impl<F: Files> Files for Recorded<F> {
    fn ask(&mut self, question: &Question) -> Answer {
        self.asked.push(question.clone());
        match question {
            Question::Run(run) => (self.programs)(&run.program),
            _ => self.files.ask(question),
        }
    }
}

fn read(files: &mut dyn Files, patterns: &Patterns, asked: &Asked) -> (Host, About) {
    let host = Host::read(files, &patterns.hardware, Watch::Once);
    let about = About::read(files, &host, patterns, asked);
    (host, about)
}

fn asked(name: &str) -> Asked {
    Asked {
        session: Session {
            kind: Some("wayland".to_owned()),
            desktop: (name == "report/debian-desktop").then(|| "GNOME".to_owned()),
        },
        process: (name == "report/rocm-mi50").then_some(4242),
        ..Asked::default()
    }
}

#[test]
fn machines_as_a_report_tells_of_them() {
    let patterns = builtin::patterns();
    for machine in Machine::of_reports() {
        let folder = machine.unpacked();
        let mut files = Recorded::new(folder.path());
        let (host, about) = read(&mut files, &patterns, &asked(&machine.name));
        let facts = HostFacts { host: &host, about: &about, patterns: &patterns };
        let name = machine.name.replace('/', "__");
        let made_by = |what: &str| {
            format!("facts of a report on fixtures/machines/{}.tree: {what}", machine.name)
        };
        let mut text = Vec::new();
        json::write(facts, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        holds(Subject::Host, &name, &text);
        let mut settings = insta::Settings::clone_current();
        // The owner of the files varies.
        settings.add_filter(
            r#""group": (null|"[a-z]+"),(\s+)"usable": (true|false)"#,
            "\"group\": \"…\",$2\"usable\": \"…\"",
        );
        if machine.name == "report/debian-desktop" {
            settings.bind(|| snapshot(&format!("host__{name}__json"), &made_by("as JSON"), &text));
        }
        let table = table::markdown(facts, &mut str::to_owned);
        snapshot(&format!("host__{name}__table"), &made_by("as a table of Markdown"), &table);
        let texts: Vec<String> = about
            .attachments
            .iter()
            .filter_map(|one| Some((one, one.content.as_ref().ok()?)))
            .map(|(one, bytes)| {
                let text = String::from_utf8_lossy(bytes);
                format!(
                    "== {} of {}\n{}\n",
                    one.name,
                    one.origin,
                    text.escape_debug().to_string().replace("\\n", "\n").replace("\\t", "\t")
                )
            })
            .collect();
        snapshot(
            &format!("host__{name}__attachments"),
            &made_by("the files that are attached"),
            &texts.concat(),
        );
    }
}

#[test]
fn nothing_is_opened_in_debugfs_that_is_not_listed() {
    let patterns = builtin::patterns();
    // A new file must be added here, after checking in the driver what reading it does.
    assert_eq!(
        debug_files(),
        [
            "amdgpu_firmware_info",
            "amdgpu_fence_info",
            "ttm_page_pool",
            "state",
            "amdgpu_pm_info",
            "amdgpu_gfxoff_status",
            "amdgpu_dm_dmub_tracebuffer",
            "link_settings",
            "psr_state",
        ]
    );
    let allowed: BTreeSet<&str> = debug_files().into_iter().collect();
    let mut seen = BTreeSet::new();
    for machine in Machine::of_reports() {
        let folder = machine.unpacked();
        for runs in [false, true] {
            let mut files = Recorded::new(folder.path());
            let asked = Asked { runs, ..asked(&machine.name) };
            read(&mut files, &patterns, &asked);
            for question in &files.asked {
                let path = question.path();
                if !path.starts_with("/sys/kernel/debug") {
                    continue;
                }
                let name = path.rsplit('/').next().unwrap();
                // Checking the existence of a directory opens nothing.
                if matches!(question, Question::Status { .. }) {
                    assert!(name.parse::<u32>().is_ok(), "{question:?}");
                    continue;
                }
                assert!(matches!(question, Question::Read { .. }), "{question:?}");
                assert!(allowed.contains(name), "{question:?}");
                seen.insert(name.to_owned());
            }
        }
    }
    // The test sees every read, and the fixtures contain files that must not be read.
    assert_eq!(seen.len(), allowed.len(), "{seen:?}");
    let commands =
        ["recover", "evict", "test_ib", "benchmark", "regs", "wave", "trigger", "preempt"];
    for name in &allowed {
        assert!(!commands.iter().any(|command| name.contains(command)), "{name}");
    }
    let tree = fs::read_to_string(root("fixtures/machines/report/root-debugfs.tree")).unwrap();
    assert!(tree.contains("/amdgpu_gpu_recover\n") && tree.contains("/amdgpu_wave\n"));
}

/// Files that would wake the GPU or block on it say so in the fixtures, and must not be read.
#[test]
fn nobody_wakes_or_waits_for_a_gpu() {
    let patterns = builtin::patterns();
    for name in ["report/laptop-asleep", "report/hangs", "report/root-debugfs"] {
        let machine = Machine::read(name);
        let folder = machine.unpacked();
        let mut files = Recorded::new(folder.path());
        files.programs = |_| Answer::Ran(Ran { output: b"said\n".to_vec(), cut: false });
        let (_, about) = read(&mut files, &patterns, &Asked { runs: true, ..asked(name) });
        for path in files.opened() {
            let text =
                fs::read(folder.path().join(path.trim_start_matches('/'))).unwrap_or_default();
            assert!(!text.starts_with(b"this must never be read"), "{name}: {path}");
        }
        let opening: Vec<&&Program> = Vec::new();
        let ran = files.ran();
        let ran: Vec<&&Program> =
            ran.iter().filter(|program| program.has(Property::OpensGpu)).collect();
        let why = about.attachments.iter().find(|one| one.name == "host/rocminfo.txt").unwrap();
        match name {
            "report/laptop-asleep" => {
                assert_eq!(
                    (ran, &why.content, why.help),
                    (opening, &Err(Refusal::Asleep), Some(Help::Wake))
                );
            }
            "report/hangs" => {
                assert_eq!(
                    (ran, &why.content, why.help),
                    (opening, &Err(Refusal::GpuHangs), Some(Help::Restart))
                );
            }
            _ => assert!(ran.contains(&&&Program::Rocminfo), "{ran:?}"),
        }
    }
}

#[test]
fn what_is_never_read() {
    let patterns = builtin::patterns();
    for machine in Machine::of_reports() {
        let folder = machine.unpacked();
        let mut files = Recorded::new(folder.path());
        let asked = Asked { runs: true, ..asked(&machine.name) };
        let (host, about) = read(&mut files, &patterns, &asked);
        for path in files.opened() {
            let name = path.rsplit('/').next().unwrap();
            assert!(
                ![
                    "edid",
                    "unique_id",
                    "serial_number",
                    "product_serial",
                    "product_uuid",
                    "gpu_vram_bad_pages"
                ]
                .contains(&name),
                "{path}"
            );
            assert!(
                !["/etc/passwd", "/etc/machine-id", "/etc/hostname", "/etc/shadow"].contains(&path),
                "{path}"
            );
            assert!(!path.contains("/../"), "{path}");
        }
        let facts = HostFacts { host: &host, about: &about, patterns: &patterns };
        let mut told = Vec::new();
        json::write(facts, &mut told).unwrap();
        told.extend(table::markdown(facts, &mut str::to_owned).into_bytes());
        told.extend(about.attachments.iter().filter_map(|one| one.content.clone().ok()).flatten());
        let told = String::from_utf8_lossy(&told);
        for secret in [
            "SECRET",
            "sk-secret",
            "nope",
            "ada-tower",
            "4a1b2c3d4e5f6071",
            "0123456789abcdef0123456789abcdef",
            "12-34-56-78-9a-bc-de-f0",
            "2449041235874969795",
            "Ada",
        ] {
            assert!(!told.contains(secret), "{}: {secret}", machine.name);
        }
        for harmful in ['\u{1b}', '\u{7}', '\u{202e}'] {
            let table = table::markdown(facts, &mut str::to_owned);
            assert!(!table.contains(harmful), "{}", machine.name);
        }
        for one in &about.attachments {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
            assert!(
                one.name.chars().all(plain)
                    && !one.name.contains("..")
                    && !one.name.starts_with('/'),
                "{}",
                one.name
            );
        }
        let names: BTreeSet<&String> = about.attachments.iter().map(|one| &one.name).collect();
        assert_eq!(names.len(), about.attachments.len(), "{}", machine.name);
    }
}

#[test]
fn private_values_are_those_that_there_are() {
    let folder = Machine::read("report/debian-desktop").unpacked();
    let private = Private::read(&mut Direct::new(Some(folder.path().to_owned())));
    let told: Vec<String> =
        private.values.iter().map(|(kind, value)| format!("{kind:?} {value}")).collect();
    let made_by = "private values of fixtures/machines/report/debian-desktop.tree";
    snapshot("host__private", made_by, &told.join("\n"));
    assert!(private.values.contains(&(PrivateKind::GpuSerial, "4a1b2c3d4e5f6071".to_owned())));
}

/// Opens the files of a directory without the restrictions of `--root`, so that a FIFO blocks.
struct Below {
    process: Process,
    root: String,
}

impl Files for Below {
    fn ask(&mut self, question: &Question) -> Answer {
        let below = |path: &String| format!("{}{path}", self.root);
        let question = match question {
            Question::Read { path, offset, limit } => {
                Question::Read { path: below(path), offset: *offset, limit: *limit }
            }
            Question::List(path) => Question::List(below(path)),
            Question::Link(path) => Question::Link(below(path)),
            Question::Status(path) => Question::Status(below(path)),
            Question::Run(_) => return Answer::Refused(Refusal::Elsewhere),
        };
        self.process.ask(&question)
    }
}

/// A FIFO without a writer simulates a file of a driver that hangs.
#[test]
fn a_file_that_hangs_costs_its_time_once() {
    let machine = Machine::read("report/debian-desktop");
    let folder = machine.unpacked();
    let gpu = "sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0";
    for file in ["hwmon/hwmon3/temp1_input", "hwmon/hwmon3/power1_average", "pp_dpm_sclk"] {
        let path = folder.path().join(gpu).join(file);
        fs::remove_file(&path).unwrap();
        let made = child::run(std::process::Command::new("mkfifo").arg(&path)).unwrap().status;
        assert!(made.success());
    }
    let program = PathBuf::from(env!("CARGO_BIN_EXE_amdtriage"));
    let mut process = Process::new(program, None);
    process.patient(Duration::from_millis(700));
    let mut files = Below { process, root: folder.path().display().to_string() };
    let patterns = builtin::patterns();
    let start = Instant::now();
    let (host, about) = read(&mut files, &patterns, &Asked::default());
    // Files in the same directory as one that hangs are skipped.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(about.hung.iter().any(|unread| unread.why == Refusal::TimedOut), "{:?}", about.hung);
    let facts = HostFacts { host: &host, about: &about, patterns: &patterns };
    let lack = facts.lacks().into_iter().find(|lack| lack.why == Refusal::TimedOut).unwrap();
    assert_eq!(lack.help, Some(Help::Restart));
    // Facts that are independent of the GPU are complete.
    let table = table::markdown(facts, &mut str::to_owned);
    assert!(table.contains("| Distribution | Debian GNU/Linux 13 (trixie) |"), "{table}");
}

/// Each would use up its time limit, and be abandoned.
#[test]
fn one_program_that_waits_for_the_gpu_is_enough() {
    let folder = Machine::read("report/root-debugfs").unpacked();
    let mut files = Recorded::new(folder.path());
    files.programs = |_| Answer::Refused(Refusal::TimedOut);
    let patterns = builtin::patterns();
    let (_, about) = read(&mut files, &patterns, &Asked { runs: true, ..Asked::default() });
    let ran = files.ran();
    let opening: Vec<&&Program> =
        ran.iter().filter(|program| program.has(Property::OpensGpu)).collect();
    assert_eq!(opening, [&&Program::Vulkaninfo]);
    assert!(ran.contains(&&Program::Dkms), "{ran:?}");
    let why = |name: &str| about.attachments.iter().find(|one| one.name.ends_with(name)).unwrap();
    assert_eq!(why("amdgpu_pm_info.txt").content, Err(Refusal::GpuHangs));
    assert!(why("amdgpu_fence_info.txt").content.is_ok());
}

/// Works on any machine, for any user.
#[test]
fn this_machine_can_be_told_of() {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_amdtriage"));
    let mut files = Process::new(program, None);
    let patterns = builtin::patterns();
    let (host, about) = read(&mut files, &patterns, &Asked { runs: true, ..Asked::default() });
    let facts = HostFacts { host: &host, about: &about, patterns: &patterns };
    let mut text = Vec::new();
    json::write(facts, &mut text).unwrap();
    holds(Subject::Host, "this machine", str::from_utf8(&text).unwrap());
    // Prints the result on request.
    if std::env::var_os("SHOW_HOST").is_some() {
        eprintln!(
            "{}\n{}",
            table::markdown(facts, &mut str::to_owned),
            String::from_utf8_lossy(&text)
        );
    }
    assert!(table::markdown(facts, &mut str::to_owned).contains("| Kernel | "));
}
