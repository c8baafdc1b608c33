//! What a bug report says of a machine: as JSON, and as rows of a table. Its texts come from files that
//! anybody may have written.

mod answers;
pub mod json;
mod lacks;
pub mod table;

use crate::host::about::{About, Details};
use crate::host::{Gpu, Host};
use crate::pattern::Patterns;
use crate::pattern::hardware::{Chip, Device};
use crate::value::GfxTarget;

pub(crate) use lacks::{Lack, help};

/// Everything that is known of a machine for a bug report.
#[derive(Clone, Copy, Debug)]
pub struct HostFacts<'f> {
    /// What a check reads, too.
    pub host: &'f Host,
    /// What is told beyond it.
    pub about: &'f About,
    /// What chips are called.
    pub patterns: &'f Patterns,
}

impl<'f> HostFacts<'f> {
    fn gpus(self) -> impl Iterator<Item = (&'f Gpu, &'f Details)> {
        self.host.gpus.iter().flatten().zip(&self.about.gpus)
    }

    fn chip(self, gpu: &Gpu) -> Option<&'f Chip> {
        self.patterns.hardware.chip_by_pci(gpu.id)
    }

    /// What the GPU is sold as.
    fn product(self, gpu: &Gpu) -> Option<String> {
        self.chip(gpu)?.device(gpu.id).and_then(Device::name)
    }

    /// The instruction set: by the compute driver, else by the PCI id.
    fn target(self, gpu: &Gpu) -> Option<GfxTarget> {
        let nodes = self.about.kfd.as_deref().unwrap_or_default();
        let node = nodes.iter().find(|node| node.address == Some(gpu.address));
        node.and_then(|node| node.target).or_else(|| self.chip(gpu).and_then(Chip::target))
    }

    /// What could not be had, and what would help.
    #[must_use]
    pub fn lacks(self) -> Vec<Lack> {
        lacks::of(self)
    }
}
