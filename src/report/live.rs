//! The output of `follow` for people: a line for each event; an incident when it is first reported,
//! when it changes, and in full when it is over.

use std::io;

use super::ReportPart;
use super::listing::kind;
use super::pieces;
use super::time::moment;
use super::view::IncidentView;
use super::whole::{Extent, banner};
use crate::document::terminal::rows::Layout;
use crate::document::terminal::{self, Look};
use crate::document::{Banner, Block, Column, Document, Text};
use crate::kind::Part;
use crate::live::{IncidentUpdate, NewEvent, State};

/// The columns of the list of events, without titles.
const COLUMNS: [Column; 4] =
    [Column::numbers(""), Column::words(""), Column::words(""), Column::words("")];
/// Their usual widths, which are not known before the events are.
const WIDTHS: [usize; 3] = [12, 12, 22];

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
    let or_unknown = |text: Option<String>| Text::from(text.unwrap_or_else(|| "-".to_owned()));
    let again = if new.again { "more: " } else { "" };
    let row = [
        or_unknown(moment(&observed.stamp)),
        or_unknown(observed.device.map(|device| device.to_string())),
        kind(observed),
        format!("{again}{}", observed.means()).into(),
    ];
    writeln!(out, "{}", Layout::new(&COLUMNS, look).at_least(&WIDTHS).line(&row))
}

/// Writes a report of an incident; one that is over in full with `in_full`, including advice.
pub(crate) fn write_incident(
    part: &ReportPart,
    told: IncidentUpdate,
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

const fn words(told: IncidentUpdate) -> &'static str {
    match told.state {
        State::Open => "still open",
        State::Revised if told.over => "over, more is known",
        State::Revised => "still open, more is known",
        State::Closed => "over",
    }
}
