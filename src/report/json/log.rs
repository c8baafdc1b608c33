//! Inputs, boots and GPUs.

use serde::Serialize;

use super::Base;
use crate::diagnosis::verdict::Verdict;
use crate::event::complaint::Complaint;
use crate::event::device::Device;
use crate::event::log::Boot;
use crate::event::recognise::CutOff;
use crate::input::Compression;
use crate::pattern::distribution::System;
use crate::record::{Hole, LogFormat};
use crate::report::ReportPart;
use crate::report::status::{InputStatus, Unread};
use crate::report::time::Time;

/// One log that was read.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct InputObject<'r> {
    /// The name of the file, or of the source that was read instead of a file; for a file in an
    /// archive, archive and member.
    name: &'r str,
    /// The result of reading it.
    status: InputStatus,
    /// A code for the reason why it could not be read to its end; null if it was.
    error: Option<&'r str>,
    /// The verdict; null, like the counts, if it could not be read.
    verdict: Option<Verdict>,
    /// The host name, from its last line that states one; null if none does.
    host: Option<&'r str>,
    /// The format of most of its lines.
    format: Option<LogFormat>,
    /// The compression; null if it was not compressed.
    compression: Option<Compression>,
    /// The decompressed size in bytes.
    bytes: Option<u64>,
    /// The number of lines.
    lines: Option<u64>,
    /// The number of records.
    records: Option<u64>,
    /// The number of lines that were only searched for key words, because the input is long.
    skimmed_lines: Option<u64>,
    /// The number of lines that are not records.
    skipped_lines: Option<u64>,
    /// The number of bytes omitted from overlong lines.
    skipped_bytes: Option<u64>,
    /// The number of events omitted because of the limit on events.
    dropped_events: Option<u64>,
    /// The number of driver lines without a known meaning.
    unknown_driver_lines: Option<u64>,
    /// The number of lines of radeon, fglrx and gim, other drivers of AMD GPUs, whose failures are
    /// not recognized.
    uncovered_driver_lines: Option<u64>,
    /// The number of error lines of the driver with a known meaning on which no incident and no
    /// notice rests.
    unused_error_lines: Option<usize>,
    /// The number of lines of programs that report a failure of AMD's user-space driver or compute
    /// software and have no known meaning.
    unknown_program_error_lines: Option<u64>,
    /// The first of these lines.
    unknown_program_errors: &'r [Complaint],
    /// The last line of the kernel, if it may be an error of the driver whose end is missing.
    cut_off: Option<&'r CutOff>,
    /// The number of incidents omitted because of the limit on incidents.
    left_out_incidents: Option<usize>,
    /// The gaps: places where lines are missing.
    holes: &'r [Hole],
}

/// One run of a kernel, from its start to its end.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct BootObject<'r> {
    /// The index among the boots of all inputs, from 0.
    index: usize,
    /// The input that contains it, as an index into `inputs`.
    input: usize,
    /// The host name, as in `inputs`.
    host: Option<&'r str>,
    /// The machine id from the journal.
    machine_id: Option<&'r str>,
    /// The boot id of the kernel.
    boot_id: Option<&'r str>,
    /// The kernel release.
    kernel: Option<&'r str>,
    /// The kernel release in the text around the log, if no line of the kernel states it.
    text_kernel: Option<&'r str>,
    /// The distribution whose commands are given, by its name for `--distro`; null if it is not
    /// known.
    distribution: Option<&'r str>,
    /// The kernel command line.
    command_line: Option<&'r str>,
    /// The time of the first record.
    first: Time,
    /// The time of the last record.
    last: Time,
}

/// A GPU in one boot.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct DeviceObject<'r> {
    /// The boot, as the `index` of an entry of `boots`.
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
        uncovered_driver_lines: Some(
            part.log.sightings.uncovered.iter().map(|one| one.lines).sum(),
        ),
        unused_error_lines: Some(part.conclusions.unused_errors.len()),
        unknown_program_error_lines: Some(part.log.complaints.count),
        unknown_program_errors: &part.log.complaints.first,
        cut_off: part.log.cut_off.as_ref(),
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
        unused_error_lines: None,
        unknown_program_error_lines: None,
        unknown_program_errors: &[],
        cut_off: None,
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
        text_kernel: known.told_kernel.as_deref(),
        distribution: known.system.as_ref().map(System::name),
        command_line: known.command_line.as_deref(),
        first: Time::certain(&known.first),
        last: Time::certain(&known.last),
    }
}

pub(super) fn device<'r>(known: &'r Device, base: &Base) -> DeviceObject<'r> {
    DeviceObject { boot: base.boot + known.boot, device: known }
}
