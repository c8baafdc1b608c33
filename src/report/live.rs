//! The output of `follow` for people: a line for each event, and counts of those that only repeat;
//! an incident when it is first reported, when it changes, and in full when it is over.

use std::io;

use super::ReportPart;
use super::listing::kind;
use super::pieces;
use super::time::moment;
use super::view::{IncidentView, LOOK_BACK, likeness};
use super::whole::{Extent, banner};
use crate::document::terminal::rows::Layout;
use crate::document::terminal::{self, Look};
use crate::document::{Banner, Block, Column, Document, Text};
use crate::event::Observed;
use crate::kind::Part;
use crate::live::{IncidentUpdate, NewEvent, State};
use crate::record::Stamp;
use crate::value::{Micros, PciAddress};

/// The columns of the list of events, without titles.
const COLUMNS: [Column; 4] =
    [Column::numbers(""), Column::words(""), Column::words(""), Column::words("")];
/// Their usual widths, which are not known before the events are.
const WIDTHS: [usize; 3] = [12, 12, 22];

/// Writes a line for each event; events that only repeat one of the last are counted instead.
#[derive(Debug, Default)]
pub(crate) struct EventLines {
    /// The last distinct events.
    recent: Vec<Recent>,
}

/// The longest time between two events of which the second only repeats the first.
const BURST: Micros = Micros::seconds(10);

/// An event that was shown.
#[derive(Debug)]
struct Recent {
    like: (String, Option<PciAddress>),
    /// The last event like it.
    row: EventRow,
    stamp: Stamp,
    /// The number of those that were not shown yet.
    more: usize,
}

/// The cells of a line before the meaning, and the meaning.
#[derive(Debug)]
struct EventRow {
    start: [Text; 3],
    means: String,
}

impl EventLines {
    /// Writes the line of an event, or counts it. Events that only describe the machine are omitted
    /// unless `all`.
    pub(crate) fn add(
        &mut self,
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
        let row = EventRow::new(observed);
        let like = (likeness(observed), observed.device);
        let stamp = observed.stamp;
        if let Some(known) = self.recent.iter_mut().find(|known| known.is_repeated(&like, &stamp)) {
            known.more += 1;
            (known.row, known.stamp) = (row, stamp);
            return Ok(());
        }
        self.write_counts(look, out)?;
        row.write(if new.again { "more: " } else { "" }, look, out)?;
        self.recent.retain(|known| known.like != like);
        if self.recent.len() == LOOK_BACK {
            self.recent.remove(0);
        }
        self.recent.push(Recent { like, row, stamp, more: 0 });
        Ok(())
    }

    /// Writes what was counted, and shows the next event whatever it is.
    pub(crate) fn end(&mut self, look: Look, out: &mut dyn io::Write) -> io::Result<()> {
        let written = self.write_counts(look, out);
        self.recent.clear();
        written
    }

    /// Writes a line for the events that were counted since the last call.
    pub(crate) fn write_counts(&mut self, look: Look, out: &mut dyn io::Write) -> io::Result<()> {
        for known in self.recent.iter_mut().filter(|known| known.more > 0) {
            let count = std::mem::take(&mut known.more);
            known.row.write(&format!("{count} more: "), look, out)?;
        }
        Ok(())
    }
}

impl Recent {
    fn is_repeated(&self, like: &(String, Option<PciAddress>), stamp: &Stamp) -> bool {
        self.like == *like && self.stamp.elapsed(stamp).is_none_or(|since| since <= BURST)
    }
}

impl EventRow {
    fn new(observed: &Observed) -> Self {
        let or_unknown = |text: Option<String>| Text::from(text.unwrap_or_else(|| "-".to_owned()));
        let start = [
            or_unknown(moment(&observed.stamp)),
            or_unknown(observed.device.map(|device| device.to_string())),
            kind(observed),
        ];
        Self { start, means: observed.means() }
    }

    fn write(&self, before: &str, look: Look, out: &mut dyn io::Write) -> io::Result<()> {
        let layout = Layout::new(&COLUMNS, look).at_least(&WIDTHS);
        let end = Text::from(format!("{before}{}", self.means));
        let lines = layout.lines(self.start.iter().cloned().chain([end]));
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
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
    terminal::write(&Document::new("", blocks), look, out)
}

const fn words(told: IncidentUpdate) -> &'static str {
    match told.state {
        State::Open => "still open",
        State::Revised if told.over => "over, more is known",
        State::Revised => "still open, more is known",
        State::Closed => "over",
    }
}
