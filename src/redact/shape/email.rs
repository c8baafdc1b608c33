//! Mail addresses.

use std::ops::Range;

use super::Words;

/// The mail address around an `@`. Units of systemd (`user@1000.service`) are none.
pub(super) fn email(text: &[u8], at: usize) -> Option<Range<usize>> {
    let local = |byte: &u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let head = text.get(at.saturating_sub(64)..at)?;
    let start = at - head.iter().rev().take_while(|byte| local(byte)).count();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let tail = text.get(at + 1..text.len().min(at + 255))?;
    let length = tail.iter().take_while(|byte| is_part(byte)).count();
    let domain = std::str::from_utf8(tail.get(..length)?).ok()?.trim_end_matches(['.', '-']);
    let (name, top) = domain.rsplit_once('.')?;
    let word = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    if name.is_empty() || !word || UNITS.has(top) {
        return None;
    }
    let start = start + text.get(start..at)?.iter().take_while(|byte| b".-".contains(byte)).count();
    (start < at).then_some(start..at + 1 + domain.len())
}

/// The endings of systemd units.
const UNITS: Words =
    Words("service socket slice scope mount target timer path device swap automount");
