//! Which GPUs a log shows, and what it proves about each.

use std::collections::BTreeMap;

use super::Observed;
use super::envelope::generation_of;
use super::kinds::{Event, GpuName};
use crate::pattern::hardware::{Chip, Hardware, Silicon};
use crate::value::{DeviceKind, GfxGeneration, GfxTarget, PciAddress, PciId};

/// What lines say of GPUs besides their events.
#[derive(Debug, Default)]
pub struct Facts {
    seen: BTreeMap<PciAddress, Vec<u64>>,
    functions: Vec<(u64, Option<PciAddress>, GfxGeneration)>,
}

impl Facts {
    /// The driver printed record number `sequence` about `device`.
    pub fn see(&mut self, sequence: u64, device: Option<PciAddress>) {
        if let Some(device) = device {
            self.seen.entry(device).or_default().push(sequence);
        }
    }

    /// Whether the driver printed something about `device`.
    #[must_use]
    pub fn knows(&self, device: PciAddress) -> bool {
        self.seen.contains_key(&device)
    }

    /// A function of this generation printed record number `sequence`.
    pub fn learn(&mut self, sequence: u64, device: Option<PciAddress>, generation: GfxGeneration) {
        let new = (device, generation);
        if self.functions.last().is_none_or(|last| (last.1, last.2) != new) {
            self.functions.push((sequence, device, generation));
        }
    }

    /// The GPUs that the driver names in each boot.
    #[must_use]
    pub fn by_boot(&self, boot_of: impl Fn(u64) -> usize) -> BTreeMap<usize, Vec<PciAddress>> {
        let mut found: BTreeMap<usize, Vec<PciAddress>> = BTreeMap::new();
        for (address, sequences) in &self.seen {
            for sequence in sequences {
                let devices = found.entry(boot_of(*sequence)).or_default();
                if devices.last() != Some(address) {
                    devices.push(*address);
                }
            }
        }
        found
    }
}

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
    /// By the name of an IP block: a generation, no chip.
    IpBlock,
    /// By the name of a driver function: a generation, no chip.
    DriverFunction,
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
            Self::IpBlock => "ip-block",
            Self::DriverFunction => "driver-function",
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
    /// The generation of its graphics core.
    pub generation: Option<GfxGeneration>,
    /// How that is known.
    pub evidence: Option<ChipEvidence>,
    /// Card or part of a processor.
    pub kind: Option<DeviceKind>,
    /// Video memory.
    pub vram_mib: Option<u64>,
    /// Firmware versions by block, as printed.
    pub firmware: BTreeMap<&'static str, String>,
}

impl Device {
    /// What the hardware tables want to know of the chip.
    #[must_use]
    pub fn silicon(&self) -> Silicon<'_> {
        match (self.target, self.generation) {
            (Some(target), _) => Silicon::from(target),
            (None, Some(generation)) => Silicon::from(generation),
            (None, None) => Silicon::default(),
        }
    }

    fn learn_chip(&mut self, chip: &Chip, evidence: ChipEvidence) {
        if self.evidence.is_some_and(|known| known <= evidence) {
            return;
        }
        self.evidence = Some(evidence);
        self.asic = Some(chip.asic.clone());
        self.target = chip.target();
        self.generation = chip.gfx.first().map(|target| target.generation());
        self.kind = Some(chip.kind);
    }

    fn learn_identity(&mut self, hardware: &Hardware, id: Option<PciId>, code_name: Option<&str>) {
        self.pci_id = self.pci_id.or(id);
        if let Some(chip) = id.and_then(|id| hardware.chip_by_pci(id)) {
            self.learn_chip(chip, ChipEvidence::PciId);
            let product = chip.devices.iter().find(|product| Some(product.id) == id);
            self.name = product.and_then(crate::pattern::hardware::Device::name);
        } else if let Some(chip) = code_name.and_then(|name| hardware.chip_by_code_name(name)) {
            self.learn_chip(chip, ChipEvidence::CodeName);
        }
    }

    fn learn_name(&mut self, hardware: &Hardware, named: &GpuName) {
        let code = named.code_name.as_deref().and_then(|name| hardware.chip_by_code_name(name));
        let product = named.name.as_deref().and_then(|name| hardware.chip_by_name(name));
        if let Some(target) = named.target.filter(|_| self.target.is_none()) {
            self.target = Some(target);
            self.generation = Some(target.generation());
            self.evidence = Some(ChipEvidence::Target);
        } else if let Some(chip) = code {
            self.learn_chip(chip, ChipEvidence::CodeName);
        } else if let Some(chip) = product {
            self.learn_chip(chip, ChipEvidence::ProductName);
        }
        self.name = self.name.take().or_else(|| named.name.clone());
    }

    fn learn_generation(&mut self, generation: GfxGeneration, evidence: ChipEvidence) {
        if self.evidence.is_none() {
            self.generation = Some(generation);
            self.evidence = Some(evidence);
        }
    }
}

/// All GPUs of a log, by boot and address.
#[derive(Debug)]
pub struct Census<'h> {
    hardware: &'h Hardware,
    devices: BTreeMap<(usize, Option<PciAddress>), Device>,
}

impl<'h> Census<'h> {
    /// The GPUs that the driver names in each boot; nothing else is known of them yet.
    #[must_use]
    pub fn new(hardware: &'h Hardware, by_boot: &BTreeMap<usize, Vec<PciAddress>>) -> Self {
        let mut census = Self { hardware, devices: BTreeMap::new() };
        for (boot, addresses) in by_boot {
            for address in addresses {
                census.device(*boot, Some(*address));
            }
        }
        census
    }

    /// The one GPU of a boot; `None` where there are several or none.
    #[must_use]
    pub fn only(&self, boot: usize) -> Option<PciAddress> {
        let mut devices = self.devices.range((boot, None)..(boot + 1, None));
        let (_, only) = devices.next()?;
        devices.next().is_none().then_some(only.address)?
    }

    /// Learns what an event says.
    pub fn learn(&mut self, observed: &Observed) {
        let hardware = self.hardware;
        let Some(device) = self.devices.get_mut(&(observed.boot, observed.device)) else { return };
        match &observed.event {
            Event::GpuIdentity(identity) => {
                let id = pci_id(identity.vendor.map(|v| v.value), identity.device.map(|d| d.value));
                device.learn_identity(hardware, id, identity.chip.as_deref());
            }
            Event::IpBlock(block) => {
                if let Some(generation) = block.name.as_deref().and_then(generation_of) {
                    device.learn_generation(generation, ChipEvidence::IpBlock);
                }
            }
            Event::VramSize(size) => device.vram_mib = device.vram_mib.or(size.mib),
            Event::SmuVersions(versions) => {
                if let Some(version) = versions.fw_version {
                    device.firmware.insert("smu", version.to_string());
                }
            }
            _ => {}
        }
    }

    /// Learns which generations' functions printed something.
    pub fn learn_functions(&mut self, facts: &Facts, boot_of: impl Fn(u64) -> usize) {
        for (sequence, address, generation) in &facts.functions {
            let boot = boot_of(*sequence);
            let address = address.or_else(|| self.only(boot));
            if let Some(device) = self.devices.get_mut(&(boot, address)) {
                device.learn_generation(*generation, ChipEvidence::DriverFunction);
            }
        }
    }

    /// All GPUs, ordered by boot and address.
    #[must_use]
    pub fn finish(self) -> Vec<Device> {
        self.devices.into_values().collect()
    }

    /// A program names a GPU: the one at the address it gives, or the only one there is.
    pub fn learn_name(&mut self, observed: &Observed) {
        let Event::GpuName(named) = &observed.event else { return };
        let boot = observed.boot;
        let address = named.pci_address.or_else(|| self.only(boot));
        // A name without an address, where there are several GPUs, is nobody's.
        if address.is_none() && self.devices.range((boot, None)..(boot + 1, None)).nth(1).is_some()
        {
            return;
        }
        let hardware = self.hardware;
        self.device(boot, address).learn_name(hardware, named);
    }

    fn device(&mut self, boot: usize, address: Option<PciAddress>) -> &mut Device {
        let unknown = || Device { boot, address, ..Device::default() };
        self.devices.entry((boot, address)).or_insert_with(unknown)
    }
}

fn pci_id(vendor: Option<u64>, device: Option<u64>) -> Option<PciId> {
    Some(PciId { vendor: u16::try_from(vendor?).ok()?, device: u16::try_from(device?).ok()? })
}
