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
    /// The input that it is in, as an index into `inputs`.
    input: usize,
    /// The line, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// When that was.
    time: Time,
}

/// One failure of one GPU in one boot.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct IncidentObject<'r> {
    /// Its number in this report, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    id: usize,
    /// The boot: the `index` of one of `boots`.
    boot: usize,
    /// The GPU that failed first; null where no line names one.
    device: Option<PciAddress>,
    /// All GPUs that it took down.
    devices: &'r [PciAddress],
    /// How bad it is: the worst of its diagnoses, or what the kernel calls it.
    severity: Severity,
    /// Where its first event begins.
    first: Option<Position>,
    /// Where it ends: the time of its last event, and the last line of all.
    last: Option<Position>,
    /// How it ended.
    outcome: Outcome,
    /// The same for the same bug in other runs and on other machines; its first number says how it is
    /// made.
    fingerprint: &'r str,
    /// Whose work failed first; null where no line tells. Not proven guilty.
    process: Option<&'r Owner>,
    /// What it was, what broke first ahead.
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
    let begin = |observed: &Observed| {
        if turned { observed.last_line() } else { observed.line() }
    };
    // The last line need not belong to the event that began last.
    let all = || incident.events.iter().filter_map(|at| log.events.get(*at));
    let last_line =
        if turned { all().map(Observed::line).min() } else { all().map(Observed::last_line).max() };
    IncidentObject {
        id,
        boot: base.boot + incident.boot,
        device: incident.device,
        devices: &incident.devices,
        severity: finding.severity,
        first: event(incident.events.first()).map(|observed| position(observed, begin(observed))),
        last: event(incident.events.last())
            .map(|observed| position(observed, last_line.unwrap_or_default())),
        outcome: incident.outcome,
        fingerprint: &finding.fingerprint,
        process: finding.owner.as_ref(),
        diagnoses: finding.diagnoses.iter().map(|known| diagnosis(known, log, base)).collect(),
    }
}
