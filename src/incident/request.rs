//! Resets without a preceding failure: someone requested them, or the driver sets up the GPU with
//! them.

use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Kind, Part};
use crate::value::{Micros, ResetSource};

/// Maximum time between a failure and the reset that it leads to.
const LEADS_TO_A_RESET: Micros = Micros::seconds(60);

/// Maximum number of events to examine before a reset; beyond it, the question is undecidable.
const MOST_BEFORE: usize = 10_000;

/// Whether the only failure is a requested reset.
pub(super) fn is_request(events: &[&Observed], log: &Log) -> bool {
    let ordered = events.iter().any(|o| o.event.kind() == Kind::ResetRequested);
    let asked_for = |begin: &Observed| match begin.event.get::<ResetSource>("source") {
        Some(source) => *source == ResetSource::User,
        None => nothing_failed_before(begin, log) && (ordered || is_covered(begin, log)),
    };
    let mut failures = events.iter().filter(|o| o.event.kind().part() == Part::Failure).peekable();
    failures.peek().is_some()
        && failures.all(|o| o.event.kind() == Kind::ResetBegin && asked_for(o))
}

/// Whether everything is a reset with which the driver sets up a GPU: it was announced, or nothing
/// had failed before. Linked GPUs are reset in this way without messages about start and end.
pub(super) fn is_init_reset(events: &[&Observed], announced: bool, log: &Log) -> bool {
    let is_step = |observed: &&Observed| {
        matches!(
            observed.event.kind(),
            Kind::ResetHardwareDone | Kind::VramLost | Kind::ResetMethodChosen
        )
    };
    let reset = events.iter().find(|o| o.event.kind() == Kind::ResetHardwareDone);
    let unprovoked =
        |reset: &&Observed| is_covered(reset, log) && nothing_failed_before(reset, log);
    events.iter().all(is_step) && (announced || reset.is_some_and(unprovoked))
}

/// Whether the log would show a failure before a reset: it covers that time completely and
/// unfiltered.
fn is_covered(begin: &Observed, log: &Log) -> bool {
    let Some(boot) = log.boots.get(begin.boot) else { return false };
    let covered = boot.from_start
        || boot.first.elapsed(&begin.stamp).is_some_and(|span| span > LEADS_TO_A_RESET);
    covered && log.is_whole() && !log.may_be_filtered() && !log.has_holes(begin.boot)
}

/// Whether no failure precedes a reset, including unknown messages.
fn nothing_failed_before(begin: &Observed, log: &Log) -> bool {
    let place = log.position(begin.sequence).filter(|_| !begin.stamp.is_timeless());
    let Some(place) = place else { return false };
    let before = log.events.get(..place).unwrap_or_default().iter().rev().take(MOST_BEFORE);
    let near = |observed: &Observed| {
        observed.boot == begin.boot
            && observed.stamp.elapsed(&begin.stamp).is_some_and(|span| span <= LEADS_TO_A_RESET)
    };
    // An unknown line after this record may report a failure.
    let last = before.clone().find(|observed| !near(observed));
    let fails =
        |observed: &Observed| observed.of_a_gpu && observed.event.kind().part() == Part::Failure;
    (last.is_some() || place < MOST_BEFORE)
        && !log.unknown.may_complain(last.map_or(0, |last| last.sequence)..begin.sequence)
        && !before.take_while(|observed| near(observed)).any(fails)
}
