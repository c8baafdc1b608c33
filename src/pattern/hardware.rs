//! Tables about hardware and driver parameters, from `patterns/hardware/*.toml`.
//!
//! Independent of logs; [`crate::decode`] applies the tables to values. Compiled into the library
//! and into the build script, which stores the built-in tables in binary form.

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

use super::later::Lazy;
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
pub(crate) use names::{KernelNames, ProgramWords, UncoveredDriver};
pub(crate) use parameter::{Mask, MaskBit, Parameter};
pub(crate) use ring::RingForm;
pub(super) use silicon::best_fit;
pub(crate) use silicon::{Fit, GfxPattern, Silicon};

/// The tables of all hardware files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Hardware {
    /// All chips, in the order of the files.
    pub(crate) chips: Lazy<Vec<Chip>>,
    /// Facts that several chips share.
    pub(crate) families: Lazy<Vec<Family>>,
    /// Machines whose form is known from their name.
    pub(crate) models: Lazy<Vec<Model>>,
    layouts: Lazy<Vec<FaultLayout>>,
    /// All tables of client names, in the order of the files.
    pub(crate) clients: Lazy<Vec<ClientTable>>,
    /// All driver parameters, in the order of the files.
    pub(crate) parameters: Lazy<Vec<Parameter>>,
    /// All enumerations, in the order of the files.
    pub(crate) enumerations: Lazy<Vec<Enumeration>>,
    /// The forms of ring names, in the order of the files.
    pub(crate) rings: Lazy<Vec<RingForm>>,
    pub(crate) bitfields: Lazy<Vec<Bitfield>>,
    /// Name prefixes in the kernel, by driver.
    pub(crate) names: Lazy<KernelNames>,
    /// The kernel series in which the parameters were checked, oldest first.
    pub(super) checked: Vec<KernelVersion>,
}

impl Hardware {
    /// Adds the tables of a file.
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
        file.collect("uncovered", &mut self.names.uncovered);
        file.collect("firmware", &mut self.names.firmware);
        file.collect("mention", &mut self.names.mentions);
        file.collect("parameter", &mut self.parameters);
        for entry in file.list("mask") {
            self.add_mask(&entry);
        }
        file.collect("enumeration", &mut self.enumerations);
        file.collect("ring", &mut self.rings);
        file.collect("bitfield", &mut self.bitfields);
    }

    /// Adds a chip. A second one with the same name extends it: users' files can add ids to a
    /// built-in chip.
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
            // Reported where names are compared.
            None => {}
            Some(parameter) if parameter.mask.is_some() => {
                entry.mistake(format!("the bits of `{}` are defined twice", mask.parameter));
            }
            Some(parameter) => parameter.mask = Some(mask),
        }
    }

    /// Whether a chip has one of the pattern's targets, or the tables contain targets without a
    /// chip.
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

    /// The chips whose graphics block or engine has this name in the driver: `gfx_v9_4_3`. None if
    /// the whole generation has it.
    pub(crate) fn chips_by_block(&self, name: &str) -> impl Iterator<Item = &Chip> {
        let versions = self.names.versions_of(name);
        self.chips.iter().filter(move |chip| chip.gc.iter().any(|gc| versions.contains(gc)))
    }

    /// The chips with this name in the part number of their video BIOS.
    pub(crate) fn chips_by_bios(&self, name: &str) -> impl Iterator<Item = &Chip> {
        self.chips.iter().filter(move |chip| chip.bios.iter().any(|known| known == name))
    }

    pub(crate) fn chip_by_pci(&self, id: PciId) -> Option<&Chip> {
        self.chips.iter().find(|chip| chip.device(id).is_some())
    }

    /// The chip with this name in the driver or Mesa: `VEGA20`, `NAVI31`, optionally after `RADV `.
    ///
    /// Some names are shared by several chips (`RAPHAEL_MENDOCINO`); then the result is one of them
    /// if they have the same gfx target, else `None`.
    pub(crate) fn chip_by_code_name(&self, name: &str) -> Option<&Chip> {
        let name = name.trim();
        let name = name.strip_prefix("RADV ").unwrap_or(name);
        let named = |chip: &&Chip| chip.code_names.iter().any(|n| n.eq_ignore_ascii_case(name));
        chip::same_target(self.chips.iter().filter(named))
    }

    /// The chip of the product in `text`, such as `AMD Radeon RX 5600 XT (RADV NAVI10)`.
    ///
    /// The longest product name counts. `None` if it belongs to chips with different gfx targets;
    /// if their targets are equal, the target is certain and the chip is one of several.
    pub(crate) fn chip_by_name(&self, text: &str) -> Option<&Chip> {
        chip::named_in(&self.chips, text)
    }

    /// The facts about a GPU with one of these targets (any chip if empty); about one chip if
    /// `asic` names it.
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

    /// The facts about chips that print this page fault register; `None` if there is none.
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

    /// The form of the machine with this name, if the tables are unambiguous.
    pub(crate) fn form_of(&self, name: &str) -> Option<MachineForm> {
        model::form_of(&self.models, name)
    }

    /// The possible layouts of a page fault's status word, given the printed register name, the hub
    /// and the chip.
    pub(crate) fn fault_layouts<'h>(
        &'h self,
        register: Option<&'h str>,
        hub: Option<Hub>,
        silicon: Silicon<'h>,
    ) -> impl Iterator<Item = &'h FaultLayout> {
        self.layouts.iter().filter(move |layout| layout.fits(register, hub, silicon))
    }

    /// The only generation whose chips have a page fault register of this name, if it is unique.
    pub(crate) fn generation_of_register(&self, register: &str) -> Option<GfxGeneration> {
        let layouts = self.fault_layouts(Some(register), None, Silicon::Unknown);
        let mut generations = layouts.flat_map(|layout| &layout.gfx).map(GfxPattern::generation);
        let first = generations.next()?;
        generations.all(|other| other == first).then_some(first)
    }

    /// The name of UTCL2 client `cid` of `hub` on the chips `within`, or on any. `None` for an id
    /// without a name, and if the tables of the possible chips disagree.
    pub(crate) fn client_name(
        &self,
        hub: Hub,
        (silicon, within): (Silicon<'_>, &[&GfxPattern]),
        cid: u16,
        write: bool,
    ) -> Option<&str> {
        client::agreed(&self.clients, hub.into(), (silicon, within), cid, write)
    }

    /// All names that it has there.
    pub(crate) fn client_names(
        &self,
        hub: Hub,
        (silicon, within): (Silicon<'_>, &[&GfxPattern]),
        cid: u16,
        write: bool,
    ) -> Vec<&str> {
        client::possible(&self.clients, hub.into(), (silicon, within), cid, write)
    }

    /// The sources of tables in the kernel, each with the name of its table.
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

    /// The amdgpu parameter of this name, without `amdgpu.`; includes names in circulation that no
    /// kernel has.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        let name = name.strip_prefix("amdgpu.").unwrap_or(name);
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

#[cfg(test)]
pub(crate) mod tests;
