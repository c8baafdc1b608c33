//! Texts that users copy from logs, and their readings.

use super::*;
use crate::pattern::hardware::tests::built_in;
use crate::pattern::hardware::{BitfieldKind, Fit};
use crate::value::{Errno, MesOpcode, ResetMethod, ResetSource, Ring};

fn context(gfx: &str, kernel: &str) -> Context<'static> {
    Context {
        hardware: built_in(),
        silicon: gfx.parse().map_or(Silicon::Unknown, Silicon::Target),
        kernel: kernel.parse().ok(),
        hub: None,
        register: None,
    }
}

fn read(text: &str, gfx: &str, kernel: &str) -> Vec<Interpretation> {
    readings(text, None, &context(gfx, kernel)).unwrap_or_default()
}

/// The kinds and summaries of all readings.
fn summaries(text: &str) -> Vec<String> {
    let one = |reading: Interpretation| format!("{}: {}", reading.kind.name(), reading.summary);
    read(text, "", "").into_iter().map(one).collect()
}

/// The summary of the likeliest reading.
fn first(text: &str, gfx: &str, kernel: &str) -> String {
    let mut found = read(text, gfx, kernel);
    if found.is_empty() { String::new() } else { found.remove(0).summary }
}

#[test]
fn the_text_before_a_value_decides_its_kind() {
    for (text, want) in [
        ("msg=3", "mes-opcode: MES request 3: REMOVE_QUEUE"),
        ("MES failed to response msg=14", "mes-opcode: MES request 14: MISC"),
        ("MES failed to respond to msg=REMOVE_QUEUE", "mes-opcode: MES request 3: REMOVE_QUEUE"),
        ("REMOVE_QUEUE", "mes-opcode: MES request 3: REMOVE_QUEUE"),
        ("MISC (WAIT_REG_MEM)", "mes-misc: MES sub-request 4: WAIT_REG_MEM"),
        ("msg=MISC (WAIT_REG_MEM)", "mes-misc: MES sub-request 4: WAIT_REG_MEM"),
        ("Source:  5", "reset-source: reset source 5: user"),
        ("GPU reset begin!. Source:  3", "reset-source: reset source 3: mes"),
        ("-110", "errno: error -110: ETIMEDOUT"),
        ("110", "errno: error -110: ETIMEDOUT"),
        ("ETIME", "errno: error -62: ETIME"),
        ("-ETIME", "errno: error -62: ETIME"),
        ("ret -62", "errno: error -62: ETIME"),
        ("Failed to initialize parser -125!", "errno: error -125: ECANCELED"),
        ("wedged: none", "wedged: wedged device, recovery: none"),
        ("WEDGED=bus-reset", "wedged: wedged device, recovery: bus-reset"),
        ("resp=0xff", "smu-response: power controller (SMU) response 0xff: CMD_FAIL"),
        ("resp_reg: fe", "smu-response: power controller (SMU) response 0xfe: CMD_UNKNOWN"),
        ("status=3", "dmub-status: display firmware (DMUB) status 3: TIMEOUT"),
        ("err_type 2", "sq-error: shader error 2: MEMVIOL"),
        ("create queue type 1", "queue-type: compute driver's queue type 1: SDMA"),
        ("state(2)", "pci-channel-state: state of the PCI channel 2: io_frozen"),
        ("ring:24", "ring-byte: ring byte 24 (0x18): no ring, but a byte of the interrupt"),
        ("client 27", "interrupt-client: interrupt client 27 (0x1b): UTCL2"),
        ("from client 0x1b (UTCL2)", "interrupt-client: interrupt client 27 (0x1b): UTCL2"),
        ("TCP (0x8)", "fault-client: page-fault client 0x8 of gfxhub: TCP"),
        (
            "Faulty UTCL2 client ID: SQC (data) (0xa)",
            "fault-client: page-fault client 0xa of gfxhub: SQC (data)",
        ),
        ("1002:744c", "pci-id: 1002:744c: Navi 31"),
        ("0x744c", "pci-id: 1002:744c: Navi 31"),
        ("0x744c:0x1002", "pci-id: 1002:744c: Navi 31"),
        ("gfx1100", "gfx-target: gfx1100: Navi 31"),
        ("HSA_OVERRIDE_GFX_VERSION=10.3.0", "gfx-target: gfx1030: Navi 21"),
        ("gfx_target_version 110001", "gfx-target: gfx1101: Navi 32"),
        (
            "amdgpu.gfxoff=0",
            "parameter: amdgpu.gfxoff=0: no kernel has this parameter; it is ignored",
        ),
        ("amdgpu.nonsense=1", "parameter: amdgpu.nonsense: no checked kernel has this parameter"),
        (
            "dcdebugmask=0x10",
            "dcdebugmask: amdgpu.dcdebugmask=0x10: one setting differs from the default",
        ),
        ("[14] CmpltTO", ""),
        ("CmpltTO", "aer-uncorrectable: PCIe error status, uncorrected bit 14: CmpltTO"),
    ] {
        let got = summaries(text);
        let want: &[&str] = if want.is_empty() { &[] } else { &[want] };
        assert_eq!(got, want, "{text}");
    }
}

#[test]
fn a_name_that_contradicts_its_number_is_reported() {
    let found = read("Faulty UTCL2 client ID: CPC (0x8)", "gfx1100", "");
    assert_eq!(found[0].summary, "page-fault client 0x8 of gfxhub: TCP");
    assert_eq!(found[0].notes, ["the log calls it CPC, which is another client"]);
    assert_eq!(read("client ID: CPC (0x5)", "gfx1100", "")[0].notes, [""; 0]);
    let names = |text| -> Vec<_> {
        let fields = read(text, "", "").remove(0).fields;
        fields.into_iter().map(|part| part.name).collect()
    };
    assert_eq!(names("CB/DB"), ["CB/DB"]);
}

#[test]
fn rings_are_decoded_from_their_names() {
    for (ring, engine, numbers) in [
        ("gfx_0.0.0", "graphics", "me 0, pipe 0, queue 0"),
        ("comp_1.0.2", "compute", "mec 1, pipe 0, queue 2"),
        ("comp_3.1.0.2", "compute", "xcc 3, mec 1, pipe 0, queue 2"),
        ("kiq_0.2.1.0", "control", "xcc 0, mec 2, pipe 1, queue 0"),
        ("mes_kiq_3.1.0", "control", "me 3, pipe 1, queue 0"),
        ("sdma1", "sdma", "engine 1"),
        ("sdma0.3", "sdma", "engine 0, die 3"),
        ("vcn_unified_0", "video", "instance 0"),
        ("jpeg_dec_1.2", "jpeg", "instance 1, ring 2"),
        ("<gfx_0.1.0>", "graphics", "me 0, pipe 1, queue 0"),
    ] {
        let found = read(ring, "", "");
        let fields = &found.iter().find(|one| one.kind == Kind::Ring).unwrap().fields;
        assert_eq!(fields[0].value, engine, "{ring}");
        let rest = fields[1..].iter().map(|part| format!("{} {}", part.name, part.value));
        assert_eq!(rest.collect::<Vec<_>>().join(", "), numbers, "{ring}");
    }
    assert_eq!(summaries("gfx_0.0").len(), 0);
}

#[test]
fn chip_and_kernel_decide_where_numbers_changed() {
    for (text, gfx, kernel, want) in [
        ("reset method 4", "", "6.12", "reset method 4: BACO"),
        ("reset method 4", "", "6.17", "reset method 4: LINK"),
        ("reset method 4", "", "", "reset method 4: BACO or LINK"),
        ("misc 8", "gfx1100", "", "MES sub-request 8: CHANGE_CONFIG"),
        ("misc 8", "gfx1201", "", "MES sub-request 8: QUERY_HUNG_ENGINE_ID"),
        ("misc 8", "", "", "MES sub-request 8: CHANGE_CONFIG or QUERY_HUNG_ENGINE_ID"),
        (
            "msg=20",
            "gfx1100",
            "",
            "MES request 20: not on this chip and kernel, elsewhere INVALIDATE_TLBS",
        ),
        ("create queue type 3", "", "6.1", "compute driver's queue type 3: DIQ"),
        ("create queue type 3", "", "7.3", "compute driver's queue type 3: SDMA_XGMI"),
        ("create queue type 3", "", "6.12", "compute driver's queue type 3: DIQ or SDMA_XGMI"),
        ("client 10", "gfx1100", "", "interrupt client 10 (0xa): GFX"),
        ("client 10", "gfx906", "", "interrupt client 10 (0xa): SE0SH"),
    ] {
        assert_eq!(first(text, gfx, kernel), want, "{text} {gfx} {kernel}");
    }
}

#[test]
fn a_word_can_be_several_things() {
    let kinds = |text| -> Vec<_> { read(text, "", "").iter().map(|one| one.kind.name()).collect() };
    assert_eq!(kinds("0x00801031"), ["fault-status"; 3]);
    assert_eq!(kinds("0xffffffff"), ["ppfeaturemask", "fault-status", "smu-response"]);
    assert_eq!(kinds("0xff")[0], "smu-response");
    assert_eq!(kinds("status/mask=00004000/00000000"), ["aer-correctable", "aer-uncorrectable"]);
    let five = kinds("5");
    assert_eq!(five[..2], ["reset-source", "mes-opcode"]);
    assert!(five.contains(&"errno") && five.contains(&"smi-event"), "{five:?}");
    let context = context("gfx1100", "");
    let read = |kind| readings("0x00801031", Some(kind), &context).unwrap();
    assert_eq!(read(Kind::FaultStatus).len(), 1);
    assert_eq!(read(Kind::Ppfeaturemask)[0].kind, Kind::Ppfeaturemask);
}

#[test]
fn a_status_word_is_read_for_its_register_chip_and_hub() {
    let word = "GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031";
    let found = read(word, "", "");
    let read_by = "page-fault status 0x00801031: a read from an address where nothing is mapped by";
    assert_eq!((found.len(), found[0].summary.as_str()), (1, &*format!("{read_by} TCP")));
    assert_eq!(found[0].assumes, None);
    assert!(found[0].notes[0].starts_with("the word describes the first fault"), "{:?}", found[0]);
    let vmid = found[0].fields.iter().find(|part| part.name == "VMID").unwrap();
    assert_eq!((vmid.bits.as_deref(), vmid.value.as_str()), (Some("23:20"), "8"));

    let open = read("0x00801031", "", "");
    assert_eq!(
        open[0].assumes.as_deref(),
        Some("a chip of gfx9*, gfx10*, gfx110*, gfx115*, gfx117*, gfx120*")
    );
    assert_eq!(open[0].summary, format!("{read_by} TCP if on gfxhub"));
    assert_eq!(open[1].assumes.as_deref(), Some("a chip of gfx125*"));

    let mm = Context { hub: Some(Hub::Mm), ..context("gfx1100", "") };
    let found = readings("0x00801031", None, &mm).unwrap();
    assert_eq!(found[0].summary, format!("{read_by} MPIO"));
    let named = Context { register: Some("MMVM_L2_PROTECTION_FAULT_STATUS"), ..context("", "") };
    let found = readings("0x00801031", None, &named).unwrap();
    let cid = found[0].fields.iter().find(|part| part.name == "CID").unwrap();
    assert!(cid.text.as_ref().unwrap().contains("VMC (gfx1030"), "{cid:?}");
}

#[test]
fn words_without_information_say_so() {
    let zero = &read("GCVM_L2_PROTECTION_FAULT_STATUS:0x00000000", "gfx1100", "")[0];
    assert!(zero.fields.is_empty() && zero.notes[0].contains("no evidence"), "{zero:?}");
    let ones = &read("GCVM_L2_PROTECTION_FAULT_STATUS:0xFFFFFFFF", "", "")[0];
    assert!(ones.summary.ends_with("does not respond on its bus"), "{ones:?}");
}

#[test]
fn shader_interrupts_are_taken_apart_by_chip() {
    for (text, gfx, error, wave) in [
        ("0x10080002 0x000000a0", "gfx1030", "ILLEGAL_INST", "8"),
        ("0x08400000 0x00000080", "gfx1100", "MEMVIOL", "1"),
        ("0x0801c000 0x00000020", "gfx906", "MEMVIOL", "7"),
    ] {
        let found = read(text, gfx, "");
        let part = |names: &[&str]| {
            found[0].fields.iter().find(|part| names.contains(&part.name.as_str())).unwrap().clone()
        };
        let said = part(&["err_type", "type"]).text.unwrap();
        assert!(said.starts_with(error), "{text}: {said}");
        assert_eq!(part(&["wave_id"]).value, wave, "{text}");
        assert_eq!((found.len(), found[0].assumes.as_ref()), (1, None), "{text}");
    }
    let alone =
        readings("0x0801c000", Some(Kind::Word(BitfieldKind::SqInterrupt)), &context("gfx906", ""))
            .unwrap();
    assert!(alone[0].notes.iter().any(|note| note.contains("second word is missing")));
}

#[test]
fn masks_are_compared_with_the_default() {
    let found = read("amdgpu.ppfeaturemask=0xffffffff", "", "6.12");
    let names: Vec<_> = found[0].fields.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["value", "default", "OVERDRIVE", "GFX_DCS"]);
    assert_eq!(found[0].fields[2].bits.as_deref(), Some("14"));
    let old = read("dcdebugmask=0x10", "", "5.15");
    assert!(old[0].fields.iter().any(|part| {
        part.text.as_deref() == Some("no effect on this kernel; kernels: 6.1 and later")
    }));
    let value = read("amdgpu.reset_method=4", "", "6.12");
    assert!(value[0].fields.iter().any(|part| part.name == "BACO"), "{value:?}");
    assert!(!value[0].fields.iter().any(|part| part.name == "LINK"), "{value:?}");
}

#[test]
fn text_without_a_value_is_rejected() {
    let context = context("", "");
    for text in ["", " ", "nonsense", "0x", "0xzz", "()", "=", ":", "-", "1002:0000", "x=", "99999"]
    {
        assert_eq!(readings(text, None, &context), Err(Unknown::Value), "{text}");
    }
    // The text before the number belongs to no table, so the number is not looked up in any.
    for text in ["seq=512", "MSG 0x29", "PERMISSION_FAULTS: 0x5", "fw resp=0x0", "vmid 3"] {
        assert!(readings(text, None, &context).is_err(), "{text}");
    }
    assert_eq!(first("returned -22", "", ""), "error -22: EINVAL");
    assert!(first("fault status 0x00801031", "", "").starts_with("page-fault status"));
    assert!(summaries("status 0xffff0007").iter().all(|one| one.starts_with("fault-status")));
    let opcode = Kind::Value(EnumerationKind::MesOpcode);
    assert_eq!(readings("msg=42", None, &context), Err(Unknown::OfKind(opcode)));
    assert_eq!(readings("0x1", Some(Kind::Ring), &context), Err(Unknown::OfKind(Kind::Ring)));
}

/// The first reading of a text: its kind and fields by name; of a word, its fields unchanged.
fn likeliest(text: &str, gfx: &str, kernel: &str) -> String {
    let found = read(text, gfx, kernel);
    let Some(reading) = found.first() else { return "nothing".to_owned() };
    let names: Vec<_> = reading.fields.iter().map(|f| format!("{}={}", f.name, f.value)).collect();
    match reading.kind {
        Kind::Word(_) => names.join(" "),
        _ => format!("{}; {}", reading.summary, found.len()),
    }
}

#[test]
fn registers_of_shader_waves_are_taken_apart_by_chip() {
    for (text, gfx, fields) in [
        ("SQ_WAVE_STATUS: 0x08002041", "gfx1100", "SCC=1 TRAP_EN=1 HALT=1 MUST_EXPORT=1"),
        ("sq_wave_status=0x00010060", "gfx1201", "PRIV=1 TRAP_EN=1 VALID=1"),
        ("SQ_WAVE_TRAPSTS: 0x00000900", "gfx1030", "EXCP, memory violation=1 ILLEGAL_INST=1"),
        ("SQ_WAVE_TRAPSTS: 0x10000100", "gfx942", "EXCP, memory violation=1 XNACK_ERROR=1"),
        ("SQ_WAVE_EXCP_FLAG_PRIV: 0x00000010", "gfx1200", "MEMVIOL=1"),
        ("SQ_WAVE_EXCP_FLAG_USER: 0x00000004", "gfx1200", "ALU_FLOAT_DIV0=1"),
        ("SQ_WAVE_STATE_PRIV: 0x00008000", "gfx1200", "POISON_ERR=1"),
    ] {
        assert_eq!(likeliest(text, gfx, ""), fields, "{text}");
    }
    // gfx12 has SQ_WAVE_EXCP_FLAG_PRIV in its place.
    let asked = readings("SQ_WAVE_TRAPSTS: 0x100", None, &context("gfx1201", ""));
    let kind = Kind::Word(BitfieldKind::SqWaveTrapsts);
    assert_eq!(asked, Err(Unknown::NotOnChip(kind)));
    let text = readings("SQ_WAVE_TRAPSTS: text", None, &context("gfx1201", ""));
    assert_eq!(text, Err(Unknown::OfKind(kind)));
    // A bare number is never read as one of these.
    assert!(read("0x08002041", "gfx1100", "").iter().all(|reading| !matches!(
        reading.kind,
        Kind::Word(BitfieldKind::SqWaveStatus | BitfieldKind::AcaStatus)
    )));
}

#[test]
fn registers_of_a_saved_crash_are_taken_apart_by_chip() {
    const CP: &str = "ME0PIPE0_CMDFIFO_AVAIL=8 DB_CLEAN=1 CB_CLEAN=1 CP_BUSY=1 GUI_ACTIVE=1";
    for (text, gfx, fields) in [
        // As the dump has it: padded, with a tab.
        ("regGRBM_STATUS                        \t 0xa0003028", "gfx1100", CP),
        ("mmGRBM_STATUS 0xa0003008", "gfx1010", CP),
        (
            "mmGRBM_STATUS2: 0x70000008",
            "gfx1010",
            "ME0PIPE1_CMDFIFO_AVAIL=8 CPF_BUSY=1 CPC_BUSY=1 CPG_BUSY=1",
        ),
        ("regGRBM_STATUS_SE3 0x00000006", "gfx1201", "DB_CLEAN=1 CB_CLEAN=1"),
        ("regCP_STAT 0x80008000", "gfx1100", "PFP_BUSY=1 CP_BUSY=1"),
        ("regCP_BUSY_STAT 0x00000100", "gfx942", "ME_PARSING_PACKETS=1"),
        ("mmCP_CPF_STATUS 0x80000002", "gfx906", "CSF_BUSY=1 CPF_BUSY=1"),
        ("mmSDMA1_STATUS_REG 0x00000001", "gfx1030", "IDLE=1"),
        ("regSDMA_STATUS_REG 0x00000001", "gfx942", "IDLE=1"),
        ("GRBM_STATUS=0x80000000", "gfx803", "GUI_ACTIVE=1"),
    ] {
        assert_eq!(likeliest(text, gfx, ""), fields, "{text}");
    }
    let asked = readings("regGRBM_STATUS3 0x80", None, &context("gfx900", ""));
    assert_eq!(asked, Err(Unknown::NotOnChip(Kind::Word(BitfieldKind::GrbmStatus3))));
}

/// The kernel has no headers of the registers of GC 11.7.
fn has_headers(target: crate::value::GfxTarget) -> bool {
    !target.to_string().starts_with("gfx117")
}

#[test]
fn chips_without_a_known_pci_id_are_known_by_their_target() {
    for target in ["gfx1154", "gfx1170", "gfx1171", "gfx1250"] {
        let wanted = format!("gfx-target: {target}: {}", target.to_uppercase());
        assert_eq!(summaries(target), [wanted]);
    }
}

#[test]
fn each_chip_has_one_layout_of_its_status_registers() {
    for chip in &built_in().chips {
        let Some(target) = chip.gfx.first().copied().filter(|gfx| has_headers(*gfx)) else {
            continue;
        };
        let silicon = Silicon::Target(target);
        let fit =
            |kind| built_in().bitfields(kind).filter(|b| b.fit(silicon, &[0]) != Fit::No).count();
        for kind in [BitfieldKind::GrbmStatus, BitfieldKind::GrbmStatus2, BitfieldKind::CpStat] {
            assert_eq!(fit(kind), 1, "{target} {kind:?}");
        }
    }
}

#[test]
fn each_chip_has_one_layout_of_a_wave() {
    for chip in &built_in().chips {
        let Some(target) = chip.gfx.first().copied().filter(|gfx| has_headers(*gfx)) else {
            continue;
        };
        let silicon = Silicon::Target(target);
        let fit =
            |kind| built_in().bitfields(kind).filter(|b| b.fit(silicon, &[0]) != Fit::No).count();
        assert_eq!(fit(BitfieldKind::SqWaveStatus), 1, "{target}");
    }
}

#[test]
fn records_of_hardware_errors_are_taken_apart() {
    let status = likeliest("ACA[01/01].STATUS=0xdc2040000000011b", "gfx942", "");
    assert!(status.contains("ERRORCODE=283") && status.ends_with("VAL=1"), "{status}");
    let ipid = read("ACA[01/01].IPID=0x0000009600002701", "gfx942", "");
    let block = ipid[0].fields.iter().find(|field| field.name == "HARDWAREID").unwrap();
    assert_eq!(block.value, "150");
    assert!(block.text.as_ref().unwrap().contains("UMC"), "{block:?}");
    let boot = likeliest("fw_status: 0x0000008f", "gfx942", "");
    assert!(boot.contains("MEM_TRAINING=1") && boot.contains("FW_LOAD=1"), "{boot}");
    for (text, kernel, said) in [
        ("hwid:0x096", "", "block of an error record (hardware id) 0x96: UMC; 1"),
        ("ras inject block 0", "", "block that reports errors (RAS) 0: UMC; 1"),
        (
            "Invalid ras notify event:9",
            "7.3",
            "event inside the error reporting (RAS) 9: RESET_VF; 1",
        ),
        (
            "ras block 25",
            "",
            "block that reports errors (RAS) 25: none of those that have a name; 1",
        ),
    ] {
        assert_eq!(likeliest(text, "gfx942", kernel), said, "{text}");
    }
}

#[test]
fn interrupt_sources_are_those_of_the_chip() {
    for (text, gfx, said) in [
        (
            "GPU fault detected: 146",
            "gfx803",
            "interrupt source (chips up to gfx8) 146: GFX_PAGE_INV_FAULT; 1",
        ),
        (
            "poison is consumed by source 62",
            "gfx1250",
            "interrupt source of the graphics core (GRBM_CP, SE0SH to SE3SH, RLC, GFX) 62: SDMA_ECC; 1",
        ),
        (
            "Unregistered interrupt client_id: 20 src_id: 183",
            "gfx1030",
            "interrupt source of the graphics core (GRBM_CP, SE0SH to SE3SH, RLC, GFX) 183: CP_BAD_OPCODE_ERROR; 1",
        ),
    ] {
        assert_eq!(likeliest(text, gfx, ""), said, "{text}");
    }
    // Several clients have a source 0; those of other chips are omitted.
    let all = read("src_id:0", "gfx1100", "");
    assert!(all.len() > 1 && all.iter().all(|one| !one.summary.contains("elsewhere")), "{all:?}");
    let client = read("Unhandled client id: 16", "", "");
    assert!(client.iter().all(|one| one.kind == Kind::InterruptClient), "{client:?}");
}

#[test]
fn rings_are_counted_anew_with_each_kernel() {
    for (number, kernel, name) in [(9, "6.1", "KIQ"), (9, "6.12", "VPE"), (11, "7.3", "MES")] {
        let text = format!("ring type {number}");
        let wanted = format!("ring type {number}: {name}; 1");
        assert_eq!(likeliest(&text, "", kernel), wanted);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config {
        failure_persistence: None,
        ..Default::default()
    })]

    /// No text causes a panic, and every reading has a summary and a source.
    #[test]
    fn any_text_can_be_asked(text in "\\PC{0,40}|(msg|status|client|ring|resp)[=: ](0x)?[0-9a-f]{1,17}") {
        for kind in std::iter::once(None).chain(Kind::ALL.iter().map(|kind| Some(*kind))) {
            for reading in readings(&text, kind, &context("", "")).unwrap_or_default() {
                proptest::prop_assert!(!reading.summary.is_empty() && !reading.source.is_empty());
            }
        }
    }
}

/// The names of an enumeration in the order of their numbers.
fn names(kind: EnumerationKind) -> Vec<(i64, String)> {
    let entries = built_in().enumerations_of(kind).flat_map(|table| &table.entries);
    let mut names: Vec<_> =
        entries.filter_map(|entry| Some((entry.number?, entry.name.clone()))).collect();
    names.sort();
    names
}

#[test]
fn the_types_of_events_and_the_tables_say_the_same() {
    let sources = names(EnumerationKind::ResetSource);
    for (number, name) in &sources {
        let source = ResetSource::from_repr(u32::try_from(*number).unwrap()).unwrap();
        assert_eq!(&source.to_string(), name);
    }
    assert_eq!(sources.len(), ResetSource::names().len());

    let opcodes = names(EnumerationKind::MesOpcode);
    let listed: Vec<_> = opcodes.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(listed, MesOpcode::names());
    assert!(opcodes.iter().enumerate().all(|(at, (number, _))| i64::try_from(at) == Ok(*number)));

    let methods = names(EnumerationKind::ResetMethod);
    for name in ResetMethod::names() {
        assert!(methods.iter().any(|(_, known)| known == name), "{name}");
    }
    for (number, name) in names(EnumerationKind::Errno) {
        assert_eq!(Errno(i32::try_from(number).unwrap()).name(), Some(name.as_str()));
    }
    for form in &built_in().rings {
        let other = ["umsch", "cper"].contains(&form.name.as_str());
        assert_eq!(
            Ring(form.name.as_str().into()).kind().name() == "other",
            other,
            "{}",
            form.name
        );
    }
}

/// Firmware message numbers by chip, if a key precedes them; a bare number is not read as one.
#[test]
fn requests_to_firmware_are_named() {
    for (text, gfx, kernel, want) in [
        ("SMN_C2PMSG_66:0x00000012", "gfx1100", "", "message 18: TransferTableSmu2Dram"),
        ("SMN_C2PMSG_66:0x00000012", "gfx906", "", "message 18: SetToolsDramAddrHigh"),
        ("msg_reg: 12", "gfx1100", "", "message 18: TransferTableSmu2Dram"),
        ("msg_reg: 0x12", "gfx1100", "", "message 18: TransferTableSmu2Dram"),
        ("0x52", "gfx1033", "6.12", ""),
        ("response status is (0xFFFF000A)", "", "", "status 0xffff000a: ERROR_NOT_SUPPORTED"),
        ("response status is (0x7)", "", "", "status 0x7: none of those that have a name"),
        ("psp gfx command LOAD_TA(0x1)", "", "", "(PSP) 0x01: LOAD_TA"),
        ("RAS WARNING: ras status = 0xA003", "", "", "0xa003: ERROR_RAS_NOT_AVAILABLE"),
    ] {
        let said: Vec<String> =
            read(text, gfx, kernel).into_iter().map(|reading| reading.summary).collect();
        let firmware = said.iter().find(|summary| {
            summary.contains("(SMU) message")
                || summary.contains("(PSP)")
                || summary.contains("(RAS)")
        });
        match want {
            "" => assert_eq!(firmware, None, "{text}"),
            want => {
                assert!(
                    firmware.is_some_and(|summary| summary.ends_with(want)),
                    "{text}: {said:?}"
                );
            }
        }
    }
}

#[test]
fn every_kind_has_a_table() {
    for kind in EnumerationKind::ALL {
        assert!(built_in().enumerations_of(*kind).next().is_some(), "{kind}");
    }
}
