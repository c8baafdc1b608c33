//! Times of day: as in the log, in UTC, or in this machine's zone.

use super::common::{Fixture, Run};

/// POSIX zone strings, which need no database: UTC, Berlin, Kathmandu, Los Angeles.
const ZONES: [&str; 4] =
    ["UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "<+0545>-5:45", "PST8PDT,M3.2.0,M11.1.0"];

const LOG: &str = "reports/five-incidents.log";

fn shown(log: &str, zone: &str, arguments: &[&str]) -> String {
    let log = Fixture::read(log).log;
    Run::new(arguments).variable("TZ", zone).input(log).output().stdout
}

#[test]
fn a_report_is_the_same_on_every_machine() {
    for log in
        [LOG, "formats/journal-short-iso.log", "formats/dmesg-ctime.log", "formats/dmesg.log"]
    {
        for arguments in [
            &["--format", "human"][..],
            &["--format", "markdown"],
            &["--format", "html"],
            &["--format", "json"],
            &["--utc"],
            &["--utc", "--format", "markdown"],
            &["--local", "--format", "json"],
            &["-q", "--local"],
            &["events"],
            &["records"],
        ] {
            let want = shown(log, ZONES[0], arguments);
            assert!(!want.is_empty());
            for zone in ZONES {
                assert_eq!(shown(log, zone, arguments), want, "{log} {arguments:?} {zone}");
            }
        }
    }
}

#[test]
fn a_zone_is_what_was_asked_for() {
    let whens = [
        "2026-03-13 18:15:00Z",
        "2026-03-13 19:15:00+01:00",
        "2026-03-14 00:00:00+05:45",
        "2026-03-13 11:15:00-07:00",
    ];
    for format in ["human", "markdown", "html"] {
        for (zone, when) in ZONES.into_iter().zip(whens) {
            let local = shown(LOG, zone, &["--format", format, "--local"]);
            assert!(local.contains(when), "{zone}: {local}");
            let utc = shown(LOG, zone, &["--format", format, "--utc"]);
            assert!(utc.contains(whens[0]), "{zone}: {utc}");
            let printed = shown(LOG, zone, &["--format", format]);
            assert!(printed.contains("2026-03-13 19:15:00+01:00"), "{zone}: {printed}");
        }
    }
    // A time in an unknown zone is not converted.
    let ctime = |arguments: &[&str]| shown("formats/dmesg-ctime.log", ZONES[2], arguments);
    assert_eq!(ctime(&["--local"]), ctime(&[]));
    let both = Run::new(["--utc", "--local"]).output();
    assert_eq!((both.status, both.stdout.as_str()), (2, ""));
}
