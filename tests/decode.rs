//! `decode`: whole runs, for people and programs.

use super::common::{Output, Run, none};

fn decode(arguments: &[&str]) -> Output {
    Run::new(std::iter::once("decode").chain(arguments.iter().copied())).output()
}

/// One value of each family.
const RUNS: [(&str, &[&str]); 8] = [
    ("register", &["GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031"]),
    ("chip", &["0x00000B3A", "--gfx", "gfx1100", "--hub", "gfxhub"]),
    ("open", &["0x00801031"]),
    ("request", &["MISC", "(WAIT_REG_MEM)"]),
    ("error", &["-ETIME"]),
    ("mask", &["amdgpu.ppfeaturemask=0xfffd7fff", "--kernel", "6.12"]),
    ("number", &["5"]),
    ("bus", &["status/mask=00004000/00000000"]),
];

#[test]
fn values_are_explained() {
    for (name, arguments) in RUNS {
        let output = decode(arguments);
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{arguments:?}");
        output.snapshot(&format!("decode__{name}"));
    }
    decode(&["ring:24", "--format", "json"]).snapshot("decode__json");
}

#[test]
fn every_line_fits_its_screen() {
    let mut wrong = Vec::new();
    for (_, arguments) in RUNS {
        let lines = decode(arguments).stdout;
        wrong.extend(lines.lines().filter(|line| line.chars().count() > 80).map(str::to_owned));
    }
    none(&wrong);
}

#[test]
fn a_value_may_stand_before_or_behind_the_options() {
    let wanted = decode(&["0x00801031", "--gfx", "gfx1100", "--as", "fault-status"]);
    assert_eq!(decode(&["--as", "fault-status", "--gfx", "gfx1100", "0x00801031"]), wanted);
    assert_eq!(decode(&["-110"]).stdout, decode(&["ETIMEDOUT"]).stdout);
    assert_eq!(decode(&["-ETIMEDOUT"]).stdout, decode(&["ETIMEDOUT"]).stdout);
    assert_eq!(decode(&["Source:", "5"]).stdout, decode(&["Source: 5"]).stdout);
    let generation = decode(&["msg=20", "--gfx", "gfx11"]).stdout;
    assert!(generation.starts_with("MES request 20: not on this chip"), "{generation}");
}

#[test]
fn json_has_every_reading() {
    let output = decode(&["0x00801031", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["schema_version"], 2);
    assert_eq!(document["value"], "0x00801031");
    let readings = document["readings"].as_array().unwrap();
    assert_eq!(readings.len(), 3);
    let field = &readings[0]["fields"][7];
    assert_eq!(
        (&field["name"], &field["bits"], &field["value"]),
        (&"VMID".into(), &"23:20".into(), &"8".into())
    );
}

#[test]
fn what_cannot_be_decoded_is_an_error() {
    for (arguments, said) in [
        (&["nonsense"][..], "amdtriage: cannot decode `nonsense`\nhelp: amdtriage decode --help"),
        (&["msg=42"], "amdtriage: cannot decode `msg=42` as mes-opcode\nhelp: "),
        (
            &["SQ_WAVE_TRAPSTS=0x100", "--gfx", "gfx1201"],
            "amdtriage: cannot decode `SQ_WAVE_TRAPSTS=0x100` as sq-wave-trapsts: this chip has no such register\nhelp: ",
        ),
        (&["9", "--as", "reset-source"], "amdtriage: cannot decode `9` as reset-source\nhelp: "),
        (&["0x1", "--as", "nothing"], "amdtriage: invalid value `nothing` for `--as <KIND>`"),
        (&["0x1", "--gfx", "navi"], "amdtriage: invalid value `navi` for `--gfx <TARGET>`"),
        (&["0x1", "--kernel", "new"], "amdtriage: invalid value `new` for `--kernel <VERSION>`"),
        (&[], "amdtriage: missing <VALUE>"),
    ] {
        let output = decode(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.starts_with(said), "{arguments:?}: {}", output.stderr);
    }
}

/// A fault of which two lines contradict the word between them.
const MIXED: &str = "\
[  100.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game pid 4711 thread game:cs0 pid 4733)
[  100.000010] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000000401e1b000 from client 10
[  100.000020] amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031
[  100.000030] amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: CPC (0x5)
[  100.000040] amdgpu 0000:03:00.0: amdgpu: \t MORE_FAULTS: 0x1
[  100.000050] amdgpu 0000:03:00.0: amdgpu: \t WALKER_ERROR: 0x0
[  100.000060] amdgpu 0000:03:00.0: amdgpu: \t PERMISSION_FAULTS: 0x3
[  100.000070] amdgpu 0000:03:00.0: amdgpu: \t MAPPING_ERROR: 0x0
[  100.000080] amdgpu 0000:03:00.0: amdgpu: \t RW: 0x0
";

#[test]
fn events_say_where_lines_and_status_word_disagree() {
    let output = Run::new(["events", "--format", "ndjson"]).input(MIXED).output();
    let event: serde_json::Value = serde_json::from_str(output.stdout.trim()).unwrap();
    let found = event["fields"]["disagrees"].as_array().unwrap();
    let told: Vec<_> = found.iter().map(|one| (&one["field"], &one["legitimate"])).collect();
    assert_eq!(told, [(&"client_id".into(), &0.into()), (&"vmid".into(), &1.into())]);
    let table = Run::new(["events"]).variable("COLUMNS", "300").input(MIXED).output().stdout;
    assert!(table.contains("client_id 0x5 printed, 0x8 in the word"), "{table}");
    let agreed = MIXED.replace("CPC (0x5)", "TCP (0x8)").replace("vmid:3", "vmid:8");
    let output = Run::new(["events", "--format", "ndjson"]).input(agreed).output();
    assert!(!output.stdout.contains("disagrees"), "{}", output.stdout);
}

/// The argument may be copied from a hostile log.
#[test]
fn nothing_that_steers_a_terminal_gets_through() {
    for value in ["\u{1b}[31mred", "msg=\u{9b}31m", "amdgpu.\u{202e}x=1", "ring \u{1b}]0;x\u{7}"] {
        let output = decode(&[value]);
        let all = output.stdout + &output.stderr;
        assert!(!all.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}']), "{value:?}: {all:?}");
    }
}
