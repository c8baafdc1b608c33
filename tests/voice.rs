//! User-visible text is in plain technical English: no phrase of `tests/data/banned-phrases.txt`.

use std::fs;
use std::ops::Range;
use std::path::Path;

use regex::Regex;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::common::{files_below, root};

const PHRASES: &str = "tests/data/banned-phrases.txt";

/// Keys whose values are not prose: names, conditions, patterns, sample lines.
///
/// All other keys are checked, so that a new key with text is covered from the start.
const NOT_PROSE: [&str; 23] = [
    "anchors",
    "anywhere",
    "command",
    "event",
    "file_at",
    "find",
    "format",
    "from",
    "ids",
    "lines",
    "literal",
    "names",
    "near",
    "references",
    "regex",
    "releases",
    "sample",
    "search",
    "symbol",
    "values",
    "when",
    "where",
    "words",
];

struct Banned {
    found_by: Regex,
    instead: String,
}

/// The banned phrases, and longer phrases in which they are allowed.
fn phrases(list: &str) -> (Vec<Banned>, Vec<Regex>) {
    let lines =
        list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (mut banned, mut allowed) = (Vec::new(), Vec::new());
    for line in lines {
        if let Some(phrase) = line.strip_prefix("allow ") {
            allowed.push(expression(&phrase.replace(' ', r"\s+")));
            continue;
        }
        let (phrase, instead) =
            line.split_once(" => ").unwrap_or_else(|| panic!("{PHRASES}: no `=>` in `{line}`"));
        let found_by = expression(&format!(r"\b(?:{})\b", phrase.trim().replace(' ', r"\s+")));
        banned.push(Banned { found_by, instead: instead.trim().to_owned() });
    }
    (banned, allowed)
}

fn expression(phrase: &str) -> Regex {
    Regex::new(&format!("(?i-u){phrase}")).unwrap_or_else(|error| panic!("{PHRASES}: {error}"))
}

/// Each banned phrase in a text, with its location: `name:line: "phrase", write: …`.
fn objections(
    name: &str,
    text: &str,
    (banned, allowed): &(Vec<Banned>, Vec<Regex>),
) -> Vec<String> {
    let fine: Vec<_> =
        allowed.iter().flat_map(|may| may.find_iter(text)).map(|at| at.range()).collect();
    let mut found = Vec::new();
    for phrase in banned {
        for at in phrase.found_by.find_iter(text) {
            if fine.iter().any(|range| range.start <= at.start() && at.end() <= range.end) {
                continue;
            }
            let line = 1 + text[..at.start()].matches('\n').count();
            found.push((
                line,
                format!("{name}:{line}: {:?}, write: {}", at.as_str(), phrase.instead),
            ));
        }
    }
    found.sort();
    found.into_iter().map(|(_, objection)| objection).collect()
}

/// A TOML file with everything but its sentences blanked out.
fn prose(file: &str) -> String {
    let table = DeTable::parse(file).expect("the patterns load");
    let mut sentences = Vec::new();
    for (key, value) in table.get_ref() {
        gather(key.get_ref(), value, &mut sentences);
    }
    let mut left: Vec<u8> =
        file.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect();
    for range in sentences {
        left[range.clone()].copy_from_slice(&file.as_bytes()[range]);
    }
    String::from_utf8(left).expect("whole strings were copied")
}

fn gather(key: &str, value: &Spanned<DeValue<'_>>, into: &mut Vec<Range<usize>>) {
    if NOT_PROSE.contains(&key) {
        return;
    }
    match value.get_ref() {
        // A single word is a name.
        DeValue::String(text) if text.contains(' ') => into.push(value.span()),
        DeValue::Array(values) => values.iter().for_each(|value| gather(key, value, into)),
        DeValue::Table(table) => {
            table.iter().for_each(|(key, value)| gather(key.get_ref(), value, into));
        }
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => {}
    }
}

/// All user-visible text, by file name. Add new texts here.
fn sources() -> Vec<(String, String)> {
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let mut sources = Vec::new();
    for path in files_below(&root("patterns")) {
        let name = path.strip_prefix(root("")).unwrap().display().to_string();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => sources.push((name, prose(&read(&path)))),
            Some("md") => sources.push((name, read(&path))),
            _ => {}
        }
    }
    for name in
        ["README.md", "SECURITY.md", "CHANGELOG.md", "python/README.md", "contrib/README.md"]
    {
        sources.push((name.to_owned(), read(&root(name))));
    }
    let named = |path: &Path| path.strip_prefix(root("")).unwrap().display().to_string();
    for path in files_below(&root("docs")) {
        if path.extension().is_some_and(|extension| extension == "md") {
            sources.push((named(&path), read(&path)));
        }
    }
    for folder in PRINTED {
        for path in files_below(&root(folder)) {
            if path.extension().is_some_and(|extension| extension == "rs") && !is_of_tests(&path) {
                sources.push((named(&path), literals(&read(&path))));
            }
        }
    }
    sources
}

/// Where the sentences stand that the program prints.
const PRINTED: [&str; 10] = [
    "src/cli",
    "src/decode",
    "src/document",
    "src/health",
    "src/host",
    "src/input",
    "src/lint",
    "src/live",
    "src/pattern",
    "src/report",
];

fn is_of_tests(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

/// A Rust file of which only the texts with a blank are left, each in its place, without its tests.
fn literals(file: &str) -> String {
    let code = file.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let token = Regex::new(
        r##"(?s)//[^\n]*|'(?:\\[^']+|[^'\\])'|r#*"[^"]*"#*|"(?:\\.|[^"\\])*"|reason = "[^"]*""##,
    )
    .unwrap();
    let mut left: Vec<u8> =
        code.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect();
    for found in token.find_iter(code) {
        let text = found.as_str();
        if text.starts_with('"') && text.contains(' ') {
            left[found.range()].copy_from_slice(text.as_bytes());
        }
    }
    // A line that goes on in the next one.
    String::from_utf8(left).expect("whole strings were copied").replace("\\\n", " \n")
}

#[test]
fn of_a_rust_file_only_texts_are_read() {
    let file = "// \"mostly so\"\nlet a = \"mostly one\"; // it stands\nlet b = '\"'; x(\"two \\\n  words\");\n\
                #[allow(x, reason = \"mostly so\")]\nlet c = \"mostly\";\n#[cfg(test)]\nmod tests { \"it stands\" }";
    let left = literals(file);
    assert_eq!(
        left.split_whitespace().collect::<Vec<_>>(),
        ["\"mostly", "one\"", "\"two", "words\""]
    );
}

#[test]
fn what_people_read_is_plain_english() {
    let phrases = phrases(&fs::read_to_string(root(PHRASES)).unwrap());
    let found: Vec<_> =
        sources().iter().flat_map(|(name, text)| objections(name, text, &phrases)).collect();
    assert!(found.is_empty(), "{} phrases to put plainly:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_phrase_is_found_with_its_line_and_what_to_write() {
    let phrases = phrases("mostly => usually\nst(?:ands?|ood) => is\nallow stands? for\n");
    let text = "Fine.\nIt stands for X, and stands\nthere Mostly.";
    let found = objections("page", text, &phrases);
    assert_eq!(found, ["page:2: \"stands\", write: is", "page:3: \"Mostly\", write: usually"]);
}

#[test]
fn of_a_pattern_file_only_sentences_are_read() {
    let file = "id = \"a mostly\"\nformat = \"mostly %s\"\nmeans = \"mostly so\"\nx = [{ why = \"a b\" }]\n";
    let left = prose(file);
    assert_eq!(left.len(), file.len());
    assert!(left.contains("mostly so") && left.contains("a b") && !left.contains("%s"), "{left}");
}
