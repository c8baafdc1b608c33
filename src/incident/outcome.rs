//! How an incident ended, from the driver's own words only.

use crate::event::Observed;
use crate::event::log::{Coverage, Log};
use crate::kind::{Event, Leaves, Part};
use crate::record::Stamp;
use crate::value::Micros;
pub(crate) use crate::value::Outcome;

use super::recovery::{Recovery, Stage};

/// A recovery without an end is called unfinished when the log goes on for so long.
const UNFINISHED_AFTER: Micros = Micros::seconds(60);

/// How the incident with these events ended.
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
    match recovery.stage {
        // What a ring did beside it brings nothing back of what waits.
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
    // So many tasks that sleep at once are stuck: one may sleep while a process listing is made.
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
            Coverage::Past => Outcome::Hung,
            Coverage::Ends | Coverage::Broken => Outcome::Unknown,
        };
    }
    let columns = events.iter().map(|observed| observed.event.columns());
    let mut failures = columns.filter(|columns| columns.part == Part::Failure).peekable();
    if failures.peek().is_some() && failures.all(|columns| columns.leaves == Leaves::Working) {
        // Where the log ends with the failure, nothing in it shows that the GPU went on.
        let shows_life = events.last().is_some_and(|last| log.goes_on_behind(last));
        return if shows_life { Outcome::None } else { Outcome::Unknown };
    }
    // A refusal proves a lost context, and not that the GPU works again.
    Outcome::Unknown
}

/// Whether work hangs, by the driver's word.
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

/// Whether the last job is done by the time of the report: then it was only late.
fn is_done(event: &Event) -> bool {
    let signaled = event.get::<u64>("signaled");
    signaled.is_some() && signaled == event.get("emitted")
}
