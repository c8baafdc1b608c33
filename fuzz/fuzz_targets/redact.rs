//! Any file without what is private: the second look finds nothing, and neither does one that has not seen the
//! file before it was redacted.

#![no_main]

use std::cell::RefCell;

use amdtriage::cli::Ending;
use amdtriage_fuzz::{Folder, run};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static FOLDER: RefCell<Folder> = RefCell::default();
}

fuzz_target!(|log: &[u8]| {
    FOLDER.with_borrow(|folder| {
        let path = folder.write("log", log);
        let redacted = run(&["redact"], &path);
        assert!(!redacted.said.contains("private data would be left"), "{}", redacted.said);
        if redacted.ending != Ending::Fine {
            assert!(redacted.out.is_empty(), "half a log is none");
            return;
        }
        let path = folder.write("redacted", &redacted.out);
        let again = run(&["redact", "--check"], &path);
        let found = String::from_utf8_lossy(&again.out);
        assert!(again.ending != Ending::FailureFound, "a second look finds {found}");
    });
});
