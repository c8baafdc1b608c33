//! What a bug report says of a machine beyond what [`super::Host`] has: software, firmware files, what
//! is connected, and texts that are attached as they are. `check` pays for none of it.

mod attachments;
mod connector;
mod details;
mod environment;
mod firmware;
mod kfd;
mod packages;
mod private;
mod rocm;
mod system;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::pattern::Patterns;

use super::files::{Files, Why};
use super::programs::DisplayVariable;
use super::reader::{Reader, Unread};
use super::{Fact, Host};

pub(crate) use attachments::Attachment;
pub use attachments::{Help, debug_files};
pub(crate) use connector::Connector;
pub(crate) use details::Details;
pub(crate) use environment::FailingProcess;
pub(crate) use firmware::FirmwareFiles;
pub(crate) use kfd::Node;
pub(crate) use packages::{Package, Packages};
pub use private::{Private, PrivateKind};
pub(crate) use rocm::Rocm;
pub(crate) use system::System;

/// What no file tells: what whoever asks knows of the session, and what is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Whether the files are those of the machine that this runs on. Only there programs can be run.
    pub runs: bool,
    /// The session.
    pub session: Session,
    /// Where its display is.
    pub display: BTreeMap<DisplayVariable, String>,
    /// The number of a process that failed and still runs.
    pub process: Option<u32>,
}

/// The session that amdtriage is called from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Session {
    /// `XDG_SESSION_TYPE`: `wayland`, `x11`, `tty`.
    pub kind: Option<String>,
    /// `XDG_CURRENT_DESKTOP`: `GNOME`, `KDE`, `sway`.
    pub desktop: Option<String>,
}

/// What a bug report says of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Distribution, kernel, processor, memory, board.
    pub(crate) system: System,
    /// Packages that concern a GPU.
    pub(crate) packages: Packages,
    /// The compute stack, and who may use it.
    pub(crate) rocm: Rocm,
    /// The nodes of the compute driver that are GPUs.
    pub(crate) kfd: Fact<Vec<Node>>,
    /// What [`super::Gpu`] lacks, in the same order.
    pub(crate) gpus: Vec<Details>,
    /// Files that the driver loads into a GPU.
    pub(crate) firmware_files: FirmwareFiles,
    pub(crate) session: Session,
    /// The process that was asked for.
    pub(crate) failing_process: Option<FailingProcess>,
    /// Texts that are attached as they are, also those that could not be had.
    pub attachments: Vec<Attachment>,
    /// What did not answer in time.
    pub hung: Vec<Unread>,
}

impl About {
    /// Reads what `files` say of the machine that `host` has been read of.
    pub fn read(files: &mut dyn Files, host: &Host, patterns: &Patterns, asked: &Asked) -> Self {
        let mut reader = Reader::new(files);
        let reader = &mut reader;
        let collected = &patterns.machines.collected;
        let gpus = host.gpus.as_deref().unwrap_or_default();
        let system = System::read(reader, host, &patterns.machines.taints);
        let packages = Packages::read(reader, collected, asked.runs);
        let failing_process =
            asked.process.map(|process| FailingProcess::read(reader, collected, process));
        let details: Vec<Details> = gpus.iter().map(|gpu| Details::read(reader, gpu)).collect();
        let kfd = kfd::read(reader);
        let rocm = Rocm::read(reader);
        let firmware_files = FirmwareFiles::read(reader, host, &patterns.hardware, &details);
        // Last, because what hangs here hangs for good.
        let timed_out = |unread: &Unread| unread.why == Why::TimedOut;
        let hangs = hangs(host) || reader.hung.iter().any(timed_out);
        let attachments = attachments::read(reader, host, &details, asked, hangs);
        Self {
            system,
            packages,
            rocm,
            kfd,
            gpus: details,
            firmware_files,
            session: asked.session.clone(),
            failing_process,
            attachments,
            hung: std::mem::take(&mut reader.hung),
        }
    }
}

/// Reads of process `id` what its environment says of the GPU, if it still runs under the name that a log
/// has, which the kernel cuts to 15 bytes: numbers are given again.
pub(crate) fn failing_process(
    files: &mut dyn Files,
    patterns: &Patterns,
    id: u32,
    name: &str,
) -> Option<FailingProcess> {
    let mut reader = Reader::new(files);
    let found = FailingProcess::read(&mut reader, &patterns.machines.collected, id);
    let same = found.name.as_deref().is_ok_and(|found| found == name);
    same.then_some(found)
}

/// Whether nobody should wait for a GPU of this machine: tasks do already, or a file did not answer.
fn hangs(host: &Host) -> bool {
    let driven = host.gpus.as_ref().map_or(true, |gpus| gpus.iter().any(super::Gpu::is_driven));
    let waits = |tasks: &super::Tasks| tasks.waiting.iter().any(|task| task.tie.is_some());
    (driven && host.tasks.as_ref().is_ok_and(waits)) || !host.hung.is_empty()
}
