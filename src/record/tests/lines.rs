//! Lines, the text around them, and their senders.

use super::*;

#[test]
fn a_process_listing_gives_processes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats/process-listing.log");
    let mut found = Vec::new();
    let reading =
        read(&mut Lines::new(input::open(&path).unwrap().reader), Options::default(), |read| {
            let Some(process) = read.record().and_then(|record| record.process) else { return };
            found.push((process.pid, process.state.to_owned(), process.command.to_owned()));
        });
    assert_eq!(reading.unwrap().form, LogFormat::ProcessListing);
    let want = [
        (318, "D<", "[kworker/u48:3+ttm]"),
        (702, "S", "[gfx_0.0.0]"),
        (3120, "Dl+", "/opt/render/bin/render --scene a b"),
    ];
    assert_eq!(
        found,
        want.map(|(pid, state, command)| (pid, state.to_owned(), command.to_owned()))
    );
}

#[test]
fn damage_does_not_spread() {
    let all = STORY.map(|(_, message)| message);
    for name in [
        "utf-16le-bom",
        "utf-16le",
        "utf-16be-bom",
        "utf-8-bom-inside",
        "carriage-returns",
        "escape-codes",
    ] {
        assert_eq!(messages(&fixture(&format!("hostile/{name}.log")).0), all, "{name}");
    }
    let (found, reading) = fixture("hostile/nul-run.log");
    assert_eq!(found.len(), 8);
    assert_eq!(found[5].message, "amdgp");
    assert_eq!(messages(&found[6..]), all[6..]);
    assert_eq!(reading.skipped.bytes, 2048);

    let (found, reading) = fixture("hostile/over-long-line.log");
    assert_eq!(found.len(), 9);
    assert_eq!(messages(&found[2..]), all[1..]);
    assert_eq!((reading.skipped.lines, reading.skipped.bytes), (1, 100_000 - MESSAGE_LIMIT as u64));

    let (found, reading) = fixture("hostile/cut-first-and-last.log");
    assert_eq!((found[0].origin.as_str(), found[0].stamp), ("Unstated", Stamp::default()));
    assert_eq!(messages(&found[1..6]), all[2..7]);
    assert!(reading.cut);

    let (found, _) = fixture("hostile/latin-1.log");
    assert_eq!(found[8].message, "usb 1-2: Product: Ger\u{FFFD}t f\u{FFFD}r T\u{FFFD}ne");

    let (found, _) = fixture("hostile/interleaved.log");
    assert_eq!(messages(&found)[4..], all[4..]);
    for name in ["empty", "binary"] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/hostile/{name}.log"));
        assert!(input::open(&path).unwrap_err().is_no_log(), "{name}");
    }
}

#[test]
fn the_envelope_identifies_the_sender() {
    for (line, origin, message) in [
        (
            "[    3.400000] systemd[1]: Started x.",
            "Program { name: \"systemd\", pid: Some(1) }",
            "Started x.",
        ),
        ("[   12.000000] game[412]: segfault at 0 ip 0", "Kernel", "game[412]: segfault at 0 ip 0"),
        ("<6>[   12.000000] game[412]: text", "Kernel", "game[412]: text"),
        ("<12>[   12.000000] text", "Program { name: \"unknown\", pid: None }", "text"),
        (
            "[   12.000000] amdgpu 0000:03:00.0: amdgpu: text",
            "Kernel",
            "amdgpu 0000:03:00.0: amdgpu: text",
        ),
        ("[   12.000000] host kernel: text", "Kernel", "text"),
        ("[   12.000000] host kwin[7]: text", "Program { name: \"kwin\", pid: Some(7) }", "text"),
        ("[   12.000000] [drm] text", "Kernel", "[drm] text"),
        ("[   12.000000] [gfxhub] text", "Kernel", "[gfxhub] text"),
        ("[   12.000000][    C3] text", "Kernel", "text"),
        ("[   12.000000] [ T1234] text", "Kernel", "text"),
        (
            "Nov 19 10:33:00 host RDD Process[9]: text",
            "Program { name: \"RDD Process\", pid: Some(9) }",
            "text",
        ),
        (
            "Nov 19 10:33:00 host user@1000.service/a.scope[9]: a: b",
            "Program { name: \"user@1000.service/a.scope\", pid: Some(9) }",
            "a: b",
        ),
        (
            "Nov 19 10:33:00 host kernel:    3.402118] systemd[1]: text",
            "Program { name: \"systemd\", pid: Some(1) }",
            "text",
        ),
        ("Nov 19 10:33:00 192.0.2.7 [ 2649.203914] text", "Kernel", "text"),
        ("2026-11-19T10:33:00.12345 kern.err: [ 2649.203914] text", "Kernel", "text"),
        ("2026-11-19T10:33:00.12345 kern.info: usb 1-1: text", "Kernel", "usb 1-1: text"),
        (
            "2026-11-19T10:33:00.12345 daemon.info: sshd[12]: text",
            "Program { name: \"sshd\", pid: Some(12) }",
            "text",
        ),
        ("Dis 28 04:26:18 host kernel: text", "Kernel", "text"),
        ("xyz 28 04:26:18 host kernel: text", "Kernel", "text"),
        ("[jan29 15:17] text", "Kernel", "text"),
        ("[ +12,600353] text", "Kernel", "text"),
        (
            "  40%|####    | Memory access fault by GPU node-1",
            "Unstated",
            "40%|####    | Memory access fault by GPU node-1",
        ),
        ("step 28 of 04:26:18 took long", "Unstated", "step 28 of 04:26:18 took long"),
        ("[  OK  ] Started x.", "Unstated", "[  OK  ] Started x."),
    ] {
        let (found, _) = records(line);
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!(
            (found[0].origin.as_str(), found[0].message.as_str()),
            (origin, message),
            "{line}"
        );
    }
}

#[test]
fn lines_below_a_record_belong_to_it() {
    let text = "[   10.000001] [    T7] first\n                        second\n                          third\n[   10.000002] [    T7] other\n";
    assert_eq!(messages(&records(text).0), ["first\nsecond\n  third", "other"]);
    let text = "[   10.000001] first\n               [   10.000002] second\n";
    assert_eq!(messages(&records(text).0), ["first", "second"]);
    let text = "[   10.000001] first\n\n               prose\n";
    assert_eq!(messages(&records(text).0), ["first", "prose"]);
}

#[test]
fn lines_that_a_mail_program_broke_are_joined() {
    let wrapped = "[42174.187008] amdgpu 0000:06:00.0: amdgpu: [gfxhub0] retry page fault\n\
                   (src_id:0 ring:0 vmid:1 pasid:32772, for process browser pid 21156 thread\n\
                   browser:cs0 pid 21244)\n\
                   [42174.187021] amdgpu 0000:06:00.0: amdgpu: RW: 0x0\n\
                   What now?\n";
    let want = [
        "amdgpu 0000:06:00.0: amdgpu: [gfxhub0] retry page fault (src_id:0 ring:0 vmid:1 pasid:32772, \
         for process browser pid 21156 thread browser:cs0 pid 21244)",
        "amdgpu 0000:06:00.0: amdgpu: RW: 0x0",
        "What now?",
    ];
    assert_eq!(messages(&records(wrapped).0), want);
    let encoded = "[67760.805914] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process informat=\n\
                   ion:\n\
                   process game pid 41107 thread game:cs0 seq=3D41109\n\
                   [67760.805917] amdgpu 0000:0d:00.0: amdgpu: GPU reset begin!\n";
    let want = "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: \
                process game pid 41107 thread game:cs0 seq=41109";
    assert_eq!(messages(&records(encoded).0)[0], want);
}

#[test]
fn a_record_inside_another_is_one_of_its_own() {
    let joined = "[   10.000001] first [   10.000002] second [   14.000003][    C1] third";
    assert_eq!(messages(&records(joined).0), ["first", "second", "third"]);
    let console = "login: [   10.000001][    C1] text";
    assert_eq!(messages(&records(console).0), ["login:", "text"]);
    let quoted = "[90000.000001] note: [    1.000000] is when it booted";
    assert_eq!(records(quoted).0.len(), 1);
}

#[test]
fn an_answer_that_quotes_twice_is_read_once() {
    let text = "> [   10.000001] first\n> [   10.000002] second\n> > [   10.000001] first\n";
    assert_eq!(messages(&records(text).0), ["first", "second"]);
}

/// Each line of a mail in quoted-printable has at most 76 bytes, so a long one is broken twice.
#[test]
fn a_line_that_a_mail_broke_twice_is_one() {
    let log = "\
> 2024-09-18T21:05:22.677994+02:00 kernel: [drm:amdgpu_job_timedout [amdg=
pu]] *ERROR* ring vcn_dec_0 timeout, signaled seq=3D31022, emitted seq=3D=
31023
";
    let (found, _) = records(log);
    let [only] = found.as_slice() else { panic!("{found:?}") };
    assert!(only.message.ends_with("signaled seq=31022, emitted seq=31023"), "{}", only.message);
}

#[test]
fn lines_quoted_in_a_reply_are_read_once_and_counted() {
    let log = "[   10.000001] first\n[   11.000000] second\n";
    let quoted = log.replace('[', "> [");
    let (found, reading) = records(&format!("{log}An answer:\n{quoted}"));
    let messages: Vec<&str> = found.iter().map(|record| record.message.as_str()).collect();
    assert_eq!(messages, ["first", "second", "An answer:"]);
    assert_eq!((reading.passed_over(SkipReason::QuotedAgain), reading.boots.len()), (2, 1));
    let (twice, reading) = records(&log.replace("second", "first").replace("11.0", "10.000001"));
    assert_eq!(
        (twice.len(), reading.passed_over(SkipReason::QuotedAgain)),
        (2, 0),
        "what a log itself repeats stays"
    );
}

/// A mail's body without its header: values that are all encoded prove it.
#[test]
fn encoded_values_prove_an_encoding() {
    let text = "[    1.000000] ring timeout, signaled seq=3D18220914, emitted seq=3D18220916\n\
                [    2.000000] a=3D1\n";
    assert_eq!(
        messages(&records(text).0),
        ["ring timeout, signaled seq=18220914, emitted seq=18220916", "a=1"]
    );
    let register = "[    1.000000] status=3D00 at pc=12\n[    2.000000] reg=3D\n";
    assert_eq!(messages(&records(register).0), ["status=3D00 at pc=12", "reg=3D"]);
}

#[test]
fn one_line_that_ends_in_an_equals_sign_is_no_encoding() {
    let line = format!("[    1.000000] a: {}=", "x".repeat(72 - 19));
    let (found, _) = records(&format!("{line}\nfoo\n[    2.000000] vmid=10 pid=4142\n"));
    assert_eq!(found.last().map(|record| record.message.as_str()), Some("vmid=10 pid=4142"));
}

#[test]
fn lines_around_a_hit_lose_the_name_of_the_file() {
    let text = "my-kern.log-18-Nov 19 10:00:00 h kernel: a\nmy-dmesg.txt-[    2.000000] b\n";
    let (found, _) = records(text);
    let messages: Vec<&str> = found.iter().map(|record| record.message.as_str()).collect();
    assert_eq!(messages, ["a", "b"]);
}

#[test]
fn the_parts_of_a_crash_are_sorted() {
    let part = |crash: &str, part: u32, clock: u32| {
        format!(
            "{crash} Part{part}\n<6>[{clock:5}.000000] {crash} {part} a\n<6>[{clock:5}.500000] {crash} {part} b\n"
        )
    };
    let one: String = (1..4).map(|number| part("Oops#1", number, 14 - number)).collect();
    let two: String = (1..3).map(|number| part("Panic#2", number, 20 - number)).collect();
    let (found, reading) = records(&(one.clone() + &two));
    let want: Vec<String> =
        [("Oops#1", 3), ("Oops#1", 2), ("Oops#1", 1), ("Panic#2", 2), ("Panic#2", 1)]
            .iter()
            .flat_map(|(crash, part)| [format!("{crash} {part} a"), format!("{crash} {part} b")])
            .collect();
    assert_eq!(messages(&found), want);
    assert_eq!((reading.boots.len(), reading.passed_over(SkipReason::PartHeader)), (1, 5));
    let clocks: Vec<_> = found.iter().map(|record| record.stamp.monotonic).collect();
    assert!(clocks.is_sorted(), "{clocks:?}");
    // Where each record is wanted at once, they stay where they are.
    let (straight, _) = records_with((one + &two).as_bytes(), AS_IT_COMES);
    assert!(lines(&straight).is_sorted());
    assert_eq!(straight.len(), found.len());
}

#[test]
fn a_record_without_text_is_an_empty_line() {
    let (found, _) = records(
        "[    1.000000] a\n[    1.000001] b\n[    1.000002] c\n\n[    1.000003] d\n[    9.000000] e\n",
    );
    assert_eq!(messages(&found), ["a", "b", "c", "", "d", "e"]);
    assert_eq!(lines(&found), [1, 2, 3, 4, 5, 6]);
    assert!(found.iter().all(|record| record.buffered));
    // Far apart, it is two pastes.
    let (found, _) =
        records("[    1.000000] a\n[    1.000001] b\n[    1.000002] c\n\n[   99.000003] d\n");
    assert_eq!(messages(&found), ["a", "b", "c", "d"]);
}

#[test]
fn a_double_spaced_paste_has_no_empty_records() {
    let log: Vec<String> =
        (0..60).map(|number| format!("[    1.{number:06}] text {number}\n")).collect();
    let (found, _) = records(&log.join("\n"));
    let empty = found.iter().filter(|record| record.message.is_empty()).count();
    assert_eq!((found.len() - empty, empty), (60, 0));
    // Nor has one that becomes so after its first lines.
    let (found, _) = records(&(log[..2].concat() + "\n" + &log[2..].join("\n")));
    let empty = found.iter().filter(|record| record.message.is_empty()).count();
    assert!(found.len() - empty == 60 && empty <= 2, "{empty}");
}

#[test]
fn an_object_of_several_lines_that_is_no_record_is_text() {
    let text = "{\n  \"name\": \"settings\",\n  \"list\": [\n    1,\n    \"two\"\n  ]\n}\n\
                [    1.000000] a\n";
    let (found, reading) = records(text);
    let want = ["{", "\"name\": \"settings\",", "\"list\": [", "1,", "\"two\"", "]", "}", "a"];
    assert_eq!(messages(&found), want);
    assert_eq!(lines(&found), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!((reading.kernel_records, reading.lost_lines()), (1, 0));
    // The same if its end is missing.
    let (found, reading) = records("{\n  \"name\": \"settings\",\n");
    assert_eq!(messages(&found), ["{", "\"name\": \"settings\","]);
    assert_eq!(reading.lost_lines(), 0);
}

#[test]
fn an_empty_line_before_an_entry_is_dropped() {
    let text = "[    1.000000] a\n[    1.000001] b\n\n{\"MESSAGE\":\"x\"}\n[    1.000003] d\n";
    let lines: Vec<u64> = records(text).0.iter().map(|record| record.line).collect();
    assert_eq!(lines, [1, 2, 4, 5]);
}

/// A record after an unknown prefix does not complete a line that a mail program broke.
#[test]
fn records_after_unknown_prefixes_are_recognised() {
    for prefix in
        ["* ", "10:33:00.123: ", "R SERIAL> ", "ttyS0: ", "| ", "[pod/a/b] ", "\"", "@ 10:33 "]
    {
        let text = [
            "[ 2649.203914] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1",
            "[ 2649.203999] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!",
            "[ 2664.551202] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) failed",
        ]
        .map(|line| format!("{prefix}{line}\n"))
        .concat();
        let (found, _) = records(&text);
        let kernel = found.iter().filter(|record| record.origin == "Kernel").count();
        assert_eq!(kernel, 3, "{prefix}");
    }
}

#[test]
fn other_programs_clocks_are_not_the_kernels() {
    for line in [
        "[    25.610] (II) AMDGPU: text",
        "[12.5] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) failed",
        "[1,234] text",
        "it was at [   12.300000] for me",
    ] {
        let (found, reading) = records(line);
        assert_eq!((found.len(), reading.kernel_records), (1, 0), "{line}");
    }
    let forged = "[ 2654.000000] systemd[1]: Started [ 2654.203914] amdgpu 0000:03:00.0: GPU reset";
    assert_eq!(records(forged).0.len(), 1, "a program's text is no record of the kernel");
}

#[test]
fn the_given_format_overrides_detection() {
    let json = "{\"MESSAGE\":\"a\",\"_TRANSPORT\":\"kernel\"}\n";
    for (only, text, kernel) in [
        (FormatFamily::Json, json, 1),
        (FormatFamily::Export, json, 0),
        (FormatFamily::Dmesg, "[    1.000000] a\n", 1),
        (FormatFamily::Syslog, "[    1.000000] a\n", 0),
        (FormatFamily::Syslog, "[    1.000000] host kernel: a\n", 1),
        (FormatFamily::Kmsg, "6,1,1000000,-;a\n", 1),
        (FormatFamily::Text, "[    1.000000] a\n", 1),
        (FormatFamily::Verbose, "6,1,1000000,-;a\n", 0),
    ] {
        let options = Options { only: Some(only), ..Options::default() };
        let reading = read(&mut Lines::new(text.as_bytes()), options, |_| {}).unwrap();
        assert_eq!(reading.kernel_records, kernel, "{only:?}: {text}");
    }
}

#[test]
fn lines_of_one_second_are_reversed_by_what_they_say() {
    let line = |text: &str| format!("Mar 04 18:35:23 host kernel: amdgpu 0000:0c:00.0: {text}\n");
    let (back, start) =
        (line("Ring comp_1.2.1 reset succeeded"), line("Starting comp_1.2.1 ring reset"));
    let direction = |log: String| records_of(log.as_bytes()).1.direction;
    assert_eq!(direction(back.clone() + &start), Direction::Reversed);
    assert_eq!(direction(start + &back), Direction::Forward);
}

/// Both ways of reading count the same, so that a line number means the same.
#[test]
fn a_last_line_of_nul_is_counted() {
    let (found, reading) = records("[    1.000000] a\n[    2.000000] b\n\0\n");
    assert_eq!((found.len(), reading.lines), (2, 3));
}

/// People mask the name of their machine in several ways.
#[test]
fn a_masked_host_does_not_hide_the_line() {
    let hosts = ["box", "[HOST]", "[hostname]", "<host>", "[my-host.lan]", "[my host]"];
    for host in hosts.into_iter().chain(["[HOST] kern.err", "<my host> kern.info"]) {
        let text = format!(
            "Apr 30 13:16:50 {host} kernel: amdgpu 0000:c1:00.0: amdgpu: Dumping IP State\n\
             Apr 30 13:16:53 {host} kernel: [drm:vpe_set_powergating_state [amdgpu]] *ERROR* Dpm disable vpe failed, ret = -62.\n\
             Apr 30 13:16:54 {host} systemd[1]: Started it.\n"
        );
        let (found, _) = records(&text);
        let origins: Vec<&str> = found.iter().map(|record| &*record.origin).collect();
        assert_eq!(origins[..2], ["Kernel"; 2], "{host}");
        assert!(origins[2].starts_with("Program"), "{host}: {origins:?}");
        assert!(found[1].message.starts_with("[drm:vpe_set"), "{host}");
    }
    // A program that prints its level may say `kernel:` of one of its parts.
    let (found, _) = records("2024-04-30 13:16:50 [INFO] kernel: amdgpu: GPU reset begin!\n");
    assert!(found.iter().all(|record| &*record.origin != "Kernel"), "{found:?}");
    // The ring buffer in a container's log, which has no host.
    let (found, _) = records("Apr 30 13:16:50 [   12.345678] amdgpu: x\n");
    assert_eq!(found[0].message, "amdgpu: x");
}
