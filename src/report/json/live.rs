//! The output of `follow` for programs: one object a line.

use std::io;

use serde::Serialize;

use super::event::{EventObject, event};
use super::incident::{IncidentObject, incident};
use super::{Base, line};
use crate::live::{IncidentUpdate, NewEvent, State};
use crate::report::ReportPart;

/// A followed log is the only input.
const BASE: Base = Base { input: 0, boot: 0 };

/// One line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum LiveLine<'r> {
    Event(LiveEvent<'r>),
    Incident(Box<LiveIncident<'r>>),
    Hook(LiveHook<'r>),
    Notice(LiveNotice<'r>),
}

/// Something happened to the log (it was rotated or cut, it is gone, lines were lost, more machines
/// write into it than are kept apart), to the cursor file or to the pattern files.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LiveNotice<'r> {
    /// What happened.
    text: &'r str,
}

/// The command of `--exec` failed.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LiveHook<'r> {
    /// The `id` of the incident that it was run for, of several the first; null for an event.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub incident: Option<usize>,
    /// The host name of that machine; null if no line states one.
    pub host: Option<&'r str>,
    /// The command.
    pub command: &'r str,
    /// A description of the error.
    pub error: &'r str,
}

/// The machine that wrote a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LiveMachine"))]
struct Machine<'r> {
    /// The host name, from its last line that states one; null if none does.
    host: Option<&'r str>,
    /// The machine id from the journal.
    machine_id: Option<&'r str>,
}

impl<'r> Machine<'r> {
    fn of(part: &'r ReportPart) -> Self {
        let reading = &part.log.reading;
        Self { host: reading.host.as_deref(), machine_id: reading.machine_id.as_deref() }
    }
}

/// An event, as soon as it is known.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LiveEvent<'r> {
    /// Whether the event was written before and is now extended by a later line; it has the same
    /// `line`.
    again: bool,
    #[serde(flatten)]
    event: EventObject<'r>,
    #[serde(flatten)]
    machine: Machine<'r>,
}

/// The current state of knowledge about an incident.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LiveIncident<'r> {
    /// `open` when first reported, `revised` when more is known, `closed` when it is over. The `id`
    /// stays the same.
    state: State,
    #[serde(flatten)]
    incident: IncidentObject<'r>,
    #[serde(flatten)]
    machine: Machine<'r>,
}

/// Writes an event.
pub(crate) fn write_event(
    part: &ReportPart,
    new: NewEvent,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(observed) = part.log.events.get(new.place) else { return Ok(()) };
    let object =
        LiveEvent { again: new.again, machine: Machine::of(part), event: event(observed, &BASE) };
    line(&LiveLine::Event(object), out)
}

/// Writes the current state of an incident.
pub(crate) fn write_incident(
    part: &ReportPart,
    told: IncidentUpdate,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(finding) = part.conclusions.findings.get(told.finding) else { return Ok(()) };
    let incident = incident(finding, told.number, &part.log, &BASE);
    line(
        &LiveLine::Incident(Box::new(LiveIncident {
            state: told.state,
            machine: Machine::of(part),
            incident,
        })),
        out,
    )
}

/// Writes what happened to the log.
pub(crate) fn write_notice(text: &str, out: &mut dyn io::Write) -> io::Result<()> {
    line(&LiveLine::Notice(LiveNotice { text }), out)
}

/// Writes a problem with a hook.
pub(crate) fn write_trouble(trouble: LiveHook<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    line(&LiveLine::Hook(trouble), out)
}
