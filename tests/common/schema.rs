//! What programs read is as the schema says, whichever test makes it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex};

use amdtriage::report::json::schema::{self, Subject};
use jsonschema::Validator;
use serde_json::Value;

/// In the order of [`Subject::ALL`].
static VALIDATORS: LazyLock<[Validator; 9]> = LazyLock::new(|| Subject::ALL.map(validator));

/// What has been held against its schema.
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

/// Holds what a run with these arguments wrote against its schema, if it has one.
#[track_caller]
pub(crate) fn check(arguments: &[OsString], stdout: &str) {
    let Some(subject) = subject(arguments) else { return };
    // Many tests ask for the same report.
    let mut hasher = DefaultHasher::new();
    (subject.name(), stdout).hash(&mut hasher);
    if !CHECKED.lock().expect("no check panics while it holds this").insert(hasher.finish()) {
        return;
    }
    holds(subject, &format!("{arguments:?}"), stdout);
}

/// Holds `text` against the schema of `subject`.
#[track_caller]
pub(crate) fn holds(subject: Subject, name: &str, text: &str) {
    let validator = Subject::ALL.iter().zip(&*VALIDATORS).find(|(one, _)| **one == subject);
    let (_, validator) = validator.expect("each has one");
    // A document is one object over many lines.
    let objects = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    for object in objects {
        // What is no JSON is another test's matter: output that nobody reads to its end is cut.
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
    let format = words.windows(2).find(|pair| pair[0] == "--format").map(|pair| pair[1]);
    match (words.first().copied()?, format?) {
        ("records", "ndjson") => Some(Subject::Records),
        ("events", "ndjson") => Some(Subject::Events),
        ("follow", "ndjson") => Some(Subject::Follow),
        ("run", "json") => Some(Subject::Run),
        ("check", "json") => Some(Subject::Check),
        ("diff", "json") => Some(Subject::Diff),
        ("check" | "diff" | "explain" | "decode" | "patterns", _) => None,
        (_, "json") => Some(Subject::Report),
        (_, "ndjson") => Some(Subject::Ndjson),
        _ => None,
    }
}

/// Holds what is told of a machine against its definition: it is a part of documents, and none itself.
#[track_caller]
pub(crate) fn is_host_facts(text: &str) {
    let stored = include_str!("../../src/report/json/schema.json");
    let mut schema: Value = serde_json::from_str(stored).expect("a schema is JSON");
    schema["$ref"] = "#/$defs/HostFacts".into();
    let validator = jsonschema::draft202012::options()
        .build(&schema)
        .expect("a schema refers to nothing that is not there");
    let object: Value = serde_json::from_str(text).expect("it is JSON");
    let wrong: Vec<String> = validator
        .iter_errors(&object)
        .take(5)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
