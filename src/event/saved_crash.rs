//! Completes a saved crash (device coredump) from the hardware tables: its page fault in words,
//! busy blocks, firmware versions.

use crate::decode::busy::busy_blocks;
use crate::decode::vm_fault::{Decoded, Origin, decoded, denied_by};
use crate::kind::SavedCrash;
use crate::pattern::hardware::{Hardware, Silicon};
use crate::value::field::FaultStatus;
use crate::value::{GfxGeneration, GfxTarget, Hub, Phrase, Ring, RingKind, Words};

/// Completes a saved crash of a GPU with this chip.
pub(super) fn complete(crash: &mut SavedCrash, silicon: Silicon<'_>, hardware: &Hardware) {
    crash.engine = crash.ring.as_ref().map(|ring| Phrase(engine(ring).to_owned()));
    if let Some(status) = &mut crash.status {
        let hub = crash.hub.filter(|hub| is_sure(*hub, silicon));
        let origin = Origin { register: None, hub, silicon };
        let said = match decoded(status.raw, origin, hardware) {
            Decoded::Fields(bits) => {
                status.decoded = Some(bits);
                access(status, origin, hardware)
            }
            Decoded::AllOnes => {
                format!(
                    "status {}: the device did not answer",
                    crate::value::Hex::register(status.raw)
                )
            }
            Decoded::Cleared | Decoded::UnknownLayout => {
                format!("status {}", crate::value::Hex::register(status.raw))
            }
        };
        let hub = hub.map(|hub| format!(" on {hub}")).unwrap_or_default();
        let address = crash.address.map(|address| format!(", at {address}")).unwrap_or_default();
        crash.fault = Some(Phrase(format!("{said}{hub}{address}")));
    }
    for word in crash.registers.iter_mut().flat_map(|words| &mut words.0) {
        *word = word.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let registers = crash.registers.as_ref().map(|words| words.0.as_slice()).unwrap_or_default();
    let busy = busy_blocks(registers.iter().filter_map(|word| register(word)), silicon, hardware);
    crash.busy = (!busy.is_empty()).then_some(Words(busy));
}

/// The kind of a ring, to precede the word "ring".
fn engine(ring: &Ring) -> &'static str {
    match ring.kind() {
        RingKind::Graphics => "graphics",
        RingKind::Compute => "compute",
        RingKind::Sdma => "copy engine (SDMA)",
        RingKind::Jpeg => "JPEG",
        RingKind::Video => "video",
        RingKind::Vpe => "video processing (VPE)",
        RingKind::Control => "control",
        RingKind::Other => "GPU",
    }
}

/// The access, and the client that made it.
fn access(status: &FaultStatus, origin: Origin<'_>, hardware: &Hardware) -> String {
    let bits = status.decoded.as_ref();
    let tried = if bits.is_some_and(|bits| bits.write) { "a write" } else { "a read" };
    let tried = denied_by(status.raw, origin, hardware).unwrap_or(tried);
    let client = bits.and_then(|bits| bits.client.as_ref());
    let client = client.map(|client| format!(", by {client}")).unwrap_or_default();
    format!("{tried}{client}")
}

/// Whether the hub is certain. The dump prints `mmhub` for every hub but the first, and chips with
/// several dies have several graphics hubs.
///
/// Source: `amdgpu_dev_coredump.c` (`fault_info->vmhub ? "mmhub" : "gfxhub"`), `amdgpu_gmc.h`
/// (`AMDGPU_GFXHUB_START`), `gmc_v9_0.c` (`gmc_v9_0_sw_init`, IP version 9.4.3 and later).
fn is_sure(hub: Hub, silicon: Silicon<'_>) -> bool {
    let has_one = |target: &GfxTarget| {
        let name = target.to_string();
        !["gfx94", "gfx95", "gfx125"].iter().any(|dies| name.starts_with(dies))
    };
    match (hub, silicon) {
        (Hub::Gfx, _) => true,
        (Hub::Mm, Silicon::Target(target)) => has_one(&target),
        (Hub::Mm, Silicon::OneOf(targets)) => targets.iter().all(has_one),
        (Hub::Mm, Silicon::Generation(GfxGeneration(generation))) => matches!(generation, 10 | 11),
        (Hub::Mm, Silicon::Unknown) => false,
    }
}

/// Parses a register and its value: `GRBM_STATUS 0xa0003028`.
fn register(word: &str) -> Option<(&str, u32)> {
    let (name, value) = word.split_once(' ')?;
    let digits = value.strip_prefix("0x")?;
    Some((name, u32::from_str_radix(digits, 16).ok()?))
}

/// Firmware versions by name, in the form of logs: `mes` and `0x0000004b`. Version 0 is not loaded.
pub(super) fn firmware(crash: &SavedCrash) -> impl Iterator<Item = (String, String)> {
    let words = crash.firmware.as_ref().map(|words| words.0.as_slice()).unwrap_or_default();
    words.iter().filter_map(|word| {
        let (name, rest) = word.split_once(" feature version: ")?;
        let (_, version) = rest.rsplit_once("version: ")?;
        let value = u32::from_str_radix(version.strip_prefix("0x")?, 16).ok()?;
        let name = match name {
            "DMCUB" => "dmub".to_owned(),
            other => other.to_ascii_lowercase().replace(' ', "_"),
        };
        (value != 0).then(|| (name, version.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::conclusions;
    use crate::event::Observed;
    use crate::event::log::tests::log;
    use crate::kind::Event;

    /// A dump of gfx1100 with this status word.
    fn dump(status: &str, hub: &str) -> String {
        format!(
            "**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 6.17.8\nmodule: amdgpu\n\
             time: 2659.512345678\nprocess_name: game.exe PID: 4711\n\n\
             SOC Information\nSOC Device id: 29772\n\n\
             HW IP Version Information\nHWIP: GC[1][0]: v11.0.0.0.0\n\n\
             IP Firmwares\nMES feature version: 1, fw version: 0x0000004b\n\
             DMCUB feature version: 0, fw version: 0x00000000\n\n\
             Ring timed out details\nIP Type: 2 Ring Name: sdma0\n\n\
             [{hub}] Page fault observed\n\
             Faulty page starting at address: 0x0000800102a00000\n\
             Protection fault status register: {status}\n\n\
             IP Dump\nIP: gfx_v11_0\nregGRBM_STATUS    \t 0xe0003028\n\
             regGRBM_STATUS2   \t 0x10000008\nregGRBM_STATUS2   \t 0x70000008\n\n\
             Ring buffer information\nVRAM lost check is skipped!\n"
        )
    }

    fn crashes(text: &str) -> Vec<SavedCrash> {
        let crash = |observed: Observed| {
            let Event::SavedCrash(crash) = observed.event else { return None };
            Some(*crash)
        };
        log(text).events.into_iter().filter_map(crash).collect()
    }

    #[test]
    fn a_dump_shows_engine_fault_and_busy_blocks() {
        let found = crashes(&dump("0x501030", "gfxhub"));
        let [crash] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(crash.engine, Some(Phrase("copy engine (SDMA)".to_owned())));
        let fault = "a read from an address where nothing is mapped, by TCP on gfxhub, at 0x0000800102a00000";
        assert_eq!(crash.fault.as_ref().map(|fault| fault.0.as_str()), Some(fault));
        assert_eq!(crash.busy, Some(Words(["CP", "CB", "CPF"].map(str::to_owned).to_vec())));
        assert_eq!(crash.phase.as_deref(), Some("timeout"));
        let known = log(&dump("0x501030", "gfxhub"));
        let [device] = known.devices.as_slice() else { panic!("{:?}", known.devices) };
        let firmware: Vec<_> = device.firmware.iter().collect();
        assert_eq!(firmware, [(&"mes".to_owned(), &"0x0000004b".to_owned())]);
        assert_eq!(known.boots[0].kernel.as_deref(), Some("6.17.8"));
    }

    #[test]
    fn an_empty_status_is_not_a_fault() {
        assert_eq!(crashes(&dump("0x0", "gfxhub"))[0].fault, None);
        let gone = crashes(&dump("0xffffffff", "gfxhub")).remove(0).fault.unwrap().0;
        assert!(gone.starts_with("status 0xffffffff: the device did not answer"), "{gone}");
    }

    /// The dump prints `mmhub` for every hub but the first.
    #[test]
    fn a_chip_of_several_dies_has_several_hubs() {
        let dies = dump("0x501030", "mmhub").replace("29772", "29857").replace("v11.0.0", "v9.4.3");
        let fault = crashes(&dies).remove(0).fault.unwrap().0;
        assert!(!fault.contains("mmhub"), "{fault}");
        let fault = crashes(&dump("0x501030", "mmhub")).remove(0).fault.unwrap().0;
        assert!(fault.contains("on mmhub"), "{fault}");
    }

    #[test]
    fn of_several_dumps_each_keeps_its_own() {
        let other = dump("0x0", "gfxhub").replace("sdma0", "gfx_0.0.0").replace("4711", "4712");
        let found = crashes(&[dump("0x501030", "gfxhub"), other].concat());
        let said = |crash: &SavedCrash| (crash.pid, crash.fault.is_some(), crash.ring.clone());
        let said: Vec<_> = found.iter().map(said).collect();
        let want = [(Some(4711), true, "sdma0"), (Some(4712), false, "gfx_0.0.0")];
        assert_eq!(said, want.map(|(pid, fault, ring)| (pid, fault, Some(Ring(ring.into())))));
    }

    /// A dump can be cut anywhere, and the part that was read is kept.
    #[test]
    fn a_dump_may_be_cut_anywhere() {
        let whole = dump("0x501030", "gfxhub");
        let patterns = crate::builtin::patterns();
        let first = whole.find('\n').unwrap();
        for end in (first..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let text = &whole[..end];
            let found = conclusions(&log(text), &patterns);
            assert_eq!(found.findings.len(), 1, "{text}");
            let [crash] = &crashes(text)[..] else { panic!("{text}") };
            assert_eq!(crash.ring.is_some(), text.contains("Ring Name: s"), "{text}");
        }
        // Without its head it is not recognised as a dump.
        let tail = &whole[first + 1..];
        assert!(conclusions(&log(tail), &patterns).findings.is_empty());
    }
}
