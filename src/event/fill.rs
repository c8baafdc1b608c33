//! Fills the fields of events from messages.

use crate::kind::{Event, Kind, Subject};
use crate::pattern::matcher::Found;
use crate::value::field::Conversion;

/// The work queue of a kernel worker: `ttm` of `kworker/u49:9+ttm`.
///
/// Source: `wq_worker_comm()` of `kernel/workqueue.c`: `+` while it works, `-` for the last one it
/// served.
pub(super) fn worker_queue(task: &str) -> Option<&str> {
    let worker = task.strip_prefix("kworker/")?;
    worker.split_once(['+', '-']).map(|(_, queue)| queue).filter(|queue| !queue.is_empty())
}

/// An event with the fields of a message, of the message's kind `kind`.
pub(super) fn filled(kind: Kind, found: &Found<'_, '_>) -> Event {
    let mut event = Event::empty(kind);
    for (place, text, conversion) in found.values(0) {
        if let Some(slot) = event.slot(place) {
            slot.set(text, conversion);
        }
    }
    if let Some((place, queue, conversion)) = queue_of_worker(kind, found.values(0))
        && let Some(slot) = event.slot(place)
    {
        slot.set(queue, conversion);
    }
    event
}

/// Adds the fields of a continuation line. Returns false, without changes, if the message does not
/// fit such an event or repeats a field: then it belongs to another event.
pub(super) fn absorbed(event: &mut Event, found: &Found<'_, '_>) -> bool {
    let kind = event.kind();
    let Some(at) = found.message.kinds.iter().position(|one| *one == kind) else { return false };
    let values = found.values(at).chain(queue_of_worker(kind, found.values(at)));
    let takes = values.clone().all(|(place, text, conversion)| {
        event.slot(place).is_none_or(|slot| slot.takes(text, conversion))
    });
    if takes {
        for (place, text, conversion) in values {
            if let Some(slot) = event.slot(place) {
                slot.absorb(text, conversion);
            }
        }
    }
    takes
}

/// The work queue in the name of a task, if the line does not contain it otherwise.
fn queue_of_worker<'t>(
    kind: Kind,
    mut values: impl Iterator<Item = (usize, &'t str, Conversion)> + Clone,
) -> Option<(usize, &'t str, Conversion)> {
    if kind.row().columns.subject != Subject::Task {
        return None;
    }
    let (queue, task) = (kind.place("queue")?, kind.place("task")?);
    let says =
        |(place, text, _): (usize, &str, Conversion)| place == queue && !text.trim().is_empty();
    if values.clone().any(says) {
        return None;
    }
    let (_, task, conversion) = values.find(|(place, ..)| *place == task)?;
    Some((queue, worker_queue(task.trim())?, conversion))
}
