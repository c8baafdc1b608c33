//! An incident with its diagnoses, its severity, and whose work failed.

use std::collections::BTreeSet;

use serde::Serialize;

use super::Diagnosis;
use super::action::{Action, in_order};
use super::aftermath::Aftermath;
use crate::event::Observed;
use crate::event::log::Log;
use crate::incident::Incident;
use crate::kind::{self, Effect, Event, Kind, Milestone};
use crate::pattern::Patterns;
use crate::pattern::signature::Severity;
use crate::record::Level;
use crate::value::{FailureClass, Outcome, Ring};

/// A process that used the GPU; not necessarily at fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Owner {
    /// The process name, which the kernel truncates to 15 bytes.
    pub name: String,
    /// The process id.
    pub pid: Option<u32>,
    /// The name of the thread that submitted the work.
    pub thread: Option<String>,
    /// Whether it shows the desktop, so that the session ends with it.
    #[serde(skip)]
    pub is_desktop: bool,
    /// How the line that names it is about it.
    #[serde(skip)]
    pub by: kind::Owner,
    /// The ring of its work, if the first diagnosis is about a job of another ring, which names no
    /// process.
    #[serde(skip)]
    pub later_ring: Option<String>,
}

/// An incident with its diagnoses.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The incident.
    pub incident: Incident,
    /// The highest severity of its diagnoses; from its events, if no signature matched.
    pub(crate) severity: Severity,
    /// A hash that is equal for the same bug.
    pub fingerprint: String,
    /// The process whose work failed.
    pub(crate) owner: Option<Owner>,
    /// What is known of the recovery besides the outcome.
    pub(crate) aftermath: Aftermath,
    /// The diagnoses; the one that failed first comes first.
    pub diagnoses: Vec<Diagnosis>,
    /// The number of diagnoses that were left out because of the user's minimum certainty.
    pub(crate) unsure: usize,
}

impl Finding {
    /// The class of failure: that of its first diagnosis, else that of its first event with one.
    pub(crate) fn class(&self, log: &Log) -> Option<FailureClass> {
        let said = self.diagnoses.iter().find_map(|diagnosis| diagnosis.class);
        let seen = || log.at(&self.incident.events).find_map(|seen| seen.event.class());
        let class = said.or_else(seen);
        match class {
            Some(
                FailureClass::Program
                | FailureClass::OutOfMemory
                | FailureClass::Queue
                | FailureClass::Ring
                | FailureClass::Video,
            ) => self.gravest_step(log).or(class),
            // What counts for whoever uses the GPU is that it hangs; the cause stays the access.
            Some(FailureClass::Fault) if self.is_in_a_failed_reset(log) => {
                self.gravest_step(log).or(class)
            }
            _ => class,
        }
    }

    /// Whether a reset of the whole GPU began and the log shows no success of it.
    fn is_in_a_failed_reset(&self, log: &Log) -> bool {
        let outcome = self.incident.outcome;
        !outcome.is_back()
            && outcome != Outcome::None
            && log
                .at(&self.incident.events)
                .any(|seen| seen.event.columns().recovery == Effect::Begins)
    }

    /// What the GPU did, where that outranks a program's failure: it hung, was reset, or a part of
    /// it failed. A part for which the whole GPU is reset is more than a part.
    fn gravest_step(&self, log: &Log) -> Option<FailureClass> {
        let seen = || log.at(&self.incident.events).map(|seen| &seen.event);
        let hangs = seen().any(|event| event.class() == Some(FailureClass::Hang));
        let is_reset = seen().any(|event| event.columns().mark == Some(Milestone::Reset));
        let is_part = |class| matches!(class, Some(FailureClass::Ring | FailureClass::Video));
        let part = seen().map(Event::class).find(|class| is_part(*class)).flatten();
        match (hangs, is_reset, part) {
            (true, ..) | (_, true, Some(_)) => Some(FailureClass::Hang),
            (false, true, None) => Some(FailureClass::Reset),
            (false, false, part) => part,
        }
    }

    /// Whether the log leaves open how it ended because only programs report it.
    pub(crate) fn is_only_told_by_programs(&self, log: &Log) -> bool {
        self.incident.outcome == Outcome::Unknown
            && log.at(&self.incident.events).all(Observed::is_stated_by_a_program)
    }

    /// The actions, each once, most important first.
    #[must_use]
    pub fn actions(&self) -> Vec<&Action> {
        in_order(&self.diagnoses)
    }
}

/// The highest severity of the diagnoses; if a failure remains that none of them covers, the
/// severity that the kernel gives it.
pub(super) fn severity(log: &Log, incident: &Incident, diagnoses: &[Diagnosis]) -> Severity {
    let explained: BTreeSet<usize> =
        diagnoses.iter().flat_map(|diagnosis| diagnosis.evidence.iter().copied()).collect();
    let left = incident.events.iter().filter(|at| !explained.contains(at));
    let known = !diagnoses.is_empty();
    let counts = |observed: &&Observed| !known || observed.event.columns().begins;
    let left = left.filter_map(|at| log.events.get(*at)).filter(counts);
    let loud = |observed: &Observed| observed.level.is_some_and(|level| level <= Level::Error);
    let of_the_rest =
        left.map(|observed| if loud(observed) { Severity::Error } else { Severity::Warning });
    let worst = diagnoses.iter().map(|diagnosis| diagnosis.severity).chain(of_the_rest).max();
    worst.unwrap_or(Severity::Warning)
}

/// The owner of the work that failed first, if a line names one. `proof` are the events that prove
/// the first diagnosis.
pub(super) fn owner(
    events: &[&Observed],
    proof: &[&Observed],
    patterns: &Patterns,
) -> Option<Owner> {
    let (observed, mut owner) = events.iter().find_map(|seen| Some((*seen, owner_in(seen)?)))?;
    owner.is_desktop = patterns.hardware.names.is_a_desktop(&owner.name);
    owner.later_ring = later_ring(observed, proof);
    Some(owner)
}

/// The owner that an event names.
fn owner_in(observed: &Observed) -> Option<Owner> {
    let event = &observed.event;
    let by = event.columns().owner;
    let (name, pid, thread) = match by {
        kind::Owner::Nobody => return None,
        kind::Owner::Process | kind::Owner::AddressSpace => {
            let thread = event.text("thread").map(str::to_owned);
            (event.text("process")?.to_owned(), event.get("pid").copied(), thread)
        }
        kind::Owner::Program => {
            let program = observed.program.as_ref()?;
            (program.name.clone(), program.pid, None)
        }
    };
    Some(Owner { name, pid, thread, is_desktop: false, by, later_ring: None })
}

/// The ring of a job that did not finish, if `proof` begins with a job of another ring.
fn later_ring(timeout: &Observed, proof: &[&Observed]) -> Option<String> {
    let is_timeout = |seen: &Observed| seen.event.kind() == Kind::RingTimeout;
    let first = proof.iter().find(|seen| is_timeout(seen))?;
    let ring = |seen: &Observed| seen.event.get::<Ring>("ring").cloned();
    let is_other = ring(first)? != ring(timeout)?;
    let hung = is_timeout(timeout) && first.event.text("finished").is_none();
    (is_other && hung).then(|| timeout.event.field_in_words("ring")).flatten()
}
