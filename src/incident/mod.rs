//! Groups events into incidents: one failure of one GPU in one boot, from its first event to its
//! end.
//!
//! Decides what opens, continues and closes an incident, and its outcome, but not why a GPU fails.

pub(crate) mod cause;
pub(crate) mod fingerprint;
mod grouping;
pub(crate) mod outcome;
mod recovery;
mod request;

use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Event, Kind, Milestone, Opens, Part, is_of_a_crash};
use crate::value::{AerSeverity, Errno, FailureClass, Hex, PciAddress, PciChannel, RasKind};

use outcome::Outcome;
use recovery::Recovery;
pub(crate) use recovery::Stuck;

/// One failure of one GPU in one boot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub(crate) boot: usize,
    /// The GPU with the cause; `None` if the log does not show it.
    pub(crate) device: Option<PciAddress>,
    /// All GPUs that failed, the first one first.
    pub(crate) devices: Vec<PciAddress>,
    /// Its events, as indices into the log's, in order.
    pub events: Vec<usize>,
    /// The outcome.
    pub outcome: Outcome,
    /// Whether all of it is a requested reset: the driver says so, or nothing had failed before.
    pub(crate) requested: bool,
    /// Whether it is closed: later failures are not part of it, but its aftermath may still appear.
    pub(crate) closed: bool,
}

impl Incident {
    /// Whether it is a granted request: a reset was requested, and it worked.
    pub(crate) const fn is_granted_request(&self) -> bool {
        self.requested && self.outcome.is_back()
    }

    /// Its last event: of a recovery that worked, the one that says so. Programs may report lost
    /// work long afterwards.
    pub(crate) fn end<'l>(&self, log: &'l Log) -> Option<&'l Observed> {
        let is_back = |seen: &&Observed| seen.event.columns().mark == Some(Milestone::Back);
        let back = || log.at(&self.events).rfind(is_back);
        let end = if self.outcome.is_back() { back() } else { None };
        end.or_else(|| log.at(&self.events).next_back())
    }

    /// The events from the one that opened it on: those before it can have led to it, and are no
    /// part of its recovery. If a step of a reset opened it, the earlier ones belong to that reset.
    pub(crate) fn since_it_opened(&self, log: &Log) -> &[usize] {
        let opener = self.events.iter().position(|at| log.events.get(*at).is_some_and(opens));
        let failed_first = opener.filter(|at| {
            let observed = self.events.get(*at).and_then(|at| log.events.get(*at));
            observed.is_some_and(|observed| {
                let columns = observed.event.columns();
                columns.part == Part::Failure && columns.class != Some(FailureClass::Reset)
            })
        });
        self.events.get(failed_first.unwrap_or_default()..).unwrap_or_default()
    }

    /// The dump of a GPU's state after its recovery, if the log ends with it.
    pub(crate) fn last_dump<'l>(&self, log: &'l Log) -> Option<(usize, &'l Observed)> {
        let events = self.events.iter().filter_map(|at| Some((*at, log.events.get(*at)?)));
        let is_note = |seen: &Observed| {
            matches!(seen.event.kind(), Kind::StateDump | Kind::CoredumpCreated)
                || seen.event.columns().part == Part::Aftermath
        };
        let mut last = events.rev().take_while(|(_, seen)| is_note(seen));
        last.find(|(_, seen)| recovery::begins_a_dump(&seen.event))
            .filter(|_| self.recovery(log).stuck_again().is_some())
    }

    /// The state of the recovery at its end.
    pub(crate) fn recovery(&self, log: &Log) -> Recovery {
        let mut recovery = Recovery::default();
        log.at(&self.events).for_each(|observed| recovery.see(observed));
        recovery
    }
}

/// Groups the events of `log` into incidents, ordered by their first lines.
pub(crate) fn incidents(log: &Log) -> Vec<Incident> {
    grouping::grouped(log)
}

/// Whether an event opens an incident if none is open.
pub(crate) fn opens(observed: &Observed) -> bool {
    let event = &observed.event;
    match event.columns().opens {
        Opens::Always => true,
        Opens::Never => false,
        Opens::UnlessRepaired => {
            !matches!(event.get::<RasKind>("kind"), Some(RasKind::Correctable | RasKind::Deferred))
                && event.get::<u64>("count") != Some(&0)
        }
        Opens::UnlessRefused => {
            !event.get::<Hex>("response").is_some_and(|answer| is_refusal(answer.value))
        }
        Opens::AfterRetries => event.get::<u32>("attempt").is_none_or(|attempt| *attempt >= 3),
        Opens::UnlessRetried => event.text("phase") != Some("retry"),
        Opens::UnlessCorrected => {
            let severity = event.get::<AerSeverity>("severity");
            severity.is_some_and(|severity| *severity != AerSeverity::Corrected)
        }
        Opens::UnlessNormal => event.get("channel") != Some(&PciChannel::Normal),
        Opens::IfCrashed => has_crashed(event),
        Opens::IfOurs => event.text("driver") == Some("amdgpu"),
        Opens::UnlessInferred => !observed.inferred,
        Opens::UnlessAwake => !matches!(event.text("what"), Some("enable" | IDLE_SLEEP)),
        Opens::IfStepFailed => event.text("step") == Some("failed"),
        Opens::IfRecoveryNeeded => is_left_to_others(event),
        Opens::IfCanceled => is_canceled(event),
    }
}

/// The other name of a failed attempt to allow GFXOFF, after `Failed to enable gfxoff!`.
const IDLE_SLEEP: &str = "let the graphics core sleep (enable GFXOFF)";

/// SMU responses that reject a request: failed, unknown, wrong time, and -EIO, which older kernels
/// print for all of them.
const fn is_refusal(response: u64) -> bool {
    matches!(response, 0xfb | 0xfd | 0xfe | 0xff | 0xffff_fffb)
}

/// Whether the kernel tells user space that something else must recover the GPU. Otherwise it adds
/// that nothing is needed: `but recovered through reset`, `but no recovery needed`.
fn is_left_to_others(event: &Event) -> bool {
    event.text("recovery").is_some_and(|needed| !needed.starts_with("but "))
}

/// Whether the kernel says that it crashed, by its crash counter, by the kind of error, or, where
/// the line with the kind is missing, by its functions in the stack or what it prints at the end.
fn has_crashed(event: &Event) -> bool {
    let kind = event.text("what").or_else(|| event.text("reported"));
    event.get::<u32>("number").is_some()
        || kind.map_or(event.text("ending").is_some(), is_of_a_crash)
}

/// Whether it has the error number that the driver returns to a program whose context is lost.
fn is_canceled(event: &Event) -> bool {
    event.get::<Errno>("errno").is_some_and(|errno| errno.is_canceled())
}

#[cfg(test)]
mod tests;
