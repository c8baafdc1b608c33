//! IPv4 addresses, which look like versions.

use std::net::Ipv4Addr;

use super::{Words, is_word};

/// Length of the text before four numbers in which words tell what they are.
const CONTEXT: usize = 24;

/// Four numbers that are an address and not a version.
pub(super) fn ipv4(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let before = |back: usize| at.checked_sub(back).and_then(|at| text.get(at)).copied();
    // After `...` an address may follow: programs write ranges and routes so.
    if matches!(before(1), Some(b'.' | b'-' | b'+')) && before(2) != Some(b'.') {
        return None;
    }
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let run = rest.iter().take(17).position(|byte| !is_part(byte)).unwrap_or(rest.len().min(17));
    let run = rest.get(..run)?;
    let whole = run.strip_suffix(b".").unwrap_or(run);
    let text_of = std::str::from_utf8(whole).ok()?;
    let address: Ipv4Addr = text_of.parse().ok()?;
    let behind = &rest[whole.len()..];
    let goes_on = match behind {
        [byte, ..] if is_word(*byte) => true,
        [b'-' | b'+' | b'~', byte, ..] => byte.is_ascii_alphabetic(),
        _ => false,
    };
    if goes_on || !tells(address) {
        return None;
    }
    let head = text.get(at.saturating_sub(CONTEXT)..at)?;
    is_address(head, behind, address).then_some(whole.len())
}

/// Whether an address identifies anybody: loopback, masks, multicast and reserved ones do not.
pub(super) fn tells(address: Ipv4Addr) -> bool {
    let first = address.octets()[0];
    first != 0 && first != 127 && first < 224
}

/// Words before versions, and words before addresses.
const VERSION: Words =
    Words("version ver v fw firmware rev revision release driver bios api nvm build api-version");
const ADDRESS: Words = Words(
    "src dst inet addr address ip server gateway router dns nameserver peer client remote \
     nfs laddr faddr rhost lease mask broadcast route offer bound host via",
);
/// Words before either of them.
const PLACE: Words = Words("from to at of");

/// Whether four numbers are an address, by the words around them. Without such words, addresses of private networks
/// and with large numbers are.
fn is_address(head: &[u8], behind: &[u8], address: Ipv4Addr) -> bool {
    let head = head.to_ascii_lowercase();
    let head = String::from_utf8_lossy(&head);
    let mut words = head
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty());
    let last = words.next().unwrap_or("");
    let glued = head.ends_with(['=', '@', '/', '(', '[', '"', '\'']) && !head.ends_with("v(");
    if VERSION.has(last) || (last.starts_with("fw") || last.ends_with("version")) {
        return false;
    }
    let port = matches!(behind, [b':' | b'/', digit, ..] if digit.is_ascii_digit());
    if port || ADDRESS.has(last) || head.ends_with("://") {
        return true;
    }
    if !glued && words.any(|word| VERSION.has(word)) {
        return false;
    }
    PLACE.has(last)
        || address.is_private()
        || address.is_link_local()
        || matches!(address.octets(), [100, 64..=127, ..])
        || address.octets().iter().any(|&part| part >= 100)
}
