//! Containers of every kind, whole and broken, one in another.

use std::fs;
use std::io::{self, Cursor, Write};
use std::path::Path;
use std::time::Duration;

use super::container::NESTING_LIMIT;
use super::cost::Limits;
use super::journal_error::JOURNALCTL;
use super::*;

/// What one visit showed.
struct Shown {
    member: bool,
    source: Result<Read, InputError>,
}

/// A source that was read to its end.
struct Read {
    name: String,
    compression: Option<Compression>,
    journal: bool,
    modified: Option<SystemTime>,
    text: Vec<u8>,
    failure: Option<InputError>,
}

fn collect(found: Found<'_>) -> Shown {
    let Found { member, source } = found;
    let source = source.map(|source| {
        let Source { name, archive, compression, journal, modified, mut reader } = source;
        let mut text = Vec::new();
        let read = reader.read_to_end(&mut text);
        let failed = |error| InputError::from_read(&name, error).within(archive.as_deref());
        let failure = read.err().map(failed);
        Read { name, compression, journal, modified, text, failure }
    });
    Shown { member, source }
}

fn shown(opener: &Opener, bytes: &[u8]) -> Vec<Shown> {
    let mut all = Vec::new();
    let origin = Origin::new("x".to_owned());
    let done: Result<(), ()> = opener.content(origin, bytes, &mut |found| {
        all.push(collect(found));
        Ok(())
    });
    done.unwrap();
    all
}

/// The one log in `bytes`.
#[track_caller]
fn single(bytes: &[u8]) -> Result<Read, InputError> {
    let mut all = shown(&Opener::default(), bytes);
    assert_eq!(all.len(), 1);
    all.remove(0).source
}

/// What reading `bytes` fails with, and what came before.
#[track_caller]
fn failing(bytes: &[u8]) -> (Vec<u8>, InputError) {
    match single(bytes) {
        Ok(read) => (read.text, read.failure.unwrap()),
        Err(error) => (Vec::new(), error),
    }
}

fn pack(compression: Compression, text: &[u8]) -> Vec<u8> {
    match compression {
        Compression::Gzip => {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        }
        Compression::Zstd => {
            ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(1);
            let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        }
        Compression::Bzip2 => {
            let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        }
    }
}

const ALL: [Compression; 4] =
    [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2];

const TIME: u64 = 1_700_000_000;

fn tar<'m>(members: impl IntoIterator<Item = (&'m str, &'m [u8])>) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mtime(TIME);
        builder.append_data(&mut header, path, bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// A log that does not pack to nothing.
fn log(lines: u32) -> Vec<u8> {
    let mut log = Vec::new();
    for at in 0..lines {
        let number = at.wrapping_mul(2_654_435_761);
        writeln!(log, "[{at:5}.{:06}] usb 1-1: device {number:08x}", number % 1_000_000).unwrap();
    }
    log
}

#[test]
fn containers_are_known_by_their_bytes() {
    let text = log(500);
    assert_eq!(single(&text).unwrap().text, text);
    for compression in ALL {
        // Logs that are rotated into one file, `xz` and `zstd` with several threads.
        let members = [pack(compression, &text), pack(compression, b"two\n")].concat();
        let read = single(&members).unwrap();
        assert_eq!(read.text, [text.as_slice(), b"two\n"].concat(), "{compression:?}");
        assert_eq!(read.compression, Some(compression));
        assert!(read.failure.is_none());
        assert!(matches!(single(&pack(compression, b"")), Err(InputError::Empty { .. })));
    }
}

#[test]
fn what_stands_between_frames_and_streams_is_passed() {
    let text = log(20);
    let frame = pack(Compression::Zstd, &text);
    let skipped = |kind| [&[kind, 0x2A, 0x4D, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let zstd =
        [skipped(0x50), frame.clone(), skipped(0x5F), skipped(0x53), frame, skipped(0x50)].concat();
    assert_eq!(single(&zstd).unwrap().text, [text.as_slice(), &text].concat());
    let stream = pack(Compression::Xz, &text);
    let xz = [stream.clone(), vec![0; 8], stream, vec![0; 4]].concat();
    assert_eq!(single(&xz).unwrap().text, [text.as_slice(), &text].concat());
    let cut = [pack(Compression::Zstd, &text), skipped(0x50)].concat();
    let (read, error) = failing(&cut[..cut.len() - 2]);
    assert!(read == text && matches!(error, InputError::Truncated { .. }), "{error}");
}

#[test]
fn letters_that_begin_like_bzip2_are_text() {
    for text in ["BZh is a name\n", "BZh9 bottles\n"] {
        assert_eq!(single(text.as_bytes()).unwrap().text, text.as_bytes());
    }
}

#[test]
fn what_came_before_the_damage_is_read() {
    let text = log(60_000);
    for compression in ALL {
        let container = Container::Compressed(compression);
        let packed = pack(compression, &text);
        let cut = packed.len() * 3 / 4;
        for end in [cut, packed.len() - 1] {
            let (read, error) = failing(&packed[..end]);
            assert!(read.len() > text.len() / 3, "{compression:?}: {}", read.len());
            assert!(text.starts_with(&read));
            let told = error.to_string();
            assert_eq!(told, format!("x is a truncated {container}"));
        }
        let mut wrong = packed.clone();
        for byte in &mut wrong[cut..cut + 8] {
            *byte ^= 0x5A;
        }
        let (read, error) = failing(&wrong);
        assert!(read.len() > text.len() / 3, "{compression:?}: {}", read.len());
        assert_eq!(error.to_string(), format!("x is a damaged {container}"));
    }
}

/// The sum at the end is checked, too.
#[test]
fn a_wrong_sum_is_damage() {
    let text = log(2000);
    for (compression, from_end) in
        [(Compression::Gzip, 6), (Compression::Zstd, 2), (Compression::Bzip2, 3)]
    {
        let mut wrong = pack(compression, &text);
        let at = wrong.len() - from_end;
        wrong[at] ^= 0xFF;
        let (_, error) = failing(&wrong);
        assert!(matches!(error, InputError::Corrupt { .. }), "{compression:?}: {error}");
    }
}

/// Whatever bytes come, there is an answer.
#[test]
fn broken_containers_break_nothing() {
    let text = log(300);
    let mut state: u64 = 1;
    let mut random = |limit: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % limit
    };
    let archive = tar([("a.log", text.as_slice()), ("b.log", b"two\n")]);
    let packed = ALL.map(|compression| pack(compression, &text));
    for whole in packed.iter().chain([&archive]) {
        for _ in 0..400 {
            let mut wrong = whole.clone();
            for _ in 0..=random(3) {
                let at = random(wrong.len());
                wrong[at] = u8::try_from(random(256)).unwrap();
            }
            wrong.truncate(random(wrong.len()) + 1);
            for one in shown(&Opener::default(), &wrong) {
                assert!(one.source.map_or(0, |read| read.text.len()) < 1 << 22);
            }
        }
    }
}

/// Those of users, but for the bytes.
fn limits() -> Limits {
    Limits { bytes: 1 << 20, ..Limits::default() }
}

/// What was read of a bomb before the limit was reached, and what was said then.
fn exploded(limits: Limits, bytes: &[u8]) -> (usize, String, String) {
    let all = shown(&Opener::new(limits, JOURNALCTL), bytes);
    let read = all[0].source.as_ref().unwrap_or_else(|error| panic!("{error}"));
    let failure = read.failure.as_ref().unwrap();
    (read.text.len(), failure.to_string(), failure.code())
}

#[test]
fn a_small_file_unpacks_to_so_many_times_its_size_and_no_more() {
    // gzip makes no more than a thousandth of anything, so it takes two of them.
    let zeros = vec![b'0'; 8 << 20];
    let twice = pack(Compression::Gzip, &pack(Compression::Gzip, &zeros));
    let ratio = Limits { ratio_beyond: 1 << 20, ..Limits::default() };
    for bomb in [twice, pack(Compression::Bzip2, &zeros), pack(Compression::Xz, &zeros)] {
        assert!((bomb.len() as u64) < (8 << 20) / RATIO_LIMIT, "{} bytes", bomb.len());
        let (read, said, code) = exploded(ratio, &bomb);
        assert_eq!(said, "x unpacks to more than 1000 times its size");
        assert_eq!(code, "too-dense");
        let most = (bomb.len() << 10).max(1 << 20);
        assert!(read > 0 && read <= most, "{read} of {most}");
        // It takes nothing from what stands beside it.
        let all = shown(&Opener::new(ratio, JOURNALCTL), &tar([("a", &bomb[..]), ("b", b"one\n")]));
        let told = all[0].source.as_ref().unwrap().failure.as_ref().unwrap().to_string();
        assert_eq!(told, "x:a unpacks to more than 1000 times its size");
        assert_eq!(all[1].source.as_ref().unwrap().text, b"one\n");
        assert_eq!(all.len(), 2);
    }
    let flood = b"amdgpu: [gfxhub] page fault\n".repeat(20_000);
    let read = &shown(&Opener::default(), &pack(Compression::Bzip2, &flood))[0];
    assert!(read.source.as_ref().unwrap().failure.is_none(), "a log of one line is none");
}

#[test]
fn unpacking_and_reading_end_after_some_time() {
    let text = log(60_000);
    for compression in ALL {
        let packed = pack(compression, &text);
        let none = Limits { time: Duration::ZERO, ..Limits::default() };
        let first =
            &shown(&Opener::new(none, JOURNALCTL), &tar([("a", &packed[..]), ("b", b"one\n")]));
        let told = |one: &Shown| match &one.source {
            Ok(read) => read.failure.as_ref().unwrap().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            told(&first[0]),
            "x:a was not read in full: its archive takes more than 600 s to unpack and read"
        );
        assert!(told(&first[1]).ends_with(" to unpack and read, and the rest of it was not read"));
        let (read, said, code) = exploded(none, &packed);
        assert_eq!(said, "x takes more than 600 s to unpack and read", "{compression:?}");
        assert!(read < text.len() && code == "too-slow", "{read} {code}");
    }
    // What is not packed costs what it is, and takes as long as it takes.
    let none = Limits { time: Duration::ZERO, ..Limits::default() };
    let plain = &shown(&Opener::new(none, JOURNALCTL), &text)[0];
    assert_eq!(plain.source.as_ref().unwrap().text, text);
}

#[test]
fn unpacking_ends_at_a_limit_for_all_members_together() {
    let zeros = vec![b'0'; 3 << 20];
    for compression in ALL {
        let limited = || Opener::new(limits(), JOURNALCTL);
        let bomb = pack(compression, &zeros);
        let all = shown(&limited(), &bomb);
        let read = all[0].source.as_ref().unwrap();
        assert!(read.text.len() <= 1 << 20, "{compression:?}");
        assert!(matches!(read.failure, Some(InputError::TooLarge { .. })));
        let half = pack(compression, &zeros[..600 << 10]);
        let all = shown(&limited(), &tar([("a", &half[..]), ("b", &half), ("c", &half)]));
        let failed = |one: &Shown| one.source.as_ref().is_ok_and(|read| read.failure.is_some());
        assert_eq!(all.iter().map(failed).collect::<Vec<_>>(), [false, true, false]);
        let told = |one: &Shown| match &one.source {
            Ok(read) => read.failure.as_ref().unwrap().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            told(&all[1]),
            "x:b was not read in full: its archive unpacks to more than 8 GiB"
        );
        let rest = "x unpacks to more than 8 GiB, and the rest of it was not read";
        assert_eq!(told(&all[2]), rest);
        let plain = &zeros[..600 << 10];
        let archive = pack(compression, &tar([("a", plain), ("b", plain), ("c", plain)]));
        let all = shown(&limited(), &archive);
        assert_eq!(told(all.last().unwrap()), rest, "{compression:?}");
        assert!(all.len() == 3 && all[1].source.is_ok());
    }
}

/// As if each of them had been named.
#[test]
fn the_limit_is_anew_for_each_file_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let half = pack(Compression::Gzip, &vec![b'0'; 600 << 10]);
    for name in ["a", "b", "c"] {
        fs::write(folder.path().join(name), &half).unwrap();
    }
    let mut all = Vec::new();
    let opener = Opener::new(limits(), JOURNALCTL);
    let done: Result<(), ()> = opener.path(folder.path(), &mut |found| {
        all.push(collect(found));
        Ok(())
    });
    done.unwrap();
    assert_eq!(all.len(), 3);
    assert!(all.iter().all(|one| one.source.as_ref().is_ok_and(|read| read.failure.is_none())));
}

/// What programs put behind what they write, and what a disk has there.
#[test]
fn what_stands_behind_a_complete_file_is_no_damage() {
    let text = log(50);
    for compression in ALL {
        let packed = pack(compression, &text);
        for behind in [&[0; 1][..], &[0; 511], b"rubbish", b"Put here", b"\n", &[0, 0, 1, 2]] {
            let read = single(&[&packed, behind].concat()).unwrap();
            assert!(read.text == text && read.failure.is_none(), "{compression:?} {behind:?}");
        }
        // Padding between, as on a tape.
        let two = [&packed[..], &[0; 8], &packed].concat();
        assert_eq!(single(&two).unwrap().text, [&text[..], &text].concat());
    }
}

#[test]
fn a_folder_says_where_it_was_not_gone_into() {
    let folder = tempfile::tempdir().unwrap();
    let deep = (0..=DEPTH_LIMIT).fold(folder.path().to_owned(), |path, _| path.join("d"));
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("kern.log"), "text\n").unwrap();
    fs::write(folder.path().join("a.log"), "text\n").unwrap();
    let shut = folder.path().join("shut");
    fs::create_dir(&shut).unwrap();
    let mut rights = fs::metadata(&shut).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o000);
    fs::set_permissions(&shut, rights).unwrap();
    // Root may go into any.
    let refused = fs::read_dir(&shut).is_err();
    let mut all = Vec::new();
    let done: Result<(), ()> = each(folder.path(), &mut |found| {
        all.push(collect(found));
        Ok(())
    });
    done.unwrap();
    assert!(all.iter().all(|one| one.member));
    let told: Vec<String> =
        all.iter().filter_map(|one| one.source.as_ref().err()).map(ToString::to_string).collect();
    let deep = format!("{} was not read: it is more than 16 directories deep", deep.display());
    let shut = format!("no permission to read {}", shut.display());
    assert_eq!(told, [deep].into_iter().chain(refused.then_some(shut)).collect::<Vec<_>>());
    assert_eq!(all.len(), 1 + told.len());
}

#[test]
fn a_socket_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let mut told = Vec::new();
    let done: Result<(), ()> = each(&path, &mut |found| {
        told.push(found.source.unwrap_err());
        Ok(())
    });
    done.unwrap();
    assert!(matches!(told[..], [InputError::Socket { .. }]), "{told:?}");
    assert!(told[0].hint().is_some());
}

/// By the name of another file that leads there.
#[test]
fn the_kernels_own_buffer_has_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("log");
    for target in ["/dev/kmsg", "/proc/kmsg"] {
        std::os::unix::fs::symlink(target, &link).unwrap();
        let mut outcome = Vec::new();
        let done: Result<(), ()> = each(&link, &mut |found| {
            outcome.push(collect(found).source.map(|read| read.failure.is_none()));
            Ok(())
        });
        done.unwrap();
        let is_file = fs::metadata(target).is_ok_and(|found| found.is_file());
        match &outcome[..] {
            [Err(InputError::ReadOnce { .. })] => assert!(is_file),
            // Without the right to read it, or without it.
            [Ok(_) | Err(InputError::Permission { .. } | InputError::NotFound { .. })] => {}
            // Containers put an empty device in its place.
            [Err(InputError::Empty { .. })] => assert!(!is_file),
            other => panic!("{target}: {other:?}"),
        }
        fs::remove_file(&link).unwrap();
    }
}

/// `tar --sparse`, in both of its forms.
#[test]
fn files_with_holes_are_named_and_not_read() {
    let header = |kind, path: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_path(path).unwrap();
        header.set_size(5);
        header.set_mtime(TIME);
        header.set_cksum();
        header
    };
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header(tar::EntryType::GNUSparse, "old.log"), &b"text\n"[..]).unwrap();
    let pax = [("GNU.sparse.major", &b"1"[..]), ("GNU.sparse.name", b"new.log")];
    builder.append_pax_extensions(pax).unwrap();
    builder
        .append(&header(tar::EntryType::Regular, "GNUSparseFile.0/new.log"), &b"1\n0\n\n"[..])
        .unwrap();
    builder.append(&header(tar::EntryType::Regular, "whole.log"), &b"text\n"[..]).unwrap();
    let all = shown(&Opener::default(), &builder.into_inner().unwrap());
    let told: Vec<String> = all
        .iter()
        .map(|one| match &one.source {
            Ok(read) => read.name.clone(),
            Err(error) => error.to_string(),
        })
        .collect();
    let holes = |name: &str| format!("cannot read {name}: it is stored as a sparse file");
    assert_eq!(told, [holes("x:old.log"), holes("x:new.log"), "x:whole.log".to_owned()]);
}

/// Before 1988 an archive had no mark.
#[test]
fn the_oldest_archives_are_known_by_their_sum() {
    let mut header = tar::Header::new_old();
    header.set_path("kern.log").unwrap();
    header.set_size(5);
    header.set_mtime(TIME);
    header.set_cksum();
    let bytes = [header.as_bytes(), &b"text\n"[..], &[0; 507 + 1024]].concat();
    let read = single(&bytes).unwrap();
    assert_eq!((read.name.as_str(), &read.text[..]), ("x:kern.log", &b"text\n"[..]));
    let mut wrong = bytes;
    wrong[0] ^= 1;
    assert!(!matches!(single(&wrong), Ok(read) if read.name != "x"));
}

#[test]
fn unpacking_takes_no_more_memory_than_is_sane() {
    // A window of 1 GiB.
    let zstd = [&b"\x28\xB5\x2F\xFD\x00\xA0"[..], &[0; 16]].concat();
    // A dictionary of 4 GiB; the header of the first block stands behind the 12 bytes of the stream's.
    let mut xz = pack(Compression::Xz, b"text\n");
    let length = (usize::from(xz[12]) + 1) * 4;
    assert_eq!(xz[14..16], [0x21, 1]);
    xz[16] = 40;
    let mut sum = flate2::Crc::new();
    sum.update(&xz[12..12 + length - 4]);
    xz[12 + length - 4..12 + length].copy_from_slice(&sum.sum().to_le_bytes());
    for bytes in [zstd, xz] {
        let error = single(&bytes).err().unwrap();
        assert_eq!(error.to_string(), "cannot unpack x within 256 MiB of memory");
        assert!(error.hint().is_some());
    }
}

#[test]
fn containers_lie_in_containers() {
    let text = log(10);
    let inner = tar([("var/log/kern.log.1.gz", &pack(Compression::Gzip, &text)[..])]);
    let packed = pack(Compression::Xz, &inner);
    let read = single(&packed).unwrap();
    assert_eq!(read.name, "x:var/log/kern.log.1.gz");
    assert_eq!((read.text, read.compression), (text.clone(), Some(Compression::Gzip)));
    let outer = tar([("inner.tar.xz", &packed[..])]);
    let read = single(&outer).unwrap();
    assert_eq!(read.name, "x:inner.tar.xz:var/log/kern.log.1.gz");

    let nested = |count| (0..count).fold(text.clone(), |inner, _| pack(Compression::Gzip, &inner));
    assert_eq!(single(&nested(NESTING_LIMIT)).unwrap().text, text);
    let error = single(&nested(NESTING_LIMIT + 1)).err().unwrap();
    assert_eq!(error.to_string(), "cannot unpack x: it is compressed too many times");
    let tars = |count| (0..count).fold(text.clone(), |inner, _| tar([("a", &inner[..])]));
    assert_eq!(single(&tars(NESTING_LIMIT)).unwrap().text, text);
    let error = single(&tars(NESTING_LIMIT + 1)).err().unwrap();
    assert!(error.to_string().ends_with(":a: it is compressed too many times"), "{error}");
}

#[test]
fn an_archive_shows_its_files() {
    let long = format!("{}/kern.log", "folder".repeat(40));
    let evil = "\u{1b}[2J\u{202e}kern.log";
    let gzip = pack(Compression::Gzip, b"packed\n");
    let members: [(&str, &[u8]); 6] = [
        ("dmesg", b"plain\n"),
        ("kern.log.1.gz", &gzip),
        ("picture", b"\x89PNG...."),
        ("nothing", b""),
        (&long, b"long\n"),
        (evil, b"evil\n"),
    ];
    let all = shown(&Opener::default(), &tar(members));
    assert!(all.iter().all(|one| one.member));
    let (logs, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.source.is_ok());
    let logs: Vec<Read> =
        logs.into_iter().map(|one| one.source.unwrap_or_else(|_| panic!())).collect();
    let found: Vec<_> =
        logs.iter().map(|read| (read.name.as_str(), read.compression, &read.text[..])).collect();
    assert_eq!(
        found,
        [
            ("x:dmesg", None, &b"plain\n"[..]),
            ("x:kern.log.1.gz", Some(Compression::Gzip), b"packed\n"),
            (&format!("x:{long}"), None, b"long\n"),
            (&format!("x:{evil}"), None, b"evil\n"),
        ]
    );
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(TIME);
    assert!(logs.iter().all(|read| read.modified == Some(time) && read.failure.is_none()));
    assert_eq!(others.len(), 2);
    for one in others {
        assert!(one.source.is_err_and(|error| error.is_no_log()));
    }
}

/// As `tar --format=posix` writes them: what does not fit into a header stands in a member before it.
#[test]
fn an_archive_may_say_more_of_a_file() {
    let mut builder = tar::Builder::new(Vec::new());
    let long = "é".repeat(200);
    let more = [("path", long.as_bytes()), ("mtime", b"1600000000.5"), ("size", b"5")];
    builder.append_pax_extensions(more).unwrap();
    let mut header = tar::Header::new_ustar();
    header.set_path("short").unwrap();
    header.set_size(0);
    header.set_mtime(TIME);
    header.set_cksum();
    builder.append(&header, io::empty()).unwrap();
    let mut bytes = builder.into_inner().unwrap();
    // The header says 0 bytes, what stands before it says 5.
    let end = bytes.len() - 1024;
    bytes.splice(end..end, [b"text\n".to_vec(), vec![0; 507]].concat());
    let read = single(&bytes).unwrap();
    assert_eq!((read.name, &read.text[..]), (format!("x:{long}"), &b"text\n"[..]));
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    assert_eq!(read.modified, Some(time));
}

#[test]
fn what_is_no_file_of_an_archive_is_not_shown() {
    let mut builder = tar::Builder::new(Vec::new());
    for kind in [tar::EntryType::Directory, tar::EntryType::Symlink, tar::EntryType::Char] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_path("name").unwrap();
        header.set_link_name("kern.log").unwrap();
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, io::empty()).unwrap();
    }
    assert!(shown(&Opener::default(), &builder.into_inner().unwrap()).is_empty());
}

#[test]
fn a_broken_archive_gives_what_came_before() {
    let text = log(3000);
    let whole = tar([("a.log", &b"one\n"[..]), ("b.log", &text[..])]);
    let cut = &whole[..whole.len() - 20_000];
    for (bytes, want) in [
        (cut.to_vec(), "x is a truncated tar archive"),
        (pack(Compression::Gzip, cut), "x is a truncated tar archive"),
        (
            {
                let packed = pack(Compression::Gzip, &whole);
                packed[..packed.len() * 3 / 4].to_vec()
            },
            "x is a truncated gzip file",
        ),
    ] {
        let all = shown(&Opener::default(), &bytes);
        let [Ok(first), Ok(second), Err(error)] = [0, 1, 2].map(|at| all[at].source.as_ref())
        else {
            panic!("{} shown", all.len());
        };
        assert_eq!(first.text, b"one\n");
        assert!(text.starts_with(&second.text) && second.text.len() > text.len() / 2);
        // The log is as whole as any that ends early; the archive is what has a failure.
        assert!(first.failure.is_none() && second.failure.is_none());
        assert_eq!(error.to_string(), want);
        assert!(!error.is_no_log());
    }
    let mut wrong = whole.clone();
    wrong[1024] ^= 1;
    let all = shown(&Opener::default(), &wrong);
    let told = all[1].source.as_ref().err().unwrap().to_string();
    assert_eq!(told, "x is a damaged tar archive");
}

/// A name takes as much memory as it is long.
#[test]
fn an_archive_cannot_take_memory_for_names() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(1 << 40);
    header.set_cksum();
    let error = single(header.as_bytes()).err().unwrap();
    assert_eq!(error.to_string(), "x is a damaged tar archive");
}

/// A stand-in for a journal: its first bytes decide.
const JOURNAL: &[u8] = b"LPKSHHRH\0\0\0\0 and entries";

#[test]
fn journals_want_a_program() {
    let opener = Opener::new(Limits::default(), "/nowhere/journalctl");
    for bytes in [JOURNAL.to_vec(), pack(Compression::Xz, JOURNAL), tar([("a", JOURNAL)])] {
        let all = shown(&opener, &bytes);
        let error = all[0].source.as_ref().err().unwrap();
        let told = error.to_string();
        assert!(told.ends_with(": it is a systemd journal, and journalctl is not installed"));
        assert!(!error.is_no_log() && error.hint().is_some());
    }
    // A folder cannot be run.
    let all = shown(&Opener::new(Limits::default(), "/"), JOURNAL);
    let error = all[0].source.as_ref().err().unwrap();
    assert!(matches!(error, InputError::NotStarted { .. }), "{error}");
    // It fails at its options.
    let opener = Opener::new(Limits::default(), "cat");
    let all = shown(&opener, JOURNAL);
    let told = all[0].source.as_ref().err().unwrap().to_string();
    assert!(told.starts_with("journalctl cannot read x: cat: "), "{told}");
}

#[test]
fn journals_reach_the_program_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("journalctl").display().to_string();
    // What this process has open for writing cannot be run where another test starts a program.
    let write = "printf '#!/bin/sh\ncat\n' > \"$0\" && chmod 755 \"$0\"";
    assert!(
        std::process::Command::new("sh").args(["-c", write, &program]).status().unwrap().success()
    );
    let program: &'static str = Box::leak(program.into_boxed_str());
    let opener = Opener::new(Limits::default(), program);
    let check = |one: &Shown, name: &str, compression| {
        let read = one.source.as_ref().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((read.name.as_str(), read.compression), (name, compression));
        assert!(read.journal && read.text == JOURNAL && read.failure.is_none());
    };
    check(&shown(&opener, JOURNAL)[0], "x", None);
    let packed = pack(Compression::Zstd, JOURNAL);
    check(&shown(&opener, &packed)[0], "x", Some(Compression::Zstd));
    let archive = tar([("system.journal", JOURNAL), ("system@1.journal.zst", &packed)]);
    let all = shown(&opener, &archive);
    check(&all[0], "x:system.journal", None);
    check(&all[1], "x:system@1.journal.zst", Some(Compression::Zstd));
    let path = folder.path().join("--system[1].journal~");
    fs::write(&path, JOURNAL).unwrap();
    let mut all = Vec::new();
    let done: Result<(), ()> = opener.path(&path, &mut |found| {
        all.push(collect(found));
        Ok(())
    });
    done.unwrap();
    check(&all[0], &path.display().to_string(), None);
}

/// One text may stand for any number of entries, and a copy takes room on a disk.
#[test]
fn what_is_made_of_a_journal_has_its_limits() {
    let folder = tempfile::tempdir().unwrap();
    let program = super::journal::stand_in(folder.path(), "while echo MESSAGE=x; do :; done");
    let program: &'static str = Box::leak(program.into_boxed_str());
    let failed = |limits| {
        let all = shown(&Opener::new(limits, program), JOURNAL);
        match &all[0].source {
            Ok(read) => (read.text.len(), read.failure.as_ref().unwrap().to_string()),
            Err(error) => (0, error.to_string()),
        }
    };
    let (read, said) = failed(limits());
    assert!(read > 1 << 19 && read <= 1 << 20, "{read}");
    assert_eq!(said, "x unpacks to more than 8 GiB");
    let times = JOURNAL.len() + (1 << 12);
    let (read, said) = failed(Limits { ratio: 1, ratio_beyond: 1 << 12, ..Limits::default() });
    assert!(read <= times, "{read}");
    assert_eq!(said, "x unpacks to more than 1000 times its size");
    let (_, said) = failed(Limits { time: Duration::from_millis(50), ..Limits::default() });
    assert_eq!(said, "x takes more than 600 s to unpack and read");
    let (read, said) = failed(Limits { journal: JOURNAL.len() as u64 - 1, ..Limits::default() });
    assert_eq!((read, &*said), (0, "cannot read x: it is a systemd journal of more than 4 GiB"));
}

/// Fields of the export form may hold anything.
#[test]
fn an_export_is_no_binary_data() {
    let field = [b"MESSAGE\n".to_vec(), 4000_u64.to_le_bytes().to_vec(), vec![1; 4000]].concat();
    let bytes = [b"__CURSOR=s=1\n".to_vec(), field].concat();
    assert_eq!(single(&bytes).unwrap().text, bytes);
}

#[test]
fn each_failure_is_told_apart() {
    for (bytes, want) in [
        (Vec::new(), "x is empty"),
        (pack(Compression::Gzip, b""), "x is empty"),
        (b"\x89PNG\r\n\x1a\n....".to_vec(), "x is a PNG image, not a text log"),
        (b"\x7fELF\x02\x01\x01".to_vec(), "x is a program, not a text log"),
        ((0..=255).cycle().take(4096).collect(), "x is binary data, not a text log"),
    ] {
        let error = single(&bytes).err().unwrap();
        assert_eq!(error.to_string(), want);
        assert!(error.hint().is_some() && error.is_no_log(), "{error:?}");
    }
}

/// Another program can: that nobody looked inside has to be said.
#[test]
fn what_is_packed_in_other_ways_is_no_file_without_a_log() {
    for (bytes, want) in [
        (&b"\x04\x22\x4D\x18...."[..], "cannot read x: it is an lz4 file"),
        (b"PK\x03\x04....", "cannot read x: it is a zip archive"),
    ] {
        let error = single(bytes).err().unwrap();
        assert_eq!(error.to_string(), want);
        assert!(error.hint().is_some() && !error.is_no_log(), "{error:?}");
    }
}

#[test]
fn a_run_of_zero_bytes_after_a_power_loss_is_no_reason_to_refuse_a_log() {
    let text =
        [vec![0; 4096], b"Nov 19 10:33:11 h kernel: [ 2660.018834] text\n".to_vec()].concat();
    assert_eq!(single(&text).unwrap().text, text);
}

#[test]
fn a_folder_gives_its_files_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let all = |path: &Path| {
        let mut all = Vec::new();
        let done: Result<(), ()> = each(path, &mut |found| {
            all.push(collect(found));
            Ok(())
        });
        done.unwrap();
        all
    };
    let found = all(folder.path());
    assert!(matches!(found[0].source, Err(InputError::NoLogs { .. })) && !found[0].member);
    fs::create_dir(path("b")).unwrap();
    for name in ["b/z.log", "c.log", "a.log"] {
        fs::write(path(name), "text\n").unwrap();
    }
    fs::write(path("b/a.tar"), tar([("in.log", &b"text\n"[..])])).unwrap();
    std::os::unix::fs::symlink("..", path("b/loop")).unwrap();
    let found = all(folder.path());
    let names: Vec<_> = found
        .iter()
        .map(|one| one.source.as_ref().unwrap_or_else(|_| panic!()).name.clone())
        .collect();
    let want = ["a.log", "b/a.tar:in.log", "b/z.log", "c.log"];
    assert_eq!(names, want.map(|name| path(name).display().to_string()));
    assert!(found.iter().all(|one| one.member));

    let found = all(&path("a.log"));
    let read = found[0].source.as_ref().unwrap_or_else(|_| panic!());
    assert!(
        !found[0].member && read.modified == fs::metadata(path("a.log")).unwrap().modified().ok()
    );
    assert!(matches!(all(&path("none"))[0].source, Err(InputError::NotFound { .. })));
}

#[test]
fn a_visit_can_end_the_walk() {
    let bytes = tar([("a", &b"one\n"[..]), ("b", b"two\n")]);
    let mut count = 0;
    let done = standard_input(Cursor::new(bytes), &mut |_| {
        count += 1;
        Err("enough")
    });
    assert_eq!((done, count), (Err("enough"), 1));
}
