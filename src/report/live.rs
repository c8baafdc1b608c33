//! What `follow` says to a person: each event on a line, and an incident when it is told first, when more
//! is known of it, and in full when it is over.

use std::io;

use owo_colors::Style;

use super::ReportPart;
use super::page::{Look, Page};
use super::phases::shown;
use super::time::moment;
use super::untrusted::Untrusted;
use super::view::IncidentView;
use super::width::left;
use super::words::severity_style;
use crate::kind::Part;
use crate::live::{NewEvent, State, Telling};

/// Columns of a time since boot and of a kind of event.
const TIME: usize = 12;
const KIND: usize = 22;

/// Writes an event on a line. What only introduces a machine is left out unless all is wanted.
pub(crate) fn write_event(
    part: &ReportPart,
    new: NewEvent,
    look: Look,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(observed) = part.log.events.get(new.place) else { return Ok(()) };
    if !look.all && observed.event.kind().part() == Part::Context {
        return Ok(());
    }
    let time = moment(&observed.stamp).unwrap_or_else(|| "-".to_owned());
    let device = observed.device.map_or_else(|| "-".to_owned(), |device| device.to_string());
    let kind = left(observed.event.kind().name(), KIND);
    let style = observed.event.columns().mark.map_or_else(Style::new, |phase| shown(phase).style);
    let page = Page::new(look);
    let again = if new.again { "more: " } else { "" };
    let means = observed.means();
    let means = Untrusted(&means);
    writeln!(out, "{time:>TIME$}  {device:<12}  {}  {again}{means}", page.paint(&kind, style))
}

/// Writes what is to be told of an incident; one that is over `in_full`, with what to do.
pub(crate) fn write_incident(
    part: &ReportPart,
    told: Telling,
    in_full: bool,
    look: Look,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let Some(finding) = part.conclusions.findings.get(told.finding) else { return Ok(()) };
    let view = IncidentView::new(part, finding, told.number);
    let mut page = Page::new(look);
    let title = format!("== incident {}, {} ==", told.number, words(told.state));
    let title = page.paint(&title, severity_style(finding.severity).bold());
    page.line(&title);
    match told.state {
        State::Closed if in_full => page.incident(&view, false, None),
        State::Open | State::Revised | State::Closed => page.answer("", &view),
    }
    page.gap();
    out.write_all(page.text().as_bytes())
}

const fn words(state: State) -> &'static str {
    match state {
        State::Open => "still open",
        State::Revised => "still open, more is known",
        State::Closed => "over",
    }
}
