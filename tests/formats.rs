//! How a log was taken never decides what is diagnosed.

use super::common::{Fixture, Run, none};

/// Holds another log than all others: a listing has no messages.
const LISTING: &str = "formats/process-listing.log";

#[test]
fn every_form_leads_to_the_same_diagnosis() {
    let told = |fixture: &Fixture| {
        let report = Run::json(fixture.log.clone()).output().json();
        let incident = &report["incidents"][0];
        format!(
            "{:?} {:?} {} {:?} {:?}",
            report.diagnosed(),
            report.outcomes(),
            incident["fingerprint"].text(),
            incident["device"],
            incident["process"],
        )
    };
    let want = told(&Fixture::read("formats/dmesg.log"));
    assert!(want.contains("ring-timeout-reset"), "{want}");
    let fixtures = Fixture::all("formats");
    assert!(fixtures.len() > 30, "only {} forms", fixtures.len());
    let others = fixtures.iter().filter(|fixture| fixture.name != LISTING);
    let wrong: Vec<String> = others
        .map(|fixture| (fixture, told(fixture)))
        .filter(|(_, got)| *got != want)
        .map(|(fixture, got)| format!("{}: {got}", fixture.name))
        .collect();
    none(&wrong);
}

/// Without times nothing is as sure, and nothing else differs.
#[test]
fn only_lost_times_cost_certainty() {
    let mut wrong = Vec::new();
    let confidence = |fixture: &Fixture| {
        let report = Run::json(fixture.log.clone()).output().json();
        report.diagnosis("ring-timeout-reset")["confidence"].number()
    };
    let want = confidence(&Fixture::read("formats/dmesg.log"));
    for fixture in Fixture::all("formats").iter().filter(|fixture| fixture.name != LISTING) {
        let got = confidence(fixture);
        let timeless = fixture.name.contains("notime");
        if timeless != (got < want) || got > want {
            wrong.push(format!("{}: {got}, with times {want}", fixture.name));
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
