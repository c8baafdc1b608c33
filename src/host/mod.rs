//! Reads facts about a machine from `/proc` and `/sys`; each fact has a value or the reason why it
//! could not be read.
//!
//! Independent of logs. Facts are not judged here but in [`crate::health`]. Because the machine's
//! GPU may hang, [`process`] reads files in a process that can be abandoned.

pub mod about;
mod files;
mod gpu;
mod json;
mod kernel;
mod link;
mod module;
pub mod process;
mod programs;
mod reader;
mod saved;
mod tasks;

use std::time::Duration;

use serde::Serialize;

use crate::pattern::hardware::Hardware;

use reader::Reader;

pub use files::{Answer, Direct, Files, Question, Refusal};
pub(crate) use gpu::{Gpu, Runtime};
pub(crate) use kernel::Kernel;
pub(crate) use link::{Link, Rate};
pub(crate) use module::{Module, Setting};
pub(crate) use programs::DisplayVariable;
pub use programs::{Program, Property, Ran};
pub(crate) use reader::{Fact, Unread};
pub(crate) use saved::{CrashRecords, Dump, Journal, Saved};
pub(crate) use tasks::{Task, Tasks};

/// How often tasks are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Once, for a copy of a machine's files.
    Once,
    /// Again after each pause, while a task waits. A task may be in state D for some milliseconds
    /// in normal operation, so a single look proves little.
    For([Duration; 2]),
}

impl Watch {
    /// For a running machine. If all is well, tasks are read twice; the second pause is for tasks
    /// that did not run during the first.
    pub(crate) const RUNNING: Self =
        Self::For([Duration::from_millis(400), Duration::from_millis(2600)]);
}

/// A machine. Its JSON omits tasks and GPUs, which are members of the document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Host {
    /// The running kernel.
    #[serde(flatten)]
    pub(crate) kernel: Kernel,
    /// The tasks, and those in state D.
    #[serde(skip)]
    pub(crate) tasks: Fact<Tasks>,
    /// The AMD GPUs.
    #[serde(skip)]
    pub(crate) gpus: Fact<Vec<Gpu>>,
    /// The amdgpu module and its parameters.
    #[serde(rename = "driver")]
    pub(crate) module: Module,
    /// Saved data about failures.
    #[serde(flatten)]
    pub(crate) saved: Saved,
    /// Paths that did not respond in time.
    #[serde(skip)]
    pub(crate) hung: Vec<Unread>,
    /// How often the tasks were read.
    #[serde(skip)]
    pub(crate) watch: Watch,
}

/// Reads only the kernel and the distribution.
pub(crate) fn kernel(files: &mut dyn Files) -> Kernel {
    Kernel::read(&mut Reader::new(files))
}

impl Host {
    /// Reads all facts from `files`.
    pub fn read(files: &mut dyn Files, hardware: &Hardware, watch: Watch) -> Self {
        let mut reader = Reader::new(files);
        let kernel = Kernel::read(&mut reader);
        let module = Module::read(&mut reader, &kernel);
        // Short-lived files first.
        let saved = Saved::read(&mut reader);
        let gpus = gpu::read(&mut reader);
        let tasks = Tasks::read(&mut reader, &hardware.names, watch);
        Self { kernel, tasks, gpus, module, saved, hung: reader.hung, watch }
    }
}
