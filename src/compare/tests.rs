use super::*;
use crate::diagnosis::conclusions;
use crate::event::log::tests::log;
use crate::kind::Kind;

/// A boot with everything that is compared, and without a failure.
const HEALTHY: &str = "\
[    0.000000] Linux version 6.14.0-15-generic (build@host) (gcc 14.2.0) #15-Ubuntu SMP
[    0.000000] Command line: BOOT_IMAGE=/vmlinuz-6.14.0-15-generic root=UUID=0f0f ro quiet amdgpu.dc=1
[    3.000000] [drm] initializing kernel modesetting (IP DISCOVERY 0x1002:0x744C 0x1002:0x0E3B 0xC8).
[    3.100000] amdgpu 0000:03:00.0: amdgpu: VRAM: 24560M 0x0000008000000000 - 0x00000085FEFFFFFF (24560M used)
[    3.200000] amdgpu 0000:03:00.0: amdgpu: smu driver if version = 0x0000003d, smu fw if version = 0x0000003f, smu fw program = 0, smu fw version = 0x004e7300 (78.115.0)
[    3.300000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
[    3.400000] [drm] Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1
[ 7200.000000] usb 1-1: new device
";

const HANG: &str = "\
[  600.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[  600.000001] amdgpu 0000:03:00.0: amdgpu: Process information: process game pid 7 thread game:cs0 pid 8
[  600.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[  601.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";

/// Inserts `more` before the last line.
fn with(more: &str) -> String {
    let (head, last) = HEALTHY.trim_end().rsplit_once('\n').unwrap();
    format!("{head}\n{more}{last}\n")
}

/// Applies `look` to the comparison of the last boots of two logs.
fn compared<T>(good: &str, bad: &str, look: impl FnOnce(&Comparison<'_>) -> T) -> T {
    let patterns = crate::builtin::patterns();
    let (good, bad) = (log(good), log(bad));
    let (of_good, of_bad) = (conclusions(&good, &patterns), conclusions(&bad, &patterns));
    let good = Side {
        log: &good,
        conclusions: &of_good,
        boot: good.boots.len().saturating_sub(1),
        machine: None,
    };
    let bad = Side {
        log: &bad,
        conclusions: &of_bad,
        boot: bad.boots.len().saturating_sub(1),
        machine: None,
    };
    look(&compare(good, bad, &patterns.machines.compared))
}

fn verdict(good: &str, bad: &str) -> ComparedVerdict {
    compared(good, bad, |comparison| comparison.verdict)
}

#[test]
fn a_log_is_the_same_as_itself() {
    for text in [HEALTHY.to_owned(), "\n".to_owned(), "no log at all\n".to_owned()] {
        assert_eq!(verdict(&text, &text), ComparedVerdict::Same, "{text}");
    }
    let hang = with(HANG);
    assert_eq!(verdict(&hang, &hang), ComparedVerdict::KnownFailure);
}

#[test]
fn times_processes_and_addresses_make_no_difference() {
    let other = with(HANG)
        .replace("[  60", "[  71")
        .replace("game", "other")
        .replace("pid 7", "pid 4711")
        .replace("seq=3", "seq=99")
        .replace("root=UUID=0f0f ro quiet", "ro splash root=UUID=0f0f");
    compared(&with(HANG), &other, |comparison| {
        assert_eq!(comparison.verdict, ComparedVerdict::KnownFailure);
        assert!(comparison.suspects().next().is_none());
        assert!(
            !comparison.events.iter().any(EventRow::is_significant),
            "{:#?}",
            comparison.events
        );
    });
    let moved = with(HANG).replace("03:00.0", "0b:00.0");
    compared(&with(HANG), &moved, |comparison| {
        assert_eq!(comparison.verdict, ComparedVerdict::KnownFailure);
        assert_eq!(comparison.gpus[0].tie, GpuMatch::Moved);
        assert!(!comparison.incidents[0].is_elsewhere(&comparison.gpus));
        assert!(comparison.incidents[0].is_elsewhere(&[]));
    });
}

#[test]
fn a_new_failure_is_new_and_a_failure_that_is_gone_is_gone() {
    compared(HEALTHY, &with(HANG), |comparison| {
        assert_eq!(comparison.verdict, ComparedVerdict::NewFailure);
        assert_eq!(comparison.incidents[0].presence(), Presence::New);
        assert_eq!(comparison.incidents[0].silence, Silence::Proves);
        let first = &comparison.events[0];
        assert_eq!((first.likeness.kind, first.presence()), (Kind::RingTimeout, Presence::New));
    });
    compared(&with(HANG), HEALTHY, |comparison| {
        assert_eq!(comparison.verdict, ComparedVerdict::Different);
        assert_eq!(comparison.incidents[0].presence(), Presence::Gone);
    });
    // Another engine is a different failure of the same kind.
    let copy = with(&HANG.replace("gfx_0.0.0", "sdma0"));
    compared(&with(HANG), &copy, |comparison| {
        assert_eq!(comparison.verdict, ComparedVerdict::NewFailure);
        assert_eq!(comparison.incidents[0].same_head_in_good, 1);
    });
}

#[test]
fn a_gpu_that_does_not_come_back_any_more_is_worse() {
    let lost = with(HANG).replace("reset(1) succeeded!", "reset(1) failed");
    assert_eq!(verdict(&with(HANG), &lost), ComparedVerdict::WorseFailure);
    assert_eq!(verdict(&lost, &with(HANG)), ComparedVerdict::KnownFailure);
}

#[test]
fn a_chip_that_one_log_does_not_name_has_the_same_failure() {
    let all = with(HANG);
    let nameless = all.split_inclusive('\n').filter(|line| line.starts_with("[  60"));
    let nameless: String = nameless.collect();
    assert_eq!(verdict(&nameless, &with(HANG)), ComparedVerdict::KnownFailure);
    assert_eq!(verdict(&with(HANG), &nameless), ComparedVerdict::KnownFailure);
}

#[test]
fn a_log_that_ends_early_proves_nothing() {
    let short = HEALTHY.replace("[ 7200.000000]", "[  300.000000]");
    compared(&short, &with(HANG), |comparison| {
        assert_eq!(comparison.verdict, ComparedVerdict::NewFailure);
        assert_eq!(comparison.incidents[0].silence, Silence::EndsBefore);
    });
    let late: String = HEALTHY.split_inclusive('\n').skip(4).collect();
    compared(&late, HEALTHY, |comparison| {
        assert_eq!(comparison.good.doubts, [Doubt::StartsLate]);
        assert_eq!(comparison.options, None);
        // Lines that were printed before the log begins are not a difference.
        assert_eq!(comparison.verdict, ComparedVerdict::Same, "{:#?}", comparison.events);
    });
}

#[test]
fn differences_are_suspects() {
    let bad = HEALTHY
        .replace("6.14.0-15", "6.15.2-1")
        .replace("0x004e7300 (78.115.0)", "0x004e8300 (78.131.0)")
        .replace("amdgpu.dc=1", "amdgpu.dc=1 amdgpu.cwsr_enable=0 audit=0");
    compared(HEALTHY, &bad, |comparison| {
        assert_eq!(comparison.verdict, ComparedVerdict::Different);
        let suspects: Vec<_> = comparison.suspects().collect();
        let [
            Suspect::Kernel("6.14.0-15-generic", "6.15.2-1-generic"),
            Suspect::Firmware(_, "0x004e7300", "0x004e8300"),
            Suspect::Option(option),
        ] = suspects[..]
        else {
            panic!("{suspects:?}")
        };
        assert_eq!(option.name, "amdgpu.cwsr_enable");
        assert_eq!(comparison.options.as_ref().map(Vec::len), Some(2));
    });
}

#[test]
fn a_driver_package_replaces_the_kernels_driver() {
    let line = "[    2.900000] [drm] amdgpu version: 6.8.5\n";
    let (head, rest) = HEALTHY.split_once("[    3.0").unwrap();
    let bad = format!("{head}{line}[    3.0{rest}");
    compared(HEALTHY, &bad, |comparison| {
        let change = comparison.driver.change();
        assert_eq!(change, Some((&Driver::Own, &Driver::Package(Some("6.8.5")))));
    });
}

#[test]
fn cards_are_matched_by_address_and_chip() {
    let ties = |good: &str, bad: &str| {
        compared(good, bad, |it| it.gpus.iter().map(|pair| pair.tie).collect::<Vec<_>>())
    };
    let other = HEALTHY.replace("0x744C", "0x73BF");
    assert_eq!(ties(HEALTHY, &other), [GpuMatch::Replaced]);
    assert_eq!(
        ties(HEALTHY, &other.replace("03:00.0", "0b:00.0")),
        [GpuMatch::Appeared, GpuMatch::Gone]
    );
    assert_eq!(ties(HEALTHY, &HEALTHY.replace("03:00.0", "0b:00.0")), [GpuMatch::Moved]);
    let second = "[    4.000000] amdgpu 0000:0b:00.0: amdgpu: SMU is initialized successfully!\n";
    assert_eq!(ties(HEALTHY, &with(second)), [GpuMatch::Same, GpuMatch::Appeared]);
    assert_eq!(ties(&with(second), HEALTHY), [GpuMatch::Same, GpuMatch::Gone]);
}

#[test]
fn frequencies_are_compared_per_hour() {
    let again = |times: usize| {
        let lines = (0..times).map(|at| HANG.replace("[  60", &format!("[ {}0", 10 + at)));
        with(&lines.collect::<String>())
    };
    let trend = |good: &str, bad: &str| {
        compared(good, bad, |it| {
            let row = it.events.iter().find(|row| row.likeness.kind == Kind::RingTimeout);
            row.map(|row| row.trend)
        })
    };
    assert_eq!(trend(&again(1), &again(5)), Some(Trend::More));
    assert_eq!(trend(&again(5), &again(1)), Some(Trend::Less));
    let longer = again(5).replace("[ 7200.000000]", "[72000.000000]");
    assert_eq!(trend(&again(1), &longer), Some(Trend::Alike));
    let holes = again(5).replace("usb 1-1: new device", "** 500 printk messages dropped **");
    assert_eq!(trend(&again(1), &holes), Some(Trend::Unclear));
}

#[test]
fn unknown_lines_are_new_by_their_shape() {
    let line = |what: &str| format!("[   20.000000] amdgpu 0000:03:00.0: amdgpu: {what}\n");
    let count = |good: &str, bad: &str| compared(good, bad, |it| it.unknown.as_ref().map(Vec::len));
    let (one, other) = (line("xyzzy says 1 to 0x10"), line("xyzzy says 2 to 0x20"));
    assert_eq!(count(HEALTHY, &with(&one)), Some(1));
    assert_eq!(count(&with(&one), &with(&other)), Some(0));
    assert_eq!(count(&with(&one), HEALTHY), Some(0));
}

/// The boots of one log: `healthy`, `hang`, `healthy`.
fn three_boots() -> String {
    // Lines that are twice in a log happened once.
    let at = |text: &str, digit: &str| text.replace("00000]", &format!("0{digit}000]"));
    [at(HEALTHY, "1"), at(&with(HANG), "2"), at(HEALTHY, "3")].concat()
}

#[test]
fn the_default_boot_is_the_last_suitable_one() {
    use crate::diagnosis::choice::BootNumber;
    use chosen::{NoBoot, SelectedBoot, SelectionReason, Wish, one, two};
    let patterns = crate::builtin::patterns();
    let log = log(&three_boots());
    let known = conclusions(&log, &patterns);
    assert_eq!(log.boots.len(), 3);
    let chosen = |boot, why| SelectedBoot { boot, why };
    assert_eq!(one(&log, &known, None, Wish::Good), Ok(chosen(2, SelectionReason::LastWithout)));
    assert_eq!(one(&log, &known, None, Wish::Bad), Ok(chosen(1, SelectionReason::LastWith)));
    let asked = BootNumber(-2);
    assert_eq!(
        one(&log, &known, Some(asked), Wish::Bad),
        Ok(chosen(0, SelectionReason::Asked(asked)))
    );
    let missing = BootNumber(4);
    assert_eq!(one(&log, &known, Some(missing), Wish::Bad), Err(NoBoot::Missing(missing)));
    // The good boot is searched before the bad one.
    let both = two(&log, &known, None, None);
    assert_eq!(
        both,
        Ok((chosen(0, SelectionReason::LastWithout), chosen(1, SelectionReason::LastWith)))
    );
    let number = BootNumber(1);
    let same = two(&log, &known, Some(number), Some(BootNumber(-2)));
    assert_eq!(same, Err(NoBoot::Same));
    let both = two(&log, &known, None, Some(number));
    assert_eq!(
        both,
        Ok((chosen(2, SelectionReason::LastWithout), chosen(0, SelectionReason::Asked(number))))
    );
}

#[test]
fn two_boots_of_one_log_are_compared() {
    let patterns = crate::builtin::patterns();
    let log = log(&three_boots());
    let known = conclusions(&log, &patterns);
    let side = |boot| Side { log: &log, conclusions: &known, boot, machine: None };
    let verdict = |good, bad| compare(side(good), side(bad), &patterns.machines.compared).verdict;
    assert_eq!(verdict(0, 1), ComparedVerdict::NewFailure);
    assert_eq!(verdict(1, 0), ComparedVerdict::Different);
    assert_eq!(verdict(0, 2), ComparedVerdict::Same);
}

#[test]
fn any_number_of_gpus_and_failures_is_compared_in_linear_time() {
    let line = |n: usize| {
        let address = format!("{:04x}:{:02x}:{:02x}.0", n >> 13, n >> 5 & 0xff, n & 31);
        format!("[   10.000000] amdgpu {address}: amdgpu: GPU reset begin!\n")
    };
    let text: String = (0..3000).map(line).collect();
    let shifted: String = (1000..4000).map(line).collect();
    compared(&text, &shifted, |comparison| {
        assert_eq!(comparison.gpus.len(), 4000);
        assert_eq!(comparison.verdict, ComparedVerdict::KnownFailure);
    });
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

    /// A part of a log never has new failures compared with the whole, and swapping the sides swaps
    /// the result.
    #[test]
    fn a_part_of_a_log_has_nothing_new(keep in proptest::collection::vec(proptest::bool::ANY, 12)) {
        let all = with(HANG);
        let part: String = all
            .split_inclusive('\n')
            .enumerate()
            .filter(|(at, _)| keep.get(*at).copied().unwrap_or(true))
            .map(|(_, line)| line)
            .collect();
        let new = |good: &str, bad: &str| {
            compared(good, bad, |it| {
                let new = it.events.iter().filter(|row| row.presence() == Presence::New);
                new.map(|row| row.likeness.clone()).collect::<Vec<_>>()
            })
        };
        let gone = compared(&all, &part, |it| {
            let gone = it.events.iter().filter(|row| row.presence() == Presence::Gone);
            gone.map(|row| row.likeness.clone()).collect::<Vec<_>>()
        });
        let mut turned = new(&part, &all);
        let mut gone = gone;
        turned.sort();
        gone.sort();
        proptest::prop_assert_eq!(turned, gone);
        proptest::prop_assert_eq!(new(&part, &part), []);
    }
}
