//! Identifies a GPU from various evidence.

use super::{ChipEvidence, Device};
use crate::kind::{FirmwareVersion, GpuName};
use crate::pattern::hardware::{Chip, Hardware};
use crate::value::{DeviceKind, GfxGeneration, GfxTarget, PciId, Text};

impl Device {
    pub(in crate::event) fn learn_chip(&mut self, chip: &Chip, evidence: ChipEvidence) {
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

    pub(in crate::event) fn learn_identity(
        &mut self,
        hardware: &Hardware,
        id: Option<PciId>,
        code_name: Option<&str>,
    ) {
        self.pci_id = self.pci_id.or(id);
        if let Some(chip) = id.and_then(|id| hardware.chip_by_pci(id)) {
            self.learn_chip(chip, ChipEvidence::PciId);
            let product = chip.devices.iter().find(|product| Some(product.id) == id);
            let name = product.and_then(crate::pattern::hardware::Device::name);
            self.virtual_function |= name.as_ref().is_some_and(|name| name.ends_with(" VF"));
            self.name = name;
            self.is_named_by_program = false;
        } else if let Some(chip) = code_name.and_then(|name| hardware.chip_by_code_name(name)) {
            self.learn_chip(chip, ChipEvidence::CodeName);
        }
    }

    pub(in crate::event) fn learn_name(&mut self, hardware: &Hardware, named: &GpuName) {
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
        if self.name.is_none() {
            self.name = named.name.as_ref().map(Text::to_string);
            self.is_named_by_program = true;
        }
    }

    pub(in crate::event) fn learn_generation(
        &mut self,
        generation: GfxGeneration,
        evidence: ChipEvidence,
    ) {
        if self.evidence.is_none() {
            self.generation = Some(generation);
            self.evidence = Some(evidence);
        }
    }

    /// The driver requests firmware by the name of the chip, or by the versions of its blocks:
    /// `amdgpu/vega20_rlc.bin`, `amdgpu/gc_11_0_0_pfp.bin`.
    ///
    /// Source: `amdgpu_ucode_ip_version_decode()` of `amdgpu_ucode.c`.
    pub(in crate::event) fn learn_firmware_file(&mut self, hardware: &Hardware, file: &str) {
        let Some(name) = file.strip_prefix("amdgpu/") else { return };
        let parts: Vec<&str> = name.split('_').collect();
        if let ["gc", major, minor, revision, ..] = parts[..] {
            let version = format!("{major}.{minor}.{revision}");
            let chips: Vec<&Chip> = hardware.chips_by_gc(&version).collect();
            let generation = major.parse().ok().map(GfxGeneration);
            self.learn_one_of(&chips, generation, ChipEvidence::FirmwareFile);
            return;
        }
        // The longest prefix that is a chip's name; the rest is the engine.
        let found = (1..parts.len())
            .rev()
            .find_map(|count| hardware.chip_by_code_name(&parts.get(..count)?.join("_")));
        if let Some(chip) = found {
            self.learn_chip(chip, ChipEvidence::FirmwareFile);
        }
    }

    /// The part number of many an APU's video BIOS has the name of the chip: `113-REMBRANDT-X37`.
    pub(in crate::event) fn learn_video_bios(&mut self, hardware: &Hardware, part: &str) {
        let chips: Vec<&Chip> =
            part.split('-').flat_map(|word| hardware.chips_by_bios(word)).collect();
        let target = chips.first().and_then(|chip| chip.target());
        let generation = target.map(GfxTarget::generation);
        self.learn_one_of(&chips, generation, ChipEvidence::VideoBios);
    }

    /// It is one of `chips`, which are all that have this version of a block or this name.
    pub(in crate::event) fn learn_one_of(
        &mut self,
        chips: &[&Chip],
        generation: Option<GfxGeneration>,
        evidence: ChipEvidence,
    ) {
        if let [only] = chips {
            self.learn_chip(only, evidence);
        } else if let Some(generation) = generation
            && self.evidence.is_none_or(|known| known > evidence)
        {
            self.generation = Some(generation);
            self.evidence = Some(evidence);
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

    pub(in crate::event) fn learn_firmware(&mut self, firmware: &FirmwareVersion) {
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

    /// The possible targets, if the log does not show the exact one: those of all known chips that
    /// match the evidence.
    pub(crate) fn find_candidates(&mut self, hardware: &Hardware) {
        if self.kind.is_none() {
            self.kind = self.memory.as_deref().and_then(kind_with);
        }
        self.find_targets(&hardware.chips);
        self.facts = hardware.facts(self.asic.as_deref(), &self.candidates, self.kind);
    }

    fn find_targets(&mut self, chips: &[Chip]) {
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

/// The kind that the type of memory proves: no APU has GDDR, and no card DDR5 or LPDDR.
fn kind_with(memory: &str) -> Option<DeviceKind> {
    if memory.starts_with("GDDR") {
        Some(DeviceKind::Dgpu)
    } else if memory.starts_with("DDR5") || memory.starts_with("LPDDR") {
        Some(DeviceKind::Apu)
    } else {
        None
    }
}
