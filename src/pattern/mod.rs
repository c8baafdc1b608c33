//! Pattern files.

pub mod fields;
pub mod hardware;
pub mod source;
