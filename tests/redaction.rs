//! Nothing private is left in a redacted log, in whatever format and encoding, and nothing else is touched.

use std::fmt::Write as _;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use amdtriage::pattern::Patterns;
use amdtriage::redact::{Kind, Options, Redactor, stream};
use proptest::prelude::*;

use super::common::{Fixture, Json, Run, none, root, settings};

static PATTERNS: LazyLock<Patterns> = LazyLock::new(amdtriage::builtin::patterns);

fn redactor() -> Redactor {
    Redactor::with(&PATTERNS, Options::default())
}

/// The log as `amdtriage redact` writes it; what is left in it is a failure.
fn redacted_by(redactor: &mut Redactor, log: &[u8]) -> Vec<u8> {
    stream::learn(redactor, log).unwrap();
    let mut out = Vec::new();
    stream::redact(redactor, log, &mut out).unwrap();
    let mut left = Vec::new();
    stream::leftovers(redactor, out.as_slice(), &mut |place| left.push(format!("{place:?}")))
        .unwrap();
    none(&left);
    out
}

fn redacted(log: &[u8]) -> Vec<u8> {
    redacted_by(&mut redactor(), log)
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn digits(&mut self, count: usize, from: &str) -> String {
        let from: Vec<char> = from.chars().collect();
        (0..count).map(|_| from[self.roll(from.len())]).collect()
    }

    fn hex(&mut self, count: usize) -> String {
        self.digits(count, "0123456789abcdef")
    }

    /// A name that nothing else is called.
    fn name(&mut self) -> String {
        const PARTS: [&str; 20] = [
            "za", "ve", "ri", "mo", "lu", "ka", "te", "ni", "sho", "gu", "pra", "xi", "qua", "bel",
            "dor", "fim", "jus", "hek", "wyn", "yot",
        ];
        (0..4).map(|_| PARTS[self.roll(PARTS.len())]).collect()
    }

    fn capital(&mut self) -> String {
        let name = self.name();
        name[..1].to_uppercase() + &name[1..]
    }

    fn pairs(&mut self, separator: &str) -> String {
        let first = self.digits(1, "048c");
        let rest: Vec<String> = (0..5).map(|_| self.hex(2)).collect();
        format!("{}{first}{separator}{}", self.digits(1, "123456789"), rest.join(separator))
    }

    fn uuid(&mut self) -> String {
        let parts: Vec<String> = [7, 4, 4, 4, 12].map(|count| self.hex(count)).into();
        format!("{}{}", self.digits(1, "123456789"), parts.join("-"))
    }
}

/// What a value of a kind is, and where logs have it: `{}` is the value.
type Plant = (Kind, fn(&mut Dice) -> String, &'static [&'static str]);

const PLANTS: [Plant; 19] = [
    (
        Kind::Host,
        |dice| dice.name(),
        &[
            "systemd[1]: Hostname set to <{}>.",
            "NetworkManager[7]: dhcp4 (enp5s0): option host_name            => '{}'",
            "nfs: server {} not responding, still trying",
            "Kernel command line: quiet systemd.hostname={} ro",
            "avahi-daemon[9]: Server startup complete. Host name is {}.local. Local service cookie is 7.",
            "Linux {} 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 x86_64 GNU/Linux",
        ],
    ),
    (
        Kind::User,
        |dice| dice.name(),
        &[
            "sudo[77]: pam_unix(sudo:session): session opened for user {}(uid=1000) by (uid=0)",
            "systemd-logind[7]: New session 2 of user {}.",
            "sudo[77]:     {} : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/usr/bin/dmesg",
            "audit: type=1100 audit(1.1:2): pid=9 uid=0 msg='op=PAM:auth acct=\"{}\" exe=\"/usr/bin/sudo\"'",
            "gdm[8]: cannot open /home/{}/.face",
            "sshd[5]: Accepted publickey for {} from fe80::1 port 22 ssh2",
            "uid=1000({}) gid=1000",
        ],
    ),
    (
        Kind::Mac,
        |dice| dice.pairs(":"),
        &[
            "wlan0: authenticate with {} (local address=02:00:00:00:00:00)",
            "r8169 0000:06:00.0 eth0: RTL8125B, {}, XID 641, IRQ 83",
            "    link/ether {} brd ff:ff:ff:ff:ff:ff",
            "[UFW BLOCK] IN=eth0 OUT= MAC={}:ff:ff:ff:ff:ff:ff:08:00",
        ],
    ),
    (
        Kind::Mac,
        |dice| dice.pairs("-").to_uppercase(),
        &["hci0: address {} type public", "HWaddr {}"],
    ),
    (
        Kind::Ipv4,
        |dice| format!("10.{}.{}.{}", dice.roll(256), dice.roll(256), 1 + dice.roll(254)),
        &[
            "[UFW BLOCK] IN=eth0 OUT= SRC={} DST=224.0.0.251 LEN=32",
            "    inet {}/24 scope global",
            "sshd[5]: Connection from {} port 51422 on 0.0.0.0 port 22",
            "nfs: mount.nfs: {}:/srv failed",
        ],
    ),
    (
        Kind::Ipv4,
        |dice| format!("93.{}.{}.{}", dice.roll(256), dice.roll(256), dice.roll(256)),
        &[
            "systemd-resolved[6]: Using degraded feature set UDP for DNS server {}.",
            "chronyd[6]: Selected source {}:123",
            "SRC={} DST={} LEN=40",
        ],
    ),
    (
        Kind::Ipv6,
        |dice| format!("2001:{}:{}::{}", 1000 + dice.roll(8000), dice.hex(3), dice.hex(3)),
        &[
            "    inet6 {}/64 scope global dynamic",
            "kernel: SRC={} DST=ff02::1",
            "sshd[5]: Connection from {} port 51422",
        ],
    ),
    (
        Kind::Email,
        |dice| format!("{}@{}.org", dice.name(), dice.name()),
        &["postfix/smtp[9]: to=<{}>, relay=none", "git[9]: author {}"],
    ),
    (
        Kind::Domain,
        |dice| format!("{}.{}.net", dice.name(), dice.name()),
        &[
            "NetworkManager[7]: dhcp4 (enp5s0): option domain_name          => '{}'",
            "systemd[1]: Setting http_proxy=http://{}:3128/",
        ],
    ),
    (
        Kind::Ssid,
        |dice| format!("{} {}", dice.capital(), dice.name()),
        &[
            "wpa_supplicant[8]: wlan0: Trying to associate with SSID '{}'",
            "NetworkManager[7]: Config: added 'ssid' value '{}'",
            "wpa_supplicant[8]: wlan0: CTRL-EVENT-SSID-TEMP-DISABLED id=0 ssid=\"{}\" auth_failures=1",
            "iwd[8]: event: connect-info, ssid: {}, bss: x",
        ],
    ),
    (
        Kind::Serial,
        |dice| format!("S{}", dice.digits(11, "0123456789ABCDEFGHKLMNPRSTVWXYZ")),
        &[
            "smartd[9]: Device: /dev/sda [SAT], Samsung SSD 860 EVO 1TB, S/N:{}, FW:RVT04B6Q",
            "dmidecode: Serial Number: {}",
            "product_serial={}",
            "(II) AMDGPU(0): Serial No: {}",
        ],
    ),
    (Kind::Usb, |dice| dice.digits(12, "0123456789ABCDEF") + "Z", &["usb 1-2.3: SerialNumber: {}"]),
    (
        Kind::Uuid,
        |dice| dice.uuid(),
        &[
            "Kernel command line: BOOT_IMAGE=/vmlinuz root=UUID={} ro quiet",
            "EXT4-fs (sda2): mounted filesystem {} r/w with ordered data mode.",
            "systemd[1]: Found device dev-disk-by\\x2duuid-{}.device",
            "rd.luks.uuid=luks-{} splash",
        ],
    ),
    (
        Kind::Machine,
        |dice| dice.hex(32),
        &[
            "systemd-journald[4]: System Journal (/var/log/journal/{}) is 8.0M",
            "Kernel command line: ro systemd.machine_id={} quiet",
        ],
    ),
    (Kind::Boot, |dice| dice.hex(32), &["Boot ID: {}", "x _BOOT_ID={}"]),
    (
        Kind::Disk,
        |dice| dice.digits(16, "0123456789abcdef").replacen('0', "5", 1),
        &["systemd[1]: Found /dev/disk/by-id/nvme-eui.{}", "/dev/disk/by-id/wwn-0x{} is there"],
    ),
    (
        Kind::Volume,
        |dice| format!("{}-{}", dice.name(), dice.name()),
        &[
            "systemd[1]: Mounting /dev/mapper/{} ...",
            "BTRFS: device label {} devid 1 transid 7 /dev/sda1",
            "mounted at /mnt/{}/2020",
            "Kernel command line: root=LABEL={} ro",
        ],
    ),
    (
        Kind::Secret,
        |dice| dice.digits(20, "abcdefghijkmnopqrstuvwxyz23456789"),
        &[
            "server[9]: started with --token {} -v",
            "systemd[1]: Environment HF_TOKEN={} OTHER=1",
            "curl[9]: Authorization: Bearer {}",
            "wpa_supplicant[8]: psk=\"{}\"",
            "mount.cifs: user=root,password={},vers=3.0",
            "git: https://x:{}@example.org/a",
        ],
    ),
    (
        Kind::File,
        |dice| format!("/srv/{}/{}.gguf", dice.name(), dice.name()),
        &[
            "sudo[77]: USER=root ; COMMAND=/usr/bin/vi {}",
            "ollama[9]: llama-server --model {} -ngl 99",
            "audit: type=1309 audit(1.2:3): argc=2 a0=\"cat\" a1=\"{}\"",
        ],
    ),
];

/// Names that people give their devices, and containers: their places have no room for the others' tests.
const MORE: [Plant; 2] = [
    (
        Kind::Bluetooth,
        |dice| format!("{}'s Headset", dice.capital()),
        &[
            "input: {} (AVRCP) as /devices/virtual/input/input30",
            "bluetoothd[8]: Device name \"{}\" connected",
            "usb 1-2: Product: {}",
        ],
    ),
    (
        Kind::Container,
        |dice| dice.hex(64),
        &[
            "systemd[1]: docker-{}.scope: Deactivated successfully.",
            "podman[7]: container died {} (image=x)",
            "kernel: overlayfs: /var/lib/docker/overlay2/{}/merged",
        ],
    ),
];

/// How many values of each kind are planted.
const COUNT: usize = 200;

/// Lines of the driver, which stay byte by byte.
const DRIVER: [&str; 4] = [
    "amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=88120, emitted seq=88122",
    "amdgpu 0000:2d:00.0: amdgpu:  Process render pid 3120 thread render:cs0 pid 3127",
    "amdgpu 0000:2d:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031",
    "amdgpu 0000:2d:00.0: amdgpu: smu fw version = 0x004e8300 (78.131.0)",
];

struct Planted {
    values: Vec<String>,
    lines: Vec<String>,
}

/// Each value once in its place and once more, where nothing tells what it is, in an encoding.
fn planted(count: usize) -> Planted {
    let mut dice = Dice(7);
    let mut planted = Planted { values: Vec::new(), lines: Vec::new() };
    for (_, value, places) in PLANTS.iter().chain(&MORE) {
        for index in 0..count {
            let value = value(&mut dice);
            planted.lines.push(format!("some program saw {}", encoded(index, &value)));
            planted.lines.push(places[index % places.len()].replace("{}", &value));
            planted.lines.push(DRIVER[index % DRIVER.len()].to_owned());
            planted.values.push(value);
        }
    }
    planted
}

fn each(value: &str, one: impl Fn(u8) -> String) -> String {
    value.bytes().map(one).collect()
}

fn hex(value: &str) -> String {
    each(value, |byte| format!("{byte:02x}"))
}

fn array(value: &str) -> String {
    value.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",")
}

/// Ways to write a value, each of which a decoder takes back.
fn encoded(way: usize, value: &str) -> String {
    match way % 6 {
        0 => value.to_owned(),
        1 => each(value, |byte| format!("%{byte:02X}")),
        2 => hex(value),
        3 => each(value, |byte| format!("\\x{byte:02x}")),
        4 => each(value, |byte| format!("&#{byte};")),
        _ => format!("[{}]", array(value)),
    }
}

/// All that must not be found, in whatever case.
fn forms(values: &[String]) -> AhoCorasick {
    let forms = values.iter().flat_map(|value| {
        [
            value.clone(),
            serde_json::to_string(value).unwrap().trim_matches('"').to_owned(),
            each(value, |byte| format!("%{byte:02x}")),
            hex(value),
            each(value, |byte| format!("\\x{byte:02x}")),
            each(value, |byte| format!("\\u{byte:04x}")),
            each(value, |byte| format!("&#{byte};")),
            array(value),
        ]
    });
    AhoCorasick::builder().ascii_case_insensitive(true).build(forms).unwrap()
}

#[track_caller]
fn assert_gone(format: &str, search: &AhoCorasick, out: &[u8]) {
    let text = String::from_utf8_lossy(out);
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        text[start..].lines().next().unwrap_or_default().to_owned()
    };
    let left: Vec<String> =
        search.find_iter(text.as_bytes()).take(20).map(|hit| line(hit.start())).collect();
    assert!(left.is_empty(), "{format}: {}", left.join("\n"));
}

fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn clock(index: usize) -> String {
    format!("{:5}.{:06}", index / 1000, index % 1000 * 1000)
}

const HOST: &str = "velomira";
const ID: &str = "5a6f1c3b9d2e4807a1b4c7d8e9f00112";

/// How programs write a record, with a name.
type Form = (&'static str, fn(usize, &str) -> String);

const FORMS: [Form; 15] = [
    ("dmesg", |at, text| format!("[{}] {text}\n", clock(at))),
    ("crlf", |at, text| format!("[{}] {text}\r\n", clock(at))),
    ("dmesg -r", |at, text| format!("<6>[{}] {text}\n", clock(at))),
    ("coloured", |at, text| format!("\u{1B}[32m[{}] \u{1B}[0m{text}\u{1B}[0m\n", clock(at))),
    ("short", |at, text| format!("Mar 04 18:20:{:02} {HOST} kernel: {text}\n", at % 60)),
    ("iso", |at, text| {
        format!(
            "2026-03-04T18:20:{:02}.318225+01:00 {HOST} kernel: [{}] {text}\n",
            at % 60,
            clock(at)
        )
    }),
    ("monotonic", |at, text| format!("[{}] {HOST} kernel: {text}\n", clock(at))),
    ("rfc5424", |at, text| {
        format!("<6>1 2026-03-04T18:20:{:02}+01:00 {HOST} kernel - - - {text}\n", at % 60)
    }),
    ("json", |at, text| {
        format!(
            "{{\"_HOSTNAME\":\"{HOST}\",\"_BOOT_ID\":\"{ID}\",\"__MONOTONIC_TIMESTAMP\":\"{at}\",\"MESSAGE\":{},\"_TRANSPORT\":\"kernel\"}}\n",
            json(text)
        )
    }),
    ("json bytes", |at, text| {
        format!(
            "{{\"__CURSOR\":\"s={ID};i={at:x};b={ID};m=0\",\"MESSAGE\":[27,{}],\"_TRANSPORT\":\"kernel\"}}\n",
            array(text)
        )
    }),
    ("json-pretty", |at, text| {
        let bytes: Vec<String> = text.bytes().map(|byte| format!("\t\t{byte}")).collect();
        let message =
            if at % 2 == 0 { json(text) } else { format!("[\n{}\n\t]", bytes.join(",\n")) };
        format!(
            "{{\n\t\"_HOSTNAME\" : \"{HOST}\",\n\t\"MESSAGE\" : {message},\n\t\"_TRANSPORT\" : \"kernel\"\n}}\n"
        )
    }),
    ("json-seq", |_, text| {
        format!("\u{1E}{{\"_HOSTNAME\":\"{HOST}\",\"MESSAGE\":{}}}\n", json(text))
    }),
    ("json-sse", |_, text| {
        format!("data: {{\"_HOSTNAME\":\"{HOST}\",\"MESSAGE\":{}}}\n\n", json(text))
    }),
    ("dmesg -J", |at, text| {
        format!(
            "      }},{{\n         \"pri\": 6,\n         \"time\": {},\n         \"msg\": {}\n",
            clock(at),
            json(text)
        )
    }),
    ("docker", |at, text| {
        format!(
            "{{\"log\":{},\"stream\":\"stdout\",\"time\":\"t\"}}\n",
            json(&format!("<6>[{}] {text}\n", clock(at))).replace('<', "\\u003c")
        )
    }),
];

fn written(form: fn(usize, &str) -> String, lines: &[String]) -> Vec<u8> {
    lines.iter().enumerate().map(|(at, line)| form(at, line)).collect::<String>().into_bytes()
}

fn count_lines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

#[test]
fn nothing_planted_is_left_in_any_format() {
    let Planted { mut values, lines } = planted(COUNT);
    values.extend([HOST.to_owned(), ID.to_owned()]);
    let search = forms(&values);
    // All values in one format, and fewer of them in each of the others, which share all but the envelope.
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

/// The journal's export form gives the length of what is no plain text.
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

/// A line of two megabytes is looked at in parts, and none of its values is cut.
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
    std::fs::write(
        path("a.log"),
        "Mar 04 18:20:10 velomira kernel: x\ncannot open /home/zamoluka/x.txt\n",
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

/// The lines of the fixture, again and again with other numbers.
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

/// Other digits in the hexadecimal numbers, and other numbers behind a sign of equality or in brackets.
fn varied(line: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let mut number = false;
    let mut before = ' ';
    // What kernels print of everybody's.
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

/// What is replaced in the samples of all messages, and why that is right.
const REPLACED: [(&str, &str); 4] = [
    // A machine's id.
    ("Runtime Journal (/run/log/journal/0123456789abcdef0123456789abcdef)", "<machine-1>"),
    ("System Journal (/var/log/journal/0123456789abcdef0123456789abcdef)", "<machine-1>"),
    ("Time spent on flushing to /var/log/journal/0123456789abcdef0123456789abcdef", "<machine-1>"),
    // The prompt of somebody's shell.
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

/// What must be the same of a log and of what is redacted of it.
fn told(log: &[u8]) -> String {
    let output = Run::new(["--format", "json", "--events"]).input(log).output();
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
    // Of each signature one log: the others differ in what the driver says.
    let signatures = Fixture::all("signatures");
    let mut ids = std::collections::BTreeSet::new();
    logs.extend(
        signatures
            .into_iter()
            .filter(|fixture| fixture.is_hit() && ids.insert(fixture.id().to_owned())),
    );
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
        let (before, after) = (told(&fixture.log), told(output.stdout.as_bytes()));
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
        stream::learn(&mut redactor, text.as_bytes()).unwrap();
        let mut once = Vec::new();
        stream::redact(&mut redactor, text.as_bytes(), &mut once).unwrap();
        prop_assert_eq!(count_lines(&once), count_lines(text.as_bytes()));
        let mut twice = Vec::new();
        stream::redact(&mut redactor, once.as_slice(), &mut twice).unwrap();
        prop_assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice));
        let mut left = 0;
        stream::leftovers(&redactor, once.as_slice(), &mut |_| left += 1).unwrap();
        prop_assert_eq!(left, 0);
    }
}
