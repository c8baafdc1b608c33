//! `patterns explain`, `lint` and `test`: for authors of pattern files.

use std::fs;
use std::path::Path;

use amdtriage::diagnosis::why::{Answer, MatchScope, Matched, Shown, why};
use amdtriage::diagnosis::{Conclusions, Diagnosis, conclusions};
use amdtriage::event::log::Log;
use amdtriage::input::Lines;
use amdtriage::lint::{LintLevel, Subject, findings};
use amdtriage::pattern::Patterns;
use amdtriage::pattern::signature::Signature;
use amdtriage::record::Options;
use tempfile::TempDir;

use super::common::{Fixture, Json, Output, Run, none};

/// A signature with these parts.
fn signature(id: &str, parts: &str) -> String {
    format!(
        r#"id = "{id}"
title = "An invented failure"
severity = "error"
certainty = "stated"
cause = "not-in-log"
role = "mechanism"
status = "experimental"
layer = ["kernel"]
blame = 60
{parts}
[confidence]
base = 0.9
[text]
summary = "It failed."
explain = "It failed, and nobody knows why."
"#
    )
}

const SOURCE: &str =
    "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/drivers/gpu/drm/amd";
const TIMEOUT: &str = "[[step]]\nname = \"timeout\"\nevent = \"ring-timeout\"\n";

/// A directory with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn snapshot(name: &str, output: &Output) {
    output.snapshot(&format!("why__{name}"));
}

/// The result for a fixture below `fixtures/`.
fn explain(id: &str, fixture: &str, own: Option<&str>) -> Output {
    let folder = folder(&[("own/own.toml", own.unwrap_or_default())]);
    fs::write(folder.path().join("dmesg.log"), Fixture::read(fixture).log).unwrap();
    let mut run = Run::new(["patterns", "explain", id, "dmesg.log", "--color", "never"]);
    if own.is_some() {
        run = run.argument("--patterns").argument("own");
    }
    run.variable("TZ", "UTC").source(format!("fixtures/{fixture}")).folder(folder.path()).output()
}

#[test]
fn built_in_signatures_are_explained() {
    for (name, id, fixture) in [
        ("match", "reset-never-completed", "signatures/reset-never-completed/hit-log-goes-on.log"),
        ("missing", "vram-lost", "signatures/reset-never-completed/hit-log-goes-on.log"),
        ("differs", "gfx-page-fault", "signatures/compute-page-fault/hit-kernel-and-runtime.log"),
        (
            "refuted",
            "ring-timeout-recovered",
            "signatures/ring-timeout-recovered/miss-reset-follows.log",
        ),
        ("unknown", "reset-never-completed", "signatures/reset-never-completed/miss-log-ends.log"),
        ("other-chip", "gfx11-mes-hang", "signatures/ring-timeout-reset/hit-baco.log"),
        ("no-incident", "vram-lost", "quiet/desktop-navi31.log"),
        ("boot", "unknown-module-param", "signatures/unknown-module-param/hit-removed-later.log"),
    ] {
        let output = explain(id, fixture, None);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        snapshot(name, &output);
    }
}

#[test]
fn signatures_of_users_are_explained() {
    let baco = "signatures/ring-timeout-reset/hit-baco.log";
    let fault = "signatures/gfx-page-fault/hit-other-process-times-out.log";
    let late = "[[step]]\nname = \"done\"\nevent = \"reset-succeeded\"\nwithin = \"500ms\"\n";
    let order = "[[step]]\nname = \"lost\"\nevent = \"vram-lost\"\nbefore = \"timeout\"\n";
    let few = "[[step]]\nname = \"lost\"\nevent = \"vram-lost\"\ncount = { min = 2 }\n";
    let fault_first = "[[step]]\nname = \"fault\"\nevent = \"page-fault\"\n";
    let tied = format!("{fault_first}{TIMEOUT}same = [\"pid\"]\n");
    for (name, fixture, parts) in [
        ("too-late", baco, format!("{TIMEOUT}{late}")),
        ("order", baco, format!("{TIMEOUT}{order}")),
        ("too-few", baco, format!("{TIMEOUT}{few}")),
        ("not-the-same", fault, tied),
        ("silenced", baco, format!("unless = [\"ring-timeout-reset\"]\n{TIMEOUT}")),
    ] {
        let output = explain("own-hang", fixture, Some(&signature("own-hang", &parts)));
        snapshot(name, &output);
    }
}

#[test]
fn an_answer_for_programs() {
    let name = "signatures/ring-timeout-recovered/miss-reset-follows.log";
    let arguments = ["patterns", "explain", "ring-timeout-recovered", "--format", "json"];
    let output = Run::new(arguments)
        .source(format!("fixtures/{name}"))
        .input(Fixture::read(name).log)
        .output();
    let answer = output.json();
    let held = &answer["inputs"].list()[0]["held"].list()[0];
    assert_eq!(held["reason"]["kind"].text(), "never-refuted");
    snapshot("json", &output);
}

#[test]
fn a_signature_that_does_not_exist_is_not_explained() {
    let output = Run::new(["patterns", "explain", "vram-loss", "-"]).output();
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("did you mean `vram-lost`?"), "{}", output.stderr);
    // Text that is not a log is no reason for a signature not to match.
    let output = Run::new(["patterns", "explain", "vram-lost", "-"]).input("hello\n").output();
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{}", output.stderr);
}

/// Escape sequences in a log or in names of pattern files are made visible.
#[test]
fn nothing_that_is_explained_steers_a_terminal() {
    let own = signature("own-hang", &TIMEOUT.replace("\"timeout\"", "\"time\\u001b[31mout\""));
    let folder = folder(&[("own/own.toml", &own)]);
    let log = "[  1.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n\
               [  1.000001] amdgpu 0000:03:00.0: amdgpu: Process information: process a\u{1b}[31m\u{202e}b pid 7 thread c pid 8\n";
    for format in ["human", "json"] {
        let arguments =
            ["patterns", "explain", "own-hang", "--patterns", "own", "--format", format];
        let output = Run::new(arguments).input(log).folder(folder.path()).output();
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stdout.contains("out"), "{}", output.stdout);
        let harmful = |c: char| c != '\n' && amdtriage::document::untrusted::is_harmful(c);
        assert!(!output.stdout.contains(harmful), "{}", output.stdout);
    }
}

/// The explanation agrees with the report.
#[test]
fn an_explanation_says_what_the_report_says() {
    let patterns = amdtriage::builtin::patterns();
    let mut wrong = Vec::new();
    for fixture in ["signatures", "boots", "quiet"].into_iter().flat_map(Fixture::all) {
        let mut lines = Lines::new(fixture.log.as_slice());
        let log = Log::read(&mut lines, Options::default(), &patterns).unwrap();
        let said = conclusions(&log, &patterns);
        for signature in &patterns.signatures {
            wrong.extend(
                disagreement(signature, &log, &patterns, &said)
                    .map(|problem| format!("{}: {}: {problem}", fixture.name, signature.id)),
            );
        }
    }
    none(&wrong);
}

/// Whether a diagnosis has the advice in the explanation; urgent advice may be moved to another
/// one.
fn has_advice(matched: &Matched, diagnosis: &Diagnosis) -> bool {
    let mut given = matched.actions.iter().filter(|answer| answer.standing.is_some());
    given.all(|answer| diagnosis.actions.iter().any(|action| action.advice.id == answer.advice))
}

fn disagreement(
    signature: &Signature,
    log: &Log,
    patterns: &Patterns,
    said: &Conclusions,
) -> Option<String> {
    let id = &signature.id;
    let mut explained = (0, 0);
    for held in why(signature, log, patterns).held {
        let Answer::Matches(matched) = &held.answer else { continue };
        match (&matched.shown, &held.scope) {
            (Shown::Diagnosis { rank, of, role, .. }, MatchScope::Incident { number, .. }) => {
                let finding = said.findings.get((*number)? - 1)?;
                let diagnosis = finding.diagnoses.get(rank - 1)?;
                let same = diagnosis.id == *id
                    && diagnosis.role == *role
                    && finding.diagnoses.len() == *of
                    && diagnosis.severity == matched.severity
                    && diagnosis.certainty == matched.certainty
                    && (diagnosis.match_score - matched.match_score).abs() < 0.001
                    && has_advice(matched, diagnosis);
                if !same {
                    return Some(format!("{matched:?} and {diagnosis:?}"));
                }
                explained.0 += 1;
            }
            (Shown::Notice { .. }, _) => explained.1 += 1,
            _ => {}
        }
    }
    let all = said.findings.iter().flat_map(|finding| &finding.diagnoses);
    let said = (
        all.filter(|diagnosis| diagnosis.id == *id).count(),
        said.notices.iter().filter(|notice| notice.diagnosis.id == *id).count(),
    );
    (explained != said).then(|| format!("said {said:?} times, explained {explained:?}"))
}

const HEADER: &str = "# kernel: 6.8\n# gpu: gfx1100\n# why: a ring\n";
const HANG: &str = "[  1.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";

fn test_in(folder: &Path) -> Output {
    Run::new(["patterns", "test", "own"]).folder(folder).output()
}

#[test]
fn fixtures_of_users_are_run() {
    let own = signature("own-hang", TIMEOUT);
    let good = format!("{HEADER}# says: own-hang\n\n{HANG}");
    let quiet = format!("{HEADER}# says: nothing\n\n[  1.000000] usb 1-1: new device\n");
    let bad = format!("{HEADER}# says: nothing\n# outcome: failed\n\n{HANG}");
    let mut files = vec![
        ("own/own.toml", own.as_str()),
        ("own/own-hang/hit-plain.log", &good),
        ("own/miss-usb.log", &quiet),
        ("own/notes.log", HANG),
    ];
    let output = test_in(folder(&files).path());
    assert_eq!(output.status, 0, "{}", output.told());
    snapshot("test__pass", &output);
    files.push(("own/own-hang/hit-wrong.log", &bad));
    files.push(("own/own-hang/miss-named.log", &good));
    let output = test_in(folder(&files).path());
    assert_eq!(output.status, 1, "{}", output.told());
    snapshot("test__fail", &output);
}

/// The log of a fixture is short and may not name the chip; its header can.
#[test]
fn a_fixture_says_of_which_chip_it_is() {
    let own = signature("own-hang", TIMEOUT) + "\n[applies]\ngfx = \"gfx110*\"\n";
    let fixture = |chip, says| format!("{HEADER}# chip: {chip}\n# says: {says}\n\n{HANG}");
    for (chip, says, status) in [
        ("gfx1100", "own-hang", 0),
        ("gfx1100", "nothing", 1),
        ("gfx1030", "ring-timeout-unexplained", 0),
        ("gfx1030", "own-hang", 1),
    ] {
        let log = fixture(chip, says);
        let files = [("own/own.toml", own.as_str()), ("own/ring.log", log.as_str())];
        let output = test_in(folder(&files).path());
        assert_eq!(output.status, status, "{chip} {says}: {}", output.told());
    }
}

#[test]
fn fixtures_that_cannot_be_run_are_no_pass() {
    let own = signature("own-hang", TIMEOUT);
    let header = format!("# says: own-hang\n\n{HANG}");
    let broken = own.replace("ring-timeout", "ring-timout");
    for (files, sentence) in [
        (vec![("own/own.toml", own.as_str())], "no fixtures in own"),
        (
            vec![("own/own.toml", &own), ("own/hit-x.log", &header)],
            "own/hit-x.log: `kernel` stands in the header once",
        ),
        (vec![("own/own.toml", &broken)], "there is no event kind `ring-timout`"),
    ] {
        let output = test_in(folder(&files).path());
        assert_eq!(output.status, 2, "{}", output.told());
        assert!(output.stderr.contains(sentence), "{}", output.stderr);
    }
    let output = Run::new(["patterns", "test"]).output();
    assert_eq!(output.status, 2);
    assert!(output.stderr.contains("no DIR was given"), "{}", output.stderr);
}

/// Nearly everything in these files is wrong, although they load.
#[test]
fn files_that_load_may_be_wrong() {
    let steps = r#"
unless = ["own-other", "unknown-module-param"]
[[step]]
name = "first"
event = "ring-timeout"
within = "5s"
[[step]]
name = "context"
event = "kernel-banner"
[[step]]
name = "narrow"
event = ["page-fault", "kernel-banner"]
where = { vmid = { min = 5, max = 2 } }
[[step]]
name = "later"
event = "vram-lost"
optional = true
after = "itself"
[[step]]
name = "itself"
event = "vram-lost"
optional = true
after = "later"
[[never]]
name = "end"
event = "reset-succeeded"
after = "first"
unknown = "reject"
[[action]]
use = "fw-update"
when = "unknown end"
"#;
    let own = signature("own-hang", steps)
        .replace("It failed.", "It failed on line {later.line}.")
        .replace("experimental", "stable");
    let own = own.replace(
        "nobody knows why.",
        r#"sample_reset_begin() prints \"The sample is (number) years old\"."#,
    );
    let own = format!("# As amdgpu_sample_reset has it.\n{own}")
        .replace("blame = 60", &format!("blame = 60\nreferences = [\"{SOURCE}/sample.c\"]"));
    let other =
        signature("own-other", TIMEOUT).replace("blame = 60", "blame = 60\nunless = \"own-hang\"");
    let advice = "[[advice]]\nid = \"own-advice\"\nphase = \"fix\"\nsummary = \"s\"\nwhy = \"w\"\nrisk = \"r\"\nverify = \"v\"\ntrust = \"C\"\nsource = \"a report\"\n";
    let files = [
        ("own/hang.toml", own.as_str()),
        ("own/other.toml", other.as_str()),
        ("own/advice.toml", advice),
    ];
    let folder = folder(&files);
    let output = Run::new(["patterns", "lint", "own"]).folder(folder.path()).output();
    assert_eq!(output.status, 1, "{}", output.told());
    snapshot("lint", &output);
    let arguments = ["patterns", "lint", "own", "--format", "ndjson"];
    let listed = Run::new(arguments).folder(folder.path()).output();
    assert_eq!(listed.status, 1, "{}", listed.told());
    for line in listed.stdout.lines() {
        let finding = Json::read(line).unwrap();
        if finding["type"].text() == "summary" {
            continue;
        }
        let place = format!("{}:{}: ", finding["path"].text(), finding["line"].count());
        assert!(output.stdout.contains(&place), "{place} of {line}");
    }
}

#[test]
fn files_that_are_good_are_clean() {
    let unsaid = "references = [\"https://example.org\"]\n";
    let own = signature("own-hang", &format!("{unsaid}{TIMEOUT}[[unsaid]]\ntext = \"Why?\"\n"));
    let hit = format!("{HEADER}# says: own-hang\n\n{HANG}");
    let miss = format!("{HEADER}# says: nothing\n\n[  1.000000] usb 1-1: new device\n");
    let files =
        [("own/own.toml", own.as_str()), ("own/hit-x.log", &hit), ("own/miss-x.log", &miss)];
    let output = Run::new(["patterns", "lint", "own"]).folder(folder(&files).path()).output();
    assert_eq!(output.told(), "1 signature: nothing found\n\n[exit status 0]\n");
}

/// The built-in patterns have no impossible step and no cycle.
#[test]
fn the_built_in_patterns_have_no_errors() {
    let patterns = amdtriage::builtin::patterns();
    let subject =
        Subject { patterns: &patterns, known_signatures: 0, known_advice: 0, proofs: None };
    let errors = findings(&subject).into_iter().filter(|one| one.level == LintLevel::Error);
    none(&errors.map(|one| format!("{}: {}", one.id, one.what)).collect::<Vec<_>>());
}

#[test]
fn what_the_built_in_signatures_cite_has_an_anchor() {
    let output = Run::new(["patterns", "lint"]).output();
    let found = output.stdout.lines().filter(|line| line.contains("[no-anchor]"));
    none(&found.map(str::to_owned).collect::<Vec<_>>());
}

/// Names of files and rings, driver parameters, messages of the catalogue, quotations.
#[test]
fn what_is_no_citation_needs_no_anchor() {
    let anchors = format!(
        r#"references = ["https://example.org", "{SOURCE}/amdgpu/amdgpu_job.c?h=v6.12"]
anchors = [
  {{ file = "drivers/gpu/drm/amd/amdgpu/amdgpu_job.c", symbol = "amdgpu_job_timedout" }},
  {{ file = "drivers/gpu/drm/amd/amdgpu/amdgpu_job.c", symbol = "the sample of %s is old" }},
]
# drm_sched_*, mes_v11_0.c, gfx_0.0.0; amdgpu_job_timedout() says "the sample of … is
# old", which is "GPU reset(number) succeeded!" to others.
"#
    );
    let texts = r#"amdgpu.runpm=0 in /etc/modprobe.d/amdgpu.conf, \"no such device\""#;
    let own = signature("own-hang", &format!("{anchors}{TIMEOUT}[[unsaid]]\ntext = \"Why?\"\n"))
        .replace("nobody knows why", texts);
    let files = folder(&[("own/own.toml", own.as_str())]);
    let output = Run::new(["patterns", "lint", "own"]).folder(files.path()).output();
    assert!(!output.stdout.contains("[no-anchor]"), "{}", output.told());
    assert!(output.stdout.contains("[unproven]"), "{}", output.told());
}

#[test]
fn signatures_advice_and_kinds_are_listed() {
    let patterns = amdtriage::builtin::patterns();
    for (what, key, all) in [
        ("signatures", "id", patterns.signatures.len()),
        ("advice", "id", patterns.advice.len()),
        ("kinds", "kind", amdtriage::kind::Kind::ALL.len()),
    ] {
        let table = Run::new(["patterns", "list", what]).output();
        let objects = Run::new(["patterns", "list", what, "--format", "ndjson"]).output();
        let first = |line: &str| line.split(' ').next().unwrap().to_owned();
        let ids: Vec<String> = table.stdout.lines().skip(1).map(first).collect();
        let mut objects: Vec<_> =
            objects.stdout.lines().map(|line| super::common::Json::read(line).unwrap()).collect();
        let summary = objects.pop().unwrap();
        assert_eq!((summary["type"].text(), summary["count"].count()), ("summary", all));
        let listed: Vec<&str> = objects.iter().map(|object| object[key].text()).collect();
        assert_eq!(ids, listed, "{what}");
        assert_eq!(ids.len(), all, "{what}");
    }
    let listed =
        |what: &[&str]| Run::new(["patterns", "list"].iter().chain(what).copied()).output();
    let each = ["signatures", "advice", "kinds"].map(|what| listed(&[what]).stdout);
    let all = listed(&[]).stdout;
    let lines: Vec<&str> = all.lines().map(str::trim).collect();
    let titles = ["Signatures", "Advice", "Event kinds"];
    let wanted: Vec<&str> = titles
        .iter()
        .zip(&each)
        .flat_map(|(title, list)| [*title].into_iter().chain(list.lines()).chain([""]))
        .collect();
    assert_eq!(lines, wanted);
}

/// The heading of the page is the signature, not the incident.
#[test]
fn the_page_is_headed_by_the_signature() {
    let log = Fixture::read("signatures/gfx11-mes-hang/hit-mode1-after-silence.log").log;
    let arguments = ["patterns", "explain", "gfx11-mes-hang", "-", "--format", "html"];
    let page = Run::new(arguments).input(log).output().stdout;
    assert_eq!(page.matches("<h1>").count(), 1, "{page}");
    assert!(page.contains("<h1><code>gfx11-mes-hang</code>"), "{page}");
}
