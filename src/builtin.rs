//! The built-in pattern files, read and checked by the build script.

use crate::pattern::Patterns;

const STORED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/patterns.bin"));

/// The built-in patterns.
#[must_use]
pub fn patterns() -> Patterns {
    match postcard::from_bytes(STORED) {
        Ok(patterns) => patterns,
        Err(error) => unreachable!("the build script wrote what this cannot read: {error}"),
    }
}
