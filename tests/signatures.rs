//! Every signature has fixtures that it must match and similar ones that it must not.

use std::collections::{BTreeMap, BTreeSet};

use amdtriage::pattern::signature::Status;

use super::common::{Fixture, Json, Run, none};

#[test]
fn every_fixture_gives_what_its_header_says() {
    let mut wrong = Vec::new();
    for fixture in ["signatures", "boots"].into_iter().flat_map(Fixture::all) {
        let report = fixture.report().json();
        let told = [
            ("says", &fixture.says, report.diagnosed()),
            ("notices", &fixture.notices, report["notices"].each("id")),
        ];
        for (word, want, got) in told {
            if *want != got {
                wrong.push(format!("{}: {word} {want:?}, got {got:?}", fixture.name));
            }
        }
        if let Some(problem) = fixture.outcome.as_ref().and_then(|want| outcome(want, &report)) {
            wrong.push(format!("{}: {problem}", fixture.name));
        }
    }
    none(&wrong);
}

/// The difference between expected and actual outcome. With several incidents the first counts.
fn outcome(want: &str, report: &Json) -> Option<String> {
    let got = report.outcomes();
    (got.first() != Some(&want)).then(|| format!("outcome {want}, got {got:?}"))
}

/// A signature without a similar miss is untested.
#[test]
fn every_signature_has_a_hit_and_a_miss() {
    let mut kernels: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut misses: BTreeSet<String> = BTreeSet::new();
    let mut wrong = Vec::new();
    for fixture in Fixture::all("signatures") {
        let id = fixture.id().to_owned();
        let named = fixture.says.contains(&id) || fixture.notices.contains(&id);
        if named != fixture.is_hit() {
            wrong.push(format!("{}: the name and the header do not agree", fixture.name));
        }
        if named {
            kernels.entry(id).or_default().insert(fixture.kernel);
        } else {
            misses.insert(id);
        }
    }
    for signature in &amdtriage::builtin::patterns().signatures {
        let generations = kernels.remove(&signature.id).unwrap_or_default().len();
        if generations == 0 {
            wrong.push(format!("{} has no hit", signature.id));
        }
        if !misses.remove(&signature.id) {
            wrong.push(format!("{} has no miss", signature.id));
        }
        if signature.status == Status::Stable && generations < 2 {
            wrong.push(format!("{} is stable without hits of two kernels", signature.id));
        }
    }
    let strange = kernels.into_keys().chain(misses);
    wrong.extend(strange.map(|id| format!("{id} is no signature")));
    none(&wrong);
}

#[test]
fn nothing_in_a_header_reaches_the_diagnosis() {
    let fixture = Fixture::read("signatures/gfx11-mes-hang/hit-mode1-after-silence.log");
    assert!(!String::from_utf8_lossy(&fixture.log).contains("# says"));
    let report = Run::json(fixture.log).output().json();
    // The header has 6.8 and gfx1100; the log does not.
    assert!(report["boots"][0]["kernel"].is_null());
    assert!(report["devices"][0]["gfx_target"].is_null());
}
