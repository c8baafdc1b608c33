//! Which GPU the lines without a device are about that are printed while one is set up.

use super::Observed;
use super::census::is_about_some_gpu;
use super::facts::Facts;
use crate::kind::{Event, Kind, Subject};
use crate::value::PciAddress;

/// While a GPU is set up, so many records at most lie between the line that names its chip and the one
/// before that names its address.
pub(super) const LEAD_IN: u64 = 20;
/// Gives lines without a device, printed while the driver set up one GPU, to that one.
///
/// GPUs are set up one after the other: from the line that names the chip to the one that says that
/// the driver is ready, or that it gave up, all is about one of them, as long as no other one is named
/// in between. Where neither is seen, it ends where another GPU is named.
pub(super) fn attribute_setup(events: &mut [Observed], facts: &Facts) {
    for section in sections(events, facts) {
        let Some(part) = events.get_mut(section.first..section.end) else { continue };
        for observed in part.iter_mut().filter(|observed| observed.device.is_none()) {
            observed.device = Some(section.device).filter(|_| is_set_up(&observed.event));
            observed.inferred = observed.device.is_some();
        }
    }
}

/// A run of events that one GPU's set-up printed.
struct Section {
    first: usize,
    end: usize,
    device: PciAddress,
}

fn sections(events: &[Observed], facts: &Facts) -> Vec<Section> {
    let begins: Vec<usize> = (0..events.len())
        .filter(|at| events.get(*at).is_some_and(|observed| names_a_chip(&observed.event)))
        .collect();
    let mut found = Vec::new();
    for (index, first) in begins.iter().enumerate() {
        let limit = begins.get(index + 1).copied().unwrap_or(events.len());
        found.extend(section(events, facts, *first, limit));
    }
    found
}

fn section(events: &[Observed], facts: &Facts, first: usize, limit: usize) -> Option<Section> {
    let begin = events.get(first)?;
    let mut end = limit;
    let mut last = None;
    for (at, observed) in events.iter().enumerate().take(limit).skip(first + 1) {
        if observed.boot != begin.boot {
            end = at;
            break;
        }
        let event = &observed.event;
        let named = event.get::<PciAddress>("at").copied();
        let said = if event.kind() == Kind::DriverReady {
            named
        } else if gives_a_gpu_up(event) {
            named.or(observed.device)
        } else {
            continue;
        };
        (last, end) = (Some(said), at + 1);
        break;
    }
    let to = events.get(end).map_or(u64::MAX, |next| next.sequence);
    let before = begin.sequence.saturating_sub(LEAD_IN);
    let device = begin.device.or(last.flatten()).or_else(|| {
        let inside = facts.between(begin.sequence, to).first();
        inside.map_or_else(
            || facts.only_between(before, begin.sequence),
            |(at, device)| (*at <= begin.sequence + LEAD_IN).then_some(*device),
        )
    })?;
    // Another GPU that is named in between makes it two stories in one.
    if let Some(other) = facts.other_between(device, begin.sequence, to) {
        if last.is_some() {
            return None;
        }
        end = events.partition_point(|observed| observed.sequence < other).clamp(first + 1, end);
    }
    Some(Section { first, end, device })
}

/// Whether this is the line in which the driver says which chip it initialises.
pub(super) fn names_a_chip(event: &Event) -> bool {
    event.kind() == Kind::GpuIdentity && event.text("chip").is_some()
}

/// Whether the driver core says that a driver could not take its device into service.
fn gives_a_gpu_up(event: &Event) -> bool {
    let named = event.text("driver").is_some() || event.get::<PciAddress>("at").is_some();
    event.kind() == Kind::InitFailed && named
}

/// Whether a GPU's set-up prints such a line.
fn is_set_up(event: &Event) -> bool {
    event.columns().subject != Subject::Task && is_about_some_gpu(event)
}
