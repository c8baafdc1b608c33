//! The values for placeholders in a signature's texts.

use crate::event::Observed;
use crate::value::{Frames, Micros, Named, unique};

use super::reach::Group;
use super::sequence::Match;
use super::survey::Stream;

/// The value at `path` in words; `None` if it is not in the log.
pub(super) fn value(path: &str, found: &Match<'_>, stream: Stream<'_>) -> Option<String> {
    let Some((name, field)) = path.split_once('.') else {
        return plain(path, found, stream);
    };
    if let Some((_, seen)) = found.nevers.get(name) {
        return seen.filter(|_| field == "seen").map(span);
    }
    let events = found.steps.get(name)?;
    match field {
        "times" => Some(events.times().to_string()),
        "line" => Some(events.first()?.line().to_string()),
        "lines" => events.first().map(lines),
        "device" => events.first()?.device.or(stream.device).map(|device| device.to_string()),
        "devices" => {
            let all = unique(events.iter().filter_map(|observed| observed.device));
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            (!all.is_empty()).then(|| all.join(", "))
        }
        "driver_function" => events.iter().find_map(function),
        "crash_site" => events.iter().find_map(crash_site),
        _ => events.field_in_words(field),
    }
}

/// `line 3`, `lines 3 to 7`.
fn lines(observed: &Observed) -> String {
    match (observed.first_line(), observed.last_line()) {
        (first, last) if first == last => format!("line {first}"),
        (first, last) => format!("lines {first} to {last}"),
    }
}

/// The innermost function of the driver in a stack, by which bugs in it are known.
fn function(observed: &Observed) -> Option<String> {
    let stack: &Frames = observed.event.get("stack")?;
    stack.site().map(|frame| frame.function.clone())
}

fn crash_site(observed: &Observed) -> Option<String> {
    observed.event.get::<Frames>("stack")?.crash_site()
}

fn plain(path: &str, found: &Match<'_>, stream: Stream<'_>) -> Option<String> {
    match path {
        "device" => stream.device.map(|device| device.to_string()),
        "driver" => (stream.device.is_some() || stream.log().sightings.first.is_some())
            .then(|| "amdgpu".to_owned()),
        "chip" => stream.gpu().and_then(|gpu| {
            let target = gpu.target.map(|target| target.to_string());
            target.or_else(|| gpu.generation.map(|generation| generation.to_string()))
        }),
        "kernel" => stream.in_log()?.kernel.as_deref().map(|kernel| Named(kernel).to_string()),
        "process" => found.steps.values().find_map(Group::process),
        "override" => stream.forced_chip().map(|target| target.to_string()),
        _ => None,
    }
}

/// A duration for people: `850 ms`, `12 s`, `5 min`.
pub(super) fn span(span: Micros) -> String {
    match span.0 {
        ..1_000_000 => format!("{} ms", span.0 / 1_000),
        1_000_000..600_000_000 => format!("{} s", span.0 / 1_000_000),
        _ => format!("{} min", span.0 / 60_000_000),
    }
}
