//! Decodes what a device tried when AMD's IOMMU stopped it.

use super::Observed;
use crate::kind::{Event, IommuFault};
use crate::value::Text;

/// The bits of the flags in `IO_PAGE_FAULT`.
///
/// Source: `EVENT_FLAG_I` and `EVENT_FLAG_RW` of `drivers/iommu/amd/amd_iommu_types.h`, as
/// `amd_iommu_report_page_fault()` uses them.
const INTERRUPT: u64 = 0x008;
const WRITE: u64 = 0x020;

/// Sets `access` in faults with flags.
pub(super) fn tell_access(events: &mut [Observed]) {
    for observed in events {
        if let Event::IommuFault(fault) = &mut observed.event {
            fault.access = access(fault).map(Text::const_new);
        }
    }
}

/// What the flags of a fault say. Other events of the IOMMU have flags with another meaning.
fn access(fault: &IommuFault) -> Option<&'static str> {
    let flags = fault.flags.filter(|_| fault.name.as_deref() == Some("IO_PAGE_FAULT"))?;
    Some(match flags.value {
        flags if flags & INTERRUPT != 0 => "interrupt",
        flags if flags & WRITE != 0 => "write",
        _ => "read",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Hex;

    #[test]
    fn the_flags_say_what_was_tried() {
        let fault = |name: &'static str, flags: Option<u32>| IommuFault {
            name: Some(Text::const_new(name)),
            flags: flags.map(Hex::register),
            ..IommuFault::default()
        };
        for (flags, tried) in [
            (Some(0x0020), Some("write")),
            (Some(0x0000), Some("read")),
            (Some(0x0070), Some("write")),
            (Some(0x0008), Some("interrupt")),
            (Some(0x0028), Some("interrupt")),
            (None, None),
        ] {
            assert_eq!(access(&fault("IO_PAGE_FAULT", flags)), tried, "{flags:x?}");
        }
        assert_eq!(access(&fault("ILLEGAL_DEV_TABLE_ENTRY", Some(0x20))), None);
    }
}
