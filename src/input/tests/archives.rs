//! Archives: members, and what is damaged.

use super::*;

/// Archives from before 1988 have no magic number.
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

/// With `tar --format=posix`, long values are in an extended header.
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
    // The header has 0 bytes, the extended header 5.
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
        // The log is complete; the error is the archive's.
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

/// The memory for names is limited.
#[test]
fn an_archive_cannot_take_memory_for_names() {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::GNULongName);
    header.set_size(1 << 40);
    header.set_cksum();
    let error = single(header.as_bytes()).err().unwrap();
    assert_eq!(error.to_string(), "x is a damaged tar archive");
}
