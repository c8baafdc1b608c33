//! What a value can be read as.

use crate::pattern::hardware::EnumerationKind;

/// What a value can be read as. The name is used on the command line and in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The status register of a page fault.
    FaultStatus,
    /// The client that a page fault names.
    FaultClient,
    /// The client of an interrupt.
    InterruptClient,
    /// The ring byte of an interrupt.
    RingByte,
    /// The name of a ring.
    Ring,
    /// The words of a shader interrupt.
    SqInterrupt,
    /// A PCI id.
    PciId,
    /// A gfx target.
    GfxTarget,
    /// A parameter of the module.
    Parameter,
    /// The mask of power features.
    Ppfeaturemask,
    /// The mask of display debugging.
    Dcdebugmask,
    /// A value of an enumeration.
    Value(EnumerationKind),
}

/// The kinds that are no enumeration.
const OWN: [Kind; 11] = [
    Kind::FaultStatus,
    Kind::FaultClient,
    Kind::InterruptClient,
    Kind::RingByte,
    Kind::Ring,
    Kind::SqInterrupt,
    Kind::PciId,
    Kind::GfxTarget,
    Kind::Parameter,
    Kind::Ppfeaturemask,
    Kind::Dcdebugmask,
];

const COUNT: usize = OWN.len() + EnumerationKind::ALL.len();

/// All kinds, one list behind the other.
const ALL: [Kind; COUNT] = {
    let mut all = [Kind::FaultStatus; COUNT];
    let mut at = 0;
    while at < COUNT {
        all[at] = if at < OWN.len() {
            OWN[at]
        } else {
            Kind::Value(EnumerationKind::ALL[at - OWN.len()])
        };
        at += 1;
    }
    all
};

impl Kind {
    /// All kinds.
    pub const ALL: &'static [Self] = &ALL;

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FaultStatus => "fault-status",
            Self::FaultClient => "fault-client",
            Self::InterruptClient => "interrupt-client",
            Self::RingByte => "ring-byte",
            Self::Ring => "ring",
            Self::SqInterrupt => "sq-interrupt",
            Self::PciId => "pci-id",
            Self::GfxTarget => "gfx-target",
            Self::Parameter => "parameter",
            Self::Ppfeaturemask => "ppfeaturemask",
            Self::Dcdebugmask => "dcdebugmask",
            Self::Value(kind) => kind.name(),
        }
    }

    /// What it is, in a few words and with an example.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::FaultStatus => "The status word of a page fault: `0x00801031`",
            Self::FaultClient => "The client that a page fault names: `TCP (0x8)`",
            Self::InterruptClient => "The client of an interrupt: `client 27`",
            Self::RingByte => "The ring byte of a page fault: `ring:24`",
            Self::Ring => "The name of a ring: `gfx_0.0.0`",
            Self::SqInterrupt => "The words of a shader interrupt",
            Self::PciId => "A chip by its PCI id: `1002:744c`",
            Self::GfxTarget => "Chips by gfx target: `gfx1100`, `HSA_OVERRIDE_GFX_VERSION=10.3.0`",
            Self::Parameter => "A parameter of amdgpu: `amdgpu.runpm=0`",
            Self::Ppfeaturemask => "The mask of power features: `ppfeaturemask=0xffffffff`",
            Self::Dcdebugmask => "The mask of display debugging: `dcdebugmask=0x10`",
            Self::Value(kind) => kind.about(),
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
        assert_eq!(Kind::ALL.last(), Some(&Kind::Value(EnumerationKind::Engine)));
    }
}
