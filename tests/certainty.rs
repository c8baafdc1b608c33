//! The certainty of diagnoses, in three words and never as a number, and what is known about
//! causes.

use std::sync::LazyLock;

use amdtriage::document::terminal::Look;
use amdtriage::report::text::{TextOptions, write, write_html};
use regex::Regex;

use super::common::{Fixture, Json, Run, none, snapshot};
use super::properties::report;

/// A percentage.
static PERCENT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[0-9]+ ?%").unwrap());

static TAG: LazyLock<Regex> = LazyLock::new(|| Regex::new("<[^>]*>").unwrap());

/// One log for each word.
const WORDS: [(&str, &str); 3] = [
    ("stated", "signatures/gfx11-mes-hang/hit-mode1-after-silence.log"),
    ("inferred", "signatures/ring-timeout-reset/hit-baco.log"),
    ("suspected", "signatures/gfxoff-wake-failure/hit-renoir.log"),
];

/// The lines of `text` with a percentage that is not quoted from `log`.
fn shares<'t>(text: &'t str, log: &str) -> Vec<&'t str> {
    let quotes = |share: &str| log.contains(share);
    text.lines()
        .filter(|line| PERCENT.find_iter(line).any(|found| !quotes(found.as_str())))
        .collect()
}

#[test]
fn each_word_is_a_sentence_with_its_lines_and_the_cause_another() {
    for (word, name) in WORDS {
        let fixture = Fixture::read(name);
        let output = Run::human(fixture.log.clone()).output();
        let report = Run::json(fixture.log).output().json();
        assert_eq!(report["incidents"].list()[0]["diagnoses"].list()[0]["certainty"].text(), word);
        let head = output.stdout.split("\n\n").next().unwrap_or_default();
        let made_by = format!("amdtriage fixtures/{name} # its head");
        snapshot(&format!("certainty__{word}"), &made_by, head);
    }
}

/// Nothing measures a probability, so no report shows one.
#[test]
fn no_report_shows_a_share() {
    let look = Look { width: Some(80), colour: false };
    let whole = TextOptions { verbose: true, all: true, unknown: true, timeline: true };
    let card = TextOptions { verbose: false, all: false, unknown: false, timeline: false };
    let mut wrong = Vec::new();
    for folder in ["signatures", "boots", "reports", "quiet", "formats", "hostile"] {
        for fixture in Fixture::all(folder) {
            let report = report(&fixture.log);
            let log = String::from_utf8_lossy(&fixture.log);
            let (mut text, mut page) = (Vec::new(), Vec::new());
            write(&report, card, look, &mut text).unwrap();
            write(&report, whole, look, &mut text).unwrap();
            write_html(&report, &mut page).unwrap();
            // The SVG has positions in per cent, within tags.
            let page = String::from_utf8(page).unwrap();
            let told = page.split_once("</style>").map_or(page.as_str(), |(_, body)| body);
            let told = TAG.replace_all(told, "").into_owned();
            for text in [String::from_utf8(text).unwrap(), told] {
                let found = shares(&text, &log);
                wrong.extend(found.iter().map(|line| format!("{}: {line}", fixture.name)));
            }
        }
    }
    none(&wrong);
}

#[test]
fn no_other_text_shows_a_share() {
    let mut wrong = Vec::new();
    for fixture in Fixture::one_of_each_signature() {
        let log = fixture.text();
        for arguments in [
            &["--format", "markdown"][..],
            &["-q"],
            &["follow", "--from-start", "-"],
            &["patterns", "explain", fixture.id(), "-"],
        ] {
            let told =
                Run::new(arguments.iter().copied()).input(fixture.log.clone()).output().stdout;
            let found = shares(&told, &log);
            wrong
                .extend(found.iter().map(|line| format!("{arguments:?} {}: {line}", fixture.name)));
        }
        let told = Run::new(["explain", fixture.id()]).output().stdout;
        let head = told.split("What to do").next().unwrap_or_default();
        wrong.extend(shares(head, &log).iter().map(|line| format!("explain: {line}")));
    }
    none(&wrong);
}

const BOOT: &str = "[    0.000000] Linux version 6.8.0-90-generic (a@b) (gcc) #91\n\
    [    0.500000] usb 1-1: new device\n";
const SILENCE: &str = "MES failed to response msg=3\n";

const GPUS: &str = "[    3.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n\
    [    4.000000] amdgpu 0000:83:00.0: amdgpu: SMU is initialized successfully!\n";
const NAMED: &str = "amdgpu 0000:03:00.0: [drm:mes_v11_0_submit_pkt_and_poll_completion [amdgpu]]";
const NAMELESS: &str = "[drm:mes_v11_0_submit_pkt_and_poll_completion [amdgpu]]";

/// The report on a MES timeout in a log that begins with `head`, with `drivers` before its lines.
fn silence(head: &str, drivers: [&str; 2]) -> Json {
    let [first, second] = drivers.map(|driver| format!("{driver} *ERROR* {SILENCE}"));
    let log = format!(
        "{head}[   20.000000] {first}[   23.000000] {second}[  900.000000] usb 1-1: gone\n"
    );
    Run::json(log).output().json()
}

#[test]
fn a_line_without_a_gpu_states_less_where_there_are_several() {
    let two = format!("{BOOT}{GPUS}");
    for (head, second, want) in
        [(two.as_str(), NAMED, "stated"), (&two, NAMELESS, "inferred"), (BOOT, NAMELESS, "stated")]
    {
        let report = silence(head, [NAMED, second]);
        assert_eq!(report.diagnosis("gfx11-mes-hang")["certainty"].text(), want, "{head}{second}");
    }
}

#[test]
fn a_cause_that_is_not_there_has_a_reason() {
    for (head, want) in [(BOOT, "not-printed"), ("", "log-starts-late")] {
        let report = silence(head, [NAMED, NAMED]);
        let diagnosis = report.diagnosis("gfx11-mes-hang");
        assert_eq!(diagnosis["cause"].text(), "not-in-log");
        assert_eq!(diagnosis["cause_reason"].text(), want);
    }
}

/// The first failure is a possible cause of the others in the incident.
#[test]
fn what_broke_first_is_named_where_the_cause_is_asked_for() {
    let log = "\
[   10.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game pid 7 thread game:cs0 pid 8)
[   20.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[   20.000001] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[   21.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";
    let report = Run::json(log).output().json();
    let diagnoses = report["incidents"].list()[0]["diagnoses"].list();
    let (first, second) = (&diagnoses[0], &diagnoses[1]);
    assert_eq!(second["cause"].text(), "candidates");
    assert_eq!(second["cause_candidates"].list()[0].text(), first["title"].text());
}

#[test]
fn the_status_says_what_a_run_is_to_fail_on() {
    let failure = Fixture::read(WORDS[0].1).log;
    let warning = Fixture::one_of_each_signature()
        .into_iter()
        .find(|fixture| fixture.id() == "unknown-module-param")
        .unwrap()
        .log;
    let clean = Fixture::read("quiet/desktop-navi31.log").log;
    for (log, want) in [(&failure, [1, 1, 0]), (&warning, [0, 1, 0]), (&clean, [0, 0, 0])] {
        for (word, want) in ["failure", "warning", "never"].into_iter().zip(want) {
            let output = Run::new(["-q", "--fail-on", word]).input(log.clone()).output();
            assert_eq!(output.status, want, "{word}: {}", output.stdout);
        }
        assert_eq!(Run::new(["-q"]).input(log.clone()).output().status, want[0]);
    }
    // A run that failed does not depend on --fail-on.
    assert_eq!(Run::new(["--fail-on", "never"]).input("nothing").output().status, 2);
}

/// A frame that is refused now and then is drawn in another way.
#[test]
fn one_refused_frame_is_a_note_and_a_series_a_problem() {
    let frame = |second: u32| {
        format!(
            "Nov 26 10:05:{second:02} host kwin_wayland[900]: kwin_wayland_drm: Atomic modeset commit failed! errno: 22 Invalid argument\n"
        )
    };
    let log = |frames: u32| {
        let ready = "Nov 26 10:00:00 host kernel: [drm] Initialized amdgpu 3.57.0 20150101 for 0000:06:00.0 on minor 0\n";
        let frames: String = (0..frames).map(frame).collect();
        format!(
            "{ready}{frames}Nov 26 12:05:00 host kernel: usb 1-3: USB disconnect, device number 6\n"
        )
    };
    for (frames, want) in [(1, 0), (5, 1)] {
        let output = Run::new(["-q", "--fail-on", "warning"]).input(log(frames)).output();
        assert_eq!(output.status, want, "{frames}: {}", output.stdout);
    }
}
