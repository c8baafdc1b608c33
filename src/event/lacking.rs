//! Detects that a block of the GPU is not set up for lack of a firmware file: the kernel reports
//! the file, and in the next line the driver reports the block to which it belongs.

use super::Observed;
use crate::kind::{Event, FirmwareMissing, IpBlockFailed};
use crate::value::Micros;

/// Maximum time between the two lines.
const AT_ONCE: Micros = Micros::seconds(1);

/// Blocks, by how their names begin, and what the names of their files have between `_` or before
/// `.bin`.
///
/// Source: `amdgpu_ucode_request()` in `amdgpu_psp.c`, `amdgpu_vcn.c`, `gfx_v11_0.c`,
/// `amdgpu_sdma.c`, `amdgpu_mes.c`,
/// `amdgpu_vpe.c`, `amdgpu_uvd.c`, `amdgpu_vce.c`, `amdgpu_umsch_mm.c` and those beside them.
const FILES: [(&str, &[&str]); 11] = [
    ("psp", &["psp", "sos", "asd", "ta", "toc", "cap"]),
    ("gfx", &["pfp", "me", "mec", "mec2", "ce", "rlc", "imu"]),
    ("vcn", &["vcn"]),
    ("uvd", &["uvd"]),
    ("vce", &["vce"]),
    ("vpe", &["vpe"]),
    ("sdma", &["sdma", "sdma1"]),
    ("mes", &["mes", "mes1"]),
    ("umsch", &["umsch"]),
    ("gmc", &["mc"]),
    ("dm", &["dmcub", "dmcu"]),
];

/// Sets `stops` in missing files.
pub(super) fn tell_lacking(events: &mut [Observed]) {
    for at in 1..events.len() {
        let Some([before, after]) = events.get_mut(at - 1..=at) else { continue };
        let span = before.stamp.elapsed(&after.stamp);
        let is_near = before.boot == after.boot && span.is_none_or(|span| span <= AT_ONCE);
        let is_same = before.device.is_none() || before.device == after.device;
        if let (Event::FirmwareMissing(missing), Event::IpBlockFailed(failed)) =
            (&mut before.event, &after.event)
            && is_near
            && is_same
            && belongs(missing, failed)
        {
            missing.stops.clone_from(&failed.ip);
        }
    }
}

/// Whether the file is one of the block, and the block was not set up.
fn belongs(missing: &FirmwareMissing, failed: &IpBlockFailed) -> bool {
    let (Some(file), Some(ip)) = (&missing.file, &failed.ip) else { return false };
    let is_setup = matches!(failed.phase.as_deref(), Some("early_init" | "sw_init"));
    let name = file.rsplit('/').next().unwrap_or_default().trim_end_matches(".bin");
    let block = FILES.iter().find(|(block, _)| ip.starts_with(block));
    is_setup && block.is_some_and(|(_, files)| name.split('_').any(|part| files.contains(&part)))
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
