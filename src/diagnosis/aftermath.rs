//! What is known of a GPU and its recovery besides the outcome.

use super::port::error_before;
use super::{Diagnosis, Finding};
use crate::event::Observed;
use crate::event::log::{Coverage, Log};
use crate::incident::{Incident, Stuck};
use crate::kind::{Effect, Kind, Milestone, Part, is_of_a_crash};
use crate::pattern::signature::Severity;
use crate::value::{FailureClass, Frames, HardwareClass, Level, Micros, Outcome};

/// A failure that comes back within this time after a recovery is part of a series.
const SOON: Micros = Micros::seconds(600);

/// Maximum number of incidents before and after one that may belong to its series.
const NEIGHBOURS: usize = 32;

/// Maximum number of events of others between a failure and the panic after it.
const FOLLOWING: usize = 256;

/// A panic within this time belongs to the failure before it, an error of the bus to that after it.
pub(super) const AT_ONCE: Micros = Micros::seconds(60);

/// Maximum number of events before a failure or a saved state in which its reason is sought.
pub(super) const LOOK_BACK: usize = 1_000;

/// What the driver says of a recovery last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Last {
    /// Nothing.
    #[default]
    Nothing,
    /// It begins, and the log shows no result of it.
    Begun,
    /// That of a part of the GPU failed, and none of the whole GPU begins.
    PartFailed,
    /// It begins after an earlier one that failed.
    BegunAgain,
    /// The hardware was reset, and the driver begins to set it up again.
    HardwareDone,
    /// It succeeded.
    Success,
    /// The reset failed, and the driver was started again.
    SetUpAgain,
    /// It succeeded, and work then got stuck again.
    StuckAgain,
    /// A part of the GPU was recovered, and another one had got stuck as well.
    StuckElsewhere,
    /// A part of the GPU was recovered, and a page fault followed, with which the log ends.
    FaultedSince,
}

/// What the first diagnosis reports of a reset, so that the outcome need not repeat it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NamedReset {
    /// It names none.
    #[default]
    None,
    /// It names one.
    Begun,
    /// It is about one that failed.
    Failed,
}

/// What is known of a GPU and its recovery besides how that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct Aftermath {
    /// A screen may be connected to it.
    pub(crate) screen: bool,
    /// What the driver says of the recovery last.
    pub(crate) last: Last,
    /// What the first diagnosis reports of a reset.
    pub(crate) reset: NamedReset,
    /// The same GPU fails in the same way in other incidents shortly before or after.
    pub(crate) comes_back: bool,
    /// Only a part of the GPU was reset, and the log goes on for a minute without a complaint.
    pub(crate) stays_quiet: bool,
    /// The driver says that video memory was lost.
    pub(crate) vram_lost: bool,
    /// The first line with an error of the driver after the recovery, if it is none of lost work.
    pub(crate) error: Option<u64>,
    /// Where the kernel stopped, as an index into the log's events; `None` if it did not.
    pub(crate) panic: Option<usize>,
    /// The line in which the kernel reports a CPU that is stuck, after the failure and not as a part
    /// of it.
    pub(crate) lockup: Option<u64>,
    /// The line of the crash in the driver during a reset whose end the log does not show.
    pub(crate) crash: Option<u64>,
    /// The dump with which the GPU began to fail again at the end of the log, as an index into the
    /// log's events.
    pub(crate) dump: Option<usize>,
    /// The line in which the driver had saved the state of the GPU before the first fault, if no
    /// line shows why.
    pub(crate) saved: Option<u64>,
    /// The line in which a PCI Express port reported an error that was not corrected shortly before,
    /// if no diagnosis has it as evidence: the log does not show what is below that port.
    pub(crate) port: Option<u64>,
}

impl Aftermath {
    /// What is known of `incident` alone.
    pub(super) fn of(incident: &Incident, diagnoses: &[Diagnosis], log: &Log) -> Self {
        Self {
            screen: may_have_screen(incident, log),
            last: said_last(incident, log),
            reset: diagnoses.first().map_or(NamedReset::None, |head| named_reset(head, log)),
            comes_back: false,
            stays_quiet: stays_quiet(incident, log),
            vram_lost: log.at(&incident.events).any(|seen| seen.event.kind() == Kind::VramLost),
            error: error_after(incident, log),
            panic: panic(incident, log),
            lockup: lockup(incident, log),
            crash: crash_in_reset(incident, log),
            dump: incident.last_dump(log).map(|(at, _)| at),
            saved: saved_before(incident, log),
            port: error_before(incident, diagnoses, log),
        }
    }

    /// The least severity of what is followed by this: a reset of the whole GPU without a good end
    /// is no detail, whatever began it.
    pub(super) const fn least_severity(self) -> Severity {
        match self.last {
            Last::Begun
            | Last::PartFailed
            | Last::BegunAgain
            | Last::HardwareDone
            | Last::StuckAgain
            | Last::StuckElsewhere => Severity::Error,
            Last::Nothing | Last::Success | Last::SetUpAgain | Last::FaultedSince => Severity::Info,
        }
    }
}

/// The line in which the state of the GPU was saved before its first fault. The driver saves it
/// only for a job that timed out and in a reset (`amdgpu_coredump()`); `None` if the log shows one.
fn saved_before(incident: &Incident, log: &Log) -> Option<u64> {
    let explains = |seen: &Observed| {
        let kind = seen.event.kind();
        matches!(kind, Kind::RingTimeout | Kind::JobFailed | Kind::MesTimeout)
            || matches!(kind, Kind::SoftRecovered | Kind::RingResetBegin)
            || seen.event.columns().recovery == Effect::Begins
    };
    let is_saved =
        |seen: &&Observed| matches!(seen.event.kind(), Kind::StateDump | Kind::CoredumpCreated);
    let is_fault = |seen: &&Observed| {
        matches!(seen.event.columns().mark, Some(Milestone::Fault | Milestone::Failure))
    };
    let saved = log.at(&incident.events).take_while(|seen| !is_fault(seen)).find(is_saved)?;
    log.at(&incident.events).find(is_fault)?;
    let near = |seen: &&Observed| {
        let span = seen.stamp.elapsed(&saved.stamp);
        seen.boot == saved.boot && span.is_none_or(|span| span <= AT_ONCE)
    };
    // Backwards, and no further than the time allows: a log may have many such incidents.
    let at = log.position(saved.sequence)?;
    let before = log.events.get(..at)?.iter().rev().take(LOOK_BACK).take_while(near);
    let is_explained = before.into_iter().any(explains) || log.at(&incident.events).any(explains);
    (!is_explained).then(|| saved.line())
}

/// The first line with an error of the driver after the GPU was recovered. That contexts are lost is
/// said otherwise.
fn error_after(incident: &Incident, log: &Log) -> Option<u64> {
    let is_back = |seen: &Observed| seen.event.columns().mark == Some(Milestone::Back);
    let is_error = |seen: &&Observed| {
        let columns = seen.event.columns();
        columns.part == Part::Aftermath
            && columns.recovery == Effect::Nothing
            && seen.level.is_some_and(|level| level <= Level::Error)
            && seen.of_a_gpu
            && !seen.is_stated_by_a_program()
    };
    let mut error = None;
    for seen in log.at(&incident.events).rev() {
        if is_back(seen) {
            return error;
        }
        error = Some(seen).filter(is_error).map(Observed::line).or(error);
    }
    None
}

/// Whether the whole GPU was not reset, and the log goes on for a minute.
fn stays_quiet(incident: &Incident, log: &Log) -> bool {
    let whole =
        [Kind::ResetBegin, Kind::ResetMethodChosen, Kind::ResetHardwareDone, Kind::ResetSucceeded];
    let is_covered = |last: &Observed| {
        log.coverage(last.boot, last.sequence, &last.stamp, AT_ONCE) == Coverage::Past
    };
    log.at(&incident.events).all(|seen| !whole.contains(&seen.event.kind()))
        && log.at(&incident.events).last().is_some_and(is_covered)
}

/// Marks the findings whose failure comes back.
pub(super) fn mark_series(log: &Log, findings: &mut [Finding]) {
    let series: Vec<bool> =
        (0..findings.len()).map(|place| comes_back(log, findings, place)).collect();
    for (finding, comes_back) in findings.iter_mut().zip(series) {
        finding.aftermath.comes_back = comes_back;
    }
}

/// Whether a screen may be connected to the GPU: to any but what is known to be an accelerator or a
/// virtual function.
fn may_have_screen(incident: &Incident, log: &Log) -> bool {
    let device = log.device(incident.boot, incident.device);
    let is_virtual = device.is_some_and(|device| device.virtual_function);
    !is_virtual && !log.classes(incident.boot, incident.device).is(&[HardwareClass::Accelerator])
}

fn said_last(incident: &Incident, log: &Log) -> Last {
    let events = incident.since_it_opened(log);
    let mark = |observed: &Observed| observed.event.columns().mark;
    let last = log.at(events).rfind(|observed| mark(observed).is_some());
    let last_of =
        |ends: &[Milestone]| log.at(events).filter_map(mark).rfind(|mark| ends.contains(mark));
    let ends = [Milestone::Back, Milestone::Lost, Milestone::Reset];
    let is_end = |seen: &&Observed| mark(seen).is_some_and(|mark| ends[..2].contains(&mark));
    let begins_anew = log
        .at(events)
        .rfind(|seen| is_end(seen) || seen.event.columns().recovery == Effect::Begins)
        .is_some_and(|seen| seen.event.columns().recovery == Effect::Begins);
    let recovery = incident.recovery(log);
    if let Some(stuck) = recovery.stuck_again() {
        match stuck {
            Stuck::Since => Last::StuckAgain,
            Stuck::Before => Last::StuckElsewhere,
        }
    } else if incident.outcome == Outcome::Unknown && recovery.faulted_since().is_some() {
        Last::FaultedSince
    } else if recovery.is_set_up_again() {
        Last::SetUpAgain
    } else if last.is_some_and(|last| last.event.kind() == Kind::ResetHardwareDone) {
        Last::HardwareDone
    } else if !begins_anew && last_of(&ends[..2]) == Some(Milestone::Back) {
        Last::Success
    } else if last_of(&ends) == Some(Milestone::Reset) {
        // A ring that works again is no result of a recovery of the whole GPU.
        let in_part = |seen: &Observed| seen.event.columns().recovery == Effect::SucceedsInPart;
        let result = log.at(events).rfind(|seen| is_end(seen) && !in_part(seen));
        let has_failed = result.and_then(mark) == Some(Milestone::Lost);
        match has_failed {
            true => Last::BegunAgain,
            false if is_of_a_part_that_failed(log.at(events)) => Last::PartFailed,
            false => Last::Begun,
        }
    } else {
        Last::Nothing
    }
}

/// Whether no reset of the whole GPU begins, and the last one of a ring or block failed.
fn is_of_a_part_that_failed<'l>(events: impl Iterator<Item = &'l Observed>) -> bool {
    let mut last = None;
    for seen in events {
        if seen.event.columns().recovery == Effect::Begins {
            return false;
        }
        let is_of_a_reset = seen.event.columns().mark == Some(Milestone::Reset)
            || matches!(seen.event.kind(), Kind::RingResetFailed | Kind::SoftResetFailed);
        last = if is_of_a_reset { Some(seen.event.kind()) } else { last };
    }
    matches!(last, Some(Kind::RingResetFailed | Kind::SoftResetFailed))
}

/// The line of the first crash in the driver since the begin of a reset that did not end.
fn crash_in_reset(incident: &Incident, log: &Log) -> Option<u64> {
    let is_end = |seen: &Observed| {
        matches!(seen.event.columns().mark, Some(Milestone::Back | Milestone::Lost))
    };
    let begins = |seen: &Observed| seen.event.columns().recovery == Effect::Begins;
    let is_crash = |seen: &Observed| {
        let what = seen.event.text("what");
        let stack = || seen.event.get::<Frames>("stack").and_then(Frames::site);
        seen.event.kind() == Kind::KernelOops
            && what.is_some_and(is_of_a_crash)
            && stack().is_some()
    };
    let mut crash = None;
    let mut runs = false;
    for seen in log.at(incident.since_it_opened(log)) {
        if begins(seen) || is_end(seen) {
            (runs, crash) = (begins(seen), None);
        } else if runs && is_crash(seen) {
            crash = crash.or(Some(seen.line()));
        }
    }
    crash
}

/// What the lines that a diagnosis needs say about a reset.
fn named_reset(head: &Diagnosis, log: &Log) -> NamedReset {
    let has = |wanted: Milestone| {
        log.at(&head.proof).any(|seen| seen.event.columns().mark == Some(wanted))
    };
    if head.class == Some(FailureClass::Reset) && has(Milestone::Lost) {
        NamedReset::Failed
    } else if has(Milestone::Reset) {
        NamedReset::Begun
    } else {
        NamedReset::None
    }
}

/// Whether the same GPU fails in the same way soon after the failure at `place`, or failed so twice
/// before. Findings are in order, so only its neighbours are asked.
fn comes_back(log: &Log, findings: &[Finding], place: usize) -> bool {
    let Some((finding, after)) = findings.get(place..).and_then(<[_]>::split_first) else {
        return false;
    };
    let before = findings.get(..place).unwrap_or_default();
    let first = |finding: &Finding| log.at(&finding.incident.events).next();
    let Some(own) = first(finding) else { return false };
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
    let before = before.iter().rev().take(NEIGHBOURS).filter(of_the_series).filter_map(first);
    let mut after = after.iter().take(NEIGHBOURS).filter(of_the_series).filter_map(first);
    after.any(|other| near(own, other)) || before.filter(|other| near(other, own)).count() > 1
}

/// The first event of `kind`, as an index into the log's, at this failure or right after it.
fn next_of(kind: Kind, incident: &Incident, log: &Log) -> Option<usize> {
    let mut events = log.at(&incident.events);
    let first = events.next()?;
    let last = events.last().unwrap_or(first);
    let from = log.events.partition_point(|observed| observed.sequence < first.sequence);
    let follows = |next: &Observed| {
        next.event.kind() == kind
            && next.boot == first.boot
            && last.stamp.elapsed(&next.stamp).is_none_or(|span| span <= AT_ONCE)
    };
    let rest = log.events.iter().enumerate().skip(from).take(incident.events.len() + FOLLOWING);
    rest.filter(|(_, observed)| follows(observed)).map(|(at, _)| at).next()
}

/// The line in which the kernel reports a CPU that is stuck since the incident, if that is no part
/// of it.
fn lockup(incident: &Incident, log: &Log) -> Option<u64> {
    let is_lockup = |seen: &Observed| seen.event.kind() == Kind::Lockup;
    let seen = log.events.get(next_of(Kind::Lockup, incident, log)?)?;
    let first = log.at(&incident.events).next()?;
    let since = first.stamp.elapsed(&seen.stamp)?;
    let lasts = seen.event.get::<u64>("seconds").copied().and_then(|span| i64::try_from(span).ok());
    let is_older = lasts.is_some_and(|lasts| Micros::seconds(lasts).0 > since.0);
    let at = log.position(first.sequence)?;
    let mut before = log.events.get(..at)?.iter().rev().take(LOOK_BACK);
    let is_known = before.any(|other| other.boot == first.boot && is_lockup(other))
        || log.at(&incident.events).any(is_lockup);
    (!is_older && !is_known).then(|| seen.line())
}

/// The line with which the kernel stops at this failure or right after it.
fn panic(incident: &Incident, log: &Log) -> Option<usize> {
    next_of(Kind::KernelPanic, incident, log).or_else(|| {
        incident.events.iter().copied().find(|at| log.events.get(*at).is_some_and(stops_the_kernel))
    })
}

/// Whether the kernel stops by what this line says: a FreeBSD kernel does not survive a crash.
fn stops_the_kernel(observed: &Observed) -> bool {
    observed.event.text("what") == Some("panic")
}
