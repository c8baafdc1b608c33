//! Attributes lines without a device that are printed together with a line that has one.

use super::Observed;
use crate::kind::Kind;
use crate::value::Micros;

/// Maximum time between lines that one function prints in a row.
const AT_ONCE: Micros = Micros(5_000);
/// The driver resumes a few blocks before it detects that video memory is lost.
const FIRST_BLOCKS: Micros = Micros::seconds(2);

/// Attributes lines without a device to the GPU of an adjacent line, if the driver prints the two
/// together: the timeout of a job and the start of the reset (`amdgpu_job_timedout()`), a failed
/// reset and the failed recovery, the reset of a chip and its lost memory
/// (`amdgpu_do_asic_reset()`).
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
