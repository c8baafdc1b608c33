//! The same generated log in every supported format: some hours of a machine, with one driver
//! record in a hundred.

use std::fmt::Write as _;
use std::io::Write as _;

use chrono::{DateTime, FixedOffset};

/// Minimum length of a log in bytes.
pub(crate) const SIZE: usize = 20_000_000;

const BOOT: i64 = 1_772_644_810_000_000;
const IDS: &str = "s=d0ef8949d5ec4a88a5f46d1469fac9b3";
const BOOT_ID: &str = "5a6f1c3b9d2e4807a1b4c7d8e9f00112";
const DEVICE: &str = "0000:03:00.0";
const BANNER: &str =
    "Linux version 6.14.2 (builder@forge) (gcc (GCC) 14.2.1) #1 SMP PREEMPT_DYNAMIC";
const DRIVER: [&str; 3] = [
    "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 uses VM inv eng 0 on hub 0",
    "amdgpu 0000:03:00.0: amdgpu: SMU is resumed successfully!",
    "amdgpu 0000:03:00.0: amdgpu: PSP is resuming...",
];
const OTHERS: [(u8, &str); 5] = [
    (6, "usb 1-4: new high-speed USB device number 5 using xhci_hcd"),
    (
        5,
        "audit: type=1400 audit(1773475200.100:211): apparmor=\"DENIED\" operation=\"open\" pid=911",
    ),
    (6, "wlan0: Limiting TX power to 30 (30 - 0) dBm as advertised by 02:00:5e:10:20:30"),
    (4, "EXT4-fs (nvme0n1p2): re-mounted 1b2c ro. Quota mode: none."),
    (6, "perf: interrupt took too long (2519 > 2500), lowering kernel.perf_event_max_sample_rate"),
];

/// One record, independent of the format.
struct Entry {
    number: i64,
    /// Microseconds since boot.
    clock: i64,
    level: u8,
    text: &'static str,
    of_driver: bool,
}

impl Entry {
    /// A record every 10 milliseconds.
    fn new(number: i64) -> Self {
        let at = usize::try_from(number).unwrap();
        let clock = number * 10_000 + number % 7;
        if at % 100 == 40 {
            let text = DRIVER[at / 100 % DRIVER.len()];
            return Self { number, clock, level: 6, text, of_driver: true };
        }
        let (level, text) = if at == 0 { (5, BANNER) } else { OTHERS[at % OTHERS.len()] };
        Self { number, clock, level, text, of_driver: false }
    }

    fn kernel(&self) -> String {
        format!("[{:5}.{:06}]", self.clock / 1_000_000, self.clock % 1_000_000)
    }

    fn wall(&self) -> DateTime<FixedOffset> {
        let universal = DateTime::from_timestamp_micros(BOOT + self.clock).unwrap();
        universal.with_timezone(&FixedOffset::east_opt(3600).unwrap())
    }

    fn named_level(&self) -> &'static str {
        match self.level {
            4 => "warn",
            5 => "notice",
            _ => "info",
        }
    }

    /// The text as the contents of a JSON string.
    fn quoted(&self) -> String {
        self.text.replace('"', "\\\"")
    }

    /// Its fields in the journal.
    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("_BOOT_ID", BOOT_ID.to_owned()),
            ("_TRANSPORT", "kernel".to_owned()),
            ("SYSLOG_FACILITY", "0".to_owned()),
            ("SYSLOG_IDENTIFIER", "kernel".to_owned()),
            ("_MACHINE_ID", "0f1e2d3c4b5a69788796a5b4c3d2e1f0".to_owned()),
            ("_HOSTNAME", "workbench".to_owned()),
            ("_RUNTIME_SCOPE", "system".to_owned()),
            ("_SOURCE_MONOTONIC_TIMESTAMP", self.clock.to_string()),
            ("PRIORITY", self.level.to_string()),
            ("MESSAGE", self.text.to_owned()),
        ];
        if self.of_driver {
            fields.push(("_KERNEL_SUBSYSTEM", "pci".to_owned()));
            fields.push(("_KERNEL_DEVICE", format!("+pci:{DEVICE}")));
        }
        fields
    }

    fn cursor(&self) -> String {
        let (number, clock) = (self.number + 1, self.clock);
        format!(
            "{IDS};i={number:x};b={BOOT_ID};m={clock:x};t={:x};x=d19c1a19dbd125b9",
            BOOT + clock
        )
    }

    /// The same with the address fields that the journal puts first.
    fn addressed(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![
            ("__CURSOR", self.cursor()),
            ("__REALTIME_TIMESTAMP", (BOOT + self.clock).to_string()),
            ("__MONOTONIC_TIMESTAMP", self.clock.to_string()),
        ];
        fields.extend(self.fields());
        fields
    }
}

/// Prints a record in a format.
type Print = fn(&Entry) -> String;

/// A format for a log.
pub(crate) struct Form {
    pub(crate) name: &'static str,
    print: Print,
    /// Text before, between and after the records.
    around: [&'static str; 3],
}

impl Form {
    const fn lines(name: &'static str, print: Print) -> Self {
        Self { name, print, around: ["", "\n", "\n"] }
    }

    /// The log, always with the same bytes.
    pub(crate) fn log(&self) -> String {
        let [before, between, behind] = self.around;
        let mut log = String::with_capacity(SIZE + (1 << 12));
        log.push_str(before);
        for number in 0.. {
            log.push_str(&(self.print)(&Entry::new(number)));
            if log.len() >= SIZE {
                break;
            }
            log.push_str(between);
        }
        log.push_str(behind);
        log
    }
}

/// Every format, by the name of its fixture.
pub(crate) const FORMS: [Form; 24] = [
    Form::lines("dmesg", |one| format!("{} {}", one.kernel(), one.text)),
    Form::lines("dmesg-ctime", |one| {
        format!("[{}] {}", one.wall().format("%a %b %e %T %Y"), one.text)
    }),
    Form::lines("dmesg-x", |one| {
        format!("kern  :{:<6}: {} {}", one.named_level(), one.kernel(), one.text)
    }),
    Form::lines("dmesg-raw", |one| format!("<{}>{} {}", one.level, one.kernel(), one.text)),
    Form::lines("dmesg-iso", |one| format!("{} {}", one.wall().format("%FT%T,%6f%:z"), one.text)),
    // The first record of a minute has the time of day.
    Form::lines("dmesg-reltime", |one| match one.number % 6000 {
        0 => format!("[{}] {}", one.wall().format("%b%e %H:%M"), one.text),
        _ => format!("[  +0.010000] {}", one.text),
    }),
    Form::lines("dmesg-json", |one| {
        let (clock, text) = (one.kernel(), one.quoted());
        let clock = clock.trim_matches(['[', ']']);
        let level = one.level;
        format!(
            "         \"pri\": {level},\n         \"time\": {clock},\n         \"msg\": \"{text}\""
        )
    })
    .within(["{\n   \"dmesg\": [\n      {\n", "\n      },{\n", "\n      }\n   ]\n}\n"]),
    Form::lines("journal-short", |one| {
        format!("{} workbench kernel: {}", one.wall().format("%b %d %T"), one.text)
    }),
    Form::lines("journal-short-precise", |one| {
        format!("{} workbench kernel: {}", one.wall().format("%b %d %T%.6f"), one.text)
    }),
    Form::lines("journal-short-iso", |one| {
        format!("{} workbench kernel: {}", one.wall().format("%FT%T%z"), one.text)
    }),
    Form::lines("journal-short-full", |one| {
        format!("{} CET workbench kernel: {}", one.wall().format("%a %F %T"), one.text)
    }),
    Form::lines("journal-short-monotonic", |one| {
        format!("{} workbench kernel: {}", one.kernel(), one.text)
    }),
    Form::lines("journal-verbose", |one| {
        let mut text = format!("{} CET [{}]", one.wall().format("%a %F %T%.6f"), one.cursor());
        for (name, value) in one.fields() {
            write!(text, "\n    {name}={value}").unwrap();
        }
        text
    }),
    Form::lines("journal-export", |one| {
        let mut text = String::new();
        for (name, value) in one.addressed() {
            writeln!(text, "{name}={value}").unwrap();
        }
        text
    }),
    Form::lines("journal-json", |one| object(one, ["{", ":", ",", "}"])),
    Form::lines("journal-json-pretty", |one| object(one, ["{\n\t", " : ", ",\n\t", "\n}"])),
    Form::lines("kmsg", |one| {
        let device = format!("\n SUBSYSTEM=pci\n DEVICE=+pci:{DEVICE}");
        let details = if one.of_driver { device } else { String::new() };
        format!("{},{},{},-;{}{details}", one.level, one.number, one.clock, one.text)
    }),
    Form::lines("syslog", |one| {
        let wall = one.wall();
        format!("{} workbench kernel: {} {}", wall.format("%b %e %T"), one.kernel(), one.text)
    }),
    Form::lines("syslog-iso", |one| {
        let wall = one.wall();
        format!("{} workbench kernel: {} {}", wall.format("%FT%T%.6f%:z"), one.kernel(), one.text)
    }),
    Form::lines("syslog-rfc5424", |one| {
        let (wall, clock) = (one.wall(), one.kernel());
        let wall = wall.format("%FT%T%.6f%:z");
        format!("<{}>1 {wall} workbench kernel - - - {clock} {}", one.level, one.text)
    }),
    Form::lines("docker-json-file", |one| {
        let (level, clock, text) = (one.level, one.kernel(), one.quoted());
        let log = format!("\\u003c{level}\\u003e{clock} {text}\\n");
        let wall = one.wall().to_utc();
        let time = wall.format("%FT%T%.9fZ");
        format!("{{\"log\":\"{log}\",\"stream\":\"stdout\",\"time\":\"{time}\"}}")
    }),
    Form::lines("kubernetes-cri", |one| {
        let wall = one.wall().to_utc();
        format!("{} stdout F {} {}", wall.format("%FT%T%.9fZ"), one.kernel(), one.text)
    }),
    Form::lines("android-logcat", |one| {
        format!("{}     0     0 I {}", one.wall().format("%m-%d %T%.3f"), one.text)
    }),
    Form::lines("journal-cat", |one| one.text.to_owned()),
];

impl Form {
    const fn within(mut self, around: [&'static str; 3]) -> Self {
        self.around = around;
        self
    }
}

fn object(one: &Entry, [open, is, and, close]: [&str; 4]) -> String {
    let mut text = open.to_owned();
    for (at, (name, value)) in one.addressed().into_iter().enumerate() {
        let and = if at > 0 { and } else { "" };
        write!(text, "{and}\"{name}\"{is}\"{}\"", value.replace('"', "\\\"")).unwrap();
    }
    text + close
}

/// Compresses a log.
type Pack = fn(&[u8]) -> Vec<u8>;

/// Every compression, by the name of its program.
pub(crate) const PACKED: [(&str, Pack); 4] = [
    ("gzip", |log| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(log).unwrap();
        packer.finish().unwrap()
    }),
    ("xz", |log| {
        let options = lzma_rust2::XzOptions::with_preset(1);
        let mut packer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        packer.write_all(log).unwrap();
        packer.finish().unwrap()
    }),
    ("zstd", |log| {
        ruzstd::encoding::compress_to_vec(log, ruzstd::encoding::CompressionLevel::Fastest)
    }),
    ("bzip2", |log| {
        let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
        packer.write_all(log).unwrap();
        packer.finish().unwrap()
    }),
];
