//! amdtriage
pub mod decode;
pub mod event;
pub mod pattern;
pub mod record;
pub mod value;
