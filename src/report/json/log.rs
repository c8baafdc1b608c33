//! Inputs, boots and GPUs.

use serde::Serialize;

use super::Base;
use crate::diagnosis::verdict::Verdict;
use crate::event::device::Device;
use crate::event::log::Boot;
use crate::input::Compression;
use crate::record::{Form, Hole};
use crate::report::ReportPart;
use crate::report::status::{InputStatus, Unread};
use crate::report::time::Time;

/// One log that was read.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct InputObject<'r> {
    /// The file as it was named, or what was read instead of one; a file in an archive behind it.
    name: &'r str,
    /// What became of it.
    status: InputStatus,
    /// Why it could not be read, or not to its end, in a word; null where it was.
    error: Option<&'r str>,
    /// The answer in one word; null where it could not be read, and so are the counts.
    verdict: Option<Verdict>,
    /// The machine that wrote it, by the name that its lines give last; null where they give none.
    host: Option<&'r str>,
    /// The form in which most of its lines come.
    format: Option<Form>,
    /// How it was packed; null where it was not.
    compression: Option<Compression>,
    /// Its length in bytes, unpacked.
    bytes: Option<u64>,
    /// How many lines it has.
    lines: Option<u64>,
    /// How many records were read of them.
    records: Option<u64>,
    /// How many of the lines were only looked through for certain words, since the input is long.
    skimmed_lines: Option<u64>,
    /// How many lines are no records.
    skipped_lines: Option<u64>,
    /// How many bytes were left out of lines that cannot be read whole.
    skipped_bytes: Option<u64>,
    /// How many events were left out because the log has more than are kept.
    dropped_events: Option<u64>,
    /// How many lines of the driver have no known meaning.
    unknown_driver_lines: Option<u64>,
    /// How many lines are of radeon, the driver of older AMD GPUs, whose failures are not recognized.
    uncovered_driver_lines: Option<u64>,
    /// How many incidents were left out because the log has more than anybody reads.
    left_out_incidents: Option<usize>,
    /// Where lines are missing.
    holes: &'r [Hole],
}

/// One run of a kernel.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct BootObject<'r> {
    /// Its number among the boots of all inputs, counted from 0.
    index: usize,
    /// The input that it is in, as an index into `inputs`.
    input: usize,
    /// The machine, as `inputs` names it.
    host: Option<&'r str>,
    /// The machine's id in the journal.
    machine_id: Option<&'r str>,
    /// The kernel's id of this boot.
    boot_id: Option<&'r str>,
    /// The kernel's release.
    kernel: Option<&'r str>,
    /// The kernel's command line.
    command_line: Option<&'r str>,
    /// The time of its first record.
    first: Time,
    /// The time of its last record.
    last: Time,
}

/// A GPU in one boot.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct DeviceObject<'r> {
    /// The boot: the `index` of one of `boots`.
    boot: usize,
    #[serde(flatten)]
    device: &'r Device,
}

pub(super) fn input(part: &ReportPart) -> InputObject<'_> {
    let reading = &part.log.reading;
    InputObject {
        name: &part.name,
        status: InputStatus::of(part),
        error: part.trouble.as_deref(),
        verdict: Some(part.verdict()),
        host: reading.host.as_deref(),
        format: Some(reading.form),
        compression: part.compression,
        bytes: Some(reading.bytes),
        lines: Some(reading.lines),
        records: Some(reading.records),
        skimmed_lines: Some(reading.skimmed),
        skipped_lines: Some(reading.skipped_lines()),
        skipped_bytes: Some(reading.skipped.bytes),
        dropped_events: Some(part.log.dropped_events),
        unknown_driver_lines: Some(part.log.unknown_driver_lines),
        uncovered_driver_lines: Some(part.log.uncovered),
        left_out_incidents: Some(part.conclusions.left_out),
        holes: &reading.holes,
    }
}

/// An input that could not be read.
pub(super) fn unread(input: &Unread) -> InputObject<'_> {
    InputObject {
        name: &input.name,
        status: input.status,
        error: Some(&input.error),
        verdict: (input.status == InputStatus::NoKernelLog).then_some(Verdict::NoKernelLog),
        host: None,
        format: None,
        compression: None,
        bytes: None,
        lines: None,
        records: None,
        skimmed_lines: None,
        skipped_lines: None,
        skipped_bytes: None,
        dropped_events: None,
        unknown_driver_lines: None,
        uncovered_driver_lines: None,
        left_out_incidents: None,
        holes: &[],
    }
}

pub(super) fn boot<'r>(
    part: &'r ReportPart,
    known: &'r Boot,
    index: usize,
    base: &Base,
) -> BootObject<'r> {
    let reading = &part.log.reading;
    BootObject {
        index: base.boot + index,
        input: base.input,
        host: reading.host.as_deref(),
        machine_id: reading.machine_id.as_deref(),
        boot_id: known.boot_id.as_deref(),
        kernel: known.kernel.as_deref(),
        command_line: known.command_line.as_deref(),
        first: Time::certain(&known.first),
        last: Time::certain(&known.last),
    }
}

pub(super) fn device<'r>(known: &'r Device, base: &Base) -> DeviceObject<'r> {
    DeviceObject { boot: base.boot + known.boot, device: known }
}
