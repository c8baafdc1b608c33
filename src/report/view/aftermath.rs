//! What is known of a recovery besides its outcome.

use super::{Row, last_of, may_have_screen};
use crate::diagnosis::Finding;
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Kind, Milestone};
use crate::report::ReportPart;
use crate::report::consequence::{Aftermath, Last};
use crate::value::Micros;

/// A failure that comes back within this time after a recovery is part of a series.
const SOON: Micros = Micros::seconds(600);

/// Maximum number of incidents before and after one that may belong to its series.
const NEIGHBOURS: usize = 32;

/// Maximum number of events of others between a failure and the panic after it.
const FOLLOWING: usize = 256;

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
        let has_failed = last_of(&ends[1..2], rows).is_some();
        if has_failed { Last::BegunAgain } else { Last::Begun }
    } else {
        Last::Nothing
    }
}

/// Whether the same GPU fails in the same way soon after this failure, or failed so twice before. Findings are in
/// order, so only its neighbours are asked.
fn comes_back(part: &ReportPart, finding: &Finding) -> bool {
    let log = &part.log;
    let findings = part.conclusions.findings.as_slice();
    let first = |finding: &Finding| log.at(&finding.incident.events).next();
    let Some(own) = first(finding) else { return false };
    let start = |other: &Finding| first(other).map_or(0, |event| event.sequence);
    let place = findings.partition_point(|other| start(other) < own.sequence);
    let class = finding.class(log);
    let of_the_series = |other: &&Finding| {
        let incident = &other.incident;
        incident.boot == finding.incident.boot
            && incident.device == finding.incident.device
            && !incident.requested
            && other.class(log) == class
    };
    let near = |earlier: &Observed, later: &Observed| {
        earlier.sequence < later.sequence
            && earlier.stamp.elapsed(&later.stamp).is_some_and(|span| span <= SOON)
    };
    let (before, after) = findings.split_at(place);
    let before = before.iter().rev().take(NEIGHBOURS).filter(of_the_series).filter_map(first);
    let mut after = after.iter().take(NEIGHBOURS).filter(of_the_series).filter_map(first);
    after.any(|other| near(own, other)) || before.filter(|other| near(other, own)).count() > 1
}

/// Whether the kernel stops right after this failure.
fn panicked(log: &Log, finding: &Finding) -> bool {
    let mut events = log.at(&finding.incident.events);
    let Some(first) = events.next() else { return false };
    let last = events.last().unwrap_or(first);
    let from = log.events.partition_point(|observed| observed.sequence < first.sequence);
    let rest = log.events.iter().skip(from).take(finding.incident.events.len() + FOLLOWING);
    rest.filter(|observed| observed.event.kind() == Kind::KernelPanic).any(|panic| {
        panic.boot == first.boot
            && last.stamp.elapsed(&panic.stamp).is_none_or(|span| span <= AT_ONCE)
    })
}
