//! The list of events, and the frame of lists of what is in logs.

use std::collections::BTreeSet;
use std::io;

use super::time::moment;
use super::{Report, ReportPart};
use crate::document::phases::shown;
use crate::document::untrusted::Untrusted;
use crate::document::{Block, Column, Document, Section, Table, Text, Tone, prose};
use crate::event::Observed;
use crate::input::called;
use crate::value::Level;

/// Writes the name of an input above its list, between lists that are written as they come.
pub(crate) fn heading(name: &str, first: bool, out: &mut dyn io::Write) -> io::Result<()> {
    let gap = if first { "" } else { "\n" };
    writeln!(out, "{gap}== {} ==", Untrusted(name))
}

/// A document with the list of each input, under its name if there are several.
pub(super) fn by_input(
    report: &Report,
    several: bool,
    title: &str,
    list: impl Fn(&ReportPart) -> Vec<Block>,
) -> Document {
    let blocks = report.parts.iter().flat_map(|part| {
        if several { vec![Section::new(called(&part.name), list(part)).into()] } else { list(part) }
    });
    Document::new(title, blocks.collect())
}

/// All events.
pub(crate) fn events(report: &Report, several: bool) -> Document {
    by_input(report, several, "Events", |part| {
        let events = &part.log.events;
        let devices: BTreeSet<_> = events.iter().filter_map(|observed| observed.device).collect();
        let mut columns = vec![
            Column::numbers("Line"),
            Column::numbers("Time"),
            Column::words("Level").spare(),
            Column::words("Event"),
            Column::words("Meaning"),
        ];
        // With one GPU its address is redundant.
        let with_device = devices.len() > 1;
        if with_device {
            columns.insert(3, Column::words("GPU"));
        }
        if events.is_empty() {
            return vec![prose("No GPU events found.")];
        }
        let rows = events.iter().map(|observed| row(observed, with_device));
        vec![Table::of_lines("Events", columns, rows).into()]
    })
}

fn row(observed: &Observed, with_device: bool) -> Vec<Text> {
    let or_unknown = |text: Option<String>| Text::from(text.unwrap_or_else(|| "-".to_owned()));
    let device = || or_unknown(observed.device.map(|device| device.to_string()));
    let start = [
        observed.line().to_string().into(),
        or_unknown(moment(&observed.stamp)),
        observed.level.map_or("-", Level::name).into(),
    ];
    let end = [kind(observed), observed.means().into()];
    start.into_iter().chain(with_device.then(device)).chain(end).collect()
}

/// The kind of an event, in the colour of its phase of the recovery.
pub(super) fn kind(observed: &Observed) -> Text {
    let tone = observed.event.columns().mark.map_or(Tone::Plain, |phase| shown(phase).tone);
    Text::toned(tone, observed.event.kind().name())
}
