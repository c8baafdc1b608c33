//! The only integration test binary: whole runs of the program, and the library where a run shows
//! too little.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test that cannot go on stops, and it reads the files it compares with"
)]

mod advice;
mod browser;
mod bundle;
mod card;
mod certainty;
mod check;
mod choice;
mod claims;
mod common;
mod contradictions;
mod contrib;
mod coverage;
mod decode;
mod devices;
mod diff;
mod docs;
mod engine;
mod english;
mod explain;
mod follow;
mod formats;
mod host;
mod hostile;
mod inputs;
mod json;
mod kinds;
mod machine;
mod markdown;
mod options;
mod output;
mod outside;
mod owners;
mod pasted;
mod patterns;
mod programs;
mod properties;
mod quiet;
mod reasons;
mod records;
mod redaction;
mod rows;
mod run;
mod signatures;
mod snapshots;
mod streams;
mod usage;
mod voice;
mod why;
mod zones;
