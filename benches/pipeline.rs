//! How fast logs are read and analysed, and how long the program takes to start.

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
use std::io;

use amdtriage::diagnosis::conclusions;
use amdtriage::event::log::Log;
use amdtriage::event::recognise::Recogniser;
use amdtriage::input::{self, Lines};
use amdtriage::pattern::Patterns;
use amdtriage::record::{self, LogFormat, Options, Origin, Read, Record, Stamp, Visit};
use amdtriage::redact::{self, Findings, Redactor, stream};
use amdtriage::value::Micros;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use forms::{FORMS, PACKED, SIZE as FORM_SIZE};

/// Number of lines in a generated log.
const LINES: u32 = 100_000;

/// Messages that do not concern a GPU: `#` is replaced by a digit, `@` by a hexadecimal digit.
const MESSAGES: [&str; 20] = [
    "usb #-#: new high-speed USB device number ## using xhci_hcd",
    "usb #-#.#: New USB device found, idVendor=@@@@, idProduct=@@@@, bcdDevice= #.##",
    "systemd[1]: Started session-###.scope - Session ### of User ada.",
    "audit: type=1400 audit(17########.###:###): apparmor=\"DENIED\" operation=\"open\" pid=#### comm=\"x\"",
    "wlp#s0: Limiting TX power to ## (30 - 0) dBm as advertised by @@:@@:@@:@@:@@:@@",
    "EXT4-fs (nvme#n1p#): re-mounted @@@@@@@@-@@@@-@@@@-@@@@-@@@@@@@@@@@@ r/w. Quota mode: none.",
    "docker0: port #(veth@@@@@@@@) entered blocking state",
    "[UFW BLOCK] IN=enp#s0 OUT= MAC=@@:@@:@@:@@ SRC=10.#.##.# DST=10.0.0.# LEN=## TTL=## ID=##### PROTO=TCP",
    "nvme nvme#: I/O tag ### (@@@@) QID # timeout, completion polled",
    "perf: interrupt took too long (#### > ####), lowering kernel.perf_event_max_sample_rate to #####",
    "ata#.00: exception Emask 0x# SAct 0x@@@@@@@@ SErr 0x0 action 0x# frozen",
    "r8169 0000:@@:00.0 enp#s0: Link is Up - 1Gbps/Full - flow control rx/tx",
    "snd_hda_intel 0000:@@:00.#: azx_get_response timeout, switching to polling mode: last cmd=0x@@@@@@@@",
    "ACPI BIOS Error (bug): Could not resolve symbol [\\_SB.PC@@.GPP#.D@@@], AE_NOT_FOUND (########/psargs-###)",
    "BTRFS info (device dm-#): relocating block group ########### flags data|raid#",
    "TCP: request_sock_TCP: Possible SYN flooding on port ####. Sending cookies.",
    "python3[####]: segfault at @@@@@@@@@@@@ ip 00007f@@@@@@@@ sp 00007f@@@@@@@@ error # in libx.so.#",
    "hid-generic 0003:@@@@:@@@@.@@@@: input,hidraw#: USB HID v1.## Device [a b] on usb-0000:@@:00.#-#/input#",
    "kvm [####]: ignored rdmsr: 0x@@@@@@@@ data 0x0",
    "loop#: detected capacity change from 0 to ########",
];

/// Reproducible random numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    /// A message with other digits each time, so that all lines differ.
    fn message(&mut self) -> String {
        let message = MESSAGES[usize::try_from(self.below(20)).unwrap()];
        let mut digit =
            |limit| char::from_digit(u32::try_from(self.below(limit)).unwrap(), 16).unwrap();
        let drawn = message.chars().map(|letter| match letter {
            '#' => digit(10),
            '@' => digit(16),
            other => other,
        });
        drawn.collect()
    }
}

fn noise() -> String {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut log = String::new();
    for at in 0..LINES {
        let message = dice.message();
        writeln!(log, "[{:5}.{:06}] {message}", at / 100, at % 100 * 10_000).unwrap();
    }
    log
}

/// The output of rsyslog on a machine with a healthy GPU: one line in a hundred is the driver's.
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

/// Messages of the driver at boot, in normal operation and during failures, without time and host.
fn driver_lines() -> Vec<String> {
    let mut lines = Vec::new();
    for at in 0..LINES / 20 {
        lines.extend(boot_lines(at));
        lines.extend(hang_lines(at));
        lines.extend(fault_lines(at));
        lines.extend(fault_lines(at + 1));
    }
    let device = |line: String| format!("amdgpu 0000:{:02x}:00.0: {line}", 3 + line.len() % 2 * 9);
    lines.into_iter().map(device).collect()
}

fn boot_lines(at: u32) -> Vec<String> {
    vec![
        format!("amdgpu: ring gfx_0.0.0 uses VM inv eng {} on hub 0", at % 16),
        "amdgpu: detected ip block number 4 <gfx_v11_0_0> (gfx_v11_0)".to_owned(),
        format!(
            "amdgpu: VRAM: {0}M 0x0000008000000000 - 0x00000081FEFFFFFF ({0}M used)",
            8176 + at % 3
        ),
        "amdgpu: SMU is initialized successfully!".to_owned(),
        "[drm] Loading DMUB firmware via PSP: version=0x07002800".to_owned(),
    ]
}

fn hang_lines(at: u32) -> Vec<String> {
    vec![
        "amdgpu: MES failed to respond to msg=REMOVE_QUEUE".to_owned(),
        "[drm:amdgpu_mes_unmap_legacy_queue [amdgpu]] *ERROR* failed to unmap legacy queue"
            .to_owned(),
        format!("amdgpu: ring gfx_0.0.0 timeout, signaled seq={at}, emitted seq={}", at + 2),
        format!("amdgpu: Process information: process game pid {at} thread game:cs0 pid 413"),
        "amdgpu: GPU reset begin!".to_owned(),
        "amdgpu: MODE1 reset".to_owned(),
        "amdgpu: GPU reset succeeded, trying to resume".to_owned(),
        "[drm] VRAM is lost due to GPU reset!".to_owned(),
        format!("amdgpu: GPU reset({at}) succeeded!"),
    ]
}

fn fault_lines(at: u32) -> Vec<String> {
    vec![
        format!(
            "amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game{} \
             pid 411 thread game:cs0 pid 413)",
            at % 7
        ),
        format!(
            "amdgpu:   in page starting at address 0x{:016x} from client 0x1b (UTCL2)",
            u64::from(at) << 12
        ),
        "amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031".to_owned(),
        "amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)".to_owned(),
        "amdgpu: \t MORE_FAULTS: 0x1".to_owned(),
        "amdgpu: \t RW: 0x0".to_owned(),
    ]
}

/// A GPU that hangs and recovers repeatedly in one boot.
fn incidents() -> String {
    let mut log = String::new();
    for at in 0..LINES / 50 {
        for (micros, line) in (0..).zip(hang_lines(at)) {
            writeln!(log, "[{:8}.{micros:06}] amdgpu 0000:03:00.0: {line}", 100 + at * 20).unwrap();
        }
    }
    log
}

/// Kernel records in memory.
fn records(messages: &[String]) -> Vec<Record<'_>> {
    let record = |(at, message)| Record {
        quoted: false,
        machine: 0,
        sequence: at,
        line: at + 1,
        form: LogFormat::Dmesg,
        stamp: Stamp { monotonic: i64::try_from(at).ok().map(Micros), ..Stamp::default() },
        level: None,
        origin: Origin::Kernel,
        buffered: true,
        device: None,
        cut: false,
        message,
        process: None,
    };
    (0..).zip(messages.iter().map(String::as_str)).map(record).collect()
}

/// Recognising events in records that are all the driver's. The throughput is of their texts in
/// bytes. Freeing the result is measured separately, because the program ends without it.
fn recognising(criterion: &mut Criterion) {
    let patterns = amdtriage::builtin::patterns();
    let messages = driver_lines();
    let records = records(&messages);
    let mut group = criterion.benchmark_group("recognising");
    group.throughput(Throughput::Bytes(messages.iter().map(|text| text.len() as u64).sum()));
    group.sample_size(20);
    let recognised = || {
        let mut recogniser = Recogniser::new(&patterns);
        for record in &records {
            recogniser.see(Read::Record(record));
        }
        recogniser.finish()
    };
    group.bench_function("every line an amdgpu line", |bencher| {
        bencher.iter_batched(|| (), |()| recognised(), BatchSize::PerIteration);
    });
    group.bench_function("and what was found is given back", |bencher| {
        bencher.iter(|| black_box(recognised()));
    });
    group.finish();
}

/// A real failure, without the fixture's header.
fn hang() -> String {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/signatures/gfx11-mes-hang/hit-mode1-after-silence.log"
    );
    let text = fs::read_to_string(path).unwrap();
    text.split_once("\n\n").unwrap().1.to_owned()
}

fn understood(log: impl io::Read, patterns: &Patterns) -> usize {
    let log = Log::read(&mut Lines::new(log), Options::default(), patterns).unwrap();
    conclusions(&log, patterns).findings.len()
}

fn counted(log: impl io::Read) -> u64 {
    let mut count = 0;
    let visit = |read: Read<'_>| count += u64::from(read.record().is_some());
    record::read(&mut Lines::new(log), Options::default(), visit).unwrap();
    count
}

fn pipeline(criterion: &mut Criterion) {
    let patterns = amdtriage::builtin::patterns();
    let logs = [
        ("noise", noise()),
        ("healthy", healthy()),
        ("dense", dense()),
        ("incidents", incidents()),
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

/// A mixed log in every format and every compression; the throughput is of uncompressed bytes.
fn every_form(criterion: &mut Criterion) {
    let patterns = amdtriage::builtin::patterns();
    let mut group = criterion.benchmark_group("forms");
    group.sample_size(10);
    for form in FORMS {
        // Generated only for a benchmark that runs, and freed before the next one.
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

/// Passes the log in `packed` to `show`.
fn unpacked<T>(packed: &[u8], mut show: impl FnMut(Box<dyn io::Read + '_>) -> T) {
    let done = input::standard_input::<()>(packed, &mut |found| {
        black_box(show(found.source.unwrap().reader));
        Ok(())
    });
    done.unwrap();
}

fn startup(criterion: &mut Criterion) {
    criterion.bench_function("startup", |bencher| {
        bencher.iter(|| {
            let patterns = amdtriage::builtin::patterns();
            black_box(patterns.matcher());
            patterns
        });
    });
}

/// A log is read to learn private values, redacted, and verified.
fn redacting(criterion: &mut Criterion) {
    let patterns = amdtriage::builtin::patterns();
    let log = healthy();
    let mut group = criterion.benchmark_group("redact");
    group.throughput(Throughput::Bytes(log.len() as u64));
    group.sample_size(10);
    let learnt = || {
        let mut redactor = Redactor::new(&patterns, redact::Options::default());
        let findings = stream::learn(&mut redactor, log.as_bytes()).unwrap();
        (redactor, findings)
    };
    group.bench_function("learn", |bencher| bencher.iter(|| black_box(learnt())));
    group.bench_function("redact", |bencher| {
        let write = |(mut redactor, findings): (Redactor, Findings)| {
            stream::redact(&mut redactor, findings, log.as_bytes(), io::sink()).unwrap();
        };
        bencher.iter_batched(learnt, write, BatchSize::LargeInput);
    });
    let (mut redactor, findings) = learnt();
    let mut redacted = Vec::new();
    stream::redact(&mut redactor, findings, log.as_bytes(), &mut redacted).unwrap();
    group.bench_function("leftovers", |bencher| {
        bencher.iter(|| stream::leftovers(&redactor, redacted.as_slice(), &mut |_| {}).unwrap());
    });
    group.finish();
}

criterion_group!(benches, recognising, pipeline, every_form, redacting, startup);
criterion_main!(benches);
