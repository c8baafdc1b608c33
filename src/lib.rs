//! amdtriage diagnoses AMD GPU failures from Linux kernel logs: what failed first, what the driver
//! did about it, whether the GPU recovered, which lines prove it, and what to do next.
//!
//! The terms used here (record, event, incident, signature, …) are defined in the glossary of
//! [`value`].
//!
//! # Data flow
//!
//! ```text
//! input -> record -> event -> incident -> diagnosis -> report -> document -> text
//!                      ^         ^            ^
//!                   decode    pattern: the knowledge in patterns/, embedded by the build script
//!
//! host -> health -> report: a machine's own files instead of a log
//! cli calls all of them; nothing calls cli
//! ```
//!
//! Each module depends only on modules above it in this table. The last column is what it must stay
//! independent of.
//!
//! | module | input | output | must not know |
//! | --- | --- | --- | --- |
//! | [`value`] | text | typed values (PCI address, register, error number, …) that parse and print themselves | the log around a value |
//! | [`kind`] | - | the table of event kinds: their fields, and every decision made by kind | logs |
//! | [`tree`] | a directory with untrusted contents | its regular files, without leaving the directory | what the files contain |
//! | [`program`] | a program name and arguments | a child process with fixed environment, time and output limits | what its output means |
//! | [`temporary`] | bytes | an unnamed temporary file with a size limit | what the bytes are |
//! | [`input`] | files, directories, archives, pipes, this machine | decompressed text in UTF-8, with bounded memory | log formats |
//! | [`record`] | lines | records: sender, time, boot, message text | GPUs |
//! | [`pattern`] | TOML files | messages, signatures, advice, hardware tables | logs |
//! | [`decode`] | a number or word that the driver printed | its meaning, from the hardware tables | the log it is from |
//! | [`event`] | records | typed events, and the GPUs of each boot | signatures |
//! | [`incident`] | events | incidents, each with its outcome | why GPUs fail |
//! | [`diagnosis`] | incidents and signatures | ranked diagnoses with evidence and advice, and the verdict | output formats |
//! | [`redact`] | text | the same text with tokens in place of private values; what is still private in it | GPUs, output formats |
//! | [`bundle`] | records and files | the archive that is attached to a bug report | what they mean |
//! | [`compare`] | two boots with their diagnoses | their differences, and which of them prove something | output formats |
//! | [`live`] | lines of a growing log, the current time | new events, and incidents as they change | where the lines come from |
//! | [`explain`] | a name, or single lines | the entries of the pattern files about it | output formats |
//! | [`host`] | `/proc`, `/sys`, package databases, a few programs | facts about a machine, or why a fact could not be read | logs, which facts are faults |
//! | [`health`] | facts about a machine | findings, and what could not be judged | logs, output formats |
//! | [`coverage`] | a kernel's source tree | its printk formats compared with the messages; citations that no longer hold | logs |
//! | [`fixture`] | a log with a header | the expected result, and its differences from the actual one | where fixtures are stored |
//! | [`lint`] | valid pattern files | likely mistakes in them | logs |
//! | [`document`] | text with structure | terminal text, Markdown, HTML | which command the text is for |
//! | [`report`] | conclusions | a [`document`], JSON, or columns | thresholds |
//! | [`inquiry`] | one input | a [`report::ReportPart`], or why the input cannot be read | where the input comes from |
//! | [`page`] | files chosen in a browser | a report in each format, or redacted files | the browser |
//! | [`cli`] | arguments | an exit status | - |
//!
//! [`builtin`] holds the pattern files that the build script has checked. Without the feature
//! `system` there are no files, programs or terminal: that build is the web page (`web/`).
//!
//! Items are `pub` only if the program, tests, benchmarks or fuzz targets use them; all others are
//! `pub(crate)`, so that the compiler reports unused ones.
//!
//! # Where to add things
//!
//! Most knowledge is data and needs no Rust. `patterns/README.md` and `fixtures/README.md` describe
//! the files.
//!
//! - A **message** that the kernel or a program prints: an entry with a sample in
//!   `patterns/messages/`.
//! - A **signature**: a file in `patterns/signatures/`, with logs in `fixtures/signatures/` that
//!   must and must not match.
//! - **Advice**: `patterns/advice/`. A **chip**, register layout, driver parameter, or the meaning
//!   of a driver's number: `patterns/hardware/`. A **distribution**: `patterns/distributions.toml`.
//!   A **search word** for long logs: `patterns/words.toml`. A **word** that tells talk about a
//!   message from a quoted one: `patterns/prose.toml`.
//! - A **machine state**, a kernel or firmware version with a known fault, a package or variable
//!   that bug reports list: `patterns/machine/`. Only a new kind of fact needs Rust, in [`host`]
//!   and [`health`].
//! - A **private value**, or text that only looks private: `patterns/redaction/`. Only a new shape
//!   or encoding needs Rust, in [`redact`].
//! - An **event kind**:
//!   1. a row in the file of its subject in [`kind`], and its name in the list `kinds!` of
//!      `kind/mod.rs`; the compiler reports a missing column or name, and every `match` that has to
//!      handle the kind;
//!   2. if a field is computed and no message fills it: `event/completion.rs`, and `COMPLETED` in
//!      `lint/dead.rs`;
//!   3. a message that produces it, and, if it can open an incident, a fallback signature with
//!      fixtures;
//!   4. the stored JSON Schema: `UPDATE_SCHEMA=1 cargo test --lib schema`.
//! - A **log format**:
//!   1. a variant of [`record::LogFormat`]; the compiler reports each `match` that has to handle
//!      it;
//!   2. a function that reads a line, next to those of its family (`record/dmesg.rs`,
//!      `record/syslog.rs`, …), and an entry in the table of `record/envelopes.rs`. A format in
//!      which a record is not one line is read by `record/reader/` instead. What people or web
//!      pages add to lines is removed by `record/pasted.rs` and `record/unquote.rs`;
//!   3. for a new [`record::FormatFamily`], a value of `--input-format` in `cli/args/inputs.rs`;
//!   4. a file in `fixtures/formats/` and its row in `record/tests/forms.rs`.
//!
//!   A compression, container or character set belongs to [`input`].
//! - A **JSON output**:
//!   1. `Serialize` and, in tests, `JsonSchema` on the type of the conclusion, with
//!      `report::json::Head` as its first member; the doc comments become the descriptions in the
//!      schema;
//!   2. a variant of [`report::json::schema::Subject`], and its type in `made` of
//!      `report/json/schema/made.rs`;
//!   3. the stored schema (`UPDATE_SCHEMA=1 cargo test --lib schema`), the command in `subject` of
//!      `tests/common/schema.rs`, which validates all output of the tests, and the table of schemas
//!      in `docs/report-on-a-log.md`.
//! - An **output format** for all answers: a renderer in [`document`].
//! - A **rule** of `patterns lint`: a function in [`lint`], described in `patterns/README.md`.
//! - A **printing macro** of the kernel that `patterns coverage` does not know: the table in
//!   [`coverage::macros`].
//!
//! # Invariants
//!
//! - Reading is total: each stage returns what it understood *and* counts what it did not. No input
//!   makes it fail, hang, or use unbounded memory.
//! - Every claim rests on a line of the log or on a fact with a source. What a log does not say is
//!   `None`, and "did it happen?" has three answers ([`diagnosis::absence::Absence`]).
//! - The same input and patterns give the same bytes: no clock and no randomness. Exceptions:
//!   [`input`] stops a decompressor or a program after minutes, and says so; [`cli`] asks for the
//!   time, for dates without a year and to follow a growing log; [`host`] looks at a running
//!   machine.
//! - Side effects have one place each; `clippy.toml` disallows the calls, and these places allow
//!   them:
//!   - only [`tree`] opens files in directories with untrusted contents; only [`input`] opens logs;
//!     only [`coverage`] reads a kernel's source; only [`host`] reads a machine's files; only
//!     `cli::output` creates files;
//!   - only [`program`] starts programs and searches `PATH`; [`input`] runs `journalctl` and
//!     `dmesg`, [`host`] a fixed set of programs from a child process that can be abandoned,
//!     [`cli`] commands that the user names;
//!   - only [`cli`] reads the environment, uses the terminal, reads pattern directories and sets
//!     the exit status.
//! - Text from a log reaches the output only through [`document::untrusted`]; inside a sentence, a
//!   name from outside is shown by [`value::Named`].

// The web page is built without `system` and uses only a part of the crate.
#![cfg_attr(
    not(feature = "system"),
    allow(
        dead_code,
        unreachable_pub,
        unused_imports,
        rustdoc::broken_intra_doc_links,
        reason = "used by the command line only"
    )
)]
#![allow(rustdoc::private_intra_doc_links, reason = "the map is for people who change the program")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests read the files that they compare with, and start programs"
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
