//! Journals, which are read with another program.

use super::*;

/// Recognised as a journal by its first bytes.
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
    // A directory cannot be executed.
    let all = shown(&Opener::new(Limits::default(), "/"), JOURNAL);
    let error = all[0].source.as_ref().err().unwrap();
    assert!(matches!(error, InputError::NotStarted { .. }), "{error}");
    // It fails because of its options.
    let opener = Opener::new(Limits::default(), "cat");
    let all = shown(&opener, JOURNAL);
    let told = all[0].source.as_ref().err().unwrap().to_string();
    assert!(told.starts_with("journalctl cannot read x: cat: "), "{told}");
}

#[test]
fn journals_reach_the_program_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("journalctl").display().to_string();
    // A file that this process has open for writing cannot be executed if another test starts a
    // program.
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

/// One text may be shared by any number of entries, and a copy needs disk space.
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
