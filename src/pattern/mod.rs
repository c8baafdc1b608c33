//! Pattern files.

pub mod fields;
pub mod source;
