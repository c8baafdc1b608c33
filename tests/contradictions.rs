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
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
