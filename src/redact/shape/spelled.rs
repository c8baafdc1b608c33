//! Addresses and ids in the spellings of a few programs, and domain names.

use std::collections::HashSet;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::{is_word, tells};
use crate::pattern::privacy::DomainNames;
use crate::value::PrivateKind;

/// The value at the beginning of a word: its kind and length.
pub(super) fn at_word(text: &[u8], at: usize) -> Option<(PrivateKind, usize)> {
    let rest = text.get(at..)?;
    let mark = |index: usize| rest.get(index).copied().unwrap_or(b' ');
    let dotted = mark(4) == b'.' || mark(2) == b'.';
    let groups = mark(4) == b'-' && mark(3).is_ascii_hexdigit();
    let dashed = [1, 2, 3].into_iter().any(|index| mark(index) == b'-');
    let of = |kind| move |length| (kind, length);
    let mac = || dotted.then(|| mac(text, at)).flatten();
    let raid = || (mark(8) == b':').then(|| grouped(rest, b':', &[8; 4])).flatten();
    let ipv6 = || groups.then(|| ipv6(rest)).flatten();
    let ipv4 = || dashed.then(|| ipv4(text, at)).flatten();
    let pod = || (mark(8) == b'_').then(|| grouped(rest, b'_', &[8, 4, 4, 4, 12])).flatten();
    mac()
        .map(of(PrivateKind::Mac))
        .or_else(|| raid().or_else(pod).map(of(PrivateKind::Uuid)))
        .or_else(|| ipv6().map(of(PrivateKind::Ipv6)))
        .or_else(|| ipv4().map(of(PrivateKind::Ipv4)))
        .or_else(|| bare(rest))
}

/// The length of hexadecimal groups of given lengths with a separator between them.
fn grouped(rest: &[u8], separator: u8, groups: &[usize]) -> Option<usize> {
    let mut at = 0;
    for (index, &length) in groups.iter().enumerate() {
        if index > 0 {
            (rest.get(at) == Some(&separator)).then_some(())?;
            at += 1;
        }
        rest.get(at..at + length)?.iter().all(u8::is_ascii_hexdigit).then_some(())?;
        at += length;
    }
    let goes_on = rest.get(at).is_some_and(|&byte| is_word(byte) || byte == separator);
    let some = rest.get(..at)?.iter().any(|byte| byte.is_ascii_hexdigit() && *byte != b'0');
    (some && !goes_on).then_some(at)
}

/// `6e.31.76.81.3e.02` and `8a68.ef78.6e4d`; without letters it may be a version.
fn mac(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let inner = at > 0 && matches!(text.get(at - 1), Some(b'.' | b'-'));
    let length = grouped(rest, b'.', &[4; 3]).or_else(|| grouped(rest, b'.', &[2; 6]))?;
    let letters = rest.get(..length)?.iter().any(u8::is_ascii_alphabetic);
    (letters && !inner).then_some(length)
}

/// `2001-db8-0-0-0-0-0-1`.
fn ipv6(rest: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    let run = rest.iter().take(40).take_while(|byte| is_part(byte)).count();
    let text = std::str::from_utf8(rest.get(..run)?).ok()?;
    let address: Ipv6Addr = text.replace('-', ":").parse().ok()?;
    let first = address.segments()[0];
    let known = matches!(first, 0x2000..=0x3FFF | 0xFC00..=0xFDFF | 0xFE80..=0xFEBF);
    (known && !rest.get(run).is_some_and(|&byte| is_word(byte))).then_some(run)
}

/// `ip-10-0-0-5`: after a word, which dates are not.
fn ipv4(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let head = text.get(at.checked_sub(2)?..at)?;
    let named = head[0].is_ascii_alphabetic() && matches!(head[1], b'-' | b'.');
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    let run = rest.iter().take(16).take_while(|byte| is_part(byte)).count();
    let text = std::str::from_utf8(rest.get(..run)?).ok()?;
    let address: Ipv4Addr = text.replace('-', ".").parse().ok()?;
    let some = address.is_private() || address.octets().iter().any(|&part| part >= 100);
    let goes_on = rest.get(run).is_some_and(|&byte| is_word(byte));
    (named && some && tells(address) && !goes_on).then_some(run)
}

/// Ids without separators: 32 digits of machines, arrays and runs of services, 64 of containers and keys. Hashes of
/// commits have 40, hashed addresses 8 or 16.
fn bare(rest: &[u8]) -> Option<(PrivateKind, usize)> {
    rest.get(31).filter(|byte| byte.is_ascii_hexdigit())?;
    let length = rest.iter().take(65).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let kind = match length {
        32 => PrivateKind::Uuid,
        64 => PrivateKind::Container,
        _ => return None,
    };
    let id = rest.get(..length)?;
    let mixed = id.iter().any(u8::is_ascii_digit) && id.iter().any(u8::is_ascii_alphabetic);
    (mixed && !rest.get(length).is_some_and(|&byte| is_word(byte))).then_some((kind, length))
}

/// What distinguishes domain names from names of files and interfaces.
#[derive(Debug, Default)]
pub(crate) struct Domains {
    endings: HashSet<String>,
    interfaces: HashSet<String>,
}

impl Domains {
    /// As pattern files define it.
    pub(crate) fn new(listed: &[DomainNames]) -> Self {
        Self {
            endings: listed.iter().flat_map(|one| one.endings.iter().cloned()).collect(),
            interfaces: listed.iter().flat_map(|one| one.interfaces.iter().cloned()).collect(),
        }
    }
}

/// The domain name whose last dot is at `at`.
pub(super) fn domain(text: &[u8], at: usize, domains: &Domains) -> Option<Range<usize>> {
    let tail = text.get(at + 1..text.len().min(at + 12))?;
    tail.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let length = tail.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let top = std::str::from_utf8(tail.get(..length)?).ok()?.to_ascii_lowercase();
    let goes_on = match tail.get(length..)? {
        [b'.', next, ..] => is_word(*next),
        [byte, ..] => is_word(*byte) || matches!(byte, b'-' | b'=' | b'('),
        [] => false,
    };
    if goes_on || !domains.endings.contains(&top) {
        return None;
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let head = text.get(at.saturating_sub(128)..at)?;
    let start = at - head.iter().rev().take_while(|byte| is_part(byte)).count();
    let name = std::str::from_utf8(text.get(start..at)?).ok()?;
    let first = name.split('.').next()?;
    let good = name.split('.').all(|label| !label.is_empty() && !label.starts_with('-'))
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && name.len() >= if top.len() == 2 { 4 } else { 2 }
        && !domains.interfaces.contains(first);
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    let path = before == Some(&b'/') && start.checked_sub(2).is_none_or(|at| text[at] != b'/');
    let part = matches!(before, Some(b'@' | b'_' | b'\\' | b'%' | b'~' | b'+'));
    (good && !path && !part).then_some(start..at + 1 + length)
}
