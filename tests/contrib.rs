//! The files for monitoring are valid for the programs that read them, and match amdtriage's
//! output.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::common::{Machine, Run, child, none, root};

fn text(path: &str) -> String {
    fs::read_to_string(root(&format!("contrib/{path}"))).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap()
}

/// The metrics in a text.
fn metrics(text: &str) -> BTreeSet<&str> {
    let names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    names.filter(|name| name.starts_with("amdtriage_")).collect()
}

/// Metrics of a machine with a GPU whose log has an incident, so that every metric has a value.
fn printed() -> String {
    let folder = Machine::read("eight-accelerators").unpacked();
    fs::create_dir_all(folder.path().join("var/log")).unwrap();
    let log = root("fixtures/formats/dmesg.log");
    fs::copy(log, folder.path().join("var/log/dmesg")).unwrap();
    let run = Run::new(["check", "--root", ".", "--expect-gpus", "9", "--format", "prometheus"]);
    run.folder(folder.path()).output().stdout
}

#[test]
fn alerts_and_dashboard_ask_for_metrics_that_are_written() {
    let printed = printed();
    let known = metrics(&printed);
    let mut wrong = Vec::new();
    for file in ["prometheus/amdtriage.rules.yml", "grafana/amdtriage.json"] {
        let text = text(file);
        let asked = metrics(&text);
        assert!(asked.len() > 3, "{file}: {asked:?}");
        wrong.extend(asked.difference(&known).map(|name| format!("{file}: {name}")));
    }
    none(&wrong);
    let counter =
        "amdtriage_incidents_total{signature=\"ring-timeout-reset\",gpu=\"0000:2d:00.0\"} 1\n";
    assert!(printed.contains(counter), "{printed}");
    assert!(printed.contains("# TYPE amdtriage_incidents_total counter\n"));
    assert!(printed.contains("amdtriage_finding{id=\"gpus-missing\""));
}

/// Tests the alert rules with Prometheus' own program.
#[test]
fn the_alerts_fire_when_they_should() {
    let named = std::env::var("AMDTRIAGE_PROMTOOL").ok();
    let promtool = named.clone().unwrap_or_else(|| "promtool".to_owned());
    for arguments in
        [["check", "rules", "amdtriage.rules.yml"], ["test", "rules", "amdtriage.test.yml"]]
    {
        let mut program = Command::new(&promtool);
        program.args(arguments).current_dir(root("contrib/prometheus"));
        match child::run(&mut program) {
            Ok(done) => assert!(
                done.status.success(),
                "{}{}",
                String::from_utf8_lossy(&done.stdout),
                String::from_utf8_lossy(&done.stderr)
            ),
            Err(error) => {
                assert!(named.is_none(), "{promtool}: {error}");
                eprintln!("skipped: no promtool");
            }
        }
    }
}

/// Grafana's import needs a title, panels with position and query, and a data source to select.
#[test]
fn the_dashboard_can_be_imported() {
    let dashboard = json("grafana/amdtriage.json");
    assert!(dashboard["title"].is_string() && dashboard["schemaVersion"].is_u64());
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<u64> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
    for panel in panels {
        for side in ["x", "y", "w", "h"] {
            assert!(panel["gridPos"][side].is_u64(), "{panel}");
        }
        assert!(panel["targets"][0]["expr"].is_string() && panel["type"].is_string(), "{panel}");
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{panel}");
    }
    assert_eq!(dashboard["templating"]["list"][0]["type"], "datasource");
}

/// The custom plugin monitor needs an existing command with the expected exit status.
#[test]
fn the_monitor_for_nodes_runs_a_check() {
    let monitor = json("node-problem-detector/amdtriage.json");
    assert_eq!(monitor["plugin"], "custom");
    let rule = &monitor["rules"][0];
    assert_eq!(rule["condition"], monitor["conditions"][0]["type"]);
    assert_eq!(rule["path"], "/usr/bin/amdtriage");
    let arguments = rule["args"].as_array().unwrap().iter().map(|one| one.as_str().unwrap());
    let folder = Machine::read("gpus-gone").unpacked();
    let run = Run::new(arguments.chain(["--root", "."])).folder(folder.path()).output();
    assert_eq!((run.status, run.stdout.lines().count()), (1, 1), "{}", run.stdout);
    assert!(!run.stdout.contains('|'), "{}", run.stdout);
}

/// systemd, if installed, accepts the units: no unknown keys, and a strict sandbox.
#[test]
fn the_units_are_units() {
    let folder = root("contrib/systemd");
    let all = ["amdtriage.service", "amdtriage-check.service", "amdtriage-check.timer"];
    let Ok(verified) = child::run(Command::new("systemd-analyze").arg("--version")) else {
        eprintln!("skipped: no systemd-analyze");
        return;
    };
    assert!(verified.status.success());
    for unit in all {
        let verified =
            child::run(Command::new("systemd-analyze").arg("verify").arg(folder.join(unit)))
                .unwrap();
        let said = String::from_utf8_lossy(&verified.stderr);
        // The program and its manual need not be installed here.
        let wrong: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("amdtriage"))
            .filter(|line| !line.contains("is not executable") && !line.contains("Command 'man "))
            .collect();
        assert_eq!(wrong, [""; 0], "{unit}");
    }
    let offline = ["security", "--offline=true", "--threshold=20"];
    for service in &all[..2] {
        let service = folder.join(service);
        let judged =
            child::run(Command::new("systemd-analyze").args(offline).arg(service)).unwrap();
        assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stdout));
    }
}
