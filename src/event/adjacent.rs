//! Lines without a device that one thread prints together with a line that has one.

use super::Observed;
use crate::kind::Kind;
use crate::value::Micros;

/// What one function prints in a row comes within this time.
const AT_ONCE: Micros = Micros(5_000);
/// The driver starts a few blocks before it finds that video memory is lost.
const FIRST_BLOCKS: Micros = Micros::seconds(2);

/// Gives lines without a device the GPU of the line next to them, where the driver prints the two in a row:
/// the timeout of a job and the reset that it begins (`amdgpu_job_timedout()`), a reset that failed and the
/// recovery that failed with it, a chip that was reset and its lost memory (`amdgpu_do_asic_reset()`).
pub(super) fn attribute_adjacent(events: &mut [Observed]) {
    for at in 1..events.len() {
        let Some([before, after]) = events.get_mut(at - 1..=at) else { continue };
        let span = before.stamp.elapsed(&after.stamp).filter(|_| before.boot == after.boot);
        let within = |limit: Micros| span.is_some_and(|span| span <= limit);
        let kinds = (before.event.kind(), after.event.kind());
        if kinds == (Kind::RingTimeout, Kind::ResetBegin) && within(AT_ONCE) {
            follow(before, after);
        } else if (kinds == (Kind::ResetFailed, Kind::ResetFailed) && within(AT_ONCE))
            || (kinds == (Kind::ResetHardwareDone, Kind::VramLost) && within(FIRST_BLOCKS))
        {
            follow(after, before);
        }
    }
}

fn follow(nameless: &mut Observed, named: &Observed) {
    if nameless.device.is_none() && named.device.is_some() {
        nameless.device = named.device;
        nameless.inferred = true;
    }
}
