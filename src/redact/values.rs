//! The private values that are known, with their tokens.

use std::collections::{BTreeSet, HashMap};

use super::recent::Recent;
use crate::value::{PrivateKind, Token};

/// Maximum number of values of a kind with tokens of their own. Further values share one:
/// `<mac-more>`.
pub(super) const LIMIT: usize = 10_000;
/// Maximum length of a value with a token of its own, in bytes.
pub(super) const LONGEST_OWN: usize = 4 << 10;
/// Maximum total length of the values with tokens of their own, in bytes.
const OWN_LIMIT: usize = 4 << 20;
/// Maximum number of tokens to remember from texts that were redacted before.
const TAKEN: usize = 100_000;
/// Maximum length of a value that is searched for in all text.
pub(super) const LONGEST: usize = 128;
/// Maximum total length of the names that are searched for in all text: the search takes about a
/// hundred times as much memory.
pub(super) const TEXT_LIMIT: usize = 256 << 10;

/// A private value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) kind: PrivateKind,
    pub(super) text: String,
    /// Whether it is searched for in all text, and not only where rules and shapes identify it.
    pub(super) everywhere: bool,
    /// The number in its token; 0 means none yet.
    number: u32,
    /// Number of replacements.
    pub(super) replaced: u64,
}

impl Value {
    /// Its token; not valid before [`Values::number`].
    pub(super) fn token(&self) -> Token {
        Token { kind: self.kind, number: self.number }
    }
}

/// For each byte whether it occurs in a value.
#[derive(Clone, Debug)]
struct Letters([bool; 256]);

impl Default for Letters {
    fn default() -> Self {
        Self([false; 256])
    }
}

/// All values, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Values {
    all: Vec<Value>,
    places: HashMap<(PrivateKind, String), usize>,
    /// Where the last values are.
    recent: Recent<usize>,
    /// Positions of ids, whichever of the kinds that look alike they have.
    ids: HashMap<String, usize>,
    /// Tokens that texts had before.
    taken: BTreeSet<Token>,
    /// Number of values with a token.
    numbered: usize,
    last: HashMap<PrivateKind, u32>,
    /// Positions of the names of users.
    users: Vec<usize>,
    letters: Letters,
    /// Number of values of each kind.
    count: [usize; PrivateKind::ALL.len()],
    /// Total length of the names that are searched for in all text.
    length: usize,
    /// Total length of all values.
    size: usize,
    /// Whether some are found only where rules or shapes identify them.
    full: bool,
    /// Number of replacements by a shared token.
    pub(super) nameless: HashMap<PrivateKind, u64>,
}

impl Values {
    pub(super) fn all(&self) -> &[Value] {
        &self.all
    }

    /// The names of users.
    pub(super) fn users(&self) -> impl Iterator<Item = &Value> {
        self.users.iter().map(|&place| &self.all[place])
    }

    /// For each byte whether it occurs in a value.
    pub(super) fn letters(&self) -> &[bool; 256] {
        &self.letters.0
    }

    /// Whether there was no room to search for a name in all text.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Reserves a token that a text has already.
    pub(super) fn take(&mut self, token: Token) {
        if self.taken.len() < TAKEN {
            self.taken.insert(token);
        }
    }

    /// Adds a value. Returns its position, if there was room for it, and whether it has to be added
    /// to the search in all text.
    pub(super) fn add(
        &mut self,
        kind: PrivateKind,
        text: &str,
        everywhere: bool,
    ) -> (Option<usize>, bool) {
        let known = self.recent.get(kind, text);
        if let Some(known) = known.filter(|&known| !everywhere || self.all[known].everywhere) {
            return (Some(known), false);
        }
        let length = if is_shaped(kind) { 0 } else { text.len() };
        let fits = self.length + length <= TEXT_LIMIT;
        let key = (kind, canonical(kind, text));
        let known = is_id(kind).then(|| self.ids.get(&key.1)).flatten();
        let known = known.or_else(|| self.places.get(&key)).copied();
        if let Some(known) = known {
            self.recent.put(kind, text, known);
            let value = &mut self.all[known];
            let wanted = everywhere && !value.everywhere;
            self.full |= wanted && !fits;
            let new = wanted && fits;
            self.length += if new { length } else { 0 };
            value.everywhere |= new;
            return (Some(known), new);
        }
        self.full |= everywhere && !fits;
        let everywhere = everywhere && fits;
        let count = &mut self.count[kind as usize];
        if *count >= LIMIT || text.len() > LONGEST_OWN || self.size + text.len() > OWN_LIMIT {
            // Shapes are recognised in all text, except four numbers, which may be a version.
            self.full |= everywhere && (!is_shaped(kind) || kind == PrivateKind::Ipv4);
            return (None, false);
        }
        *count += 1;
        self.size += text.len();
        text.bytes().for_each(|byte| self.letters.0[usize::from(byte)] = true);
        let place = self.all.len();
        self.length += if everywhere { length } else { 0 };
        self.all.push(Value { kind, text: text.to_owned(), everywhere, number: 0, replaced: 0 });
        if is_id(kind) {
            self.ids.insert(key.1.clone(), place);
        }
        if kind == PrivateKind::User {
            self.users.push(place);
        }
        self.places.insert(key, place);
        (Some(place), everywhere)
    }

    /// Numbers all values that have no token yet.
    pub(super) fn number(&mut self) {
        for value in self.all.iter_mut().skip(self.numbered) {
            let last = self.last.entry(value.kind).or_default();
            *last += 1;
            while self.taken.contains(&Token { kind: value.kind, number: *last }) {
                *last += 1;
            }
            value.number = *last;
        }
        self.numbered = self.all.len();
    }

    /// Whether there are values of a kind.
    pub(super) fn has(&self, kind: PrivateKind) -> bool {
        self.count[kind as usize] > 0
    }

    /// The position of a hardware address, if it is known.
    pub(super) fn address(&self, digits: &str) -> Option<usize> {
        self.places.get(&(PrivateKind::Mac, digits.to_ascii_lowercase())).copied()
    }

    /// The position of an IPv4 address, if it is known.
    pub(super) fn ipv4(&self, address: &str) -> Option<usize> {
        self.places.get(&(PrivateKind::Ipv4, address.to_owned())).copied()
    }

    /// Counts a replacement and returns the token. Values without a position share one token of
    /// their `kind`.
    pub(super) fn replace(&mut self, kind: PrivateKind, place: Option<usize>) -> Token {
        let Some(place) = place else {
            *self.nameless.entry(kind).or_default() += 1;
            return Token { kind, number: 0 };
        };
        let value = &mut self.all[place];
        value.replaced += 1;
        value.token()
    }

    /// Values with replacements.
    pub(super) fn replaced(&self) -> impl Iterator<Item = &Value> {
        self.all.iter().filter(|value| value.replaced > 0)
    }
}

/// Whether values of a kind are recognised by their shape in all text, so that many of them need
/// not be searched for.
pub(super) const fn is_shaped(kind: PrivateKind) -> bool {
    use PrivateKind::{Boot, Email, Ipv4, Ipv6, Mac, Machine, Uuid};
    matches!(kind, Mac | Ipv4 | Ipv6 | Email | Uuid | Machine | Boot)
}

/// Whether a value of a kind may be found as another of these kinds: only the words before it
/// differ.
const fn is_id(kind: PrivateKind) -> bool {
    use PrivateKind::{Boot, Disk, Machine, Serial, Usb, Uuid};
    matches!(kind, Uuid | Machine | Boot | Disk | Serial | Usb)
}

/// The form that all spellings of a value have in common.
pub(super) fn canonical(kind: PrivateKind, text: &str) -> String {
    use PrivateKind::{Boot, Domain, Email, Host, Ipv6, Mac, Machine, Uuid};
    match kind {
        Mac => {
            text.chars().filter(char::is_ascii_hexdigit).map(|c| c.to_ascii_lowercase()).collect()
        }
        Uuid | Machine | Boot => {
            text.chars().filter(|&c| c != '-').map(|c| c.to_ascii_lowercase()).collect()
        }
        Ipv6 => {
            text.parse::<std::net::Ipv6Addr>().map_or_else(|_| text.to_owned(), |it| it.to_string())
        }
        Host | Domain | Email => text.to_ascii_lowercase(),
        _ => text.to_owned(),
    }
}

/// The spellings of a value.
pub(super) fn spellings(kind: PrivateKind, text: &str) -> Vec<String> {
    use PrivateKind::{Boot, Mac, Machine, Uuid};
    let mut list = vec![text.to_owned()];
    let digits = canonical(kind, text);
    match kind {
        Mac if digits.len() == 12 => {
            let pairs = [0, 2, 4, 6, 8, 10].map(|at| &digits[at..at + 2]);
            list.extend([":", "-", "_"].map(|separator| pairs.join(separator)));
            list.extend(eui64(&digits));
            list.push(digits);
        }
        Uuid | Machine | Boot if digits.len() == 32 && digits.is_ascii() => {
            let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
            list.push(parts.join("-"));
            list.push(digits);
        }
        _ => {}
    }
    list.sort();
    list.dedup();
    list
}

/// The end of the IPv6 addresses that a network card derives from its hardware address (RFC 4291,
/// appendix A).
fn eui64(digits: &str) -> Option<String> {
    let number = u64::from_str_radix(digits, 16).ok()?;
    let [_, _, maker @ .., device, low, last] = number.to_be_bytes();
    let [first, second, third] = maker;
    let groups = [[first ^ 2, second], [third, 0xFF], [0xFE, device], [low, last]];
    let groups = groups.map(u16::from_be_bytes);
    Some(groups.map(|group| format!("{group:x}")).join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use PrivateKind::{Boot, Host, Mac, Uuid};

    #[test]
    fn one_value_has_one_token() {
        let mut values = Values::default();
        values.take(Token { kind: Mac, number: 1 });
        let (first, _) = values.add(Mac, "0a:1b:2c:3d:4e:5f", true);
        assert_eq!(values.add(Mac, "0A-1B-2C-3D-4E-5F", true), (first, false));
        assert_eq!(values.add(Boot, "1b2c3d4e5f604718829304a5b6c7d8e9", false).0, Some(1));
        assert_eq!(values.add(Uuid, "1b2c3d4e-5f60-4718-8293-04a5b6c7d8e9", true), (Some(1), true));
        values.number();
        let (host, _) = values.add(Host, "Tower", true);
        values.number();
        let mut tokens = |place| values.replace(Host, place).to_string();
        assert_eq!(
            [tokens(first), tokens(Some(1)), tokens(host)],
            ["<mac-2>", "<boot-1>", "<host-1>"]
        );
        assert_eq!(tokens(None), "<host-more>");
    }

    #[test]
    fn addresses_are_known_in_all_spellings() {
        let list = spellings(Mac, "52:54:00:12:34:56");
        assert_eq!(
            list,
            [
                "5054:ff:fe12:3456",
                "52-54-00-12-34-56",
                "525400123456",
                "52:54:00:12:34:56",
                "52_54_00_12_34_56"
            ]
        );
        assert_eq!(spellings(Boot, "1b2c3d4e5f604718829304a5b6c7d8e9").len(), 2);
    }
}
