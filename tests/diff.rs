//! `diff`: two boots compared, for people and programs.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::common::{Fixture, Output, Run};

/// Pairs of logs, and the exit status of their comparison.
const PAIRS: [(&str, i32); 8] = [
    ("kernel-update", 1),
    ("firmware-update", 0),
    ("parameter-added", 1),
    ("card-moved", 0),
    ("good-ends-early", 1),
    ("same-failure", 0),
    ("filtered-good", 1),
    ("nothing-differs", 0),
];

/// A directory with the logs of a pair.
fn folder(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let fixtures = Fixture::all(&format!("compare/{name}"));
    for fixture in fixtures {
        let file = fixture.name.rsplit('/').next().unwrap();
        fs::write(folder.path().join(file), fixture.log).unwrap();
    }
    folder
}

#[test]
fn pairs_say_what_their_headers_say() {
    for fixture in Fixture::all("compare") {
        let report = fixture.report().json();
        assert_eq!(report.diagnosed(), fixture.says, "{}", fixture.name);
        assert_eq!(report["notices"].each("id"), fixture.notices, "{}", fixture.name);
    }
}

fn diff(folder: &Path, arguments: &[&str]) -> Output {
    run(folder, arguments).output()
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    let arguments = [&["diff", "--color", "never"], arguments].concat();
    Run::new(arguments).variable("TZ", "UTC").folder(folder)
}

/// The origin of the logs of a pair.
fn source(name: &str) -> String {
    format!("in fixtures/compare/{name}")
}

#[test]
fn pairs_in_every_format() {
    for (name, status) in PAIRS {
        let folder = folder(name);
        for format in ["human", "markdown", "json"] {
            let arguments = ["--format", format, "good.log", "bad.log"];
            let output = run(folder.path(), &arguments).source(source(name)).output();
            assert_eq!(output.status, status, "{name}: {}", output.told());
            assert_eq!(output.stderr, "", "{name}");
            // The other formats have the same content.
            if format == "human" || name == "kernel-update" {
                output.snapshot(&format!("diff__{name}__{format}"));
            }
        }
    }
}

#[test]
fn a_page_fits_eighty_columns_and_a_screen() {
    for (name, _) in PAIRS {
        let folder = folder(name);
        let page = diff(folder.path(), &["good.log", "bad.log"]).stdout;
        let wide: Vec<&str> = page.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{name}: {wide:#?}");
        assert!(page.lines().count() <= 70, "{name}: {} lines", page.lines().count());
    }
}

#[test]
fn everything_that_is_the_same_is_shown_where_somebody_asks() {
    let name = "kernel-update";
    let folder = folder(name);
    let run = run(folder.path(), &["--all", "good.log", "bad.log"]);
    run.source(source(name)).output().snapshot("diff__kernel-update__all");
}

#[test]
fn two_boots_of_one_journal() {
    let name = "two-boots";
    let folder = folder(name);
    for format in ["human", "markdown", "json"] {
        let run = run(folder.path(), &["--format", format, "journal.log"]);
        let output = run.source(source(name)).output();
        assert_eq!(output.status, 1, "{}", output.told());
        if format == "human" {
            output.snapshot("diff__two-boots__human");
        }
    }
    for (good, bad, status, want) in [
        ("1", "2", 1, "BAD has 1 failure that GOOD does not have"),
        ("-2", "-1", 1, "BAD has 1 failure that GOOD does not have"),
        ("2", "0", 0, "No failure in BAD, but one in GOOD."),
        ("1", "0", 0, "No failure in BAD, and none in GOOD."),
        ("1", "1", 2, "GOOD and BAD are the same boot of journal.log help: amdtriage diff --good"),
        ("1", "4", 2, "no boot 4"),
    ] {
        let output = diff(folder.path(), &["journal.log", "--good", good, "--bad", bad]);
        let told = output.told().replace('\n', " ");
        assert_eq!(output.status, status, "{good} {bad}: {told}");
        assert!(told.contains(want), "{good} {bad}: {told}");
    }
}

/// Files, archives, directories and pipes give the same result.
#[test]
fn sides_are_read_as_logs_are_elsewhere() {
    let folder = folder("kernel-update");
    let path = folder.path();
    let answer = |output: &Output| {
        let page = output.stdout.replace('\n', " ");
        assert_eq!(output.status, 1, "{}", output.told());
        page.split("  ").next().unwrap().to_owned()
    };
    let want = answer(&diff(path, &["good.log", "bad.log"]));
    fs::create_dir_all(path.join("bundle")).unwrap();
    fs::copy(path.join("bad.log"), path.join("bundle/kernel.log")).unwrap();
    fs::write(path.join("bundle/other.log"), "[    1.000000] usb 1-1: new device\n").unwrap();
    fs::write(path.join("bundle/MANIFEST"), "text that is no log\n").unwrap();
    assert_eq!(answer(&diff(path, &["good.log", "bundle"])), want);
    let json = diff(path, &["--format", "json", "good.log", "bundle"]).stdout;
    assert!(json.contains("\"other_logs\": 1"), "{json}");
    let mut tar = tar::Builder::new(Vec::new());
    tar.append_dir_all("bundle", path.join("bundle")).unwrap();
    fs::write(path.join("bad.tar"), tar.into_inner().unwrap()).unwrap();
    assert_eq!(answer(&diff(path, &["good.log", "bad.tar"])), want);
    for side in ["good", "bad"] {
        let (log, bundle) = (format!("{side}.log"), format!("{side}.tar.gz"));
        let report = Run::new(["report", &log, "-o", &bundle]).folder(path).output();
        assert_eq!(report.status, 0, "{}", report.told());
    }
    let bundles = diff(path, &["good.tar.gz", "bad.tar.gz"]);
    assert_eq!(answer(&bundles), want);
    assert!(bundles.stdout.contains("kernel.log.gz"), "{}", bundles.stdout);
    let good = fs::read(path.join("good.log")).unwrap();
    let piped = Run::new(["diff", "--color", "never", "-", "bad.log"]).input(good);
    assert_eq!(answer(&piped.folder(path).output()), want);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = folder("kernel-update");
    let path = folder.path();
    fs::write(path.join("no.log"), "nothing of a kernel\n").unwrap();
    for (arguments, want) in [
        (&["good.log"][..], "good.log has only one boot"),
        (&["-", "-"], "GOOD and BAD cannot both be standard input"),
        (
            &["good.log", "no.log"],
            "no message of the kernel or of a GPU program that amdtriage knows in no.log",
        ),
        (&["good.log", "missing.log"], "missing.log"),
        (&["good.log", "bad.log", "third.log"], "`diff` compares two logs"),
        (&["-o", "good.log", "good.log", "bad.log"], "good.log"),
    ] {
        let output = diff(path, arguments);
        assert_eq!(output.status, 2, "{arguments:?}: {}", output.told());
        assert!(output.stderr.contains(want), "{arguments:?}: {}", output.stderr);
    }
    let output = diff(path, &["-o", "diff.txt", "good.log", "bad.log"]);
    assert_eq!((output.status, output.stdout.as_str()), (1, ""), "{}", output.stderr);
    let written = fs::read_to_string(path.join("diff.txt")).unwrap();
    assert!(
        written.starts_with("WORSE: 1 NEW FAILURE\n\n  BAD has 1 failure that GOOD does not have"),
        "{written}"
    );
}

#[test]
fn a_log_is_not_worse_than_itself() {
    let folder = folder("same-failure");
    let output = diff(folder.path(), &["bad.log", "./bad.log"]);
    assert!(output.stdout.starts_with("SAME FAILURE IN BOTH\n"), "{}", output.stdout);
    assert_eq!(output.stderr, "amdtriage: GOOD and BAD are the same boot of the same file\n");
    assert_eq!(output.status, 0);
}

/// Bundles contain facts about the machine that are not in the kernel log.
#[test]
fn what_bundles_say_of_their_machines_is_compared() {
    let folder = folder("good-ends-early");
    let path = folder.path();
    for (side, mes, mesa) in [("good", "0x0000006e", "25.1.7-1"), ("bad", "0x00000082", "25.1.7-1")]
    {
        fs::create_dir_all(path.join(side)).unwrap();
        fs::copy(path.join(format!("{side}.log")), path.join(side).join("kernel.log")).unwrap();
        let facts = format!(
            r#"{{"gpus": [{{"pci_address": "0000:03:00.0", "firmware": {{"mes": "{mes}"}}}}],
            "packages": {{"installed": [{{"kind": "mesa", "name": "mesa", "version": "{mesa}"}}]}}}}"#
        );
        fs::write(path.join(side).join("host.json"), facts).unwrap();
    }
    let page = diff(path, &["good", "bad"]).stdout;
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "Possible cause among the differences: GPU 0000:03:00.0 MES firmware 0x0000006e → 0x00000082.",
        "are those at the time each archive was made",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("mesa package"), "{page}");
    let json = diff(path, &["--format", "json", "good", "bad"]).stdout;
    assert!(json.contains("MES firmware"), "{json}");
    let alone = diff(path, &["--format", "json", "good.log", "bad"]).stdout;
    assert!(alone.contains("\"machine\": null"), "{alone}");
}

/// Disk names are not shown, and text of a log is neither markup nor an escape sequence.
#[test]
fn nothing_private_or_hostile_gets_out() {
    let folder = folder("parameter-added");
    let path = folder.path();
    let bad = fs::read_to_string(path.join("bad.log")).unwrap();
    let bad = bad.replace("iommu=pt", "iommu=\u{1b}[31m<b>|pt").replace('\n', "\r\n");
    fs::write(path.join("bad.log"), bad).unwrap();
    for format in ["human", "markdown", "json"] {
        let page = diff(path, &["--all", "--format", format, "good.log", "bad.log"]).stdout;
        assert!(page.contains("root"), "{format}: {page}");
        for text in ["99999999", "11111111", "\u{1b}"] {
            assert!(!page.contains(text), "{format}: {page}");
        }
        assert!(format != "markdown" || !page.contains("<b>"), "{page}");
    }
}

/// Logs can be cut at any byte.
#[test]
fn a_log_that_is_cut_anywhere_is_compared() {
    let folder = folder("kernel-update");
    let path = folder.path();
    let whole = fs::read(path.join("bad.log")).unwrap();
    for end in (0..whole.len()).step_by(331) {
        fs::write(path.join("bad.log"), &whole[..end]).unwrap();
        let output = diff(path, &["--format", "json", "good.log", "bad.log"]);
        assert!((0..=2).contains(&output.status), "{end}: {}", output.told());
        assert!(!output.stderr.contains("panicked"), "{end}: {}", output.stderr);
    }
}
