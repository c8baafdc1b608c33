//! Page faults completed: the status register decoded for the chip that printed it.

use super::Observed;
use super::device::Device;
use super::kinds::Event;
use crate::decode::vm_fault::{Decoded, decoded};
use crate::pattern::hardware::{Hardware, Silicon};
use crate::value::Hub;

/// Decodes the status registers of all page faults.
pub fn decode(events: &mut [Observed], devices: &[Device], hardware: &Hardware) {
    for observed in events {
        let Event::PageFault(fault) = &mut observed.event else { continue };
        let device = devices
            .iter()
            .find(|device| device.boot == observed.boot && device.address == observed.device);
        let silicon = device.map_or_else(Silicon::default, Device::silicon);
        let register = register(&observed.text);
        let hub = fault.hub.or_else(|| register.and_then(hub_of));
        if let Some(status) = &mut fault.status {
            if let Decoded::Fields(bits) = decoded(status.raw, register, hub, silicon, hardware) {
                status.decoded = Some(bits);
            }
        }
    }
}
