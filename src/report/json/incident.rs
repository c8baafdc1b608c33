//! Incidents.

use serde::Serialize;

use super::Base;
use super::diagnosis::{DiagnosisObject, diagnosis};
use crate::diagnosis::{Finding, Owner};
use crate::event::Observed;
use crate::event::log::Log;
use crate::pattern::signature::Severity;
use crate::record::Direction;
use crate::report::time::Time;
use crate::value::{Outcome, PciAddress};

/// A line of a log.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Position {
    /// The input that contains it, as an index into `inputs`.
    input: usize,
    /// The line number, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The time of the line.
    time: Time,
}

/// One failure of one GPU in one boot.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct IncidentObject<'r> {
    /// The number of the incident in this report, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    id: usize,
    /// The boot, as the `index` of an entry of `boots`.
    boot: usize,
    /// The GPU that failed first; null if no line names one.
    device: Option<PciAddress>,
    /// All GPUs that failed.
    devices: &'r [PciAddress],
    /// The severity: that of the worst diagnosis, or that of the kernel's message.
    severity: Severity,
    /// The start of its first event.
    first: Option<Position>,
    /// The end: the time of its last event, and the last of all its lines.
    last: Option<Position>,
    /// The outcome.
    outcome: Outcome,
    /// Identifies the bug across runs and machines; its first number is the version of the method.
    fingerprint: &'r str,
    /// The process whose work failed first, which is not necessarily at fault; null if no line
    /// names it.
    process: Option<&'r Owner>,
    /// The diagnoses, the root cause first.
    diagnoses: Vec<DiagnosisObject<'r>>,
}

pub(super) fn incident<'r>(
    finding: &'r Finding,
    id: usize,
    log: &'r Log,
    base: &Base,
) -> IncidentObject<'r> {
    let incident = &finding.incident;
    let event = |index: Option<&usize>| index.and_then(|index| log.events.get(*index));
    let position = |observed: &Observed, line: u64| Position {
        input: base.input,
        line,
        time: Time::certain(&observed.stamp),
    };
    let turned = log.reading.direction == Direction::Reversed;
    // The last line need not belong to the event that began last.
    let all = || incident.events.iter().filter_map(|at| log.events.get(*at));
    let last_line = if turned {
        all().map(Observed::first_line).min()
    } else {
        all().map(Observed::last_line).max()
    };
    IncidentObject {
        id,
        boot: base.boot + incident.boot,
        device: incident.device,
        devices: &incident.devices,
        severity: finding.severity,
        first: event(incident.events.first()).map(|observed| position(observed, observed.line())),
        last: event(incident.events.last())
            .map(|observed| position(observed, last_line.unwrap_or_default())),
        outcome: incident.outcome,
        fingerprint: &finding.fingerprint,
        process: finding.owner.as_ref(),
        diagnoses: finding.diagnoses.iter().map(|known| diagnosis(known, log, base)).collect(),
    }
}
