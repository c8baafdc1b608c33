//! A machine as `/proc` and `/sys` show it: facts, each read or with the reason why it was not.
//!
//! Knows nothing of logs, and judges nothing; [`crate::health`] does. What is read may belong to a
//! machine whose GPU hangs, so that [`process`] reads it where nobody has to wait for it.

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

pub use files::{Answer, Direct, Files, Question, Why};
pub(crate) use gpu::{Gpu, Runtime};
pub(crate) use kernel::Kernel;
pub(crate) use link::{Link, Rate};
pub(crate) use module::{Module, Setting};
pub(crate) use programs::DisplayVariable;
pub use programs::{Program, Property, Ran};
pub(crate) use reader::{Fact, Unread};
pub(crate) use saved::{CrashRecords, Dump, Journal, Saved};
pub(crate) use tasks::{Task, Tasks};

/// How often tasks are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Once: the files of a machine that does not run.
    Once,
    /// Again after each pause, as long as one of them waits. A task is in state D for some milliseconds
    /// now and then, so that once tells little.
    For([Duration; 2]),
}

impl Watch {
    /// For a machine that runs. A healthy one is looked at twice: the second pause is for those that did
    /// not run during the first.
    pub(crate) const RUNNING: Self =
        Self::For([Duration::from_millis(400), Duration::from_millis(2600)]);
}

/// A machine. Its JSON is the part that is about the machine as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Host {
    /// Its kernel.
    #[serde(flatten)]
    pub(crate) kernel: Kernel,
    /// Its tasks.
    #[serde(skip)]
    pub(crate) tasks: Fact<Tasks>,
    /// Its GPUs of AMD.
    #[serde(skip)]
    pub(crate) gpus: Fact<Vec<Gpu>>,
    /// Its driver.
    #[serde(rename = "driver")]
    pub(crate) module: Module,
    /// What is kept of failures.
    #[serde(flatten)]
    pub(crate) saved: Saved,
    /// What did not answer in time.
    #[serde(skip)]
    pub(crate) hung: Vec<Unread>,
    /// How often tasks were looked at.
    #[serde(skip)]
    pub(crate) watch: Watch,
}

/// The kernel and the distribution of the machine that `files` are of, and nothing else of it.
pub(crate) fn kernel(files: &mut dyn Files) -> Kernel {
    Kernel::read(&mut Reader::new(files))
}

impl Host {
    /// Reads the machine that `files` are of.
    pub fn read(files: &mut dyn Files, hardware: &Hardware, watch: Watch) -> Self {
        let mut reader = Reader::new(files);
        let kernel = Kernel::read(&mut reader);
        let module = Module::read(&mut reader, &kernel);
        // First what vanishes.
        let saved = Saved::read(&mut reader);
        let gpus = gpu::read(&mut reader);
        let tasks = Tasks::read(&mut reader, &hardware.names, watch);
        Self { kernel, tasks, gpus, module, saved, hung: reader.hung, watch }
    }
}
