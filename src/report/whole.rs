//! The full report on an input: result, evidence, advice, timeline, meaning, and what the log does
//! not show.

use super::files;
use super::incidents::{self, Gpus};
use super::pieces::{self, Scale};
use super::view::{Ends, IncidentView, PartView, Quiet};
use super::words::verdict_tone;
use super::{Report, ReportPart};
use crate::document::{Banner, Block, Column, Document, Frame, Piece, Section, Table, Text, prose};
use crate::input::called;

/// How much is shown, and what is expanded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Incidents with details.
    pub(super) told: Ends,
    /// Incidents in the list.
    pub(super) listed: Ends,
    /// The amount of detail.
    pub(super) scale: Scale,
    /// Whether harmless notices are shown if they cannot be collapsed.
    pub(super) harmless: bool,
    /// Whether the driver's lines without a known message are shown.
    pub(super) unknown: bool,
    /// Whether the timeline is shown even if there is only one incident.
    pub(super) timeline: bool,
}

impl Extent {
    /// For a terminal.
    pub(super) const TERMINAL: Self = Self {
        told: Ends::ALL,
        listed: Ends::ALL,
        scale: Scale {
            rows: Ends::ALL,
            actions: usize::MAX,
            quotes: Ends { first: 12, last: 4 },
            notices: usize::MAX,
            shapes: usize::MAX,
            folds: false,
            page: false,
        },
        harmless: false,
        unknown: false,
        timeline: false,
    };
    /// For a tracker, which limits the length of a page.
    pub(super) const MARKDOWN: Self = Self {
        told: Ends { first: 4, last: 1 },
        listed: Ends { first: 12, last: 4 },
        scale: Scale {
            rows: Ends { first: 30, last: 30 },
            actions: 3,
            quotes: Ends { first: 48, last: 16 },
            notices: 200,
            shapes: 20,
            folds: true,
            page: false,
        },
        harmless: true,
        unknown: false,
        timeline: false,
    };
    /// For a browser.
    pub(super) const HTML: Self = Self {
        told: Ends { first: 80, last: 20 },
        listed: Ends::ALL,
        scale: Scale {
            rows: Ends { first: 150, last: 50 },
            actions: 3,
            quotes: Ends { first: 48, last: 16 },
            notices: 200,
            shapes: 100,
            folds: true,
            page: true,
        },
        harmless: true,
        unknown: true,
        timeline: true,
    };
}

/// A position in the document.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The number of the input, from 1.
    input: usize,
}

impl Position {
    fn log(self) -> String {
        format!("log-{}", self.input)
    }

    fn incident(self, number: usize) -> String {
        format!("log-{}-incident-{number}", self.input)
    }
}

/// The report as a document.
pub(super) fn document(report: &Report, extent: &Extent) -> Document {
    let views: Vec<PartView<'_>> = report.parts.iter().map(PartView::new).collect();
    let parts = views.iter().zip(&report.parts).enumerate();
    let parts = parts.map(|(at, (view, part))| (view, part, Position { input: at + 1 }));
    match views.as_slice() {
        [only] => {
            let blocks = parts.flat_map(|(view, part, place)| input(view, part, place, extent));
            Document::new(only.answer(), blocks.collect())
        }
        views => {
            let each = parts.map(|(view, part, place)| {
                let body = input(view, part, place, extent);
                Section::new(called(view.name), body).anchored(place.log()).into()
            });
            let link = |at: usize| Some(Position { input: at + 1 }.log());
            let blocks = files::overview(report, views, link).into_iter().chain(each).collect();
            Document::new(files::title(views), blocks)
        }
    }
}

/// The section about one input.
fn input(view: &PartView<'_>, part: &ReportPart, place: Position, extent: &Extent) -> Vec<Block> {
    let mut blocks = Vec::new();
    let problems = |title| pieces::problems(title, &view.notices, &part.log, &extent.scale);
    match view.incidents.as_slice() {
        [] => {
            let quiet = view.quiet.as_ref();
            blocks.extend(quiet.map(|quiet| Block::Banner(quiet_banner(view, quiet))));
            blocks.extend(quiet.and_then(Quiet::evidence).map(Block::Evidence));
            blocks.extend(problems("What is wrong"));
            blocks.extend(
                quiet.into_iter().flat_map(|quiet| &quiet.about).cloned().map(Block::Facts),
            );
        }
        [only] => {
            blocks.push(Block::Banner(banner(only)));
            blocks.append(&mut pieces::incident(only, &extent.scale));
        }
        several => {
            blocks.push(Block::Banner(banner_of_several(view)));
            let worst = view.worst();
            blocks.extend(worst.into_iter().flat_map(|one| pieces::urgent(one, &extent.scale)));
            blocks.push(overview(view, place, extent));
            if let Some(chart) = &view.chart {
                blocks.push(Section::new("Timeline", vec![Block::Timeline(chart.clone())]).into());
            }
            let told = several.iter().filter(|one| extent.told.has(one.number, several.len()));
            let worst = worst.map(|worst| worst.number);
            blocks.extend(told.map(|one| one_of_several(one, worst, place, several.len(), extent)));
        }
    }
    if let (Some(chart), [_], true) = (&view.chart, view.incidents.as_slice(), extent.timeline) {
        blocks.push(Section::new("Timeline", vec![Block::Timeline(chart.clone())]).into());
    }
    if !view.incidents.is_empty() {
        blocks.extend(problems("Other problems"));
    }
    blocks.extend(pieces::notices(&view.notices, &part.log, &extent.scale, extent.harmless));
    blocks.extend(
        extent.unknown.then(|| pieces::unknown(&part.log.unknown, &extent.scale)).flatten(),
    );
    blocks.extend(view.unexplained.as_deref().map(prose));
    let remark = view.remark.as_deref().filter(|_| !extent.unknown);
    let read: Vec<Block> = [view.reading.as_str()].into_iter().chain(remark).map(prose).collect();
    blocks.push(Section::new("What was read", read).into());
    blocks
}

/// The banner if nothing failed.
pub(super) fn quiet_banner(view: &PartView<'_>, quiet: &Quiet) -> Banner {
    Banner {
        tone: verdict_tone(view.verdict),
        state: view.state.to_owned(),
        about: Vec::new(),
        headline: quiet.without_state().into_owned().into(),
        lead: Vec::new(),
    }
}

/// The banner of one incident.
pub(super) fn banner(incident: &IncidentView<'_>) -> Banner {
    Banner {
        tone: incident.tone,
        state: incident.state.clone(),
        about: incident.about(),
        headline: incident.title.as_str().into(),
        lead: incident.lead(),
    }
}

/// The banner of several incidents: that of the worst.
pub(super) fn banner_of_several(view: &PartView<'_>) -> Banner {
    let worst = view.worst().unwrap_or_else(|| unreachable!("there are several incidents"));
    Banner {
        tone: worst.tone,
        state: format!("{}. Worst: {}", view.counted, worst.state_last()),
        about: worst.about(),
        headline: worst.title.as_str().into(),
        lead: worst.lead(),
    }
}

fn overview(view: &PartView<'_>, place: Position, extent: &Extent) -> Block {
    let all = view.incidents.len();
    let gpus = Gpus::of(&view.incidents);
    let row = |incident: &IncidentView<'_>| {
        let words = incident.title.trim_end_matches('.').to_owned();
        let diagnosis = if extent.told.has(incident.number, all) {
            Piece::Reference { anchor: place.incident(incident.number), words }.into()
        } else {
            Text::from(words)
        };
        let mut row = incidents::cells(incident, gpus);
        row.extend([Text::toned(incident.tone, &*incident.state), diagnosis]);
        row
    };
    let (first, hidden, last) = extent.listed.split(&view.incidents);
    let gap = (hidden > 0).then(|| {
        let mut row = incidents::gap(gpus, format!("{hidden} more: JSON has them"));
        row.extend([Text::default(), Text::default()]);
        row
    });
    let rows = first.iter().map(row).chain(gap).chain(last.iter().map(row)).collect();
    let mut columns = incidents::columns("No.", gpus);
    columns.extend([Column::words("What"), Column::words("Diagnosis")]);
    let table = Table { name: "Incidents".to_owned(), columns, rows, one_line: false };
    let silent = extent.told.hidden(all);
    let note = (silent > 0)
        .then(|| prose(format!("{silent} of them are not described below; JSON has them.")));
    let body = [table.into()].into_iter().chain(note).collect();
    Section::new("Overview", body).into()
}

/// The section about one incident; that about the worst is expanded, and does not repeat what is
/// below the banner.
fn one_of_several(
    incident: &IncidentView<'_>,
    worst: Option<usize>,
    place: Position,
    all: usize,
    extent: &Extent,
) -> Block {
    let same = incident.as_after.filter(|number| extent.told.has(*number, all));
    let is_worst = worst == Some(incident.number);
    let mut blocks = match same {
        _ if is_worst => pieces::incident_after_urgent(incident, &extent.scale, same),
        Some(number) => pieces::incident_as_after(incident, &extent.scale, number),
        None => pieces::incident(incident, &extent.scale),
    };
    blocks.splice(0..0, incident.lead().into_iter().map(prose));
    let frame = match (extent.scale.folds, is_worst) {
        (false, _) => Frame::Plain,
        (true, true) => Frame::Unfolded,
        (true, false) => Frame::Folded,
    };
    let title = Text::from(format!("{}. ", incident.number))
        .and(Text::toned(incident.tone, incident.state.clone()))
        .and(format!(": {}", incident.title));
    Section::new(title, blocks).framed(frame).anchored(place.incident(incident.number)).into()
}
