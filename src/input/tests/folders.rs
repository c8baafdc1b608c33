//! Directories with logs and other files, and reasons to reject an input.

use super::*;

#[test]
fn skipped_folders_are_reported() {
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
    // Root may read any directory.
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
fn a_socket_is_a_different_error() {
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

/// Under the name of another file that links to it.
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
            // With or without permission to read it.
            [Ok(_) | Err(InputError::Permission { .. } | InputError::NotFound { .. })] => {}
            // Containers replace it by an empty device.
            [Err(InputError::Empty { .. })] => assert!(!is_file),
            other => panic!("{target}: {other:?}"),
        }
        fs::remove_file(&link).unwrap();
    }
}

/// `tar --sparse`, in both of its formats.
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

#[test]
fn inputs_without_a_log_have_their_own_errors() {
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

/// Another program can read them, so that must be reported.
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
