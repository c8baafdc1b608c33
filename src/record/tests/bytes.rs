//! Any bytes.

use super::*;

/// Bytes in which the characters that matter are frequent.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(vec![0, 0]),
        Just(b"\x1b[31m".to_vec()),
        Just(b"[   12.000001] ".to_vec()),
        Just(b"Nov 19 10:33:00 host kernel: ".to_vec()),
        Just(b"2026-11-19T10:33:00+01:00 host a[1]: ".to_vec()),
        Just("мая 24 ".as_bytes().to_vec()),
        Just(b"\xEF\xBB\xBF> &lt;6&gt;<6>".to_vec()),
        Just(b"USER PID STAT COMMAND\n".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..12),
        "[ -~]{0,20}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_are_read_in_order(bytes in bytes()) {
        let (found, reading) = records_of(bytes.as_slice());
        let turned = reading.direction == Direction::Reversed;
        let lines: Vec<_> = found.iter().map(|record| record.line).collect();
        let in_order = lines.is_sorted() || (turned && lines.iter().rev().is_sorted());
        prop_assert!(in_order, "{lines:?}");
        prop_assert_eq!(reading.records, found.len() as u64);
        prop_assert_eq!(reading.bytes, bytes.len() as u64);
        prop_assert!(reading.boots.is_sorted_by_key(|boot| boot.first_sequence));
        let passed: Vec<_> = found.iter().filter_map(|record| record.stamp.passed).collect();
        prop_assert!(passed.is_sorted());
    }

    #[test]
    fn blocks_make_no_difference(bytes in bytes(), sizes in proptest::collection::vec(1..50_usize, 0..30)) {
        prop_assert_eq!(records_of(Pieces(&bytes, sizes)).0, records_of(bytes.as_slice()).0);
    }

    #[test]
    fn a_printed_record_reads_back(clock in 0..100_000_000_000_i64, second in 0..86_400_i64, text in "[a-z]{1,8} [a-zA-Z0-9_*.,()]{1,12}") {
        let printed = format!("[{:>12}] {text}\n", Micros(clock).to_string());
        let (found, _) = records(&printed);
        prop_assert_eq!(messages(&found), [text.as_str()]);
        prop_assert_eq!(found[0].stamp.monotonic, Some(Micros(clock)));
        let (hours, minutes, seconds) = (second / 3600, second / 60 % 60, second % 60);
        let printed = format!("Jan 02 {hours:02}:{minutes:02}:{seconds:02} host kernel: {text}\n");
        let (found, _) = records(&printed);
        prop_assert_eq!(messages(&found), [text.as_str()]);
        let since = (730 + 1) * 86_400 + second;
        prop_assert_eq!(found[0].stamp.wall.map(|wall| wall.local), Some(Micros::seconds(since)));
    }
}
