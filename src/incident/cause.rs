//! Which event can have caused which: by their kinds, by the page that both name, by time and place.

use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Kind, Owner, Part};
use crate::value::{Hex, Micros, PciAddress};

/// GPUs that are reset together are so within this span.
pub(super) const TOGETHER: Micros = Micros::seconds(2);

/// A page of memory, by the bits of its addresses that count.
const PAGE_BITS: u32 = 12;

/// Whether an event of the kind `cause` can lead to `effect`.
pub(crate) fn can_cause(cause: Kind, effect: &Observed) -> bool {
    effect.event.columns().causes.iter().any(|kinds| kinds.contains(&cause))
}

/// The page that a memory access went to, where the event names it.
pub(crate) fn page(observed: &Observed) -> Option<u64> {
    let address = observed.event.get::<Hex>("address")?;
    Some(address.value >> PAGE_BITS)
}

/// Whether it is a line that a GPU program prints about a failure which the kernel sees, too.
pub(crate) fn is_report_of_a_program(observed: &Observed) -> bool {
    let columns = observed.event.columns();
    columns.owner == Owner::Program && !columns.causes.is_empty()
}

/// The GPU with the cause of an incident, of those that it took down: that of the first event that no event
/// of another one can have caused. GPUs of a hive are reset together, and the one with the error does not
/// always begin.
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
    // What fails behind the begin of the reset is none of its causes; memory errors are reported late.
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
    first.device
}
