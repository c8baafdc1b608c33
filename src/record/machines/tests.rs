//! Which machines a log is taken for.

use super::*;
use crate::input::Lines;
use crate::record::read_machines;

struct DiscardAll;

impl Visit for DiscardAll {
    fn see(&mut self, _read: crate::record::Read<'_>) {}
}

/// The host of each machine, and its number of records.
fn machines(log: &str) -> Vec<(Option<String>, u64)> {
    let found = read_machines(&mut Lines::new(log.as_bytes()), Options::default(), &mut DiscardAll);
    found.unwrap().into_iter().map(|reading| (reading.host, reading.records)).collect()
}

fn named(found: &[(&str, u64)]) -> Vec<(Option<String>, u64)> {
    found.iter().map(|(host, records)| (Some((*host).to_owned()), *records)).collect()
}

fn line(second: u32, host: &str, clock: u32, text: &str) -> String {
    let (minute, second) = (second / 60, second % 60);
    format!("Nov 19 10:{minute:02}:{second:02} {host} kernel: [{clock:5}.000000] {text}\n")
}

#[test]
fn hosts_side_by_side_are_machines() {
    let of = |at: u32| [line(at, "a", 900 + at, "x"), line(at, "b.site", 70 + at, "y")].concat();
    let log: String = (0..5).map(of).collect();
    assert_eq!(machines(&log), named(&[("a", 5), ("b.site", 5)]));
    // Without a kernel clock it shows when the first host returns.
    let plain = "Nov 19 10:00:00 a kernel: x\nNov 19 10:00:01 b kernel: x\n\
                 Nov 19 10:00:02 a kernel: x\nNov 19 10:00:03 b kernel: x\n\
                 Nov 19 10:00:04 a kernel: x\n";
    assert_eq!(machines(plain), named(&[("a", 3), ("b", 2)]));
    // Booted at the same time, with the switch that supplies their power.
    let rack: String =
        (0..6).map(|at| line(at, ["a", "b", "c"][at as usize % 3], at, "x")).collect();
    assert_eq!(machines(&rack), named(&[("a", 2), ("b", 2), ("c", 2)]));
}

#[test]
fn a_machine_that_boots_is_called_otherwise_at_first() {
    let boot = |from: u32| {
        let early = line(from, "localhost", 0, "Linux version 6.12.0");
        let early = early + &line(from + 1, "localhost", 1, "x");
        early + &line(from + 5, "desk", 5, "y") + &line(from + 6, "desk.lan", 6, "z")
    };
    assert_eq!(machines(&(boot(0) + &boot(20) + &boot(900))), named(&[("desk", 12)]));
    let plain = "Nov 19 10:00:00 desk kernel: a\n\
                 Nov 19 10:00:09 localhost kernel: Linux version 6.12.0\n\
                 Nov 19 10:00:10 localhost kernel: b\n\
                 Nov 19 10:00:12 desk kernel: c\n";
    assert_eq!(machines(plain), named(&[("desk", 4)]));
}

#[test]
fn concatenated_logs_are_separate_machines() {
    let one = line(0, "a", 0, "Linux version 6.12.0") + &line(9, "a", 9, "x");
    let two = line(95, "b", 0, "Linux version 6.12.0") + &line(99, "b", 4, "x");
    assert_eq!(machines(&(one.clone() + &two)), named(&[("a", 2), ("b", 2)]));
    // The name was redacted in a part of the log.
    let struck = one + &line(20, "xxx", 20, "y");
    assert_eq!(machines(&struck), named(&[("xxx", 3)]));
}

/// What `grep` picks from the log of a collecting host, where journald took the kernel's clock
/// away: each host may have one line.
#[test]
fn hosts_without_clocks_that_do_not_return_are_machines() {
    let of = |host: &str, text: &str| format!("Nov 19 10:00:00 {host} kernel: {text}\n");
    let log = of("a", "x") + &of("b", "x") + &of("c", "x");
    assert_eq!(machines(&log), named(&[("a", 1), ("b", 1), ("c", 1)]));
    let boot = of("image", "Linux version 6.12.0") + &of("desk", "x");
    assert_eq!(machines(&boot), named(&[("desk", 2)]), "it got its name while it booted");
    let default = of("localhost", "x") + &of("desk", "x");
    assert_eq!(machines(&default), named(&[("desk", 2)]));
    let many: String = (0..MOST + 6).map(|at| of(&format!("n{at}"), "x")).collect();
    let found =
        read_machines(&mut Lines::new(many.as_bytes()), Options::default(), &mut DiscardAll);
    let found = found.unwrap();
    assert_eq!(found.len(), MOST);
    assert!(found.iter().all(|reading| reading.records == 1 && reading.stopped.is_some()));
}

#[test]
fn the_clock_on_the_wall_may_be_set_while_the_name_changes() {
    let log = line(1800, "localhost", 3, "x") + &line(5, "desk", 4, "y") + &line(6, "desk", 5, "z");
    assert_eq!(machines(&log), named(&[("desk", 3)]));
}

#[test]
fn reading_stops_at_the_limit_of_machines() {
    let of = |at: u32| line(at / 100, &format!("n{}", at % 100), 1000 * (at % 100) + at / 100, "x");
    let log: String = (0..300).map(of).collect();
    let found = read_machines(&mut Lines::new(log.as_bytes()), Options::default(), &mut DiscardAll);
    let found = found.unwrap();
    assert_eq!(found.len(), MOST);
    assert!(found.iter().all(|reading| reading.stopped.is_some()));
}

#[test]
fn the_journals_machine_id_identifies_the_machine() {
    let entry = |id: &str, host: &str| {
        format!(
            "{{\"MESSAGE\":\"x\",\"_TRANSPORT\":\"kernel\",\"_HOSTNAME\":\"{host}\",\"_MACHINE_ID\":\"{id}\",\"_BOOT_ID\":\"b{id}\",\"__REALTIME_TIMESTAMP\":\"1795080780204097\"}}\n"
        )
    };
    let log = entry("1", "a") + &entry("2", "a") + &entry("1", "renamed");
    assert_eq!(machines(&log), named(&[("renamed", 2), ("a", 1)]));
}
