//! Any file can be redacted: verification finds nothing private, and neither does a redactor that
//! has not seen the original file.

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
