//! The pattern files that come with the program, read and checked when it was built.

use crate::pattern::Patterns;

const STORED: &str = include_str!(concat!(env!("OUT_DIR"), "/patterns.json"));

/// The built-in patterns.
#[must_use]
pub fn patterns() -> Patterns {
    match serde_json::from_str(STORED) {
        Ok(patterns) => patterns,
        Err(error) => unreachable!("the build script wrote what this cannot read: {error}"),
    }
}
