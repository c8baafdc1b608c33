//! FreeBSD ignores some errors of the driver, which prints them all the same.

use super::Observed;
use super::log::Boot;
use crate::kind::{Event, Kind};
use crate::pattern::distribution::System;
use crate::value::{DistributionFamily, Level};

/// The message of an error at the start of a GPU that FreeBSD's port ignores.
///
/// Source: `amdgpu_bo_init()` of drm-kmod's `amdgpu_object.c`, which returns it on Linux only.
const IGNORED: &str = "bo-aperture-failed";

/// Makes notes of the errors that the system of their boot ignores.
pub(super) fn note_ignored(events: &mut [Observed], boots: &[Boot]) {
    let is_freebsd = |system: &System| system.family == DistributionFamily::Freebsd;
    for observed in events {
        let system = boots.get(observed.boot).and_then(|boot| boot.system.as_ref());
        if observed.event.kind() == Kind::InitFailed
            && observed.message.as_str() == IGNORED
            && system.is_some_and(is_freebsd)
        {
            observed.event = Event::SetupNote(Box::default());
            observed.level = Some(Level::Notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::event::log::tests::log;
    use crate::kind::Kind;

    #[test]
    fn an_error_that_freebsd_ignores_is_a_note_there() {
        const TEXT: &str = "Unable to set WC memtype for the aperture base";
        for (line, kind) in [
            (format!("[drm ERROR :amdgpu_bo_init] {TEXT}"), Kind::SetupNote),
            (format!("[    3.1] [drm:amdgpu_bo_init [amdgpu]] *ERROR* {TEXT}"), Kind::InitFailed),
        ] {
            let log = log(&format!("{line}\n"));
            assert_eq!(log.events.first().map(|seen| seen.event.kind()), Some(kind), "{line}");
        }
    }
}
