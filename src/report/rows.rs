//! Flat rows for fleet tools: a row for each log, and one for each incident in it.
//!
//! All rows have the same columns with the same types, so that DuckDB, Polars and Spark can read
//! them without a schema; the first row, `types`, is for those that only look at the first rows. Long texts that
//! depend only on the signature are not included: `patterns list` has them, by the signature's id.

mod types;

use std::io;

use serde::Serialize;

#[cfg(test)]
pub(crate) use types::schema as schema_of_types;
pub(crate) use types::write_types;

use super::ReportPart;
use super::json::line;
use super::status::InputStatus;
use super::time::{Time, Zone};
use crate::diagnosis::Finding;
use crate::diagnosis::verdict::Verdict;
use crate::document::counts::joined;
use crate::event::Observed;
use crate::event::device::Device;
use crate::input::Compression;
use crate::pattern::signature::{Cause, Certainty, Role, Severity};
use crate::record::{LogFormat, Stamp};
use crate::value::{GfxTarget, Outcome, PciAddress, PciId, words};

words! {
    /// The subject of a row.
    pub(crate) RowKind {
        /// A log.
        Log,
        /// A failure in a log.
        Incident,
    }
}

/// The columnar format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
pub(crate) enum Encoding {
    Parquet,
    Arrow,
}

/// A row. Values that do not apply to its kind, or that the log does not contain, are null.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Row<'r> {
    /// The subject of the row.
    #[allow(clippy::struct_field_names, reason = "it is the name of the column")]
    row: RowKind,
    /// The log, by the name that was given.
    key: &'r str,
    /// The result of reading the log. Only for logs.
    status: Option<InputStatus>,
    /// A code for the reason why it could not be read to its end. Only for logs.
    error: Option<&'r str>,
    /// The verdict. Only for logs.
    verdict: Option<Verdict>,
    /// The host name, from the last line that states one.
    host: Option<&'r str>,
    /// The machine id from the journal.
    machine_id: Option<&'r str>,
    /// The boot id; for a log, that of its last boot.
    boot_id: Option<&'r str>,
    /// The kernel release; for a log, that of the last boot that states it.
    kernel: Option<&'r str>,
    /// The format of most of its lines. Only for logs.
    format: Option<LogFormat>,
    /// The compression. Only for logs.
    compression: Option<Compression>,
    /// The decompressed size of the file in bytes, also of its other machines. Only for logs.
    bytes: Option<u64>,
    /// The number of lines of the file, also of its other machines. Only for logs.
    lines: Option<u64>,
    /// The number of records. Only for logs.
    records: Option<u64>,
    /// The number of boots. Only for logs.
    boots: Option<u64>,
    /// The number of incidents, which is the number of rows that follow. Only for logs.
    incidents: Option<u64>,
    /// The number of the incident in its log, from 1. Only for incidents, like all following
    /// columns except the last two.
    #[cfg_attr(test, schemars(range(min = 1)))]
    incident: Option<u64>,
    /// The severity of the worst diagnosis.
    severity: Option<Severity>,
    /// The GPU that failed first.
    device: Option<PciAddress>,
    /// The PCI vendor and device id.
    pci_id: Option<PciId>,
    /// The gfx target (instruction set), if it is certain.
    gfx_target: Option<GfxTarget>,
    /// The product name, or the names of all products with this PCI id.
    device_name: Option<&'r str>,
    /// Firmware versions as printed: `block=version`, separated by blanks.
    firmware: Option<String>,
    /// The id of the root cause's signature.
    diagnosis: Option<&'r str>,
    /// The title.
    title: Option<&'r str>,
    /// Its role.
    role: Option<Role>,
    /// The certainty.
    certainty: Option<Certainty>,
    /// Whether the cause is known.
    cause: Option<Cause>,
    /// Whether the diagnosis only repeats the meaning of a line.
    fallback: Option<bool>,
    /// The outcome of the incident.
    outcome: Option<Outcome>,
    /// Identifies the same bug in other logs.
    fingerprint: Option<&'r str>,
    /// The process whose work failed first; not necessarily at fault.
    process: Option<&'r str>,
    /// The process id.
    pid: Option<u32>,
    /// The start in UTC; null if the log does not print both date and zone.
    #[cfg_attr(test, schemars(extend("format" = "date-time")))]
    time_utc: Option<String>,
    /// The start in microseconds since the start of the kernel.
    monotonic_us: Option<i64>,
    /// The number of its first line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    first_line: Option<u64>,
    /// The number of its last line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    last_line: Option<u64>,
    /// The text of its first line, without time and sender.
    first_text: Option<&'r str>,
    /// The version of the program. For all rows.
    version: &'static str,
    /// The SHA-256 digest of the patterns, in hexadecimal. For all rows.
    patterns: &'r str,
}

impl<'r> Row<'r> {
    /// A row without optional values.
    const fn new(row: RowKind, key: &'r str, patterns: &'r str) -> Self {
        Self {
            row,
            key,
            status: None,
            error: None,
            verdict: None,
            host: None,
            machine_id: None,
            boot_id: None,
            kernel: None,
            format: None,
            compression: None,
            bytes: None,
            lines: None,
            records: None,
            boots: None,
            incidents: None,
            incident: None,
            severity: None,
            device: None,
            pci_id: None,
            gfx_target: None,
            device_name: None,
            firmware: None,
            diagnosis: None,
            title: None,
            role: None,
            certainty: None,
            cause: None,
            fallback: None,
            outcome: None,
            fingerprint: None,
            process: None,
            pid: None,
            time_utc: None,
            monotonic_us: None,
            first_line: None,
            last_line: None,
            first_text: None,
            version: env!("CARGO_PKG_VERSION"),
            patterns,
        }
    }

    /// The row of a log that could not be read.
    pub(crate) fn unread(
        key: &'r str,
        status: InputStatus,
        error: &'r str,
        patterns: &'r str,
    ) -> Self {
        let verdict = (status == InputStatus::NoKernelLog).then_some(Verdict::NoKernelLog);
        let (status, error) = (Some(status), Some(error));
        Self { status, error, verdict, ..Self::new(RowKind::Log, key, patterns) }
    }

    /// The row of a log that was read.
    fn of_log(key: &'r str, part: &'r ReportPart, patterns: &'r str) -> Self {
        let reading = &part.log.reading;
        let boots = || part.log.boots.iter().rev();
        Self {
            status: Some(InputStatus::of(part)),
            error: part.trouble.as_deref(),
            verdict: Some(part.verdict()),
            host: reading.host.as_deref(),
            machine_id: reading.machine_id.as_deref(),
            boot_id: boots().next().and_then(|boot| boot.boot_id.as_deref()),
            kernel: boots().find_map(|boot| boot.kernel.as_deref()),
            format: Some(reading.form),
            compression: part.compression,
            bytes: Some(reading.bytes),
            lines: Some(reading.lines),
            records: Some(reading.records),
            boots: Some(part.log.boots.len() as u64),
            incidents: Some(part.conclusions.findings.len() as u64),
            ..Self::new(RowKind::Log, key, patterns)
        }
    }

    /// The row of an incident.
    fn of_incident(
        key: &'r str,
        number: usize,
        finding: &'r Finding,
        part: &'r ReportPart,
        patterns: &'r str,
    ) -> Self {
        let (log, incident) = (&part.log, &finding.incident);
        let boot = log.boots.get(incident.boot);
        let events = || incident.events.iter().filter_map(|at| log.events.get(*at));
        let first = events().next();
        let is_it = |device: &&Device| {
            device.boot == incident.boot
                && device.address.is_some()
                && device.address == incident.device
        };
        let device = log.devices.iter().find(is_it);
        let diagnosis = finding.diagnoses.first();
        let time = first.map(|observed| in_utc(&observed.stamp));
        let lines = (events().map(Observed::line).min(), events().map(Observed::last_line).max());
        Self {
            host: log.reading.host.as_deref(),
            machine_id: log.reading.machine_id.as_deref(),
            boot_id: boot.and_then(|boot| boot.boot_id.as_deref()),
            kernel: boot.and_then(|boot| boot.kernel.as_deref()),
            incident: Some(number as u64),
            severity: Some(finding.severity),
            device: incident.device,
            pci_id: device.and_then(|device| device.pci_id),
            gfx_target: device.and_then(|device| device.target),
            device_name: device.and_then(|device| device.name.as_deref()),
            firmware: device.and_then(firmware),
            diagnosis: diagnosis.map(|known| known.id.as_str()),
            title: diagnosis.map(|known| known.title.as_str()),
            role: diagnosis.map(|known| known.role),
            certainty: diagnosis.map(|known| known.certainty),
            cause: diagnosis.map(|known| known.cause.cause),
            fallback: diagnosis.map(|known| known.fallback),
            outcome: Some(incident.outcome),
            fingerprint: Some(&finding.fingerprint),
            process: finding.owner.as_ref().map(|owner| owner.name.as_str()),
            pid: finding.owner.as_ref().and_then(|owner| owner.pid),
            monotonic_us: time.as_ref().and_then(|time| time.monotonic_us),
            time_utc: time.and_then(|time| time.wall),
            first_line: lines.0,
            last_line: lines.1,
            first_text: first.map(|observed| observed.text.as_ref()),
            ..Self::new(RowKind::Incident, key, patterns)
        }
    }

    /// The rows of a log that was read.
    pub(crate) fn of(
        key: &'r str,
        part: &'r ReportPart,
        patterns: &'r str,
    ) -> impl Iterator<Item = Self> {
        let findings = part.conclusions.findings.iter().zip(1..);
        let incidents = findings
            .map(move |(finding, number)| Self::of_incident(key, number, finding, part, patterns));
        std::iter::once(Self::of_log(key, part, patterns)).chain(incidents)
    }

    /// Writes it as an object on one line.
    pub(crate) fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        line(self, out)
    }
}

fn in_utc(stamp: &Stamp) -> Time {
    let wall = stamp.wall.map(|wall| Zone::Utc.of(wall));
    Time::certain(&Stamp { wall, ..*stamp })
}

/// The firmware of a GPU; `None` if the log names none.
fn firmware(device: &Device) -> Option<String> {
    let known = device.firmware.iter().map(|(block, version)| format!("{block}={version}"));
    Some(joined(known, " ")).filter(|text| !text.is_empty())
}
