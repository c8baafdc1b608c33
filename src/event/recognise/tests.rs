use std::convert::Infallible;
use std::io::Read as _;
use std::path::Path;

use super::*;
use crate::input::{self, Lines};
use crate::record::{self, Options, ReadStats};

fn recognised(log: &[u8], patterns: &Patterns, gate: bool) -> Recognised {
    let mut recogniser = Recogniser::new(patterns);
    let see = |read: crate::record::Read<'_>| {
        let Some(record) = read.record() else { return };
        if !gate {
            recogniser.gate.keep(1);
        }
        recogniser.record(record);
    };
    crate::record::read(&mut Lines::new(log), Options::default(), see).unwrap();
    recogniser.finish()
}

/// All logs below a directory, decompressed.
fn logs(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut logs = Vec::new();
    let Ok(()) = input::each::<Infallible>(folder, &mut |found| {
        if let Ok(mut source) = found.source {
            let mut log = Vec::new();
            if source.reader.read_to_end(&mut log).is_ok() {
                logs.push((source.name, log));
            }
        }
        Ok(())
    });
    logs
}

/// A log with its lines without search words repeated many times.
fn with_noise(log: &[u8], words: &[String]) -> Option<Vec<u8>> {
    let log = std::str::from_utf8(log).ok()?;
    let lines = log.split_inclusive('\n').flat_map(|line| {
        // The meaning of a line without a time depends on its neighbours.
        let timed = line.starts_with('[') || line.contains(" kernel: ");
        let noise = timed && !words.iter().any(|word| line.contains(word.as_str()));
        std::iter::repeat_n(line, if noise { 30 } else { 1 })
    });
    Some(lines.collect::<String>().into_bytes())
}

/// Lines without search words change nothing, whether they are read or skipped.
#[test]
fn skipped_lines_have_no_effect() {
    let patterns = crate::builtin::patterns();
    let mut skimmed = 0;
    for (name, log) in logs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))) {
        let Some(text) = with_noise(&log, &patterns.words) else { continue };
        let read = |skim_beyond: usize| {
            let mut recogniser = Recogniser::new(&patterns);
            let options = Options { skim_beyond, ..Options::default() };
            let reading =
                record::read_wanted(&mut Lines::new(&*text), options, &mut recogniser).unwrap();
            (recogniser.finish(), reading)
        };
        let (quick, slow) = (read(0), read(usize::MAX));
        skimmed += quick.1.skimmed;
        let told = |(found, reading): &(Recognised, ReadStats)| {
            let starts: Vec<u64> = reading.boots.iter().map(|boot| boot.first_sequence).collect();
            let ReadStats { lines, records, kernel_records, form, direction, .. } = reading;
            format!(
                "{lines} {records} {kernel_records} {form} {direction:?} {starts:?} {} {} {} {:?}",
                found.kernel_records,
                found.driver_records,
                found.facts.has_others(0, u64::MAX),
                found.events
            )
        };
        assert_eq!(told(&quick), told(&slow), "{name}");
    }
    assert!(skimmed > 1000, "{skimmed}");
}

#[test]
fn the_gate_holds_nothing_back() {
    let patterns = crate::builtin::patterns();
    let logs = logs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures")));
    assert!(logs.len() > 100, "{}", logs.len());
    for (name, log) in &logs {
        let with = recognised(log, &patterns, true);
        let without = recognised(log, &patterns, false);
        assert_eq!(with.events, without.events, "{name}");
        assert_eq!(with.driver_records, without.driver_records, "{name}");
        assert_eq!(with.unknown_driver_lines, without.unknown_driver_lines, "{name}");
    }
}

/// The kinds of the events of a log.
fn kinds(log: &str) -> Vec<Kind> {
    let patterns = crate::builtin::patterns();
    let mut recogniser = Recogniser::new(&patterns);
    record::read_wanted(&mut Lines::new(log.as_bytes()), Options::default(), &mut recogniser)
        .unwrap();
    recogniser.finish().events.iter().map(|one| one.event.kind()).collect()
}

#[test]
fn the_driver_is_known_by_its_words_where_its_name_was_cut_off() {
    for (log, found) in [
        (
            "Mar 04 18:20:10 kernel: MES failed to respond to msg=RESET\n\
             Mar 04 18:20:12 kernel: GPU reset succeeded, trying to resume\n",
            vec![Kind::MesTimeout, Kind::ResetHardwareDone],
        ),
        ("[   12.500000] GPU reset begin!\n", vec![Kind::ResetBegin]),
        // Others print this, too.
        ("[   12.500000] GPU reset succeeded, trying to resume\n", vec![]),
        ("[   12.500000] i915 0000:00:02.0: GPU reset begin!\n", vec![]),
        ("[   12.500000] MORE_FAULTS: 0x0\n", vec![]),
    ] {
        assert_eq!(kinds(log), found, "{log}");
    }
}

#[test]
fn a_sentence_of_the_driver_in_prose_is_read() {
    for (log, found) in [
        ("# Is it hot? amdgpu: ring gfx timeout, but soft recovered\n", vec![Kind::SoftRecovered]),
        (
            "# radv/amdgpu: The CS has been cancelled because the context is lost.\n",
            vec![Kind::ContextLost],
        ),
        (
            "It prints `[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, but soft recovered` \
             and goes on.\n",
            vec![Kind::SoftRecovered],
        ),
        ("# How to read dmesg\n", vec![]),
        ("I do not see amdgpu: ring gfx timeout, but soft recovered\n", vec![]),
        ("Do you have `amdgpu: GPU reset begin!` in the log?\n", vec![]),
    ] {
        assert_eq!(kinds(log), found, "{log}");
    }
}

#[test]
fn a_pager_may_truncate_after_a_word() {
    let cut = "Mar 04 18:20:10 host kernel: amdgpu 0000:0c:00.0: amdgpu: ring comp_1.2.1 timeout, \
               signaled seq=1709, emitted>\n";
    assert_eq!(kinds(cut), [Kind::RingTimeout]);
    // What was cut without a mark must be long.
    assert_eq!(kinds(&cut.replace('>', "")), [Kind::RingTimeout]);
    assert!(kinds("[    1.000000] amdgpu 0000:0c:00.0: amdgpu: MES failed\n").is_empty());
}

#[test]
fn text_below_a_complete_message_does_not_continue_it() {
    let fields = "reason: amdgpu 0000:03:00.0: [drm] *ERROR* [CRTC:82:crtc-1] flip_done timed out\n\
                  cmdline: BOOT_IMAGE=(hd0,gpt2)/vmlinuz-6.17.9-300.fc43.x86_64 root=UUID=aa ro rhgb quiet\n\
                  package: kernel-core-6.17.9-300.fc43\n";
    assert_eq!(kinds(fields), [Kind::DisplayTimeout]);
    let wrapped = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1709,\n\
                   emitted seq=1711\n";
    assert_eq!(kinds(wrapped), [Kind::RingTimeout]);
}

#[test]
fn a_forwarder_may_change_the_facility() {
    let line = "Mar  8 04:41:10 node kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n";
    for (priority, found) in [("<131>", vec![Kind::ResetBegin]), ("<29>", vec![])] {
        assert_eq!(kinds(&format!("{priority}{line}")), found, "{priority}");
    }
}

#[test]
fn a_list_of_modules_attributes_lines_without_a_driver() {
    let patterns = crate::builtin::patterns();
    for (modules, others) in [
        ("fl2000(OE) drm_kms_helper snd", true),
        ("i915 amdgpu drm_kms_helper", false),
        ("drm_kms_helper ttm", false),
    ] {
        let log = format!(
            "[  371.962336] WARNING: CPU: 3 PID: 482 at drivers/gpu/drm/drm_vblank.c:1681 a+0x1/0x2\n\
             [  371.962377] Modules linked in: {modules}\n"
        );
        let found = recognised(log.as_bytes(), &patterns, true);
        assert_eq!(found.facts.has_others(0, u64::MAX), others, "{modules}");
    }
}

#[test]
fn a_line_cut_within_a_value_is_read_if_it_names_its_function() {
    let line = |text: &str| format!("[  200.000000] [drm:{text}\n");
    let timed_out = "amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0";
    assert_eq!(kinds(&line(timed_out)), [Kind::RingTimeout]);
    // Another function prints other messages.
    assert_eq!(kinds(&line(&timed_out.replace("job_timedout", "job_submit"))), []);
}
