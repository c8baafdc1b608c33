//! Private values that are recognised by their shape: addresses and ids.
//!
//! Register dumps, PCI addresses, times and versions look similar, so each shape is as narrow as possible: nothing
//! here matches `0000:03:00.0`, `0a 0b 0c`, `12:34:56`, `1:0:0:0` or `0x…`.

mod email;
mod ipv4;
mod spelled;

use std::net::Ipv6Addr;
use std::ops::Range;

use self::email::email;
use self::ipv4::{ipv4, tells};
pub(super) use self::spelled::Domains;
use super::outline::Outline;
use super::stamp::Stamps;
use crate::value::PrivateKind;

/// Calls `found` with each value in a text, outside of its times.
pub(super) fn find(
    text: &[u8],
    outline: &Outline,
    stamps: &Stamps,
    domains: &Domains,
    found: &mut dyn FnMut(PrivateKind, Range<usize>),
) {
    // Where the last value ends.
    let mut end = 0;
    outline.values().for_each(|at| match text[at] {
        _ if at < end || stamps.contain(at) => {}
        // A value is no part of another one.
        b'@' | b'.' if at == end => {}
        b'@' => {
            if let Some(range) = email(text, at) {
                end = range.end;
                found(PrivateKind::Email, range);
            }
        }
        b'.' => {
            if let Some(range) = spelled::domain(text, at, domains) {
                found(PrivateKind::Domain, range);
            }
        }
        _ => {
            if let Some((kind, length)) = at_word(text, at) {
                end = at + length;
                found(kind, at..end);
            }
        }
    });
}

/// The value at the beginning of a word: its kind and length.
fn at_word(text: &[u8], at: usize) -> Option<(PrivateKind, usize)> {
    let rest = text.get(at..)?;
    let mark = |index: usize| rest.get(index).copied().unwrap_or(b' ');
    let paired = matches!(mark(2), b':' | b'-') && mark(1).is_ascii_hexdigit();
    let dotted = [1, 2, 3].into_iter().any(|index| mark(index) == b'.');
    let grouped = mark(4) == b':' && matches!(mark(0), b'2' | b'3' | b'f' | b'F');
    // One or two bytes exclude most words.
    let mac = || paired.then(|| mac(text, at, mark(2))).flatten();
    let uuid = || (mark(8) == b'-').then(|| uuid(rest)).flatten();
    let ipv6 = || grouped.then(|| ipv6(text, at)).flatten();
    let ipv4 = || dotted.then(|| ipv4(text, at)).flatten();
    let of = |kind| move |length| (kind, length);
    mac()
        .map(of(PrivateKind::Mac))
        .or_else(|| uuid().map(of(PrivateKind::Uuid)))
        .or_else(|| ipv6().map(of(PrivateKind::Ipv6)))
        .or_else(|| ipv4().map(of(PrivateKind::Ipv4)))
        .or_else(|| spelled::at_word(text, at))
}

pub(super) const fn is_word(byte: u8) -> bool {
    WORD[byte as usize]
}

/// For each byte whether it belongs to words.
const WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        word[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    word
};

/// Whether a value of this length ends there, and no separator with more digits follows.
fn ends(rest: &[u8], length: usize, separator: u8) -> bool {
    match rest.get(length) {
        Some(&byte) if byte == separator => {
            !rest.get(length + 1).is_some_and(|&byte| is_word(byte))
        }
        Some(&byte) => !is_word(byte),
        None => true,
    }
}

/// `00:11:22:aa:bb:cc`, or the eight pairs with `ff:fe` in the middle that IPv6 and Zigbee derive from it.
fn mac(text: &[u8], at: usize, separator: u8) -> Option<usize> {
    let rest = text.get(at..)?;
    // It is the end of a longer row of pairs.
    if let Some([pair @ .., last]) = text.get(at.saturating_sub(3)..at)
        && *last == separator
        && pair.len() == 2
        && pair.iter().all(u8::is_ascii_hexdigit)
    {
        return None;
    }
    let mut pairs = 0;
    while pairs < 8 {
        let start = pairs * 3;
        match rest.get(start..start + 2) {
            Some(pair) if pair.iter().all(u8::is_ascii_hexdigit) => pairs += 1,
            _ => break,
        }
        if rest.get(start + 2) != Some(&separator) {
            break;
        }
    }
    let length = match pairs {
        6 => 17,
        8 if rest.get(9..14)?.eq_ignore_ascii_case(&[b'f', b'f', separator, b'f', b'e']) => 23,
        _ => return None,
    };
    if !ends(rest, length, separator) {
        return None;
    }
    let digits: Vec<u8> = rest.get(..length)?.to_ascii_lowercase();
    (!is_common_mac(&digits)).then_some(length)
}

/// The zero address, broadcast, and multicast groups of bridges and IPv4, which every network has.
fn is_common_mac(digits: &[u8]) -> bool {
    let same =
        |digit| digits.iter().filter(|byte| byte.is_ascii_hexdigit()).all(|&byte| byte == digit);
    same(b'0')
        || same(b'f')
        || [b"01:80:c2", b"01:00:5e", b"01-80-c2", b"01-00-5e"]
            .iter()
            .any(|group| digits.starts_with(*group))
}

/// `123e4567-e89b-12d3-a456-426614174000`.
fn uuid(rest: &[u8]) -> Option<usize> {
    let id = rest.get(..36)?;
    let fits = |(at, &byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    let whole = id.iter().enumerate().all(fits) && rest.get(36).is_none_or(|&byte| !is_word(byte));
    // The nil id.
    (whole && id.iter().any(|byte| !matches!(byte, b'0' | b'-'))).then_some(36)
}

/// A global, local or link-local address whose first group has four digits.
fn ipv6(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if at > 0
        && text.get(at - 1) == Some(&b':')
        && text.get(at.wrapping_sub(2)).is_some_and(|&byte| is_word(byte))
    {
        return None;
    }
    let first = u16::from_str_radix(std::str::from_utf8(rest.get(..4)?).ok()?, 16).ok()?;
    if !matches!(first, 0x2000..=0x3FFF | 0xFC00..=0xFDFF | 0xFE80..=0xFEBF) {
        return None;
    }
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    let run = rest.iter().take(46).position(|byte| !is_part(byte)).unwrap_or(rest.len().min(46));
    let run = rest.get(..run)?;
    if rest.get(run.len()).is_some_and(|&byte| is_word(byte)) {
        return None;
    }
    let run = std::str::from_utf8(run).ok()?;
    // A period or colon of the sentence may follow.
    let whole = run.trim_end_matches('.');
    let whole = if whole.ends_with("::") { whole } else { whole.trim_end_matches(':') };
    if whole.len() == 4
        || whole.strip_suffix("::").is_some_and(|head| head.len() == 4 && first != 0xFE80)
    {
        return None;
    }
    whole.parse::<Ipv6Addr>().is_ok().then_some(whole.len())
}

/// A list of words, separated by blanks.
struct Words(&'static str);

impl Words {
    fn has(&self, word: &str) -> bool {
        self.0.split(' ').any(|known| known == word)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pattern::source::SourceFile;

    fn all(line: &str) -> Vec<(&'static str, String)> {
        let mut list = Vec::new();
        let domains = Domains::new(&crate::builtin::patterns().privacy.domains);
        let outline = Outline::of(line.as_bytes(), 0);
        find(line.as_bytes(), &outline, &Stamps::default(), &domains, &mut |kind, range| {
            list.push((kind.name(), line[range].to_owned()));
        });
        list
    }

    #[test]
    fn addresses_and_ids_are_found() {
        for (line, kind, value) in [
            ("link/ether 0a:1b:2c:3d:4e:5f brd", "mac", "0a:1b:2c:3d:4e:5f"),
            ("HWaddr:0A-1B-2C-3D-4E-5F.", "mac", "0A-1B-2C-3D-4E-5F"),
            ("eui 02:1b:2c:ff:fe:3d:4e:5f", "mac", "02:1b:2c:ff:fe:3d:4e:5f"),
            (
                "luks-1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9: x",
                "uuid",
                "1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9",
            ),
            ("SRC=fe80::1a2b:3cff:fe4d:5e6f%eth0", "ipv6", "fe80::1a2b:3cff:fe4d:5e6f"),
            (
                "SRC=2001:0db8:0000:0000:0000:0000:0000:0001 ",
                "ipv6",
                "2001:0db8:0000:0000:0000:0000:0000:0001",
            ),
            ("to [2001:db8::5]:443.", "ipv6", "2001:db8::5"),
            ("address fd12:3456:789a::1.", "ipv6", "fd12:3456:789a::1"),
            ("from 93.184.216.34 port 22", "ipv4", "93.184.216.34"),
            ("from 5.9.12.77 port 22", "ipv4", "5.9.12.77"),
            ("http://5.9.12.7/x", "ipv4", "5.9.12.7"),
            ("router 192.168.1.1.", "ipv4", "192.168.1.1"),
            ("::ffff:192.168.7.9", "ipv4", "192.168.7.9"),
            ("10.0.0.5:2049", "ipv4", "10.0.0.5"),
            ("<john.doe+x@mail.example.org>", "email", "john.doe+x@mail.example.org"),
            ("hw 6e.31.76.81.3e.02", "mac", "6e.31.76.81.3e.02"),
            ("port 8a68.ef78.6e4d up", "mac", "8a68.ef78.6e4d"),
            ("ip-203-0-113-242.x", "ipv4", "203-0-113-242"),
            (
                "2001-db8-b9bb-cc93-70d7-1549-8acd-947a.",
                "ipv6",
                "2001-db8-b9bb-cc93-70d7-1549-8acd-947a",
            ),
            ("bee500fe:7ee5fc32:4bdb2e11:42a21c40", "uuid", "bee500fe:7ee5fc32:4bdb2e11:42a21c40"),
            ("id c7d9cf07255bc509cb3acac23db7c6e9 ", "uuid", "c7d9cf07255bc509cb3acac23db7c6e9"),
            (
                "pod-565463e3_621d_478e_ad41_415e97a498a6.slice",
                "uuid",
                "565463e3_621d_478e_ad41_415e97a498a6",
            ),
            ("ntp.velda.example, x", "domain", "ntp.velda.example"),
            ("at files.velda.de.", "domain", "files.velda.de"),
        ] {
            assert_eq!(all(line), [(kind, value.to_owned())], "{line}");
        }
    }

    #[test]
    fn who_has_another_ending_adds_it() {
        let text = "[[domain]]\nendings = ['acme']\nwhy = 'ours'\n".to_owned();
        let file = SourceFile { path: "patterns/redaction/a.toml".into(), text };
        let patterns = crate::builtin::patterns().extended(&[file]).unwrap();
        for (patterns, count) in [(crate::builtin::patterns(), 0), (patterns, 1)] {
            let domains = Domains::new(&patterns.privacy.domains);
            let mut found = 0;
            let text = b"mounted nas.velda.acme";
            let (outline, stamps) = (Outline::of(text, 0), Stamps::default());
            find(text, &outline, &stamps, &domains, &mut |_, _| found += 1);
            assert_eq!(found, count);
        }
    }

    #[test]
    fn what_only_looks_so_is_left_alone() {
        for line in [
            "amdgpu 0000:03:00.0: amdgpu: [drm] 0a 0b 0c 0d 0e 0f",
            "pci 0000:00:01.1: [1022:14db] type 01 class 0x060400",
            "at 12:34:56 and 12:34:56:78:9a",
            "00:00:00:00:00:00 ff:ff:ff:ff:ff:ff 01:00:5e:00:00:fb",
            "00:ff:ff:ff:ff:ff:ff:00",
            "sd 1:0:0:0: [sda]",
            "usb 1-2.3: x",
            "version 3.57.0.0, v1.2.3.4, fw 20.1.2.3, DMCUB fw_version=8.0.79.0",
            "firmware version: 5.14.2.11 3.57.0.0",
            "ffffffffc0a1b2c3:dead::beef std::vector a::b ::1",
            "inet 127.0.0.1 0.0.0.0 255.255.255.0 224.0.0.251",
            "user@1000.service session@2.scope a@b john@tower",
            "1.2.3.4.5 10.0.22621.2506",
            "00000000-0000-0000-0000-000000000000",
            "2024:11:22 2026:01:02 ",
            "3f00:12:",
            "amdgpu.dpm=1 kern.info org.gnome.net libm.so.6 1.2.org i2c.com= /usr/share/x.org/y",
            "2024-11-22 10-20-30-40 1234.5678.9012 10.20.30.40.50.60 00000000:00000000",
            "0123456789abcdef0123456789abcdef01234567",
            "00000000000000000000000000000000 11111111111111111111111111111111",
        ] {
            assert_eq!(all(line), [], "{line}");
        }
    }

    /// Tries each position.
    fn plain(text: &[u8], domains: &Domains) -> Vec<(PrivateKind, Range<usize>)> {
        let (mut list, mut at, mut before) = (Vec::new(), 0, b' ');
        while let Some(&byte) = text.get(at) {
            let joined = is_word(before);
            let value = match byte {
                b'@' if joined => email(text, at).map(|range| (PrivateKind::Email, range)),
                b'.' if joined => {
                    spelled::domain(text, at, domains).map(|range| (PrivateKind::Domain, range))
                }
                _ if is_word(byte) && !joined => {
                    at_word(text, at).map(|(kind, length)| (kind, at..at + length))
                }
                _ => None,
            };
            (before, at) = (byte, at + 1);
            if let Some((kind, range)) = value {
                if kind != PrivateKind::Domain {
                    (before, at) = (b' ', range.end);
                }
                list.push((kind, range));
            }
        }
        list
    }

    const PIECES: [&str; 22] = [
        "0a:1b:2c:3d:4e:5f",
        "0a-1b-2c-3d-4e-5f",
        "1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9",
        "fe80::1a2b:3cff:fe4d:5e6f",
        "10.0.0.5",
        "93.184.216.34",
        "john.doe@mail.example.org",
        "files.velda.de",
        "8a68.ef78.6e4d",
        "ip-203-0-113-242",
        "bee500fe:7ee5fc32:4bdb2e11:42a21c40",
        "c7d9cf07255bc509cb3acac23db7c6e9",
        "2001-db8-b9bb-cc93-70d7-1549-8acd-947a",
        "565463e3_621d_478e_ad41_415e97a498a6",
        " ",
        "_",
        ".",
        "@",
        ":",
        "a",
        "é",
        "version ",
    ];

    #[test]
    fn what_is_found_byte_by_byte_is_found() {
        let domains = Domains::new(&crate::builtin::patterns().privacy.domains);
        let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..12);
        proptest!(|(noise in "[0-9a-f:._@-]{0,20}", pieces in pieces)| {
            let text = noise + &pieces.concat();
            let mut list = Vec::new();
            let outline = Outline::of(text.as_bytes(), 0);
            find(text.as_bytes(), &outline, &Stamps::default(), &domains, &mut |kind, range| {
                list.push((kind, range));
            });
            prop_assert_eq!(list, plain(text.as_bytes(), &domains));
        });
    }
}
