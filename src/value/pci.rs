//! Where a GPU sits and what it calls itself on the PCI bus.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A PCI function, `dddd:bb:dd.f` in hexadecimal, as the kernel writes it.
///
/// Two GPUs of one machine differ in this and often in nothing else, so it is the key of every
/// stream of events that belongs to one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PciAddress {
    domain: u32,
    bus: u8,
    device: u8,
    function: u8,
}

/// The text is not a PCI address as the kernel prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a PCI address, which looks like 0000:03:00.0")]
pub struct NotAPciAddress;

impl FromStr for PciAddress {
    type Err = NotAPciAddress;

    fn from_str(text: &str) -> Result<Self, NotAPciAddress> {
        read_address(text).ok_or(NotAPciAddress)
    }
}

/// Reads only what we would print: no signs, no short fields, nothing behind. Runs on every line of a
/// driver, so it writes nothing to compare with.
fn read_address(text: &str) -> Option<PciAddress> {
    let hex = |digit: u8| char::from(digit).to_digit(16);
    let byte = |high, low| u8::try_from(hex(high)? << 4 | hex(low)?).ok();
    let &[ref domain @ .., b':', bus, bus_low, b':', device, device_low, b'.', function] =
        text.as_bytes()
    else {
        return None;
    };
    let printed =
        domain.len() == 4 || ((5..=8).contains(&domain.len()) && domain.first() != Some(&b'0'));
    let found = PciAddress {
        domain: domain.iter().try_fold(0, |all, digit| Some(all << 4 | hex(*digit)?))?,
        bus: byte(bus, bus_low)?,
        device: byte(device, device_low)?,
        function: byte(b'0', function)?,
    };
    (printed && found.device < 0x20 && found.function < 8).then_some(found)
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.domain, self.bus, self.device, self.function)
    }
}

impl Serialize for PciAddress {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Vendor and device number of a PCI function, `1002:744c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PciId {
    /// The vendor; AMD's GPUs have 0x1002.
    pub vendor: u16,
    /// The device, shared by all products that the vendor sells on this silicon.
    pub device: u16,
}

/// The text is not a pair of PCI numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a PCI id, which looks like 1002:744c")]
pub struct NotAPciId;

impl FromStr for PciId {
    type Err = NotAPciId;

    fn from_str(text: &str) -> Result<Self, NotAPciId> {
        let (vendor, device) = text.split_once(':').ok_or(NotAPciId)?;
        let four = |part: &str| {
            (part.len() == 4).then(|| u16::from_str_radix(part, 16).ok()).flatten().ok_or(NotAPciId)
        };
        Ok(Self { vendor: four(vendor)?, device: four(device)? })
    }
}

impl fmt::Display for PciId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:04x}", self.vendor, self.device)
    }
}

impl Serialize for PciId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PciId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_what_it_prints_and_nothing_else() {
        for good in ["0000:03:00.0", "0000:c2:00.0", "10000:01:1f.7", "0000:06:10.0"] {
            assert_eq!(good.parse::<PciAddress>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "03:00.0",
            "0000:3:00.0",
            "0000:03:20.0",
            "0000:03:00.8",
            "0000:03:00",
            "+000:03:00.0",
        ] {
            assert_eq!(bad.parse::<PciAddress>(), Err(NotAPciAddress), "{bad}");
        }
    }

    #[test]
    fn an_id_has_two_times_four_digits() {
        assert_eq!("1002:744c".parse::<PciId>().unwrap().to_string(), "1002:744c");
        assert_eq!("1002:44c".parse::<PciId>(), Err(NotAPciId));
    }
}
