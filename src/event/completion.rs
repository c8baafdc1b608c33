//! What the tables of the hardware add to events: status registers decoded, GPUs named.

use super::Observed;
use super::device::Device;
use super::kinds::{Event, PageFault};
use crate::decode::vm_fault::{Decoded, Origin, decoded};
use crate::pattern::hardware::{Hardware, Silicon};
use crate::value::Hub;

/// Completes all events for which the tables know more than the line says.
pub(super) fn complete(events: &mut [Observed], devices: &[Device], hardware: &Hardware) {
    for observed in events {
        let key = (observed.boot, observed.device);
        let found = devices.binary_search_by_key(&key, |device| (device.boot, device.address));
        let device = found.ok().and_then(|index| devices.get(index));
        match &mut observed.event {
            Event::PageFault(fault) => {
                let register = fault.register.as_deref();
                let hub = fault.hub.or_else(|| register.and_then(hub_of));
                let silicon = device.map_or_else(Silicon::default, Device::silicon);
                let origin = Origin { register, hub, silicon };
                let decoded =
                    fault.status.as_ref().map(|status| decoded(status.raw, origin, hardware));
                match (decoded, &mut fault.status) {
                    (Some(Decoded::Fields(bits)), Some(status)) => status.decoded = Some(bits),
                    (Some(Decoded::Cleared | Decoded::AllOnes), _) => forget(fault),
                    _ => {}
                }
                fault.hub = hub;
            }
            Event::GpuName(named) => {
                named.target = named.target.or_else(|| device.and_then(|device| device.target));
            }
            _ => {}
        }
    }
}

/// Drops what the driver printed of a status word that means nothing: `CB/DB` beside an all-zero
/// word is entry 0 of a table, and no engine.
fn forget(fault: &mut PageFault) {
    fault.client = None;
    fault.cid = None;
    fault.more_faults = None;
    fault.walker_error = None;
    fault.permission_faults = None;
    fault.mapping_error = None;
    fault.rw = None;
}

/// The hub whose register this is.
fn hub_of(register: &str) -> Option<Hub> {
    match register.get(..2)? {
        "GC" => Some(Hub::Gfx),
        "MM" => Some(Hub::Mm),
        _ => None,
    }
}
