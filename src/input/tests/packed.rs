//! Compressed files, and nested containers.

use super::*;

#[test]
fn containers_are_known_by_their_bytes() {
    let text = log(500);
    assert_eq!(single(&text).unwrap().text, text);
    for compression in ALL {
        // Logs rotated into one file; `xz` and `zstd` with several threads.
        let members = [pack(compression, &text), pack(compression, b"two\n")].concat();
        let read = single(&members).unwrap();
        assert_eq!(read.text, [text.as_slice(), b"two\n"].concat(), "{compression:?}");
        assert_eq!(read.compression, Some(compression));
        assert!(read.failure.is_none());
        assert!(matches!(single(&pack(compression, b"")), Err(InputError::Empty { .. })));
    }
}

#[test]
fn data_between_frames_and_streams_is_skipped() {
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
fn data_before_the_damage_is_read() {
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

/// The checksum at the end is verified.
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

/// Any bytes give a result.
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

/// Trailing data that programs or disks add.
#[test]
fn data_after_a_complete_file_is_not_damage() {
    let text = log(50);
    for compression in ALL {
        let packed = pack(compression, &text);
        for behind in [&[0; 1][..], &[0; 511], b"rubbish", b"Put here", b"\n", &[0, 0, 1, 2]] {
            let read = single(&[&packed, behind].concat()).unwrap();
            assert!(read.text == text && read.failure.is_none(), "{compression:?} {behind:?}");
        }
        // Padding in between, as on a tape.
        let two = [&packed[..], &[0; 8], &packed].concat();
        assert_eq!(single(&two).unwrap().text, [&text[..], &text].concat());
    }
}

#[test]
fn unpacking_uses_bounded_memory() {
    // A window of 1 GiB.
    let zstd = [&b"\x28\xB5\x2F\xFD\x00\xA0"[..], &[0; 16]].concat();
    // A dictionary of 4 GiB; the header of the first block follows the stream header of 12 bytes.
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
