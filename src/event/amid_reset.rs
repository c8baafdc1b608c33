//! Attributes a crash of the kernel without a call trace to the GPU that is being reset at that
//! moment.

use super::Observed;
use crate::kind::{Effect, Kind, is_of_a_crash};
use crate::value::{Frames, Micros};

/// Maximum time from the start of the reset to the crash. Longer waits are the firmware's.
const NEAR: Micros = Micros::seconds(10);

/// Attributes each crash whose place the log does not show, and that falls into a reset.
pub(super) fn attribute_amid_reset(events: &mut [Observed]) {
    // The start of the reset that has not ended.
    let mut running: Option<usize> = None;
    for at in 0..events.len() {
        let Some((before, [observed, ..])) = events.split_at_mut_checked(at) else { continue };
        let effect = observed.event.columns().recovery;
        if effect == Effect::Begins {
            running = Some(at);
        } else if matches!(effect, Effect::Skips | Effect::Succeeds | Effect::Fails) {
            running = None;
        }
        let reset = running.and_then(|reset| before.get(reset));
        if let Some(reset) = reset.filter(|_| observed.is_crash_without_place()) {
            let span = reset.stamp.elapsed(&observed.stamp).filter(|_| reset.boot == observed.boot);
            if span.is_some_and(|span| span <= NEAR) {
                observed.of_a_gpu = true;
                observed.device = reset.device;
                observed.inferred = reset.device.is_some();
            }
        }
    }
}

impl Observed {
    /// Whether the kernel crashed, and no line of it in the log names a function or file.
    pub(crate) fn is_crash_without_place(&self) -> bool {
        let event = &self.event;
        event.kind() == Kind::KernelOops
            && event.text("what").is_some_and(is_of_a_crash)
            && event.get::<Frames>("stack").is_none()
            && event.text("file").is_none()
    }
}
