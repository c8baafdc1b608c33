//! How fast a log is read and understood, and how long the program takes to be ready.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "criterion writes the items; a benchmark that cannot go on stops"
)]

mod forms;

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::Read;

use amdtriage::diagnosis::conclusions;
use amdtriage::event::log::Log;
use amdtriage::input::{self, Lines};
use amdtriage::pattern::Patterns;
use amdtriage::record::{self, Options};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use forms::{FORMS, PACKED, SIZE as FORM_SIZE};

/// Lines of a generated log.
const LINES: u32 = 100_000;

/// What a machine says all day long, and none of it about a GPU.
fn noise() -> String {
    let messages = [
        "usb 1-4: new high-speed USB device number 5 using xhci_hcd",
        "audit: type=1400 audit(1773475200.100:211): apparmor=\"DENIED\" operation=\"open\" pid=911",
        "wlan0: Limiting TX power to 30 (30 - 0) dBm as advertised by 02:00:5e:10:20:30",
        "EXT4-fs (nvme0n1p2): re-mounted 1b2c ro. Quota mode: none.",
        "perf: interrupt took too long (2519 > 2500), lowering kernel.perf_event_max_sample_rate",
    ];
    let mut log = String::new();
    for at in 0..LINES {
        let message = messages[at as usize % messages.len()];
        writeln!(log, "[{:5}.{:06}] {message}", at / 100, at % 100 * 10_000).unwrap();
    }
    log
}

/// What rsyslog writes on a machine with a healthy GPU: one line in a hundred is the driver's.
fn healthy() -> String {
    let mut log = String::new();
    for (at, line) in noise().lines().enumerate() {
        let (time, message) = line.split_once("] ").unwrap();
        let message = match at % 100 {
            40 => "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 uses VM inv eng 0 on hub 0",
            _ => message,
        };
        let (minute, second) = (at / 60 % 60, at % 60);
        writeln!(log, "Nov 19 10:{minute:02}:{second:02} host kernel: {time}] {message}").unwrap();
    }
    log
}

/// Every line is the driver's, and most begin or continue an event.
fn dense() -> String {
    let mut log = String::new();
    for at in 0..LINES / 5 {
        let fault = [
            format!(
                "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game{} pid 411 \
                 thread game:cs0 pid 413)",
                at % 7
            ),
            format!(
                "  in page starting at address 0x{:016x} from client 0x1b (UTCL2)",
                u64::from(at) << 12
            ),
            "GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031".to_owned(),
            "\t Faulty UTCL2 client ID: TCP (0x8)".to_owned(),
            "\t MORE_FAULTS: 0x1".to_owned(),
        ];
        for line in fault {
            let (seconds, micros) = (100 + at / 1000, at % 1000 * 1000);
            writeln!(log, "[{seconds:5}.{micros:06}] amdgpu 0000:0c:00.0: amdgpu: {line}").unwrap();
        }
    }
    log
}

/// A real failure, with its header taken off.
fn hang() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/signatures/gfx11-mes-hang/hit-mode1-after-silence.log"
    );
    let text = fs::read_to_string(path).unwrap();
    text.split_once("\n\n").unwrap().1.to_owned()
}

fn understood(log: impl Read, patterns: &Patterns) -> usize {
    let log = Log::read(&mut Lines::new(log), Options::default(), patterns).unwrap();
    conclusions(&log, patterns).findings.len()
}

fn counted(log: impl Read) -> u64 {
    let mut count = 0;
    let visit = |read: record::Read<'_>| count += u64::from(read.record().is_some());
    record::read(&mut Lines::new(log), Options::default(), visit).unwrap();
    count
}

fn pipeline(criterion: &mut Criterion) {
    let patterns = amdtriage::builtin::patterns();
    let logs = [
        ("noise", noise()),
        ("healthy", healthy()),
        ("dense", dense()),
        ("mes-hang", hang()),
        ("one-line", noise().lines().take(1).collect()),
    ];
    for (name, log) in logs {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(log.len() as u64));
        if log.len() > 1 << 20 {
            group.sample_size(20);
        }
        group.bench_with_input(BenchmarkId::from_parameter("lines"), &log, |bencher, log| {
            bencher.iter(|| {
                let (mut lines, mut count) = (Lines::new(log.as_bytes()), 0);
                while let Some(line) = lines.next().unwrap() {
                    count += line.text.len();
                }
                black_box(count)
            });
        });
        group.bench_with_input(BenchmarkId::from_parameter("records"), &log, |bencher, log| {
            bencher.iter(|| black_box(counted(log.as_bytes())));
        });
        group.bench_with_input(BenchmarkId::from_parameter("diagnoses"), &log, |bencher, log| {
            bencher.iter(|| black_box(understood(log.as_bytes(), &patterns)));
        });
        group.finish();
    }
}

/// A mixed log in every form; the same in every compression, whose throughput is of unpacked bytes.
fn every_form(criterion: &mut Criterion) {
    let patterns = amdtriage::builtin::patterns();
    let mut group = criterion.benchmark_group("forms");
    group.sample_size(10);
    for form in FORMS {
        // Made only for a benchmark that runs, and gone before the next one.
        let log = OnceCell::new();
        let log = || log.get_or_init(|| form.log()).as_bytes();
        group.throughput(Throughput::Bytes(FORM_SIZE as u64));
        group.bench_function(BenchmarkId::new(form.name, "records"), |bencher| {
            let log = log();
            assert!(counted(log) * 1000 >= log.len() as u64, "{}: records are lost", form.name);
            bencher.iter(|| black_box(counted(log)));
        });
        group.bench_function(BenchmarkId::new(form.name, "diagnoses"), |bencher| {
            let log = log();
            bencher.iter(|| black_box(understood(log, &patterns)));
        });
    }
    for (name, pack) in PACKED {
        let packed = OnceCell::new();
        let packed = || packed.get_or_init(|| pack(FORMS[0].log().as_bytes())).as_slice();
        group.bench_function(BenchmarkId::new(name, "records"), |bencher| {
            let packed = packed();
            bencher.iter(|| unpacked(packed, |log| counted(log)));
        });
        group.bench_function(BenchmarkId::new(name, "diagnoses"), |bencher| {
            let packed = packed();
            bencher.iter(|| unpacked(packed, |log| understood(log, &patterns)));
        });
    }
    group.finish();
}

/// Shows the log in `packed`.
fn unpacked<T>(packed: &[u8], mut show: impl FnMut(Box<dyn Read + '_>) -> T) {
    let done = input::standard_input::<()>(packed, &mut |found| {
        black_box(show(found.source.unwrap().reader));
        Ok(())
    });
    done.unwrap();
}

fn startup(criterion: &mut Criterion) {
    criterion.bench_function("startup", |bencher| {
        bencher.iter(|| black_box(amdtriage::builtin::patterns()));
    });
}

criterion_group!(benches, pipeline, every_form, startup);
criterion_main!(benches);
