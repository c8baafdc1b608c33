//! The private values that are known, with their tokens.

use std::collections::{BTreeSet, HashMap};

use crate::value::{PrivateKind, Token};

/// How many values of a kind have tokens of their own. What a log names beyond that shares one: `<mac-more>`.
pub(super) const LIMIT: usize = 10_000;
/// How many tokens that texts had already are remembered.
const TAKEN: usize = 100_000;
/// How long a value may be that is looked for everywhere.
pub(super) const LONGEST: usize = 128;
/// How many bytes of names are looked for everywhere: what looks for them takes some hundred times as much.
pub(super) const TEXT_LIMIT: usize = 256 << 10;

/// A private value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) kind: PrivateKind,
    pub(super) text: String,
    /// Whether it is looked for everywhere, and not only where its kind stands.
    pub(super) everywhere: bool,
    /// The number in its token, 0 before it has one.
    number: u32,
    /// How often its token was written.
    pub(super) replaced: u64,
}

impl Value {
    /// What stands for it; nothing does before [`Values::number`].
    pub(super) fn token(&self) -> Token {
        Token { kind: self.kind, number: self.number }
    }
}

/// For each byte whether it stands in a value.
#[derive(Clone, Debug)]
struct Letters([bool; 256]);

impl Default for Letters {
    fn default() -> Self {
        Self([false; 256])
    }
}

/// All of them, in the order in which they were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    all: Vec<Value>,
    places: HashMap<(PrivateKind, String), usize>,
    /// Ids that are known under one of the kinds that look alike.
    ids: HashMap<String, usize>,
    /// Tokens that a text had already.
    taken: BTreeSet<Token>,
    /// How many have a number.
    numbered: usize,
    last: HashMap<PrivateKind, u32>,
    /// Those that are names of users.
    users: Vec<usize>,
    letters: Letters,
    /// How many there are of a kind.
    count: HashMap<PrivateKind, usize>,
    /// How long all those are together that are looked for everywhere.
    length: usize,
    /// Whether some are found only where they stand by their place or shape.
    full: bool,
    /// How often values were replaced that have no token of their own.
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

    /// Which bytes stand in any of them.
    pub(super) fn letters(&self) -> &[bool; 256] {
        &self.letters.0
    }

    /// Whether there was no room to look for a name everywhere.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Notes a token that a text has already, so that none like it is given to anything else.
    pub(super) fn take(&mut self, token: Token) {
        if self.taken.len() < TAKEN {
            self.taken.insert(token);
        }
    }

    /// Notes a value; where it stands, and whether it is looked for everywhere now and was not before.
    pub(super) fn add(
        &mut self,
        kind: PrivateKind,
        text: &str,
        everywhere: bool,
    ) -> (Option<usize>, bool) {
        let length = if is_shaped(kind) { 0 } else { text.len() };
        let fits = self.length + length <= TEXT_LIMIT;
        self.full |= everywhere && !fits;
        let everywhere = everywhere && fits;
        let key = (kind, canonical(kind, text));
        let known = is_id(kind).then(|| self.ids.get(&key.1)).flatten();
        let known = known.or_else(|| self.places.get(&key)).copied();
        if let Some(known) = known {
            let value = &mut self.all[known];
            let new = everywhere && !value.everywhere;
            self.length += if new { length } else { 0 };
            value.everywhere |= everywhere;
            return (Some(known), new);
        }
        let count = self.count.entry(kind).or_default();
        if *count >= LIMIT {
            // A name is found nowhere but where it stands, and so are four numbers; else an address wherever it is.
            self.full |= everywhere && (!is_shaped(kind) || kind == PrivateKind::Ipv4);
            return (None, false);
        }
        *count += 1;
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

    /// Gives all values numbers that have none yet.
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
        self.count.contains_key(&kind)
    }

    /// Where the hardware address stands that these digits are, if it is known.
    pub(super) fn address(&self, digits: &str) -> Option<usize> {
        self.places.get(&(PrivateKind::Mac, digits.to_ascii_lowercase())).copied()
    }

    /// Where an IPv4 address stands, if it is known.
    pub(super) fn ipv4(&self, address: &str) -> Option<usize> {
        self.places.get(&(PrivateKind::Ipv4, address.to_owned())).copied()
    }

    /// Writes down that a value is replaced; its token. Those without a place share one of their `kind`.
    pub(super) fn replace(&mut self, kind: PrivateKind, place: Option<usize>) -> Token {
        let Some(place) = place else {
            *self.nameless.entry(kind).or_default() += 1;
            return Token { kind, number: 0 };
        };
        let value = &mut self.all[place];
        value.replaced += 1;
        value.token()
    }

    /// Those that were replaced.
    pub(super) fn replaced(&self) -> impl Iterator<Item = &Value> {
        self.all.iter().filter(|value| value.replaced > 0)
    }
}

/// Whether values of a kind are told by their shape wherever they stand, so that those of which there are many
/// need not be looked for.
pub(super) const fn is_shaped(kind: PrivateKind) -> bool {
    use PrivateKind::{Boot, Email, Ipv4, Ipv6, Mac, Machine, Uuid};
    matches!(kind, Mac | Ipv4 | Ipv6 | Email | Uuid | Machine | Boot)
}

/// Whether values of a kind are the same thing where only the words before them differ.
const fn is_id(kind: PrivateKind) -> bool {
    use PrivateKind::{Boot, Disk, Machine, Serial, Usb, Uuid};
    matches!(kind, Uuid | Machine | Boot | Disk | Serial | Usb)
}

/// A value as all spellings of it are written.
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

/// How else a value is written that is known.
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

/// The end of the IPv6 addresses that a network card with this address gives itself (RFC 4291, appendix A).
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
