//! Whose work failed: that of a program that draws, or only work of compute programs and of the
//! kernel itself.

use crate::event::Observed;
use crate::kind::{Event, Kind};
use crate::pattern::hardware::KernelNames;
use crate::value::{AddressSpace, RingKind};

/// Whose work an event shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// A program's that may draw.
    Drawing,
    /// A compute program's, or the kernel's own.
    Other,
}

/// Whether these events show work, and none that a program's graphics library can have made.
pub(super) fn is_without_graphics(events: &[&Observed], names: &KernelNames) -> bool {
    let mut shown = events.iter().filter_map(|seen| work(seen, names)).peekable();
    shown.peek().is_some() && shown.all(|one| one == Work::Other)
}

fn work(seen: &Observed, names: &KernelNames) -> Option<Work> {
    let of_process = |name: &str| {
        if names.is_a_compute_program(name) { Work::Other } else { Work::Drawing }
    };
    if let Event::PageFault(fault) = &seen.event {
        match (fault.space, fault.process.as_deref()) {
            (Some(AddressSpace::Compute), _) => Some(Work::Other),
            (Some(AddressSpace::Jobs) | None, Some(process)) => Some(of_process(process)),
            (Some(AddressSpace::Jobs), None) => Some(Work::Drawing),
            (Some(AddressSpace::System), _) | (None, None) => None,
        }
    } else if let Event::RingTimeout(job) = &seen.event {
        let copies = job.ring.as_ref().is_some_and(|ring| ring.kind() == RingKind::Sdma);
        match (job.process.as_deref(), job.pid) {
            (Some(process), _) => Some(of_process(process)),
            // Such jobs of the copy engine are the kernel's own: it moves memory.
            (None, Some(0)) if copies => Some(Work::Other),
            (None, _) => (!copies).then_some(Work::Drawing),
        }
    } else {
        of_kind(seen.event.kind())
    }
}

/// The work that events of a kind are about, whatever they say.
fn of_kind(kind: Kind) -> Option<Work> {
    let compute = [
        Kind::KfdQueueFailed,
        Kind::HwsHang,
        Kind::RocrMemoryFault,
        Kind::RocrHwException,
        Kind::RocrMemoryInUse,
        Kind::HsaError,
        Kind::RunnerCrash,
        Kind::QueueHung,
        Kind::QueueReset,
    ];
    let drawing = [Kind::SoftRecovered, Kind::UserQueueFailed];
    if compute.contains(&kind) {
        Some(Work::Other)
    } else if drawing.contains(&kind) {
        Some(Work::Drawing)
    } else {
        None
    }
}
