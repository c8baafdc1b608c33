//! Detects blocks of a GPU that failed during system suspend or resume: the driver prints the same
//! messages then, at runtime power management, and in a reset.

use super::Observed;
use crate::kind::Event;
use crate::value::{Phase, Text};

/// The value of the field `during` for such a failure.
const SYSTEM_SLEEP: &str = "system-sleep";

/// A line about the start of suspend or the end of resume: boot, sequence number, and which of the
/// two.
type Turn = (usize, u64, Phase);

/// Sets `during` in each failure to suspend or resume a block.
pub(super) fn tell_sleep(events: &mut [Observed]) {
    let turns: Vec<Turn> = events.iter().filter_map(turn).collect();
    if turns.is_empty() {
        return;
    }
    for observed in events {
        let place = (observed.boot, observed.sequence);
        if let Event::IpBlockFailed(failed) = &mut observed.event {
            let turned = matches!(failed.phase.as_deref(), Some("suspend" | "resume"));
            let asleep = turned && is_asleep(&turns, place);
            failed.during = asleep.then(|| Text::const_new(SYSTEM_SLEEP));
        }
    }
}

fn turn(observed: &Observed) -> Option<Turn> {
    let Event::SystemSleep(sleep) = &observed.event else { return None };
    sleep.phase.map(|phase| (observed.boot, observed.sequence, phase))
}

/// Whether the last such line before `place` is the start of suspend, or, without one, the next
/// line is the end of resume. Between two lines of the same kind one is missing.
fn is_asleep(turns: &[Turn], place: (usize, u64)) -> bool {
    let behind = turns.partition_point(|(boot, sequence, _)| (*boot, *sequence) < place);
    let of_this_boot = |turn: &&Turn| turn.0 == place.0;
    let before = behind.checked_sub(1).and_then(|at| turns.get(at)).filter(of_this_boot);
    let next = turns.get(behind).filter(of_this_boot);
    match (before.map(|turn| turn.2), next.map(|turn| turn.2)) {
        (Some(Phase::Begin), Some(Phase::End) | None) | (None, Some(Phase::End)) => true,
        (Some(Phase::Begin), Some(Phase::Begin))
        | (Some(Phase::End), _)
        | (None, Some(Phase::Begin) | None) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::event::log::tests::log;

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

    #[test]
    fn hibernation_is_a_sleep() {
        assert!(asleep("[  100.000000] PM: hibernation: hibernation entry\n", ""));
        assert!(asleep("", "[  131.200000] PM: hibernation: hibernation exit\n"));
    }
}
