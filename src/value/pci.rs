//! PCI addresses and PCI ids.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A PCI function, `dddd:bb:dd.f` in hexadecimal, as the kernel prints it.
///
/// Two GPUs of one machine may differ in nothing else, so it is the key of each device's events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PciAddress(
    /// A 1, the domain (4 bytes), bus, device and function in one word, because it is copied and
    /// compared for every line of a driver.
    NonZeroU64,
);

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

impl PciAddress {
    /// Parses the kernel's form, and that of `lspci` and of people who shorten it: `03:00.0`, without the domain,
    /// which is 0.
    pub(crate) fn as_written(text: &str) -> Option<Self> {
        const DOMAIN: &[u8] = b"0000:";
        let &[bus, bus_low, b':', device, device_low, b'.', function] = text.as_bytes() else {
            return read_address(text);
        };
        let mut whole = [0; 12];
        whole[..DOMAIN.len()].copy_from_slice(DOMAIN);
        whole[DOMAIN.len()..]
            .copy_from_slice(&[bus, bus_low, b':', device, device_low, b'.', function]);
        std::str::from_utf8(&whole).ok().and_then(read_address)
    }

    /// The domain and the number of the bus.
    pub(crate) const fn bus(self) -> (u32, u8) {
        let [_, first, second, third, fourth, bus, _, _] = self.0.get().to_be_bytes();
        (u32::from_be_bytes([first, second, third, fourth]), bus)
    }
}

/// Parses exactly the printed form: no signs, no short fields, no trailing text. Called for every
/// line of a driver, so it does not allocate.
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
    let domain = domain.iter().try_fold(0_u32, |all, digit| Some(all << 4 | hex(*digit)?))?;
    let [first, second, third, fourth] = domain.to_be_bytes();
    let (bus, device) = (byte(bus, bus_low)?, byte(device, device_low)?);
    let function = byte(b'0', function)?;
    let all = [1, first, second, third, fourth, bus, device, function];
    let fits = printed && device < 0x20 && function < 8;
    NonZeroU64::new(u64::from_be_bytes(all)).filter(|_| fits).map(PciAddress)
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((domain, bus), [.., device, function]) = (self.bus(), self.0.get().to_be_bytes());
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.{function:x}")
    }
}

impl fmt::Debug for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PciAddress({self})")
    }
}

impl Serialize for PciAddress {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PciAddress {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Vendor and device number of a PCI function, `1002:744c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PciId {
    /// The vendor id; AMD's is 0x1002.
    pub(crate) vendor: u16,
    /// The device id, shared by all products with this chip.
    pub(crate) device: u16,
}

/// The text is not a pair of PCI numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a PCI id, which looks like 1002:744c")]
pub(crate) struct NotAPciId;

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
    fn a_shortened_address_has_the_domain_0() {
        let written = |text| PciAddress::as_written(text).map(|address| address.to_string());
        for (text, want) in [("03:00.0", "0000:03:00.0"), ("0001:03:00.0", "0001:03:00.0")] {
            assert_eq!(written(text).as_deref(), Some(want));
        }
        for bad in ["", "3:00.0", "03:20.0", "03:00.8", "13:00:01", "03:00"] {
            assert_eq!(written(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_id_has_two_times_four_digits() {
        assert_eq!("1002:744c".parse::<PciId>().unwrap().to_string(), "1002:744c");
        assert_eq!("1002:44c".parse::<PciId>(), Err(NotAPciId));
    }
}
