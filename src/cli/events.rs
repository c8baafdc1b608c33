//! `events`: the typed events of logs, or the lines that are none.

use super::args::{EventArguments, EventFormat};
use super::failure::Failure;
use super::logs::Inquiry;
use super::streams::Streams;
use super::{Ending, patterns};
use crate::diagnosis::choice::Choice;
use crate::report::{Report, json, listing, unknown};

pub(super) fn run(
    arguments: &EventArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let EventArguments { inputs, kind: kinds, device, .. } = arguments;
    let patterns = patterns::loaded(&inputs.patterns)?;
    let messages = &mut streams.messages;
    let Inquiry { mut parts, several, complete } =
        Inquiry::read(inputs, &mut Choice::default(), false, &patterns, messages)?;
    for part in &mut parts {
        part.log.events.retain(|observed| {
            (kinds.is_empty() || kinds.contains(&observed.event.kind()))
                && (device.is_none() || *device == observed.device)
        });
    }
    let report = Report { patterns: patterns.digest.clone(), parts };
    streams.write(|out| match (arguments.format, arguments.unknown) {
        (EventFormat::Table, false) => listing::events_table(&report, several, out),
        (EventFormat::Table, true) => unknown::write_table(&report, several, out),
        (EventFormat::Ndjson, false) => json::write_events(&report, out),
        (EventFormat::Ndjson, true) => unknown::write_objects(&report, out),
        (EventFormat::Toml, _) => {
            let taken = patterns.messages.iter().map(|message| message.id.as_str());
            unknown::write_toml(&report, taken, out)
        }
    })?;
    Ok(Ending::of(complete, false))
}
