//! A GPU, and how it was identified.

mod learn;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::pattern::hardware::{ChipFacts, Silicon};
use crate::value::{DeviceKind, GfxGeneration, GfxTarget, Named, PciAddress, PciId};

/// How a chip was recognized, most reliable first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChipEvidence {
    /// By the PCI id.
    PciId,
    /// By the code name that the driver prints.
    CodeName,
    /// By a gfx target that a program printed.
    #[serde(rename = "gfx-target")]
    Target,
    /// By a product name that a program printed.
    ProductName,
    /// By the name of a firmware file that the driver requested.
    FirmwareFile,
    /// By the part number of its video BIOS, which for some chips contains the code name.
    VideoBios,
    /// By the name of an IP block, which identifies only a generation.
    IpBlock,
    /// By the name of a driver function, which identifies only a generation.
    DriverFunction,
    /// By the name of a register that the driver printed, which identifies only a generation.
    RegisterName,
}

/// A GPU in one boot. Facts that the log does not state are `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Device {
    /// The boot.
    #[serde(skip)]
    pub(crate) boot: usize,
    /// The PCI address.
    #[serde(rename = "pci_address")]
    pub(crate) address: Option<PciAddress>,
    /// The PCI vendor and device id.
    pub(crate) pci_id: Option<PciId>,
    /// The public name of the chip.
    pub(crate) asic: Option<String>,
    /// The product name, or the names of all products with this PCI id.
    pub(crate) name: Option<String>,
    /// Whether the name is from a program and in none of the hardware tables.
    #[serde(skip)]
    pub(crate) is_named_by_program: bool,
    /// The gfx target (instruction set); null if it is not certain.
    #[serde(rename = "gfx_target")]
    pub(crate) target: Option<GfxTarget>,
    /// The generation of the graphics core.
    #[serde(rename = "gfx_generation")]
    pub(crate) generation: Option<GfxGeneration>,
    /// How the chip or its generation was recognized.
    #[serde(rename = "gfx_evidence")]
    pub(crate) evidence: Option<ChipEvidence>,
    /// Video memory in MiB.
    pub(crate) vram_mib: Option<u64>,
    /// Firmware versions by block, as the driver prints them.
    pub(crate) firmware: BTreeMap<String, String>,
    /// All possible gfx targets; one if it is certain, none if nothing is known.
    #[serde(rename = "gfx_candidates")]
    pub(crate) candidates: Vec<GfxTarget>,
    /// Whether it is a card or part of a processor.
    pub(crate) kind: Option<DeviceKind>,
    /// What the chips that it may be have in common.
    #[serde(skip)]
    pub(crate) facts: ChipFacts,
    /// The kind of video memory: `GDDR6`.
    pub(crate) memory: Option<String>,
    /// Whether it is known from the list of the bus, and no line is of its driver.
    #[serde(skip)]
    pub(crate) is_only_listed: bool,
    /// Whether it is a virtual function (SR-IOV) of a GPU.
    pub(crate) virtual_function: bool,
    /// The first line that reports that the GPU no longer responds, from 1.
    #[serde(rename = "lost_line")]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) lost: Option<u64>,
}

impl Device {
    /// The product name for a sentence.
    #[must_use]
    pub(crate) fn called(&self) -> Option<String> {
        let name = self.name.as_deref()?;
        Some(if self.is_named_by_program { Named(name).to_string() } else { name.to_owned() })
    }

    /// The chip, as the hardware tables need it.
    #[must_use]
    pub(crate) fn silicon(&self) -> Silicon<'_> {
        // A generation may have further chips that are not in the tables; a chip's own list is
        // complete.
        let listed = self.evidence <= Some(ChipEvidence::VideoBios) && !self.candidates.is_empty();
        match (self.target, self.generation) {
            (Some(target), _) => Silicon::from(target),
            (None, Some(_)) if listed => Silicon::OneOf(&self.candidates),
            (None, Some(generation)) => Silicon::from(generation),
            (None, None) => Silicon::default(),
        }
    }
}
