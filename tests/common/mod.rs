//! What all tests share: the program as a function of arguments, input and environment, fixtures,
//! and JSON whose order of keys can be asked for.

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

/// Fails with all of `wrong` at once: one run shows everything there is to mend.
#[track_caller]
pub(crate) fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// For properties: what fails is printed and becomes a fixture or a test, not a file of seeds.
pub(crate) fn settings(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}
