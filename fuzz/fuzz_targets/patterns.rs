//! Any pattern file loads or is rejected with the location of its mistake; one that loads can be
//! used on a log.

#![no_main]

use std::cell::RefCell;
use std::fs;

use amdtriage::cli::Ending;
use amdtriage_fuzz::{Folder, run};
use libfuzzer_sys::fuzz_target;

const LOG: &[u8] = include_bytes!("../../fixtures/formats/dmesg.log");

thread_local! {
    static FOLDER: RefCell<Folder> = RefCell::default();
}

fuzz_target!(|input: &[u8]| {
    FOLDER.with_borrow(|folder| {
        let mine = folder.path("mine");
        fs::create_dir_all(&mine).expect("a folder in our own");
        let file = mine.join("a.toml");
        fs::write(&file, input).expect("room for a small file");
        let listed = run(&["patterns", "lint"], &mine);
        if listed.ending == Ending::CouldNot {
            assert!(!listed.said.is_empty(), "it says why");
            return;
        }
        let log = folder.write("log", LOG);
        let name = mine.to_str().expect("a name of our own");
        run(&["-v", "--patterns", name], &log);
    });
});
