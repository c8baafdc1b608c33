//! Whose work failed: that of a program that draws, or only work of compute programs and of the
//! kernel itself.

use crate::event::Observed;
use crate::kind::{Event, Work};
use crate::pattern::hardware::KernelNames;
use crate::value::{AddressSpace, RingKind};

/// Whether these events show work, and none that a program's graphics library can have made.
pub(super) fn is_without_graphics(events: &[&Observed], names: &KernelNames) -> bool {
    let of = |seen: &Observed| draws(seen, names);
    let mut shown = events.iter().filter_map(|seen| of(seen)).peekable();
    shown.peek().is_some() && shown.all(|draws| !draws)
}

/// Whether an event shows work of a program that may draw; `None` if it shows no work.
fn draws(seen: &Observed, names: &KernelNames) -> Option<bool> {
    let may_draw = |name: &str| !names.is_a_compute_program(name);
    match seen.event.columns().work {
        Work::Unclear => None,
        Work::Drawing => Some(true),
        Work::Other => Some(false),
        Work::ByAddressSpace => {
            let Event::PageFault(fault) = &seen.event else { return None };
            match (fault.space, fault.process.as_deref()) {
                (Some(AddressSpace::Compute), _) => Some(false),
                (Some(AddressSpace::Jobs) | None, Some(process)) => Some(may_draw(process)),
                (Some(AddressSpace::Jobs), None) => Some(true),
                (Some(AddressSpace::System), _) | (None, None) => None,
            }
        }
        Work::ByRing => {
            let Event::RingTimeout(job) = &seen.event else { return None };
            let copies = job.ring.as_ref().is_some_and(|ring| ring.kind() == RingKind::Sdma);
            match (job.process.as_deref(), job.pid) {
                (Some(process), _) => Some(may_draw(process)),
                // Such jobs of the copy engine are the kernel's own: it moves memory.
                (None, Some(0)) if copies => Some(false),
                (None, _) => (!copies).then_some(true),
            }
        }
    }
}
