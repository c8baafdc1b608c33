//! Generators for each kind of placeholder in `private.txt`, and encodings of values.

use std::collections::HashSet;
use std::fmt::Write as _;

use super::planted::{Dice, each, hex};

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Generates unique values.
pub(super) struct Maker {
    dice: Dice,
    made: HashSet<String>,
}

impl Maker {
    pub(super) fn new() -> Self {
        Self { dice: Dice(11), made: HashSet::new() }
    }

    /// A new unique value.
    pub(super) fn make(&mut self, mark: &str) -> String {
        loop {
            let value = value(&mut self.dice, mark);
            if self.made.insert(value.to_ascii_lowercase()) {
                return value;
            }
        }
    }
}

fn value(dice: &mut Dice, mark: &str) -> String {
    named(dice, mark)
        .or_else(|| number(dice, mark))
        .or_else(|| counted(dice, mark))
        .unwrap_or_else(|| panic!("no value is called {mark}"))
}

/// Names, words, and combinations of them.
fn named(dice: &mut Dice, mark: &str) -> Option<String> {
    Some(match mark {
        "name" => dice.name(),
        "Name" => dice.capital(),
        "domain" => format!("{}.example", dice.name()),
        "DOMAIN" => format!("{}.EXAMPLE", dice.name().to_uppercase()),
        "email" => format!("{}@{}.example", dice.name(), dice.name()),
        "ssid" => format!("{} {}", dice.capital(), dice.name()),
        "ssid-hex" => hex(&dice.name()),
        "secret" => format!("{}{}{}", word(dice, 4), decimal(dice, 2), word(dice, 14)),
        "serial" => {
            format!("S{}{}", decimal(dice, 3), dice.digits(8, "0123456789ABCDEFGHKLMNPRSTVWXYZ"))
        }
        "sha256" => word(dice, 43),
        "wg-key" => format!("{}=", word(dice, 43)),
        "caps16" => dice.digits(16, BASE32),
        "lvm-bare" => word(dice, 32),
        "lvm-id" => [6, 4, 4, 4, 4, 4, 6].map(|count| word(dice, count)).join("-"),
        "syncthing" => (0..8).map(|_| dice.digits(7, BASE32)).collect::<Vec<_>>().join("-"),
        "proctitle" => hex(&format!("vi\0/srv/{}", dice.name())).to_uppercase(),
        "edid-text" => {
            bytes(&format!("S{}{}", decimal(dice, 3), dice.digits(7, "ABCDEFGHJKLMN0123")), " ")
        }
        _ => return None,
    })
}

/// Addresses and ids.
fn number(dice: &mut Dice, mark: &str) -> Option<String> {
    Some(match mark {
        "ipv4" => ipv4(dice),
        "ipv4-dash" => ipv4(dice).replace('.', "-"),
        "ipv4-hex" => format!("{}0A", dice.hex(6).to_uppercase()),
        "ipv6" => format!("2001:db8:{}::{}", 100 + dice.roll(9000), 1 + dice.roll(9000)),
        "ipv6-full" => format!("2001:0db8:{}", groups(dice, 6, 4, ":")),
        "ipv6-dash" => format!("2001-db8-{}", groups(dice, 6, 4, "-")),
        "ipv6-hex" => format!("20010db8{}", dice.hex(24)),
        "mac" => local(dice, ":"),
        "mac-dash" => local(dice, "-"),
        "mac-dotted" => local(dice, "."),
        "mac-blanks" => local(dice, " "),
        "mac-under" => local(dice, "_").to_uppercase(),
        "mac-bare" => local(dice, ""),
        "mac-cisco" => {
            let digits = local(dice, "");
            [&digits[..4], &digits[4..8], &digits[8..]].join(".")
        }
        "wwn" => format!("50:{}", groups(dice, 7, 2, ":")),
        "uuid" => dice.uuid(),
        "uuid-head" => dice.uuid()[..13].to_owned(),
        "pod" => dice.uuid().replace('-', "_"),
        "md-uuid" => groups(dice, 4, 8, ":"),
        "duid" => groups(dice, 16, 2, ":"),
        "edid-serial" => groups(dice, 4, 2, " "),
        "edid-hex" | "vfat8" => dice.hex(8),
        "vfat" => groups(dice, 2, 4, "-").to_uppercase(),
        "imei" => format!("35{}", decimal(dice, 13)),
        "imsi" => format!("26{}", decimal(dice, 13)),
        "iccid" => format!("8949{}", decimal(dice, 15)),
        _ => return None,
    })
}

/// A number of digits or letters: `hex12`.
fn counted(dice: &mut Dice, mark: &str) -> Option<String> {
    let at = mark.find(|c: char| c.is_ascii_digit())?;
    let (what, count) = (&mark[..at], mark[at..].parse().ok()?);
    match what {
        "hex" => Some(dice.hex(count)),
        "digits" => Some(decimal(dice, count)),
        "alnum" => Some(word(dice, count)),
        _ => None,
    }
}

fn word(dice: &mut Dice, count: usize) -> String {
    dice.digits(count, &format!("{LETTERS}0123456789"))
}

fn decimal(dice: &mut Dice, count: usize) -> String {
    dice.digits(1, "123456789") + &dice.digits(count - 1, "0123456789")
}

fn groups(dice: &mut Dice, count: usize, digits: usize, separator: &str) -> String {
    (0..count).map(|_| dice.hex(digits)).collect::<Vec<_>>().join(separator)
}

/// An address that is not assigned: from networks for documentation and benchmarks, and private
/// ones.
fn ipv4(dice: &mut Dice) -> String {
    let last = 1 + dice.roll(254);
    match dice.roll(3) {
        0 => format!("203.0.113.{last}"),
        1 => format!("198.18.{}.{last}", dice.roll(256)),
        _ => format!("10.{}.{}.{last}", dice.roll(256), dice.roll(256)),
    }
}

/// A hardware address that is not assigned.
fn local(dice: &mut Dice, separator: &str) -> String {
    let first = dice.digits(1, "123456789") + &dice.digits(1, "26ae");
    let rest: Vec<String> = (0..5).map(|_| dice.hex(2)).collect();
    format!("{first}{separator}{}", rest.join(separator))
}

fn bytes(value: &str, separator: &str) -> String {
    value.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(separator)
}

/// An encoded value.
pub(super) fn dressed(value: &str, clothes: &str) -> String {
    let capital = |value: &str| value[..1].to_uppercase() + &value[1..];
    match clothes {
        "" => value.to_owned(),
        "upper" => value.to_uppercase(),
        "title" => capital(value),
        "percent" => each(value, |byte| format!("%{byte:02X}")),
        "quoted" => each(value, |byte| format!("={byte:02X}")),
        "hex" => hex(value),
        "hex-blank" => bytes(value, " "),
        "hex-colon" => bytes(value, ":"),
        "utf16" => each(value, |byte| format!("{byte:02x}00")),
        "base64" => in_letters(
            format!("x {value} y").as_bytes(),
            6,
            &format!("{}{}0123456789+/", LETTERS[26..].to_owned(), &LETTERS[..26]),
        ),
        "base32" => in_letters(value.as_bytes(), 5, BASE32),
        "wide" => value.chars().filter_map(|c| char::from_u32(u32::from(c) + 0xFEE0)).collect(),
        "zero" => format!("{}\u{200B}{}", &value[..2], &value[2..]),
        "bare" => value.replace(':', ""),
        other => panic!("no clothes are called {other}"),
    }
}

/// Digits of `width` bits each.
fn in_letters(value: &[u8], width: usize, alphabet: &str) -> String {
    let mut bits = String::new();
    for byte in value {
        let _ = write!(bits, "{byte:08b}");
    }
    let letter = |part: &[u8]| {
        let digits = format!("{:0<width$}", std::str::from_utf8(part).unwrap());
        char::from(alphabet.as_bytes()[usize::from_str_radix(&digits, 2).unwrap()])
    };
    bits.as_bytes().chunks(width).map(letter).collect()
}
