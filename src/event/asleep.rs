//! Detects what the driver does because the machine sleeps: blocks that it suspends and resumes, the
//! reset with which it puts a GPU to sleep, and the tests of its rings after waking. It prints the same
//! messages at runtime power management, and in a reset.

use super::Observed;
use crate::kind::{Effect, Event, Kind};
use crate::record::Stamp;
use crate::value::{Micros, Phase, Text};

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
    let mut hang = None;
    for observed in events {
        hang = hang_at(observed, hang);
        let amid_reset = hang.is_some_and(|(boot, begun): (usize, Stamp)| {
            boot == observed.boot && begun.elapsed(&observed.stamp).is_none_or(|span| span <= NEAR)
        });
        let asleep = is_asleep(&turns, observed);
        let tested = || asleep.is_some_and(|since| since.is_none_or(|since| since <= TESTED));
        if let Event::IpBlockFailed(failed) = &mut observed.event {
            let turned = matches!(failed.phase.as_deref(), Some("suspend" | "resume"));
            let in_reset = amid_reset.then_some(RESET);
            let during = if asleep == Some(None) { Some(SYSTEM_SLEEP) } else { in_reset };
            failed.during = during.filter(|_| turned).map(Text::const_new);
        } else if let Event::ResetMethodChosen(reset) = &mut observed.event {
            let of_sleep = asleep == Some(None) && !amid_reset;
            reset.during = of_sleep.then_some(Text::const_new(SYSTEM_SLEEP));
        } else if let Event::RingTestFailed(failed) = &mut observed.event {
            let of_sleep = tested() && !amid_reset;
            failed.during = of_sleep.then_some(Text::const_new(SYSTEM_SLEEP));
        }
    }
}

/// Boot and time of the last hang or start of a reset that has not ended: at `observed`, where
/// `before` is the one before it.
fn hang_at(observed: &Observed, before: Option<(usize, Stamp)>) -> Option<(usize, Stamp)> {
    let is_hang = matches!(observed.event.kind(), Kind::RingTimeout | Kind::HwsHang);
    match observed.event.columns().recovery {
        Effect::Begins | Effect::InProgress => Some((observed.boot, observed.stamp)),
        Effect::Skips | Effect::Succeeds | Effect::SucceedsInPart | Effect::Fails => None,
        _ if is_hang => Some((observed.boot, observed.stamp)),
        // Nothing is reset while the machine goes to sleep.
        _ if turn(observed).is_some() => None,
        _ => before,
    }
}

fn turn(observed: &Observed) -> Option<Turn> {
    let Event::SystemSleep(sleep) = &observed.event else { return None };
    sleep.phase.map(|phase| (observed.boot, observed.sequence, phase, observed.stamp))
}

/// Whether the machine is between the start of suspend and the end of resume: `Some(None)` there, and
/// after the end the time since. Without the line of the start, the next line is that of the end.
/// Between two lines of the same kind one is missing.
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
        assert_eq!(class(failed), Some(FailureClass::Sleep));
        assert_eq!(class(&format!("{hang}{failed}")), None);
    }

    #[test]
    fn hibernation_is_a_sleep() {
        assert!(asleep("[  100.000000] PM: hibernation: hibernation entry\n", ""));
        assert!(asleep("", "[  131.200000] PM: hibernation: hibernation exit\n"));
    }
}
