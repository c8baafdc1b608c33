//! Validates all JSON output of the tests against its schema.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex};

use amdtriage::report::json::schema::{self, Subject};
use jsonschema::Validator;
use serde_json::Value;
use strum::VariantArray as _;

/// In the order of the variants.
static VALIDATORS: LazyLock<Vec<Validator>> =
    LazyLock::new(|| Subject::VARIANTS.iter().copied().map(validator).collect());

/// Hashes of output that was validated already.
static CHECKED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

fn validator(subject: Subject) -> Validator {
    let mut text = Vec::new();
    schema::write(subject, &mut text).expect("memory takes everything");
    let schema: Value = serde_json::from_slice(&text).expect("a schema is JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("a schema is one");
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema refers to nothing that is not there")
}

/// Validates the output of a run with these arguments, if it has a schema.
#[track_caller]
pub(crate) fn check(arguments: &[OsString], stdout: &str) {
    let Some(subject) = subject(arguments) else { return };
    // Many tests create the same report.
    let mut hasher = DefaultHasher::new();
    (subject.name(), stdout).hash(&mut hasher);
    if !CHECKED.lock().expect("no check panics while it holds this").insert(hasher.finish()) {
        return;
    }
    holds(subject, &format!("{arguments:?}"), stdout);
}

/// Validates `text` against the schema of `subject`.
#[track_caller]
pub(crate) fn holds(subject: Subject, name: &str, text: &str) {
    let validator = Subject::VARIANTS.iter().zip(&*VALIDATORS).find(|(one, _)| **one == subject);
    let (_, validator) = validator.expect("each has one");
    // A document is one object over many lines.
    let objects = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    for object in objects {
        // Output that is not JSON is checked by other tests: it is cut if nobody reads it to its
        // end.
        let Ok(object) = object else { return };
        let wrong: Vec<String> = validator
            .iter_errors(&object)
            .take(5)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{name}: {}", wrong.join("\n"));
    }
}

fn subject(arguments: &[OsString]) -> Option<Subject> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let next = words.windows(2).find(|pair| pair[0] == "--format").map(|pair| pair[1]);
    let format = next.or_else(|| words.iter().find_map(|word| word.strip_prefix("--format=")));
    match (words.first().copied()?, format?) {
        ("records", "ndjson") => Some(Subject::Records),
        ("events", "ndjson") => Some(Subject::Events),
        ("follow", "ndjson") => Some(Subject::Follow),
        ("run", "json") => Some(Subject::Run),
        ("check", "json") => Some(Subject::Check),
        ("diff", "json") => Some(Subject::Diff),
        ("explain", "json") => Some(Subject::Explain),
        ("decode", "json") => Some(Subject::Decode),
        ("patterns", "json" | "ndjson") => match words[1] {
            "list" => Some(Subject::PatternsList),
            "explain" => Some(Subject::PatternsExplain),
            "lint" => Some(Subject::PatternsLint),
            "coverage" => Some(Subject::PatternsCoverage),
            _ => None,
        },
        ("check" | "diff" | "explain" | "decode" | "patterns", _) => None,
        (_, "json") => Some(Subject::Report),
        (_, "ndjson") => Some(Subject::Ndjson),
        _ => None,
    }
}
