//! Changes that people make to a log before they paste it never make it clean or unreadable.

use super::common::{Fixture, Json, Run, none};

/// Prefixes of lines in pastes: `{t}` is a time of day, `{n}` a line number.
const PREFIXES: [&str; 34] = [
    "kernel: ",
    "host kernel: ",
    "{t} kernel: ",
    "{t} host kernel: ",
    "{t} ",
    "[{t}] ",
    "({t}) ",
    "{t}.250 kernel: ",
    "2026-05-03T{t}Z ",
    "2026-05-03_{t} ",
    "2026-05-03 {t},123 ",
    "2026/05/03 {t} ",
    "05-03 {t} ",
    "12/04/2026 {t} AM kernel: ",
    "4.3.2026 {t} ",
    "May-03 {t} host kernel: ",
    "- ",
    "* ",
    "• ",
    "» ",
    "{n}. ",
    "{n}) ",
    "#{n} ",
    "{n}:\t",
    "| ",
    "\"",
    "node-1 | ",
    "pod/worker-7 ",
    "0000] ",
    "kernel[1234]: ",
    "journal: ",
    "host kernel: [ T1772] ",
    "[   41.2][ 0] [ T123] ",
    "E ",
];

/// The log of `fixtures/formats` without times.
fn story() -> Vec<String> {
    let log = String::from_utf8(Fixture::read("formats/dmesg.log").log).unwrap();
    let message = |line: &str| line.split_once("] ").unwrap().1.to_owned();
    log.lines().map(message).collect()
}

fn told(log: &str) -> Json {
    Run::json(log.to_owned()).output().json()
}

/// Whether a report contains the ring timeout and the reset.
fn is_told(report: &Json) -> bool {
    let ids = report.diagnosed();
    let known = ids.iter().any(|id| id.contains("ring-timeout-reset"));
    known && report["verdict"].text() == "failure"
}

#[test]
fn whatever_stands_before_a_message_it_is_read() {
    let mut wrong = Vec::new();
    for prefix in PREFIXES {
        let line = |(number, message): (usize, &String)| {
            let time = format!("10:13:{number:02}");
            prefix.replace("{t}", &time).replace("{n}", &(number + 1).to_string()) + message + "\n"
        };
        let log: String = story().iter().enumerate().map(line).collect();
        let report = told(&log);
        if !is_told(&report) {
            wrong.push(format!(
                "{prefix:?}: {} {:?}",
                report["verdict"].text(),
                report.diagnosed()
            ));
        }
    }
    none(&wrong);
}

#[test]
fn a_log_without_its_line_ends_is_read() {
    let mut wrong = Vec::new();
    for name in ["dmesg", "dmesg-ctime", "journal-short", "journal-short-iso", "syslog-kern-iso"] {
        let path = format!("formats/{name}.log");
        let Ok(log) = std::fs::read_to_string(super::common::root("fixtures").join(&path)) else {
            continue;
        };
        let (_, log) = log.split_once("\n\n").unwrap_or(("", &log));
        for joint in [" ", "  "] {
            let line = log.trim_end().replace('\n', joint);
            for text in [line.clone(), format!("here it is: `{line}` any ideas?")] {
                let report = told(&text);
                if !is_told(&report) {
                    wrong.push(format!("{name} {joint:?}: {:?}", report.diagnosed()));
                }
            }
        }
    }
    none(&wrong);
}

#[test]
fn what_a_page_puts_around_lines_is_taken_off() {
    let log = String::from_utf8(Fixture::read("formats/dmesg.log").log).unwrap();
    let each = |form: fn(&str) -> String| log.lines().map(form).collect::<Vec<_>>().join("\n");
    let mut wrong = Vec::new();
    for text in [
        each(|line| format!("`{line}`")),
        each(|line| format!("<p>{}</p>", line.replace('<', "&lt;"))),
        each(|line| format!("{}<br>", line.replace('<', "&lt;"))),
        each(|line| format!("<li><code>{line}</code></li>")),
        each(|line| line.replace('[', "\\[").replace('_', "\\_")),
        format!("```{log}```"),
        format!("Log:\n```\n{log}\n```\n"),
        log.replace("*ERROR*", "ERROR"),
        log.replace("*ERROR*", "<em>ERROR</em>"),
        each(|line| format!("**{line}**")),
        each(|line| format!("| 1 | {line} |")),
        each(|line| format!("\"{line}\",")),
        each(|line| format!("{line} <-- here")),
        each(|line| format!("<tr><td>7</td><td>{line}</td></tr>")),
        each(|line| format!("<span class=\"x\">{line}</span>")),
        format!("[code]{log}[/code]"),
        format!("{{noformat}}{log}{{noformat}}"),
        format!("{{\"body\":\"Log:\\r\\n{}\"}}", log.replace('\n', "\\r\\n")),
    ] {
        let report = told(&text);
        if !is_told(&report) {
            wrong.push(format!("{:?}: {:?}", text.lines().next(), report.diagnosed()));
        }
    }
    none(&wrong);
}

/// `text` wrapped at `width`, after a space if `at_blanks`.
fn broken(text: &str, width: usize, at_blanks: bool) -> String {
    let mut out = String::new();
    for mut line in text.lines() {
        while line.len() > width {
            let blank = line[..width].rfind(' ').filter(|_| at_blanks).map(|at| at + 1);
            let (head, rest) = line.split_at(blank.unwrap_or(width));
            out += head;
            out += "\n";
            line = rest;
        }
        out += line;
        out += "\n";
    }
    out
}

#[test]
fn lines_that_a_narrow_window_broke_are_joined() {
    let log = String::from_utf8(Fixture::read("formats/dmesg.log").log).unwrap();
    let mut wrong = Vec::new();
    for (width, at_blanks) in
        [(76, true), (60, true), (50, true), (40, true), (72, false), (80, false)]
    {
        let text = broken(&log, width, at_blanks);
        let report = told(&text);
        if !is_told(&report) {
            wrong.push(format!("{width} {at_blanks}: {:?}", report.diagnosed()));
        }
    }
    none(&wrong);
}

#[test]
fn what_stands_around_one_sentence_hides_it_from_nobody() {
    let mut wrong = Vec::new();
    for line in [
        "Error: [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq=1, emitted seq=3",
        "It says: amdgpu 0000:03:00.0: amdgpu: GPU reset begin!",
        "I see `[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq=1, emitted seq=3` in dmesg.",
        "[  231.1] drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 amdgpu ERROR MES failed to response msg=3",
        "[  231.1] amdgpu 0000:03:00.0: amdgpu: GPU reset begin",
        "[  231.1] amdgpu 0000:03:00.0: amdgpu: GPU reset begin! (x3)",
        "[  231.1] amdgpu 0000:03:00.0: amdgpu: GPU reset\nbegin!",
        "[  231.100000] [drm:amdgpu_job_timedout\n[amdgpu]] *ERROR* ring gfx timeout, signaled seq=1, emitted seq=3",
        "\u{201c}amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\u{201d}",
    ] {
        let report = told(&format!("{line}\n"));
        if report["incidents"].list().is_empty() {
            wrong.push(format!("{line}: {}", report["verdict"].text()));
        }
    }
    none(&wrong);
}

#[test]
fn bare_sentences_of_the_driver_are_read() {
    let bare = |message: &String| {
        let text = message.rsplit_once("amdgpu: ").map_or(message.as_str(), |(_, text)| text);
        text.trim_start().to_owned() + "\n"
    };
    let log: String = story().iter().map(bare).collect();
    assert!(is_told(&told(&log)), "{log}");
}

/// Words that other programs print or people write, and that are also in a driver's message.
#[test]
fn words_that_others_have_too_are_not_the_drivers() {
    let sentences = [
        "device lost from bus!",
        "Cannot find any crtc or sizes",
        "failed to suspend display audio",
        "unknown parameter 'frob' ignored",
        "Failed to load firmware \"rtl_nic/rtl8168h-2.fw\"",
        "error disabling interrupt (-22)",
        "error processing interrupt (-22)",
        "Optional firmware \"iwlwifi-ty-a0.pnvm\" was not found",
        "pci_enable_device failed (-12)",
        "This hardware requires experimental hardware support.",
        "Failed to read EDID",
        "PCI error: slot reset callback!!",
        "Unable to locate a BIOS ROM",
        "probe with driver snd_hda_intel failed with error -2",
        "Fatal error during GPU init",
        "Timeout, but no hardware hang detected.",
        "Illegal instruction in command stream",
        "GPU fault detected: 147 0x0e504801",
        "Failed to emit fence (-12)",
        "Buffer eviction failed",
        "Bootloader wait timed out",
        "Failed to load toc",
        "failed to read reg (0x1234)",
        "Failed to switch to balanced mode!",
        "evicting device resources failed",
    ];
    let forms =
        ["{}", "kernel: {}", "12:00:01 {}", "- {}", "[ 12.345678] {}", "nouveau 0000:01:00.0: {}"];
    let mut wrong = Vec::new();
    for sentence in sentences {
        for form in forms {
            let line = form.replace("{}", sentence) + "\n";
            let told = Run::new(["events", "--format=ndjson"]).input(line.clone()).output().stdout;
            if told.contains("\"kind\"") {
                wrong.push(format!("{line:?}: {told}"));
            }
        }
    }
    none(&wrong);
}

/// After a line that only the driver prints, shared words are attributed to the driver.
#[test]
fn in_its_company_words_that_others_have_are_the_drivers() {
    let log = "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\nGPU reset begin!\n\
               GPU reset succeeded, trying to resume\nevicting device resources failed\n";
    let told = Run::new(["events", "--format=ndjson"]).input(log).output().stdout;
    assert_eq!(told.matches("\"text\"").count(), 4, "{told}");
}

/// Text that quotes the driver without being a log.
#[test]
fn who_quotes_the_driver_raises_no_alarm() {
    let journal = |text: &str| {
        format!(
            "Nov 19 10:33:00 host kernel: Linux version 6.14.2 (a@b) (gcc) #1\n\
             Nov 19 10:33:09 host discord[7]: {text}\n"
        )
    };
    let sentence =
        "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3";
    let quiet = [
        journal(sentence),
        journal(&format!("Nov 19 10:20:00 host kernel: {sentence}")),
        format!(
            "\tdev_err(adev->dev, \"ring %s timeout, signaled seq=%u, emitted seq=%u\\n\", {sentence}\n"
        ),
        "+\tdev_err(adev->dev, \"GPU reset begin!\\n\");\n-\tDRM_ERROR(\"GPU reset begin!\\n\");\n"
            .to_owned(),
        "If the log says that the GPU reset(1) succeeded! the driver brought it back.\n".to_owned(),
        "i915 0000:00:02.0: [drm] GPU HANG: ecode 12:1:85dffffb, in chrome [4711]\n".to_owned(),
    ];
    let mut wrong = Vec::new();
    for log in quiet {
        let report = told(&log);
        if !report["incidents"].list().is_empty() {
            wrong.push(format!("{log}: {:?}", report.diagnosed()));
        }
    }
    none(&wrong);
}

/// Our own output quotes the log.
#[test]
fn our_own_pages_are_no_logs() {
    let log = Fixture::read("formats/dmesg.log").log;
    let one = b"[    1.000000] [drm] VRAM is lost due to GPU reset!\n".to_vec();
    let mut wrong = Vec::new();
    for (log, format) in [(&one, "markdown"), (&log, "markdown"), (&log, "html"), (&log, "human")] {
        let page = Run::new(["--format", format, "-v"]).input(log.clone()).output().stdout;
        assert!(page.contains("GPU reset"), "{page}");
        let report = told(&page);
        if !report["incidents"].list().is_empty() {
            wrong.push(format!("{format}: {:?}", report.diagnosed()));
        }
    }
    none(&wrong);
}

/// Our output may be cut, and followed by a log.
#[test]
fn a_log_behind_a_piece_of_our_page_is_read() {
    let log = Fixture::read("formats/dmesg.log").log;
    let lost = "[  900.250000] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!\n\
                [  901.250000] amdgpu 0000:2d:00.0: amdgpu: GPU reset(7) failed\n";
    for format in ["markdown", "html"] {
        let page = Run::new(["--format", format]).input(log.clone()).output().stdout;
        let at = page.find("<summary>Lines of the log that show it").unwrap();
        let cut: String = page[at..].split_inclusive('\n').take(6).collect();
        let report = told(&format!("{cut}{lost}"));
        assert_eq!(report["incidents"].list().len(), 1, "{cut}");
    }
}

/// Only our own heading marks a quotation: people also write "Evidence" above a log.
#[test]
fn a_heading_of_somebody_else_hides_no_log() {
    let failed = "[  901.250000] amdgpu 0000:2d:00.0: amdgpu: GPU reset(7) failed";
    for heading in
        ["Evidence", "### Evidence", "<h3>Evidence</h3>", "<summary>Evidence: 2 lines</summary>"]
    {
        for mark in ["", "- ", "29: ", "29  ", "> ", "`"] {
            let log = format!("{heading}\n\n{mark}{failed}\n");
            assert_eq!(told(&log)["incidents"].list().len(), 1, "{log}");
        }
    }
}

/// A line that begins with a message is not the continuation of the previous line, however long
/// that is.
#[test]
fn a_bare_line_below_a_line_with_a_time_is_no_part_of_it() {
    let above = "[    5.100000] amdgpu 0000:0a:00.0: amdgpu: SMU is initialized successfully!\n";
    let hang = "[    5.200000] amdgpu 0000:0a:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    let exception = "HW Exception by GPU node-1 (Agent handle: 0x55d0c8f0) reason :GPU Hang\n";
    let bare = "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    for (log, id) in [
        (above.to_owned() + bare, "ring-timeout-unexplained"),
        (above.to_owned() + exception, "rocm-hw-exception"),
        (hang.to_owned() + exception, "rocm-hw-exception"),
    ] {
        let report = told(&log);
        assert!(report.diagnosed().contains(&id), "{log}: {:?}", report.diagnosed());
    }
    let wrapped = "[    5.100000] amdgpu 0000:0a:00.0: amdgpu:\nring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    assert_eq!(told(wrapped)["incidents"].list()[0]["device"].text(), "0000:0a:00.0");
}

/// A desktop reports refused frames in the same words on GPUs of all vendors.
#[test]
fn a_failure_in_words_of_any_vendor_is_named() {
    let fixture = Fixture::read("signatures/frame-refused/miss-card-named-by-a-person.log");
    let card = Run::human(fixture.log).output().stdout;
    assert!(card.contains("Line 2 reports a failure that GPUs of any vendor can have."), "{card}");
}
