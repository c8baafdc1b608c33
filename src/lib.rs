//! amdtriage reads a Linux kernel log and says what happened to the AMD GPU: what broke first, what
//! the driver did about it, whether the GPU survived, how sure that is, which lines prove it, and what
//! to do next.
//!
//! # The flow
//!
//! ```text
//! input -> record -> event -> incident -> diagnosis -> report
//!                      ^         ^            ^
//!                   decode    pattern: the knowledge, read from patterns/ and embedded
//!
//! host -> health -> report: the same for a machine's own files
//! cli uses all of them; nothing uses cli
//! ```
//!
//! | module | turns | into | and must not know |
//! | --- | --- | --- | --- |
//! | [`value`] | text | values that read and print themselves | where they were found |
//! | [`kind`] | - | the kinds of event: a row each, with its fields and what is decided by it | where they were found |
//! | [`tree`] | a folder that others have filled | the plain files below it, and none from elsewhere | what is in them |
//! | [`program`] | the name of a program | a process that ends: where it is looked for, what it is handed, its limits | what it says |
//! | [`temporary`] | bytes | a file that goes with the process and grows to a limit | whose they are |
//! | [`input`] | files, folders, archives, pipes, this machine, any charset | lines | what a log is |
//! | [`record`] | lines | records: who, when, which boot, what text | that GPUs exist |
//! | [`pattern`] | TOML files | messages, signatures, advice, hardware tables | logs |
//! | [`decode`] | a number or word that the driver printed | what it means | where the value came from |
//! | [`event`] | records | typed events and the GPUs there are | signatures |
//! | [`incident`] | events | failures, each with its end | why GPUs fail |
//! | [`diagnosis`] | incidents and signatures | ranked diagnoses with evidence and advice | how they are shown |
//! | [`redact`] | texts | the same with tokens for what is private, and what is left of it | GPUs, and where texts go |
//! | [`bundle`] | a log's records, files | the parts that go into a bug report's archive, and the archive | what they say |
//! | [`compare`] | two boots with their diagnoses | what one has that the other has not, and what that proves | how that is shown |
//! | [`live`] | lines as they come, and the clock | what is new of events and incidents | where lines come from |
//! | [`explain`] | names and single lines | what the catalogue and the signatures say of them | how that is shown |
//! | [`host`] | `/proc` and `/sys`, databases of packages, a few programs | facts of a machine, or why one could not be read | logs, and what is wrong |
//! | [`health`] | facts of a machine | what is wrong with it, and what could not be judged | logs, and how it is shown |
//! | [`coverage`] | a kernel's source | the formats it can print, held against the messages, and what is cited of it | logs |
//! | [`fixture`] | a log with a header | what must be said of it, and whether it is | where the file stands |
//! | [`lint`] | pattern files that load | what in them cannot be meant | logs |
//! | [`inquiry`] | one log | the parts of a report, or why it cannot be read | where the log comes from |
//! | [`page`] | files of a browser | the report in each form, or the files redacted | the browser |
//! | [`report`] | conclusions | text, JSON, or columns | any threshold |
//! | [`cli`] | arguments | an exit status | - |
//!
//! Without the feature `system` there are no files, programs or terminal: that is the part in the page of a browser
//! (`web/`).
//!
//! [`builtin`] holds the pattern files as the build script left them: read, checked, embedded.
//!
//! What the program, tests, benchmarks and the fuzzer use is `pub`; all else is the crate's own, so that the
//! compiler says what nobody uses.
//!
//! # Where something new goes
//!
//! - A **message** the kernel or a program prints: an entry in `patterns/messages/`, with a sample.
//!   Only a new *kind* of event is Rust: a row in the file of its subject in [`kind`], and its name in the
//!   list there.
//! - A **signature**: one file in `patterns/signatures/` and its logs in `fixtures/signatures/`. No Rust.
//! - A **way to print** of the kernel that `patterns coverage` does not know: the table in
//!   [`coverage::macros`].
//! - **Advice**, a **chip**, a register layout, a driver parameter, what a number of the driver means:
//!   `patterns/advice/`, `patterns/hardware/`. A **distribution**: `patterns/distributions.toml`.
//! - A **state of a machine** that is worth knowing, a kernel or a firmware with a known fault, a package
//!   or a variable that a bug report names: `patterns/machine/`. Only a new kind of fact is Rust, in [`host`] and [`health`].
//! - What is **private** in a log, or only looks so: `patterns/redaction/`. Only a new shape or encoding is
//!   Rust, in [`redact`].
//! - A **log format**: an entry in the table of `record/envelopes.rs` and a function that reads it; a container or charset in
//!   [`input`]. What people leave or put before a line is `record/pasted.rs`, what a page puts around it
//!   `record/unquote.rs`.
//! - A **word** that a long log is looked through for: `patterns/words.toml`.
//! - An **output of JSON**: `Serialize` and `JsonSchema` on the type of the conclusion, the head of
//!   `report::json`, and an entry in [`report::json::schema`], which the tests hold it against.
//! - An **output format**: a module in [`report`].
//! - A **rule** for `patterns lint`: beside the others in [`lint`]; its name stands in
//!   `patterns/README.md`.
//!
//! `patterns/README.md` and `fixtures/README.md` describe the files.
//!
//! # Invariants
//!
//! - A module knows only what stands before it in the flow.
//! - Only [`tree`] opens what stands in folders that others have filled, and only `cli::output` names files that are
//!   written.
//! - Only [`program`] starts other programs, and asks `PATH` where they are. Only [`input`] opens logs and asks
//!   `journalctl` and `dmesg`, only [`cli`] has commands run that somebody names, only [`coverage`] reads a
//!   kernel's source, only [`host`] a machine's files and asks the programs of a closed set, in a process of
//!   its own that may be left behind. Only [`cli`] touches the rest of the environment, the terminal and the
//!   exit status, and reads pattern folders. Only [`report`] formats what is printed, and log text reaches it
//!   through one door, [`document::untrusted`]; a name that somebody else chose stands in a sentence as
//!   [`value::Named`] shows it.
//! - Reading is total: each stage returns what it understood *and* the tally of what it did not. No
//!   input makes it fail, hang, or use memory without bound.
//! - Nothing is claimed without a line of the log or a fact with a source. What a log does not tell is
//!   `None`, and absence has three answers ([`diagnosis::sequence::Absence`]).
//! - There is no clock and no randomness: the same input and patterns give the same bytes. Only [`input`] stops
//!   what is packed, or a program, after minutes, and says so. Only [`cli`] asks for the time: for the years of dates that have none, and where it follows a log that grows.
//!   [`host`] looks at a running machine, which is another one each time.

// Without files, programs and a terminal, the page in a browser uses a part of what there is.
#![cfg_attr(
    not(feature = "system"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        rustdoc::broken_intra_doc_links,
        reason = "for the command line"
    )
)]
#![allow(rustdoc::private_intra_doc_links, reason = "the map is for who changes the program")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "a test reads what it compares with, and has its own programs"
    )
)]

pub mod builtin;
mod bundle;
#[cfg(feature = "system")]
pub mod cli;
mod compare;
#[cfg(feature = "system")]
pub mod coverage;
mod decode;
pub mod diagnosis;
pub mod document;
pub mod event;
mod explain;
#[cfg(feature = "system")]
mod fixture;
#[cfg(feature = "system")]
mod health;
#[cfg(feature = "system")]
pub mod host;
mod incident;
pub mod input;
pub mod inquiry;
pub mod kind;
#[cfg(feature = "system")]
pub mod lint;
#[cfg(feature = "system")]
mod live;
pub mod page;
pub mod pattern;
#[cfg(feature = "system")]
pub mod program;
pub mod record;
pub mod redact;
pub mod report;
#[cfg(feature = "system")]
mod temporary;
#[cfg(feature = "system")]
mod tree;
pub mod value;
