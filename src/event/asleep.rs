//! Detects what the driver does because the machine sleeps: blocks that it suspends and resumes,
//! the reset with which it puts a GPU to sleep, and the tests of its rings after waking. It prints
//! the same messages at runtime power management, and in a reset.

use std::collections::BTreeMap;

use super::Observed;
use crate::kind::{Effect, Event, Kind};
use crate::record::Stamp;
use crate::value::{Micros, PciAddress, Phase, Text};

/// The value of the field `during` for what belongs to a sleep of the machine.
const SYSTEM_SLEEP: &str = "system-sleep";

/// Its value for a block that is resumed in a reset.
const RESET: &str = "reset";

/// Maximum time from a hang or the start of its reset to a block that fails in that reset.
const NEAR: Micros = Micros::seconds(60);

/// Maximum time from the end of resume to the end of the tests. The driver starts them two seconds
/// after it has resumed the blocks (`AMDGPU_RESUME_MS`), and waits for them.
const TESTED: Micros = Micros::seconds(10);

/// A line about the start of suspend or the end of resume: boot, sequence number, which of the two,
/// and its time.
type Turn = (usize, u64, Phase, Stamp);

/// Sets `during` in what the driver does because the machine sleeps.
pub(super) fn tell_sleep(events: &mut [Observed]) {
    let turns: Vec<Turn> = events.iter().filter_map(turn).collect();
    let mut hangs = Hangs::default();
    for observed in events {
        hangs.see(observed);
        let (amid_hang, amid_reset) = hangs.near(observed);
        let asleep = is_asleep(&turns, observed);
        let tested = || asleep.is_some_and(|since| since.is_none_or(|since| since <= TESTED));
        if let Event::IpBlockFailed(failed) = &mut observed.event {
            let turned = matches!(failed.phase.as_deref(), Some("suspend" | "resume"));
            let during = match asleep {
                _ if amid_reset => Some(RESET),
                Some(None) => Some(SYSTEM_SLEEP),
                Some(Some(_)) | None => amid_hang.then_some(RESET),
            };
            failed.during = during.filter(|_| turned).map(Text::const_new);
        } else if let Event::ResetMethodChosen(reset) = &mut observed.event {
            let of_sleep = asleep == Some(None) && !amid_hang;
            reset.during = of_sleep.then_some(Text::const_new(SYSTEM_SLEEP));
        } else if let Event::RingTestFailed(failed) = &mut observed.event {
            let of_sleep = tested() && !amid_hang;
            failed.during = of_sleep.then_some(Text::const_new(SYSTEM_SLEEP));
        }
    }
}

/// The last hang or start of a reset of each GPU that has not ended.
#[derive(Default)]
struct Hangs(BTreeMap<Option<PciAddress>, Hang>);

struct Hang {
    boot: usize,
    at: Stamp,
    is_reset: bool,
}

impl Hangs {
    fn see(&mut self, observed: &Observed) {
        let Observed { boot, device, stamp, .. } = observed;
        let effect = observed.event.columns().recovery;
        let is_reset = matches!(effect, Effect::Begins | Effect::InProgress);
        let is_over = matches!(
            effect,
            Effect::Skips | Effect::Succeeds | Effect::SucceedsInPart | Effect::Fails
        );
        let is_hang = matches!(observed.event.kind(), Kind::RingTimeout | Kind::HwsHang);
        if is_over {
            self.0.retain(|of, _| !may_be_same(*of, *device));
        } else if is_reset || is_hang {
            self.0.insert(*device, Hang { boot: *boot, at: *stamp, is_reset });
        } else if turn(observed).is_some() {
            // The driver begins no reset while the machine goes to sleep, but it can end one.
            self.0.retain(|_, hang| hang.is_reset);
        }
    }

    /// Whether one of this GPU is so near that what fails here may fail in its reset, and whether
    /// that reset has begun.
    fn near(&self, observed: &Observed) -> (bool, bool) {
        let near = self.0.iter().filter(|(of, hang)| {
            let span = hang.at.elapsed(&observed.stamp);
            hang.boot == observed.boot
                && may_be_same(**of, observed.device)
                && span.is_none_or(|span| span <= NEAR)
        });
        near.fold((false, false), |(_, reset), (_, hang)| (true, reset || hang.is_reset))
    }
}

/// Whether two lines are of the same GPU, as far as they name it.
fn may_be_same(one: Option<PciAddress>, other: Option<PciAddress>) -> bool {
    one.is_none() || other.is_none() || one == other
}

fn turn(observed: &Observed) -> Option<Turn> {
    let Event::SystemSleep(sleep) = &observed.event else { return None };
    sleep.phase.map(|phase| (observed.boot, observed.sequence, phase, observed.stamp))
}

/// Whether the machine is between the start of suspend and the end of resume: `Some(None)` there,
/// and after the end the time since. Without the line of the start, the next line is that of the
/// end. Between two lines of the same kind one is missing.
#[allow(clippy::option_option, reason = "whether it sleeps, and since when it is awake")]
fn is_asleep(turns: &[Turn], observed: &Observed) -> Option<Option<Micros>> {
    let place = (observed.boot, observed.sequence);
    let behind = turns.partition_point(|(boot, sequence, ..)| (*boot, *sequence) < place);
    let of_this_boot = |turn: &&Turn| turn.0 == place.0;
    let before = behind.checked_sub(1).and_then(|at| turns.get(at)).filter(of_this_boot);
    let next = turns.get(behind).filter(of_this_boot);
    match (before.map(|turn| turn.2), next.map(|turn| turn.2)) {
        (Some(Phase::Begin), Some(Phase::End) | None) | (None, Some(Phase::End)) => Some(None),
        (Some(Phase::End), _) => {
            let since = before.and_then(|turn| turn.3.elapsed(&observed.stamp));
            since.map(Some)
        }
        (Some(Phase::Begin), Some(Phase::Begin)) | (None, Some(Phase::Begin) | None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::log::tests::log;
    use crate::value::FailureClass;

    const ENTRY: &str = "[  100.000000] PM: suspend entry (deep)\n";
    /// The reset of this GPU and the hang of another one, half a second before suspend and in it.
    const BEGUN: &str = "[   99.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n";
    const HANG_OF_ANOTHER: &str = "[  130.000000] amdgpu 0000:0c:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
    const EXIT: &str = "[  131.200000] PM: suspend exit\n";

    fn asleep(before: &str, behind: &str) -> bool {
        let failed = "[  131.100000] amdgpu 0000:03:00.0: amdgpu: resume of IP block <gfx_v10_0> failed -110\n";
        let log = log(&format!("{before}{failed}{behind}"));
        let mut during = log.events.iter().filter_map(|observed| observed.event.text("during"));
        during.next() == Some("system-sleep")
    }

    #[test]
    fn a_block_fails_in_a_sleep_between_the_two_lines_of_it() {
        for (before, behind, expected) in [
            ("", "", false),
            (ENTRY, "", true),
            ("", EXIT, true),
            (ENTRY, EXIT, true),
            (EXIT, "", false),
            ("", ENTRY, false),
            (EXIT, EXIT, false),
            (ENTRY, ENTRY, false),
            (&format!("{ENTRY}{HANG_OF_ANOTHER}"), EXIT, true),
            (&format!("{BEGUN}{ENTRY}"), EXIT, false),
        ] {
            assert_eq!(asleep(before, behind), expected, "{before}{behind}");
        }
    }

    /// What the driver does because the machine sleeps, of each failed test and reset.
    fn sleeps(text: &str) -> Vec<bool> {
        let log = log(text);
        let kinds = [Kind::RingTestFailed, Kind::ResetMethodChosen];
        let events = log.events.iter().filter(|seen| kinds.contains(&seen.event.kind()));
        events.map(|seen| seen.event.text("during") == Some(SYSTEM_SLEEP)).collect()
    }

    #[test]
    fn the_reset_and_the_tests_of_a_sleep_belong_to_it() {
        let reset = "[  100.500000] amdgpu 0000:03:00.0: amdgpu: MODE1 reset\n";
        let test = |time: u32| {
            format!(
                "[{time:5}.000000] [drm:amdgpu_ib_ring_tests [amdgpu]] *ERROR* IB test failed on gfx_0.0.0 (-110).\n"
            )
        };
        let begun = "[  100.400000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n";
        for (text, expected) in [
            (format!("{ENTRY}{reset}{}{EXIT}", test(130)), vec![true, true]),
            (format!("{ENTRY}{EXIT}{}", test(133)), vec![true]),
            (format!("{ENTRY}{EXIT}{}", test(199)), vec![false]),
            (format!("{begun}{reset}{}", test(101)), vec![false, false]),
            (format!("{ENTRY}{begun}{reset}{}{EXIT}", test(101)), vec![false, false]),
            (format!("{BEGUN}{ENTRY}{reset}{}{EXIT}", test(101)), vec![false, false]),
            (format!("{HANG_OF_ANOTHER}{ENTRY}{reset}"), vec![true]),
            (test(130), vec![false]),
        ] {
            assert_eq!(sleeps(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_block_that_fails_in_a_reset_is_told_from_one_that_does_not_wake_up() {
        let hang = "[  130.000000] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n";
        let failed = "[  131.100000] amdgpu 0000:03:00.0: amdgpu: resume of IP block <gfx_v10_0> failed -110\n";
        let class = |text: &str| {
            let log = log(text);
            let failed = log.events.iter().find(|seen| seen.event.kind() == Kind::IpBlockFailed);
            failed.and_then(|seen| seen.event.class())
        };
        assert_eq!(class(failed), None);
        assert_eq!(class(&format!("{ENTRY}{failed}")), Some(FailureClass::Sleep));
        assert_eq!(class(&format!("{hang}{failed}")), None);
    }

    #[test]
    fn hibernation_is_a_sleep() {
        assert!(asleep("[  100.000000] PM: hibernation: hibernation entry\n", ""));
        assert!(asleep("", "[  131.200000] PM: hibernation: hibernation exit\n"));
    }
}
