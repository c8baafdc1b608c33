//! Collects what the lines of a log prove about each GPU.

use std::collections::{BTreeMap, BTreeSet};

use super::Observed;
use super::device::{ChipEvidence, Device};
use super::facts::Facts;
use super::saved_crash;
use crate::kind::{Event, Proof, SavedCrash, Subject};
use crate::pattern::hardware::{Chip, Hardware};
use crate::value::{DeviceKind, GfxGeneration, Hex, PciAddress, PciId};

/// Whether an event without a device in its line is about a GPU.
pub(super) const fn is_about_some_gpu(event: &Event) -> bool {
    match event.columns().subject {
        Subject::Machine | Subject::BusDevice | Subject::PassedDevice | Subject::BusError => false,
        Subject::Gpu
        | Subject::GpuInText
        | Subject::GpuOfProgram
        | Subject::Task
        | Subject::LostDevice
        | Subject::BusRepair => true,
    }
}

/// All GPUs of a log, by boot and address.
#[derive(Debug)]
pub(crate) struct Census<'h> {
    hardware: &'h Hardware,
    devices: BTreeMap<(usize, Option<PciAddress>), Device>,
    /// The AMD display devices that the bus lists.
    listed: BTreeSet<(usize, PciAddress)>,
    /// How often a driver says on which chip of AMD it starts, and not at which address, by boot.
    started: BTreeMap<usize, u32>,
}

impl<'h> Census<'h> {
    /// Starts with the GPUs that the driver names in each boot.
    #[must_use]
    pub(crate) fn new(hardware: &'h Hardware, by_boot: &BTreeMap<usize, Vec<PciAddress>>) -> Self {
        let (devices, listed, started) = Default::default();
        let mut census = Self { hardware, devices, listed, started };
        for (boot, addresses) in by_boot {
            for address in addresses {
                census.device(*boot, Some(*address));
            }
        }
        census
    }

    /// The only GPU of a boot; `None` if there are several or none.
    #[must_use]
    pub(crate) fn only(&self, boot: usize) -> Option<PciAddress> {
        let mut devices = self.devices.range((boot, None)..(boot + 1, None));
        let (_, only) = devices.next()?;
        devices.next().is_none().then_some(only.address)?
    }

    /// Whether the driver names a GPU at `address` in `boot`, or the bus lists one there.
    #[must_use]
    pub(crate) fn knows(&self, boot: usize, address: PciAddress) -> bool {
        self.devices.contains_key(&(boot, Some(address))) || self.lists(boot, address)
    }

    /// The GPUs of a boot that the driver names or the bus lists.
    pub(super) fn addresses(&self, boot: usize) -> impl Iterator<Item = PciAddress> {
        let named = self.devices.range((boot, None)..(boot + 1, None));
        let listed = self.listed.iter().filter(move |(of, _)| *of == boot);
        named.filter_map(|((_, address), _)| *address).chain(listed.map(|(_, address)| *address))
    }

    /// Whether the bus lists an AMD GPU at `address` in `boot`.
    fn lists(&self, boot: usize, address: PciAddress) -> bool {
        self.listed.contains(&(boot, address))
    }

    /// Learns which devices the bus lists.
    pub(crate) fn learn_listed(&mut self, observed: &Observed) {
        if let (Event::PciDevice(_), Some(address)) = (&observed.event, observed.printed) {
            self.listed.insert((observed.boot, address));
        }
        if let Event::GpuIdentity(gpu) = &observed.event {
            let value = |hex: &Option<Hex>| hex.map(|hex| hex.value);
            let id = pci_id(value(&gpu.vendor), value(&gpu.device));
            if id.is_some_and(|id| self.hardware.chip_by_pci(id).is_some()) {
                *self.started.entry(observed.boot).or_default() += 1;
            }
        }
    }

    /// Whether no GPU is known but those that the bus lists.
    #[must_use]
    pub(crate) fn has_only_listed(&self) -> bool {
        self.devices.is_empty()
    }

    /// Adds the GPUs that the bus lists: each that an event other than the list is about, and all
    /// of them where no other GPU is known.
    pub(crate) fn add_listed(&mut self, events: &[Observed]) {
        let concerned = events.iter().filter(|seen| !matches!(seen.event, Event::PciDevice(_)));
        let mut wanted: BTreeSet<(usize, PciAddress)> =
            concerned.filter_map(|seen| Some((seen.boot, seen.device?))).collect();
        wanted.retain(|key| self.listed.contains(key));
        if self.has_only_listed() {
            wanted.clone_from(&self.listed);
        }
        for (boot, address) in wanted {
            let is_new = !self.devices.contains_key(&(boot, Some(address)));
            self.device(boot, Some(address)).is_only_listed |= is_new;
        }
        // Of several nobody knows which one a line is about.
        for (boot, times) in std::mem::take(&mut self.started) {
            let is_empty = self.devices.range((boot, None)..(boot + 1, None)).next().is_none();
            if times == 1 && is_empty {
                self.device(boot, None);
            }
        }
    }

    /// Learns from an event.
    pub(crate) fn learn(&mut self, observed: &Observed) {
        let hardware = self.hardware;
        let Some(device) = self.devices.get_mut(&(observed.boot, observed.device)) else { return };
        let event = &observed.event;
        let number = |name: &str| event.get::<Hex>(name).map(|hex| hex.value);
        let text = |name: &str| event.text(name).map(str::to_owned);
        match event.columns().proves {
            // Programs' output is handled earlier.
            Proof::Nothing | Proof::Name | Proof::SavedCrash => {}
            Proof::Identity => {
                let id = pci_id(number("vendor"), number("device"));
                device.learn_identity(hardware, id, event.text("chip"));
                device.kind = device.kind.or(event.text("kind").and_then(DeviceKind::read));
            }
            Proof::CodeName => device.learn_identity(hardware, None, event.text("asic")),
            Proof::Generation => {
                let name = event.text("name").or_else(|| event.text("ip")).unwrap_or_default();
                let chips: Vec<&Chip> = hardware.chips_by_block(name).collect();
                let generation = hardware.names.generation_of(name);
                device.learn_one_of(&chips, generation, ChipEvidence::IpBlock);
            }
            Proof::RegisterName => {
                let register = event.text("register");
                if let Some(found) = register.and_then(|r| hardware.generation_of_register(r)) {
                    device.learn_generation(found, ChipEvidence::RegisterName);
                }
            }
            Proof::FirmwareFile => {
                if let Some(file) = event.text("file") {
                    device.learn_firmware_file(hardware, file);
                }
            }
            Proof::MemorySize => {
                // A register that reads as all ones has no size.
                let size = event.get("mib").copied().filter(|mib| *mib != u64::from(u32::MAX));
                device.vram_mib = device.vram_mib.or(size);
            }
            Proof::MemoryType => {
                // Old kernels print `DDR` for any type.
                let kind = text("memory").filter(|kind| kind != "DDR");
                device.memory = device.memory.take().or(kind);
            }
            Proof::SmuVersion => {
                let version = event.get::<Hex>("fw_version").map(Hex::to_string);
                device.firmware.extend(version.map(|version| ("smu".to_owned(), version)));
            }
            Proof::VideoBios => {
                if let Some(part) = event.text("part") {
                    device.learn_video_bios(hardware, part);
                }
                device.firmware.extend(text("part").map(|part| ("vbios".to_owned(), part)));
            }
            Proof::Firmware => {
                if let Event::FirmwareVersion(firmware) = event {
                    device.learn_firmware(firmware);
                }
            }
            Proof::Loss => device.lost = device.lost.or(Some(observed.line())),
        }
    }

    /// Learns from the names of the functions that printed lines.
    pub(crate) fn learn_functions(&mut self, facts: &Facts, boot_of: impl Fn(u64) -> usize) {
        for (sequence, (address, generation)) in facts.functions.iter() {
            let boot = boot_of(*sequence);
            let address = address.or_else(|| self.only(boot));
            if let Some(device) = self.devices.get_mut(&(boot, address)) {
                device.learn_generation(*generation, ChipEvidence::DriverFunction);
            }
        }
        for (sequence, address) in facts.virtual_functions.iter() {
            let boot = boot_of(*sequence);
            let address = address.or_else(|| self.only(boot));
            if let Some(device) = self.devices.get_mut(&(boot, address)) {
                device.virtual_function = true;
            }
        }
    }

    /// All GPUs, ordered by boot and address.
    #[must_use]
    pub(crate) fn finish(self) -> Vec<Device> {
        let Self { hardware, devices, listed: _, started: _ } = self;
        let complete = |mut device: Device| {
            device.find_candidates(hardware);
            device
        };
        devices.into_values().map(complete).collect()
    }

    /// A saved crash belongs to the only GPU, or to one that nothing else shows.
    fn learn_saved_crash(&mut self, observed: &Observed, crash: &SavedCrash) {
        let boot = observed.boot;
        let address = self.only(boot);
        if address.is_none() && self.devices.range((boot, None)..(boot + 1, None)).next().is_some()
        {
            return;
        }
        let hardware = self.hardware;
        let device = self.device(boot, address);
        let id = pci_id(Some(0x1002), crash.chip.map(u64::from));
        device.learn_identity(hardware, id, None);
        // `11.0.0.0.0`: major, minor, revision, and two parts that the tables do not use.
        let version: Vec<&str> =
            crash.graphics.as_deref().unwrap_or_default().split('.').take(3).collect();
        if let [major, ..] = version[..] {
            let chips: Vec<&Chip> = hardware.chips_by_gc(&version.join(".")).collect();
            let generation = major.parse().ok().map(GfxGeneration);
            device.learn_one_of(&chips, generation, ChipEvidence::FirmwareFile);
        }
        let block = crash.block.as_deref().and_then(|block| hardware.names.generation_of(block));
        if let Some(generation) = block {
            device.learn_generation(generation, ChipEvidence::IpBlock);
        }
        let smu = crash.smu.map(|version| ("smu".to_owned(), version.to_string()));
        for (name, version) in smu.into_iter().chain(saved_crash::firmware(crash)) {
            device.firmware.entry(name).or_insert(version);
        }
    }

    /// A program, a saved crash or the core of the kernel names a GPU: the one at the given
    /// address, else the only one.
    pub(crate) fn learn_name(&mut self, observed: &Observed) {
        if let Event::SavedCrash(crash) = &observed.event {
            return self.learn_saved_crash(observed, crash);
        }
        if let Event::InitFailed(failed) = &observed.event {
            // The core of the kernel names the device that amdgpu could not start.
            if let Some(address) = failed.at.filter(|_| failed.driver.as_deref() == Some("amdgpu"))
            {
                self.device(observed.boot, Some(address));
            }
            return;
        }
        let Event::GpuName(named) = &observed.event else { return };
        let boot = observed.boot;
        let address = named.pci_address.or_else(|| self.only(boot));
        // With several GPUs, a name without an address is ambiguous.
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
