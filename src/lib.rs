//! amdtriage
pub mod record;
pub mod value;
