//! The layout of page-fault status registers: which bits hold which field.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::chip::parsed;
use super::silicon::{GfxPattern, Silicon, may_hold};
use crate::pattern::fields::Fields;
use crate::pattern::source::{At, Place, Sources};
use crate::value::Hub;

/// A run of bits of a 32-bit register, `17:9` or `8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Bits {
    high: u8,
    low: u8,
}

/// The text is no run of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a run of bits, which looks like 17:9 or 8, from 31 down to 0")]
pub struct NotBits;

impl Bits {
    /// The value that these bits of `raw` hold.
    #[must_use]
    pub const fn of(self, raw: u32) -> u32 {
        (raw & self.mask()) >> self.low
    }

    /// How many bits.
    #[must_use]
    pub const fn width(self) -> u8 {
        self.high - self.low + 1
    }

    /// The bits of a register that hold `value`; what does not fit is cut off.
    #[must_use]
    pub const fn put(self, value: u32) -> u32 {
        (value << self.low) & self.mask()
    }

    /// The bits themselves.
    #[must_use]
    pub const fn mask(self) -> u32 {
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

impl TryFrom<String> for Bits {
    type Error = NotBits;

    fn try_from(text: String) -> Result<Self, NotBits> {
        text.parse()
    }
}

impl From<Bits> for String {
    fn from(bits: Bits) -> Self {
        bits.to_string()
    }
}

/// What one bit of the permission field says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
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

impl FromStr for Permission {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "valid" => Self::Valid,
            "read" => Self::Read,
            "write" => Self::Write,
            "execute" => Self::Execute,
            "range" => Self::Range,
            "directory" => Self::Directory,
            _ => return Err("none of valid, read, write, execute, range, directory"),
        })
    }
}

/// Where the fields of a page-fault status register are. A field that the register does not have,
/// or has in another register, is `None`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultLayout {
    /// The names under which the register is printed.
    pub registers: Vec<String>,
    /// The hub that has it so; both, where it is not said.
    pub hub: Option<Hub>,
    /// The chips that have it so.
    pub gfx: Vec<GfxPattern>,
    /// The header that the layout is from.
    pub source: String,
    /// What the permission bits say, the lowest first.
    pub permissions: Vec<Permission>,
    /// Further faults happened.
    pub more_faults: Option<Bits>,
    /// The page-table walker's code.
    pub walker_error: Option<Bits>,
    /// What was not allowed.
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

impl FaultLayout {
    /// Whether the word may be in this layout.
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

    /// The bits that some field holds.
    #[must_use]
    pub fn defined(&self) -> u32 {
        let fields = [
            self.more_faults,
            self.walker_error,
            self.permission_faults,
            self.mapping_error,
            self.client_id,
            self.write,
            self.atomic,
            self.vmid,
            self.vf,
            self.vfid,
            self.prt,
            self.uce,
            self.fed,
        ];
        fields.into_iter().flatten().fold(0, |mask, bits| mask | bits.mask())
    }

    pub(super) fn read(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<Self> {
        let registers = fields.texts(sources, "registers");
        fields.require(sources, "registers", !registers.is_empty());
        let gfx = fields.texts(sources, "gfx");
        fields.require(sources, "gfx", !gfx.is_empty());
        let hub = fields.text(sources, "hub");
        let hub = hub.and_then(|text| read_hub(sources, &text));
        let source = fields.required_text(sources, "source").map(|text| text.value);
        let permissions = fields.texts(sources, "permissions");
        let bits = fields.table(sources, "fields");
        fields.require(sources, "fields", bits.is_some());
        let gfx = parsed(sources, &gfx);
        let permissions = parsed(sources, &permissions);
        fields.finish(sources);
        let mut bits = FieldBits { fields: bits?, taken: Vec::new() };
        let found = Self {
            registers: registers.into_iter().map(|name| name.value).collect(),
            hub,
            gfx,
            source: source.unwrap_or_default(),
            permissions,
            more_faults: bits.read(sources, "more_faults", 1),
            walker_error: bits.read(sources, "walker_error", 8),
            permission_faults: bits.read(sources, "permission_faults", 8),
            mapping_error: bits.read(sources, "mapping_error", 1),
            client_id: bits.read(sources, "client_id", 16),
            write: bits.read(sources, "write", 1),
            atomic: bits.read(sources, "atomic", 1),
            vmid: bits.read(sources, "vmid", 8),
            vf: bits.read(sources, "vf", 1),
            vfid: bits.read(sources, "vfid", 8),
            prt: bits.read(sources, "prt", 1),
            uce: bits.read(sources, "uce", 1),
            fed: bits.read(sources, "fed", 1),
        };
        bits.fields.finish(sources);
        Some(found)
    }
}

fn read_hub(sources: &mut Sources<'_>, text: &At<String>) -> Option<Hub> {
    let hub = Hub::read(&text.value);
    if hub.is_none() {
        sources.mistake(&text.place, format!("`hub` is gfxhub or mmhub, not `{}`", text.value));
    }
    hub
}

/// The fields of a layout as they are read, and the bits given out so far.
struct FieldBits<'t> {
    fields: Fields<'t>,
    taken: Vec<(&'static str, Bits)>,
}

impl FieldBits<'_> {
    /// Reads the bits of `key`, of which there are `widest` at most.
    fn read(&mut self, sources: &mut Sources<'_>, key: &'static str, widest: u8) -> Option<Bits> {
        let text = self.fields.text(sources, key)?;
        let bits: Bits = parsed(sources, std::slice::from_ref(&text)).pop()?;
        self.check(sources, &text, bits, widest);
        self.taken.push((key, bits));
        Some(bits)
    }

    fn check(&self, sources: &mut Sources<'_>, text: &At<String>, bits: Bits, widest: u8) {
        let place: &Place = &text.place;
        if bits.width() > widest {
            sources.mistake(place, format!("{} bits, but {widest} at most", bits.width()));
        }
        for (other, taken) in &self.taken {
            if taken.mask() & bits.mask() != 0 {
                sources.mistake(place, format!("`{bits}` overlaps `{other}`, which is `{taken}`"));
            }
        }
    }
}
