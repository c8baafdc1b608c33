//! The tables of `patterns/hardware`, and the errors about invalid ones.

use std::sync::LazyLock;

use super::*;
use crate::pattern::Patterns;
use crate::pattern::source::SourceFile;
use crate::value::{AddressSpace, ChipFact, DeviceKind, GfxGeneration, GfxTarget, MachineForm};

/// The built-in tables, for the tests of modules that apply them.
pub(crate) fn built_in() -> &'static Hardware {
    static TABLES: LazyLock<Hardware> = LazyLock::new(|| {
        let files = [
            ("chips.toml", include_str!("../../../patterns/hardware/chips.toml")),
            (
                "decode-interrupt-sources.toml",
                include_str!("../../../patterns/hardware/decode-interrupt-sources.toml"),
            ),
            ("decode-psp.toml", include_str!("../../../patterns/hardware/decode-psp.toml")),
            ("decode-ras.toml", include_str!("../../../patterns/hardware/decode-ras.toml")),
            (
                "decode-smu-messages.toml",
                include_str!("../../../patterns/hardware/decode-smu-messages.toml"),
            ),
            ("decode-sq-wave.toml", include_str!("../../../patterns/hardware/decode-sq-wave.toml")),
            (
                "decode-status-registers.toml",
                include_str!("../../../patterns/hardware/decode-status-registers.toml"),
            ),
            ("enums.toml", include_str!("../../../patterns/hardware/enums.toml")),
            ("fault-clients.toml", include_str!("../../../patterns/hardware/fault-clients.toml")),
            ("machines.toml", include_str!("../../../patterns/hardware/machines.toml")),
            ("names.toml", include_str!("../../../patterns/hardware/names.toml")),
            ("parameters.toml", include_str!("../../../patterns/hardware/parameters.toml")),
            ("pcie.toml", include_str!("../../../patterns/hardware/pcie.toml")),
            ("program-codes.toml", include_str!("../../../patterns/hardware/program-codes.toml")),
            ("rings.toml", include_str!("../../../patterns/hardware/rings.toml")),
            ("vm-fault.toml", include_str!("../../../patterns/hardware/vm-fault.toml")),
        ];
        read(&Hardware::default(), &files).unwrap()
    });
    &TABLES
}

fn read(before: &Hardware, files: &[(&str, &str)]) -> Result<Hardware, Vec<String>> {
    let files: Vec<SourceFile> = files
        .iter()
        .map(|(path, text)| SourceFile { path: (*path).into(), text: (*text).into() })
        .collect();
    let before = Patterns { hardware: before.clone(), ..Patterns::default() };
    let found = before.extended(&files).map(|patterns| patterns.hardware);
    found.map_err(|all| all.iter().map(|one| format!("{}: {}", one.line, one.what)).collect())
}

fn mistakes(text: &str) -> Vec<String> {
    read(&Hardware::default(), &[("a.toml", text)]).unwrap_err()
}

fn target(text: &str) -> GfxTarget {
    text.parse().unwrap()
}

#[test]
fn a_pci_id_names_its_chip() {
    for (id, asic, gfx, kind) in [
        ("1002:744c", "Navi 31", Some("gfx1100"), DeviceKind::Dgpu),
        ("1002:15bf", "Phoenix", Some("gfx1103"), DeviceKind::Apu),
        ("1002:73bf", "Navi 21", Some("gfx1030"), DeviceKind::Dgpu),
        ("1002:66a1", "Vega 20", Some("gfx906"), DeviceKind::Dgpu),
        ("1002:74a0", "MI300A", Some("gfx942"), DeviceKind::Apu),
        ("1002:15d8", "Raven", None, DeviceKind::Apu),
    ] {
        let chip = built_in().chip_by_pci(id.parse().unwrap()).unwrap();
        assert_eq!((chip.asic.as_str(), chip.kind), (asic, kind), "{id}");
        assert_eq!(chip.target(), gfx.map(target), "{id}");
    }
    assert_eq!(built_in().chip_by_pci("10de:2684".parse().unwrap()), None);
    assert_eq!(built_in().chips.iter().map(|chip| chip.devices.len()).sum::<usize>(), 356);
}

/// Every chip has a family, which gives each fact or lists it as unknown.
#[test]
fn each_chip_has_a_family_with_all_facts() {
    let hardware = built_in();
    for chip in &hardware.chips {
        let family = chip.family.as_deref();
        assert!(
            hardware.families.iter().any(|known| Some(known.name.as_str()) == family),
            "{chip:?}"
        );
    }
    for family in &hardware.families {
        let used = hardware.chips.iter().any(|chip| chip.family.as_ref() == Some(&family.name));
        assert!(used, "{family:?}");
    }
    assert_eq!(
        mistakes(
            "[[family]]\nname = \"a\"\nfirst_compute_vmid = 8\ngraphics = true\ndisplay = true\npartitions = false\nunknown = [\"display\", \"user_queues_take_all\", \"screen\"]\nsource = [\"x\"]\n"
        ),
        [
            "1: `copies_over_mmhub` is missing; list it in `unknown` if it is not known",
            "5: `display` is given and also listed as unknown",
            "7: `screen` is no fact",
        ]
    );
}

#[test]
fn the_first_compute_vmid_depends_on_the_chip() {
    use AddressSpace::{Compute, Jobs, System};
    let facts = |gfx: &str| built_in().facts(None, &[target(gfx)], None);
    for (gfx, two, three, seven) in [
        ("gfx908", Jobs, Compute, Compute),
        ("gfx90a", Jobs, Compute, Compute),
        ("gfx942", Jobs, Compute, Compute),
        ("gfx950", Jobs, Compute, Compute),
        ("gfx803", Jobs, Jobs, Jobs),
        ("gfx906", Jobs, Jobs, Jobs),
        ("gfx1030", Jobs, Jobs, Jobs),
        ("gfx1100", Jobs, Jobs, Jobs),
        ("gfx1201", Jobs, Jobs, Jobs),
    ] {
        let space = |vmid| facts(gfx).address_space(vmid, false);
        let found = [0, 2, 3, 7, 8, 15].map(space);
        assert_eq!(found, [System, two, three, seven, Compute, Compute].map(Some), "{gfx}");
    }
    let any = built_in().facts(None, &[], None);
    assert_eq!(
        [0, 2, 8].map(|vmid| any.address_space(vmid, false)),
        [System, Jobs, Compute].map(Some)
    );
    assert_eq!([3, 7].map(|vmid| any.address_space(vmid, false)), [None, None]);
    // With `amdgpu.user_queue=2`.
    let with = |gfx, vmid| facts(gfx).address_space(vmid, true);
    assert_eq!([with("gfx1100", 1), with("gfx1201", 7)], [Some(Compute); 2]);
    assert_eq!([with("gfx1030", 1), with("gfx942", 3)], [Some(Jobs), Some(Compute)]);
    assert_eq!(with("gfx942", 2), None);
    // The register's name is sufficient if the chip is unknown.
    let register =
        |name| built_in().facts_by_register(name).map(|facts| facts.address_space(4, false));
    assert_eq!(register("GCVM_L2_PROTECTION_FAULT_STATUS"), Some(Some(Jobs)));
    assert_eq!(register("VM_L2_PROTECTION_FAULT_STATUS"), Some(None));
    assert_eq!(register("SOME_OTHER"), None);
}

#[test]
fn chips_have_what_they_are_known_for() {
    use ChipFact::{Accelerator, CopiesOverMmhub, Display, Graphics, OwnMemory, Partitions};
    let facts = |asic| built_in().facts(Some(asic), &[], None);
    for (asic, has, lacks) in [
        (
            "MI300X",
            &[Accelerator, CopiesOverMmhub, OwnMemory, Partitions][..],
            &[Display, Graphics][..],
        ),
        ("MI300A", &[Accelerator, Partitions], &[OwnMemory]),
        ("Arcturus", &[Accelerator, OwnMemory], &[Partitions, Display]),
        ("Vega 20", &[Graphics, Display, CopiesOverMmhub], &[Accelerator, Partitions]),
        ("Topaz", &[Graphics, OwnMemory], &[Display, Accelerator]),
        ("Navi 31", &[Graphics, Display, OwnMemory], &[Accelerator, CopiesOverMmhub]),
        ("Van Gogh", &[Graphics, Display], &[OwnMemory]),
    ] {
        for (facts_of, wanted) in [(has, Some(true)), (lacks, Some(false))] {
            for fact in facts_of {
                assert_eq!(facts(asic).get(*fact), wanted, "{asic} {fact}");
            }
        }
    }
    assert_eq!(facts("Cyan Skillfish").get(Display), None);
    // Facts that several chips share; MI300A and MI300X have the same target.
    let gfx942 = built_in().facts(None, &[target("gfx942")], None);
    assert_eq!((gfx942.get(Accelerator), gfx942.get(OwnMemory)), (Some(true), None));
    assert_eq!(built_in().facts(None, &[], None).get(Graphics), None);
}

#[test]
fn a_machine_is_identified_by_an_unambiguous_name() {
    for (name, form) in [
        ("Valve Jupiter/Jupiter, BIOS F7A0131 01/30/2024", Some(MachineForm::Handheld)),
        (
            "ASUSTeK COMPUTER INC. ROG Ally RC71L_RC71L/RC71L, BIOS RC71L.319 06/16/2023",
            Some(MachineForm::Handheld),
        ),
        (
            "Framework Laptop 13 (AMD Ryzen 7040Series)/FRANMDCP07, BIOS 03.05 03/29/2024",
            Some(MachineForm::Laptop),
        ),
        ("HP HP EliteBook 845 14 inch G10/8B74, BIOS V82 01/01/2024", Some(MachineForm::Laptop)),
        (
            "LENOVO 21CF004RUS/21CF004RUS, BIOS R22ET75W (1.45 ) 03/12/2024",
            Some(MachineForm::Laptop),
        ),
        (
            "Micro-Star International Co., Ltd. MS-7D78/PRO B650-P WIFI (MS-7D78), BIOS 1.I0 03/18/2024",
            Some(MachineForm::Desktop),
        ),
        (
            "ASUS System Product Name/ROG STRIX X670E-E GAMING WIFI, BIOS 2214 09/24/2024",
            Some(MachineForm::Desktop),
        ),
        (
            "Micro-Star International Co., Ltd. Alpha 15 B5EEK/MS-158L, BIOS E158LAMS.10F 11/11/2022",
            None,
        ),
        (
            "Gigabyte Technology Co., Ltd. B650 AORUS ELITE AX/B650 AORUS ELITE AX, BIOS F32 07/31/2024",
            None,
        ),
        ("Supermicro AS -8125GS-TNMR2/H13DSG-O-CPU-D, BIOS 1.4 01/01/2024", None),
    ] {
        assert_eq!(built_in().form_of(name), form, "{name}");
    }
}

#[test]
fn a_device_is_called_by_its_products() {
    for (id, name) in [
        ("1002:744c", Some("Radeon RX 7900 XTX/XT/GRE/7900M")),
        ("1002:15bf", Some("Radeon 780M/760M/740M")),
        ("1002:7310", None),
        ("1002:73ff", Some("Radeon RX 6600 XT/6600M/6600/6600S and others")),
    ] {
        let id = id.parse().unwrap();
        let device = built_in().chip_by_pci(id).and_then(|chip| chip.device(id)).unwrap();
        assert_eq!(device.name().as_deref(), name, "{id}");
    }
}

#[test]
fn a_code_name_names_its_chip() {
    for (name, asic) in [
        ("VEGA20", Some("Vega 20")),
        ("SIENNA_CICHLID", Some("Navi 21")),
        ("RADV NAVI31", Some("Navi 31")),
        ("RADV GFX1201", Some("Navi 48")),
        ("RADV STRIX_HALO", Some("Strix Halo")),
        ("IP DISCOVERY", None),
    ] {
        let found = built_in().chip_by_code_name(name);
        assert_eq!(found.map(|chip| chip.asic.as_str()), asic, "{name}");
    }
    let several = built_in().chip_by_code_name("RAPHAEL_MENDOCINO").unwrap();
    assert_eq!(several.target(), Some(target("gfx1036")));
}

#[test]
fn a_product_in_a_text_names_its_target() {
    for (text, gfx) in [
        ("AMD Radeon RX 5600 XT", Some("gfx1010")),
        ("AMD Radeon RX 7900 XTX (RADV NAVI31)", Some("gfx1100")),
        ("AMD Radeon(TM) 780M Graphics", Some("gfx1103")),
        ("AMD Radeon™ 8060S  Graphics", Some("gfx1151")),
        ("radeon rx 7600 xt", Some("gfx1102")),
        ("AMD Radeon RX 580 Series (polaris10, LLVM 15.0.7)", Some("gfx803")),
        ("AMD Radeon RX 6750 GRE 12GB", Some("gfx1031")),
        ("AMD Radeon RX 6750 GRE 10GB", Some("gfx1032")),
        // Part of a longer word, two chips with one name, two cards, no product.
        ("AMD Radeon RX 79000 XT", None),
        ("AMD Radeon 840M Graphics", None),
        ("AMD Radeon R9 200 Series", None),
        ("AMD Radeon RX 7900 XTX and AMD Radeon RX 6600", None),
        ("AMD Radeon Graphics", None),
        ("", None),
    ] {
        let found = built_in().chip_by_name(text).and_then(Chip::target);
        assert_eq!(found, gfx.map(target), "{text}");
    }
}

#[test]
fn client_names_need_as_much_of_the_chip_as_they_differ_by() {
    let gfx = |text: &str| Silicon::Target(target(text));
    let generation = |n| Silicon::Generation(GfxGeneration(n));
    for (hub, silicon, cid, write, name) in [
        (Hub::Gfx, gfx("gfx1100"), 0x8, false, Some("TCP")),
        (Hub::Gfx, Silicon::Unknown, 0x8, false, Some("TCP")),
        (Hub::Gfx, generation(11), 0x0, false, Some("CB/DB")),
        (Hub::Gfx, generation(12), 0x0, false, Some("CB")),
        (Hub::Gfx, Silicon::Unknown, 0x0, false, None),
        (Hub::Gfx, generation(9), 0xd, false, None),
        (Hub::Mm, gfx("gfx1100"), 0x0, false, Some("VMC")),
        (Hub::Mm, gfx("gfx1100"), 0x0, true, None),
        (Hub::Mm, gfx("gfx1100"), 0x34, false, Some("VCN0")),
        (Hub::Mm, gfx("gfx1151"), 0x140, true, Some("UMSCH")),
        (Hub::Mm, generation(9), 0x0, false, None),
        (Hub::Mm, gfx("gfx950"), 0x0, false, None),
        (Hub::Gfx, gfx("gfx803"), 0x8, false, None),
    ] {
        let found = built_in().client_name(hub, (silicon, &[]), cid, write);
        assert_eq!(found, name, "{hub} {silicon:?} 0x{cid:x} {write}");
    }
    let interrupt =
        |silicon| client::agreed(&built_in().clients, Numbering::Ih, (silicon, &[]), 10, false);
    assert_eq!(interrupt(gfx("gfx1100")), Some("GFX"));
    assert_eq!(interrupt(gfx("gfx906")), Some("SE0SH"));
    assert_eq!(interrupt(Silicon::Unknown), None);
}

#[test]
fn parameters_exist_in_some_kernels() {
    for (name, kernel, exists) in [
        ("ppfeaturemask", "", Some(true)),
        ("amdgpu.dcdebugmask", "5.4.1", Some(false)),
        ("dcdebugmask", "6.17.8-300.fc43", Some(true)),
        ("dcdebugmask", "", None),
        ("gfxoff", "6.8", Some(false)),
        ("gfxoff", "", Some(false)),
        ("mes", "6.19.2", Some(true)),
        ("mes", "7.0", None),
        ("mes", "7.2.1", Some(false)),
        ("rebar", "6.15", Some(false)),
        ("noretry", "9.0", Some(true)),
    ] {
        let parameter = built_in().parameter(name).unwrap();
        assert_eq!(parameter.exists_in(kernel.parse().ok()), exists, "{name} {kernel}");
    }
    assert_eq!(built_in().parameter("nonsense"), None);
    assert_eq!(built_in().parameter("gtt_size").unwrap().instead.as_deref(), Some("gttsize"));
}

#[test]
fn suggested_parameters_exist() {
    for parameter in &built_in().parameters {
        if let Some(instead) = &parameter.instead {
            assert!(built_in().parameter(instead).is_some(), "{instead}");
        }
    }
}

#[test]
fn the_tables_survive_being_stored() {
    let stored = postcard::to_stdvec(built_in()).unwrap().leak();
    assert_eq!(&postcard::from_bytes::<Hardware>(stored).unwrap(), built_in());
}

#[test]
fn a_users_file_adds_to_the_built_in_ones() {
    let text = "[[chip]]\nasic = \"Navi 48\"\ngfx = \"gfx1201\"\nkind = \"dgpu\"\n\
                ids = [\"1002:7553\", \"1002:7550\"]\n\
                [[parameter]]\nname = \"new\"\nsince = \"7.3\"\n";
    let found = read(built_in(), &[("mine.toml", text)]);
    assert_eq!(found.unwrap_err(), ["5: 1002:7550 is a Navi 48 already"]);
    let text = text.replace(", \"1002:7550\"", "");
    let hardware = read(built_in(), &[("mine.toml", &text)]).unwrap();
    assert_eq!(hardware.chip_by_pci("1002:7553".parse().unwrap()).unwrap().asic, "Navi 48");
    let new = hardware.parameter("new").unwrap();
    assert_eq!(new.exists_in("7.2".parse().ok()), Some(false));
}

#[test]
fn mistakes_in_chips_are_all_reported() {
    let found = mistakes(
        "[[chip]]\nasic = \"A\"\ngfx = \"gfx11\"\nkind = \"card\"\nnmaes = \"B\"\n\
         [[chip]]\nasic = \"B\"\ngfx = \"gfx1100\"\nkind = \"dgpu\"\n\
         devices = [{ id = \"744c\" }, { names = \"C\" }]\nids = [\"1002:0001\", \"1002:0001\"]\n\
         [[chip]]\nasic = \"C\"\ngfx = \"gfx1101\"\nkind = \"apu\"\nids = \"1002:0001\"\n",
    );
    assert_eq!(
        found,
        [
            "3: `gfx11` is not a gfx target, which looks like gfx1100 or gfx90c",
            "4: `card` is no value of `kind`",
            "5: `nmaes` means nothing here",
            "10: `744c` is not a PCI id, which looks like 1002:744c",
            "10: `id` is missing",
            "11: 1002:0001 is a B already",
            "16: 1002:0001 is a B already",
        ]
    );
}

#[test]
fn mistakes_in_fault_tables_are_all_reported() {
    let found = mistakes(
        "[[layout]]\nregisters = \"R\"\ngfx = \"gfx1*\"\nsource = \"s\"\npermissions = \"all\"\n\
         [layout.fields]\nmore_faults = \"0\"\nwalker_error = \"3:0\"\nvmid = \"32:30\"\n\
         write = \"5:4\"\ncid = \"8\"\n\
         [[clients]]\nhub = \"hub\"\ngfx = \"gfx9*\"\nsource = \"s\"\n\
         any = [\"0x1 A\", \"0x1 B\", \"2 C\"]\nread = \"0x1 D\"\n",
    );
    assert_eq!(
        found,
        [
            "3: `gfx1*` is not a gfx target or pattern, which look like gfx1100, gfx115* or gfx11",
            "5: `all` is no value of `permissions`",
            "8: `3:0` overlaps `more_faults`, which is `0`",
            "9: `32:30` is not a run of bits, which looks like 17:9 or 8, from 31 down to 0",
            "10: 2 bits, but 1 at most",
            "11: `cid` means nothing here",
            "13: `hub` is no value of `hub`",
            "16: client 0x1 has a name already",
            "16: a client is a number and a name, like `0x8 TCP`",
            "17: client 0x1 has a name already",
        ]
    );
}

#[test]
fn mistakes_in_parameters_are_all_reported() {
    let found = mistakes(
        "checked = [\"6.1\", \"six\"]\n\
         [[parameter]]\nname = \"a\"\nsince = \"new\"\ninstead = \"b\"\n\
         [[parameter]]\nname = \"a\"\nsince = \"6.8\"\nuntil = \"6.1\"\n\
         [[mask]]\nparameter = \"b\"\ndefault = [{ value = 0x1_0000_0000 }]\nbits = []\n\
         [[mask]]\nparameter = \"a\"\ndefault = [{ value = 0 }]\n\
         bits = [{ bit = 1, name = \"X\" }, { bit = 1, name = \"Y\" }, { bit = 0, name = \"Z\" }]\n",
    );
    assert_eq!(
        found,
        [
            "1: `six` is not a kernel version, which looks like 6.17 or 6.17.8",
            "2: `instead` is for names that do not exist",
            "4: `new` is not a kernel version, which looks like 6.17 or 6.17.8",
            "6: `until` is older than `since`",
            "7: there is a parameter `a` already",
            "11: amdgpu has no parameter `b`",
            "12: `value` must be from 0 to 0xffffffff",
            "13: `bits` is empty",
            "17: bit 0x1 is X already",
            "17: `bit` is 0, which is no bit",
        ]
    );
}

#[test]
fn mistakes_in_enumerations_are_all_reported() {
    let found = mistakes(
        "checked = [\"6.1\", \"6.12\", \"6.16\"]\n\
         [[enumeration]]\nkind = \"colour\"\n\
         [[enumeration]]\nkind = \"errno\"\ntitle = \"error\"\nsource = \"s\"\n\
         [[enumeration]]\nkind = \"wedged\"\ntitle = \"w\"\nsource = \"s\"\nbits = true\n\
         entries = [\n\
         { number = 4, name = \"A\", means = \"a\", until = \"6.12\" },\n\
         { number = 4, name = \"B\", means = \"b\", since = \"6.16\" },\n\
         { number = 4, name = \"C\", means = \"c\" },\n\
         { number = 5, name = \"D\", means = \"d\", gfx = \"gfx11*\" },\n\
         { number = 5, name = \"E\", means = \"e\", gfx = \"gfx12*\" },\n\
         { number = 5, name = \"F\", means = \"f\", gfx = \"gfx1100\" },\n\
         { number = 32, name = \"G\", menas = \"g\" },\n\
         { name = \"H\", means = \"h\", until = \"6.12\", gone = \"6.1\" },\n\
         ]\n",
    );
    assert_eq!(
        found,
        [
            "2: `entries` is missing",
            "2: `source` is missing",
            "2: `title` is missing",
            "3: `colour` is no value of `kind`",
            "4: `entries` is missing",
            "16: 4 is A already",
            "19: 5 is D already",
            "20: `means` is missing",
            "20: `number` must be a bit from 0 to 31",
            "20: `menas` means nothing here",
            "21: `gone` must be newer than `until`",
            "21: `number` must be a bit from 0 to 31",
        ]
    );
}

#[test]
fn mistakes_in_rings_and_words_are_all_reported() {
    let found = mistakes(
        "ring = [{ name = \"gfx_{me\", means = \"m\", source = \"s\" }, { name = \"sdma\" }]\n\
         [[bitfield]]\nkind = \"word\"\nwords = 1\nsource = \"s\"\n\
         fields = [\n\
         { name = \"a\", bits = \"3:0\" },\n\
         { name = \"b\", bits = \"4:3\" },\n\
         { name = \"c\", bits = \"40\", word = 1 },\n\
         { name = \"d\", bits = \"8\", values = \"colour\" },\n\
         ]\nencoding = \"2\"\n",
    );
    assert_eq!(
        found,
        [
            "1: a placeholder is a word in braces, {pipe}",
            "1: `means` is missing",
            "1: `source` is missing",
            "2: `title` is missing",
            "3: `word` is no value of `kind`",
            "8: `4:3` overlaps `a`",
            "9: there are 1 words, counted from 0",
            "9: `40` is not a run of bits, which looks like 17:9 or 8, from 31 down to 0",
            "10: `colour` is no value of `values`",
            "12: `encoding` must be a whole number, this is string",
        ]
    );
}
