//! Options are consistent over all commands, and errors in the command line have a correction.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::common::{Run, child, none, root};

/// A log for examples.
const LOG: &str = "fixtures/signatures/gfx11-mes-hang/hit-mode1-after-silence.log";

/// A command line for each command, without options for the output.
const ALL: [&[&str]; 16] = [
    &[LOG],
    &["records", LOG],
    &["events", LOG],
    &["explain", "page-fault"],
    &["check", "--root", "fixtures"],
    &["decode", "msg=3"],
    &["redact", LOG],
    &["diff", LOG, "fixtures/quiet/desktop-navi31.log"],
    &["patterns", "list"],
    &["patterns", "explain", "vram-lost", LOG],
    &["patterns", "lint"],
    &["schema"],
    &["completions", "bash"],
    &["man"],
    &["-q", LOG],
    &["--format", "html", LOG],
];

#[test]
fn every_command_that_writes_takes_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = Vec::new();
    for (number, arguments) in ALL.iter().enumerate() {
        let plain = Run::new(arguments.iter().copied()).output();
        let path = folder.path().join(number.to_string());
        fs::write(&path, "old").unwrap();
        let run = Run::new(arguments.iter().copied()).argument("-o").argument(&path).output();
        let written = fs::read_to_string(&path).unwrap();
        if run.status != plain.status || !run.stdout.is_empty() || written != plain.stdout {
            wrong.push(format!("{arguments:?}: {} {}", run.status, run.stderr));
        }
    }
    none(&wrong);
}

#[test]
fn a_file_of_metrics_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("amdtriage.prom");
    let run = Run::new(["check", "--root", "fixtures", "--format", "prometheus", "-o"]);
    let output = run.argument(&path).output();
    assert_eq!(output.stdout, "", "{}", output.stderr);
    assert!(fs::read_to_string(path).unwrap().contains("# TYPE "));
}

#[test]
fn formats_have_the_same_names_everywhere() {
    for command in [&[LOG][..], &["records", LOG], &["events", LOG], &["patterns", "lint"]] {
        let as_format = |format: &str| {
            Run::new(command.iter().copied()).argument("--format").argument(format).output()
        };
        assert_eq!(as_format("human"), as_format("table"), "{command:?}");
    }
}

/// Selections by time, boot and GPU mean the same for every command.
#[test]
fn a_part_of_a_log_is_chosen_alike() {
    let run = |arguments: &[&str]| Run::new(arguments.iter().copied()).argument(LOG).output();
    let times = ["-S", "18235s", "-U", "18235.5s"];
    let records = run(&[&["records", "--format", "ndjson"][..], &times].concat());
    assert_eq!(records.stdout.lines().count(), 4, "{}", records.stdout);
    let events = run(&[&["events", "--format", "ndjson"][..], &times].concat());
    let events: Vec<&str> = events.stdout.lines().collect();
    assert!(!events.is_empty() && events.len() < 10, "{events:?}");
    for command in [&["records"][..], &["events"], &["patterns", "explain", "vram-lost"], &[]] {
        let output = run(&[command, &["-b", "7"]].concat());
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{command:?}");
        let lines: Vec<&str> = output.stderr.lines().collect();
        assert_eq!(lines[0], "amdtriage: no boot 7: only one boot was read", "{command:?}");
        let again = [command, &["-b", "1", LOG]].concat().join(" ");
        assert_eq!(lines[1], format!("help: amdtriage {again}"));
    }
}

#[test]
fn quiet_is_one_line() {
    for arguments in [
        &[LOG][..],
        &["explain", "page-fault"],
        &["decode", "msg=3"],
        &["diff", LOG, "fixtures/quiet/desktop-navi31.log"],
    ] {
        let output = Run::new(arguments.iter().copied()).argument("-q").output();
        assert_eq!(output.stdout.lines().count(), 1, "{arguments:?}: {}", output.stdout);
    }
}

/// Five kinds of errors, for every command: each is reported in one line, followed by a valid
/// command.
#[test]
fn a_wrong_command_line_is_told_with_what_is_right() {
    let commands = [
        "",
        "records",
        "events",
        "explain",
        "check",
        "decode",
        "follow",
        "run",
        "report",
        "redact",
        "diff",
        "patterns list",
        "patterns explain",
        "patterns test",
        "patterns lint",
        "patterns coverage",
        "schema",
        "completions",
        "man",
    ];
    let mistakes = [
        "--frobnicate",
        "--csv",
        "--format pdf",
        "--boot x",
        "--output",
        "--color sometimes",
        "--quite",
    ];
    let mut wrong = Vec::new();
    for command in commands {
        for mistake in mistakes {
            let words = command.split_whitespace().chain(mistake.split(' '));
            let output = Run::new(words).output();
            let lines: Vec<&str> = output.stderr.lines().collect();
            let said = lines.first().is_some_and(|line| line.starts_with("amdtriage: "));
            let helps = lines.iter().skip(1).any(|line| line.starts_with("help: amdtriage"));
            let short = lines.len() <= 3 && lines.iter().all(|line| !line.is_empty());
            if !(said && helps && short && output.status == 2 && output.stdout.is_empty()) {
                wrong.push(format!("amdtriage {command} {mistake}: {}", output.told()));
            }
        }
    }
    none(&wrong);
}

#[test]
fn a_mistyped_command_is_known() {
    for (typed, told, help) in [
        (&["chekc"][..], "unknown command `chekc`; did you mean `check`?", "amdtriage check"),
        (
            &["explian", "page-fault"],
            "unknown command `explian`; did you mean `explain`?",
            "amdtriage explain page-fault",
        ),
        (
            &["--no-pager", "check"],
            "`check` is a command; commands come first, then options and files",
            "amdtriage check --no-pager",
        ),
        (
            &["lint", "mine"],
            "unknown command `lint`; did you mean `patterns lint`?",
            "amdtriage patterns lint mine",
        ),
    ] {
        let output = Run::new(typed.iter().copied()).output();
        assert_eq!(output.stderr, format!("amdtriage: {told}\nhelp: {help}\n"), "{typed:?}");
        assert_eq!(output.status, 2);
    }
    // A file of that name is read as a file.
    let folder = tempfile::tempdir().unwrap();
    fs::copy(root(LOG), folder.path().join("chekc")).unwrap();
    let output = Run::new(["-q", "chekc"]).folder(folder.path()).output();
    assert_eq!(output.status, 1, "{}", output.stderr);
}

#[test]
fn all_that_has_a_name_is_listed() {
    let listed = Run::new(["patterns", "list", "-q"]).output().stdout;
    for name in ["vram-lost", "fw-update", "page-fault"] {
        assert!(listed.lines().any(|line| line == name), "{name}");
    }
    // Output for programs is unchanged.
    let objects = |arguments: &[&str]| Run::new(arguments.iter().copied()).output().stdout;
    let usual = objects(&["patterns", "list", "--format", "ndjson"]);
    assert_eq!(usual, objects(&["patterns", "list", "signatures", "--format", "ndjson"]));
}

/// Runs on a terminal of 80 columns and 24 lines, with script(1); `None` if it is not installed.
fn on_a_terminal(folder: &Path, variables: &str, arguments: &str) -> Option<String> {
    let program = env!("CARGO_BIN_EXE_amdtriage");
    let inner = format!("stty cols 80 rows 24; {variables} {program} {arguments} < /dev/null");
    let mut script = Command::new("script");
    script.args(["-qec", &inner, "/dev/null"]).current_dir(root("")).env("TERM", "xterm");
    for name in ["PAGER", "AMDTRIAGE_PAGER", "LESS", "LC_ALL", "NO_COLOR"] {
        script.env_remove(name);
    }
    script.env("LANG", "C.UTF-8").env("XDG_CONFIG_HOME", folder);
    let Ok(output) = child::run(&mut script) else {
        eprintln!("skipped: no script(1)");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_terminal_gets_its_width_ascii_and_a_pager() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        |variables: &str, arguments: &str| on_a_terminal(folder.path(), variables, arguments);
    let list = "patterns list";
    let Some(plain) = text("", &format!("{list} --no-pager")) else { return };
    assert!(plain.contains("vram-lost") && plain.lines().count() > 100);
    // Root does not run a pager that the caller names, and less waits for a reader.
    if !rustix::process::geteuid().is_root() {
        let variable = "AMDTRIAGE_PAGER='sed s/vram-lost/THROUGH-THE-PAGER/'";
        let shown = text(variable, list).unwrap();
        assert!(shown.contains("THROUGH-THE-PAGER"), "{shown}");
        let short = text(variable, "-q fixtures/quiet/desktop-navi31.log").unwrap();
        assert!(short.contains("No GPU failure found"), "{short}");
    }
    let diff = "diff fixtures/compare/kernel-update/good.log fixtures/compare/kernel-update/bad.log --no-pager";
    let utf8 = text("", diff).unwrap();
    let ascii = text("LC_ALL=C", diff).unwrap();
    assert!(utf8.contains('→') && ascii.is_ascii() && ascii.contains("->"), "{ascii}");
}

/// Binary output is not written to a terminal.
#[cfg(feature = "columns")]
#[test]
fn a_terminal_gets_no_columns() {
    let folder = tempfile::tempdir().unwrap();
    for (format, name) in [("parquet", "Parquet"), ("arrow", "Arrow")] {
        let arguments = format!("rows --format {format} fixtures/formats/dmesg.log");
        let Some(told) = on_a_terminal(folder.path(), "", &arguments) else { return };
        let told: Vec<&str> = told.lines().map(str::trim_end).collect();
        assert_eq!(
            told,
            [
                format!("amdtriage: cannot write {name} to a terminal: it is not text"),
                format!("help: amdtriage {arguments} > rows.{format}"),
            ]
        );
    }
}
