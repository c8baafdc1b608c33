//! Columnar formats: the file has the content of NDJSON, with types that do not depend on the rows.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{DataType, SchemaRef};
use data_encoding::BASE64;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value, json};

use super::super::common::{Run, child};

const FORMATS: [&str; 2] = ["parquet", "arrow"];

/// What a file holds.
fn read(format: &str, path: &Path) -> (SchemaRef, Vec<RecordBatch>) {
    let file = File::open(path).unwrap();
    if format == "arrow" {
        let reader = StreamReader::try_new(file, None).unwrap();
        return (reader.schema(), reader.map(Result::unwrap).collect());
    }
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let schema = reader.schema().clone();
    (schema, reader.build().unwrap().map(Result::unwrap).collect())
}

/// The rows of a batch as objects.
fn objects(batch: &RecordBatch) -> impl Iterator<Item = Value> {
    let value = |column: &dyn Array, at: usize| match column.data_type() {
        _ if column.is_null(at) => Value::Null,
        DataType::Utf8 => column.as_string::<i32>().value(at).into(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(at).into(),
        DataType::Boolean => column.as_boolean().value(at).into(),
        other => panic!("no column is {other}"),
    };
    let schema = batch.schema();
    (0..batch.num_rows()).map(move |at| {
        let columns = schema.fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, column)| (field.name().clone(), value(column, at)));
        columns.collect::<Map<_, _>>().into()
    })
}

/// Writes rows to a file in a directory.
fn write(format: &str, arguments: &[&str], path: &Path) {
    let output = ["-o", path.to_str().unwrap()];
    let output =
        Run::new([&["rows", "--format", format], &output[..], arguments].concat()).output();
    assert_eq!((output.status, output.told().trim()), (0, "[exit status 0]"));
}

/// Equal columns in the same order, and reproducible bytes.
#[test]
fn columns_are_the_rows_of_ndjson() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ["fixtures", "/nowhere"];
    let rows = super::of(&inputs);
    for format in FORMATS {
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        write(format, &inputs, &one);
        write(format, &inputs, &other);
        assert!(fs::read(&one).unwrap() == fs::read(&other).unwrap(), "{format}");
        let (schema, batches) = read(format, &one);
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, super::columns(&rows[0]), "{format}");
        let found: Vec<Value> = batches.iter().flat_map(objects).collect();
        assert_eq!(found.len(), rows.len(), "{format}");
        for (found, row) in found.iter().zip(&rows) {
            assert_eq!(found, row, "{format}");
        }
    }
}

/// For a single unreadable log most columns are empty, and their types cannot be inferred.
#[test]
fn types_do_not_depend_on_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let [all, gone] = ["all", "gone"].map(|name| folder.path().join(name));
        write(format, &["fixtures/formats"], &all);
        write(format, &["/nowhere"], &gone);
        let (all, gone) = (read(format, &all).0, read(format, &gone).0);
        assert_eq!(all, gone, "{format}");
        for (name, data_type, nullable) in [
            ("row", DataType::Utf8, false),
            ("status", DataType::Utf8, true),
            ("bytes", DataType::Int64, true),
            ("fallback", DataType::Boolean, true),
            ("time_utc", DataType::Utf8, true),
            ("monotonic_us", DataType::Int64, true),
            ("patterns", DataType::Utf8, false),
        ] {
            let field = gone.field_with_name(name).unwrap();
            assert_eq!((field.data_type(), field.is_nullable()), (&data_type, nullable), "{name}");
        }
    }
}

/// The number of rows in each batch or row group, for empty logs with these keys.
fn sizes(format: &str, keys: &[String]) -> Vec<usize> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows");
    let frame = |key: &String| format!("{}\n", json!({ "key": key, "data_b64": "" }));
    let frames: String = keys.iter().map(frame).collect();
    let run = Run::new(["rows", "--format", format, "-o", path.to_str().unwrap()]).input(frames);
    assert_eq!(run.output().told().trim(), "[exit status 0]");
    if format == "arrow" {
        return read(format, &path).1.iter().map(RecordBatch::num_rows).collect();
    }
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap();
    let groups = reader.metadata().row_groups().iter();
    groups.map(|group| usize::try_from(group.num_rows()).unwrap()).collect()
}

/// Batches and row groups are limited, for any number of logs and any length of names.
#[test]
fn batches_and_groups_end() {
    let keys = vec![String::new(); 65_537];
    assert_eq!(sizes("parquet", &keys), [65_536, 1]);
    assert_eq!(sizes("arrow", &keys[..20_000]), [8_192, 8_192, 3_616]);
    let long = vec!["k".repeat(5 << 20); 9];
    assert_eq!(sizes("arrow", &long), [4, 4, 1]);
}

/// A file gets its name when it is complete.
#[test]
fn what_is_killed_leaves_no_file() {
    let frame = json!({ "key": "k", "data_b64": BASE64.encode(b"<6>[    1.000000] amdgpu: x\n") });
    for format in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        let mut program = Command::new(env!("CARGO_BIN_EXE_amdtriage"));
        program.args(["rows", "--format", format, "-o"]).arg(&path).stdin(Stdio::piped());
        let mut killed = child::start(&mut program).unwrap();
        let mut input = killed.stdin.take().unwrap();
        // More than a pipe holds was read, so rows were written or would have been.
        input.write_all(format!("{frame}\n").repeat(20_000).as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(50));
        killed.kill().unwrap();
        killed.wait().unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
        assert!(left.is_empty(), "{format}: {left:?}");
    }
}
