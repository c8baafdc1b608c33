//! The status word of a page fault: its fields, and what was denied.

use crate::pattern::hardware::{Bits, FaultLayout, GfxPattern, Hardware, Permission, Silicon};
use crate::value::{FaultBits, Hub};

/// Where a status word comes from, as far as the log shows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Origin<'o> {
    /// The name of the register as printed: `GCVM_L2_PROTECTION_FAULT_STATUS`.
    pub register: Option<&'o str>,
    /// The hub. If it is `None`, the register's name may identify it.
    pub hub: Option<Hub>,
    /// The chip.
    pub silicon: Silicon<'o>,
}

impl<'o> Origin<'o> {
    /// The layouts that a word of this origin may have.
    pub(crate) fn layouts(&self, hardware: &'o Hardware) -> impl Iterator<Item = &'o FaultLayout> {
        hardware.fault_layouts(self.register, self.hub(), self.silicon)
    }

    /// The chips with these layouts.
    fn chips(&self, hardware: &'o Hardware) -> Vec<&'o GfxPattern> {
        self.layouts(hardware).flat_map(|layout| &layout.gfx).collect()
    }

    /// The hub, as far as it is known.
    pub(crate) fn hub(&self) -> Option<Hub> {
        self.hub.or_else(|| {
            let register = self.register?;
            let hubs = [("GCVM_", Hub::Gfx), ("MMVM_", Hub::Mm)];
            hubs.iter().find(|(prefix, _)| register.starts_with(prefix)).map(|(_, hub)| *hub)
        })
    }
}

/// The result of decoding a status word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decoded {
    Fields(FaultBits),
    /// No information: all bits are 0. The register was not latched yet, or was cleared before it
    /// was read; the block of zeros that kernels up to 6.12 print after it is no evidence either.
    Cleared,
    /// No information: all bits are 1, as reads return if the device does not answer.
    AllOnes,
    /// Undecided: the layout is not known, and the possible ones differ for this word.
    UnknownLayout,
}

/// Decodes `raw`.
pub(crate) fn decoded(raw: u32, origin: Origin<'_>, hardware: &Hardware) -> Decoded {
    match raw {
        0 => return Decoded::Cleared,
        u32::MAX => return Decoded::AllOnes,
        _ => {}
    }
    let mut readings = origin.layouts(hardware).map(|layout| fields(raw, layout));
    let Some(mut bits) = readings.next() else { return Decoded::UnknownLayout };
    for other in readings {
        if core(&other) != core(&bits) {
            return Decoded::UnknownLayout;
        }
        keep_agreed(&mut bits, &other);
    }
    let chips = origin.chips(hardware);
    let name =
        |hub| hardware.client_name(hub, (origin.silicon, &chips), bits.client_id, bits.write);
    bits.client = origin.hub().and_then(name).map(str::to_owned);
    Decoded::Fields(bits)
}

/// All names that the client of a word may have.
pub(crate) fn possible_clients<'h>(
    bits: &FaultBits,
    origin: Origin<'h>,
    hardware: &'h Hardware,
) -> Vec<&'h str> {
    let Some(hub) = origin.hub() else { return Vec::new() };
    let chips = origin.chips(hardware);
    hardware.client_names(hub, (origin.silicon, &chips), bits.client_id, bits.write)
}

/// The fields of `raw` in one layout, without the client's name.
pub(crate) fn fields(raw: u32, layout: &FaultLayout) -> FaultBits {
    let layout = &layout.fields;
    let value = |bits: Option<Bits>| bits.map_or(0, |bits| bits.of(raw));
    // The loader rejects fields wider than their type.
    let narrow = |value: u32| u8::try_from(value).unwrap_or(u8::MAX);
    let byte = |bits| narrow(value(bits));
    let flag = |bits: Option<Bits>| bits.map(|bits| bits.of(raw) != 0);
    FaultBits {
        more_faults: value(layout.more_faults) != 0,
        walker_error: byte(layout.walker_error),
        permission_faults: byte(layout.permission_faults),
        mapping_error: value(layout.mapping_error) != 0,
        client_id: u16::try_from(value(layout.client_id)).unwrap_or(u16::MAX),
        client: None,
        write: value(layout.write) != 0,
        atomic: value(layout.atomic) != 0,
        vmid: byte(layout.vmid),
        vf: flag(layout.vf),
        vfid: layout.vfid.map(|bits| narrow(bits.of(raw))),
        prt: flag(layout.prt),
        uce: flag(layout.uce),
        fed: flag(layout.fed),
        reserved: Some(raw & !layout.defined()),
    }
}

/// The fields that describe the fault itself. If layouts differ in one of them, the word stays
/// undecided.
pub(super) fn core(bits: &FaultBits) -> FaultBits {
    FaultBits {
        vf: None,
        vfid: None,
        prt: None,
        uce: None,
        fed: None,
        reserved: None,
        ..bits.clone()
    }
}

/// Clears the fields beyond the core in which `other` differs.
pub(super) fn keep_agreed(bits: &mut FaultBits, other: &FaultBits) {
    fn keep<T: PartialEq>(known: &mut Option<T>, other: Option<&T>) {
        if known.as_ref() != other {
            *known = None;
        }
    }
    keep(&mut bits.vf, other.vf.as_ref());
    keep(&mut bits.vfid, other.vfid.as_ref());
    keep(&mut bits.prt, other.prt.as_ref());
    keep(&mut bits.uce, other.uce.as_ref());
    keep(&mut bits.fed, other.fed.as_ref());
    keep(&mut bits.reserved, other.reserved.as_ref());
}

/// The permissions that a permission field reports as denied, in one layout. Empty if no bit with a
/// known meaning is set.
pub(crate) fn denied(permission_faults: u8, layout: &FaultLayout) -> Vec<Permission> {
    let named = (0..u8::BITS).zip(&layout.permissions);
    let denied = named.filter(|(bit, _)| permission_faults >> bit & 1 == 1);
    denied.map(|(_, permission)| *permission).collect()
}

/// The permissions that were denied, if all possible layouts agree.
pub(crate) fn denied_by(raw: u32, origin: Origin<'_>, hardware: &Hardware) -> Option<&'static str> {
    let mut readings = origin.layouts(hardware).map(|layout| {
        let bits = fields(raw, layout);
        denied_access(&denied(bits.permission_faults, layout), bits.write)
    });
    let first = readings.next()??;
    readings.all(|other| other == Some(first)).then_some(first)
}

/// The denied access in plain words: `a write to an address where nothing is mapped`. `None` if
/// nothing was denied.
pub(crate) fn denied_access(denied: &[Permission], write: bool) -> Option<&'static str> {
    use Permission::{Directory, Execute, Range, Read, Valid, Write};

    let has = |permission| denied.contains(&permission);
    let unmapped = has(Valid) || has(Directory);
    Some(match (unmapped, has(Execute), write) {
        _ if denied.is_empty() => return None,
        _ if has(Range) => "an access outside the address space",
        (true, true, _) => "an instruction fetch from an address where nothing is mapped",
        (true, false, true) => "a write to an address where nothing is mapped",
        (true, false, false) => "a read from an address where nothing is mapped",
        (false, true, _) => "an instruction fetch from a page that may not be executed",
        (false, false, true) if has(Write) => "a write to a page that may not be written",
        (false, false, false) if has(Read) => "a read from a page that may not be read",
        (false, false, _) => "an access that the page does not allow",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::hardware::tests::built_in;
    use crate::value::GfxGeneration;

    /// Encodes fields in one layout: the inverse of [`fields`].
    fn word(fields: &FaultBits, layout: &FaultLayout) -> u32 {
        let layout = &layout.fields;
        let put = |bits: Option<Bits>, value: u32| {
            let mask = bits.map_or(0, Bits::mask);
            value.checked_shl(mask.trailing_zeros()).unwrap_or_default() & mask
        };
        let flag = |bits, set: Option<bool>| put(bits, u32::from(set.unwrap_or_default()));
        flag(layout.more_faults, Some(fields.more_faults))
            | put(layout.walker_error, fields.walker_error.into())
            | put(layout.permission_faults, fields.permission_faults.into())
            | flag(layout.mapping_error, Some(fields.mapping_error))
            | put(layout.client_id, fields.client_id.into())
            | flag(layout.write, Some(fields.write))
            | flag(layout.atomic, Some(fields.atomic))
            | put(layout.vmid, fields.vmid.into())
            | flag(layout.vf, fields.vf)
            | put(layout.vfid, fields.vfid.unwrap_or_default().into())
            | flag(layout.prt, fields.prt)
            | flag(layout.uce, fields.uce)
            | flag(layout.fed, fields.fed)
            | fields.reserved.unwrap_or_default()
    }

    fn origin<'o>(register: Option<&'o str>, hub: Option<Hub>, gfx: &str) -> Origin<'o> {
        let silicon = gfx.parse().map_or(Silicon::Unknown, Silicon::Target);
        Origin { register, hub, silicon }
    }

    fn bits(raw: u32, origin: Origin<'_>) -> FaultBits {
        match decoded(raw, origin, built_in()) {
            Decoded::Fields(bits) => bits,
            other => panic!("0x{raw:08x}: {other:?}"),
        }
    }

    /// Raw word; more faults, walker error, permissions, mapping error; client, write, vmid; name.
    type Example = (u32, (bool, u8, u8, bool), (u16, bool, u8), Option<&'static str>);

    const GFX11: [Example; 7] = [
        (0x0080_1031, (true, 0, 0x3, false), (0x8, false, 8), Some("TCP")),
        (0x0000_0b3a, (false, 5, 0x3, true), (0x5, false, 0), Some("CPC")),
        (0x00a0_1a30, (false, 0, 0x3, false), (0xd, false, 10), Some("SDMA0")),
        (0x0004_0b53, (true, 1, 0x5, true), (0x5, true, 0), Some("CPC")),
        (0x0030_1030, (false, 0, 0x3, false), (0x8, false, 3), Some("TCP")),
        (0x00a4_1051, (true, 0, 0x5, false), (0x8, true, 10), Some("TCP")),
        (0x0040_1431, (true, 0, 0x3, false), (0xa, false, 4), Some("SQC (data)")),
    ];

    fn check(bits: &FaultBits, example: &Example) {
        let (raw, faults, access, client) = *example;
        let got = (bits.more_faults, bits.walker_error, bits.permission_faults, bits.mapping_error);
        assert_eq!(got, faults, "0x{raw:08x}");
        assert_eq!((bits.client_id, bits.write, bits.vmid), access, "0x{raw:08x}");
        assert_eq!(bits.client.as_deref(), client, "0x{raw:08x}");
    }

    #[test]
    fn words_of_gfx10_to_gfx12_0_are_taken_apart() {
        for example in &GFX11 {
            for gfx in ["gfx1030", "gfx1100", "gfx1151", "gfx1201"] {
                let origin = origin(Some("GCVM_L2_PROTECTION_FAULT_STATUS"), Some(Hub::Gfx), gfx);
                check(&bits(example.0, origin), example);
            }
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config {
            failure_persistence: None,
            ..Default::default()
        })]

        /// Every bit of a word is in a field or in `reserved`, in every layout.
        #[test]
        fn nothing_of_a_word_is_lost(raw: u32) {
            for layout in Origin::default().layouts(built_in()) {
                let bits = fields(raw, layout);
                proptest::prop_assert_eq!(word(&bits, layout), raw);
                let defined = FaultBits { reserved: None, ..bits };
                proptest::prop_assert_eq!(word(&defined, layout), raw & layout.fields.defined());
            }
        }
    }

    /// The bits above VMID: vf, vfid, prt, uce, fed, reserved.
    type Upper = (Option<bool>, Option<u8>, Option<bool>, Option<bool>, Option<bool>, Option<u32>);

    #[test]
    fn the_upper_bits_need_as_much_of_the_chip_as_they_differ_by() {
        const NEW: &str = "GCVM_L2_PROTECTION_FAULT_STATUS";
        const OLD: &str = "VM_L2_PROTECTION_FAULT_STATUS";
        let (yes, no) = (Some(true), Some(false));
        let cases: [(&str, Option<Hub>, &str, u32, Upper); 9] = [
            (NEW, None, "gfx1030", 0x2200_0000, (no, Some(0x11), None, None, None, Some(0))),
            (NEW, None, "gfx1100", 0x2200_0000, (no, Some(1), yes, None, None, Some(0))),
            (NEW, None, "gfx1100", 0xc000_0000, (no, Some(0), no, None, None, Some(0xc000_0000))),
            (NEW, None, "gfx1151", 0x4100_0000, (yes, Some(0), no, None, yes, Some(0))),
            (NEW, None, "gfx1201", 0xc000_0000, (no, Some(0), yes, yes, None, Some(0))),
            (NEW, None, "", 0x0100_0000, (yes, Some(0), None, None, None, Some(0))),
            (NEW, None, "", 0x2000_0000, (no, None, None, None, None, Some(0))),
            (
                OLD,
                Some(Hub::Mm),
                "gfx900",
                0x4000_0000,
                (no, Some(0), None, None, None, Some(0x4000_0000)),
            ),
            (OLD, Some(Hub::Mm), "gfx90a", 0x4000_0000, (no, Some(0), None, None, None, None)),
        ];
        for (register, hub, gfx, upper, want) in cases {
            let bits = bits(0x0080_1031 | upper, origin(Some(register), hub, gfx));
            let got = (bits.vf, bits.vfid, bits.prt, bits.uce, bits.fed, bits.reserved);
            assert_eq!(got, want, "{register} {gfx} 0x{upper:08x}");
            assert_eq!((bits.client_id, bits.vmid), (8, 8));
        }
        let poisoned = bits(0x6080_1031, origin(Some(OLD), Some(Hub::Gfx), "gfx942"));
        assert_eq!((poisoned.uce, poisoned.fed), (yes, yes));
    }

    /// Chip, client, write, its name there.
    const MULTIMEDIA: [(&str, u16, bool, Option<&str>); 12] = [
        ("gfx1030", 0x2b, false, Some("VCN0")),
        ("gfx1030", 0x2b, true, None),
        ("gfx1030", 0x0b, true, Some("VCN0")),
        ("gfx1010", 0x04, false, Some("DCEVGA")),
        ("gfx1010", 0x04, true, Some("DCEXFC")),
        ("gfx1100", 0x34, false, Some("VCN0")),
        ("gfx1100", 0x14, true, Some("VCN0")),
        ("gfx1103", 0x1d, false, Some("VCN")),
        ("gfx1151", 0x140, true, Some("UMSCH")),
        ("gfx1201", 0x37, false, Some("VCNRD")),
        ("gfx1201", 0x12, true, Some("VCNWR")),
        // The chip may have either of two tables.
        ("gfx1153", 0x09, false, None),
    ];

    #[test]
    fn multimedia_clients_have_a_name_for_each_direction() {
        let register = Some("MMVM_L2_PROTECTION_FAULT_STATUS");
        for (gfx, cid, write, name) in MULTIMEDIA {
            let raw = 0x0030_0031 | u32::from(cid) << 9 | u32::from(write) << 18;
            let bits = bits(raw, origin(register, None, gfx));
            assert_eq!(bits.client.as_deref(), name, "{gfx} 0x{cid:x} {write}");
        }
    }

    #[test]
    fn the_register_name_decides_layout_and_hub() {
        let unknown = origin(Some("GCVM_L2_PROTECTION_FAULT_STATUS"), None, "");
        check(&bits(GFX11[0].0, unknown), &GFX11[0]);
        let by_generation = Origin { silicon: GfxGeneration(11).into(), ..Origin::default() };
        assert_eq!(bits(GFX11[0].0, by_generation).client, None, "the hub is not known");
    }

    #[test]
    fn gfx9_has_no_copy_engine_on_its_graphics_hub() {
        let gfx9 = origin(Some("VM_L2_PROTECTION_FAULT_STATUS"), Some(Hub::Gfx), "gfx906");
        let bits = bits(0x00a0_1a30, gfx9);
        assert_eq!((bits.client_id, bits.client), (0xd, None));
    }

    #[test]
    fn gfx9_has_names_of_its_own() {
        for example in &GFX11 {
            let (raw, faults, access, name) = *example;
            // The graphics hub of this chip has no copy engine.
            let name = name.filter(|name| *name != "SDMA0");
            let gfx9 = origin(Some("VM_L2_PROTECTION_FAULT_STATUS"), Some(Hub::Gfx), "gfx90a");
            check(&bits(raw, gfx9), &(raw, faults, access, name));
        }
        for (gfx, name) in [("gfx900", "CB"), ("gfx1100", "CB/DB"), ("gfx1201", "CB")] {
            let first = bits(0x0010_0031, origin(None, Some(Hub::Gfx), gfx));
            assert_eq!(first.client.as_deref(), Some(name), "{gfx}");
        }
    }

    #[test]
    fn gfx12_1_has_every_field_elsewhere() {
        let origin = origin(Some("GCVM_L2_PROTECTION_FAULT_STATUS_LO32"), None, "gfx1250");
        let example = (0x0080_1031, (true, 8, 0x1, false), (0x2, false, 2), Some("GE1"));
        check(&bits(0x0080_1031, origin), &example);
    }

    #[test]
    fn a_split_register_needs_the_chip() {
        let register = Some("MMVM_L2_PROTECTION_FAULT_STATUS_LO32");
        let word = 0x0080_1031;
        assert_eq!(decoded(word, origin(register, None, ""), built_in()), Decoded::UnknownLayout);
        assert_eq!(bits(word, origin(register, None, "gfx1201")).vmid, 8);
        assert_eq!(bits(word, origin(register, None, "gfx1250")).vmid, 2);
    }

    #[test]
    fn gfx8_words_are_taken_apart() {
        let register = Some("VM_CONTEXT1_PROTECTION_FAULT_STATUS");
        for gfx in ["gfx803", "gfx600", ""] {
            let bits = bits(0x0a04_8004 | 1 << 24, origin(register, None, gfx));
            assert_eq!((bits.permission_faults, bits.client_id), (0x4, 0x48), "{gfx}");
            assert_eq!((bits.write, bits.vmid, bits.client), (true, 5, None), "{gfx}");
        }
        let wide = 0x0010_0004;
        assert_eq!(decoded(wide, origin(register, None, ""), built_in()), Decoded::UnknownLayout);
        assert_eq!(bits(wide, origin(register, None, "gfx803")).client_id, 0x100);
    }

    #[test]
    fn empty_and_full_words_mean_nothing() {
        let origin = origin(None, Some(Hub::Gfx), "gfx1100");
        assert_eq!(decoded(0, origin, built_in()), Decoded::Cleared);
        assert_eq!(decoded(u32::MAX, origin, built_in()), Decoded::AllOnes);
    }

    #[test]
    fn an_unknown_register_or_chip_is_not_guessed() {
        for origin in [
            Origin::default(),
            origin(Some("SOME_STATUS"), None, "gfx1100"),
            origin(Some("VM_CONTEXT1_PROTECTION_FAULT_STATUS"), None, "gfx1100"),
        ] {
            assert_eq!(decoded(0x0080_1031, origin, built_in()), Decoded::UnknownLayout);
        }
    }

    fn layout(gfx: &'static str) -> &'static FaultLayout {
        origin(None, Some(Hub::Gfx), gfx).layouts(built_in()).next().unwrap()
    }

    #[test]
    fn permissions_are_described_in_words() {
        let layout = layout("gfx1100");
        for (raw, write, words) in [
            (0x0, false, None),
            (0x1, false, Some("a read from an address where nothing is mapped")),
            (0x3, false, Some("a read from an address where nothing is mapped")),
            (0x5, true, Some("a write to an address where nothing is mapped")),
            (0x4, true, Some("a write to a page that may not be written")),
            (0x2, false, Some("a read from a page that may not be read")),
            (0x8, false, Some("an instruction fetch from a page that may not be executed")),
            (0x9, false, Some("an instruction fetch from an address where nothing is mapped")),
            (0x4, false, Some("an access that the page does not allow")),
            (0x10, false, None),
        ] {
            let denied = denied(raw, layout);
            assert_eq!(denied_access(&denied, write), words, "0x{raw:x}");
        }
    }

    #[test]
    fn permission_bits_of_old_chips_mean_other_things() {
        assert_eq!(denied(0x4, layout("gfx803")), [Permission::Valid]);
        assert_eq!(denied(0x4, layout("gfx1100")), [Permission::Write]);
        assert_eq!(denied(0x10, layout("gfx1250")), []);
    }
}
