//! The report as JSON. The order of keys is part of the contract; unknown values are `null`.
//!
//! `schema` has the JSON Schema of every output; a test generates it from the types.

mod diagnosis;
mod event;
mod harmless;
mod incident;
#[cfg(feature = "system")]
pub(crate) mod live;
mod log;
pub(crate) mod ndjson;
#[cfg(feature = "system")]
pub(crate) mod run;
pub mod schema;

use std::io;

use serde::Serialize;

use super::unknown::{self, UnknownObject};
use super::{Report, ReportPart};
use crate::diagnosis::choice::LeftOut;
use crate::diagnosis::verdict::Verdict;
use diagnosis::{NoticeObject, notice};
use event::event;
use incident::{IncidentObject, incident};
use log::{BootObject, DeviceObject, InputObject, boot, device, input, unread};

pub(super) use event::{EventObject, single};
pub(super) use harmless::{line, whole};

/// The version of this schema; it changes only if programs that read it have to change.
const SCHEMA_VERSION: u32 = 2;

/// Optional parts of a document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Include {
    /// Whether every event is included.
    pub events: bool,
    /// Whether lines of the driver without a known message are included.
    pub unknown: bool,
}

/// Writes `report`.
///
/// # Errors
/// What the writer returns.
pub fn write(report: &Report, include: Include, out: &mut dyn io::Write) -> io::Result<()> {
    whole(&document(report, include), out)
}

/// Writes every event of `report`, one object a line.
pub(crate) fn write_events(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    events(report).try_for_each(|event| line(&event, out))
}

/// The diagnosis of kernel logs: which AMD GPUs failed, how it ended, which lines prove it, and
/// what to do.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Report"))]
struct Document<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    /// The verdict.
    verdict: Verdict,
    /// The logs that were read, followed by those that could not be read.
    inputs: Vec<InputObject<'r>>,
    /// The boots in the logs.
    boots: Vec<BootObject<'r>>,
    /// The GPUs, once per boot.
    devices: Vec<DeviceObject<'r>>,
    /// The failures, in order of time.
    incidents: Vec<IncidentObject<'r>>,
    /// Notices that are worth knowing but are not failures.
    notices: Vec<NoticeObject<'r>>,
    /// All recognized events; empty without --events.
    events: Vec<EventObject<'r>>,
    /// Ids of signatures that could not be evaluated because an incident has too many events.
    not_evaluated: Vec<&'r str>,
    /// Driver lines without a known meaning, by shape; present only with --unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<Vec<UnknownObject<'r>>>,
    /// The numbers of entries outside the selected part of the log; present only if a part was
    /// selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// What every document begins with, and the last line of a list.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Head<'r> {
    /// The version of this schema; it changes only if programs that read it have to change.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    schema_version: u32,
    /// The program that wrote it.
    tool: Tool<'r>,
}

impl<'r> Head<'r> {
    /// Of this program; `patterns` is the digest of the patterns.
    pub(super) const fn new(patterns: &'r str) -> Self {
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        Self { schema_version: SCHEMA_VERSION, tool: Tool { name, version, patterns } }
    }
}

/// The program that wrote it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Tool<'r> {
    /// The name.
    name: &'static str,
    /// The version.
    version: &'static str,
    /// The SHA-256 digest of the patterns, in hexadecimal.
    patterns: &'r str,
}

fn document(report: &Report, include: Include) -> Document<'_> {
    Document {
        head: Head::new(&report.patterns),
        verdict: report.verdict(),
        inputs: inputs(report).collect(),
        boots: boots(report).collect(),
        devices: devices(report).collect(),
        incidents: incidents(report).collect(),
        notices: notices(report).collect(),
        events: if include.events { events(report).collect() } else { Vec::new() },
        not_evaluated: not_evaluated(report).collect(),
        unknown: include.unknown.then(|| unknown::objects(report).collect()),
        left_out: report.left_out(),
    }
}

/// The indices of the input and of its first boot.
#[derive(Clone, Copy)]
struct Base {
    input: usize,
    boot: usize,
}

fn bases(report: &Report) -> impl Iterator<Item = (Base, &ReportPart)> {
    report.parts.iter().enumerate().scan(0, |boot, (input, part)| {
        let base = Base { input, boot: *boot };
        *boot += part.log.boots.len();
        Some((base, part))
    })
}

fn inputs(report: &Report) -> impl Iterator<Item = InputObject<'_>> {
    // Other objects refer to inputs by index, so unread ones come last.
    report.parts.iter().map(input).chain(report.unread.iter().map(unread))
}

fn boots(report: &Report) -> impl Iterator<Item = BootObject<'_>> {
    bases(report).flat_map(|(base, part)| {
        part.boots().map(move |(index, known)| boot(part, known, index, &base))
    })
}

fn devices(report: &Report) -> impl Iterator<Item = DeviceObject<'_>> {
    bases(report).flat_map(|(base, part)| part.devices().map(move |known| device(known, &base)))
}

fn incidents(report: &Report) -> impl Iterator<Item = IncidentObject<'_>> {
    let findings = bases(report).flat_map(|(base, part)| {
        part.conclusions.findings.iter().map(move |one| (base, part, one))
    });
    let numbered = (1..).zip(findings);
    numbered.map(|(id, (base, part, finding))| incident(finding, id, &part.log, &base))
}

fn notices(report: &Report) -> impl Iterator<Item = NoticeObject<'_>> {
    bases(report).flat_map(|(base, part)| {
        part.conclusions.notices.iter().map(move |known| notice(known, &part.log, &base))
    })
}

fn events(report: &Report) -> impl Iterator<Item = EventObject<'_>> {
    bases(report).flat_map(|(base, part)| part.events().map(move |observed| event(observed, &base)))
}

fn not_evaluated(report: &Report) -> impl Iterator<Item = &str> {
    report.parts.iter().flat_map(|part| &part.conclusions.not_evaluated).map(String::as_str)
}
