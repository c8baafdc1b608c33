//! Every decision by event kind is in the table of kinds: no `match` over kinds has a wildcard.

use std::fs;
use std::path::Path;

/// Files with a wildcard, and why a new kind cannot fall into it by mistake.
const ARGUED: &[(&str, &str)] = &[
    ("src/event/completion.rs", "computes fields that only these kinds have"),
    (
        "src/event/recognise.rs",
        "a row of a process listing has no message that could say what it means",
    ),
    ("src/diagnosis/survey.rs", "collects the fields of two kinds"),
];

#[test]
fn no_match_over_kinds_has_a_wildcard() {
    let mut found = Vec::new();
    sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut |path, text| {
        if !text.contains("crate::kind::") {
            return;
        }
        // rustfmt puts each arm of a match on its own line, with the same indentation.
        let mut matches: Vec<(usize, bool)> = Vec::new();
        for line in text.lines() {
            let arm = line.trim_start();
            let depth = line.len() - arm.len();
            while matches.last().is_some_and(|(of, _)| depth < *of) {
                matches.pop();
            }
            if let Some((of, names_a_kind)) = matches.last_mut().filter(|(of, _)| *of == depth) {
                *names_a_kind |= names_kind(arm) && (arm.contains("=>") || arm.starts_with('|'));
                let wild = arm.split("=>").next().is_some_and(|pattern| {
                    let name = pattern.trim().split(' ').next().unwrap_or("");
                    name.starts_with(|c: char| c == '_' || c.is_ascii_lowercase())
                        && name.chars().all(|c| c == '_' || c.is_ascii_lowercase())
                });
                if *names_a_kind && wild && arm.contains("=>") {
                    found.push((path.to_owned(), *of, line.to_owned()));
                }
            }
            if line.contains("match ") && line.ends_with('{') {
                matches.push((depth + 4, false));
            }
        }
    });
    let is_argued = |path: &str| ARGUED.iter().any(|(argued, _)| path.ends_with(argued));
    found.retain(|(path, ..)| !is_argued(path));
    assert!(found.is_empty(), "{found:#?}");
}

/// Whether a word of `arm` begins with our enums, as opposed to `FieldKind::` and the like.
fn names_kind(arm: &str) -> bool {
    let words = arm.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    let ours = ["Event::", "Kind::", "kind::"];
    words.into_iter().any(|word| ours.iter().any(|name| word.starts_with(name)))
}

fn sources(folder: &Path, see: &mut impl FnMut(&str, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, see);
        } else {
            see(&path.to_string_lossy(), &fs::read_to_string(&path).unwrap());
        }
    }
}
