//! What the tables of the hardware add to events: status registers decoded, GPUs named.

use super::Observed;
use super::device::Device;
use super::kinds::Event;
use crate::decode::vm_fault::{Decoded, Origin, decoded};
use crate::pattern::hardware::{Hardware, Silicon};
use crate::value::Hub;

/// Completes all events for which the tables know more than the line says.
pub(super) fn complete(events: &mut [Observed], devices: &[Device], hardware: &Hardware) {
    for observed in events {
        let (boot, address) = (observed.boot, observed.device);
        let device = devices.iter().find(|d| d.boot == boot && d.address == address);
        match &mut observed.event {
            Event::PageFault(fault) => {
                let register = fault.register.as_deref();
                let hub = fault.hub.or_else(|| register.and_then(hub_of));
                let silicon = device.map_or_else(Silicon::default, Device::silicon);
                let origin = Origin { register, hub, silicon };
                if let Some(status) = &mut fault.status {
                    if let Decoded::Fields(bits) = decoded(status.raw, origin, hardware) {
                        status.decoded = Some(bits);
                    }
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

/// The hub whose register this is.
fn hub_of(register: &str) -> Option<Hub> {
    match register.get(..2)? {
        "GC" => Some(Hub::Gfx),
        "MM" => Some(Hub::Mm),
        _ => None,
    }
}
