//! The layout of page-fault status registers: which bits hold which field.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::silicon::{GfxPattern, Silicon, may_hold};
use crate::pattern::document::{Table, record};
use crate::value::{Hub, words};

/// A range of bits in a 32-bit register, `17:9` or `8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bits {
    high: u8,
    low: u8,
}

/// The text is not a bit range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a run of bits, which looks like 17:9 or 8, from 31 down to 0")]
pub(crate) struct NotBits;

impl Bits {
    /// The value of these bits in `raw`.
    pub(crate) const fn of(self, raw: u32) -> u32 {
        (raw & self.mask()) >> self.low
    }

    /// The number of bits.
    pub(crate) const fn width(self) -> u8 {
        self.high - self.low + 1
    }

    /// A mask with these bits set.
    pub(crate) const fn mask(self) -> u32 {
        (u32::MAX >> (31 - self.high + self.low)) << self.low
    }
}

impl FromStr for Bits {
    type Err = NotBits;

    fn from_str(text: &str) -> Result<Self, NotBits> {
        let (high, low) = text.split_once(':').unwrap_or((text, text));
        let bit = |text: &str| text.parse().ok().filter(|bit| *bit < 32).ok_or(NotBits);
        let (high, low) = (bit(high)?, bit(low)?);
        if low <= high { Ok(Self { high, low }) } else { Err(NotBits) }
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.high == self.low {
            write!(f, "{}", self.low)
        } else {
            write!(f, "{}:{}", self.high, self.low)
        }
    }
}

words! {
    /// What one bit of the permission field says.
    pub(crate) Permission {
        /// The page-table entry is not valid: nothing is mapped there.
        Valid,
        /// Reading is not allowed.
        Read,
        /// Writing is not allowed.
        Write,
        /// Executing is not allowed.
        Execute,
        /// The address lies outside the address space (gfx8 and older).
        Range,
        /// The page directory has no entry (gfx8 and older).
        Directory,
    }
}

record! {
    /// The layout of a page-fault status register.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct FaultLayout {
        /// The printed names of the register.
        pub registers: Vec<String> = required,
        /// The hub with this layout; `None` for both.
        pub hub: Option<Hub>,
        /// The chips with this layout.
        pub gfx: Vec<GfxPattern> = required,
        /// The header that defines the layout.
        pub source: String,
        /// The meanings of the permission bits, the lowest first.
        pub permissions: Vec<Permission>,
        /// The positions of its fields.
        pub fields: FaultFields,
    }
}

record! {
    /// The positions of the fields in a page fault status register; `None` if the register does not
    /// have the field.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct FaultFields {
        /// Further faults happened.
        pub more_faults: Option<Bits>,
        /// The page-table walker's code.
        pub walker_error: Option<Bits>,
        /// Denied permissions.
        pub permission_faults: Option<Bits>,
        /// No mapping at all levels.
        pub mapping_error: Option<Bits>,
        /// The client.
        pub client_id: Option<Bits>,
        /// A write.
        pub write: Option<Bits>,
        /// An atomic access.
        pub atomic: Option<Bits>,
        /// The address space.
        pub vmid: Option<Bits>,
        /// A virtual function's access.
        pub vf: Option<Bits>,
        /// Which virtual function.
        pub vfid: Option<Bits>,
        /// A page of a partially resident texture.
        pub prt: Option<Bits>,
        /// A memory error that cannot be corrected.
        pub uce: Option<Bits>,
        /// Poisoned data.
        pub fed: Option<Bits>,
    }
    check
}

impl FaultLayout {
    /// Whether a word may have this layout.
    pub(super) fn fits(
        &self,
        register: Option<&str>,
        hub: Option<Hub>,
        silicon: Silicon<'_>,
    ) -> bool {
        let printed = |name| self.registers.iter().any(|register| register == name);
        let same_hub = self.hub.is_none() || hub.is_none() || self.hub == hub;
        register.is_none_or(printed) && same_hub && may_hold(&self.gfx, silicon)
    }
}

impl FaultFields {
    /// The key, maximum width and position of each field.
    fn all(&self) -> [(&'static str, u8, Option<Bits>); 13] {
        [
            ("more_faults", 1, self.more_faults),
            ("walker_error", 8, self.walker_error),
            ("permission_faults", 8, self.permission_faults),
            ("mapping_error", 1, self.mapping_error),
            ("client_id", 16, self.client_id),
            ("write", 1, self.write),
            ("atomic", 1, self.atomic),
            ("vmid", 8, self.vmid),
            ("vf", 1, self.vf),
            ("vfid", 8, self.vfid),
            ("prt", 1, self.prt),
            ("uce", 1, self.uce),
            ("fed", 1, self.fed),
        ]
    }

    /// The bits covered by fields.
    pub(crate) fn defined(&self) -> u32 {
        self.all().iter().filter_map(|(.., bits)| *bits).fold(0, |mask, bits| mask | bits.mask())
    }

    fn check(&self, table: &Table<'_>) {
        let mut taken: Vec<(&str, Bits)> = Vec::new();
        for (key, widest, bits) in self.all() {
            let (Some(bits), Some(node)) = (bits, table.get(key)) else { continue };
            if bits.width() > widest {
                node.mistake(format!("{} bits, but {widest} at most", bits.width()));
            }
            for (other, its) in taken.iter().filter(|(_, its)| its.mask() & bits.mask() != 0) {
                node.mistake(format!("`{bits}` overlaps `{other}`, which is `{its}`"));
            }
            taken.push((key, bits));
        }
    }
}
