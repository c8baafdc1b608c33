//! The result of `check` as one JSON document: `null` for unknown values.

use std::io;

use serde::Serialize;

use super::incident::LogIncident;
use super::{Checkup, LogAnswer};
use crate::diagnosis::verdict::Verdict;
use crate::health::{MachineFinding, MachineVerdict, NotJudged};
use crate::host::{Gpu, Host, Tasks, Unread};
use crate::pattern::hardware::Chip;
use crate::report::json::{Head, whole};
use crate::value::{GfxTarget, PciAddress, PciId};

/// Writes the document.
pub(crate) fn write(checkup: &Checkup<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    whole(&document(checkup), out)
}

/// The state of a machine: problems, hardware and software, and what could not be checked.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Check"))]
pub(in crate::report) struct CheckDocument<'c> {
    #[serde(flatten)]
    head: Head<'c>,
    /// The verdict.
    verdict: MachineVerdict,
    /// The result in one sentence.
    answer: String,
    /// The machine.
    host: &'c Host,
    /// The AMD GPUs; null if they could not be read.
    gpus: Option<Vec<GpuObject<'c>>>,
    /// The tasks, and those in state D; null if they could not be read.
    tasks: Option<&'c Tasks>,
    /// The findings, worst first.
    findings: &'c [MachineFinding],
    /// The result for the kernel log of this boot; null if it was not read.
    log: Option<LogObject<'c>>,
    /// What could not be checked.
    not_judged: Vec<NotJudged>,
    /// Paths that did not respond in time, and those that were skipped for that reason.
    unread: &'c [Unread],
}

/// A GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GpuObject<'c> {
    /// The PCI address.
    pci_address: PciAddress,
    /// The PCI vendor and device id.
    pci_id: PciId,
    /// The PCI subsystem id, which identifies the board; null if it could not be read.
    board: Option<&'c PciId>,
    /// The public name of the chip.
    asic: Option<&'c str>,
    /// The product name.
    name: Option<String>,
    /// The gfx target (instruction set).
    gfx_target: Option<GfxTarget>,
    #[serde(flatten)]
    rest: &'c Gpu,
}

/// The result for the kernel log.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LogObject<'c> {
    /// The name of the log.
    name: String,
    /// The verdict on the log.
    verdict: Verdict,
    /// The result in one sentence.
    answer: String,
    /// The number of incidents in it.
    incidents: usize,
    /// The last failure from which a GPU did not recover, else the last failure, else the last
    /// incident; null if there is none.
    incident: Option<LogIncident<'c>>,
}

fn document<'c>(checkup: &'c Checkup<'_>) -> CheckDocument<'c> {
    let host = checkup.host;
    let gpus = host.gpus.as_ref().ok();
    CheckDocument {
        head: Head::new(&checkup.patterns.digest),
        verdict: checkup.verdict(),
        answer: checkup.answer(),
        host,
        gpus: gpus.map(|gpus| gpus.iter().map(|one| gpu(checkup, one)).collect()),
        tasks: host.tasks.as_ref().ok(),
        findings: &checkup.health.findings,
        log: log(checkup),
        not_judged: checkup.not_judged(),
        unread: &host.hung,
    }
}

fn gpu<'c>(checkup: &'c Checkup<'_>, gpu: &'c Gpu) -> GpuObject<'c> {
    let chip = checkup.chip(gpu);
    GpuObject {
        pci_address: gpu.address,
        pci_id: gpu.id,
        board: gpu.board.as_ref().ok(),
        asic: chip.map(|chip| chip.asic.as_str()),
        name: checkup.name(gpu),
        gfx_target: chip.and_then(Chip::target),
        rest: gpu,
    }
}

fn log<'c>(checkup: &'c Checkup<'_>) -> Option<LogObject<'c>> {
    let LogAnswer::Read { part, .. } = &checkup.log else { return None };
    Some(LogObject {
        name: part.name.clone(),
        verdict: part.verdict(),
        answer: checkup.log_answer()?,
        incidents: part.conclusions.findings.len() + part.conclusions.left_out,
        incident: checkup.incident(),
    })
}
