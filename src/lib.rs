//! amdtriage
pub mod builtin;
pub mod cli;
pub mod decode;
pub mod diagnosis;
pub mod event;
pub mod incident;
pub mod input;
pub mod pattern;
pub mod record;
pub mod report;
pub mod value;
