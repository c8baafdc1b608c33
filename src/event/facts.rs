//! What lines show about GPUs apart from events.

use std::collections::{BTreeMap, BTreeSet};

use super::by_device::ByDevice;
use super::setup::{LEAD_IN, names_a_chip};
use super::sparse::Sparse;
use crate::kind::Event;
use crate::value::{GfxGeneration, PciAddress};

/// Maximum number of GPUs; no machine has as many, but a log may name any number.
const MOST_GPUS: usize = 8192;

/// What lines say of GPUs besides their events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Records in which the driver names a GPU, in order.
    seen: Sparse<PciAddress>,
    known: ByDevice<PciAddress, ()>,
    /// Records in which the driver names a chip; the lines around them show which GPU has it.
    chips: Vec<u64>,
    pub(super) functions: Sparse<(Option<PciAddress>, GfxGeneration)>,
    pub(super) virtual_functions: Sparse<Option<PciAddress>>,
    pub(super) packages: Sparse<()>,
    others: Sparse<()>,
}

impl Facts {
    /// Records that the driver printed record `sequence` about `device`.
    pub(crate) fn see(&mut self, sequence: u64, device: Option<PciAddress>) {
        if let Some(device) = device {
            self.seen.push(sequence, device, 2 * LEAD_IN, &self.chips);
            self.known.change(device, |()| ());
        }
    }

    /// Records that another GPU's driver printed record `sequence`.
    pub(crate) fn see_another_driver(&mut self, sequence: u64) {
        self.others.push(sequence, (), 0, &[]);
    }

    /// Records that record `sequence` began `event`.
    pub(super) fn begin(&mut self, sequence: u64, event: &Event) {
        if names_a_chip(event) {
            self.chips.push(sequence);
        }
    }

    /// Whether `device` is known, or can be added.
    #[must_use]
    pub(super) fn has_room(&self, device: PciAddress) -> bool {
        self.known.len() < MOST_GPUS || self.knows(device)
    }

    /// Forgets repeated GPU names before record `from`, and all but the last foreign driver's
    /// record.
    pub(crate) fn forget(&mut self, from: u64) {
        let mut known = BTreeSet::new();
        self.seen.retain(|sequence, device| known.insert(device) || sequence >= from);
        let last = self.others.between(0, from).last().map(|(sequence, ())| *sequence);
        self.others.retain(|sequence, ()| sequence >= from || Some(sequence) == last);
    }

    /// Whether the driver printed something about `device`.
    #[must_use]
    pub(crate) fn knows(&self, device: PciAddress) -> bool {
        self.known.has(device)
    }

    /// Records that a function of this generation printed record `sequence`.
    pub(crate) fn learn(
        &mut self,
        sequence: u64,
        device: Option<PciAddress>,
        generation: GfxGeneration,
    ) {
        let new = (device, generation);
        if self.functions.last() != Some(new) {
            self.functions.push(sequence, new, 0, &[]);
        }
    }

    /// Records that record `sequence` lists a module of AMD's driver package.
    pub(crate) fn learn_package(&mut self, sequence: u64) {
        self.packages.push(sequence, (), 0, &[]);
    }

    /// Records that the driver prints record `sequence` only of virtual functions.
    pub(crate) fn learn_virtual(&mut self, sequence: u64, device: Option<PciAddress>) {
        if self.virtual_functions.last() != Some(device) {
            self.virtual_functions.push(sequence, device, 0, &[]);
        }
    }

    /// Whether another GPU's driver printed something between these records.
    #[must_use]
    pub(crate) fn has_others(&self, from: u64, to: u64) -> bool {
        !self.others.between(from, to).is_empty()
    }

    /// The records between these two in which the driver names a GPU.
    pub(super) fn between(&self, from: u64, to: u64) -> &[(u64, PciAddress)] {
        self.seen.between(from, to)
    }

    /// The only device that the driver names between these records; `None` if there are several or
    /// none.
    pub(super) fn only_between(&self, from: u64, to: u64) -> Option<PciAddress> {
        let (_, only) = *self.between(from, to).first()?;
        self.other_between(only, from, to).is_none().then_some(only)
    }

    /// The first record between these in which the driver names a GPU other than `device`.
    pub(super) fn other_between(&self, device: PciAddress, from: u64, to: u64) -> Option<u64> {
        let mut named = self.between(from, to).iter();
        named.find(|(_, named)| *named != device).map(|(sequence, _)| *sequence)
    }

    /// The GPUs that the driver names in each boot.
    #[must_use]
    pub(crate) fn by_boot(
        &self,
        boot_of: impl Fn(u64) -> usize,
    ) -> BTreeMap<usize, Vec<PciAddress>> {
        let mut found: BTreeMap<usize, BTreeSet<PciAddress>> = BTreeMap::new();
        for (sequence, address) in self.seen.iter() {
            found.entry(boot_of(*sequence)).or_default().insert(*address);
        }
        found.into_iter().map(|(boot, devices)| (boot, devices.into_iter().collect())).collect()
    }
}
