//! What was read: inputs, boots and GPUs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Base;
use crate::event::device::{ChipEvidence, Device};
use crate::event::log::Boot;
use crate::input::Compression;
use crate::record::Form;
use crate::report::Part;
use crate::report::time::Time;
use crate::report::word::Word;
use crate::value::{DeviceKind, GfxGeneration, GfxTarget, PciAddress, PciId};

/// One log that was read.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct InputObject<'r> {
    /// The file as it was named, or what was read instead of one; a file in an archive behind it.
    name: &'r str,
    /// The form in which most of its lines come.
    format: Word<Form>,
    /// How it was packed; null where it was not.
    compression: Option<Word<Compression>>,
    /// Its length in bytes, unpacked.
    bytes: u64,
    /// How many lines it has.
    lines: u64,
    /// How many records were read of them.
    records: u64,
    /// How many lines are no records.
    skipped_lines: u64,
    /// How many bytes were left out of lines that cannot be read whole.
    skipped_bytes: u64,
    /// How many events were left out because the log has more than are kept.
    dropped_events: u64,
    /// How many lines of the driver have no known meaning.
    unknown_driver_lines: u64,
    /// How many incidents were left out because the log has more than anybody reads.
    left_out_incidents: usize,
    /// Where lines are missing.
    holes: Vec<HoleObject>,
}

/// A place at which lines of the log are missing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HoleObject {
    /// The line that tells of it, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// How many lines are missing; null where the log does not say.
    lost: Option<u64>,
}

/// One run of a kernel.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct BootObject<'r> {
    /// Its number among the boots of all inputs, counted from 0.
    index: usize,
    /// The input that it is in, as an index into `inputs`.
    input: usize,
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
    /// Where it sits.
    pci_address: Option<PciAddress>,
    /// Vendor and device.
    pci_id: Option<PciId>,
    /// The silicon's public name.
    asic: Option<&'r str>,
    /// The product, or the products that share the PCI id.
    name: Option<&'r str>,
    /// Its instruction set; null where that is not known for sure.
    gfx_target: Option<GfxTarget>,
    /// The generation of its graphics core.
    gfx_generation: Option<GfxGeneration>,
    /// By what the chip or its generation was recognised.
    gfx_evidence: Option<Word<ChipEvidence>>,
    /// Video memory in MiB.
    vram_mib: Option<u64>,
    /// Firmware versions by block, as the log prints them.
    firmware: &'r BTreeMap<String, String>,
    /// The targets that it may have: one where that is known, none where nothing is.
    gfx_candidates: Vec<GfxTarget>,
    /// Card or part of a processor.
    kind: Option<DeviceKind>,
    /// The kind of video memory, as the log prints it.
    memory: Option<&'r str>,
    /// Whether it is a part of a GPU that a virtual machine was given.
    virtual_function: bool,
    /// The line that first says that it does not answer any more, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    lost_line: Option<u64>,
}

pub(super) fn input(part: &Part) -> InputObject<'_> {
    let reading = &part.log.reading;
    InputObject {
        name: &part.name,
        format: Word(reading.form),
        compression: part.compression.map(Word),
        bytes: reading.bytes,
        lines: reading.lines,
        records: reading.records,
        skipped_lines: reading.skipped_lines(),
        skipped_bytes: reading.skipped.bytes,
        dropped_events: part.log.dropped_events,
        unknown_driver_lines: part.log.unknown_driver_lines,
        left_out_incidents: part.conclusions.left_out,
        holes: reading
            .holes
            .iter()
            .map(|hole| HoleObject { line: hole.line, lost: hole.lost })
            .collect(),
    }
}

pub(super) fn boot<'r>(known: &'r Boot, index: usize, base: &Base) -> BootObject<'r> {
    BootObject {
        index: base.boot + index,
        input: base.input,
        boot_id: known.boot_id.as_deref(),
        kernel: known.kernel.as_deref(),
        command_line: known.command_line.as_deref(),
        first: Time::certain(&known.first),
        last: Time::certain(&known.last),
    }
}

pub(super) fn device<'r>(known: &'r Device, base: &Base) -> DeviceObject<'r> {
    DeviceObject {
        boot: base.boot + known.boot,
        pci_address: known.address,
        pci_id: known.pci_id,
        asic: known.asic.as_deref(),
        name: known.name.as_deref(),
        gfx_target: known.target,
        gfx_generation: known.generation,
        gfx_evidence: known.evidence.map(Word),
        vram_mib: known.vram_mib,
        firmware: &known.firmware,
        gfx_candidates: known.candidates.clone(),
        kind: known.kind,
        memory: known.memory.as_deref(),
        virtual_function: known.virtual_function,
        lost_line: known.lost,
    }
}
