//! The parameters of the amdgpu module: which kernels have them, and the bits of those that are
//! masks.

use serde::{Deserialize, Serialize};

use super::span::Span;
use crate::pattern::document::{Table, record};
use crate::pattern::source::Noun;
use crate::value::KernelVersion;

record! {
    /// A parameter of the amdgpu module, or a name that people take for one.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Parameter {
        /// Its name, without `amdgpu.`.
        pub(crate) name: String,
        /// Whether no kernel ever had it: people use the name in error.
        pub(crate) never: bool,
        /// Which kernels have it.
        pub(crate) span: Span = inline,
        /// What people often get wrong about it.
        pub(crate) note: Option<String>,
        /// For a name that does not exist: the parameter that was probably meant.
        pub(crate) instead: Option<String>,
        /// Its bits, if it is a mask whose bits are known.
        pub(crate) mask: Option<Mask> = later,
    }
    check
}

impl Parameter {
    /// Whether the driver of `kernel` has the parameter; `None` where that is not known.
    #[must_use]
    pub fn exists_in(&self, kernel: Option<KernelVersion>) -> Option<bool> {
        if self.never { Some(false) } else { self.span.holds(kernel) }
    }

    fn check(&self, table: &Table<'_>) {
        if !self.never && self.instead.is_some() {
            table.mistake("`instead` is for names that do not exist");
        }
        table.gives(Noun::Parameter, "name");
    }
}

record! {
    /// The bits of a parameter that is a mask.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Mask {
        /// The parameter.
        pub parameter: String,
        /// The value without the parameter, by kernel, oldest first.
        defaults: Vec<MaskDefault> as "default" = required,
        /// The bits that have a name, in the order of the file.
        pub bits: Vec<MaskBit> = required,
    }
    check
}

record! {
    /// The value of a mask that nobody sets.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct MaskDefault {
        value: u32,
        span: Span = inline,
    }
}

record! {
    /// One bit of a mask.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct MaskBit {
        /// Its value. One kernel tests two bits under one name; then both are set here.
        pub bit: u32,
        /// Its name in the driver's source.
        pub name: String,
        /// What it does when set.
        pub does: Option<String>,
        /// The kernels in which it has this meaning.
        pub span: Span = inline,
    }
    check
}

impl MaskBit {
    fn check(&self, table: &Table<'_>) {
        if self.bit == 0 {
            table.mistake("`bit` is 0, which is no bit");
        }
    }
}

impl Mask {
    /// The value that `kernel` uses where nobody sets one; the newest kernel's for an unknown one.
    pub(crate) fn default_in(&self, kernel: Option<KernelVersion>) -> Option<u32> {
        let value = match kernel {
            None => self.defaults.last(),
            Some(_) => self.defaults.iter().find(|one| one.span.holds(kernel) == Some(true)),
        };
        value.map(|default| default.value)
    }

    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        table.uses(Noun::Parameter, "parameter");
        let bits: Vec<(Table<'_>, MaskBit)> = table.entries_of("bits");
        for (index, (place, bit)) in bits.iter().enumerate() {
            let same = |other: &&MaskBit| other.bit == bit.bit && other.span.meets(&bit.span);
            let mut earlier = bits.iter().take(index).map(|(_, other)| other);
            if let Some(other) = earlier.find(same) {
                place.mistake(format!("bit 0x{:x} is {} already", bit.bit, other.name));
            }
        }
    }
}
