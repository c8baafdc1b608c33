//! The chip of a GPU.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An LLVM target, `gfx1100`: major version, minor version and stepping (both one digit, the
/// stepping hexadecimal). Source: LLVM's AMDGPU processor table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GfxTarget {
    major: u8,
    minor: u8,
    stepping: u8,
}

/// The text is not a gfx target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a gfx target, which looks like gfx1100 or gfx90c")]
pub(crate) struct NotAGfxTarget;

impl GfxTarget {
    /// The generation that the target belongs to.
    pub(crate) const fn generation(self) -> GfxGeneration {
        GfxGeneration(self.major)
    }

    /// Parses the target of `HSA_OVERRIDE_GFX_VERSION=major.minor.stepping`.
    pub(crate) fn from_override(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.').map(str::parse::<u8>);
        let found = Self {
            major: parts.next()?.ok()?,
            minor: parts.next()?.ok()?,
            stepping: parts.next()?.ok()?,
        };
        (parts.next().is_none() && found.minor < 10 && found.stepping < 16).then_some(found)
    }
}

impl GfxTarget {
    /// The target from the compute driver's number: 100300 is gfx1030, 90010 is gfx90a. Source:
    /// `kfd_device.c` (`gfx_target_version`).
    pub(crate) fn from_version(version: u32) -> Option<Self> {
        let (major, minor, stepping) = (version / 10_000, version / 100 % 100, version % 100);
        Self::from_override(&format!("{major}.{minor}.{stepping}"))
    }
}

impl FromStr for GfxTarget {
    type Err = NotAGfxTarget;

    fn from_str(text: &str) -> Result<Self, NotAGfxTarget> {
        let digits = text.strip_prefix("gfx").ok_or(NotAGfxTarget)?;
        if !digits.is_ascii() || !(3..=4).contains(&digits.len()) {
            return Err(NotAGfxTarget);
        }
        let (major, rest) = digits.split_at(digits.len() - 2);
        let read = |part: &str, radix| u8::from_str_radix(part, radix).map_err(|_| NotAGfxTarget);
        Ok(Self {
            major: read(major, 10)?,
            minor: read(&rest[..1], 10)?,
            stepping: read(&rest[1..], 16)?,
        })
    }
}

impl fmt::Display for GfxTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gfx{}{}{:x}", self.major, self.minor, self.stepping)
    }
}

impl Serialize for GfxTarget {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GfxTarget {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The major version of the graphics core: 11 for `gfx1100`, `gfx1103` and `gfx1151`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GfxGeneration(pub(crate) u8);

impl<'de> Deserialize<'de> for GfxGeneration {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let major = text.strip_prefix("gfx").and_then(|digits| digits.parse().ok());
        major.map(Self).ok_or_else(|| serde::de::Error::custom("no generation of graphics cores"))
    }
}

impl fmt::Display for GfxGeneration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gfx{}", self.0)
    }
}

impl Serialize for GfxGeneration {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_read_what_they_print() {
        for good in ["gfx906", "gfx90c", "gfx1010", "gfx1100", "gfx1151", "gfx803"] {
            assert_eq!(good.parse::<GfxTarget>().unwrap().to_string(), good);
        }
        for bad in ["gfx", "gfx11", "gfx11000", "1100", "gfx1a00", "gfx11é"] {
            assert_eq!(bad.parse::<GfxTarget>(), Err(NotAGfxTarget), "{bad}");
        }
        assert_eq!("gfx1103".parse::<GfxTarget>().unwrap().generation().to_string(), "gfx11");
    }

    #[test]
    fn an_override_names_a_target() {
        assert_eq!(GfxTarget::from_override("9.0.6").unwrap().to_string(), "gfx906");
        assert_eq!(GfxTarget::from_override("10.3.0").unwrap().to_string(), "gfx1030");
        assert_eq!(GfxTarget::from_override("10.3"), None);
    }
}
