//! amdtriage
pub mod event;
pub mod pattern;
pub mod record;
pub mod value;
