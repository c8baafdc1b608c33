//! No private value is left in a redacted log, in any format and encoding, and nothing else is
//! changed.

mod planted;
mod score;
mod values;

use std::fmt::Write as _;
use std::sync::LazyLock;

use amdtriage::pattern::Patterns;
use amdtriage::redact::{Findings, Options, Redactor, stream};
use proptest::prelude::*;

use planted::{
    COUNT, DRIVER, Dice, FORMS, HOST, ID, Planted, assert_gone, count_lines, encoded, forms,
    planted, written,
};

use super::common::{Fixture, Json, Output, Run, none, root, settings};

static PATTERNS: LazyLock<Patterns> = LazyLock::new(amdtriage::builtin::patterns);

fn redactor() -> Redactor {
    Redactor::new(&PATTERNS, Options::default())
}

/// The output of `amdtriage redact`; fails if private values are left.
fn redacted_by(redactor: &mut Redactor, log: &[u8]) -> Vec<u8> {
    let findings = stream::learn(redactor, log).unwrap();
    let mut out = Vec::new();
    stream::redact(redactor, findings, log, &mut out).unwrap();
    let mut left = Vec::new();
    stream::leftovers(redactor, out.as_slice(), &mut |place| left.push(format!("{place:?}")))
        .unwrap();
    none(&left);
    out
}

fn redacted(log: &[u8]) -> Vec<u8> {
    redacted_by(&mut redactor(), log)
}

#[test]
fn nothing_planted_is_left_in_any_format() {
    let Planted { mut values, lines } = planted(COUNT);
    values.extend([HOST.to_owned(), ID.to_owned()]);
    let search = forms(&values);
    // All values in one format, and fewer in the others, which differ only in the envelope.
    for (index, (name, form)) in FORMS.into_iter().enumerate() {
        let every = if index == 0 || name == "json" { 1 } else { 10 };
        let some: Vec<String> = lines
            .chunks(3)
            .enumerate()
            .filter(|(at, _)| at % every == 0)
            .flat_map(|(_, part)| part.to_vec())
            .collect();
        let log = written(form, &some);
        let out = redacted(&log);
        assert_gone(name, &search, &out);
        assert_eq!(count_lines(&out), count_lines(&log), "{name}");
        let text = String::from_utf8(out).unwrap();
        for driver in DRIVER.iter().filter(|_| !name.starts_with("json")) {
            let wanted = some.iter().filter(|line| line == driver).count();
            assert_eq!(text.matches(driver).count(), wanted, "{name}: {driver}");
        }
    }
}

/// The export format of the journal gives the length of binary fields.
#[test]
fn lengths_of_the_export_form_are_true() {
    let Planted { mut values, lines } = planted(20);
    values.push(ID.to_owned());
    let mut log = Vec::new();
    for line in &lines {
        log.extend(
            format!("__CURSOR=s={ID};i=1;b={ID};m=0\n_BOOT_ID={ID}\n_TRANSPORT=kernel\nMESSAGE\n")
                .bytes(),
        );
        let text = format!("\u{1B}[1m{line}\nand\tmore");
        log.extend((text.len() as u64).to_le_bytes());
        log.extend(format!("{text}\n\n").bytes());
    }
    let out = redacted(&log);
    assert_gone("export", &forms(&values), &out);
    let read = |log: &[u8]| Run::new(["records", "--format", "ndjson"]).input(log).output().stdout;
    assert_eq!(read(&out).lines().count(), read(&log).lines().count());
    assert_eq!(read(&out).matches(DRIVER[0]).count(), read(&log).matches(DRIVER[0]).count());
}

#[test]
fn packed_and_wide_logs_come_out_as_text() {
    use std::io::Write as _;
    let Planted { values, lines } = planted(10);
    let text = written(FORMS[4].1, &lines);
    let string = String::from_utf8(text.clone()).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&text).unwrap();
    let wide = |unit: fn(u16) -> [u8; 2]| string.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let want = Run::new(["redact"]).input(text.clone()).output();
    assert_gone("text", &forms(&values), want.stdout.as_bytes());
    for log in [gzip.finish().unwrap(), wide(u16::to_le_bytes), wide(u16::to_be_bytes)] {
        let output = Run::new(["redact"]).input(log).output();
        assert_eq!(output.stdout, want.stdout);
        assert_eq!(output.status, 0, "{}", output.stderr);
    }
}

/// A line of two megabytes is processed in parts, without cutting values.
#[test]
fn long_lines_hide_nothing() {
    let Planted { values, lines } = planted(20);
    let mut line = String::new();
    while line.len() < 2 << 20 {
        for part in &lines {
            line.push_str(part);
            line.push_str(" ; ");
        }
    }
    let out = redacted(line.as_bytes());
    assert_gone("one line", &forms(&values), &out);
}

#[test]
fn the_same_value_has_the_same_token_in_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    // Without a line break at the end, so that the next log must begin on a new line.
    std::fs::write(
        path("a.log"),
        "Mar 04 18:20:10 velomira kernel: x\ncannot open /home/zamoluka/x.txt",
    )
    .unwrap();
    std::fs::write(path("b.log"), "usb 1-2: SerialNumber: 0123ABCDEF77\nzamoluka on velomira\n")
        .unwrap();
    let arguments =
        ["redact", "-o", &path("out"), "--map", &path("map"), &path("a.log"), &path("b.log")];
    let output = Run::new(arguments).output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(output.stdout, "");
    assert!(
        output.stderr.contains("1 host 2 times, 1 user 2 times, 1 usb once, 1 file once"),
        "{}",
        output.stderr
    );
    let out = std::fs::read_to_string(path("out")).unwrap();
    assert_eq!(
        out,
        "Mar 04 18:20:10 <host-1> kernel: x\ncannot open /home/<user-1>/<file-1>\nusb 1-2: SerialNumber: <usb-1>\n<user-1> on <host-1>\n"
    );
    let map = std::fs::read_to_string(path("map")).unwrap();
    assert_eq!(
        map,
        "<host-1>\tvelomira\n<user-1>\tzamoluka\n<usb-1>\t0123ABCDEF77\n<file-1>\tx.txt\n"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path("map")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::os::unix::fs::symlink(path("a.log"), path("link")).unwrap();
        let output = Run::new(["redact", "--map", &path("link"), &path("b.log")]).output();
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    }
    let output = Run::new(["redact", "--map", &path("b.log"), &path("b.log")]).output();
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
}

#[test]
fn a_look_alone_names_no_value() {
    let log = "Mar 04 18:20:10 velomira kernel: eth0: 0a:1b:2c:3d:4e:5f\nplain\n";
    let output = Run::new(["redact", "--check"]).input(log).output();
    assert_eq!(output.stdout, "standard input:1: host, mac\n");
    assert_eq!(output.status, 1);
    let output = Run::new(["redact", "--check"]).input("amdgpu 0000:03:00.0: plain\n").output();
    assert_eq!((output.stdout.as_str(), output.status), ("", 0));
}

#[test]
fn names_of_processes_go_where_they_are_not_wanted() {
    let log = "amdgpu: Process quuxgame pid 77 thread quuxgame:cs0 pid 78\n\
               x: Process python3 pid 77 thread python3 pid 78\nopen /home/zamoluka\n\
               amdgpu: Process zamolukas-tool pid 9 thread x pid 9\n";
    let kept = Run::new(["redact"]).input(log).output().stdout;
    assert!(
        kept.contains("Process quuxgame pid 77") && kept.contains("Process <process-1> pid 9"),
        "{kept}"
    );
    let dropped = Run::new(["redact", "--drop-process-names"]).input(log).output().stdout;
    assert!(!dropped.contains("quux") && dropped.contains("Process python3 pid 77"), "{dropped}");
}

/// The lines of the fixture, repeated with other numbers.
fn ordinary() -> Vec<String> {
    let text = std::fs::read_to_string(root("fixtures/redact/ordinary.log")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut dice = Dice(1);
    let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    while out.len() < 10_000 {
        let line = lines[out.len() % lines.len()];
        out.push(varied(line, &mut dice));
    }
    out
}

/// Other digits in hexadecimal numbers, and other numbers after `=` or in brackets.
fn varied(line: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let mut number = false;
    let mut before = ' ';
    // Text that is the same on every machine.
    let fixed = line.contains("X.509")
        || line.contains("-11d2-")
        || line.contains("-11D2-")
        || line.contains("127.0.0.1")
        || line.contains("-11d1-");
    for c in line.chars() {
        number = (number && c.is_ascii_hexdigit())
            || (before == '0' && c == 'x')
            || matches!(before, '=' | '[' | '(' | '#');
        let varied = !fixed && number && c.is_ascii_digit();
        if varied {
            let _ = write!(out, "{}", dice.roll(10));
        } else {
            out.push(c);
        }
        before = c;
    }
    out
}

#[test]
fn ordinary_lines_stay_as_they_are() {
    let lines = ordinary();
    assert!(lines.len() >= 10_000);
    let mut redactor = redactor();
    for line in &lines {
        redactor.learn(line);
    }
    let wrong: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let out = redactor.redact(line);
            (out != line.as_str()).then(|| format!("{line}\n    {out}"))
        })
        .collect();
    none(&wrong);
}

/// What is replaced in the samples of all messages, and why that is correct.
const REPLACED: [(&str, &str); 4] = [
    // A machine id.
    ("Runtime Journal (/run/log/journal/0123456789abcdef0123456789abcdef)", "<machine-1>"),
    ("System Journal (/var/log/journal/0123456789abcdef0123456789abcdef)", "<machine-1>"),
    ("Time spent on flushing to /var/log/journal/0123456789abcdef0123456789abcdef", "<machine-1>"),
    // A shell prompt.
    ("root@host:~# export HSA_OVERRIDE_GFX_VERSION=9.0.0", "root@<host-1>:~#"),
];

#[test]
fn the_messages_of_the_catalogue_stay_as_they_are() {
    let mut redactor = redactor();
    let samples: Vec<&String> =
        PATTERNS.messages.iter().flat_map(|message| &message.samples).collect();
    for sample in &samples {
        redactor.learn(sample);
    }
    let mut wrong = Vec::new();
    for sample in samples {
        let out = redactor.redact(sample);
        let known =
            REPLACED.iter().any(|(line, token)| sample.starts_with(line) && out.contains(token));
        if out != sample.as_str() && !known {
            wrong.push(format!("{sample}\n    {out}"));
        }
    }
    none(&wrong);
}

/// What must be equal in the reports on a log and on its redacted version.
fn told(output: &Output) -> String {
    if output.stdout.is_empty() {
        return output.status.to_string();
    }
    let report = output.json();
    let times = |list: &Json, keys: [&str; 3]| {
        let one = |item: &Json| keys.map(|key| format!("{:?}", item[key])).join(" ");
        list.list().iter().map(one).collect::<Vec<_>>().join("\n")
    };
    format!(
        "{} {:?} {:?}\n{}\n{}\n{}",
        report["verdict"].text(),
        report.diagnosed(),
        report.outcomes(),
        times(&report["boots"], ["first", "last", "kernel"]),
        times(&report["events"], ["event", "line", "time"]),
        times(&report["incidents"], ["fingerprint", "device", "first"]),
    )
}

#[test]
fn a_redacted_log_says_what_it_said() {
    let folders = ["formats", "boots", "quiet"];
    let mut logs: Vec<Fixture> = folders.into_iter().flat_map(Fixture::all).collect();
    logs.extend(Fixture::one_of_each_signature());
    let mut wrong = Vec::new();
    for fixture in logs {
        let output = Run::new(["redact"]).input(fixture.log.clone()).output();
        if output.stderr.contains("journalctl") {
            continue;
        }
        if output.status != 0 {
            wrong.push(format!("{}: {}", fixture.name, output.stderr));
            continue;
        }
        let redacted = Run::json(output.stdout).argument("--events").output();
        let (before, after) = (told(&fixture.report()), told(&redacted));
        if before != after {
            wrong.push(format!("{}:\n{before}\n    became\n{after}", fixture.name));
        }
    }
    none(&wrong);
}

proptest! {
    #![proptest_config(settings(64))]

    #[test]
    fn any_text_is_redacted_once(
        parts in proptest::collection::vec((any::<String>(), 0_usize..120, 0_usize..6), 1..12),
    ) {
        let planted = planted(2);
        let mut text = String::new();
        for (junk, index, way) in &parts {
            let line = &planted.lines[index % planted.lines.len()];
            let value = &planted.values[index % planted.values.len()];
            let _ = writeln!(text, "{junk}{line} {}{junk}", encoded(*way, value));
        }
        let mut redactor = redactor();
        let findings = stream::learn(&mut redactor, text.as_bytes()).unwrap();
        let mut once = Vec::new();
        stream::redact(&mut redactor, findings, text.as_bytes(), &mut once).unwrap();
        // Cached results of the first pass do not change the output.
        let mut anew = Vec::new();
        let nothing = Findings::default();
        stream::redact(&mut redactor, nothing, text.as_bytes(), &mut anew).unwrap();
        prop_assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&anew));
        prop_assert_eq!(count_lines(&once), count_lines(text.as_bytes()));
        let mut twice = Vec::new();
        stream::redact(&mut redactor, Findings::default(), once.as_slice(), &mut twice).unwrap();
        prop_assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
        let mut left = 0;
        stream::leftovers(&redactor, once.as_slice(), &mut |_| left += 1).unwrap();
        prop_assert_eq!(left, 0);
    }
}

#[test]
fn what_tokens_stand_for_is_not_replaced_by_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["redact", "-o", "public.log", "--map", "./public.log"];
    let output = Run::new(words)
        .input("Mar 04 18:20:10 velomira kernel: x\n")
        .folder(folder.path())
        .output();
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
