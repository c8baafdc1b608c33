//! The parts of a report do not contradict each other, for any log.

use std::path::{Path, PathBuf};
use std::{env, fs};

use super::common::{Fixture, Json, Run, files_below, none};

/// A directory with further logs to check.
const LOGS: &str = "AMDTRIAGE_LOGS";

/// Outcomes after which the GPU is usable.
const BACK: [&str; 4] = ["recovered", "recovered-context-lost", "vram-lost", "none"];

/// Outcomes that contradict a diagnosis.
const DENIED: [(&str, &[&str]); 17] = [
    ("reset-claimed-success-but-dead", &BACK),
    ("skip-scheduling-after-reset", &BACK),
    ("reset-failed-unexplained", &["none"]),
    ("reset-failed", &["none"]),
    ("device-wedged-unexplained", &BACK),
    ("reset-never-completed", &["recovered", "none"]),
    ("reset-begin-unexplained", &["none"]),
    ("gpu-recovery-disabled", &BACK),
    ("thermal-shutdown", &BACK),
    ("init-failure", &BACK),
    ("discovery-failure", &BACK),
    ("kernel-too-old-for-chip", &BACK),
    ("gpu-retired", &BACK),
    ("late-job-signal", &["vram-lost", "never-completed"]),
    ("vram-lost", &["recovered", "none", "hung"]),
    ("context-lost-userspace", &["none", "recovered"]),
    ("ring-timeout-recovered", &["none"]),
];

/// All logs in the fixtures, and those in the directory.
pub(crate) fn logs() -> Vec<(String, Vec<u8>)> {
    let folders =
        ["signatures", "boots", "quiet", "reports", "devices", "formats", "hostile", "compare"];
    let fixtures = folders.into_iter().flat_map(Fixture::all);
    let mut logs: Vec<(String, Vec<u8>)> = fixtures.map(|it| (it.name, it.log)).collect();
    if let Some(folder) = env::var_os(LOGS) {
        let read = |path: PathBuf| {
            let name = path.display().to_string();
            let log = fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, log)
        };
        logs.extend(files_below(Path::new(&folder)).into_iter().map(read));
    }
    logs
}

fn ids(diagnoses: &Json) -> Vec<&str> {
    diagnoses.list().iter().map(|one| one["id"].text()).collect()
}

/// Contradictions in one incident.
fn of_incident(incident: &Json) -> Vec<String> {
    let outcome = incident["outcome"].text();
    let said = ids(&incident["diagnoses"]);
    let mut wrong = Vec::new();
    if said.is_empty() {
        wrong.push("nothing is said of it".to_owned());
    }
    // Something that the driver did not reset can be reset manually.
    let by_hand = said.contains(&"user-triggered-reset");
    for (id, outcomes) in DENIED {
        let answered = by_hand && id == "gpu-recovery-disabled";
        if said.contains(&id) && outcomes.contains(&outcome) && !answered {
            wrong.push(format!("{id} beside the outcome {outcome}"));
        }
    }
    wrong
}

/// Problems of a harmless notice.
fn of_notice(notice: &Json, page: &str) -> Vec<String> {
    let id = notice["id"].text();
    if !page.contains(&format!("Harmless: {id}")) {
        return Vec::new();
    }
    let mut wrong = Vec::new();
    if !notice["actions"].list().is_empty() {
        wrong.push(format!("{id} is harmless and asks for an action"));
    }
    if notice["severity"].text() != "info" {
        wrong.push(format!("{id} is harmless and of severity {}", notice["severity"].text()));
    }
    wrong
}

/// Problems of the first advice for the only incident: it must be that of the first diagnosis with
/// any.
fn of_advice(incident: &Json, page: &str) -> Option<String> {
    let advised = |diagnosis: &&Json| !diagnosis["actions"].list().is_empty();
    let first = incident["diagnoses"].list().iter().find(advised)?;
    let summary = first["actions"].list().first()?["summary"].text();
    let told = [format!(" - {}", flat(summary)), format!("time 1 {}", flat(summary))];
    (!told.iter().any(|told| page.contains(told)))
        .then(|| format!("the first advice is not that of {}: {summary}", first["id"].text()))
}

#[test]
fn outcome_diagnoses_notices_and_headline_agree() {
    let mut wrong = Vec::new();
    for (name, log) in logs() {
        let output = Run::json(log.clone()).output();
        // There is no report on an input that is not a log.
        if output.stdout.is_empty() {
            continue;
        }
        let report = output.json();
        let page = Run::new(["-v", "--color", "never"]).input(log.clone()).output().stdout;
        let short = Run::new(["-q", "--color", "never"]).input(log).output().stdout;
        let verdict = report["verdict"].text();
        let incidents = report["incidents"].list();
        let mut found: Vec<String> = incidents.iter().flat_map(of_incident).collect();
        found.extend(report["notices"].list().iter().flat_map(|notice| of_notice(notice, &page)));
        if let [only] = incidents {
            let tags = ["documented", "reported by users", "one report"];
            let plain =
                tags.iter().fold(page.clone(), |page, tag| page.replace(&format!("[{tag}]"), ""));
            found.extend(of_advice(only, &flat(&plain)));
        }
        let title = |incident: &Json| {
            let head = incident["diagnoses"].list().first()?;
            Some(flat(head["title"].text().trim_end_matches('.')))
        };
        let titles: Vec<String> = incidents.iter().filter_map(title).collect();
        if !titles.is_empty() {
            if !titles.iter().any(|title| flat(&short).contains(title)) {
                found.push(format!("-q says none of {titles:?}: {short}"));
            }
        } else if verdict == "warning" && short.contains("No GPU failure found") {
            found.push(format!("a problem is told as none: {short}"));
        }
        if verdict == "clean" && short.contains("GPU 0000") {
            found.push(format!("clean, and yet {short}"));
        }
        wrong.extend(found.into_iter().map(|what| format!("{name}: {what}")));
    }
    none(&wrong);
}

/// A text without line breaks.
pub(crate) fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Failures that another one may cause but that no diagnosis may hide if they came first.
const FIRST: [&str; 5] = ["ring-timeout", "page-fault", "mes-timeout", "hws-hang", "device-lost"];

/// Failures of an incident before the first line of its first diagnosis that no diagnosis has as
/// evidence.
fn hidden(incident: &Json, events: &[Json]) -> Vec<String> {
    let line = |it: &Json| it["line"].count();
    let diagnoses = incident["diagnoses"].list();
    let evidence = |one: &Json| one["evidence"].list().iter().map(line).collect::<Vec<_>>();
    let Some(head) = diagnoses.first().and_then(|head| evidence(head).into_iter().min()) else {
        return Vec::new();
    };
    let known: Vec<usize> = diagnoses.iter().flat_map(evidence).collect();
    let begin = line(&incident["first"]);
    let of_it = |event: &&Json| {
        (begin..head).contains(&line(event))
            && event["input"].count() == incident["first"]["input"].count()
            && (event["device"].is_null() || event["device"].text() == incident["device"].text())
    };
    let hides =
        |event: &&Json| FIRST.contains(&event["event"].text()) && !known.contains(&line(event));
    let found = events.iter().filter(of_it).filter(hides);
    found.map(|event| format!("line {} is hidden by a later one", line(event))).collect()
}

#[test]
fn the_first_failure_is_never_hidden_by_a_later_one() {
    let mut wrong = Vec::new();
    for (name, log) in logs() {
        // Lines of a journal that was printed newest first do not stand in the order of time.
        let report = Run::json(log.clone()).output();
        if report.stdout.is_empty() || name.contains("reverse") {
            continue;
        }
        let events = Run::new(["events", "--format", "ndjson"]).input(log).output().stdout;
        let events: Vec<Json> = events.lines().filter_map(|line| Json::read(line).ok()).collect();
        let (events, _summary): (Vec<_>, Vec<_>) =
            events.into_iter().partition(|one| one.keys().contains(&"line"));
        let report = report.json();
        let known = report["incidents"].list().iter().filter(|it| !it["device"].is_null());
        let found = known.flat_map(|incident| hidden(incident, &events));
        wrong.extend(found.map(|what| format!("{name}: {what}")));
    }
    none(&wrong);
}

/// What `judged` finds wrong in the JSON and the first screen of each log with one incident.
fn of_single_incidents(judged: impl Fn(&Json, &str) -> Vec<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, log) in logs() {
        let report = Run::json(log.clone()).output();
        if report.stdout.is_empty() {
            continue;
        }
        if let [only] = report.json()["incidents"].list() {
            let card = Run::human(log).output().stdout;
            wrong.extend(judged(only, &card).into_iter().map(|what| format!("{name}: {what}")));
        }
    }
    wrong
}

/// What a first screen says of the outcome of its only incident, against that outcome.
fn of_outcome(incident: &Json, card: &str) -> Vec<String> {
    let outcome = incident["outcome"].text();
    let mut wrong = Vec::new();
    let works = ["and it works again", "the GPU works again.", "The GPU itself kept working"];
    if works.iter().any(|words| card.contains(words)) && !BACK.contains(&outcome) {
        wrong.push(format!("it works, and the outcome is {outcome}"));
    }
    let open = ["whether the GPU recovered", "does not show its result"];
    let success = [") succeeded!", " reset succeeded", "soft recovered"];
    let says = |words: &[&str]| words.iter().any(|words| card.contains(words));
    if says(&open) && says(&success) {
        wrong.push("a success is quoted, and the result is called unknown".to_owned());
    }
    wrong
}

#[test]
fn the_first_screen_does_not_deny_what_it_quotes() {
    none(&of_single_incidents(|incident, card| of_outcome(incident, &flat(card))));
}

/// Words of a heading that cannot stand together.
const IMPOSSIBLE: [(&str, &str); 7] = [
    ("GPU HANG", "GPU STILL WORKS"),
    ("GPU LOST", "GPU STILL WORKS"),
    ("GPU DID NOT START", ","),
    ("GPU STARTED AFTER AN ERROR", ","),
    ("KERNEL CRASH", "GPU STILL WORKS"),
    ("TASK STUCK", "GPU STILL WORKS"),
    ("GPU FAILURE", "GPU STILL WORKS"),
];

/// What the heading of a first screen says against the only incident, and what the rest of the
/// screen says against the heading.
fn of_heading(incident: &Json, card: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let heading = card.split("    ").next().unwrap_or_default().lines().next().unwrap_or_default();
    let impossible = IMPOSSIBLE.iter().filter(|(a, b)| heading.contains(a) && heading.contains(b));
    wrong.extend(impossible.map(|(a, b)| format!("{a} beside {b}: {heading}")));
    let is_failure = ["error", "critical"].contains(&incident["severity"].text());
    if heading.starts_with("WARNING: ") == is_failure {
        wrong.push(format!("{heading}, and the severity is {}", incident["severity"].text()));
    }
    let text = flat(card);
    let now = text.split_once("Now ").map_or("", |(_, now)| now);
    let after = |first: &str, second: &str| {
        now.find(first).zip(now.find(second)).is_some_and(|(first, second)| first > second)
    };
    for (first, second) in
        [("save-coredumps", "Restart what crashed"), ("save-coredumps", "systemctl reboot")]
    {
        if after(first, second) {
            wrong.push(format!("{second} comes before {first}"));
        }
    }
    let told = text.contains("This comes from the program");
    if heading.contains("HARDWARE ERROR") && now.is_empty() && !told {
        wrong.push(format!("{heading}, and nothing to do now"));
    }
    if heading.contains("PAGE FAULT") && text.contains("not necessarily at fault") {
        wrong.push("the address space is the program's, and the program is cleared".to_owned());
    }
    wrong
}

#[test]
fn the_heading_agrees_with_the_outcome_and_with_what_to_do() {
    none(&of_single_incidents(of_heading));
}
