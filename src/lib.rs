//! amdtriage
pub mod input;
pub mod record;
pub mod value;
