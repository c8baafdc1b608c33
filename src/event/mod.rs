//! Records to events.

pub mod kinds;
