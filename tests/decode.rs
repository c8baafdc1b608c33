//! `decode`: whole runs, as people and programs see them.

use super::common::{Output, Run, none};

fn decode(arguments: &[&str]) -> Output {
    Run::new(std::iter::once("decode").chain(arguments.iter().copied())).output()
}

/// One of each family.
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
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, arguments) in RUNS {
            let output = decode(arguments);
            assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{arguments:?}");
            insta::assert_snapshot!(format!("decode__{name}"), output.stdout);
        }
        let output = decode(&["ring:24", "--format", "json"]);
        insta::assert_snapshot!("decode__json", output.stdout);
    });
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
    assert_eq!(document["schema_version"], 1);
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
        (
            &["nonsense"][..],
            "amdtriage: nothing is known of `nonsense`; try: amdtriage decode --help",
        ),
        (&["msg=42"], "amdtriage: nothing is known of `msg=42` as mes-opcode; try: "),
        (
            &["9", "--as", "reset-source"],
            "amdtriage: nothing is known of `9` as reset-source; try: ",
        ),
        (&["0x1", "--as", "nothing"], "error: invalid value 'nothing' for '--as <KIND>'"),
        (&["0x1", "--gfx", "navi"], "error: invalid value 'navi' for '--gfx <TARGET>'"),
        (&["0x1", "--kernel", "new"], "error: invalid value 'new' for '--kernel <VERSION>'"),
        (&[], "error: the following required arguments were not provided"),
    ] {
        let output = decode(arguments);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.starts_with(said), "{arguments:?}: {}", output.stderr);
    }
}

/// What was typed may have been copied from a log that somebody else wrote.
#[test]
fn nothing_that_steers_a_terminal_gets_through() {
    for value in ["\u{1b}[31mred", "msg=\u{9b}31m", "amdgpu.\u{202e}x=1", "ring \u{1b}]0;x\u{7}"] {
        let output = decode(&[value]);
        let all = output.stdout + &output.stderr;
        assert!(!all.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}']), "{value:?}: {all:?}");
    }
}
