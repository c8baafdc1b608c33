//! Facts about a machine for a bug report as a JSON document: `null` for missing values, whose
//! reasons are in the list of missing facts.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::{HostFacts, MissingFact, help};
use crate::host::Gpu;
use crate::host::about::{
    Attachment, Details, FailingProcess, FirmwareFiles, Node, Packages, Rocm, Session, System,
};
use crate::report::json::{Head, whole};
use crate::value::{GfxTarget, PciAddress, PciId};

/// Writes the document.
///
/// # Errors
/// What the writer returns.
pub fn write(facts: HostFacts<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    whole(&document(facts), out)
}

/// Facts about a machine for a bug report.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "HostFacts"))]
pub(in crate::report) struct HostDocument<'f> {
    #[serde(flatten)]
    head: Head<'f>,
    /// Distribution, kernel, processor, memory, board.
    system: &'f System,
    /// Packages that concern a GPU.
    packages: &'f Packages,
    /// ROCm, and who may use it.
    rocm: &'f Rocm,
    /// The GPU nodes of the compute driver (KFD); null if they could not be read.
    kfd: Option<&'f [Node]>,
    /// The AMD GPUs.
    gpus: Vec<GpuFactsObject<'f>>,
    /// The firmware files of the driver.
    firmware_files: &'f FirmwareFiles,
    /// The session in which the report was created.
    session: &'f Session,
    /// The requested process; null for none.
    failing_process: Option<&'f FailingProcess>,
    /// Files of the bundle with unchanged text.
    attachments: &'f [Attachment],
    /// The facts that could not be obtained.
    not_had: Vec<MissingFactObject>,
}

/// A GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GpuFactsObject<'f> {
    /// The PCI address.
    pci_address: PciAddress,
    /// The PCI vendor and device id.
    pci_id: PciId,
    /// The revision of the chip; null if it could not be read.
    revision: Option<&'f u8>,
    /// The PCI subsystem id, which identifies the board; null if it could not be read.
    board: Option<&'f PciId>,
    /// The product name; null if unknown.
    name: Option<String>,
    /// The public name of the chip; null if unknown.
    asic: Option<&'f str>,
    /// The gfx target (instruction set).
    gfx_target: Option<GfxTarget>,
    /// The driver that it is bound to; null for none.
    driver: Option<&'f str>,
    /// The version of the video BIOS.
    vbios: Option<&'f str>,
    /// The versions of the firmware that the driver loaded, by block, in hexadecimal.
    firmware: Option<BTreeMap<&'f str, String>>,
    #[serde(flatten)]
    details: &'f Details,
}

/// A fact that could not be obtained.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MissingFactObject {
    /// The missing fact, in words.
    what: String,
    /// The file or command that would provide it.
    origin: String,
    /// The reason, in one word.
    why: &'static str,
    /// The reason, in words.
    reason: String,
    /// The command that would make it available; null for none.
    help: Option<String>,
}

pub(in crate::report) fn document(facts: HostFacts<'_>) -> HostDocument<'_> {
    let about = facts.about;
    HostDocument {
        head: Head::new(&facts.patterns.digest),
        system: &about.system,
        packages: &about.packages,
        rocm: &about.rocm,
        kfd: about.kfd.as_deref().ok(),
        gpus: facts.gpus().map(|(one, details)| gpu(facts, one, details)).collect(),
        firmware_files: &about.firmware_files,
        session: &about.session,
        failing_process: about.failing_process.as_ref(),
        attachments: &about.attachments,
        not_had: facts.lacks().into_iter().map(lack).collect(),
    }
}

fn gpu<'f>(facts: HostFacts<'f>, gpu: &'f Gpu, details: &'f Details) -> GpuFactsObject<'f> {
    let firmware = gpu.firmware.as_ref().ok();
    let version =
        |(block, version): (&'f String, &u32)| (block.as_str(), format!("{version:#010x}"));
    GpuFactsObject {
        pci_address: gpu.address,
        pci_id: gpu.id,
        revision: details.revision.as_ref().ok(),
        board: gpu.board.as_ref().ok(),
        name: facts.product(gpu),
        asic: facts.chip(gpu).map(|chip| chip.asic.as_str()),
        gfx_target: facts.target(gpu),
        driver: gpu.driver.as_ref().ok().and_then(Option::as_deref),
        vbios: gpu.vbios.as_deref().ok(),
        firmware: firmware.map(|firmware| firmware.iter().map(version).collect()),
        details,
    }
}

fn lack(lack: MissingFact) -> MissingFactObject {
    let MissingFact { what, origin, why, help: helps } = lack;
    MissingFactObject {
        what,
        origin,
        why: (&why).into(),
        reason: why.to_string(),
        help: helps.map(help),
    }
}
