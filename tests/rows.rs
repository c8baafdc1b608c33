//! Rows for fleet tools.

#[cfg(feature = "columns")]
mod columns;

use std::collections::BTreeSet;
use std::fs;

use data_encoding::BASE64;
use serde_json::{Value, json};

use super::common::{Fixture, Run};

const HANG: &str = "formats/dmesg.log";
const QUIET: &str = "quiet/desktop-navi31.log";

/// The rows of a successful run, without the first one, which shows the types.
#[track_caller]
fn rows(run: Run) -> Vec<Value> {
    let mut rows = all_rows(run);
    assert_eq!(rows.remove(0)["row"], "types");
    rows
}

#[track_caller]
fn all_rows(run: Run) -> Vec<Value> {
    let output = run.output();
    assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{output:?}");
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of(files: &[&str]) -> Vec<Value> {
    rows(Run::new([&["rows"], files].concat()))
}

/// The columns of a row, in order.
fn columns(row: &Value) -> Vec<&str> {
    row.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_log_and_its_incident_are_a_row_each() {
    let rows = of(&["fixtures/formats/dmesg.log"]);
    let [log, incident] = rows.as_slice() else { panic!("{rows:?}") };
    for (column, want) in [
        ("row", json!("log")),
        ("key", json!("fixtures/formats/dmesg.log")),
        ("status", json!("whole")),
        ("error", json!(null)),
        ("verdict", json!("failure")),
        ("kernel", json!("6.14.2")),
        ("lines", json!(8)),
        ("incidents", json!(1)),
        ("diagnosis", json!(null)),
    ] {
        assert_eq!(log[column], want, "{column}");
    }
    for (column, want) in [
        ("row", json!("incident")),
        ("key", json!("fixtures/formats/dmesg.log")),
        ("status", json!(null)),
        ("incident", json!(1)),
        ("device", json!("0000:2d:00.0")),
        ("diagnosis", json!("ring-timeout-reset")),
        ("outcome", json!("recovered")),
        ("process", json!("render")),
        ("pid", json!(3120)),
        ("monotonic_us", json!(913_550_412)),
        ("time_utc", json!(null)),
        ("first_line", json!(3)),
        ("last_line", json!(8)),
    ] {
        assert_eq!(incident[column], want, "{column}");
    }
}

/// Readers infer types from some of the rows: each has all columns, and a column has one type.
#[test]
fn all_rows_have_the_same_columns_of_the_same_types() {
    let rows = of(&["fixtures", "/nowhere"]);
    let first = columns(&rows[0]);
    let mut types = vec![BTreeSet::new(); first.len()];
    for row in &rows {
        assert_eq!(columns(row), first);
        for (types, value) in types.iter_mut().zip(row.as_object().unwrap().values()) {
            match value {
                Value::Null => {}
                Value::String(_) => drop(types.insert("text")),
                Value::Number(_) => drop(types.insert("number")),
                Value::Bool(_) => drop(types.insert("truth")),
                nested => panic!("{nested} in {row}"),
            }
        }
    }
    assert!(types.iter().all(|types| types.len() == 1), "{first:?} {types:?}");
}

/// Readers that only look at the first rows find the types in one that has them all.
#[test]
fn a_row_with_all_types_comes_first() {
    let healthy = "[    1.000000] Linux version 6.8.0 (a@b) (gcc) #1 SMP\n";
    let found = all_rows(Run::new(["rows"]).input(healthy));
    let [types, log] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((&types["row"], &log["row"]), (&json!("types"), &json!("log")));
    assert_eq!(columns(types), columns(log));
    let nulls = types.as_object().unwrap().values().filter(|value| value.is_null()).count();
    assert_eq!(nulls, 0, "{types}");
    assert_eq!(
        (&types["pid"], &types["fallback"], &types["host"]),
        (&json!(0), &json!(false), &json!(""))
    );
    let without = all_rows(Run::new(["rows", "--no-types"]).input(healthy));
    assert_eq!(without, std::slice::from_ref(log));
    // It is the same for all logs, so that a union of outputs has it once.
    assert_eq!(all_rows(Run::new(["rows", "/nowhere"]))[0], *types);
}

#[test]
fn rows_are_as_the_schema_says() {
    let schema = Run::new(["schema", "rows"]).output().stdout;
    let schema = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for row in all_rows(Run::new(["rows", "fixtures", "/nowhere"])) {
        assert!(schema.is_valid(&row), "{row}");
    }
}

/// Hosts of a collected log that have a line each, without the kernel's clock.
#[test]
fn each_host_of_a_collected_log_has_its_rows() {
    let line = |host: usize| {
        format!(
            "2026-03-04T18:20:10.1+01:00 node{host} kernel: amdgpu 0000:03:00.0: amdgpu: \
             ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n"
        )
    };
    let hosts = |count: usize| {
        let log: String = (0..count).map(line).collect();
        rows(Run::new(["rows"]).input(log))
    };
    let found = hosts(3);
    let told: Vec<_> = found.iter().map(|row| (&row["row"], &row["host"])).collect();
    let hosts_of = |row: &Value| row["host"].as_str().unwrap().to_owned();
    assert_eq!(told.len(), 6, "{told:?}");
    assert_eq!(found.iter().map(hosts_of).collect::<BTreeSet<_>>().len(), 3, "{told:?}");
    // More machines than are kept apart: each log says that it is not all of the input.
    let found = hosts(70);
    let logs: Vec<_> = found.iter().filter(|row| row["row"] == "log").collect();
    assert_eq!(logs.len(), 64);
    assert!(logs.iter().all(|row| row["status"] == "partial"), "{:?}", logs[0]);
}

/// Every log has a row, whatever its status, and the run succeeds.
#[test]
fn a_log_that_cannot_be_read_is_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let log = Fixture::read(HANG).log;
    let packed = {
        let mut text = b"[    1.000000] Linux version 6.8.0 (a@b) (gcc) #1 SMP\n".to_vec();
        text.extend((0..2000_u32).flat_map(|at| {
            format!(
                "[{:12.6}] some driver: {:x}\n",
                f64::from(at) + 2.0,
                at.wrapping_mul(2_654_435_761)
            )
            .into_bytes()
        }));
        gzip(&text)
    };
    for (name, bytes) in [
        ("cut.log.gz", &packed[..packed.len() / 2]),
        ("empty.log", b""),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
        ("prose.txt", b"Nothing of a kernel is in here.\n"),
        ("whole.log", &log),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let files = ["cut.log.gz", "empty.log", "none.log", "picture.png", "prose.txt", "whole.log"];
    let rows = rows(Run::new([&["rows"], &files[..]].concat()).folder(folder.path()));
    let logs = rows.iter().filter(|row| row["row"] == "log");
    let told: Vec<_> = logs
        .map(|row| {
            let text = |column: &str| row[column].as_str().unwrap_or("-").to_owned();
            [text("key"), text("status"), text("error"), text("verdict")].join(" ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "cut.log.gz partial gzip-cut incomplete",
            "empty.log empty empty -",
            "none.log unreadable not-found -",
            "picture.png no-kernel-log binary no-kernel-log",
            "prose.txt no-kernel-log - no-kernel-log",
            "whole.log whole - failure",
        ]
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::{Read as _, Write as _};
    let mut child = std::process::Command::new("gzip")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes).unwrap());
    let mut packed = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut packed).unwrap();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    packed
}

/// A batch gives the same rows as separate runs, for any container and order.
#[test]
fn frames_archives_and_files_give_the_same_rows() {
    let logs = [HANG, QUIET].map(|name| (name.to_owned(), Fixture::read(name).log));
    let frame = |(key, log): &(String, Vec<u8>)| {
        format!("{}\n", json!({ "key": key, "data_b64": BASE64.encode(log) }))
    };
    let alone: Vec<Value> =
        logs.iter().flat_map(|log| rows(Run::new(["rows"]).input(frame(log)))).collect();
    assert_eq!(alone.len(), 3);
    let framed: String = logs.iter().map(frame).collect();
    assert_eq!(rows(Run::new(["rows", "-"]).input(framed)), alone);
    let turned: String = logs.iter().rev().map(frame).collect();
    let turned = rows(Run::new(["rows"]).input(turned));
    assert!(alone.iter().all(|row| turned.contains(row)) && turned.len() == alone.len());

    let mut archive = tar::Builder::new(Vec::new());
    for (name, log) in &logs {
        let mut header = tar::Header::new_gnu();
        header.set_size(log.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, log.as_slice()).unwrap();
    }
    assert_eq!(rows(Run::new(["rows"]).input(archive.into_inner().unwrap())), alone);
}

#[test]
fn a_damaged_frame_takes_no_other_with_it() {
    let good = json!({ "key": "good", "data_b64": BASE64.encode(&Fixture::read(HANG).log) });
    let text = format!(
        "{good}\n{{\"key\": \"torn\", \"data\n\n{{\"key\":\"odd\",\"data_b64\":\"*\"}}\n{good}\n"
    );
    let rows = rows(Run::new(["rows"]).input(text));
    let keys = keys_of(&rows);
    assert_eq!(keys, ["good", "good", "frame 2", "odd", "good", "good"]);
    assert!(rows[2]["error"] == "frame-damaged" && rows[3]["error"] == "frame-damaged");
}

fn keys_of(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["key"].as_str().unwrap()).collect()
}

/// Including the first frame, which identifies the format; and base64 with line breaks, as in MIME.
#[test]
fn frames_are_known_by_the_first_whatever_became_of_it() {
    let log = BASE64.encode(&Fixture::read(HANG).log);
    let lines: Vec<&str> =
        log.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let good = json!({ "key": "good", "data_b64": lines.join("\r\n") });
    for first in ["{\"key\":\"a\",\"data_b64\":\n", "\u{feff}"] {
        let rows = rows(Run::new(["rows"]).input(format!("{first}{good}\n")));
        assert_eq!(keys_of(&rows)[rows.len() - 2..], ["good", "good"], "{first:?}");
    }
}

/// An archive or directory without a log has a row.
#[test]
fn what_holds_no_log_has_a_row() {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Directory);
    header.set_size(0);
    header.set_mode(0o755);
    archive.append_data(&mut header, "empty/", &[][..]).unwrap();
    let archive = archive.into_inner().unwrap();
    let frame = json!({ "key": "folders.tar", "data_b64": BASE64.encode(&archive) });
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().to_str().unwrap();
    for (run, key) in [
        (Run::new(["rows"]).input(format!("{frame}\n")), "folders.tar"),
        (Run::new(["rows", name]), name),
    ] {
        let rows = rows(run);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((row["key"].as_str(), row["status"].as_str()), (Some(key), Some("empty")));
    }
}

/// A log in JSON begins with a brace like a frame.
#[test]
fn a_log_in_json_is_no_frame() {
    let rows = rows(Run::new(["rows"]).input(Fixture::read("formats/journal-json.json").log));
    assert_eq!(
        (rows[0]["key"].as_str(), rows[0]["status"].as_str()),
        (Some("standard input"), Some("whole"))
    );
}

/// Reported before anything is read or written, with a hint.
#[cfg(not(feature = "columns"))]
#[test]
fn columns_are_refused_by_a_program_that_was_built_without() {
    let folder = tempfile::tempdir().unwrap();
    for (format, name) in [("parquet", "Parquet"), ("arrow", "Arrow")] {
        let run = Run::new(["rows", "--format", format, "-o", "rows", "/nowhere"]);
        let output = run.folder(folder.path()).output();
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        let told: Vec<&str> = output.stderr.lines().collect();
        assert_eq!(
            told,
            [
                &format!(
                    "amdtriage: cannot write {name}: this program was built without the feature `columns`"
                ),
                "help: cargo install --locked --path . --features columns",
                "note: run this in a clone of amdtriage; released packages have the feature. DuckDB, Polars and Spark \
                 also read --format ndjson",
            ]
        );
        assert!(!folder.path().join("rows").exists());
    }
}
