//! The archive of any file: the second look lets it pass, and amdtriage reads from it what it wrote.

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
        // A log that was not read in full may have none.
        let _ = fs::remove_file(&archive);
    });
});
