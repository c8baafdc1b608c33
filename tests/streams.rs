//! Properties of every byte stream: it is read to its end, and the result does not depend on the
//! size of blocks and the order of access.

use std::io::{self, Read};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use amdtriage::input::Lines;
use amdtriage::record::{self, Direction, Options, Read as Shown, ReadStats, Record};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::common::{Fixture, none, settings};
use super::properties::{LINES, coloured, written};

/// A record without its position.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Own {
    line: u64,
    said: String,
}

impl Own {
    fn new(record: &Record<'_>) -> Self {
        let said = format!(
            "{:?} {:?} {:?} {:?} {} {} {:?} {:?} {:?}",
            record.stamp.monotonic,
            record.stamp.wall,
            record.level,
            record.origin,
            record.buffered,
            record.cut,
            record.device,
            record.message,
            record.process,
        );
        Self { line: record.line, said }
    }
}

/// Reads all records, and checks the invariants of each.
fn records(input: impl Read, options: Options) -> (Vec<Own>, ReadStats) {
    let mut found = Vec::new();
    let mut passed = None;
    let reading = record::read(&mut Lines::new(input), options, |shown| {
        let Shown::Record(record) = shown else { return };
        assert_eq!(record.sequence, found.len() as u64);
        assert!(record.stamp.passed.is_none() || record.stamp.passed >= passed, "it falls");
        passed = record.stamp.passed.or(passed);
        found.push(Own::new(record));
    });
    let reading = reading.expect("reading from memory does not fail");
    assert_eq!(reading.records, found.len() as u64);
    assert!(reading.kernel_records <= reading.records);
    assert!(reading.boots.is_sorted_by_key(|boot| boot.first_sequence));
    assert!(found.iter().all(|record| (1..=reading.lines.max(1)).contains(&record.line)));
    (found, reading)
}

const AS_IT_COMES: Options =
    Options { only: None, reference: None, as_it_comes: true, skim_beyond: usize::MAX };

/// Reads an input in blocks of the given sizes, repeatedly.
struct Blocks<'a> {
    rest: &'a [u8],
    sizes: &'a [usize],
    at: usize,
}

impl Read for Blocks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.at % self.sizes.len()];
        self.at += 1;
        (&mut self.rest).take(size as u64).read(buffer)
    }
}

/// Checks the properties for an input.
fn check(log: &[u8], sizes: &[usize]) -> Result<(), TestCaseError> {
    let (found, reading) = records(log, Options::default());
    prop_assert_eq!(reading.bytes, log.len() as u64);
    let (pieces, _) = records(Blocks { rest: log, sizes, at: 0 }, Options::default());
    prop_assert_eq!(&pieces, &found, "in blocks of {:?}", sizes);
    // Of two saved crashes the second repeats the first, and is left out only if they are sorted.
    let crashes = reading.passed_over(record::SkipReason::PartHeader) > 0;
    if reading.direction == Direction::Forward && !crashes {
        prop_assert!(found.is_sorted_by_key(|record| record.line));
    }
    let (straight, _) = records(log, AS_IT_COMES);
    prop_assert!(straight.is_sorted_by_key(|record| record.line), "as it comes");
    let sorted = |mut records: Vec<Own>| {
        records.sort();
        records
    };
    if !crashes {
        prop_assert_eq!(sorted(straight), sorted(found), "as it comes, and in the order of time");
    }
    Ok(())
}

/// The bytes of a length-prefixed field, whose length may be wrong.
fn binary(name: &str, length: u64, value: &[u8]) -> Vec<u8> {
    [name.as_bytes(), b"\n", &length.to_le_bytes(), value, b"\n"].concat()
}

/// Building blocks of inputs: parts of every format, intact and damaged.
static PIECES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let texts = [
        // Line ends, record separators and terminators.
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "\t",
        "        ",
        "\0\0\0\0",
        "\u{1b}[32m",
        "\u{1b}[0m",
        "\u{1b}]0;title\u{7}",
        "\u{feff}",
        ">",
        "> ",
        "=\n",
        "=3D",
        "&lt;6&gt;",
        "```\n",
        // Dmesg and consoles.
        "[   12.000001] ",
        "[    0.000000] Linux version 6.14.2 (builder@forge)\n",
        "[   11.000000][  T412] ",
        "<6>[   12.500000] ",
        "kern  :err   : [   13.000000] ",
        "[<    0.000011>] ",
        "[   14.000000 <    0.000011>] ",
        "[Mar 4 18:20] ",
        "[  +0.000013] ",
        "[Wed Mar  4 18:20:10 2026] ",
        "2026-03-04T18:20:10,000000+01:00 ",
        "** 12 printk messages dropped **\n",
        "amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout\n",
        "[drm] text\n",
        "rest of a line that was wrapped by a program that writes mails\n",
        // Journals and syslog.
        "Nov 19 10:33:00 host kernel: ",
        "Nov 19 10:32:58 host systemd[1]: ",
        "Nov 19 10:33:02 host kernel: message repeated 4 times: [[   12.000001] text]\n",
        "-- Boot 5a6f1c3b9d2e4807a1b4c7d8e9f00112 --\n",
        "-- Reboot --\n",
        "2026-11-19T10:33:00+01:00 host a[1]: ",
        "Thu 2026-11-19 10:33:00 CET host kernel: ",
        "1795080780.204097 host kernel: ",
        "<6>1 2026-03-04T18:20:10.000000+01:00 host kernel - - - ",
        "<30>Mar  4 18:20:10 host kernel: ",
        // Export format entries.
        "__CURSOR=s=1;i=1;b=5a6f1c3b9d2e4807a1b4c7d8e9f00112\n",
        "__REALTIME_TIMESTAMP=1772644810000000\n",
        "_TRANSPORT=kernel\n",
        "_BOOT_ID=5a6f1c3b9d2e4807a1b4c7d8e9f00112\n",
        "MESSAGE=text\n",
        "MESSAGE\n",
        "Wed 2026-03-04 18:20:10.000000 CET [s=d0;i=1;b=5a6f1c3b9d2e4807;m=0;t=64c3608368680;x=d1]\n",
        "    MESSAGE=text\n",
        "    PRIORITY=3\n",
        "            more of it\n",
        // JSON objects.
        "{\"MESSAGE\":\"text\",\"_TRANSPORT\":\"kernel\",\"__REALTIME_TIMESTAMP\":\"1772644810000000\"}\n",
        "{\"MESSAGE\":null}\n",
        "{\"MESSAGE\":[97,10,255]}\n",
        "\u{1e}{\"MESSAGE\":\"text\"}\n",
        "data: {\"MESSAGE\":\"text\"}\n",
        "{\n",
        "\t\"MESSAGE\" : \"text\",\n",
        "\t\"_BOOT_ID\" : \"b\"\n",
        "}\n",
        "{\n   \"dmesg\": [\n      {\n",
        "         \"pri\": 6,\n         \"time\": 12.000001,\n         \"msg\": \"text\"\n",
        "      },{\n",
        "      }\n   ]\n}\n",
        "{\"log\":\"[   12.000001] text\\n\",\"stream\":\"stdout\",\"time\":\"t\"}\n",
        "{\"log\":\"[   12.0000\",\"stream\":\"stdout\",\"time\":\"t\"}\n",
        "2026-03-04T17:36:02.000000118Z stdout F ",
        "2026-03-04T17:36:02.000000118Z stderr P ",
        // /dev/kmsg.
        "6,1234,5678901,-;text\n",
        "6,1240,5678999,-,caller=T7;te\\x0axt\n",
        "3,1241,5679000,-,ncfrag=0/8;te\n",
        "3,1241,5679000,-,ncfrag=2/8;xt\n",
        "4,1242,5679001,+; goes on\n",
        " SUBSYSTEM=pci\n",
        " DEVICE=+pci:0000:2d:00.0\n",
        "Panic#1 Part1\n",
        "Panic#1 Part2\n",
        "Oops#2 Part1\n",
        "====1772644810.000000-D\n",
        "03-04 18:20:10.000     0     0 I ",
        "--------- beginning of kernel\n",
        // Process listings, grep output and containers.
        "USER PID STAT COMMAND\n",
        "root 318 D< [kworker/u48:3+ttm]\n",
        "kern.log:17:",
        "logger-1  | ",
        "1041\t",
    ];
    let mut pieces: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let mut archive = vec![0; 512];
    archive[..9].copy_from_slice(b"story.log");
    archive[257..263].copy_from_slice(b"ustar\0");
    pieces.extend([
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec(),
        b"\xfd7zXZ\0".to_vec(),
        b"\x28\xb5\x2f\xfd".to_vec(),
        b"BZh9".to_vec(),
        b"LPKSHHRH".to_vec(),
        b"\xff\xfe".to_vec(),
        b"\xef\xbb\xbf".to_vec(),
        b"\xff\xc0 \xe4".to_vec(),
        archive,
        wide("[   12.000001] amdgpu\r\n"),
        binary("MESSAGE", 11, b"first\nother"),
        binary("MESSAGE", 9_000_000_000, b"cut"),
        binary("MESSAGE", 2, b"longer than it says"),
        binary("COREDUMP", 3, b"\0\n\x1b"),
        vec![b'x'; 20_000],
    ]);
    pieces
});

/// Any bytes, with frequent occurrences of significant ones.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        12 => select(PIECES.as_slice()),
        2 => "[ -~]{0,20}\n?".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..12),
        // Any part, cut anywhere.
        2 => (select(PIECES.as_slice()), any::<Index>()).prop_map(|(mut piece, at)| {
            piece.truncate(at.index(piece.len()));
            piece
        }),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(settings(512))]

    #[test]
    fn any_input_is_read_to_its_end(log in input(), sizes in vec(1..64_usize, 1..8)) {
        let begun = Instant::now();
        check(&log, &sizes)?;
        prop_assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}

proptest! {
    #![proptest_config(settings(96))]

    #[test]
    fn any_input_has_a_report(log in input()) {
        let begun = Instant::now();
        written(&log);
        prop_assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }

    #[test]
    fn real_lines_in_any_order_are_read_to_their_end(
        picks in vec(any::<Index>(), 0..300),
        sizes in vec(prop_oneof![1..40_usize, 1..5000_usize], 1..8),
    ) {
        let lines = &*LINES;
        let log: Vec<&[u8]> = picks.iter().map(|pick| pick.get(lines).as_slice()).collect();
        check(&log.join(&b'\n'), &sizes)?;
    }
}

/// The logs that consist of text lines.
fn texts() -> Vec<Fixture> {
    let all = ["signatures", "boots", "quiet", "formats"].into_iter().flat_map(Fixture::all);
    let plain =
        |log: &[u8]| std::str::from_utf8(log).is_ok_and(|text| !text.contains(['\0', '\r']));
    all.filter(|fixture| plain(&fixture.log)).collect()
}

#[test]
fn line_ends_marks_and_colours_change_no_record() {
    let mut wrong = Vec::new();
    let texts = texts();
    assert!(texts.len() > 150, "{}", texts.len());
    for fixture in texts {
        let text = fixture.text();
        let (want, _) = records(text.as_bytes(), Options::default());
        let bare = text.trim_start_matches('\u{feff}');
        for (what, other) in [
            ("CR LF", text.replace('\n', "\r\n")),
            ("a mark", format!("\u{feff}{bare}")),
            ("colours", text.lines().map(coloured).collect::<Vec<_>>().join("\n") + "\n"),
            ("a mark and CR LF", format!("\u{feff}{}", bare.replace('\n', "\r\n"))),
        ] {
            let (got, _) = records(other.as_bytes(), Options::default());
            let pairs = want.iter().zip(&got).find(|(want, got)| want != got);
            if let Some((want, got)) = pairs {
                wrong.push(format!("{}: {what}: {got:?} is not {want:?}", fixture.name));
            } else if want.len() != got.len() {
                wrong.push(format!("{}: {what}: {} records", fixture.name, got.len()));
            }
        }
    }
    none(&wrong);
}
