//! Attributes lines without a device that are printed during the setup of a GPU.

use super::Observed;
use super::census::is_about_some_gpu;
use super::facts::Facts;
use crate::kind::{Event, Kind, Subject};
use crate::value::PciAddress;

/// Maximum number of records between the line with a GPU's address and the following line with its
/// chip.
pub(super) const LEAD_IN: u64 = 20;
/// Attributes lines without a device during the setup of one GPU to that GPU.
///
/// GPUs are set up one after the other: from the line with the chip to the line that reports
/// success or failure, everything concerns one GPU, as long as no other one is named in between.
/// Without a final line, the section ends where another GPU is named.
pub(super) fn attribute_setup(events: &mut [Observed], facts: &Facts) {
    for section in sections(events, facts) {
        let Some(part) = events.get_mut(section.first..section.end) else { continue };
        for observed in part.iter_mut().filter(|observed| observed.device.is_none()) {
            observed.device = Some(section.device).filter(|_| is_set_up(&observed.event));
            observed.inferred = observed.device.is_some();
        }
    }
}

/// The events of one GPU's setup.
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
    // If another GPU is named in between, the section is ambiguous.
    if let Some(other) = facts.other_between(device, begin.sequence, to) {
        if last.is_some() {
            return None;
        }
        end = events.partition_point(|observed| observed.sequence < other).clamp(first + 1, end);
    }
    Some(Section { first, end, device })
}

/// Whether this is the line in which the driver names the chip.
pub(super) fn names_a_chip(event: &Event) -> bool {
    event.kind() == Kind::GpuIdentity && event.text("chip").is_some()
}

/// Whether the driver core reports that a device could not be initialised.
fn gives_a_gpu_up(event: &Event) -> bool {
    let named = event.text("driver").is_some() || event.get::<PciAddress>("at").is_some();
    event.kind() == Kind::InitFailed && named
}

/// Whether the line belongs to a GPU's setup.
fn is_set_up(event: &Event) -> bool {
    event.columns().subject != Subject::Task && is_about_some_gpu(event)
}
