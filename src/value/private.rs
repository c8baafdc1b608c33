//! Kinds of values that identify a person or a machine.

use std::fmt;

use super::words::words;

words! {
    /// The kind of a private value. Its name is used in the token: `<host-1>`.
    pub PrivateKind {
        /// The name of a machine.
        Host,
        /// The name of a user or of a person.
        User,
        /// The hardware address of a network or Bluetooth device.
        Mac,
        /// An IPv4 address.
        Ipv4,
        /// An IPv6 address.
        Ipv6,
        /// An email address.
        Email,
        /// A domain name.
        Domain,
        /// The name of a Wi-Fi network.
        Ssid,
        /// A serial number.
        Serial,
        /// The serial number of a USB device.
        Usb,
        /// A UUID: of a file system, a partition, a run of a service.
        Uuid,
        /// The machine id of systemd.
        Machine,
        /// The boot id of the kernel.
        Boot,
        /// The serial number or name of a disk.
        Disk,
        /// The name of a volume, a volume group, a pool, a mount point.
        Volume,
        /// The name of a Bluetooth device.
        Bluetooth,
        /// A password, a key or a token.
        Secret,
        /// The name of a file in the arguments of a process.
        File,
        /// A container or its image.
        Container,
        /// The name of a process.
        Process,
    }
}

/// The replacement of a private value: `<mac-3>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Token {
    /// The kind of the replaced value.
    pub kind: PrivateKind,
    /// The number of the value, from 1. 0 is `<mac-more>`: all values beyond the limit.
    pub number: u32,
}

/// Printed in place of the number for values beyond the limit.
const MORE: &str = "more";

impl Token {
    /// The token at the beginning of `text`, and its length in bytes.
    pub(crate) fn at(text: &[u8]) -> Option<(Self, usize)> {
        // The longest token is `<bluetooth-4294967295>`.
        let head = text.get(..text.len().min(24))?.strip_prefix(b"<")?;
        let end = head.iter().position(|&byte| byte == b'>')?;
        let inner = std::str::from_utf8(head.get(..end)?).ok()?;
        let (word, number) = inner.split_once('-')?;
        let number = match number {
            MORE => 0,
            _ if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok()?,
            _ => return None,
        };
        let token = Self { kind: word.parse().ok()?, number };
        Some((token, end + 2))
    }

    /// Appends it to a text, which is faster than formatting it.
    pub(crate) fn push_to(self, text: &mut String) {
        text.push('<');
        text.push_str(self.kind.name());
        text.push('-');
        match self.number {
            0 => text.push_str(MORE),
            number => push_digits(number, text),
        }
        text.push('>');
    }

    /// Whether `text` is a token.
    pub(crate) fn is(text: &str) -> bool {
        Self::at(text.as_bytes()).is_some_and(|(_, length)| length == text.len())
    }
}

fn push_digits(number: u32, text: &mut String) {
    if number >= 10 {
        push_digits(number / 10, text);
    }
    text.extend(char::from_digit(number % 10, 10));
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_what_it_prints() {
        for (index, &kind) in PrivateKind::ALL.iter().enumerate() {
            let token = Token { kind, number: u32::try_from(index).unwrap() * 1000 };
            let text = token.to_string();
            assert_eq!(Token::at(text.as_bytes()), Some((token, text.len())));
            assert_eq!(PrivateKind::read(&text), None);
        }
        assert!(Token::is("<host-1>"));
        for no in
            ["<host-1> ", "<host>", "<ghost-1>", "<host-+1>", "host-1", "<host-99999999999>", "<é"]
        {
            assert!(!Token::is(no), "{no}");
        }
    }
}
