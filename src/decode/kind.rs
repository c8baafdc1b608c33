//! The kinds of values that can be decoded.

use crate::pattern::hardware::{BitfieldKind, EnumerationKind};
use crate::value::comment_of;

/// What a value can be read as. The name is used on the command line and in JSON.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr, strum::EnumMessage,
)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Kind {
    /// The status word of a page fault: `0x00801031`.
    FaultStatus,
    /// The client that a page fault names: `TCP (0x8)`.
    FaultClient,
    /// The client of an interrupt: `client 27`.
    InterruptClient,
    /// The name of a ring: `gfx_0.0.0`.
    Ring,
    /// A chip by its PCI id: `1002:744c`.
    PciId,
    /// Chips by gfx target: `gfx1100`, `HSA_OVERRIDE_GFX_VERSION=10.3.0`.
    GfxTarget,
    /// A parameter of amdgpu: `amdgpu.runpm=0`.
    Parameter,
    /// The mask of power features: `ppfeaturemask=0xffffffff`.
    Ppfeaturemask,
    /// The mask of display debugging: `dcdebugmask=0x10`.
    Dcdebugmask,
    Word(BitfieldKind),
    Value(EnumerationKind),
}

/// The kinds that are neither a word with fields nor an enumeration.
const OWN: [Kind; 9] = [
    Kind::FaultStatus,
    Kind::FaultClient,
    Kind::InterruptClient,
    Kind::Ring,
    Kind::PciId,
    Kind::GfxTarget,
    Kind::Parameter,
    Kind::Ppfeaturemask,
    Kind::Dcdebugmask,
];

const WORDS_END: usize = OWN.len() + BitfieldKind::ALL.len();
const COUNT: usize = WORDS_END + EnumerationKind::ALL.len();

/// All kinds: first [`OWN`], then the words, then the enumerations.
const ALL: [Kind; COUNT] = {
    let mut all = [Kind::FaultStatus; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < OWN.len() {
            OWN[at]
        } else if at < WORDS_END {
            Kind::Word(BitfieldKind::ALL[at - OWN.len()])
        } else {
            Kind::Value(EnumerationKind::ALL[at - WORDS_END])
        };
        at += 1;
    }
    all
};

impl serde::Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl Kind {
    pub(crate) const ALL: &'static [Self] = &ALL;

    /// The word on the command line and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Word(kind) => kind.name(),
            Self::Value(kind) => kind.name(),
            own => own.into(),
        }
    }

    /// A short description with an example.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Word(kind) => kind.about(),
            Self::Value(kind) => kind.about(),
            own => comment_of(&own),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_there_once() {
        let names: std::collections::BTreeSet<_> = Kind::ALL.iter().map(|k| k.name()).collect();
        assert_eq!(names.len(), Kind::ALL.len());
        assert_eq!(Kind::ALL.last(), Some(&Kind::Value(EnumerationKind::HsaStatus)));
    }
}
