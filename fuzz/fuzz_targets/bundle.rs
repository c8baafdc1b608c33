//! The archive for any file passes verification, and reads back as what was written.

#![no_main]

use std::cell::RefCell;
use std::fs;

use amdtriage::cli::Ending;
use amdtriage_fuzz::{Folder, run};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static FOLDER: RefCell<Folder> = RefCell::default();
}

fuzz_target!(|log: &[u8]| {
    FOLDER.with_borrow(|folder| {
        let path = folder.write("log", log);
        let archive = folder.path("report.tar.gz");
        let name = archive.to_str().expect("a name of our own");
        let made = run(&["report", "-q", "-o", name], &path);
        assert!(!made.said.contains("private data would be left"), "{}", made.said);
        if made.ending == Ending::Fine {
            let read = run(&["-q"], &archive);
            assert!(read.ending != Ending::CouldNot, "{}", read.said);
        }
        // There may be no archive if a log was not read to its end.
        let _ = fs::remove_file(&archive);
    });
});
