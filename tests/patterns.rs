//! User pattern files: one run reports every mistake in every file, and valid entries are used.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::common::{Fixture, Json, Output, Run, snapshot};

/// A directory `own` with these files, in a temporary directory.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("own")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join("own").join(name), text).unwrap();
    }
    folder
}

fn run(folder: &Path, log: &str) -> Output {
    Run::json(log).argument("--patterns").argument("own").folder(folder).output()
}

const LOG: &str = "[  100.000000] usb 1-1: USB disconnect, device number 4\n";

/// The messages about files with mistakes.
#[track_caller]
fn refused(files: &[(&str, &str)]) -> String {
    let output = run(folder(files).path(), LOG);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    let hint = output.stderr.lines().last().unwrap_or_default();
    assert!(hint.starts_with("help: man 5 amdtriage-patterns"), "{}", output.stderr);
    output.stderr
}

const MESSAGES: &str = r#"
[[message]]
id     = "own-unknown-key"
event  = "soft-recovered"
from   = ["amdgpu"]
levle  = "error"
format = "one %{ring:s}"
means  = "One"
source = "a program"
sample = ["one gfx"]

[[message]]
id     = "own-unknown-event"
event  = "ring-timout"
from   = ["amdgpu"]
format = "two %{ring:s}"
means  = "Two"
source = "a program"
sample = ["two gfx"]

[[message]]
id     = "own-unknown-field"
event  = "ring-timeout"
from   = ["amdgpu"]
format = "three %{rimg:s}"
means  = "Three {ringg}"
source = "a program"
sample = ["three gfx"]

[[message]]
id     = "own-bad-format"
event  = "ring-timeout"
from   = ["amdgpu"]
format = "four %{ring:q}"
means  = "Four"
source = "a program"
sample = ["four gfx"]

[[message]]
id      = "own-bad-regex"
event   = "ring-timeout"
from    = ["amdgpu"]
regex   = '^five (?P<ring>[a-z$'
literal = "five"
means   = "Five"
source  = "a program"
sample  = ["five gfx"]

[[message]]
id     = "ring-timeout"
event  = "ring-timeout"
from   = ["amdgpu"]
format = "six %{ring:s}"
means  = "Six"
source = "a program"
sample = ["six gfx"]

[[message]]
id     = "own-sample"
event  = "ring-timeout"
from   = ["nobody"]
level  = "loud"
format = "seven %{ring:s}"
means  = "Seven"
source = "a program"
sample = ["eight gfx", "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2"]
"#;

const SIGNATURE: &str = r#"
id       = "Own Signature"
title    = "Nearly everything in here is wrong"
severity = "error"
certainty = "stated"
cause = "not-in-log"
role     = "root-cuase"
status   = "experimental"
layer    = "kernel"
blame    = 1
unless   = "ring-timeout-rest"
anchors  = [
  { file = "driver/gpu/drm/amd/amdgpu/amdgpu_job.c", symbl = "amdgpu_job_timedout" },
  { file = "drivers/../amdgpu_job.c", symbol = " amdgpu_job_timedout" },
  { file = [], symbol = "amdgpu_job_timedout", kernel = "6.1" },
]

[[step]]
name   = "timeout"
event  = "ring-timeout"
where  = { rign = "gfx", emitted = "many" }
within = "soon"

[[step]]
name  = "begin"
event = "reset-begin"
after = "timeuot"

[[never]]
name  = "end"
event = "reset-succeeded"

[confidence]
base  = 1.5
lower = [{ when = "log-has-hole", by = 0.1, because = "lines are missing" }]

[text]
summary = "On {timeout.rong} and {nothing}"
explain = "A brace { too many"

[[action]]
use = "fw-updat"
"#;

#[test]
fn every_mistake_of_every_file_is_shown_at_once() {
    let told = refused(&[
        ("messages.toml", MESSAGES),
        ("signature.toml", SIGNATURE),
        ("empty.toml", "# nothing\n"),
    ]);
    // The hint is the same for all mistakes; `docs` checks it.
    let (told, _) = told.split_once("\nhelp: man 5 ").unwrap();
    snapshot(
        "patterns__mistakes",
        "amdtriage patterns lint # the files that stand in the test",
        told,
    );
}

/// An unknown word does not hide other mistakes in the file.
#[test]
fn one_mistake_hides_no_other() {
    for (key, value) in [
        ("severity", "\"terrible\""),
        ("status", "\"old\""),
        ("blame", "\"me\""),
        ("scope", "\"all\""),
    ] {
        let mut lines: Vec<String> = SIGNATURE.lines().map(str::to_owned).collect();
        lines.retain(|line| !line.starts_with(key));
        lines.insert(1, format!("{key} = {value}"));
        let told = refused(&[("signature.toml", &lines.join("\n"))]);
        for other in
            ["no step `timeuot`", "no advice `fw-updat`", "no signature `ring-timeout-rest`"]
        {
            assert!(told.contains(other), "{key} hides {other}:\n{told}");
        }
    }
}

/// A syntax error does not cause further mistakes.
#[test]
fn a_file_that_is_no_toml_is_shown_with_its_place_only() {
    let told = refused(&[("syntax.toml", "id = \"own\"\ntitle == \"x\"\n")]);
    assert!(told.contains("own/syntax.toml:2:8") && told.contains("title == \"x\""), "{told}");
    assert!(!told.contains("is missing") && !told.contains("must be text"), "{told}");
}

#[test]
fn two_signatures_cannot_share_an_id() {
    let told = refused(&[("a.toml", GOOD_SIGNATURE), ("b.toml", GOOD_SIGNATURE)]);
    assert!(told.contains("there is a signature `own-hang` already"), "{told}");
    assert!(told.contains("own/b.toml:1:12"), "{told}");
}

#[test]
fn a_folder_without_patterns_is_refused() {
    for (arguments, sentence) in [
        (["--patterns", "own"], "cannot read the pattern directory own: no .toml file is in it"),
        (["--patterns", "none"], "cannot read the pattern directory none: "),
    ] {
        let output = Run::new(arguments).input(LOG).folder(folder(&[]).path()).output();
        assert_eq!(output.status, 2);
        let first = output.stderr.lines().next().unwrap_or_default();
        assert!(first.starts_with(&format!("amdtriage: {sentence}")), "{}", output.stderr);
        let help = output.stderr.lines().nth(1).unwrap_or_default();
        assert!(help.starts_with("help: ls "), "{}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 3, "{}", output.stderr);
    }
}

const GOOD_MESSAGE: &str = r#"
[[message]]
id     = "own-hang"
event  = "ring-timeout"
level  = "error"
from   = ["amdgpu"]
format = "the flux of %{ring:s} has stopped, pid %{pid:d}"
means  = "Work on {ring} did not finish in time"
source = "a driver of our own"
sample = ["the flux of gfx_0.0.0 has stopped, pid 7"]
"#;

const GOOD_SIGNATURE: &str = r#"id       = "own-hang"
title    = "The flux has stopped"
severity = "critical"
certainty = "stated"
cause = "not-in-log"
role     = "root-cause"
status   = "experimental"
layer    = "kernel"
blame    = 1

[[step]]
name  = "flux"
event = "ring-timeout"
where = { pid = { min = 7 } }

[confidence]
base = 0.7

[text]
summary = "The flux of {flux.ring} has stopped on {device}."
explain = "A test."

[[action]]
use = "report"
"#;

/// A typo in the chips of a signature would disable it silently.
#[test]
fn a_chip_that_there_is_not_is_refused() {
    let applies = |chips: &str| {
        GOOD_SIGNATURE.replace("[[step]]", &format!("[applies]\n{chips}\n\n[[step]]"))
    };
    for (line, place, sentence) in [
        ("gfx = \"gfx11O0\"", "12:7", "`gfx11O0` is not a gfx target or pattern"),
        ("gfx = [\"gfx1100\", \"gfx 11*\"]", "12:19", "`gfx 11*` is not a gfx target or pattern"),
        ("gfx = \"gfx1199\"", "12:7", "no known chip is a gfx1199"),
        ("gfx = \"gfx13*\"", "12:7", "no known chip is a gfx13*"),
    ] {
        let told = refused(&[("signature.toml", &applies(line))]);
        assert!(
            told.contains(sentence) && told.contains(&format!("own/signature.toml:{place}")),
            "{told}"
        );
    }
    let condition =
        GOOD_SIGNATURE.replace("use = \"report\"", "use = \"report\"\nwhen = \"gfx gfx1199\"");
    let told = refused(&[("signature.toml", &condition)]);
    assert!(told.contains("no known chip is a gfx1199"), "{told}");
}

/// A user signature can replace or remove a built-in one.
#[test]
fn a_built_in_signature_is_replaced_or_silenced() {
    let log = Fixture::read("signatures/ring-timeout-recovered/hit-old-form.log").text();
    let said = |files: &[(&str, &str)]| {
        let report = run(folder(files).path(), &log).json();
        let all = report.diagnosed();
        all.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()
    };
    let id = "ring-timeout-recovered".to_owned();
    let other = GOOD_SIGNATURE.replace("own-hang", &id);
    let replacing = other.replace("blame ", "replaces = true\nblame ");
    let quiet = replacing.replace("min = 7", "min = 0, max = 0");
    assert!(said(&[("advice.toml", "silence = []\n")]).contains(&id));
    assert!(!said(&[("off.toml", "silence = [\"ring-timeout-recovered\"]\n")]).contains(&id));
    assert!(!said(&[("own.toml", &quiet)]).contains(&id));
    for (name, text, sentence) in [
        ("own.toml", other.as_str(), "there is a signature `ring-timeout-recovered` already"),
        (
            "off.toml",
            "silence = \"ring-timeout-recoverd\"\n",
            "did you mean `ring-timeout-recovered`?",
        ),
        (
            "own.toml",
            &replacing.replace(&id, "own-hang"),
            "there is no signature `own-hang` to replace",
        ),
    ] {
        let told = refused(&[(name, text)]);
        assert!(told.contains(sentence), "{told}");
    }
}

const FLUX: &str = "[  100.000000] amdgpu 0000:03:00.0: amdgpu: the flux of sdma1 has stopped, pid 7\n\
                    [  500.000000] usb 1-1: USB disconnect, device number 4\n";

#[test]
fn good_files_are_used() {
    assert!(Run::json(FLUX).output().json()["incidents"].list().is_empty());
    let folder = folder(&[("message.toml", GOOD_MESSAGE), ("signature.toml", GOOD_SIGNATURE)]);
    let output = run(folder.path(), FLUX);
    assert_eq!((output.status, output.stderr.as_str()), (1, ""));
    let report = output.json();
    assert_eq!(report.diagnosed(), ["own-hang"]);
    let diagnosis = report.diagnosis("own-hang");
    assert_eq!(diagnosis["summary"].text(), "The flux of sdma1 has stopped on 0000:03:00.0.");
    assert_eq!(diagnosis["match_score"], Json::Number(0.7));
    assert_eq!(diagnosis["actions"].list().len(), 1);
}

const VALUES: &str = r#"
[[message]]
id     = "own-values"
event  = "ip-block-hung"
from   = ["amdgpu"]
format = ["%{ip:s} detected", "flux %{_:d}: %{ip:s}"]
values = { ip = ["Link Training", "Hang"] }
means  = "{ip} does not get on"
source = "a driver of our own"
sample = ["Link Training detected", "Hang detected", "flux 7: Hang"]
"#;

/// A format of mostly conversions matches only their possible values.
#[test]
fn values_bind_a_conversion() {
    let log = |text: &str| format!("[  100.000000] amdgpu 0000:03:00.0: amdgpu: {text}\n");
    let folder = folder(&[("message.toml", VALUES)]);
    for (text, value) in [
        ("Link  Training detected", Some("Link  Training")),
        ("flux 3: Hang", Some("Hang")),
        ("flux 3: Hangs", None),
        ("Overheating detected", None),
        ("Link detected", None),
    ] {
        let arguments = ["events", "--format", "ndjson", "--patterns", "own"];
        let output = Run::new(arguments).input(log(text)).folder(folder.path()).output();
        let events: Vec<Json> =
            output.stdout.lines().map(|line| Json::read(line).unwrap()).collect();
        let values: Vec<_> = events.iter().map(|event| event["fields"]["ip"].text()).collect();
        assert_eq!(values, value.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn mistakes_in_values_are_shown_with_their_place() {
    let list = r#"{ ip = ["Link Training", "Hang"] }"#;
    for (values, place, sentence) in [
        (r#"{ ipp = ["Hang"] }"#, 12, "no format of this message has a conversion `ipp`"),
        (r"{ ip = [] }", 12, "`ip` has no values"),
        (r"{ ip = 7 }", 17, "`ip` must be text, this is integer"),
        (r#"{ ip = ["Hang", 7] }"#, 26, "`ip` must be text, this is integer"),
        (r#"{ ip = ["Hang", " x"] }"#, 26, "a value neither is empty nor begins or ends"),
        (r#"["Hang"]"#, 10, "`values` must be a table, this is array"),
    ] {
        let told = refused(&[("message.toml", &VALUES.replace(list, values))]);
        assert!(told.contains(sentence), "{told}");
        assert!(told.contains(&format!("own/message.toml:7:{place}")), "{told}");
    }
    let number = VALUES.replace("ip-block-hung", "ring-reset-begin").replace("ip:s", "ring:s");
    let number = number.replace("ip = [", "ring = [").replace("{ip}", "{ring}");
    let told = refused(&[("message.toml", &number)]);
    assert!(told.contains("`Link Training` is no value of `ring`"), "{told}");
}

/// In `~/.config/amdtriage/patterns`, or below `XDG_CONFIG_HOME`.
#[test]
fn files_in_the_configuration_folder_are_used() {
    let home = tempfile::tempdir().unwrap();
    for (variable, below) in
        [("HOME", ".config/amdtriage/patterns"), ("XDG_CONFIG_HOME", "amdtriage/patterns")]
    {
        let own = home.path().join(below);
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("message.toml"), GOOD_MESSAGE).unwrap();
        let run = Run::json(FLUX).variable(variable, home.path().to_str().unwrap());
        assert_eq!(run.output().json()["incidents"].list().len(), 1, "{variable}");
    }
}

#[test]
fn the_digest_tells_with_which_patterns_a_report_was_made() {
    let digest = |files: &[(&str, &str)]| {
        let report = run(folder(files).path(), FLUX).json();
        report["tool"]["patterns"].text().to_owned()
    };
    let builtin = Run::json(FLUX).output().json()["tool"]["patterns"].text().to_owned();
    let own = digest(&[("message.toml", GOOD_MESSAGE)]);
    assert_eq!(own, digest(&[("message.toml", GOOD_MESSAGE)]));
    let changed = GOOD_MESSAGE.replace("of our own", "of theirs");
    let all = [builtin, own, digest(&[("message.toml", &changed)])];
    for (at, digest) in all.iter().enumerate() {
        assert_eq!(digest.len(), 64);
        assert!(!all[..at].contains(digest), "{all:?}");
    }
}

/// The example in the guide works.
#[test]
fn the_example_in_the_guide_is_good() {
    let guide = fs::read_to_string(super::common::root("patterns/README.md")).unwrap();
    let examples: Vec<String> = toml_blocks(&guide);
    let signature = examples.iter().find(|text| text.starts_with("id ")).expect("a signature");
    let signature = signature.replace("ring-timeout-recovered", "own-recovered");
    let folder = folder(&[("signature.toml", &signature)]);
    let fixture = Fixture::read("signatures/ring-timeout-recovered/hit-old-form.log");
    let report = run(folder.path(), &fixture.text()).json();
    assert!(report.diagnosed().contains(&"own-recovered"));
    let fixture = Fixture::read("signatures/ring-timeout-recovered/miss-reset-follows.log");
    let report = run(folder.path(), &fixture.text()).json();
    assert!(!report.diagnosed().contains(&"own-recovered"));
}

/// The TOML blocks of a Markdown text, including those in lists.
fn toml_blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(margin) = line.strip_suffix("```toml") else { continue };
        let inside = lines.by_ref().take_while(|line| line.trim() != "```");
        blocks.push(
            inside
                .map(|line| line.strip_prefix(margin).unwrap_or(line))
                .fold(String::new(), |text, line| text + line + "\n"),
        );
    }
    blocks
}

/// A fallback yields to all others and reports one line, so other keys are rejected.
#[test]
fn a_fallback_has_one_step_and_names_no_other() {
    let text = r#"
id       = "own-unexplained"
title    = "One"
severity = "error"
certainty = "inferred"
cause = "not-in-log"
role     = "mechanism"
status   = "experimental"
layer    = "kernel"
blame    = 60
fallback = true
notice   = "also"
scope    = "either"
unless   = ["vram-lost"]
[[step]]
name  = "one"
event = "ring-timeout"
[[step]]
name  = "two"
event = "reset-begin"
[confidence]
base = 0.9
[text]
summary = "One."
explain = "One."
"#;
    let told = refused(&[("own.toml", text)]);
    let mistakes = [
        "one step that is not optional",
        "`unless` would add nothing",
        "is about incidents",
        "no notice",
        "it is stated",
    ];
    for mistake in mistakes {
        assert!(told.contains(mistake), "{mistake}: {told}");
    }
}
