//! Limits of decompression.

use super::*;

/// The bytes read of a decompression bomb before the limit, and the messages.
fn exploded(limits: Limits, bytes: &[u8]) -> (usize, String, String) {
    let all = shown(&Opener::new(limits, JOURNALCTL), bytes);
    let read = all[0].source.as_ref().unwrap_or_else(|error| panic!("{error}"));
    let failure = read.failure.as_ref().unwrap();
    (read.text.len(), failure.to_string(), failure.code())
}

#[test]
fn a_small_file_unpacks_to_so_many_times_its_size_and_no_more() {
    // gzip's ratio is limited to 1000, so two layers are needed.
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
        // Other members are not affected.
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
    // Uncompressed input has no limits.
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

/// As if each file had been named.
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
