//! What is known of a recovery besides its outcome.

use super::{Row, last_of, may_have_screen};
use crate::diagnosis::Finding;
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Kind, Milestone};
use crate::report::ReportPart;
use crate::report::state::{Aftermath, Last};
use crate::value::Micros;

/// A failure that comes back within this time after a recovery is part of a series.
const SOON: Micros = Micros::seconds(600);

/// A panic within this time belongs to the failure before it.
const AT_ONCE: Micros = Micros::seconds(60);

/// What is known of the recovery of `finding`, whose events are in `rows`.
pub(super) fn aftermath(part: &ReportPart, finding: &Finding, rows: &[Row]) -> Aftermath {
    Aftermath {
        screen: may_have_screen(&part.log, finding),
        last: said_last(&part.log, finding, rows),
        comes_back: comes_back(part, finding),
        panicked: panicked(&part.log, finding),
    }
}

fn said_last(log: &Log, finding: &Finding, rows: &[Row]) -> Last {
    let marked = |observed: &&Observed| observed.event.columns().mark.is_some();
    let last = log.at(&finding.incident.events).rfind(marked);
    let ends = [Milestone::Back, Milestone::Lost, Milestone::Reset];
    if finding.incident.got_stuck_again(log) {
        Last::StuckAgain
    } else if last.is_some_and(|last| last.event.kind() == Kind::ResetHardwareDone) {
        Last::HardwareDone
    } else if last_of(&ends[..2], rows) == Some(Milestone::Back) {
        Last::Success
    } else if last_of(&ends, rows) == Some(Milestone::Reset) {
        Last::Begun
    } else {
        Last::Nothing
    }
}

/// Whether the same GPU fails in the same way soon after this failure, or failed so twice before.
fn comes_back(part: &ReportPart, finding: &Finding) -> bool {
    let log = &part.log;
    let first = |finding: &Finding| log.at(&finding.incident.events).next();
    let Some(own) = first(finding) else { return false };
    let of_the_series = |other: &&Finding| {
        let incident = &other.incident;
        incident.boot == finding.incident.boot
            && incident.device == finding.incident.device
            && !incident.requested
            && other.class(log) == finding.class(log)
    };
    let near = |earlier: &Observed, later: &Observed| {
        earlier.sequence < later.sequence
            && earlier.stamp.elapsed(&later.stamp).is_some_and(|span| span <= SOON)
    };
    let others = part.conclusions.findings.iter().filter(of_the_series).filter_map(first);
    let (mut before, mut after) = (0, 0);
    for other in others {
        before += u32::from(near(other, own));
        after += u32::from(near(own, other));
    }
    after > 0 || before > 1
}

/// Whether the kernel stops right after this failure.
fn panicked(log: &Log, finding: &Finding) -> bool {
    let mut events = log.at(&finding.incident.events);
    let Some(first) = events.next() else { return false };
    let last = events.last().unwrap_or(first);
    log.events.iter().any(|observed| {
        observed.event.kind() == Kind::KernelPanic
            && observed.boot == first.boot
            && observed.sequence >= first.sequence
            && last.stamp.elapsed(&observed.stamp).is_none_or(|span| span <= AT_ONCE)
    })
}
