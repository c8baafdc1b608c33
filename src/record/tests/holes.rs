//! What is missing, and what is damaged.

use super::*;

#[test]
fn holes_are_reported_where_they_are() {
    let text = "[    1.000000] a\n** 12 printk messages dropped **\n[    2.000000] f: 3 callbacks suppressed\n\
                Nov 19 10:33:11 h kernel: message repeated 4 times: [[    2.000000] b]\n";
    let (found, reading) = records(text);
    let holes: Vec<_> =
        reading.holes.iter().map(|hole| (hole.sequence, hole.line, hole.lost, hole.kind)).collect();
    assert_eq!(holes, [(1, 2, Some(12), HoleKind::Dropped), (2, 3, Some(3), HoleKind::RateLimit)]);
    assert_eq!((found.len(), reading.repeats), (4, 4));
}

#[test]
fn between_two_excerpts_anything_may_be_missing() {
    let text = "Look:\n```\n[    1.000000] a\n[    2.000000] b\n```\nand later\n```\n[  900.000000] c\n```\n";
    let (_, reading) = records(text);
    let hole = reading.holes[0];
    assert_eq!((reading.holes.len(), hole.line, hole.kind), (1, 8, HoleKind::Parted));
    // It begins after the previous record.
    assert_eq!(hole.stamp.monotonic, Some(Micros::seconds(2)));
}

#[test]
fn a_failure_later_on_keeps_what_was_read() {
    struct Breaks(usize);
    impl io::Read for Breaks {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 += 1;
            let text = b"[    1.000000] a\n[    2.000000] b and this is long enough to be looked at\n[    3.0";
            if self.0 > 1 {
                return Err(io::Error::other("unplugged"));
            }
            buffer[..text.len()].copy_from_slice(text);
            Ok(text.len())
        }
    }
    let (found, reading) = records_of(Breaks(0));
    assert_eq!(found.len(), 3);
    assert!(reading.stopped.is_some());
    assert!(read(&mut Lines::new(Breaks(9)), Options::default(), |_| {}).is_err());
}

#[test]
fn numbers_that_records_miss_are_holes() {
    let (found, reading) =
        records("6,7,1000000,-;a\n6,8,2000000,-;b\n6,20,3000000,-;c\n6,3,1,-;d\n");
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
    assert_eq!(holes(&reading), [(3, Some(11), HoleKind::Overrun)]);
    // Pieces of one record have its number.
    let pieces = "6,7,1,-,ncfrag=0/4;ab\n6,7,1,-,ncfrag=2/4;cd\n6,9,2,-;e\n";
    let (found, reading) = records(pieces);
    assert_eq!(messages(&found), ["abcd", "e"]);
    assert_eq!(holes(&reading), [(3, Some(1), HoleKind::Overrun)]);
}

#[test]
fn a_field_with_its_length_may_hold_lines() {
    let message = b"first\n\nMESSAGE=no field\n[    1.000000] no record";
    let mut input = b"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1772644810000000\nMESSAGE\n".to_vec();
    input.extend_from_slice(&(message.len() as u64).to_le_bytes());
    input.extend_from_slice(message);
    input.extend_from_slice(b"\n_TRANSPORT=kernel\nPRIORITY=3\n\n__CURSOR=s=2\nMESSAGE=next\n\n");
    let (found, reading) = records_of(input.as_slice());
    assert_eq!(messages(&found), [std::str::from_utf8(message).unwrap(), "next"]);
    assert_eq!((found[0].level, found[0].buffered, found[0].line), (Some(Error), true, 1));
    assert_eq!((reading.form, reading.bytes), (LogFormat::JournalExport, input.len() as u64));
    for size in 1..input.len() {
        let (pieces, _) = records_of(Pieces(&input, vec![size; input.len()]));
        assert_eq!(pieces, found, "{size}");
    }
}

#[test]
fn a_message_that_is_left_out_is_a_hole() {
    let text = "{\"MESSAGE\":\"a\",\"_TRANSPORT\":\"kernel\"}\n\
                {\"MESSAGE\":null,\"_TRANSPORT\":\"kernel\",\"PRIORITY\":\"3\"}\n";
    let (found, reading) = records(text);
    assert_eq!(messages(&found), ["a", ""]);
    assert_eq!(holes(&reading), [(2, None, HoleKind::Cut)]);
}

fn holes(reading: &ReadStats) -> Vec<(u64, Option<u64>, HoleKind)> {
    reading.holes.iter().map(|hole| (hole.line, hole.lost, hole.kind)).collect()
}

#[test]
fn an_unfinished_container_line_keeps_its_position() {
    let container =
        |tag: &str, text: &str| format!("2026-11-19T09:33:30.000000000Z stdout {tag} {text}\n");
    let begun = container("P", "[    1.000000] a");
    for (behind, second) in [
        ("[    2.000000] b\n", "b"),
        ("{\"MESSAGE\":\"b\",\"_TRANSPORT\":\"kernel\"}\n", "b"),
        ("__CURSOR=s=1\nMESSAGE=b\n\n", "b"),
        ("{\"pri\":6,\"time\":2.0,\"msg\":\"b\"}\n", "b"),
        ("6,1,2000000,-;b\n", "b"),
        ("{\n\"MESSAGE\": \"b\"\n}\n", "b"),
    ] {
        let (found, _) = records(&format!("{begun}{behind}"));
        assert_eq!(messages(&found), ["a", second], "{behind}");
        assert_eq!(lines(&found), [1, 2], "{behind}");
    }
    let (found, _) = records(&(begun.clone() + &container("P", "b") + &container("F", "c")));
    assert_eq!((messages(&found), lines(&found)), (vec!["abc"], vec![1]));
    assert_eq!(messages(&records(&begun).0), ["a"]);
}

#[test]
fn a_damaged_document_keeps_the_numbers_of_its_lines() {
    let head = "{\n   \"dmesg\": [\n      {\n         \"pri\": 6,\n         \"time\": 1.0,\n";
    let (found, _) = records(&format!("{head}[    2.000000] b\n[    3.000000] c\n"));
    let (found, last) = (lines(&found), messages(&found).last().map(|text| (*text).to_owned()));
    assert_eq!((found.last(), last.as_deref()), (Some(&7), Some("c")));
    // A run of NUL divides one line into two that share a number.
    let (found, reading) = records(&format!(
        "{head}         \"msg\": \"a\0\0\0\0b\"\n      }}x\n   ]\n}}\n[    2.000000] c\n"
    ));
    assert_eq!((found.last().map(|record| record.line), reading.lines), (Some(10), 10));
    assert!(lines(&found).is_sorted(), "{found:?}");
    assert!(lines(&found).iter().filter(|line| **line == 6).count() < 3);
}

#[test]
fn a_name_that_nul_cut_has_no_value_with_a_length() {
    let input = b"__CURSOR=s=1\nMESS\0\0\0\0\0\0\0\0\0\0\0\0\n[    1.000000] a\n[    2.000000] b\n";
    let want = records_of(&input[..]).0;
    assert_eq!(messages(&want).iter().rev().take(2).collect::<Vec<_>>(), [&"b", &"a"]);
    for size in 1..input.len() {
        let sizes = vec![size; input.len()];
        assert_eq!(records_of(Pieces(input, sizes)).0, want, "{size}");
    }
}

#[test]
fn an_empty_line_belongs_to_the_run_that_it_ends() {
    let run = "[drm] a\n[drm] b\n";
    let (found, _) = records(&format!("{run}\n[drm] c\n[drm] d\n"));
    assert_eq!(
        messages(&found),
        ["a", "b", "", "c", "d"].map(|text| match text {
            "" => String::new(),
            text => format!("[drm] {text}"),
        })
    );
    let (found, _) = records(&format!("{run}\n[    1.000000] between\n{run}"));
    assert_eq!(messages(&found), ["[drm] a", "[drm] b", "between", "[drm] a", "[drm] b"]);
    let (found, _) = records(&format!("{run}\n-- Boot {BOOT_ID} --\n{run}"));
    assert_eq!(messages(&found), ["[drm] a", "[drm] b", "[drm] a", "[drm] b"]);
}

#[test]
fn the_rest_of_a_record_that_is_lost_is_one_whichever_way_it_is_read() {
    let behind = "rest of a text\n[    1.000000] a\n";
    for (before, tail) in [
        ("", true),
        ("```\n", true),
        ("6,1,2,-;record\n\n", false),
        ("[    0.500000] b\n\n", false),
        ("{\"MESSAGE\":\"b\"}\n", false),
        ("Is this it?\n", false),
    ] {
        let text = format!("{before}{behind}");
        let (found, reading) = records(&text);
        let (straight, other) = records_with(text.as_bytes(), AS_IT_COMES);
        assert_eq!(found, straight, "{text}");
        assert_eq!(holes(&reading), holes(&other), "{text}");
        let rest = found.iter().find(|record| record.message == "rest of a text").unwrap();
        let cut = holes(&reading) == [(rest.line, None, HoleKind::Cut)];
        assert_eq!((rest.buffered, cut), (tail, tail), "{text}");
    }
}

#[test]
fn two_simultaneous_crashes_are_separate_and_not_repeated() {
    let text = "Oops#1 Part1\n<4>[   12.000000] c\nPanic#2 Part1\n<4>[   13.000000] d\n\
                Oops#1 Part2\n<4>[   10.000000] a\n<4>[   11.000000] b\nPanic#2 Part2\n<4>[   12.000000] c\n";
    let (found, reading) = records(text);
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
    assert_eq!((reading.boots.len(), reading.passed_over(SkipReason::QuotedAgain)), (1, 1));
}

#[test]
fn a_broken_object_does_not_affect_others() {
    let whole = |text: &str| {
        format!("{{\n\t\"MESSAGE\" : \"{text}\",\n\t\"_TRANSPORT\" : \"kernel\"\n}}\n")
    };
    let cut = format!("{{\n\t\"MESSAGE\" : \"cut he\n{}{}", whole("a"), whole("b"));
    let (found, reading) = records(&cut);
    assert_eq!(messages(&found), ["a", "b"]);
    assert_eq!(reading.passed_over(SkipReason::Damaged), 2);
    let long = format!("{}{}", whole(&"x".repeat(input::LINE_LIMIT)), whole("b"));
    let (found, reading) = records(&long);
    assert_eq!(found.last().map(|record| record.message.as_str()), Some("b"));
    assert!(reading.passed_over(SkipReason::Damaged) > 1);
    let list = "{\n   \"dmesg\": [\n      {\n         \"pri\": 6,\n         \"msg\": \"cut he\n      },{\n         \
                \"pri\": 6,\n         \"time\": 1.000000,\n         \"msg\": \"a\"\n      }\n   ]\n}\n";
    assert_eq!(messages(&records(list).0), ["a"]);
    let array = "[{\"MESSAGE\":\"a\",\"_TRANSPORT\":\"kernel\"},\n{\"MESSAGE\":\"b\",\"_TRANSPORT\":\"kernel\"}]\n";
    assert_eq!(messages(&records(array).0), ["a", "b"]);
    let tail = "_TRANSPORT=kernel\nMESSAGE=a\n\n__CURSOR=x\nMESSAGE=b\n\n";
    assert_eq!(messages(&records(tail).0), ["a", "b"]);
}

#[test]
fn each_stream_of_a_container_is_continued_separately() {
    let line = |stream: &str, tag: &str, text: &str| {
        format!("2026-11-19T09:33:30.000000000Z {stream} {tag} {text}\n")
    };
    let text = line("stdout", "P", "[   10.000000] GPU res")
        + &line("stderr", "F", "warning")
        + &line("stdout", "F", "et begin!");
    assert_eq!(messages(&records(&text).0), ["warning", "GPU reset begin!"]);
}
