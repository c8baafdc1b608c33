//! A GPU, and how it is known which one it is.

use std::collections::BTreeMap;

use crate::pattern::hardware::Silicon;
use crate::value::{DeviceKind, GfxGeneration, GfxTarget, PciAddress, PciId};

/// How a chip was recognised, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChipEvidence {
    /// By its PCI id.
    PciId,
    /// By the driver's code name.
    CodeName,
    /// By a gfx target that a program printed.
    Target,
    /// By a product name that a program printed.
    ProductName,
    /// By the name of a firmware file that the driver asked for.
    FirmwareFile,
    /// By the name of an IP block: a generation, no chip.
    IpBlock,
    /// By the name of a driver function: a generation, no chip.
    DriverFunction,
    /// By the name of a register that the driver printed: a generation, no chip.
    RegisterName,
}

impl ChipEvidence {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PciId => "pci-id",
            Self::CodeName => "code-name",
            Self::Target => "gfx-target",
            Self::ProductName => "product-name",
            Self::FirmwareFile => "firmware-file",
            Self::IpBlock => "ip-block",
            Self::DriverFunction => "driver-function",
            Self::RegisterName => "register-name",
        }
    }
}

/// A GPU in one boot. `None` wherever the log does not tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Device {
    /// The boot.
    pub boot: usize,
    /// Where it sits.
    pub address: Option<PciAddress>,
    /// Its PCI id.
    pub pci_id: Option<PciId>,
    /// The silicon's public name.
    pub asic: Option<String>,
    /// The product, or the products that share the PCI id.
    pub name: Option<String>,
    /// The gfx target.
    pub target: Option<GfxTarget>,
    /// The targets that it may have; only the one where that is known, none where nothing is.
    pub candidates: Vec<GfxTarget>,
    /// The generation of its graphics core.
    pub generation: Option<GfxGeneration>,
    /// How that is known.
    pub evidence: Option<ChipEvidence>,
    /// Card or part of a processor.
    pub kind: Option<DeviceKind>,
    /// Video memory.
    pub vram_mib: Option<u64>,
    /// The kind of video memory: `GDDR6`.
    pub memory: Option<String>,
    /// Firmware versions by block, as printed.
    pub firmware: BTreeMap<String, String>,
    /// Whether it is a part of a GPU that a virtual machine was given.
    pub virtual_function: bool,
    /// The line that first says that it does not answer any more.
    pub lost: Option<u64>,
}

impl Device {
    /// What the hardware tables want to know of the chip.
    #[must_use]
    pub fn silicon(&self) -> Silicon<'_> {
        // A generation may have chips that nobody here knows yet; a chip's own list is complete.
        let listed =
            self.evidence <= Some(ChipEvidence::FirmwareFile) && !self.candidates.is_empty();
        match (self.target, self.generation) {
            (Some(target), _) => Silicon::from(target),
            (None, Some(_)) if listed => Silicon::OneOf(&self.candidates),
            (None, Some(generation)) => Silicon::from(generation),
            (None, None) => Silicon::default(),
        }
    }
}
