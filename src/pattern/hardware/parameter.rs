//! The parameters of the amdgpu module: the kernels that have them, and the bits of masks.

use serde::{Deserialize, Serialize};

use super::span::Span;
use crate::pattern::document::{Table, record};
use crate::pattern::source::Noun;
use crate::value::KernelVersion;

record! {
    /// A parameter of the amdgpu module, or a name that is mistaken for one.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Parameter {
        /// Its name, without `amdgpu.`.
        pub(crate) name: String,
        /// Whether no kernel ever had it, although the name is in circulation.
        pub(crate) never: bool,
        /// The kernels that have it.
        pub(crate) span: Span = inline,
        /// A common misunderstanding about it.
        pub(crate) note: Option<String>,
        /// For a name that does not exist: the parameter that is probably meant.
        pub(crate) instead: Option<String>,
        /// Its bits, if it is a mask with known bits.
        pub(crate) mask: Option<Mask> = later,
    }
    check
}

impl Parameter {
    /// Whether the driver of `kernel` has the parameter; `None` if unknown.
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
        /// The driver's default, by kernel, oldest first.
        defaults: Vec<MaskDefault> as "default" = required,
        /// The named bits, in the order of the file.
        pub bits: Vec<MaskBit> = required,
    }
    check
}

record! {
    /// The default of a mask.
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
        /// Its effect when set.
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
    /// The default in `kernel`; the newest kernel's if it is unknown.
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
