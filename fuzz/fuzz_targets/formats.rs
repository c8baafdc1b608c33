//! Any file has a result in every format, without panics or hangs; output for people contains no
//! escape sequences, output for programs can be parsed, and the exit status is always the same.

#![no_main]

use std::cell::RefCell;

use amdtriage_fuzz::{Folder, harmless, run};
use libfuzzer_sys::fuzz_target;

/// How the output is checked.
#[derive(Clone, Copy)]
enum Read {
    ByPeople,
    AsJson,
    AsLines,
    AsPage,
}

const REPORTS: [(&[&str], Read); 8] = [
    (&[], Read::ByPeople),
    (&["-v", "--all", "--unknown", "--timeline"], Read::ByPeople),
    (&["-q"], Read::ByPeople),
    (&["--format", "markdown"], Read::ByPeople),
    (&["--format", "html"], Read::AsPage),
    (&["--format", "json", "--events"], Read::AsJson),
    (&["--format", "ndjson"], Read::AsLines),
    (&["--color", "always"], Read::AsPage),
];

/// Other commands for the same input.
const OTHERS: [(&[&str], Read); 6] = [
    (&["rows"], Read::AsLines),
    (&["records", "-v"], Read::ByPeople),
    (&["records", "--format", "ndjson"], Read::AsLines),
    (&["events"], Read::ByPeople),
    (&["events", "--unknown", "--format", "toml"], Read::ByPeople),
    (&["report", "--stdout"], Read::ByPeople),
];

thread_local! {
    static FOLDER: RefCell<Folder> = RefCell::default();
}

fn check(out: Vec<u8>, read: Read) {
    let text = String::from_utf8(out).expect("output is UTF-8");
    match read {
        Read::ByPeople => harmless(&text),
        Read::AsJson if text.is_empty() => {}
        Read::AsJson => {
            serde_json::from_str::<serde_json::Value>(&text).expect("it is JSON");
        }
        Read::AsLines => {
            for line in text.lines() {
                serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON");
            }
        }
        Read::AsPage => assert!(!text.contains("<script"), "a page without scripts"),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&which, log)) = input.split_first() else { return };
    let path = FOLDER.with_borrow(|folder| folder.write("log", log));
    let which = usize::from(which) % (REPORTS.len() + OTHERS.len());
    if let Some((options, read)) = which.checked_sub(REPORTS.len()).and_then(|at| OTHERS.get(at)) {
        check(run(options, &path).out, *read);
        return;
    }
    let (options, read) = REPORTS[which];
    let answer = run(options, &path);
    check(answer.out, read);
    let (options, _) = REPORTS[(which + 1) % REPORTS.len()];
    assert_eq!(run(options, &path).ending, answer.ending, "the answer depends on no format");
});
