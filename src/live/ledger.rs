//! Keeps track of what was reported, so that nothing is reported twice.

use std::collections::VecDeque;
use std::time::Duration;

use super::NewEvent;
use crate::diagnosis::{Conclusions, Diagnosis, Finding};
use crate::event::log::Log;
use crate::incident::outcome::Outcome;
use crate::value::{Certainty, PciAddress};

/// The number of latest events that a line may still extend.
const OPEN_EVENTS: usize = 64;
/// After this time without a new line of the incident, it is reported regardless of certainty.
const SETTLED: Duration = Duration::from_secs(2);
/// Maximum number of incidents to remember after they have left the findings.
const REMEMBERED: usize = 256;

/// The events that were reported.
#[derive(Debug, Default)]
pub(super) struct AnnouncedEvents {
    /// The number of the next event.
    next: u64,
    /// The latest events, each with its number of lines.
    last: VecDeque<(u64, usize)>,
}

impl AnnouncedEvents {
    /// The events of `log` that are new or have grown.
    pub(super) fn news(&mut self, log: &Log) -> Vec<NewEvent> {
        let mut new = Vec::new();
        let oldest = self.last.front().map_or(self.next, |(sequence, _)| *sequence);
        let from = log.events.partition_point(|observed| observed.sequence < oldest);
        for (place, observed) in log.events.iter().enumerate().skip(from) {
            let lines = observed.joined.len();
            if observed.sequence >= self.next {
                self.next = observed.sequence + 1;
                self.last.push_back((observed.sequence, lines));
                new.push(NewEvent { place, again: false });
                continue;
            }
            let known = self.last.iter_mut().find(|(sequence, _)| *sequence == observed.sequence);
            if let Some((_, before)) = known.filter(|(_, before)| *before < lines) {
                *before = lines;
                new.push(NewEvent { place, again: true });
            }
        }
        let surplus = self.last.len().saturating_sub(OPEN_EVENTS);
        self.last.drain(..surplus);
        new
    }
}

/// The state of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// It is reported for the first time and not over.
    Open,
    /// More is known than was reported before.
    Revised,
    /// It is over.
    Closed,
}

/// A report of an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IncidentUpdate {
    /// Its number, from 1, in the order of first reports.
    pub number: usize,
    /// Its index in the findings.
    pub finding: usize,
    /// How far it has come.
    pub state: State,
    /// Whether it has ended, or was reported as ended.
    pub over: bool,
    /// Whether it is to be reported; otherwise it was before.
    pub is_news: bool,
    /// Whether somebody may have to act on it who was not asked to before, or not on the same
    /// conclusions.
    pub is_alarm: bool,
}

/// A known incident.
#[derive(Clone, Debug)]
struct Known {
    number: usize,
    boot: usize,
    devices: Vec<PciAddress>,
    /// The sequence numbers of its first and last records.
    first: u64,
    last: u64,
    /// The first diagnosis and the outcome as they were last reported.
    announced: Option<Announced>,
    /// The same as of the last alarm.
    alarmed: Option<Announced>,
    /// The number of revisions since it was opened or closed.
    revisions: usize,
    closed: bool,
    /// Whether the current conclusions differ from the reported ones and may still change.
    unsettled: bool,
    /// Its index in the findings; `None` if it was merged with another one, or its events were
    /// dropped.
    now: Option<usize>,
}

/// What was reported of an incident.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Announced {
    diagnoses: Vec<String>,
    outcome: Outcome,
}

impl Announced {
    fn of(finding: &Finding) -> Self {
        let diagnoses = finding.diagnoses.iter().map(|known| known.id.clone()).collect();
        Self { diagnoses, outcome: finding.incident.outcome }
    }

    /// Whether the GPU does not come back by itself.
    fn is_lasting(&self) -> bool {
        self.outcome.is_usable() == Some(false)
    }
}

/// The reported incidents.
#[derive(Debug, Default)]
pub(super) struct IncidentLedger {
    known: Vec<Known>,
    until: Until,
}

/// Until when changes of conclusions are awaited before an incident is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Until {
    /// Until they have settled.
    #[default]
    Settled,
    /// Nothing more will be read, but the log goes on.
    Stopped,
    /// The log has ended, and with it each incident.
    Ended,
}

impl IncidentLedger {
    /// Whether an incident may change as time passes.
    pub(super) fn is_waiting(&self) -> bool {
        self.known.iter().any(|known| !known.closed || known.unsettled)
    }

    /// The numbers of the incidents that were reported and are not over.
    pub(super) fn open(&self) -> impl Iterator<Item = usize> {
        let is_open = |known: &&Known| known.now.is_some() && !known.closed;
        let told = self.known.iter().filter(is_open).filter(|known| known.announced.is_some());
        told.map(|known| known.number)
    }

    /// Marks the end of the input.
    pub(super) fn end(&mut self) {
        self.until = Until::Ended;
    }

    /// Marks the end of reading, while the log goes on.
    pub(super) fn stop(&mut self) {
        self.until = Until::Stopped;
    }

    /// The incidents to report now, `waited` after the last line. `numbered` is the number of
    /// incidents so far, including those of other machines. With `silent`, they are recorded as
    /// reported.
    pub(super) fn compare(
        &mut self,
        log: &Log,
        conclusions: &Conclusions,
        numbered: &mut usize,
        waited: Duration,
        silent: bool,
    ) -> Vec<IncidentUpdate> {
        let mut tellings = Vec::new();
        self.known.iter_mut().for_each(|known| known.now = None);
        for (place, finding) in conclusions.findings.iter().enumerate() {
            if let Some((first, last)) = range(log, finding) {
                // An incident whose middle events were dropped looks like two; the later one
                // counts.
                self.known(finding, first, last, numbered).now = Some(place);
            }
        }
        let (stopped, ended) = (self.until != Until::Settled, self.until == Until::Ended);
        for known in &mut self.known {
            let Some((place, finding)) =
                known.now.and_then(|at| Some((at, conclusions.findings.get(at)?)))
            else {
                (known.closed, known.unsettled) = (true, false);
                continue;
            };
            let settled = stopped || waited >= SETTLED || is_later(log, finding);
            let told = known.step(finding, settled, ended || finding.incident.closed);
            let (is_news, is_alarm) = (told.is_some(), known.raise(told.is_some(), stopped));
            if is_news || is_alarm {
                let (number, over) = (known.number, known.closed);
                let state = told.unwrap_or(State::Open);
                let finding = place;
                let update = IncidentUpdate { number, finding, state, over, is_news, is_alarm };
                tellings.push(update);
            }
        }
        let gone = self.known.iter().filter(|known| known.now.is_none()).count();
        let mut surplus = gone.saturating_sub(REMEMBERED);
        self.known.retain(|known| {
            let forgotten = known.now.is_none() && surplus > 0;
            surplus -= usize::from(forgotten);
            !forgotten
        });
        if silent { Vec::new() } else { tellings }
    }

    /// The known incident that `finding` is: the one on the same GPU with common records.
    fn known(
        &mut self,
        finding: &Finding,
        first: u64,
        last: u64,
        numbered: &mut usize,
    ) -> &mut Known {
        let incident = &finding.incident;
        let same = |known: &Known| {
            known.boot == incident.boot
                && known.first <= last
                && first <= known.last
                && (known.devices.is_empty()
                    || incident.devices.is_empty()
                    || known.devices.iter().any(|device| incident.devices.contains(device)))
        };
        let place = self.known.iter().position(same).unwrap_or_else(|| {
            *numbered += 1;
            self.known.push(Known {
                number: *numbered,
                boot: incident.boot,
                devices: Vec::new(),
                first,
                last,
                announced: None,
                alarmed: None,
                revisions: 0,
                closed: false,
                unsettled: false,
                now: None,
            });
            self.known.len() - 1
        });
        let known = &mut self.known[place];
        known.devices.clone_from(&incident.devices);
        (known.first, known.last) = (known.first.min(first), known.last.max(last));
        known
    }
}

impl Known {
    /// How to report it, if at all.
    fn step(&mut self, finding: &Finding, settled: bool, closed: bool) -> Option<State> {
        let now = Announced::of(finding);
        let changed = self.announced.as_ref() != Some(&now);
        self.unsettled = changed && !settled && self.revisions == 0;
        // A fallback diagnosis waits for the following lines.
        let certain = |known: &Diagnosis| !known.fallback && known.certainty > Certainty::Suspected;
        let certain = finding.diagnoses.first().is_some_and(certain);
        let state = match (&self.announced, closed, self.closed) {
            (_, true, false) => State::Closed,
            (None, false, _) if certain || settled => State::Open,
            // An incident is revised at most once while it is open, and once when it is over; and
            // once more if the GPU turns out not to come back.
            (Some(before), _, _)
                if changed
                    && settled
                    && (self.revisions == 0 || now.is_lasting() && !before.is_lasting()) =>
            {
                State::Revised
            }
            _ => return None,
        };
        self.revisions = if state == State::Revised { self.revisions + 1 } else { 0 };
        self.closed |= closed;
        self.announced = Some(now);
        Some(state)
    }

    /// Whether it is time for an alarm: it is over, or will not end well by itself, or nothing more
    /// will be known of it. `told`: whether it is reported now.
    fn raise(&mut self, told: bool, stopped: bool) -> bool {
        let Some(now) = &self.announced else { return false };
        let due = told && (self.closed || now.is_lasting()) && self.alarmed.as_ref() != Some(now);
        let due = due || (stopped && self.alarmed.is_none());
        if due {
            self.alarmed = Some(now.clone());
        }
        due
    }
}

/// The sequence numbers of the first and last record of an incident.
fn range(log: &Log, finding: &Finding) -> Option<(u64, u64)> {
    let events = || log.at(&finding.incident.events);
    Some((events().map(|one| one.sequence).min()?, events().map(|one| one.sequence).max()?))
}

/// Whether the log has continued for long enough after the last line of an incident.
fn is_later(log: &Log, finding: &Finding) -> bool {
    let last = log.at(&finding.incident.events).next_back();
    let end = log.boots.get(finding.incident.boot).map(|boot| boot.last);
    let passed = last.zip(end).and_then(|(last, end)| last.stamp.elapsed(&end));
    passed.is_some_and(|passed| u128::try_from(passed.0).is_ok_and(|it| it >= SETTLED.as_micros()))
}
