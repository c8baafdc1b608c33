//! `patterns coverage` on a small source tree with constructs that are difficult to read.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::common::{Json, Output, Run, root, snapshot};

/// Messages about the tree: one is in it, and also in another driver; one has a fixed value and is
/// marked as shared; one is a regular expression; one is printed by a function that gets it as an
/// argument; two say of themselves what the source contradicts; the others are missing.
const OWN: &str = r#"
[[message]]
id     = "own-there"
event  = "soft-recovered"
from   = ["amdgpu"]
format = "the ring is on fire"
means  = "One"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_timeout"
sample = ["the ring is on fire"]

[[message]]
id     = "own-value"
event  = "soft-recovered"
from   = ["amdgpu"]
format = "ring buffer is full"
shared = true
means  = "Two"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_timeout"
sample = ["ring buffer is full"]

[[message]]
id      = "own-expression"
event   = "soft-recovered"
from    = ["amdgpu"]
regex   = '^depth [0-9]+ of [a-z0-9_.]+, which is too deep$'
literal = "deep"
means   = "Three"
source  = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_timeout"
sample  = ["depth 9 of gfx_0.0.0, which is too deep"]

[[message]]
id     = "own-given"
event  = "soft-recovered"
from   = ["amdgpu"]
format = "The ring was given up"
means  = "Four"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c"
sample = ["The ring was given up"]

[[message]]
id     = "own-lost"
event  = "soft-recovered"
from   = ["amdgpu"]
format = "the ring is cold"
means  = "Five"
kernel = "<=6.12"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_timeout"
sample = ["the ring is cold"]

[[message]]
id     = "own-later"
event  = "soft-recovered"
from   = ["amdgpu"]
format = "the ring is frozen"
means  = "Six"
kernel = ">=6.13"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_timeout"
sample = ["the ring is frozen"]

[[message]]
id     = "own-dead"
event  = "soft-recovered"
from   = ["amdgpu"]
format = "never compiled, don't read it"
means  = "Seven"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_dead"
sample = ["never compiled, don't read it"]

[[message]]
id     = "own-wrong"
event  = "soft-recovered"
level  = "info"
from   = ["amdgpu"]
format = "a quote is missing"
means  = "Nine"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_conditions"
sample = ["a quote is missing"]

[[message]]
id     = "own-too-late"
event  = "soft-recovered"
level  = "info"
from   = ["amdgpu"]
format = "either way it is in one function"
means  = "Ten"
kernel = ">=6.13"
source = "drivers/gpu/drm/amd/amdgpu/sample_ring.c sample_timeout"
sample = ["either way it is in one function"]

[[message]]
id     = "own-elsewhere"
event  = "soft-recovered"
from   = ["kernel"]
format = "the core of the kernel says so"
means  = "Eight"
source = "kernel/sample.c"
sample = ["the core of the kernel says so"]
"#;

/// A signature with anchors: names in code, in a macro and in a text, words and an expression; one
/// that moved, and one for later kernels; a name that is only in a comment, a missing file, and a
/// file that is not C.
const ANCHORED: &str = r#"
id        = "own-anchored"
title     = "The sample is on fire"
severity  = "error"
certainty = "stated"
cause     = "not-in-log"
role      = "mechanism"
status    = "experimental"
layer     = ["kernel"]
blame     = 60
anchors = [
  { file = "drivers/gpu/drm/amd/amdgpu/sample_ring.c", symbol = "sample_timeout" },
  { file = "drivers/gpu/drm/amd/amdgpu/sample_ring.c", symbol = "SAMPLE_DEPTH", kernel = ">=6.1 <=6.12" },
  { file = "drivers/gpu/drm/amd/amdgpu/sample_ring.c", symbol = "fence 0x%llx of ring %d never came" },
  { file = "drivers/gpu/drm/amd/amdgpu/sample_ring.c", symbol = "WARN(s->depth > SAMPLE_DEPTH" },
  { file = ["drivers/gpu/drm/amd/amdgpu/sample_old.c", "drivers/gpu/drm/xe/sample_xe.c"], symbol = "the ring is on fire" },
  { file = "drivers/gpu/drm/amd/amdgpu/sample_new.c", symbol = "sample_later", kernel = ">=6.13" },
  { file = "drivers/gpu/drm/amd/amdgpu/sample_ring.c", symbol = "catalogue" },
  { file = ["drivers/gpu/drm/amd/amdgpu/sample_ring.c", "drivers/gpu/drm/drm_sample.c"], symbol = "sample_gone", kernel = "<=6.12" },
  { file = "Documentation/sample.rst", symbol = "nothing to build" },
]

[[step]]
name  = "fire"
event = "soft-recovered"

[confidence]
base = 0.9

[text]
summary = "It failed."
explain = "It failed, and nobody knows why."
"#;

fn own() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("own.toml"), OWN).unwrap();
    fs::write(folder.path().join("anchored.toml"), ANCHORED).unwrap();
    folder
}

fn run(kernel: &Path, patterns: Option<&Path>) -> Run {
    let run = Run::new(["patterns", "coverage", "--kernel"]).argument(kernel);
    patterns.into_iter().fold(run, |run, patterns| run.argument("--patterns").argument(patterns))
}

/// Removes messages about files that the small tree lacks; built-in patterns will have more of
/// them.
fn without_absent_files(output: &Output, mark: &str) -> String {
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    assert!(output.stdout.contains(mark), "the built-in messages are not of this tree");
    let is_own = |line: &&str| line.contains(" own-") || !line.contains(mark);
    // The number of anchors changes with the patterns.
    let is_kept = |line: &&str| is_own(line) && !line.starts_with("Anchors: ");
    let lines = output.stdout.lines().filter(is_kept);
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_tree_is_held_against_the_catalogue() {
    let own = own();
    let output = run(&root("fixtures/kernel"), Some(own.path())).output();
    let command = "amdtriage patterns coverage --kernel fixtures/kernel --patterns OWN";
    snapshot("coverage__table", command, &without_absent_files(&output, "; the file is not there"));
}

#[test]
fn programs_get_every_place() {
    let own = own();
    let asked = || run(&root("fixtures/kernel"), Some(own.path()));
    let output = asked().argument("--format=ndjson").output();
    let lines: Vec<Json> = output.stdout.lines().map(|line| Json::read(line).unwrap()).collect();
    assert_eq!(lines.first().unwrap()["type"].text(), "kernel");
    assert_eq!(lines.last().unwrap()["type"].text(), "summary");
    let wrong = lines.iter().filter(|line| line["type"].text() == "wrong-claim");
    let wrong: Vec<(&str, &str)> = wrong
        .map(|line| (line["message"].text(), line["claim"].text()))
        .filter(|(message, _)| message.starts_with("own-"))
        .collect();
    let want = [("own-wrong", "level"), ("own-wrong", "source"), ("own-too-late", "kernel")];
    assert_eq!(wrong, want);
    let table = asked().output().stdout;
    for line in lines.iter().filter(|line| line["type"].text() == "unmatched") {
        let place = format!("{}:{}", line["path"].text(), line["line"].count());
        assert!(table.contains(&place), "{place} is not in\n{table}");
    }
}

/// The failing anchors of one signature; those of driver parameters need the driver's own source.
#[test]
fn anchors_are_looked_for() {
    let own = own();
    let anchors = |kernel: &Path, patterns: Option<&Path>| {
        let output = run(kernel, patterns).argument("--format=ndjson").output().stdout;
        let lines: Vec<Json> = output.lines().map(|line| Json::read(line).unwrap()).collect();
        let count = |what: &str| lines.last().unwrap()["anchors"][what].count();
        let counts = ["held", "lost", "other_kernels"].map(count);
        let lost = lines.into_iter().filter(|line| line["type"].text() == "anchor");
        (counts, lost.collect::<Vec<_>>())
    };
    let kernel = root("fixtures/kernel");
    let ([held, lost, other], _) = anchors(&kernel, None);
    let (counts, listed) = anchors(&kernel, Some(own.path()));
    assert_eq!(counts, [held + 5, lost + 3, other + 1]);
    assert_eq!(listed.len(), lost + 3, "each that does not hold is listed");
    let own: Vec<(&str, &str)> = listed
        .iter()
        .filter(|line| line["id"].text() == "own-anchored")
        .map(|line| (line["symbol"].text(), line["why"].text()))
        .collect();
    let want =
        [("catalogue", "no-symbol"), ("sample_gone", "no-symbol"), ("nothing to build", "no-file")];
    assert_eq!(own, want);
    let parameters = "module_param_named(gpu_recovery, amdgpu_gpu_recovery, int, 0444);\n\
                      module_param_named(user_queue, amdgpu_user_queue, int, 0444);\n";
    let tree = tree("amdgpu_drv.c", parameters.as_bytes());
    let (_, listed) = anchors(tree.path(), None);
    let why = |name: &str| {
        let is_it = |line: &&Json| line["of"].text() == "parameter" && line["id"].text() == name;
        listed.iter().find(is_it).map(|line| line["why"].text())
    };
    assert_eq!(why("gpu_recovery"), None);
    assert_eq!(why("runpm"), Some("no-symbol"));
    // Only later kernels have it.
    assert_eq!(why("user_queue"), Some("is-there"));
}

/// A tree with this one C file in the driver.
fn tree(name: &str, text: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let driver = folder.path().join("drivers/gpu/drm/amd/amdgpu");
    fs::create_dir_all(&driver).unwrap();
    fs::write(folder.path().join("Makefile"), "VERSION = 6\nPATCHLEVEL = 1\n").unwrap();
    fs::write(driver.join(name), text).unwrap();
    folder
}

#[test]
fn what_is_no_kernel_tree_is_refused() {
    let no_driver = tempfile::tempdir().unwrap();
    fs::write(no_driver.path().join("Makefile"), "VERSION = 6\nPATCHLEVEL = 1\n").unwrap();
    let no_version = tree("a.c", b"");
    fs::write(no_version.path().join("Makefile"), "all:\n").unwrap();
    for (path, said) in [
        (root("fixtures/nowhere"), "no such directory"),
        (root("Cargo.toml"), "no such directory"),
        (no_version.path().to_owned(), "it has no Makefile with VERSION and PATCHLEVEL"),
        (no_driver.path().to_owned(), "it has no drivers/gpu/drm/amd"),
    ] {
        let output = run(&path, None).output();
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{said}");
        assert!(output.stderr.contains(said), "{}", output.stderr);
        assert!(output.stderr.contains("\nnote: --kernel takes"), "{}", output.stderr);
    }
}

#[test]
fn what_is_not_read_is_said() {
    let large = tree("large.c", &vec![b' '; (8 << 20) + 1]);
    let output = run(large.path(), None).output().stdout;
    assert!(output.contains("amdgpu/large.c: larger than 8 MiB"), "{output}");
    assert!(output.starts_with("Linux 6.1.0: 0 files read"), "{output}");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let linked = tree("a.c", b"void f(void)\n{\n\tpr_err(\"once only\");\n}\n");
    let driver = linked.path().join("drivers/gpu/drm/amd/amdgpu");
    std::os::unix::fs::symlink(linked.path(), driver.join("loop")).unwrap();
    std::os::unix::fs::symlink(driver.join("a.c"), driver.join("b.c")).unwrap();
    let output = run(linked.path(), None).output().stdout;
    assert_eq!(output.matches("once only").count(), 1, "{output}");
    assert!(output.contains("amdgpu/b.c: a symbolic link"), "{output}");
}

/// Files that are not text, and names with escape sequences.
#[test]
fn no_file_harms_the_run_or_the_terminal() {
    let mut text = b"void f(void)\n{\n\tpr_err(\"bell \\x07 \x1b[31m and \xff\");\n".to_vec();
    text.extend(b"\tpr_err(\"\0\", (((\n#if\n#define\n#else\n#endif\n'\"/*");
    let hostile = tree("a\u{1b}[31m.c", &text);
    for format in ["table", "ndjson"] {
        let output = run(hostile.path(), None).argument("--format").argument(format).output();
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stdout.contains("and "), "{}", output.stdout);
        assert!(!output.stdout.contains('\u{1b}'), "{}", output.stdout);
    }
}
