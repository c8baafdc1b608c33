//! Where boots begin, which of them are copies, and what their times are.

use super::*;

#[test]
fn boots_begin_where_the_kernel_does() {
    let firsts = |text: &str| {
        let (_, reading) = records(text);
        reading.boots.iter().map(|boot| boot.first_sequence).collect::<Vec<_>>()
    };
    let banner = "Linux version 6.1.0 (a@b)";
    for (text, want) in [
        (format!("[    0.000000] {banner}\n[  9.000000] a\n[    0.000000] {banner}\n[  1.000000] b\n"), vec![0, 2]),
        // Updates of microcode are printed before the banner.
        (format!("[    0.000000] microcode: updated\n[    0.000000] {banner}\n[  1.000000] b\n"), vec![0]),
        ("[  90.000000] a\n[  3.000000] b\n[  3.100000] c\n".to_owned(), vec![0, 1]),
        ("[  90.000000] a\n[  3.000000] late\n[  90.100000] c\n".to_owned(), vec![0]),
        ("[  90.000000] a\n[  89.500000] b\n[  89.600000] c\n".to_owned(), vec![0]),
        ("Nov 19 10:00:00 h kernel: a\n-- Reboot --\nNov 19 09:00:00 h kernel: b\n".to_owned(), vec![0, 1]),
        ("Nov 19 10:00:00 h kernel: a\nNov 19 08:00:00 h kernel: b\nNov 19 08:00:01 h kernel: c\n".to_owned(), vec![0]),
        (format!("Nov 19 10:00:00 h kernel: a\nNov 19 11:00:00 h kernel: {banner}\n"), vec![0, 1]),
        // Newest first: a clock that falls is no boot, and a banner ends one.
        (format!("[    9.000000] h kernel: d\n[    5.000000] h kernel: c\n[    2.000000] h kernel: b\n[    0.000000] h kernel: {banner}\n"), vec![0]),
        (String::new(), vec![]),
    ] {
        assert_eq!(firsts(&text), want, "{text}");
    }
    let id = "0123456789abcdef0123456789abcdef";
    let (_, reading) = records(&format!("-- Boot {id} --\nNov 19 10:00:00 h kernel: {banner}\n"));
    assert_eq!(reading.boots[0].boot_id.as_deref(), Some(id));
    assert!(reading.boots[0].from_banner);
}

#[test]
fn more_boots_than_a_log_can_have_end_the_reading() {
    let (_, reading) = records(&"-- Reboot --\na\n".repeat(100_001));
    assert_eq!(reading.boots.len(), 100_000);
    assert!(reading.stopped.is_some());
}

#[test]
fn time_passes_only_forward() {
    let passed = |text: &str| {
        records(text)
            .0
            .iter()
            .map(|record| record.stamp.passed.map(|span| span.0 / 1_000_000))
            .collect::<Vec<_>>()
    };
    let short = |times: [&str; 4]| times.map(|time| format!("{time} h kernel: x\n")).concat();
    for (text, want) in [
        (
            short(["Nov 19 10:00:00", "Nov 19 10:00:05", "Nov 19 08:00:00", "Nov 19 08:00:02"]),
            [0, 5, 5, 7],
        ),
        (
            short(["Nov 19 10:00:00", "Nov 19 10:00:05", "Nov 19 10:00:04", "Nov 19 10:00:06"]),
            [0, 5, 5, 6],
        ),
        (
            short(["Dec 31 23:59:58", "Jan  1 00:00:01", "Jan  1 00:00:01", "Jan  1 00:00:02"]),
            [0, 3, 3, 4],
        ),
    ] {
        assert_eq!(passed(&text), want.map(Some), "{text}");
    }
}

#[test]
fn a_reversed_journal_names_its_boots_too() {
    let (old, new) = ("a".repeat(32), "b".repeat(32));
    let text = format!(
        "-- Boot {new} --\nNov 19 12:00:02 h kernel: 6\nNov 19 12:00:01 h kernel: 5\n\
         Nov 19 12:00:00 h kernel: Linux version 6.1.0\n-- Boot {old} --\n\
         Nov 19 10:00:02 h kernel: 3\nNov 19 10:00:01 h kernel: 2\n\
         Nov 19 10:00:00 h kernel: Linux version 6.0.0\n"
    );
    let (found, reading) = records(&text);
    assert_eq!(
        messages(&found),
        ["Linux version 6.0.0", "2", "3", "Linux version 6.1.0", "5", "6"]
    );
    assert_eq!(reading.direction, Direction::Reversed);
    assert_eq!(boot_ids(&reading), [old.as_str(), new.as_str()]);
    let firsts: Vec<u64> = reading.boots.iter().map(|boot| boot.first_sequence).collect();
    assert_eq!(firsts, [0, 3]);
}

#[test]
fn objects_name_the_boot_they_are_of() {
    let (old, new) = ("a".repeat(32), "b".repeat(32));
    let object = |boot: &str, clock: u32, text: &str| {
        format!(
            "{{\"_BOOT_ID\":\"{boot}\",\"_TRANSPORT\":\"kernel\",\
             \"__REALTIME_TIMESTAMP\":\"17726448{clock:02}000000\",\"MESSAGE\":\"{text}\"}}\n"
        )
    };
    let text = object(&old, 10, "a")
        + &object(&old, 11, "b")
        + &object(&new, 12, "c")
        + &object(&new, 13, "d");
    let (found, reading) = records(&text);
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
    assert_eq!(boot_ids(&reading), [old.as_str(), new.as_str()]);
    assert_eq!(reading.boots[1].first_sequence, 2);
}

#[test]
fn systemd_writes_into_the_kernels_buffer_until_there_is_a_journal() {
    let text = "Nov 19 10:00:00 h kernel: Linux version 6.1.0\n\
                Nov 19 10:00:01 h systemd[1]: Mounting it.\n\
                Nov 19 10:00:02 h kernel: a\n\
                Nov 19 10:00:03 h systemd-journald[311]: Journal started\n\
                Nov 19 10:00:04 h systemd[1]: Mounted it.\n\
                Nov 19 10:00:05 h systemd[700]: A user's.\n\
                Nov 19 11:00:00 h kernel: Linux version 6.1.0\n\
                Nov 19 11:00:01 h systemd[1]: Once more.\n";
    let (found, reading) = records(text);
    let buffered: Vec<bool> = found.iter().map(|record| record.buffered).collect();
    assert_eq!(buffered, [true, true, true, false, false, false, true, true]);
    assert_eq!((reading.boots.len(), reading.kernel_records), (2, 5));
    // Without the kernel before, it is a journal like any other.
    let (found, _) = records("Nov 19 10:00:01 h systemd[1]: Mounted it.\n");
    assert!(!found[0].buffered);
}

/// The date of each line of a journal without years that was saved then.
fn dates(saved: &str, days: &[&str]) -> Vec<String> {
    let reference = chrono::NaiveDateTime::parse_from_str(saved, "%Y-%m-%d %H:%M").unwrap();
    let micros = Micros(reference.and_utc().timestamp_micros());
    let options = Options { reference: Some(micros), ..Options::default() };
    let text = days.join(" 10:00:00 h kernel: x\n") + " 10:00:00 h kernel: x\n";
    let (found, _) = records_with(text.as_bytes(), options);
    found
        .iter()
        .map(|record| {
            let wall = record.stamp.wall.unwrap();
            assert_eq!(wall.dated, Dated::Inferred, "{days:?}");
            chrono::DateTime::from_timestamp_micros(wall.local.0).unwrap().format("%F").to_string()
        })
        .collect()
}

#[test]
fn the_year_follows_from_when_the_log_was_saved() {
    for (saved, days, want) in [
        ("2026-11-21 12:00", vec!["Nov 19", "Nov 21"], vec!["2026-11-19", "2026-11-21"]),
        // A year that ends within the log.
        ("2026-01-03 12:00", vec!["Dec 31", "Jan  1"], vec!["2025-12-31", "2026-01-01"]),
        // Saved on the first day of a year, and on the last.
        ("2026-01-01 00:30", vec!["Dec 31"], vec!["2025-12-31"]),
        ("2026-01-01 12:00", vec!["Dec 31", "Jan  1"], vec!["2025-12-31", "2026-01-01"]),
        ("2025-12-31 23:50", vec!["Dec 30", "Dec 31"], vec!["2025-12-30", "2025-12-31"]),
        // The clock there may be a day ahead.
        ("2025-12-31 23:50", vec!["Jan  1"], vec!["2026-01-01"]),
        ("2026-11-21 12:00", vec!["Nov 23"], vec!["2025-11-23"]),
        // Only a leap year has it.
        ("2026-11-21 12:00", vec!["Feb 29"], vec!["2024-02-29"]),
        ("2024-03-01 12:00", vec!["Feb 28", "Feb 29"], vec!["2024-02-28", "2024-02-29"]),
        ("2024-02-28 01:00", vec!["Feb 29"], vec!["2020-02-29"]),
        // Newest first.
        (
            "2026-01-03 12:00",
            vec!["Jan  3", "Jan  2", "Jan  1", "Dec 31", "Dec 30"],
            vec!["2025-12-30", "2025-12-31", "2026-01-01", "2026-01-02", "2026-01-03"],
        ),
        (
            "2026-01-03 12:00",
            vec!["Jan  2", "Jan  1", "Dec 31"],
            vec!["2025-12-31", "2026-01-01", "2026-01-02"],
        ),
    ] {
        assert_eq!(dates(saved, &days), want, "{saved} {days:?}");
    }
}

/// Each boot is a step back of the kernel's clock, and so is a line that was stored late.
#[test]
fn a_few_steps_back_are_no_direction() {
    for text in [
        "[  100.000020] a\n[  100.000010] b\n",
        "[  900.000020] a\n[    0.000000] Linux version 6.1.0 (a@b)\n",
    ] {
        let (found, reading) = records(text);
        assert_eq!((found.len(), reading.direction), (2, Direction::Forward), "{text}");
    }
}

#[test]
fn an_invalid_date_is_not_a_time() {
    for line in [
        "Feb 31 10:00:00 h kernel: x",
        "Apr 31 10:00:00 h kernel: x",
        "Nov  0 10:00:00 h kernel: x",
        "2026-02-30T10:00:00+0100 h kernel: x",
        "2026-13-01T10:00:00+0100 h kernel: x",
        "Thu 2026-02-29 10:00:00 CET h kernel: x",
        "[Thu Feb 31 10:00:00 2026] x",
        "2026-02-30T10:00:00,000000+01:00 x",
        "02-30 10:00:00.000     0     0 I x",
        "Nov 19 24:00:00 h kernel: x",
        "Nov 19 10:60:00 h kernel: x",
    ] {
        let (found, _) = records(line);
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!(found[0].stamp, Stamp::default(), "{line}");
    }
    // A leap second and a leap day are.
    for line in ["Dec 31 23:59:60 h kernel: x", "Feb 29 10:00:00 h kernel: x"] {
        assert!(records(line).0[0].stamp.wall.is_some(), "{line}");
    }
}

#[test]
fn an_excerpt_beside_the_whole_log_is_no_boot() {
    let line =
        |(clock, message): (i64, &str)| format!("[{:>12}] {message}\n", Micros(clock).to_string());
    let lines = STORY.map(line);
    let (whole, excerpt) = (lines.concat(), lines[2..5].concat());
    for (text, range) in [
        (format!("The crash:\n\n{excerpt}\nAll of it:\n\n{whole}"), 0..5),
        (format!("All of it:\n\n{whole}\nThe crash:\n\n{excerpt}"), 10..13),
    ] {
        let (found, reading) = records(&text);
        assert_eq!(reading.boots.len(), 1, "{text}");
        assert_eq!(reading.excerpts.len(), 1, "{text}");
        let first = found.iter().position(|record| reading.is_excerpt(record.line - 1));
        assert!(
            first.is_some() && reading.excerpts[0].end <= range.end + 1,
            "{:?}",
            reading.excerpts
        );
    }
}

/// One line that both have does not become half of an excerpt because it is repeated.
#[test]
fn a_line_that_is_repeated_makes_no_excerpt() {
    let line =
        |(clock, message): (i64, &str)| format!("[{:>12}] {message}\n", Micros(clock).to_string());
    let repeated = "[    1.500000] usb 1-1: reset\n".repeat(100);
    for text in [
        format!("{}{repeated}", STORY.map(line).concat()),
        format!("{repeated}{}{repeated}", STORY.map(line).concat()),
    ] {
        let (found, reading) = records(&text);
        let told = |record: &&Own| {
            record.message.starts_with("amdgpu") && !reading.is_excerpt(record.line - 1)
        };
        assert_eq!(found.iter().filter(told).count(), 6, "{:?}", reading.excerpts);
    }
}

/// Two boots of one machine may print the same at the same time.
#[test]
fn boots_with_different_ids_are_no_excerpts() {
    let entry = |boot: char, at: u32| {
        let id = boot.to_string().repeat(32);
        format!(
            "_BOOT_ID={id}\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP={at}000000\n\
             __MONOTONIC_TIMESTAMP={at}000000\nMESSAGE=line {at}\n\n"
        )
    };
    let boot = |boot| (2..8).map(|at| entry(boot, at)).collect::<String>();
    let boots = |text: &str| {
        let reading = read(&mut Lines::new(text.as_bytes()), Options::default(), |_| ()).unwrap();
        (reading.boots.len(), reading.excerpts.len())
    };
    assert_eq!(boots(&[boot('a'), boot('b')].concat()), (2, 0));
    assert_eq!(boots(&[boot('a'), boot('a')].concat()).0, 1);
}

/// A clock that falls, and nothing else, may be an excerpt of the same boot.
#[test]
fn boots_known_only_by_a_clock_are_uncertain() {
    let certain = |text: &str| -> Vec<bool> {
        records(text).1.boots.iter().map(|boot| boot.certain).collect()
    };
    for (text, want) in [
        ("[  900.000000] a\n[    3.000000] b\n[    3.100000] c\n", vec![true, false]),
        (
            "[  900.000000] a\n[    0.000000] Linux version 6.1\n[    3.100000] c\n",
            vec![true, true],
        ),
        // Late lines, after which the clock continues.
        ("[    5.000000] a\n[    3.500000] b\n[    3.600000] c\n[    5.100000] d\n", vec![true]),
        // Rotated files in the wrong order: the clock began at the same moment.
        (
            "Nov 19 10:00:00 h kernel: [  100.000000] a\nNov 19 10:00:01 h kernel: [  101.000000] b\n\
             Nov 19 09:59:00 h kernel: [   40.000000] c\nNov 19 09:59:01 h kernel: [   41.000000] d\n",
            vec![true],
        ),
        (
            "Nov 19 10:00:00 h kernel: [  900.000000] a\nNov 19 10:00:01 h kernel: [  901.000000] b\n\
             Nov 19 10:05:00 h kernel: [    4.000000] c\nNov 19 10:05:01 h kernel: [    5.000000] d\n",
            vec![true, true],
        ),
    ] {
        assert_eq!(certain(text), want, "{text}");
    }
}

#[test]
fn several_machines_in_one_input_have_no_order() {
    let line = |host: &str, second: usize| {
        format!("Nov 19 10:33:{second:02} {host} kernel: [ {second:>4}.000000] text\n")
    };
    let mixed: String = (0..12).map(|n| line(["a", "b"][n % 2], n)).collect();
    assert_eq!(records(&mixed).1.direction, Direction::Interleaved);
    // A machine is called otherwise while it boots.
    let renamed: String = (0..12).map(|n| line(if n < 3 { "localhost" } else { "a" }, n)).collect();
    assert_eq!(records(&renamed).1.direction, Direction::Forward);
    let entry = |boot: usize, clock: usize| {
        format!(
            "{{\"MESSAGE\":\"x\",\"_TRANSPORT\":\"kernel\",\"_BOOT_ID\":\"{boot:032}\",\
             \"_SOURCE_MONOTONIC_TIMESTAMP\":\"{clock}000000\"}}\n"
        )
    };
    let mixed: String = (0..12).map(|n| entry(n % 2, 10 + n)).collect();
    assert_eq!(records(&mixed).1.direction, Direction::Interleaved);
    let boots: String = (0..12).map(|n| entry(n / 4, 10 + n)).collect();
    let (_, reading) = records(&boots);
    assert_eq!((reading.direction, reading.boots.len()), (Direction::Forward, 3));
}

/// One log pasted over and over happened once; what it says of each copy stays in bounds.
#[test]
fn copies_of_a_boot_are_excerpts_of_the_first() {
    let boot = "[    0.000000] Linux version 6.1.0 (a@b)\n[  900.000000] text\n";
    let (found, reading) = records(&boot.repeat(2000));
    assert_eq!((found.len(), reading.boots.len(), reading.excerpts.len()), (4000, 1, 1));
    assert!(!reading.is_excerpt(1) && reading.is_excerpt(2) && reading.is_excerpt(3999));
}

/// A template of rsyslog puts facility and level after the name of the machine.
#[test]
fn levels_to_and_fro_are_of_one_machine() {
    let line = |second: u32| {
        let level = if second < 20 || second.is_multiple_of(2) { "info" } else { "err" };
        format!(
            "2026-03-04T18:35:{second:02}+01:00 host kern.{level} kernel: [   {second}.000000] usb 1-1: a\n"
        )
    };
    let log: String = (10..40).map(line).collect::<Vec<_>>().concat();
    assert_eq!(records(&log).1.direction, Direction::Forward);
}

/// The kernel counts its crashes from 1. Its clock may be later than that of the run before.
#[test]
fn crashes_that_are_counted_from_one_again_are_of_another_boot() {
    let firsts = |text: &str| -> Vec<u64> {
        records(text).1.boots.iter().map(|boot| boot.first_sequence).collect()
    };
    let line = |wall: &str, clock: u32, text: &str| {
        format!("Sep 17 {wall} h kernel: [  {clock}.680735] {text}\n")
    };
    let end = line("13:40:39", 128, "CR2: 0000000000000134")
        + &line("13:40:39", 128, "---[ end trace 1d874cedb9128be4 ]---");
    let crash = |wall: &str, clock: u32, number: u32| {
        line(wall, clock, "BUG: unable to handle kernel NULL pointer dereference at 0134")
            + &line(wall, clock, "PGD 0 ")
            + &line(wall, clock, &format!("Oops: 0000 [#{number}] SMP"))
    };
    for (text, want) in [
        (end.clone() + &crash("13:56:28", 306, 1), vec![0, 2]),
        (
            end.clone() + &line("13:56:20", 298, "usb 1-1: a") + &crash("13:56:28", 306, 1),
            vec![0, 2],
        ),
        (crash("13:40:39", 128, 1) + &crash("13:56:28", 306, 1), vec![0, 3]),
        // The next one of the same boot, and the same one again.
        (end.clone() + &crash("13:56:28", 306, 2), vec![0]),
        (crash("13:40:39", 128, 1) + &end, vec![0]),
        (crash("13:40:39", 128, 1) + &crash("13:40:39", 128, 1), vec![0]),
        // A suspended machine.
        (end + &line("13:56:28", 306, "usb 1-1: a"), vec![0]),
    ] {
        assert_eq!(firsts(&text), want, "{text}");
        let boots = records(&text).1.boots;
        let clocks = boots.iter().map(|boot| (boot.first.monotonic, boot.last.monotonic));
        assert!(clocks.is_sorted_by(|(_, last), (first, _)| last < first), "{text}");
    }
}

/// What only an excerpt has is never lost, and stays with the lines around it.
#[test]
fn what_only_an_excerpt_has_is_kept() {
    let line =
        |(clock, message): (i64, &str)| format!("[{:>12}] {message}\n", Micros(clock).to_string());
    let whole = STORY.map(line).concat();
    let again = STORY[1..4].iter().copied().map(line).collect::<String>();
    let late = "[  990.000000] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!\n";
    let other = "[  913.550444] amdgpu 0000:2d:00.0: amdgpu: MES failed\n";
    let program = "HIP error: out of memory\n";
    for (text, boots, dropped) in [
        (format!("{whole}{again}"), 1, 3),
        (format!("{whole}{again}{late}"), 2, 0),
        (format!("{again}{late}{whole}"), 2, 0),
        (format!("{whole}{again}{other}"), 2, 0),
        (format!("{whole}{again}{program}"), 1, 3),
        (format!("{whole}{program}{again}{program}"), 1, 4),
    ] {
        let (found, reading) = records(&text);
        let left = found.iter().filter(|record| reading.is_excerpt(record.line - 1)).count();
        assert_eq!((reading.boots.len(), left), (boots, dropped), "{text}");
    }
}

/// More records than are compared: what may be repeated is then kept.
#[test]
fn a_boot_that_is_not_known_whole_is_no_excerpt() {
    let lines = (0..30_000)
        .map(|at| format!("[{:>12}] usb 1-1: {at}\n", Micros(2_000_000 + 10_000 * at).to_string()));
    let whole: String = lines.collect();
    let (_, reading) = records(&whole.repeat(2));
    assert_eq!((reading.boots.len(), reading.excerpts.len()), (2, 0));
}

/// Lines that came late are no boot, so that nothing is an excerpt of them: a log that falls to and
/// fro keeps each record once.
#[test]
fn late_lines_are_no_whole() {
    let text = "[   60.000000] d\n[   55.000000] a\n[   55.100000] b\n[   55.000000] a\n\
                [   55.200000] c\n[   57.000000] e\n[   60.000000] d\n[   14.000000] x\n\
                [   14.100000] y\n[   14.200000] z\n";
    let (found, reading) = records(text);
    let kept: std::collections::HashSet<_> = found
        .iter()
        .filter(|record| !reading.is_excerpt(record.line - 1))
        .map(|record| record.message.clone())
        .collect();
    assert_eq!(kept.len(), 8, "{:?} {kept:?}", reading.excerpts);
}
