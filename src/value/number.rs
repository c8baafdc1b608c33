//! Numbers with a type: times, registers, error numbers, kernel versions.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Microseconds: a time since boot, or the difference of two times.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Micros(pub i64);

impl Micros {
    /// A span of whole seconds.
    pub(crate) const fn seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1_000_000))
    }

    /// The span from `earlier` to this time; negative if this one is earlier.
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// This time plus `span`.
    pub(crate) const fn plus(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// Seconds with six decimals, as printk writes them.
impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let all = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:06}", all / 1_000_000, all % 1_000_000)
    }
}

/// A register or address as the driver prints it: its value and the number of digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Hex {
    pub value: u64,
    /// The minimum number of hexadecimal digits to print.
    pub digits: u8,
}

impl Hex {
    /// A 32-bit register.
    pub(crate) const fn register(value: u32) -> Self {
        // A widening cast, because `From` is not usable in a const function.
        Self { value: value as u64, digits: 8 }
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x{:0width$x}", self.value, width = usize::from(self.digits))
    }
}

/// The version of an IP block as one number: `major << 16 | minor << 8 | revision` in older
/// kernels, `major << 24 | minor << 16 | revision << 8` with a variant below it in newer ones
/// (`IP_VERSION`, amdgpu.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IpVersion(pub Hex);

impl fmt::Display for IpVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // No block has the major version 0, so numbers in the older form are below this and those
        // in the newer form are not.
        const NEWER: u64 = 1 << 24;
        let packed = if self.0.value < NEWER { self.0.value } else { self.0.value >> 8 };
        write!(f, "{}.{}.{}", packed >> 16, packed >> 8 & 0xff, packed & 0xff)
    }
}

/// Formats bytes as hexadecimal, two digits each.
#[must_use]
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('?');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

/// An error number as the kernel returns it, with its sign: `-62`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Errno(pub i32);

impl Errno {
    /// The name of the number in `include/uapi/asm-generic/errno*.h`, for those that amdgpu uses.
    pub(crate) fn name(self) -> Option<&'static str> {
        Some(match self.0.unsigned_abs() {
            1 => "EPERM",
            2 => "ENOENT",
            5 => "EIO",
            11 => "EAGAIN",
            12 => "ENOMEM",
            14 => "EFAULT",
            16 => "EBUSY",
            19 => "ENODEV",
            22 => "EINVAL",
            28 => "ENOSPC",
            61 => "ENODATA",
            62 => "ETIME",
            95 => "EOPNOTSUPP",
            110 => "ETIMEDOUT",
            121 => "EREMOTEIO",
            // The second is FreeBSD's number; Linux has ERESTART there, which amdgpu never returns.
            125 | 85 => "ECANCELED",
            512 => "ERESTARTSYS",
            _ => return None,
        })
    }
}

impl Errno {
    /// Whether it is ECANCELED, the error of abandoned work, on Linux or FreeBSD.
    pub(crate) fn is_canceled(self) -> bool {
        self.name() == Some("ECANCELED")
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} ({name})", self.0),
            None => write!(f, "{}", self.0),
        }
    }
}

/// The ordered part of a kernel release: `6.17.8` of `6.17.8-300.fc43.x86_64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KernelVersion {
    major: u16,
    minor: u16,
    patch: u16,
}

impl KernelVersion {
    /// A release.
    pub(crate) const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }
}

/// The text does not begin with a kernel version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a kernel version, which looks like 6.17 or 6.17.8")]
pub struct NotAKernelVersion;

impl FromStr for KernelVersion {
    type Err = NotAKernelVersion;

    /// Parses the leading numbers of a release; the distribution's suffix is ignored.
    fn from_str(text: &str) -> Result<Self, NotAKernelVersion> {
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let mut parts = text[..end].split('.').filter(|part| !part.is_empty());
        let mut next = || parts.next().map(str::parse::<u16>);
        let required =
            |part: Option<Result<u16, _>>| part.and_then(Result::ok).ok_or(NotAKernelVersion);
        Ok(Self {
            major: required(next())?,
            minor: required(next())?,
            patch: next().map_or(Ok(0), |part| part.map_err(|_| NotAKernelVersion))?,
        })
    }
}

impl fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_versions_are_ordered_by_their_numbers() {
        let read = |text: &str| text.parse::<KernelVersion>().unwrap();
        assert!(read("6.8.0-90-generic") < read("6.17.8-300.fc43.x86_64"));
        assert_eq!(read("6.9"), read("6.9.0"));
        assert_eq!("rolling".parse::<KernelVersion>(), Err(NotAKernelVersion));
    }

    #[test]
    fn times_print_as_printk_prints_them() {
        assert_eq!(Micros(45_766_649_447).to_string(), "45766.649447");
        assert_eq!(Micros(-3).to_string(), "-0.000003");
    }

    #[test]
    fn an_unknown_error_number_has_no_name() {
        assert_eq!(Errno(-62).to_string(), "-62 (ETIME)");
        assert_eq!(Errno(-9999).to_string(), "-9999");
        assert_eq!(Errno(i32::MIN).name(), None);
    }
}
