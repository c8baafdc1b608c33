//! Shared by all tests: running the program, fixtures, and JSON with ordered keys.

pub(crate) mod child;
mod fixture;
mod json;
#[cfg(unix)]
mod machine;
pub(crate) mod other_user;
mod run;
pub(crate) mod schema;
mod snapshot;

pub(crate) use fixture::{Fixture, files_below};
pub(crate) use json::Json;
#[cfg(unix)]
pub(crate) use machine::Machine;
pub(crate) use run::{Output, Run};
pub(crate) use snapshot::snapshot;

use std::path::PathBuf;

use proptest::test_runner::Config;

/// A path below the root of the repository.
pub(crate) fn root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Fails with all of `wrong`, so that one run shows every problem.
#[track_caller]
pub(crate) fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Settings for properties: a failing case is printed, to become a fixture or test; no seed files
/// are written.
pub(crate) fn settings(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}
