//! `explain` and `events --unknown`: names, single lines, and lines without a message.

use std::fmt::Write as _;
use std::fs;

use amdtriage::document::untrusted::is_harmful;
use amdtriage::kind::Kind;
use amdtriage::pattern::source::SourceFile;

use super::common::{Output, Run, none, root};

/// An event of two lines, a line of another program, an unknown line, a text without its prefix.
const LINES: &str = "\
<3>[  913.550412] amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=88120, emitted seq=88122
<3>[  913.550431] amdgpu 0000:2d:00.0: amdgpu:  Process render pid 3120 thread render:cs0 pid 3127
<6>[  913.550440] usb 1-1: new device
<6>[  913.550441] usb 1-2: new device
<3>[  913.550442] [drm:amdgpu_frob [amdgpu]] *ERROR* cannot frob 'a b' of vcn_unified_0 (-22)
GPU reset begin!
";

/// A page fault whose register is decoded.
const FAULT: &str = "\
[   10.000001] amdgpu 0000:2d:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game pid 7 thread game:cs0 pid 8)
[   10.000003] amdgpu 0000:2d:00.0: amdgpu:   in page starting at address 0x0000000000201000 from client 0x1b (UTCL2)
[   10.000004] amdgpu 0000:2d:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031
";

/// A program's output, without an envelope.
const PROGRAM: &str = "Memory access fault by GPU node-1 (Agent handle: 0x55d2f8) on address \
                       0x7f3a5c400000. Reason: Page not present or supervisor privilege.";

/// A log with many unknown lines.
const UNKNOWN: &str = "\
<6>[    1.000000] amdgpu 0000:2d:00.0: amdgpu: frobbing block 3
<3>[    2.000000] amdgpu 0000:2d:00.0: amdgpu: cannot frob 7 \"as\\is\"
<6>[    3.000000] amdgpu 0000:2d:00.0: amdgpu: frobbing block 4
<3>[    4.000000] amdgpu 0000:2d:00.0: amdgpu: cannot frob 8 \"as\\was\"
<6>[    5.000000] [drm:amdgpu_frob [amdgpu]] *ERROR* lost 7 frobs of 0x00ff
";

fn explain(arguments: &[&str], input: &str) -> Output {
    let explain = ["explain"].iter().chain(arguments);
    Run::new(explain).input(input).output()
}

fn snapshot(name: &str, output: &Output) {
    output.snapshot(&format!("explain__{name}"));
}

/// Names that rarely change.
#[test]
fn names_are_explained() {
    for (name, id) in [
        ("kind", "pageflip-timeout"),
        ("message", "mes-no-response-named"),
        ("signature", "reset-never-completed"),
        ("advice", "split-gpu"),
    ] {
        snapshot(name, &explain(&[id], ""));
    }
    snapshot("json__signature", &explain(&["--format", "json", "reset-never-completed"], ""));
}

#[test]
fn lines_are_explained() {
    snapshot("lines", &explain(&[], LINES));
    snapshot("json__lines", &explain(&["--format", "json", "-"], LINES));
    snapshot("fault", &explain(&[], FAULT));
    snapshot("program", &explain(&[PROGRAM], ""));
    // The same lines as arguments give the same result.
    let arguments: Vec<&str> = LINES.lines().collect();
    assert_eq!(explain(&arguments, ""), explain(&[], LINES));
}

#[test]
fn a_name_may_stand_for_several_things() {
    let output = explain(&["ring-timeout"], "");
    assert!(output.stdout.contains("ring-timeout: a kind of event"), "{}", output.stdout);
    assert!(output.stdout.contains("ring-timeout: a message"), "{}", output.stdout);
}

#[test]
fn everything_that_has_a_name_is_explained_within_80_columns() {
    let patterns = amdtriage::builtin::patterns();
    let mut ids: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    ids.extend(patterns.messages.iter().map(|message| message.id.as_str()));
    ids.extend(patterns.signatures.iter().map(|signature| signature.id.as_str()));
    let output = Run::new(["explain"].iter().chain(&ids)).output();
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let mut commands: Vec<&str> = patterns
        .advice
        .iter()
        .flat_map(|one| &one.commands)
        .flat_map(|one| one.text.lines())
        .collect();
    commands.extend(patterns.signatures.iter().flat_map(|one| &one.references).map(String::as_str));
    // Commands and words are not broken.
    let wide = output.stdout.lines().filter(|line| {
        let text = line.trim();
        line.chars().count() > 80 && text.contains(' ') && !commands.contains(&text)
    });
    let wide = wide.filter(|line| line.split_whitespace().all(|word| word.len() < 40));
    none(&wide.map(str::to_owned).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_explained_is_said() {
    for (arguments, input, sentence) in [
        (
            &["pagefault"][..],
            "",
            "unknown name `pagefault`; did you mean `page-fault`?\nhelp: amdtriage explain page-fault",
        ),
        (&["xyzzy"], "", "unknown name `xyzzy`\nhelp: amdtriage patterns list\n"),
        (
            &["hello world"],
            "",
            "no known meaning for any of these lines\nhelp: dmesg | tail -n 20 | amdtriage explain",
        ),
        (
            &[],
            "amdgpu: frobbed 7 things\n",
            "no known meaning for any of these lines\nhelp: dmesg | amdtriage events --unknown",
        ),
        (&[], "", "standard input is empty\nhelp: "),
    ] {
        let output = explain(arguments, input);
        assert_eq!(output.status, 2, "{arguments:?}");
        assert!(output.stderr.contains(sentence), "{arguments:?}: {}", output.stderr);
    }
    // What is known is explained nevertheless.
    let output = explain(&["pagefault", "split-gpu"], "");
    assert_eq!(output.status, 2);
    assert!(output.stdout.starts_with("split-gpu: advice"), "{}", output.stdout);
    let unknown = explain(&["amdgpu: frobbed 7 things"], "").stdout;
    let unknown = unknown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        unknown.contains("recognised as a line of the driver, but the catalogue has no message"),
        "{unknown}"
    );
}

/// Log text cannot control the terminal in any format.
#[test]
fn hostile_lines_are_harmless() {
    let lines = "\
[    1.000000] amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, but soft recovered\u{1b}[31m
[    2.000000] amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2
[    3.000000] amdgpu 0000:2d:00.0: amdgpu:  Process \u{1b}]0;x\u{7}\u{202e}evil pid 7 thread \u{9b}2J pid 8
[    4.000000] amdgpu 0000:2d:00.0: amdgpu: frobbed \u{1b}[2J\u{202e}'%s %{_:s} {x}' \"\"\" \\u001b \u{1}
[    5.000000] \u{1b}[2Jhello
";
    for (command, arguments) in [
        ("explain", &["--format", "human"][..]),
        ("explain", &["--format", "json"]),
        ("events", &["--unknown"]),
        ("events", &["--unknown", "--format", "ndjson"]),
        ("events", &["--unknown", "--format", "toml"]),
        ("events", &[]),
    ] {
        let output = Run::new([command].iter().chain(arguments)).input(lines).output();
        for text in [&output.stdout, &output.stderr] {
            let found = text.chars().find(|c| *c != '\n' && is_harmful(*c));
            assert_eq!(found, None, "{command} {arguments:?}: {text:?}");
        }
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{command} {arguments:?}");
    }
    for argument in ["\u{1b}[31m", "a\u{1b}[31m b"] {
        let output = explain(&[argument], "");
        assert!(!output.stderr.contains('\u{1b}') && !output.stdout.contains('\u{1b}'));
    }
}

/// Commands are those for one distribution, with a reference to the others; programs get all.
#[test]
fn commands_are_for_one_distribution() {
    let all = explain(&["--distro", "any", "fw-update"], "").stdout;
    assert!(all.contains("apt") && all.contains("pacman") && !all.contains("Other"), "{all}");
    let one = explain(&["--distro", "mint", "fw-update"], "").stdout;
    assert!(one.contains("sudo apt") && !one.contains("pacman"), "{one}");
    assert!(one.contains("Other distributions: amdtriage explain --distro any fw-update"), "{one}");
    let json = explain(&["--format", "json", "fw-update"], "").stdout;
    assert!(json.contains("apt") && json.contains("pacman"), "{json}");
}

#[test]
fn very_long_input_is_explained_as_far_as_anybody_reads() {
    let line = LINES.lines().nth(2).unwrap();
    let mut input = LINES.to_owned();
    for _ in 0..40_000 {
        writeln!(input, "{line}").unwrap();
    }
    let output = explain(&[], &input);
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("only its beginning was"), "{}", output.stderr);
    assert!(output.stdout.contains("ring gfx_0.0.0"), "{}", output.stdout);
    assert!(output.stdout.lines().count() < 400, "the same again is folded");
}

#[test]
fn unknown_lines_are_listed() {
    for format in ["table", "toml"] {
        let output = Run::new(["events", "--unknown", "--format", format]).input(UNKNOWN).output();
        snapshot(&format!("unknown__{format}"), &output);
    }
    let report = Run::human(UNKNOWN).output();
    // The sentence continues on the next line, and the number is not repeated.
    assert_eq!(report.stdout.matches("3 error lines of the driver").count(), 1);
    assert_eq!(report.stdout.matches("--unknown").count(), 1);
    snapshot("unknown__report", &Run::human(UNKNOWN).argument("--unknown").output());
    let json = Run::json(UNKNOWN).argument("--unknown").output().json();
    let listed = Run::new(["events", "--unknown", "--format", "ndjson"]).input(UNKNOWN).output();
    assert_eq!(json["unknown"].list().len(), listed.stdout.lines().count());
    assert!(!Run::json(UNKNOWN).output().json().keys().contains(&"unknown"));
    // The format is only for lists of unknown lines.
    assert_eq!(Run::new(["events", "--format", "toml"]).input(UNKNOWN).output().status, 2);
}

/// A draft of a pattern file loads after its TODOs are filled in, and recognises the lines that it
/// was made from.
#[test]
fn the_beginning_of_a_pattern_file_loads() {
    let folder = tempfile::tempdir().unwrap();
    let many = "\
[    1.000000] [TTM] frobbed 7% of 'the pool' (0x00ff, -12)
[    2.000000] [drm] frob of process a b c pid 7 thread a:cs0 pid 8 at 0000:2d:00.0
[    3.000000] amdgpu 0000:2d:00.0: amdgpu: 5: 6
[    4.000000] amdgpu 0000:2d:00.0: amdgpu: {frob} \\n \u{1b}[2J amdgpu/frob_1.bin, ring frob_0.0.0
[    5.000000] amdgpu 0000:2d:00.0: amdgpu: frobbed deadbeef01 in 24560M
";
    for log in [UNKNOWN, many] {
        let run = |arguments: &[&str]| Run::new(arguments).input(log).output();
        let toml = run(&["events", "--unknown", "--format", "toml"]).stdout;
        let filled = toml.replace("event  = \"TODO\"", "event  = \"setup-note\"");
        let file = SourceFile { path: "mine.toml".to_owned(), text: filled.clone() };
        if let Err(mistakes) = amdtriage::builtin::patterns().extended(&[file]) {
            panic!("{}\n{toml}", mistakes[0]);
        }
        fs::write(folder.path().join("mine.toml"), filled).unwrap();
        let own = folder.path().display().to_string();
        let left = run(&["events", "--unknown", "--patterns", &own]);
        // Except for lines without words of their own.
        let left: Vec<&str> =
            left.stdout.lines().skip(1).filter(|l| !l.contains("%{_:d}: %{")).collect();
        assert!(left.is_empty(), "{left:#?}");
    }
}

#[test]
fn events_are_filtered() {
    let log = "\
[    1.000000] amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2
[    2.000000] amdgpu 0000:03:00.0: amdgpu: ring sdma0 timeout, signaled seq=1, emitted seq=2
[    3.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
";
    let lines = |arguments: &[&str]| {
        let events = ["events"].iter().chain(arguments);
        let output = Run::new(events).input(log).output();
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{arguments:?}");
        let line = |row: &str| row.split_whitespace().next().unwrap().to_owned();
        output.stdout.lines().skip(1).map(line).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(lines(&[]), "1 2 3");
    assert_eq!(lines(&["--kind", "ring-timeout"]), "1 2");
    assert_eq!(lines(&["--kind", "ring-timeout", "--kind", "reset-begin"]), "1 2 3");
    assert_eq!(lines(&["--device", "0000:03:00.0"]), "2 3");
    assert_eq!(lines(&["--device", "03:00.0", "--kind", "ring-timeout"]), "2");
    for wrong in [&["--kind", "ring-timout"][..], &["--device", "card0"]] {
        let output = Run::new(["events"].iter().chain(wrong)).input(log).output();
        assert_eq!(output.status, 2, "{wrong:?}");
    }
    let device = |log: &str| Run::new(["events"]).input(log).output().stdout.contains("0000:03");
    assert!(device(log), "of several GPUs each is named");
    assert!(!device(&log.replace("2d:00", "03:00")), "of one there is nothing to tell apart");
}

/// The list of events is written without waiting for the widest row.
#[test]
fn a_list_of_events_is_one_line_each() {
    let log = fs::read(root("fixtures/signatures/compute-page-fault/hit-kernel-and-runtime.log"));
    let log = log.unwrap();
    let table = Run::new(["events"]).input(log.clone()).output().stdout;
    let objects = Run::new(["events", "--format", "ndjson"]).input(log).output().stdout;
    assert_eq!(table.lines().count(), objects.lines().count() + 1);
}

/// On a page of limited width no line is wider, whatever is in it; a command stays whole.
#[test]
fn lists_fit_the_page() {
    let log = "fixtures/signatures/vram-lost/hit-line-with-device.log";
    let folder = "fixtures/signatures/vram-lost";
    for arguments in [
        &["events", log][..],
        &["records", log],
        &["patterns", "list"],
        &["patterns", "list", "kinds"],
        &["--color", "never", folder],
        &["decode", "0x00801031", "--gfx", "gfx1100"],
    ] {
        for width in [40, 60, 80, 132] {
            let run = Run::new(arguments.iter().copied());
            let output = run.variable("COLUMNS", &width.to_string()).output();
            let over = output.stdout.lines().find(|line| line.chars().count() > width);
            assert!(over.is_none_or(|line| line.contains("/asic_reg")), "{arguments:?}: {over:?}");
        }
    }
}

#[test]
fn a_file_is_no_name() {
    for (arguments, told, help) in [
        (
            &["explain", "fixtures/formats/dmesg.log"][..],
            "fixtures/formats/dmesg.log is a file; explain takes names or lines of a log",
            "amdtriage fixtures/formats/dmesg.log",
        ),
        (
            &["explain", "fixtures"],
            "fixtures is a directory; explain takes names or lines of a log",
            "amdtriage fixtures",
        ),
        (
            &["decode", "fixtures/formats/dmesg.log"],
            "fixtures/formats/dmesg.log is a file; decode takes a value from a log",
            "amdtriage fixtures/formats/dmesg.log",
        ),
    ] {
        let output = Run::new(arguments.iter().copied()).output();
        let wanted = format!("amdtriage: {told}\nhelp: {help}\n");
        assert!(output.stderr.starts_with(&wanted), "{}", output.stderr);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    }
}

#[test]
fn each_explanation_has_its_question() {
    let names = ["-125", "PAGE-FAULT", "page_fault", "xyzzy"];
    let arguments = ["explain", "--format", "json"].iter().chain(&names);
    let output = Run::new(arguments.copied()).output();
    assert_eq!(output.status, 2);
    let answer = output.json();
    let types: Vec<(&str, &str)> = answer["explanations"]
        .list()
        .iter()
        .map(|one| (one["query"].text(), one["type"].text()))
        .collect();
    let want = ["value", "kind", "unknown", "unknown"];
    for (name, kind) in names.into_iter().zip(want) {
        assert!(types.contains(&(name, kind)), "{name}: {types:?}");
    }
    let near = |at: usize| answer["explanations"].list()[at]["near"].list().len();
    assert_eq!((near(types.len() - 2) > 0, near(types.len() - 1)), (true, 0));
}
