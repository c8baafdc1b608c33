//! The owner of the address space of a page fault; it depends on the chip, and on whether the
//! driver has queues of its own.

use std::collections::BTreeMap;

use super::device::Device;
use super::log::{Boot, Log};
use crate::kind::{Event, PageFault};
use crate::pattern::hardware::{ChipFacts, Hardware};
use crate::value::AddressSpace;

/// Cached facts about chips that a log does not name.
#[derive(Debug)]
pub(super) struct Spaces<'h> {
    hardware: &'h Hardware,
    any_chip: ChipFacts,
    /// Facts common to the chips that print a register.
    by_register: BTreeMap<String, ChipFacts>,
}

impl<'h> Spaces<'h> {
    pub(super) fn new(hardware: &'h Hardware) -> Self {
        let any_chip = hardware.facts(None, &[], None);
        Self { hardware, any_chip, by_register: BTreeMap::new() }
    }

    /// The owner of the address space of a fault; `None` if the chip is not known well enough.
    pub(super) fn of(
        &mut self,
        fault: &PageFault,
        device: Option<&Device>,
        boot: Option<&Boot>,
    ) -> Option<AddressSpace> {
        // The first line has it; where that is missing, the status word has it, too.
        let status = fault.status.as_ref().and_then(|status| status.decoded.as_ref());
        let vmid = fault.vmid.or_else(|| status.map(|bits| bits.vmid.into()))?;
        let named = device.filter(|device| device.generation.is_some());
        let facts = match (named, fault.register.as_deref()) {
            (Some(device), _) => device.facts,
            (None, Some(register)) => self.of_register(register),
            (None, None) => self.any_chip,
        };
        facts.address_space(vmid, boot.is_some_and(Boot::has_user_queues_only))
    }

    fn of_register(&mut self, register: &str) -> ChipFacts {
        if let Some(known) = self.by_register.get(register) {
            return *known;
        }
        let facts = self.hardware.facts_by_register(register).unwrap_or(self.any_chip);
        self.by_register.insert(register.to_owned(), facts);
        facts
    }
}

/// Recomputes it for all page faults of a log after more is known about its GPUs.
pub(crate) fn tell_spaces(log: &mut Log, hardware: &Hardware) {
    let mut spaces = Spaces::new(hardware);
    for observed in &mut log.events {
        let key = (observed.boot, observed.device);
        let devices = &log.devices;
        let found = devices.binary_search_by_key(&key, |device| (device.boot, device.address));
        let device = found.ok().and_then(|index| devices.get(index));
        if let Event::PageFault(fault) = &mut observed.event {
            fault.space = spaces.of(fault, device, log.boots.get(observed.boot));
        }
    }
}
