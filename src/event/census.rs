//! What the lines of a log prove about each GPU.

use std::collections::{BTreeMap, BTreeSet};

use super::Observed;
use super::by_device::ByDevice;
use super::device::{ChipEvidence, Device};
use super::sparse::Sparse;
use crate::kind::{Event, FirmwareVersion, GpuName, Kind, Proof, SavedCrash, Subject};
use crate::pattern::hardware::{Chip, Hardware};
use crate::value::{DeviceKind, GfxGeneration, Hex, PciAddress, PciId, Text};

/// While a GPU is set up, so many records at most lie between the line that names its chip and the one
/// before that names its address.
const LEAD_IN: u64 = 20;
/// Of more GPUs than this nothing is kept: no machine has so many, but a log may name any number.
const MOST_GPUS: usize = 8192;

/// What lines say of GPUs besides their events.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Each record in which the driver names a GPU, in order.
    seen: Sparse<PciAddress>,
    known: ByDevice<PciAddress, ()>,
    /// The records in which the driver names a chip: what stands around them tells which GPU has it.
    chips: Vec<u64>,
    functions: Sparse<(Option<PciAddress>, GfxGeneration)>,
    virtual_functions: Sparse<Option<PciAddress>>,
    others: Sparse<()>,
}

impl Facts {
    /// The driver printed record number `sequence` about `device`.
    pub fn see(&mut self, sequence: u64, device: Option<PciAddress>) {
        if let Some(device) = device {
            self.seen.push(sequence, device, 2 * LEAD_IN, &self.chips);
            self.known.change(device, |()| ());
        }
    }

    /// Another GPU's driver printed record number `sequence`.
    pub fn see_another_driver(&mut self, sequence: u64) {
        self.others.push(sequence, (), 0, &[]);
    }

    /// Record number `sequence` began `event`.
    pub(super) fn begin(&mut self, sequence: u64, event: &Event) {
        if names_a_chip(event) {
            self.chips.push(sequence);
        }
    }

    /// Whether there is room for `device`, which is known already or one of not too many.
    #[must_use]
    pub(super) fn has_room(&self, device: PciAddress) -> bool {
        self.known.len() < MOST_GPUS || self.knows(device)
    }

    /// Forgets in which records before number `from` a GPU is named again, and all but the last foreign
    /// driver's.
    pub fn forget(&mut self, from: u64) {
        let mut known = BTreeSet::new();
        self.seen.retain(|sequence, device| known.insert(device) || sequence >= from);
        let last = self.others.between(0, from).last().map(|(sequence, ())| *sequence);
        self.others.retain(|sequence, ()| sequence >= from || Some(sequence) == last);
    }

    /// Whether the driver printed something about `device`.
    #[must_use]
    pub fn knows(&self, device: PciAddress) -> bool {
        self.known.has(device)
    }

    /// A function of this generation printed record number `sequence`.
    pub fn learn(&mut self, sequence: u64, device: Option<PciAddress>, generation: GfxGeneration) {
        let new = (device, generation);
        if self.functions.last() != Some(new) {
            self.functions.push(sequence, new, 0, &[]);
        }
    }

    /// A function that only runs on virtual functions printed record number `sequence`.
    pub fn learn_virtual(&mut self, sequence: u64, device: Option<PciAddress>) {
        if self.virtual_functions.last() != Some(device) {
            self.virtual_functions.push(sequence, device, 0, &[]);
        }
    }

    /// Whether a driver of other GPUs printed something between these records.
    #[must_use]
    pub fn has_others(&self, from: u64, to: u64) -> bool {
        !self.others.between(from, to).is_empty()
    }

    /// The records in which the driver names a GPU between these two, and which GPU.
    fn between(&self, from: u64, to: u64) -> &[(u64, PciAddress)] {
        self.seen.between(from, to)
    }

    /// The one device that the driver names between these records; `None` where it names none or
    /// several.
    fn only_between(&self, from: u64, to: u64) -> Option<PciAddress> {
        let (_, only) = *self.between(from, to).first()?;
        self.other_between(only, from, to).is_none().then_some(only)
    }

    /// The first record between these in which the driver names another GPU than `device`.
    fn other_between(&self, device: PciAddress, from: u64, to: u64) -> Option<u64> {
        let mut named = self.between(from, to).iter();
        named.find(|(_, named)| *named != device).map(|(sequence, _)| *sequence)
    }

    /// The GPUs that the driver names in each boot.
    #[must_use]
    pub fn by_boot(&self, boot_of: impl Fn(u64) -> usize) -> BTreeMap<usize, Vec<PciAddress>> {
        let mut found: BTreeMap<usize, BTreeSet<PciAddress>> = BTreeMap::new();
        for (sequence, address) in self.seen.iter() {
            found.entry(boot_of(*sequence)).or_default().insert(*address);
        }
        found.into_iter().map(|(boot, devices)| (boot, devices.into_iter().collect())).collect()
    }
}

/// Gives lines without a device, printed while the driver set up one GPU, to that one.
///
/// GPUs are set up one after the other: from the line that names the chip to the one that says that
/// the driver is ready, or that it gave up, all is about one of them, as long as no other one is named
/// in between. Where neither is seen, it ends where another GPU is named.
pub(super) fn attribute_setup(events: &mut [Observed], facts: &Facts) {
    for section in sections(events, facts) {
        let Some(part) = events.get_mut(section.first..section.end) else { continue };
        for observed in part.iter_mut().filter(|observed| observed.device.is_none()) {
            observed.device = Some(section.device).filter(|_| is_set_up(&observed.event));
            observed.inferred = observed.device.is_some();
        }
    }
}

/// A run of events that one GPU's set-up printed.
struct Section {
    first: usize,
    end: usize,
    device: PciAddress,
}

fn sections(events: &[Observed], facts: &Facts) -> Vec<Section> {
    let begins: Vec<usize> = (0..events.len())
        .filter(|at| events.get(*at).is_some_and(|observed| names_a_chip(&observed.event)))
        .collect();
    let mut found = Vec::new();
    for (index, first) in begins.iter().enumerate() {
        let limit = begins.get(index + 1).copied().unwrap_or(events.len());
        found.extend(section(events, facts, *first, limit));
    }
    found
}

fn section(events: &[Observed], facts: &Facts, first: usize, limit: usize) -> Option<Section> {
    let begin = events.get(first)?;
    let mut end = limit;
    let mut last = None;
    for (at, observed) in events.iter().enumerate().take(limit).skip(first + 1) {
        if observed.boot != begin.boot {
            end = at;
            break;
        }
        let event = &observed.event;
        let named = event.get::<PciAddress>("at").copied();
        let said = if event.kind() == Kind::DriverReady {
            named
        } else if gives_a_gpu_up(event) {
            named.or(observed.device)
        } else {
            continue;
        };
        (last, end) = (Some(said), at + 1);
        break;
    }
    let to = events.get(end).map_or(u64::MAX, |next| next.sequence);
    let before = begin.sequence.saturating_sub(LEAD_IN);
    let device = begin.device.or(last.flatten()).or_else(|| {
        let inside = facts.between(begin.sequence, to).first();
        inside.map_or_else(
            || facts.only_between(before, begin.sequence),
            |(at, device)| (*at <= begin.sequence + LEAD_IN).then_some(*device),
        )
    })?;
    // Another GPU that is named in between makes it two stories in one.
    if let Some(other) = facts.other_between(device, begin.sequence, to) {
        if last.is_some() {
            return None;
        }
        end = events.partition_point(|observed| observed.sequence < other).clamp(first + 1, end);
    }
    Some(Section { first, end, device })
}

/// Whether this is the line in which the driver says which chip it initialises.
fn names_a_chip(event: &Event) -> bool {
    event.kind() == Kind::GpuIdentity && event.text("chip").is_some()
}

/// Whether the driver core says that a driver could not take its device into service.
fn gives_a_gpu_up(event: &Event) -> bool {
    let named = event.text("driver").is_some() || event.get::<PciAddress>("at").is_some();
    event.kind() == Kind::InitFailed && named
}

/// Whether a GPU's set-up prints such a line.
fn is_set_up(event: &Event) -> bool {
    event.columns().subject != Subject::Task && is_about_some_gpu(event)
}

/// Whether an event whose line does not name its device is about some GPU at all.
pub(super) const fn is_about_some_gpu(event: &Event) -> bool {
    match event.columns().subject {
        Subject::Machine | Subject::BusDevice | Subject::BusError => false,
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

    /// Whether the driver names a GPU at `address` in `boot`.
    #[must_use]
    pub fn knows(&self, boot: usize, address: PciAddress) -> bool {
        self.devices.contains_key(&(boot, Some(address)))
    }

    /// Learns what an event says.
    pub fn learn(&mut self, observed: &Observed) {
        let hardware = self.hardware;
        let Some(device) = self.devices.get_mut(&(observed.boot, observed.device)) else { return };
        let event = &observed.event;
        let number = |name: &str| event.get::<Hex>(name).map(|hex| hex.value);
        let text = |name: &str| event.text(name).map(str::to_owned);
        match event.columns().proves {
            // What programs say is learnt before.
            Proof::Nothing | Proof::Name | Proof::SavedCrash => {}
            Proof::Identity => {
                let id = pci_id(number("vendor"), number("device"));
                device.learn_identity(hardware, id, event.text("chip"));
                device.kind = device.kind.or(event.text("kind").and_then(DeviceKind::read));
            }
            Proof::Generation => {
                let name = event.text("name");
                if let Some(generation) = name.and_then(|n| hardware.names.generation_of(n)) {
                    device.learn_generation(generation, ChipEvidence::IpBlock);
                }
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
            Proof::MemorySize => device.vram_mib = device.vram_mib.or(event.get("mib").copied()),
            Proof::MemoryType => device.memory = device.memory.take().or_else(|| text("memory")),
            Proof::SmuVersion => {
                let version = event.get::<Hex>("fw_version").map(Hex::to_string);
                device.firmware.extend(version.map(|version| ("smu".to_owned(), version)));
            }
            Proof::VideoBios => {
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

    /// Learns what the functions that printed something prove.
    pub fn learn_functions(&mut self, facts: &Facts, boot_of: impl Fn(u64) -> usize) {
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
    pub fn finish(self) -> Vec<Device> {
        let Self { hardware, devices } = self;
        let complete = |mut device: Device| {
            device.find_candidates(&hardware.chips);
            device
        };
        devices.into_values().map(complete).collect()
    }

    /// A saved crash is of the only GPU there is, or of one that nothing else tells of.
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
        // `11.0.0.0.0`: major, minor, revision, and two parts that no table here counts.
        let version: Vec<&str> =
            crash.graphics.as_deref().unwrap_or_default().split('.').take(3).collect();
        if let [major, ..] = version[..] {
            let chips: Vec<&Chip> = hardware.chips_by_gc(&version.join(".")).collect();
            device.learn_one_of(&chips, major.parse().ok().map(GfxGeneration));
        }
        if let Some(version) = crash.smu {
            device.firmware.entry("smu".to_owned()).or_insert(version.to_string());
        }
    }

    /// A program names a GPU, or a saved crash does: the one at the address it gives, or the only one
    /// there is.
    pub fn learn_name(&mut self, observed: &Observed) {
        if let Event::SavedCrash(crash) = &observed.event {
            return self.learn_saved_crash(observed, crash);
        }
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

impl Device {
    fn learn_chip(&mut self, chip: &Chip, evidence: ChipEvidence) {
        if self.evidence.is_some_and(|known| known <= evidence) {
            return;
        }
        self.evidence = Some(evidence);
        self.asic = Some(chip.asic.clone());
        self.target = chip.target();
        self.generation = chip.gfx.first().map(|target| target.generation());
        self.candidates.clone_from(&chip.gfx);
        self.kind = Some(chip.kind);
    }

    fn learn_identity(&mut self, hardware: &Hardware, id: Option<PciId>, code_name: Option<&str>) {
        self.pci_id = self.pci_id.or(id);
        if let Some(chip) = id.and_then(|id| hardware.chip_by_pci(id)) {
            self.learn_chip(chip, ChipEvidence::PciId);
            let product = chip.devices.iter().find(|product| Some(product.id) == id);
            let name = product.and_then(crate::pattern::hardware::Device::name);
            self.virtual_function |= name.as_ref().is_some_and(|name| name.ends_with(" VF"));
            self.name = name;
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
        self.name = self.name.take().or_else(|| named.name.as_ref().map(Text::to_string));
    }

    fn learn_generation(&mut self, generation: GfxGeneration, evidence: ChipEvidence) {
        if self.evidence.is_none() {
            self.generation = Some(generation);
            self.evidence = Some(evidence);
        }
    }

    /// The driver asks for firmware by the name of the chip, or by the versions of its blocks:
    /// `amdgpu/vega20_rlc.bin`, `amdgpu/gc_11_0_0_pfp.bin`.
    ///
    /// Source: `amdgpu_ucode_ip_version_decode()` of `amdgpu_ucode.c`.
    fn learn_firmware_file(&mut self, hardware: &Hardware, file: &str) {
        let Some(name) = file.strip_prefix("amdgpu/") else { return };
        let parts: Vec<&str> = name.split('_').collect();
        if let ["gc", major, minor, revision, ..] = parts[..] {
            let version = format!("{major}.{minor}.{revision}");
            let chips: Vec<&Chip> = hardware.chips_by_gc(&version).collect();
            self.learn_one_of(&chips, major.parse().ok().map(GfxGeneration));
            return;
        }
        // The longest beginning that is a chip's name; what follows names the engine.
        let found = (1..parts.len())
            .rev()
            .find_map(|count| hardware.chip_by_code_name(&parts.get(..count)?.join("_")));
        if let Some(chip) = found {
            self.learn_chip(chip, ChipEvidence::FirmwareFile);
        }
    }

    /// It is one of `chips`, which are all that have a part of this version.
    fn learn_one_of(&mut self, chips: &[&Chip], generation: Option<GfxGeneration>) {
        if let [only] = chips {
            self.learn_chip(only, ChipEvidence::FirmwareFile);
        } else if let (None, Some(generation)) = (self.evidence, generation) {
            self.learn_generation(generation, ChipEvidence::FirmwareFile);
            self.candidates = chips.iter().flat_map(|chip| chip.gfx.clone()).collect();
            let [first, rest @ ..] = chips else { return };
            if rest.iter().all(|chip| chip.gfx == first.gfx) {
                self.target = first.target();
            }
            if rest.iter().all(|chip| chip.kind == first.kind) {
                self.kind = Some(first.kind);
            }
        }
    }

    fn learn_firmware(&mut self, firmware: &FirmwareVersion) {
        let Some(name) = firmware.name.as_ref().map(Text::to_string) else { return };
        let parts = [firmware.major, firmware.minor, firmware.revision];
        let dotted = || {
            let parts: Vec<String> = parts.into_iter().flatten().map(|n| n.to_string()).collect();
            (!parts.is_empty()).then(|| parts.join("."))
        };
        let version = firmware.version.map(|version| version.to_string()).or_else(dotted);
        if let Some(version) = version {
            self.firmware.entry(name).or_insert(version);
        }
    }

    /// Which targets the GPU may have, where the log does not say the very one: all those of known
    /// chips that have what is known of it.
    fn find_candidates(&mut self, chips: &[Chip]) {
        if self.kind.is_none() {
            self.kind = self.memory.as_deref().and_then(kind_with);
        }
        if let Some(target) = self.target {
            self.candidates = vec![target];
            return;
        }
        if self.candidates.is_empty() && self.generation.is_some() {
            let fits = |chip: &&Chip| self.kind.is_none_or(|kind| kind == chip.kind);
            let all = chips.iter().filter(fits).flat_map(|chip| &chip.gfx).copied();
            self.candidates =
                all.filter(|target| Some(target.generation()) == self.generation).collect();
        }
        self.candidates.sort_unstable();
        self.candidates.dedup();
    }
}

/// What the kind of its memory proves of a GPU: no processor has GDDR, and no card DDR5 or LPDDR.
fn kind_with(memory: &str) -> Option<DeviceKind> {
    if memory.starts_with("GDDR") {
        Some(DeviceKind::Dgpu)
    } else if memory.starts_with("DDR5") || memory.starts_with("LPDDR") {
        Some(DeviceKind::Apu)
    } else {
        None
    }
}
