//! Detects that a block of the GPU is not set up for lack of a firmware file: the kernel reports
//! the file, and in the next line the driver reports the block to which it belongs.

use super::Observed;
use crate::kind::{Event, FirmwareMissing, IpBlockFailed};
use crate::pattern::hardware::KernelNames;
use crate::value::Micros;

/// Maximum time between the two lines.
const AT_ONCE: Micros = Micros::seconds(1);

/// Sets `stops` in missing files.
pub(super) fn tell_lacking(events: &mut [Observed], names: &KernelNames) {
    for at in 1..events.len() {
        let Some([before, after]) = events.get_mut(at - 1..=at) else { continue };
        let span = before.stamp.elapsed(&after.stamp);
        let is_near = before.boot == after.boot && span.is_none_or(|span| span <= AT_ONCE);
        let is_same = before.device.is_none() || before.device == after.device;
        if let (Event::FirmwareMissing(missing), Event::IpBlockFailed(failed)) =
            (&mut before.event, &after.event)
            && is_near
            && is_same
            && belongs(missing, failed, names)
        {
            missing.stops.clone_from(&failed.ip);
        }
    }
}

/// Whether the file is one of the block, and the block was not set up.
fn belongs(missing: &FirmwareMissing, failed: &IpBlockFailed, names: &KernelNames) -> bool {
    let (Some(file), Some(ip)) = (&missing.file, &failed.ip) else { return false };
    let is_setup = matches!(failed.phase.as_deref(), Some("early_init" | "sw_init"));
    is_setup && names.is_firmware_of(file, ip)
}

#[cfg(test)]
mod tests {
    use crate::event::log::tests::log;

    /// The block that a missing file stops.
    fn stopped(file: &str, block: &str) -> Option<String> {
        let log = log(&format!(
            "[    3.100000] amdgpu 0000:03:00.0: Direct firmware load for amdgpu/{file} failed with error -2\n\
             [    3.100100] [drm:amdgpu_device_init [amdgpu]] *ERROR* early_init of IP block <{block}> failed -19\n"
        ));
        log.events.first().unwrap().event.text("stops").map(str::to_owned)
    }

    #[test]
    fn a_file_stops_the_block_to_which_it_belongs() {
        for (file, block, stops) in [
            ("psp_13_0_7_ta.bin", "psp", true),
            ("vcn_4_0_4.bin", "vcn_v4_0", true),
            ("gc_11_0_0_pfp.bin", "gfx_v11_0", true),
            ("navi10_mes.bin", "gfx_v10_0", false),
            ("vcn_4_0_4.bin", "psp", false),
        ] {
            assert_eq!(stopped(file, block).as_deref(), stops.then_some(block), "{file} {block}");
        }
    }
}
