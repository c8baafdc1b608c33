//! Facts for bug reports, in addition to [`super::Host`]: software, firmware files, displays, and
//! attached texts. `check` does not read them.

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

use super::files::{Files, Refusal};
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

/// What cannot be read from files: the caller's session and options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Whether the files are those of this machine; only then can programs be run.
    pub runs: bool,
    /// The session.
    pub session: Session,
    /// The variables that locate its display.
    pub display: BTreeMap<DisplayVariable, String>,
    /// The id of a process that failed and still runs.
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

/// Facts for a bug report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Distribution, kernel, processor, memory, board.
    pub(crate) system: System,
    /// Packages that concern a GPU.
    pub(crate) packages: Packages,
    /// The ROCm installation, and who may use it.
    pub(crate) rocm: Rocm,
    /// The nodes of the compute driver that are GPUs.
    pub(crate) kfd: Fact<Vec<Node>>,
    /// Details that [`super::Gpu`] does not have, in the same order.
    pub(crate) gpus: Vec<Details>,
    /// Firmware files of the driver.
    pub(crate) firmware_files: FirmwareFiles,
    pub(crate) session: Session,
    /// The requested process.
    pub(crate) failing_process: Option<FailingProcess>,
    /// Texts that are attached unchanged, including those that could not be obtained.
    pub attachments: Vec<Attachment>,
    /// What did not respond in time.
    pub hung: Vec<Unread>,
}

impl About {
    /// Reads the facts from `files`, for the machine that `host` describes.
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
        // Last, because what blocks here blocks forever.
        let timed_out = |unread: &Unread| unread.why == Refusal::TimedOut;
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

/// Reads the variables about GPUs from the environment of process `id`, if it still has the name in
/// the log (which the kernel cuts to 15 bytes): process ids are reused.
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

/// Whether a GPU of this machine hangs, so that nothing should wait for it: tasks already wait, or
/// a file did not respond.
fn hangs(host: &Host) -> bool {
    let driven = host.gpus.as_ref().map_or(true, |gpus| gpus.iter().any(super::Gpu::is_driven));
    let waits = |tasks: &super::Tasks| tasks.waiting.iter().any(|task| task.tie.is_some());
    (driven && host.tasks.as_ref().is_ok_and(waits)) || !host.hung.is_empty()
}
