//! Adds fields that no line prints, from the hardware tables: decoded status registers, names of
//! chips. A new field of this kind is also listed in `lint/dead.rs`.

use super::Observed;
use super::asleep::tell_sleep;
use super::awake::tell_awakening;
use super::device::Device;
use super::log::Boot;
use super::space::Spaces;
use crate::decode::cross_check::{PrintedFields, disagreements};
use crate::decode::params::mask_reading;
use crate::decode::vm_fault::{Decoded, Origin, decoded, denied_by, possible_clients};
use crate::kind::{CommandLine, Event, PageFault};
use crate::pattern::hardware::{Hardware, Silicon};
use crate::value::field::Field;
use crate::value::{Disagreements, Hex, Hub, KernelVersion, Phrase, Text, Words};

/// Completes all events.
pub(super) fn complete(
    events: &mut [Observed],
    devices: &[Device],
    boots: &[Boot],
    hardware: &Hardware,
) {
    tell_sleep(events);
    tell_awakening(events);
    let mut spaces = Spaces::new(hardware);
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
                let raw = fault.status.as_ref().map(|status| status.raw);
                let reading = raw.map(|raw| decoded(raw, origin, hardware));
                let tried = raw.and_then(|raw| denied_by(raw, origin, hardware));
                match (reading, &mut fault.status) {
                    (Some(Decoded::Fields(bits)), Some(status)) => {
                        let names = possible_clients(&bits, origin, hardware);
                        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                        status.decoded = Some(bits);
                        check(fault);
                        fault.tried = tried.map(|tried| Phrase(tried.to_owned()));
                        name_client(fault, names);
                    }
                    (Some(Decoded::Cleared | Decoded::AllOnes), _) => forget(fault),
                    _ => {}
                }
                fault.hub = hub;
                fault.address = fault.address.or_else(|| fault.page.map(address_of_page));
                let (yes, is_empty) = (Text::const_new("yes"), raw == Some(0));
                let null = is_null(fault).then_some(yes);
                (fault.null, fault.emptied) = if is_empty { (None, null) } else { (null, None) };
                fault.space = spaces.of(fault, device, boots.get(observed.boot));
            }
            Event::RingTimeout(timeout) => {
                let finished = timeout.signaled.is_some() && timeout.signaled == timeout.emitted;
                timeout.finished = finished.then(|| Text::const_new("yes"));
            }
            Event::CommandLine(line) => {
                let kernel = boots.get(observed.boot).and_then(Boot::version);
                read_options(line, kernel, hardware);
            }
            Event::SavedCrash(crash) => {
                let silicon = device.map_or_else(Silicon::default, Device::silicon);
                super::saved_crash::complete(crash, silicon, hardware);
            }
            Event::GpuName(named) => {
                named.target = named.target.or_else(|| device.and_then(|device| device.target));
            }
            _ => {}
        }
        let event = &observed.event;
        observed.quoted.retain(|one| event.field(&one.field).is_some());
    }
}

/// The meaning of a kernel command line for amdgpu.
fn read_options(line: &mut CommandLine, kernel: Option<KernelVersion>, hardware: &Hardware) {
    let Some(text) = line.text.clone() else { return };
    let add = |slot: &mut Option<Words>, word: &str| {
        Field::absorb(slot, Words(vec![word.to_owned()]));
    };
    for word in text.split_whitespace() {
        add(&mut line.words, word);
        let Some((name, value)) = word.strip_prefix("amdgpu.").and_then(|o| o.split_once('='))
        else {
            continue;
        };
        // The kernel treats `-` and `_` alike.
        let name = name.replace('-', "_");
        let Some(parameter) = hardware.parameter(&name) else { continue };
        if parameter.exists_in(kernel) == Some(false) {
            add(&mut line.no_such, word);
        }
        let Some(mask) = mask_reading(parameter, value, kernel) else { continue };
        let power = name == "ppfeaturemask";
        for bit in &mask.added {
            add(if power { &mut line.power_added } else { &mut line.display_off }, &bit.name);
        }
        for bit in mask.cleared.iter().filter(|_| power) {
            add(&mut line.power_removed, &bit.name);
        }
        for bit in &mask.without_effect {
            add(&mut line.without_effect, &bit.name);
        }
    }
}

/// Records differences between the printed fields and the status word.
fn check(fault: &mut PageFault) {
    let Some(bits) = fault.status.as_ref().and_then(|status| status.decoded.as_ref()) else {
        return;
    };
    let word = |access: &Text| match access.as_str() {
        "read" => Some(false),
        "write" => Some(true),
        _ => None,
    };
    let protections = fault.protections.and_then(|bits| u32::try_from(bits.value).ok());
    let printed = PrintedFields {
        more_faults: fault.more_faults,
        walker_error: fault.walker_error,
        permission_faults: fault.permission_faults.or(protections),
        mapping_error: fault.mapping_error,
        client_id: fault.cid.or(fault.memory_client),
        // On gfx8 and older the name is from the client's own register, not from a table.
        client: fault.client.as_deref().filter(|_| fault.memory_client.is_none()),
        write: fault.rw.map(|rw| rw != 0).or_else(|| fault.access.as_ref().and_then(word)),
        vmid: fault.vmid,
    };
    let found = disagreements(bits, &printed);
    fault.disagrees = (!found.is_empty()).then_some(Disagreements(found));
}

/// What the driver prints for a number that its table does not have.
const UNNAMED: &str = "unknown";

/// Names the engine that made an access from the number in the status register, unless the driver
/// names it; `names` are the possible ones.
fn name_client(fault: &mut PageFault, names: Vec<String>) {
    if fault.client.as_deref().is_some_and(|printed| printed != UNNAMED) {
        return;
    }
    let bits = fault.status.as_ref().and_then(|status| status.decoded.as_ref());
    fault.client = bits.and_then(|bits| bits.client.as_deref()).map(Text::from);
    if fault.client.is_none() && !names.is_empty() {
        fault.clients = Some(Words(names));
    }
}

/// Whether the access was to address 0, where memory of programs does not begin.
///
/// Source: `amdgpu_gem_va_ioctl()` of `amdgpu_gem.c` refuses it; `kfd_flat_memory.c` tells programs
/// a higher beginning, `SVM_USER_BASE`, which it does not enforce.
fn is_null(fault: &PageFault) -> bool {
    let of_a_program =
        fault.vmid.is_some_and(|vmid| vmid != 0) && fault.pasid.is_some_and(|id| id != 0);
    of_a_program && fault.address.is_some_and(|address| address.value == 0)
}

/// The address of a page of the GPU's memory: chips up to gfx8 report its number.
fn address_of_page(page: u64) -> Hex {
    const PAGE_BITS: u32 = 12;
    Hex { value: page << PAGE_BITS, digits: 12 }
}

/// Drops printed fields of a status word without information: `CB/DB` with an all-zero word is just
/// entry 0 of the table.
fn forget(fault: &mut PageFault) {
    fault.client = None;
    fault.cid = None;
    fault.more_faults = None;
    fault.walker_error = None;
    fault.permission_faults = None;
    fault.mapping_error = None;
    fault.rw = None;
}

/// The hub that has this register.
fn hub_of(register: &str) -> Option<Hub> {
    match register.get(..2)? {
        "GC" => Some(Hub::Gfx),
        "MM" => Some(Hub::Mm),
        _ => None,
    }
}
