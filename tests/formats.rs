//! The format of a log never changes the diagnosis.

use super::common::{Fixture, Json, Run, none};

/// A different log: a process listing has no messages.
const LISTING: &str = "formats/process-listing.log";

/// Formats without times.
const TIMELESS: [&str; 2] = ["formats/dmesg-notime.log", "formats/journal-cat.log"];

/// The report on the log in every format, except journals if journalctl is not installed.
fn reports() -> Vec<(Fixture, Json)> {
    let fixtures = Fixture::all("formats").into_iter().filter(|fixture| fixture.name != LISTING);
    fixtures
        .filter_map(|fixture| {
            let output = fixture.report();
            if fixture.name.contains(".journal") && output.stderr.contains("journalctl") {
                eprintln!("{} is skipped: {}", fixture.name, output.stderr);
                return None;
            }
            Some((fixture, output.json()))
        })
        .collect()
}

#[test]
fn every_form_leads_to_the_same_diagnosis() {
    let told = |report: &Json| {
        let Some(incident) = report["incidents"].list().first() else {
            return "no incident".to_owned();
        };
        format!(
            "{:?} {:?} {} {:?} {:?} {}",
            report.diagnosed(),
            report.outcomes(),
            incident["fingerprint"].text(),
            incident["device"],
            incident["process"],
            report["verdict"].text(),
        )
    };
    let reports = reports();
    assert!(reports.len() > 120, "only {} forms", reports.len());
    let want = told(&Run::json(Fixture::read("formats/dmesg.log").log).output().json());
    assert!(want.contains("ring-timeout-reset"), "{want}");
    let wrong: Vec<String> = reports
        .iter()
        .map(|(fixture, report)| (fixture, told(report)))
        .filter(|(_, got)| *got != want)
        .map(|(fixture, got)| format!("{}: {got}", fixture.name))
        .collect();
    none(&wrong);
}

/// Without times the match score is lower, and nothing else differs.
#[test]
fn only_lost_times_cost_a_score() {
    let mut wrong = Vec::new();
    let score = |report: &Json| {
        let incidents = report["incidents"].list().iter();
        let diagnosis = incidents
            .flat_map(|incident| incident["diagnoses"].list())
            .find(|diagnosis| diagnosis["id"].text() == "ring-timeout-reset")?;
        Some(diagnosis["match_score"].number())
    };
    let want = score(&Run::json(Fixture::read("formats/dmesg.log").log).output().json());
    assert!(want.is_some());
    for (fixture, report) in reports() {
        let got = score(&report);
        let timeless = TIMELESS.contains(&fixture.name.as_str());
        if timeless != (got < want) || got > want {
            wrong.push(format!("{}: {got:?}, with times {want:?}", fixture.name));
        }
    }
    none(&wrong);
}

#[test]
fn a_process_listing_is_read_as_one() {
    let report = Run::json(Fixture::read(LISTING).log).output().json();
    assert_eq!(report["inputs"][0]["format"].text(), "process-listing");
    assert_eq!(report.diagnosed(), ["ttm-deadlock"]);
}

/// A common form of bug report: an excerpt of the crash followed by the whole log.
#[test]
fn an_excerpt_beside_the_whole_log_changes_nothing() {
    let whole = Fixture::read("formats/dmesg.log").text();
    let excerpt: Vec<&str> = whole.lines().skip(2).take(3).collect();
    let excerpt = excerpt.join("\n");
    let want = Run::json(whole.clone()).output().json();
    for text in [
        format!("The crash:\n\n{excerpt}\n\nAll of it:\n\n{whole}"),
        format!("{whole}\nThis is the crash:\n\n{excerpt}\n"),
    ] {
        let report = Run::json(text.clone()).output().json();
        assert_eq!(report.diagnosed(), want.diagnosed(), "{text}");
        assert_eq!(report.outcomes(), want.outcomes(), "{text}");
        assert_eq!(report["boots"].list().len(), 1, "{text}");
        let page = Run::human(text).argument("-v").output().stdout;
        assert!(page.contains("of an excerpt"), "{page}");
    }
}
