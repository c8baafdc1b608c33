//! On a machine whose GPU works, every signature keeps still.

use super::common::{Fixture, Run, none};

#[test]
fn a_healthy_machine_has_no_incident() {
    let mut wrong = Vec::new();
    let mut told = Vec::new();
    for fixture in Fixture::all("quiet") {
        let output = Run::json(fixture.log.clone()).output();
        let report = output.json();
        let verdict = report["verdict"].text();
        let notices = report["notices"].each("id");
        if !report["incidents"].list().is_empty() {
            wrong.push(format!("{}: says {:?}", fixture.name, report.diagnosed()));
        }
        if !matches!(verdict, "clean" | "warning") || output.status != 0 {
            wrong.push(format!("{}: {verdict}, exit status {}", fixture.name, output.status));
        }
        if fixture.notices != notices || !fixture.says.is_empty() {
            wrong.push(format!("{}: notices {:?}, got {notices:?}", fixture.name, fixture.notices));
        }
        told.push(format!("{}: {verdict} {notices:?}", fixture.name));
    }
    none(&wrong);
    insta::assert_snapshot!("quiet", told.join("\n"));
}
