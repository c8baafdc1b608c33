//! A value that the driver printed as a number, taken apart by the hardware tables.
//!
//! Knows nothing of where a value was found, and claims nothing that the tables do not say: what
//! cannot be decided stays undecided.

pub mod cross_check;
pub mod params;
pub mod vm_fault;
