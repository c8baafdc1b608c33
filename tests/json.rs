//! The JSON contract, checked for every fixture.

use std::io::Read;

use amdtriage::input;

use super::common::{Fixture, Json, Output, Run, none};

const DOCUMENT: &str = "schema_version tool verdict inputs boots devices incidents notices events";
const TOOL: &str = "name version patterns";
const INPUT: &str = "name format compression bytes lines records skipped_lines";
const BOOT: &str = "index input boot_id kernel command_line first last";
const DEVICE: &str = "boot pci_address pci_id asic name gfx_target gfx_generation gfx_evidence \
                      vram_mib firmware";
const INCIDENT: &str =
    "id boot device devices severity first last outcome fingerprint process diagnoses";
const DIAGNOSIS: &str = "id title role severity certainty cause match_score summary evidence actions \
                         references";
const NOTICE: &str = "id device severity title role certainty cause match_score summary evidence \
                      actions references";
const EVIDENCE: &str = "event input line last_line text";
const ACTION: &str = "summary commands phase why risk verify trust status";
const EVENT: &str = "event message messages input line lines boot time level device fields text";
const POSITION: &str = "input line time";
const TIME: &str = "monotonic_us wall";
const PROCESS: &str = "name pid thread";

/// The problems of one report.
struct Check {
    name: String,
    lines: usize,
    wrong: Vec<String>,
}

impl Check {
    fn fail(&mut self, problem: impl AsRef<str>) {
        self.wrong.push(format!("{}: {}", self.name, problem.as_ref()));
    }

    fn that(&mut self, holds: bool, problem: impl Fn() -> String) {
        if !holds {
            self.fail(problem());
        }
    }

    /// The keys of the contract are in order; others may be between and after them.
    fn keys(&mut self, what: &str, object: &Json, contract: &str) {
        let keys = object.keys();
        let known: Vec<&str> = contract.split_whitespace().collect();
        let told: Vec<&str> = keys.iter().copied().filter(|key| known.contains(key)).collect();
        self.that(told == known, || format!("{what} has the keys {keys:?}"));
    }

    fn one_of(&mut self, what: &str, object: &Json, known: &str) {
        let word = object[what].text();
        self.that(known.split_whitespace().any(|one| one == word), || format!("{what}: {word}"));
    }

    fn line(&mut self, what: &str, line: &Json) -> usize {
        let (line, lines) = (line.count(), self.lines);
        self.that((1..=lines).contains(&line), || format!("{what}: line {line} of {lines}"));
        line
    }

    fn report(&mut self, report: &Json) {
        self.keys("the document", report, DOCUMENT);
        self.keys("tool", &report["tool"], TOOL);
        self.one_of("verdict", report, "failure warning clean incomplete no-kernel-log");
        self.that(report["schema_version"].count() == 2, || "schema_version".to_owned());
        for (key, contract) in [("inputs", INPUT), ("boots", BOOT), ("devices", DEVICE)] {
            report[key].list().iter().for_each(|object| self.keys(key, object, contract));
        }
        for (at, incident) in report["incidents"].list().iter().enumerate() {
            self.that(incident["id"].count() == at + 1, || format!("id of incident {at}"));
            self.incident(incident);
        }
        for notice in report["notices"].list() {
            self.keys("a notice", notice, NOTICE);
            self.diagnosis(notice);
        }
        for event in report["events"].list() {
            self.event(event);
        }
    }

    fn incident(&mut self, incident: &Json) {
        self.keys("an incident", incident, INCIDENT);
        self.one_of("severity", incident, "info warning error critical");
        self.one_of(
            "outcome",
            incident,
            "recovered recovered-context-lost vram-lost failed never-completed hung none unknown",
        );
        for end in ["first", "last"] {
            self.keys(end, &incident[end], POSITION);
            self.keys("a time", &incident[end]["time"], TIME);
        }
        let first = self.line("first", &incident["first"]["line"]);
        let last = self.line("last", &incident["last"]["line"]);
        // In a reversed log the last event comes first.
        let in_order = first <= last || self.name.contains("reversed");
        self.that(in_order, || format!("lines {first} to {last}"));
        if !incident["process"].is_null() {
            self.keys("a process", &incident["process"], PROCESS);
        }
        let devices = incident["devices"].list();
        let device = &incident["device"];
        let agree =
            if device.is_null() { devices.is_empty() } else { devices.first() == Some(device) };
        self.that(agree, || format!("device {device:?} of {devices:?}"));
        let diagnoses = incident["diagnoses"].list();
        for diagnosis in diagnoses {
            self.keys("a diagnosis", diagnosis, DIAGNOSIS);
            self.diagnosis(diagnosis);
        }
        let causes = diagnoses.iter().skip(1).filter(|one| one["role"].text() == "root-cause");
        self.that(causes.count() == 0, || "a second root cause".to_owned());
    }

    /// The common part of diagnoses and notices.
    fn diagnosis(&mut self, diagnosis: &Json) {
        self.one_of("role", diagnosis, "root-cause mechanism consequence context");
        self.one_of("severity", diagnosis, "info warning error critical");
        self.one_of("certainty", diagnosis, "stated inferred suspected");
        self.one_of("cause", diagnosis, "known candidates not-in-log");
        let known = diagnosis["cause"].text() == "known";
        self.that(diagnosis["cause_reason"].is_null() == known, || "a reason, or none".to_owned());
        let named = !diagnosis["cause_candidates"].list().is_empty();
        self.that(named == (diagnosis["cause"].text() == "candidates"), || {
            "candidates where there are none, or none named".to_owned()
        });
        let score = diagnosis["match_score"].number();
        self.that((0.0..=1.0).contains(&score), || format!("match score {score}"));
        for text in ["id", "title", "summary"] {
            let value = diagnosis[text].text();
            self.that(!value.is_empty() && !value.contains(['{', '}']), || {
                format!("{text}: {value}")
            });
        }
        let evidence = diagnosis["evidence"].list();
        self.that(!evidence.is_empty(), || "no evidence".to_owned());
        for one in evidence {
            self.keys("evidence", one, EVIDENCE);
            let first = self.line("evidence", &one["line"]);
            let last = self.line("evidence", &one["last_line"]);
            self.that(first <= last, || format!("lines {first} to {last}"));
            self.that(!one["text"].text().is_empty(), || "evidence without text".to_owned());
        }
        for action in diagnosis["actions"].list() {
            self.keys("an action", action, ACTION);
            self.one_of("trust", action, "A B C");
            self.one_of("status", action, "suggested already-active no-effect");
        }
        for link in diagnosis["references"].list() {
            self.that(link.text().starts_with("https://"), || format!("{link:?}"));
        }
    }

    fn event(&mut self, event: &Json) {
        self.keys("an event", event, EVENT);
        self.keys("a time", &event["time"], TIME);
        let line = self.line("an event", &event["line"]);
        let [from, to] = event["lines"].list() else { return self.fail("lines is no pair") };
        let (from, to) = (self.line("lines", from), self.line("lines", to));
        self.that(from == line && from <= to, || format!("line {line} in {from} to {to}"));
        // In the order of time, which in a reversed journal is not the order of lines.
        let messages = event["messages"].list();
        let numbers: Vec<usize> = messages.iter().map(|one| one[0].count()).collect();
        let ends = (numbers.iter().min(), numbers.iter().max());
        self.that(ends == (Some(&from), Some(&to)), || format!("messages of line {line}"));
        let sorted = numbers.is_sorted() || numbers.iter().rev().is_sorted();
        self.that(sorted, || format!("order of the messages of line {line}"));
        self.that(messages[0][1] == event["message"], || format!("message of line {line}"));
        for field in event["fields"].keys() {
            let raw = &event["fields"][field];
            let whole = !matches!(raw, Json::Object(_)) || raw.keys().first() == Some(&"raw");
            self.that(whole, || format!("{field} has no raw value first"));
        }
    }

    /// 0 if nothing failed, 1 if something did, 2 without a kernel log.
    fn status(&mut self, output: &Output, report: &Json) {
        let verdict = report["verdict"].text();
        let want = match verdict {
            "failure" => 1,
            "no-kernel-log" => 2,
            _ => 0,
        };
        self.that(output.status == want, || format!("{verdict}, exit status {}", output.status));
        let severe = |one: &&Json| matches!(one["severity"].text(), "error" | "critical");
        let failed = report["incidents"].list().iter().any(|one| severe(&one));
        self.that(failed == (verdict == "failure"), || format!("{verdict} in spite of severities"));
    }
}

fn fixtures() -> Vec<Fixture> {
    ["signatures", "boots", "quiet", "formats", "hostile", "reports"]
        .into_iter()
        .flat_map(Fixture::all)
        .collect()
}

#[test]
fn every_report_keeps_the_contract() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let output = fixture.report();
        if output.stdout.is_empty() && output.status == 2 {
            continue;
        }
        let report = output.json();
        let lines = report["inputs"][0]["lines"].count();
        let mut check = Check { name: fixture.name, lines, wrong: Vec::new() };
        check.report(&report);
        check.status(&output, &report);
        let counted: Vec<usize> =
            report["inputs"].list().iter().map(|input| input["bytes"].count()).collect();
        let unpacked = unpacked(&fixture.log);
        check.that(counted == unpacked, || format!("{counted:?} of {unpacked:?} bytes"));
        wrong.append(&mut check.wrong);
    }
    none(&wrong);
}

/// The decompressed size of each log of an input.
fn unpacked(packed: &[u8]) -> Vec<usize> {
    let mut sizes = Vec::new();
    let done = input::standard_input::<()>(packed, &mut |found| {
        let mut bytes = Vec::new();
        found.source.unwrap().reader.read_to_end(&mut bytes).unwrap();
        sizes.push(bytes.len());
        Ok(())
    });
    done.unwrap();
    sizes
}

#[test]
fn packed_bytes_are_counted_unpacked() {
    let plain = Fixture::read("formats/dmesg.log").log.len();
    for name in ["story.log.gz", "story-members.log.gz", "story.log.xz", "story.log.zst"] {
        let report = Run::json(Fixture::read(&format!("formats/{name}")).log).output().json();
        assert_eq!(report["inputs"][0]["bytes"].count(), plain, "{name}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    // Randomness would show in many of them.
    for fixture in fixtures().into_iter().step_by(7) {
        let again = Run::json(fixture.log.clone()).argument("--events").output();
        assert_eq!(*fixture.report(), again, "{}", fixture.name);
    }
}

#[test]
fn evidence_shows_the_line_it_names() {
    let mut wrong = Vec::new();
    for fixture in Fixture::all("signatures") {
        let text = fixture.text();
        let lines: Vec<&str> = text.lines().collect();
        let report = fixture.report().json();
        let incidents = report["incidents"].list().iter();
        for evidence in
            incidents.flat_map(|one| one["diagnoses"].list()).flat_map(|d| d["evidence"].list())
        {
            let first = evidence["line"].count() - 1;
            // Surrounding whitespace and tabs are not shown.
            let words: Vec<&str> = evidence["text"].text().split_whitespace().collect();
            let mut line = lines[first].split_whitespace().collect::<Vec<_>>().join(" ");
            // If a message begins with a line feed, its text is on the next line, after the time.
            if line.ends_with("amdgpu:") {
                let next =
                    lines[first + 1].split_once("] ").map_or(lines[first + 1], |(_, text)| text);
                line = format!("{line} {}", next.trim());
            }
            if !line.contains(&words.join(" ")) {
                wrong.push(format!("{}: {} is not in {line}", fixture.name, words.join(" ")));
            }
        }
    }
    none(&wrong);
}

#[test]
fn events_come_only_where_they_are_asked_for() {
    let log = Fixture::read("formats/dmesg.log").log;
    assert!(Run::json(log.clone()).output().json()["events"].list().is_empty());
    let report = Run::json(log.clone()).argument("--events").output().json();
    let listed = Run::new(["events", "--format", "ndjson"]).input(log).output();
    assert_eq!(listed.status, 0, "{}", listed.stderr);
    let listed: Vec<Json> = listed.stdout.lines().map(|line| Json::read(line).unwrap()).collect();
    assert_eq!(report["events"].list(), listed);
}

/// NDJSON contains the document's lists as one object a line, and then the rest.
#[test]
fn lines_say_what_the_document_says() {
    let mut wrong = Vec::new();
    // A third of the fixtures covers every type of object, and each takes two runs.
    for fixture in fixtures().into_iter().step_by(3) {
        let run = |format| {
            let run = Run::new(["--format", format, "--events", "--unknown"]);
            run.input(fixture.log.clone()).output()
        };
        let (document, lines) = (run("json"), run("ndjson"));
        // The suggested command has the format.
        let told = document.stderr.replace("--format json", "--format ndjson");
        if document.status != lines.status || told != lines.stderr {
            wrong.push(format!("{}: {} {}", fixture.name, lines.status, lines.stderr));
        }
        if document.stdout.is_empty() && document.status == 2 {
            continue;
        }
        if joined(&lines.stdout) != in_lines(&document.json()) {
            wrong.push(fixture.name);
        }
    }
    none(&wrong);
}

/// The types of lines in order, and the corresponding list of the document.
const TYPES: [(&str, &str); 7] = [
    ("input", "inputs"),
    ("boot", "boots"),
    ("device", "devices"),
    ("event", "events"),
    ("incident", "incidents"),
    ("notice", "notices"),
    ("unknown", "unknown"),
];

/// Each line as its type and the rest.
fn joined(text: &str) -> Vec<(String, Json)> {
    let line = |line| {
        let Json::Object(mut members) = Json::read(line).unwrap() else { panic!("{line}") };
        let (key, kind) = members.remove(0);
        assert_eq!(key, "type");
        (kind.text().to_owned(), Json::Object(members))
    };
    text.lines().map(line).collect()
}

/// The lines for a document.
fn in_lines(document: &Json) -> Vec<(String, Json)> {
    let objects = |(kind, list): &(&str, &str)| {
        let objects = document[*list].list().iter().cloned();
        let kind = (*kind).to_owned();
        objects.map(move |object| (kind.clone(), object)).collect::<Vec<_>>()
    };
    let mut lines: Vec<_> = TYPES.iter().flat_map(objects).collect();
    let count = |(kind, list): &(&str, &str)| {
        #[allow(clippy::cast_precision_loss, reason = "counts in tests are small")]
        let count = document[*list].list().len() as f64;
        ((*kind).to_owned(), Json::Number(count))
    };
    let counts = Json::Object(TYPES.iter().map(count).collect());
    let keys = ["schema_version", "tool", "verdict", "not_evaluated"];
    let summary = keys.map(|key| (key.to_owned(), document[key].clone()));
    let summary = summary.into_iter().chain([("counts".to_owned(), counts)]).collect();
    lines.push(("summary".to_owned(), Json::Object(summary)));
    lines
}

#[test]
fn times_are_whole_and_unknown_ones_are_null() {
    let time = |name: &str| {
        let report = Run::json(Fixture::read(name).log).output().json();
        report["incidents"][0]["first"]["time"].clone()
    };
    let full = time("formats/syslog-iso.log");
    assert_eq!(full["wall"].text(), "2026-03-04T18:35:23.550412+01:00");
    let since_boot = time("formats/dmesg.log");
    assert_eq!(since_boot["monotonic_us"].count(), 913_550_412);
    assert!(since_boot["wall"].is_null());
    // Without year and zone the time is not a point in time.
    assert!(time("formats/journal-short.log")["wall"].is_null());
    let none = time("formats/dmesg-notime.log");
    assert!(none["wall"].is_null() && none["monotonic_us"].is_null());
}

#[test]
fn inputs_keep_their_order_and_incidents_name_theirs() {
    let names = [
        "fixtures/formats/dmesg.log",
        "fixtures/quiet/laptop-phoenix.log",
        "fixtures/formats/syslog.log",
    ];
    let output = Run::new(["--format", "json"].into_iter().chain(names)).output();
    let report = output.json();
    assert_eq!(report["inputs"].each("name"), names);
    let inputs: Vec<usize> =
        report["incidents"].list().iter().map(|one| one["first"]["input"].count()).collect();
    assert_eq!(inputs, [0, 2]);
    let boots: Vec<usize> = report["boots"].list().iter().map(|one| one["index"].count()).collect();
    assert_eq!(boots, (0..boots.len()).collect::<Vec<_>>());
    assert_eq!(output.status, 1);
}
