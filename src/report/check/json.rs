//! The result of `check` as one JSON document: `null` for unknown values.

use std::io;

use serde::Serialize;

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

/// How a machine is: what is wrong, what it has, and what could not be judged.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Check"))]
pub(in crate::report) struct CheckDocument<'c> {
    #[serde(flatten)]
    head: Head<'c>,
    /// The answer in one word.
    verdict: MachineVerdict,
    /// The answer in a sentence.
    answer: String,
    /// The machine.
    host: &'c Host,
    /// Its GPUs of AMD; null where they could not be read.
    gpus: Option<Vec<GpuObject<'c>>>,
    /// Its tasks; null where they could not be read.
    tasks: Option<&'c Tasks>,
    /// What was found, the worst first.
    findings: &'c [MachineFinding],
    /// What the kernel's log of this boot says; null where it was not read.
    log: Option<LogObject>,
    /// What could not be judged.
    not_judged: Vec<NotJudged>,
    /// Paths whose reading did not end, and those that were not tried for that reason.
    unread: &'c [Unread],
}

/// A GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GpuObject<'c> {
    /// Where it sits.
    pci_address: PciAddress,
    /// What it is.
    pci_id: PciId,
    /// The board, as its maker numbers it.
    board: Option<&'c PciId>,
    /// The silicon's public name.
    asic: Option<&'c str>,
    /// What it is sold as.
    name: Option<String>,
    /// Its instruction set.
    gfx_target: Option<GfxTarget>,
    #[serde(flatten)]
    rest: &'c Gpu,
}

/// What the kernel's log says.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LogObject {
    /// What it is called.
    name: String,
    /// Its verdict.
    verdict: Verdict,
    /// What it says, in a sentence.
    answer: String,
    /// How many failures it has.
    incidents: usize,
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

fn log(checkup: &Checkup<'_>) -> Option<LogObject> {
    let LogAnswer::Read { part, .. } = &checkup.log else { return None };
    Some(LogObject {
        name: part.name.clone(),
        verdict: part.verdict(),
        answer: checkup.log_answer()?,
        incidents: part.conclusions.findings.len() + part.conclusions.left_out,
    })
}
