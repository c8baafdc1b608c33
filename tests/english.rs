//! Help, man pages and messages are in plain technical English.

use std::fs;

use super::common::{none, root};

/// Phrases of translated texts.
const BANNED: [&str; 33] = [
    "Says what happened",
    "Say how this machine is now",
    "Tell what happens",
    "Say what a bad boot has",
    "Take out of a log",
    "Make the attachment",
    "Hold the messages against",
    "held against",
    "holds against",
    "hold against",
    "by the driver's word",
    "for want of",
    "bring about",
    "bring the fault about",
    "brought about",
    "has to say it",
    "has to be said",
    "of itself",
    "by itself that",
    "what comes",
    "What comes",
    "told what",
    "mostly",
    "Mostly",
    " tells ",
    "Told ",
    " behind ",
    "where nothing is said",
    "if nothing is said",
    "is called so",
    "did not come back",
    "the likeliest",
    "stands before",
];

fn wrong(name: &str, text: &str) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("\\-", "-");
    let found = BANNED.iter().filter(|phrase| text.contains(**phrase));
    found.map(|phrase| format!("{name}: {phrase}")).collect()
}

#[test]
fn help_and_man_pages_have_no_banned_phrase() {
    let mut all = wrong("help", &fs::read_to_string(root("tests/snapshots/help.snap")).unwrap());
    for entry in fs::read_dir(root("man")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        all.extend(wrong(&name, &fs::read_to_string(&path).unwrap()));
    }
    none(&all);
}
