//! The outcome of an incident, from the driver's own messages only.

use std::collections::BTreeMap;

use crate::event::Observed;
use crate::event::log::{Coverage, Log};
use crate::kind::{Event, Kind, Leaves, Part};
use crate::record::Stamp;
pub(crate) use crate::value::Outcome;
use crate::value::{Micros, Ring};

use super::recovery::{Recovery, SETTLED_AFTER, Stage};

/// A recovery without an end is unfinished if the log continues for this time.
const UNFINISHED_AFTER: Micros = Micros::seconds(60);

/// Maximum number of events after an incident that are asked whether the GPU worked again.
const FOLLOWING: usize = 1000;
/// Maximum number of rings for which that is asked; a GPU has fewer.
const MOST_RINGS: usize = 64;

/// The outcome of the incident with these events.
pub(crate) fn outcome(recovery: &Recovery, events: &[&Observed], log: &Log) -> Outcome {
    let boot = events.first().map_or(0, |observed| observed.boot);
    let goes_on = |stamp: &Stamp, sequence: u64| {
        log.coverage(boot, sequence, stamp, UNFINISHED_AFTER) == Coverage::Past
    };
    if recovery.has_succeeded()
        && !recovery.is_switched_off()
        && let Some((stamp, sequence)) = &recovery.stuck_again
    {
        return if goes_on(stamp, *sequence) { Outcome::Hung } else { Outcome::Unknown };
    }
    if let Some(fault) = recovery.faulted_since()
        && !log.lasts_beyond(boot, &fault, SETTLED_AFTER)
    {
        return Outcome::Unknown;
    }
    match recovery.stage {
        // A ring reset next to it does not recover what hangs.
        Stage::Succeeded if recovery.is_switched_off() => Outcome::Hung,
        Stage::Succeeded if recovery.vram_lost => Outcome::VramLost,
        Stage::Succeeded if recovery.context_lost => Outcome::RecoveredContextLost,
        Stage::Succeeded => Outcome::Recovered,
        Stage::Failed => Outcome::Failed,
        Stage::Running(..) if recovery.has_stopped() => Outcome::Failed,
        Stage::Running(..) if recovery.is_unannounced() => Outcome::Unknown,
        Stage::Running(begun, sequence) if goes_on(&begun, sequence) => Outcome::NeverCompleted,
        Stage::Running(..) => Outcome::Unknown,
        Stage::NotBegun => without_recovery(recovery, events, log),
    }
}

fn without_recovery(recovery: &Recovery, events: &[&Observed], log: &Log) -> Outcome {
    // This many tasks asleep at once hang; a single one may just be asleep while processes are
    // listed.
    const CROWD: usize = 3;
    let count = |leaves: Leaves| {
        events.iter().filter(|observed| observed.event.columns().leaves == leaves).count()
    };
    if recovery.given_up {
        return Outcome::Failed;
    }
    if recovery.is_switched_off()
        || recovery.is_left_to_others()
        || count(Leaves::Asleep) > 0
        || count(Leaves::AsleepInCrowds) >= CROWD
    {
        return Outcome::Hung;
    }
    let stuck = count(Leaves::StuckIfRepeated) > 1
        || events.iter().any(|observed| is_stuck(&observed.event));
    if stuck && let Some(last) = events.last() {
        return match log.coverage(last.boot, last.sequence, &last.stamp, UNFINISHED_AFTER) {
            // How the ring came to work again, the log does not show.
            Coverage::Past if works_later(events, log) => Outcome::Unknown,
            Coverage::Past => Outcome::Hung,
            Coverage::Ends | Coverage::Broken => Outcome::Unknown,
        };
    }
    let columns = events.iter().map(|observed| observed.event.columns());
    let mut failures = columns.filter(|columns| columns.part == Part::Failure).peekable();
    if failures.peek().is_some() && failures.all(|columns| columns.leaves == Leaves::Working) {
        // If the log ends with the failure, it does not show that the GPU continued. The driver dumps
        // the state of a GPU only for a job that timed out, or for a reset.
        let is_dump =
            |seen: &&Observed| matches!(seen.event.kind(), Kind::StateDump | Kind::CoredumpCreated);
        // A program that crashes in the GPU's library may do so because the GPU fails.
        let is_crash = |seen: &&Observed| seen.event.kind() == Kind::LibraryCrash;
        let goes_on = |last: &&Observed| {
            log.is_followed(last.boot) || log.lasts_beyond(last.boot, &last.stamp, UNFINISHED_AFTER)
        };
        let shows_life = events.last().is_some_and(|last| log.continues_after(last))
            && !events.iter().any(is_dump)
            && (!events.iter().any(is_crash) || events.last().is_some_and(goes_on));
        return if shows_life { Outcome::None } else { Outcome::Unknown };
    }
    // A rejected submission proves a lost context, and not that the GPU works again.
    Outcome::Unknown
}

/// Whether each ring whose job timed out finished later jobs, as a later timeout of it says.
fn works_later(events: &[&Observed], log: &Log) -> bool {
    let is_timeout = |seen: &&Observed| seen.event.kind() == Kind::RingTimeout;
    let last: BTreeMap<Option<&Ring>, &Observed> =
        events.iter().copied().filter(is_timeout).map(|seen| (ring(seen), seen)).collect();
    let Some(end) = events.last().filter(|_| (1..=MOST_RINGS).contains(&last.len())) else {
        return false;
    };
    let number = |of: &Observed, field: &str| of.event.get::<u64>(field).copied();
    let after = log.events.partition_point(|seen| seen.sequence <= end.sequence);
    let later: Vec<&Observed> =
        log.events.iter().skip(after).take(FOLLOWING).filter(is_timeout).collect();
    last.iter().all(|(name, own)| {
        let of_it = |seen: &&&Observed| {
            (seen.boot, seen.device) == (own.boot, own.device) && ring(seen) == *name
        };
        let emitted = number(own, "emitted").unwrap_or(u64::MAX);
        later.iter().filter(of_it).any(|seen| number(seen, "signaled") > Some(emitted))
    })
}

fn ring(timeout: &Observed) -> Option<&Ring> {
    timeout.event.get("ring")
}

/// Whether work hangs, according to the driver.
pub(super) fn is_stuck(event: &Event) -> bool {
    match event.columns().leaves {
        Leaves::Stuck => true,
        Leaves::StuckUnlessDone => !is_done(event),
        Leaves::Unclear
        | Leaves::Working
        | Leaves::StuckIfRepeated
        | Leaves::Asleep
        | Leaves::AsleepInCrowds => false,
    }
}

/// Whether the last job was complete when it was reported: then it was only late.
fn is_done(event: &Event) -> bool {
    let signaled = event.get::<u64>("signaled");
    signaled.is_some() && signaled == event.get("emitted")
}
