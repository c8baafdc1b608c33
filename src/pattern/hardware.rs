//! What is known about the hardware and the driver's settings: `patterns/hardware/*.toml` read into
//! tables that can be asked.
//!
//! Knows nothing of logs and of what a value in a log means; [`crate::decode`] applies the tables.
//! Compiled into the library and into the build script, which stores the built-in tables read.

mod bitfield;
mod chip;
mod client;
mod enumeration;
mod facts;
mod fault;
mod model;
mod names;
mod parameter;
mod ring;
mod silicon;
mod span;

use serde::{Deserialize, Serialize};

use super::later::Later;
use super::source_anchor::SourceAnchor;
use crate::pattern::document::Table;
use crate::pattern::source::Noun;
use crate::value::{DeviceKind, GfxGeneration, GfxTarget, Hub, KernelVersion, MachineForm, PciId};

pub(crate) use bitfield::{Bitfield, BitfieldKind};
pub(crate) use chip::{Chip, Device};
pub(crate) use client::{ClientTable, Numbering};
pub(crate) use enumeration::{Entry, Enumeration, EnumerationKind};
pub(crate) use facts::{ChipFacts, Family};
pub(crate) use fault::{Bits, FaultFields, FaultLayout, Permission};
pub(crate) use model::{Classes, Model};
pub(crate) use names::KernelNames;
pub(crate) use parameter::{Mask, MaskBit, Parameter};
pub(crate) use ring::RingForm;
pub(super) use silicon::best_fit;
pub(crate) use silicon::{Fit, GfxPattern, Silicon};

/// The tables of all hardware files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Hardware {
    /// All chips, in the order of the files.
    pub(crate) chips: Later<Vec<Chip>>,
    /// What chips have in common.
    pub(crate) families: Later<Vec<Family>>,
    /// The machines whose form their names tell.
    pub(crate) models: Later<Vec<Model>>,
    layouts: Later<Vec<FaultLayout>>,
    /// All tables of client names, in the order of the files.
    pub(crate) clients: Later<Vec<ClientTable>>,
    /// All parameters, in the order of the files.
    pub(crate) parameters: Later<Vec<Parameter>>,
    /// All enumerations, in the order of the files.
    pub(crate) enumerations: Later<Vec<Enumeration>>,
    /// The forms of ring names, in the order of the files.
    pub(crate) rings: Later<Vec<RingForm>>,
    pub(crate) bitfields: Later<Vec<Bitfield>>,
    /// Whose the names in the kernel are.
    pub(crate) names: Later<KernelNames>,
    /// The kernel series of which the parameters were looked up, oldest first.
    pub(super) checked: Vec<KernelVersion>,
}

impl Hardware {
    /// Adds what one file says.
    pub(super) fn add(&mut self, file: &Table<'_>) {
        span::read_checked(file);
        self.checked.clone_from(&file.sources.checked.borrow());
        file.collect("family", &mut self.families);
        file.collect("model", &mut self.models);
        for entry in file.list("chip") {
            self.add_chip(&entry);
        }
        file.collect("layout", &mut self.layouts);
        file.collect("clients", &mut self.clients);
        file.collect("names", &mut self.names.all);
        file.collect("generation", &mut self.names.generations);
        file.collect("parameter", &mut self.parameters);
        for entry in file.list("mask") {
            self.add_mask(&entry);
        }
        file.collect("enumeration", &mut self.enumerations);
        file.collect("ring", &mut self.rings);
        file.collect("bitfield", &mut self.bitfields);
    }

    /// A second chip of one name is how a user's file adds ids to a built-in one.
    fn add_chip(&mut self, entry: &Table<'_>) {
        let mut chip: Chip = entry.read();
        entry.uses(Noun::Family, "family");
        if chip.family.is_none() {
            let same = self.chips.iter().find(|known| known.asic == chip.asic);
            chip.family = same.and_then(|known| known.family.clone());
        }
        let devices = entry.tables("devices");
        let ids = devices.iter().filter_map(|device| device.get("id")).chain(entry.items("ids"));
        let mut own: Vec<PciId> = Vec::new();
        for node in ids {
            let Some(id) = node.text().and_then(|text| text.parse().ok()) else { continue };
            let owner = self.chip_by_pci(id).or(own.contains(&id).then_some(&chip));
            if let Some(owner) = owner {
                node.mistake(format!("{id} is a {} already", owner.asic));
            }
            own.push(id);
        }
        self.chips.push(chip.arranged());
    }

    fn add_mask(&mut self, entry: &Table<'_>) {
        let mask: Mask = entry.read();
        let found = self.parameters.iter_mut().find(|parameter| parameter.name == mask.parameter);
        match found {
            // That is told where names are compared.
            None => {}
            Some(parameter) if parameter.mask.is_some() => {
                entry.mistake(format!("the bits of `{}` are defined twice", mask.parameter));
            }
            Some(parameter) => parameter.mask = Some(mask),
        }
    }

    /// Whether a chip is one of the pattern's targets, or the tables know of them before there is one.
    pub(crate) fn knows(&self, pattern: &GfxPattern) -> bool {
        let mut targets = self.chips.iter().flat_map(|chip| &chip.gfx);
        let layouts = self.layouts.iter().flat_map(|layout| &layout.gfx);
        let mut tables = layouts.chain(self.clients.iter().flat_map(|clients| &clients.gfx));
        let is_one = |target: &GfxTarget| {
            let generation = Silicon::Generation(target.generation());
            pattern.holds(*target) || pattern.fit(generation) == Fit::Yes
        };
        targets.any(is_one) || tables.any(|known| known == pattern)
    }

    /// The enumerations of this kind.
    pub(crate) fn enumerations_of(
        &self,
        kind: EnumerationKind,
    ) -> impl Iterator<Item = &Enumeration> {
        self.enumerations.iter().filter(move |enumeration| enumeration.kind == kind)
    }

    /// The layouts of words of this kind, in the order of the files.
    pub(crate) fn bitfields(&self, kind: BitfieldKind) -> impl Iterator<Item = &Bitfield> {
        self.bitfields.iter().filter(move |bitfield| bitfield.kind == kind)
    }

    /// The chips whose graphics block has this version: `11.0.0`.
    pub(crate) fn chips_by_gc(&self, version: &str) -> impl Iterator<Item = &Chip> {
        self.chips.iter().filter(move |chip| chip.gc.iter().any(|gc| gc == version))
    }

    pub(crate) fn chip_by_pci(&self, id: PciId) -> Option<&Chip> {
        self.chips.iter().find(|chip| chip.device(id).is_some())
    }

    /// The chip that the driver or Mesa calls `name`: `VEGA20`, `NAVI31`, also with `RADV ` before.
    ///
    /// Some names stand for several chips (`RAPHAEL_MENDOCINO`); then this is one of them if all
    /// have the same gfx target, and none otherwise.
    pub(crate) fn chip_by_code_name(&self, name: &str) -> Option<&Chip> {
        let name = name.trim();
        let name = name.strip_prefix("RADV ").unwrap_or(name);
        let named = |chip: &&Chip| chip.code_names.iter().any(|n| n.eq_ignore_ascii_case(name));
        chip::same_target(self.chips.iter().filter(named))
    }

    /// The chip of the product that `text` names, such as `AMD Radeon RX 5600 XT (RADV NAVI10)`.
    ///
    /// The longest product name counts. `None` where the names found belong to chips with different
    /// gfx targets; where they agree in it, the target is certain and the chip is one of several.
    pub(crate) fn chip_by_name(&self, text: &str) -> Option<&Chip> {
        chip::named_in(&self.chips, text)
    }

    /// What is known of a GPU that may be any of these targets; of any chip where there are none, and
    /// of the one chip that is called `asic` where that is known.
    pub(crate) fn facts(
        &self,
        asic: Option<&str>,
        targets: &[GfxTarget],
        kind: Option<DeviceKind>,
    ) -> ChipFacts {
        let may_be = |chip: &&Chip| match asic {
            Some(asic) => chip.asic == asic,
            None => {
                (targets.is_empty() || chip.gfx.iter().any(|gfx| targets.contains(gfx)))
                    && kind.is_none_or(|kind| chip.kind == kind)
            }
        };
        self.facts_of(self.chips.iter().filter(may_be)).of_kind(kind)
    }

    /// What is known of a chip that prints this page-fault register; `None` where none does.
    pub(crate) fn facts_by_register(&self, register: &str) -> Option<ChipFacts> {
        let layouts = self.fault_layouts(Some(register), None, Silicon::Unknown);
        let patterns: Vec<&GfxPattern> = layouts.flat_map(|layout| &layout.gfx).collect();
        let prints =
            |chip: &&Chip| patterns.iter().any(|pattern| pattern.fit(chip.silicon()) != Fit::No);
        let mut chips = self.chips.iter().filter(prints).peekable();
        chips.peek().is_some().then_some(())?;
        Some(self.facts_of(chips))
    }

    fn facts_of<'h>(&'h self, chips: impl Iterator<Item = &'h Chip>) -> ChipFacts {
        let family = |chip: &Chip| {
            let name = chip.family.as_deref()?;
            self.families.iter().find(|family| family.name == name)
        };
        ChipFacts::agreed(chips.map(|chip| ChipFacts::of(family(chip), chip.kind)))
    }

    /// The form of the machine that the kernel calls `name`, where that tells it for sure.
    pub(crate) fn form_of(&self, name: &str) -> Option<MachineForm> {
        model::form_of(&self.models, name)
    }

    /// The layouts that a page fault's status word may have, by the register name printed before
    /// it, the hub, and what is known of the chip.
    pub(crate) fn fault_layouts<'h>(
        &'h self,
        register: Option<&'h str>,
        hub: Option<Hub>,
        silicon: Silicon<'h>,
    ) -> impl Iterator<Item = &'h FaultLayout> {
        self.layouts.iter().filter(move |layout| layout.fits(register, hub, silicon))
    }

    /// The generation of the chips that have a page-fault register of this name, if it is only one.
    pub(crate) fn generation_of_register(&self, register: &str) -> Option<GfxGeneration> {
        let layouts = self.fault_layouts(Some(register), None, Silicon::Unknown);
        let mut generations = layouts.flat_map(|layout| &layout.gfx).map(GfxPattern::generation);
        let first = generations.next()?;
        generations.all(|other| other == first).then_some(first)
    }

    /// The name of UTCL2 client `cid` of `hub`. `None` for an id without a name, and where what is
    /// known of the chip leaves tables that disagree.
    pub(crate) fn client_name(
        &self,
        hub: Hub,
        silicon: Silicon<'_>,
        cid: u16,
        write: bool,
    ) -> Option<&str> {
        client::agreed(&self.clients, hub.into(), silicon, cid, write)
    }

    /// The places in the kernel's source that tables are from, each with what names its table.
    pub(crate) fn anchors(&self) -> Vec<(&str, &SourceAnchor)> {
        let values = self.enumerations.iter().map(|one| (one.title.as_str(), &one.anchors));
        let words = self.bitfields.iter().map(|one| (one.source.as_str(), &one.anchors));
        let clients = self.clients.iter().map(|one| {
            let source = one.source.first().map_or("", String::as_str);
            (source, &one.anchors)
        });
        let all = values.chain(words).chain(clients);
        all.flat_map(|(name, anchors)| anchors.iter().map(move |anchor| (name, anchor))).collect()
    }

    /// The amdgpu parameter of this name, without `amdgpu.`; also names that people use and that no
    /// kernel has.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        let name = name.strip_prefix("amdgpu.").unwrap_or(name);
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

#[cfg(test)]
pub(crate) mod tests;
