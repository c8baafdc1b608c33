//! Facts about a machine for a bug report: as JSON, and as rows of a table. Their text comes from
//! files that anybody may have written.

mod answers;
pub mod json;
mod lacks;
pub mod table;

use crate::host::about::{About, Details};
use crate::host::{Gpu, Host};
use crate::pattern::Patterns;
use crate::pattern::hardware::{Chip, Device};
use crate::value::GfxTarget;

pub(crate) use lacks::{MissingFact, help};

/// All facts for a bug report.
#[derive(Clone, Copy, Debug)]
pub struct HostFacts<'f> {
    /// The facts that `check` reads.
    pub host: &'f Host,
    /// Additional facts.
    pub about: &'f About,
    /// The patterns, for names of chips.
    pub patterns: &'f Patterns,
}

impl<'f> HostFacts<'f> {
    fn gpus(self) -> impl Iterator<Item = (&'f Gpu, &'f Details)> {
        self.host.gpus.iter().flatten().zip(&self.about.gpus)
    }

    fn chip(self, gpu: &Gpu) -> Option<&'f Chip> {
        self.patterns.hardware.chip_by_pci(gpu.id)
    }

    /// The product name of the GPU.
    fn product(self, gpu: &Gpu) -> Option<String> {
        self.chip(gpu)?.device(gpu.id).and_then(Device::name)
    }

    /// The gfx target: from the compute driver, else from the PCI id.
    fn target(self, gpu: &Gpu) -> Option<GfxTarget> {
        let nodes = self.about.kfd.as_deref().unwrap_or_default();
        let node = nodes.iter().find(|node| node.address == Some(gpu.address));
        node.and_then(|node| node.target).or_else(|| self.chip(gpu).and_then(Chip::target))
    }

    /// The missing facts.
    #[must_use]
    pub fn lacks(self) -> Vec<MissingFact> {
        lacks::of(self)
    }
}
