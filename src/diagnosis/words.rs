//! The values that a signature's sentences may show.

use crate::value::Micros;

use super::action::Machine;
use super::reach::Group;
use super::sequence::Match;

/// The value at `path`, in words; `None` where the log does not tell.
pub(super) fn value(path: &str, found: &Match<'_>, machine: Machine<'_>) -> Option<String> {
    let Some((name, field)) = path.split_once('.') else {
        return plain(path, found, machine);
    };
    if let Some((_, seen)) = found.nevers.get(name) {
        return seen.filter(|_| field == "seen").map(span);
    }
    let events = found.steps.get(name)?;
    match field {
        "times" => Some(events.times().to_string()),
        "line" => Some(events.first()?.line().to_string()),
        _ => events.said(field),
    }
}

fn plain(path: &str, found: &Match<'_>, machine: Machine<'_>) -> Option<String> {
    let log = machine.survey.log;
    let device = log.device(machine.boot, machine.device);
    match path {
        "device" => machine.device.map(|device| device.to_string()),
        "chip" => device.and_then(|device| {
            let target = device.target.map(|target| target.to_string());
            target.or_else(|| device.generation.map(|generation| generation.to_string()))
        }),
        "kernel" => log.boots.get(machine.boot)?.kernel.clone(),
        "process" => found.steps.values().find_map(Group::process),
        "override" => {
            let forced = machine.survey.overrides.get(&machine.boot)?;
            forced.map(|target| target.to_string())
        }
        _ => None,
    }
}

/// A span as people say it: `850 ms`, `12 s`, `5 min`.
#[must_use]
pub(super) fn span(span: Micros) -> String {
    match span.0 {
        ..1_000_000 => format!("{} ms", span.0 / 1_000),
        1_000_000..600_000_000 => format!("{} s", span.0 / 1_000_000),
        _ => format!("{} min", span.0 / 60_000_000),
    }
}
