//! The output of `follow` for people: a line for each event; an incident when it is first reported,
//! when it changes, and in full when it is over.

use std::io;

use super::ReportPart;
use super::pieces;
use super::time::moment;
use super::view::IncidentView;
use super::whole::{Extent, banner};
use crate::document::phases::shown;
use crate::document::terminal::{self, Look};
use crate::document::untrusted::Untrusted;
use crate::document::width::left;
use crate::document::{Banner, Block, Document, Tone};
use crate::kind::Part;
use crate::live::{NewEvent, State, Telling};

/// The width of the columns for time and kind.
const TIME: usize = 12;
const KIND: usize = 22;

/// Writes the line for an event. Events that only describe the machine are omitted unless `all`.
pub(crate) fn write_event(
    part: &ReportPart,
    new: NewEvent,
    all: bool,
    look: Look,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(observed) = part.log.events.get(new.place) else { return Ok(()) };
    if !all && observed.event.kind().part() == Part::Context {
        return Ok(());
    }
    let time = moment(&observed.stamp).unwrap_or_else(|| "-".to_owned());
    let device = observed.device.map_or_else(|| "-".to_owned(), |device| device.to_string());
    let kind = left(observed.event.kind().name(), KIND);
    let tone = observed.event.columns().mark.map_or(Tone::Plain, |phase| shown(phase).tone);
    let kind = terminal::painted(&kind, tone, look);
    let again = if new.again { "more: " } else { "" };
    let means = observed.means();
    let means = Untrusted(&means);
    writeln!(out, "{time:>TIME$}  {device:<12}  {kind}  {again}{means}")
}

/// Writes a report of an incident; one that is over in full with `in_full`, including advice.
pub(crate) fn write_incident(
    part: &ReportPart,
    told: Telling,
    in_full: bool,
    look: Look,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(finding) = part.conclusions.findings.get(told.finding) else { return Ok(()) };
    let view = IncidentView::new(part, finding, told.number);
    let state = format!("incident {}, {}: {}", told.number, words(told), view.state);
    let mut blocks = vec![Block::Banner(Banner { state, ..banner(&view) })];
    match told.state {
        State::Closed if in_full => {
            blocks.append(&mut pieces::incident(&view, &Extent::TERMINAL.scale));
        }
        State::Open | State::Revised | State::Closed => {}
    }
    terminal::write(&Document { title: String::new(), blocks, foot: None }, look, out)
}

const fn words(told: Telling) -> &'static str {
    match told.state {
        State::Open => "still open",
        State::Revised if told.over => "over, more is known",
        State::Revised => "still open, more is known",
        State::Closed => "over",
    }
}
