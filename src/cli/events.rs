//! `events`: the events of logs, or the driver's lines without a message.

use super::args::{DraftFormat, EventArguments};
use super::failure::Failure;
use super::logs::Inquiry;
use super::streams::{Destination, Streams};
use super::{Ending, choice, pages, patterns};
use crate::diagnosis::choice::Choice;
use crate::record::Stamp;
use crate::report::{Report, json, listing, unknown};

pub(super) fn run(
    arguments: &EventArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let EventArguments { inputs, part, kind: kinds, quiet, answer, .. } = arguments;
    let to = Destination::of_answer(answer, &inputs.read())?;
    let patterns = patterns::loaded(&inputs.more.patterns)?;
    let messages = &mut streams.messages;
    messages.set_quiet(quiet.quiet);
    // With a selected GPU, the list contains only events that name it.
    let mut wanted = Choice { device: None, ..part.choice() };
    let Inquiry { mut parts, several, mut complete, .. } =
        Inquiry::read(inputs, &mut wanted, quiet.quiet, &patterns, messages)?;
    complete &= choice::within(&mut parts, &wanted, messages, |part, window| {
        part.log.events.retain(|observed| window.shows_event(observed));
    })?;
    for part in &mut parts {
        part.log.events.retain(|observed| {
            (kinds.is_empty() || kinds.contains(&observed.event.kind()))
                && (arguments.part.device.is_none() || arguments.part.device == observed.device)
        });
        if matches!(answer.format(), DraftFormat::Page(_)) {
            for Stamp { wall, .. } in part.log.events.iter_mut().map(|it| &mut it.stamp) {
                *wall = wall.map(|wall| arguments.zone.zone().of(wall));
            }
        }
    }
    let report = Report { patterns: patterns.digest.clone(), parts, unread: Vec::new() };
    streams.write_to(to, |out| match (answer.format(), arguments.unknown) {
        (DraftFormat::Page(format), unknown) => {
            let document = if unknown { unknown::document } else { listing::events };
            pages::write(&document(&report, several), format, false, answer.look(), out)
        }
        (DraftFormat::Ndjson, false) => json::write_events(&report, out),
        (DraftFormat::Ndjson, true) => unknown::write_objects(&report, out),
        (DraftFormat::Toml, _) => {
            let taken = patterns.messages.iter().map(|message| message.id.as_str());
            unknown::write_toml(&report, taken, out)
        }
    })?;
    Ok(Ending::of(complete, false))
}
