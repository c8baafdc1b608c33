//! Which event can have caused which: by kind, by memory page, by time and device.

use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Kind, Owner, Part};
use crate::value::{Hex, Micros, PciAddress};

/// Maximum time between the resets of GPUs that are reset together.
pub(super) const TOGETHER: Micros = Micros::seconds(2);

/// The number of address bits within a page.
const PAGE_BITS: u32 = 12;

/// Whether an event of kind `cause` can lead to `effect`.
pub(crate) fn can_cause(cause: Kind, effect: &Observed) -> bool {
    effect.event.columns().causes.iter().any(|kinds| kinds.contains(&cause))
}

/// The page of a memory access, if the event has its address.
pub(crate) fn page(observed: &Observed) -> Option<u64> {
    let address = observed.event.get::<Hex>("address")?;
    Some(address.value >> PAGE_BITS)
}

/// Whether it is a program's report of a failure that the kernel also sees.
pub(crate) fn is_report_of_a_program(observed: &Observed) -> bool {
    let columns = observed.event.columns();
    columns.owner == Owner::Program && !columns.causes.is_empty()
}

/// The GPU with the cause of an incident, of those that failed: the GPU of the first event that no
/// event of another GPU can have caused. GPUs of a hive are reset together, and the one with the
/// error need not be the first.
pub(super) fn first_to_fail(events: &[usize], log: &Log) -> Option<PciAddress> {
    let failures: Vec<&Observed> = log
        .at(events)
        .filter(|observed| {
            observed.device.is_some() && observed.event.kind().part() == Part::Failure
        })
        .collect();
    let mut first = *failures.first()?;
    let near = |other: &Observed| {
        let span = first.stamp.elapsed(&other.stamp);
        span.is_some_and(|span| span <= TOGETHER)
    };
    let begun = failures.iter().find(|other| other.event.kind() == Kind::ResetBegin);
    // Events after the start of the reset cannot have caused it, except memory errors, which are
    // reported late.
    let in_time = |other: &Observed| {
        other.event.kind() == Kind::RasError
            || begun.is_none_or(|begun| other.sequence <= begun.sequence)
    };
    let elsewhere = failures.iter().take_while(|other| near(other)).find(|other| {
        other.device != first.device
            && in_time(other)
            && can_cause(other.event.kind(), first)
            && !can_cause(first.event.kind(), other)
    });
    if let Some(cause) = elsewhere {
        first = cause;
    }
    if first.event.kind() == Kind::RasError {
        let record = log.at(events).filter(|seen| is_uncorrected_record(seen) && near(seen));
        let mut devices = record.map(|record| record.device);
        return match devices.next() {
            Some(device) if devices.all(|other| other == device) => device,
            _ => first.device,
        };
    }
    first.device
}

/// Whether a GPU's own record says that an error was not corrected, or corrupted the state of the
/// processor: the general alarm reaches all GPUs, and does not say whose error it is.
///
/// Source: `ACA_REG__STATUS__UC` and `ACA_REG__STATUS__PCC` of `amdgpu_aca.h`; `amdgpu_ras_in_intr`
/// of `amdgpu_ras.c`, by which only the first GPU with the interrupt prints the alarm.
fn is_uncorrected_record(observed: &Observed) -> bool {
    const UNCORRECTED: u64 = 1 << 61 | 1 << 57;
    let status = observed.event.get::<Hex>("status").filter(|_| observed.device.is_some());
    observed.event.kind() == Kind::RasBank
        && status.is_some_and(|status| status.value & UNCORRECTED != 0)
}
