//! What is known about the hardware and the driver's settings: `patterns/hardware/*.toml` read into
//! tables that can be asked.
//!
//! Knows nothing of logs and of what a value in a log means; [`crate::decode`] applies the tables.
//! Compiled into the library and into the build script, which stores the built-in tables read.

mod bitfield;
mod chip;
mod client;
mod enumeration;
mod fault;
mod names;
mod parameter;
mod ring;
mod silicon;
mod span;

use serde::{Deserialize, Serialize};

use crate::pattern::fields::Fields;
use crate::pattern::source::Sources;
use crate::value::{GfxGeneration, Hub, KernelVersion, PciId};

pub use bitfield::{Bitfield, BitfieldKind, WordField};
pub use chip::{Chip, Device};
pub use client::{ClientTable, Numbering};
pub use enumeration::{Entry, Enumeration, EnumerationKind, NotAnEnumerationKind};
pub use fault::{Bits, FaultLayout, NotBits, Permission};
pub use names::KernelNames;
pub use parameter::{Life, Mask, MaskBit, Parameter};
pub use ring::RingForm;
pub use silicon::{Fit, GfxPattern, NotAGfxPattern, Silicon};
pub use span::Span;

/// The tables of all hardware files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardware {
    chips: Vec<Chip>,
    layouts: Vec<FaultLayout>,
    clients: Vec<ClientTable>,
    parameters: Vec<Parameter>,
    enumerations: Vec<Enumeration>,
    rings: Vec<RingForm>,
    bitfields: Vec<Bitfield>,
    names: KernelNames,
    /// The kernel series of which the parameters were looked up, oldest first.
    checked: Vec<KernelVersion>,
}

impl Hardware {
    /// Adds what one file says. A file may hold any of the tables; a mistake drops the entry that
    /// it stands in and is noted in `sources`.
    pub fn read_file(&mut self, sources: &mut Sources<'_>, file: usize, mut root: Fields<'_>) {
        debug_assert_eq!(root.place().file, file, "the table is of another file");
        for table in root.tables(sources, "chip") {
            self.add_chip(sources, table);
        }
        for table in root.tables(sources, "layout") {
            self.layouts.extend(FaultLayout::read(sources, table));
        }
        for table in root.tables(sources, "clients") {
            self.clients.extend(ClientTable::read(sources, table));
        }
        if let Some(names) = root.table(sources, "names") {
            self.names.read_names(sources, names);
        }
        for table in root.tables(sources, "generation") {
            self.names.read_generation(sources, table);
        }
        let checked = span::read_checked(sources, &mut root);
        if !checked.is_empty() {
            self.checked = checked;
        }
        for table in root.tables(sources, "parameter") {
            self.add_parameter(sources, table);
        }
        for table in root.tables(sources, "mask") {
            self.add_mask(sources, table);
        }
        for table in root.tables(sources, "enumeration") {
            self.enumerations.extend(Enumeration::read(sources, table, &self.checked));
        }
        for table in root.tables(sources, "ring") {
            self.rings.extend(RingForm::read(sources, table));
        }
        for table in root.tables(sources, "bitfield") {
            self.bitfields.extend(Bitfield::read(sources, table));
        }
        root.finish(sources);
    }

    fn add_chip(&mut self, sources: &mut Sources<'_>, table: Fields<'_>) {
        let taken = |id: PciId| self.chip_by_pci(id).map(|chip| chip.asic.clone());
        // A second chip of one name is how a user's file adds ids to a built-in one.
        let chip = Chip::read(sources, table, &taken);
        self.chips.extend(chip);
    }

    fn add_parameter(&mut self, sources: &mut Sources<'_>, table: Fields<'_>) {
        let place = table.place().clone();
        if let Some(parameter) = Parameter::read(sources, table, &self.checked) {
            if self.parameter(&parameter.name).is_some() {
                let name = &parameter.name;
                sources.mistake(&place, format!("there is a parameter `{name}` already"));
            }
            self.parameters.push(parameter);
        }
    }

    fn add_mask(&mut self, sources: &mut Sources<'_>, mut table: Fields<'_>) {
        let Some(name) = table.required_text(sources, "parameter") else { return };
        let mask = Mask::read(sources, table, &self.checked);
        let found = self.parameters.iter_mut().find(|parameter| parameter.name == name.value);
        match found {
            None => {
                let what = format!("there is no parameter `{}`", name.value);
                sources.mistake_with_hint(&name.place, what, "its [[parameter]] comes first");
            }
            Some(parameter) if parameter.mask.is_some() => {
                let what = format!("the bits of `{}` were told already", name.value);
                sources.mistake(&name.place, what);
            }
            Some(parameter) => parameter.mask = Some(mask),
        }
    }

    /// All chips, in the order of the files.
    #[must_use]
    pub fn chips(&self) -> &[Chip] {
        &self.chips
    }

    /// All parameters, in the order of the files.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// All enumerations, in the order of the files.
    #[must_use]
    pub fn enumerations(&self) -> &[Enumeration] {
        &self.enumerations
    }

    /// The enumerations of this kind.
    pub fn enumerations_of(&self, kind: EnumerationKind) -> impl Iterator<Item = &Enumeration> {
        self.enumerations.iter().filter(move |enumeration| enumeration.kind == kind)
    }

    /// The forms of ring names, in the order of the files.
    #[must_use]
    pub fn rings(&self) -> &[RingForm] {
        &self.rings
    }

    /// The layouts of words of this kind, in the order of the files.
    pub fn bitfields(&self, kind: BitfieldKind) -> impl Iterator<Item = &Bitfield> {
        self.bitfields.iter().filter(move |bitfield| bitfield.kind == kind)
    }

    /// All tables of client names, in the order of the files.
    #[must_use]
    pub fn client_tables(&self) -> &[ClientTable] {
        &self.clients
    }

    /// Whose the names in the kernel are.
    #[must_use]
    pub const fn names(&self) -> &KernelNames {
        &self.names
    }

    /// The chips whose graphics block has this version: `11.0.0`.
    pub fn chips_by_gc(&self, version: &str) -> impl Iterator<Item = &Chip> {
        self.chips.iter().filter(move |chip| chip.gc.iter().any(|gc| gc == version))
    }

    /// The chip with this PCI id.
    #[must_use]
    pub fn chip_by_pci(&self, id: PciId) -> Option<&Chip> {
        self.chips.iter().find(|chip| chip.device(id).is_some())
    }

    /// The chip that the driver or Mesa calls `name`: `VEGA20`, `NAVI31`, also with `RADV ` before.
    ///
    /// Some names stand for several chips (`RAPHAEL_MENDOCINO`); then this is one of them if all
    /// have the same gfx target, and none otherwise.
    #[must_use]
    pub fn chip_by_code_name(&self, name: &str) -> Option<&Chip> {
        let name = name.trim();
        let name = name.strip_prefix("RADV ").unwrap_or(name);
        let named = |chip: &&Chip| chip.code_names.iter().any(|n| n.eq_ignore_ascii_case(name));
        chip::same_target(self.chips.iter().filter(named))
    }

    /// The chip of the product that `text` names, such as `AMD Radeon RX 5600 XT (RADV NAVI10)`.
    ///
    /// The longest product name counts. `None` where the names found belong to chips with different
    /// gfx targets; where they agree in it, the target is certain and the chip is one of several.
    #[must_use]
    pub fn chip_by_name(&self, text: &str) -> Option<&Chip> {
        chip::named_in(&self.chips, text)
    }

    /// The layouts that a page fault's status word may have, by the register name printed before
    /// it, the hub, and what is known of the chip.
    pub fn fault_layouts<'h>(
        &'h self,
        register: Option<&'h str>,
        hub: Option<Hub>,
        silicon: Silicon<'h>,
    ) -> impl Iterator<Item = &'h FaultLayout> {
        self.layouts.iter().filter(move |layout| layout.fits(register, hub, silicon))
    }

    /// The generation of the chips that have a page-fault register of this name, if it is only one.
    #[must_use]
    pub fn generation_of_register(&self, register: &str) -> Option<GfxGeneration> {
        let layouts = self.fault_layouts(Some(register), None, Silicon::Unknown);
        let mut generations = layouts.flat_map(|layout| &layout.gfx).map(GfxPattern::generation);
        let first = generations.next()?;
        generations.all(|other| other == first).then_some(first)
    }

    /// The name of UTCL2 client `cid` of `hub`. `None` for an id without a name, and where what is
    /// known of the chip leaves tables that disagree.
    #[must_use]
    pub fn client_name(
        &self,
        hub: Hub,
        silicon: Silicon<'_>,
        cid: u16,
        write: bool,
    ) -> Option<&str> {
        client::agreed(&self.clients, hub.into(), silicon, cid, write)
    }

    /// The name of an interrupt client: `from client 27` of a page fault. Not the engine at fault.
    #[must_use]
    pub fn interrupt_client_name(&self, silicon: Silicon<'_>, client: u16) -> Option<&str> {
        client::agreed(&self.clients, Numbering::Interrupt, silicon, client, false)
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
