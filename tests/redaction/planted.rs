//! Generated private values in logs of all formats, and the forms in which they must not be found.

use aho_corasick::AhoCorasick;
use amdtriage::redact::Kind;

/// Reproducible random numbers.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    pub(super) fn digits(&mut self, count: usize, from: &str) -> String {
        let from: Vec<char> = from.chars().collect();
        (0..count).map(|_| from[self.roll(from.len())]).collect()
    }

    pub(super) fn hex(&mut self, count: usize) -> String {
        self.digits(count, "0123456789abcdef")
    }

    /// A unique name.
    pub(super) fn name(&mut self) -> String {
        const PARTS: [&str; 20] = [
            "za", "ve", "ri", "mo", "lu", "ka", "te", "ni", "sho", "gu", "pra", "xi", "qua", "bel",
            "dor", "fim", "jus", "hek", "wyn", "yot",
        ];
        (0..4).map(|_| PARTS[self.roll(PARTS.len())]).collect()
    }

    pub(super) fn capital(&mut self) -> String {
        let name = self.name();
        name[..1].to_uppercase() + &name[1..]
    }

    pub(super) fn pairs(&mut self, separator: &str) -> String {
        let first = self.digits(1, "048c");
        let rest: Vec<String> = (0..5).map(|_| self.hex(2)).collect();
        format!("{}{first}{separator}{}", self.digits(1, "123456789"), rest.join(separator))
    }

    pub(super) fn uuid(&mut self) -> String {
        let parts: Vec<String> = [7, 4, 4, 4, 12].map(|count| self.hex(count)).into();
        format!("{}{}", self.digits(1, "123456789"), parts.join("-"))
    }
}

/// A kind of value, its generator, and the lines in which it occurs: `{}` is the value.
pub(super) type Plant = (Kind, fn(&mut Dice) -> String, &'static [&'static str]);

pub(super) const PLANTS: [Plant; 19] = [
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

/// Names of devices and containers; not planted together with the others, because their places
/// would overlap.
pub(super) const MORE: [Plant; 2] = [
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

/// The number of values of each kind.
pub(super) const COUNT: usize = 200;

/// Lines of the driver, which must stay unchanged.
pub(super) const DRIVER: [&str; 4] = [
    "amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=88120, emitted seq=88122",
    "amdgpu 0000:2d:00.0: amdgpu:  Process render pid 3120 thread render:cs0 pid 3127",
    "amdgpu 0000:2d:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031",
    "amdgpu 0000:2d:00.0: amdgpu: smu fw version = 0x004e8300 (78.131.0)",
];

pub(super) struct Planted {
    pub(super) values: Vec<String>,
    pub(super) lines: Vec<String>,
}

/// Each value once in its place, and once encoded in a place that does not identify it.
pub(super) fn planted(count: usize) -> Planted {
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

pub(super) fn each(value: &str, one: impl Fn(u8) -> String) -> String {
    value.bytes().map(one).collect()
}

pub(super) fn hex(value: &str) -> String {
    each(value, |byte| format!("{byte:02x}"))
}

pub(super) fn array(value: &str) -> String {
    value.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",")
}

/// Encodings of a value, each of which can be decoded.
pub(super) fn encoded(way: usize, value: &str) -> String {
    match way % 6 {
        0 => value.to_owned(),
        1 => each(value, |byte| format!("%{byte:02X}")),
        2 => hex(value),
        3 => each(value, |byte| format!("\\x{byte:02x}")),
        4 => each(value, |byte| format!("&#{byte};")),
        _ => format!("[{}]", array(value)),
    }
}

/// All forms that must not be found, ignoring case.
pub(super) fn forms(values: &[String]) -> AhoCorasick {
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
pub(super) fn assert_gone(format: &str, search: &AhoCorasick, out: &[u8]) {
    let text = String::from_utf8_lossy(out);
    let line = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        text[start..].lines().next().unwrap_or_default().to_owned()
    };
    let left: Vec<String> =
        search.find_iter(text.as_bytes()).take(20).map(|hit| line(hit.start())).collect();
    assert!(left.is_empty(), "{format}: {}", left.join("\n"));
}

pub(super) fn json(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

pub(super) fn clock(index: usize) -> String {
    format!("{:5}.{:06}", index / 1000, index % 1000 * 1000)
}

pub(super) const HOST: &str = "velomira";
pub(super) const ID: &str = "5a6f1c3b9d2e4807a1b4c7d8e9f00112";

/// The formats of a record, with names.
pub(super) type Form = (&'static str, fn(usize, &str) -> String);

pub(super) const FORMS: [Form; 15] = [
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

pub(super) fn written(form: fn(usize, &str) -> String, lines: &[String]) -> Vec<u8> {
    lines.iter().enumerate().map(|(at, line)| form(at, line)).collect::<String>().into_bytes()
}

pub(super) fn count_lines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}
