//! The whole log as a picture: a track for each GPU over the boots, with a mark for each thing that
//! happened to it.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::Observed;
use crate::event::log::{Boot, Log};
use crate::incident::phase::Phase;
use crate::record::Stamp;
use crate::report::Part;
use crate::value::{Micros, PciAddress};

/// The picture of one input.
#[derive(Debug, PartialEq)]
pub(in crate::report) struct Chart {
    /// The boots, in their order.
    pub(in crate::report) boots: Vec<Span>,
    /// Boots that are not drawn.
    pub(in crate::report) left_out: usize,
    /// The GPUs, and a track for what names none.
    pub(in crate::report) tracks: Vec<Track>,
}

/// One boot of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) struct Span {
    /// Its place among the log's boots, from 0.
    pub(in crate::report) boot: usize,
    /// How long the log of it lasts; `None` where lines carry no time.
    pub(in crate::report) lasts: Option<Micros>,
}

/// What happened to one GPU.
#[derive(Debug, PartialEq)]
pub(in crate::report) struct Track {
    /// The GPU; `None` for what names none.
    pub(in crate::report) device: Option<PciAddress>,
    /// In the order of the log.
    pub(in crate::report) marks: Vec<Mark>,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::report) struct Mark {
    /// The boot: its place in [`Chart::boots`].
    pub(in crate::report) span: usize,
    /// Where in the boot, 0 to 1.
    pub(in crate::report) at: f64,
    /// What.
    pub(in crate::report) phase: Phase,
    /// The number of its incident.
    pub(in crate::report) incident: usize,
    /// Its line.
    pub(in crate::report) line: u64,
}

/// More boots than this fit no line: then those with incidents are drawn, and of them the last ones.
const MOST_BOOTS: usize = 12;

/// The picture of `part`; `None` where nothing happened.
pub(super) fn chart(part: &Part) -> Option<Chart> {
    let findings = &part.conclusions.findings;
    if findings.is_empty() {
        return None;
    }
    let log = &part.log;
    let spans = spans(part);
    let mut tracks: BTreeMap<Option<PciAddress>, Vec<Mark>> = BTreeMap::new();
    for device in part.devices().filter(|device| device.address.is_some()) {
        tracks.entry(device.address).or_default();
    }
    for (at, finding) in findings.iter().enumerate() {
        let incident = &finding.incident;
        let drawn = spans.binary_search_by_key(&incident.boot, |span| span.boot);
        let Ok(span) = drawn else { continue };
        for observed in incident.events.iter().filter_map(|index| log.events.get(*index)) {
            let Some(phase) = Phase::of(&observed.event) else { continue };
            let place = share(log, incident.boot, observed);
            let mark = Mark { span, at: place, phase, incident: at + 1, line: observed.line() };
            tracks.entry(observed.device.or(incident.device)).or_default().push(mark);
        }
    }
    let tracks = tracks.into_iter().map(|(device, marks)| Track { device, marks }).collect();
    Some(Chart { left_out: part.boots().count() - spans.len(), boots: spans, tracks })
}

/// The boots that are drawn.
fn spans(part: &Part) -> Vec<Span> {
    let boots: Vec<(usize, &Boot)> = part.boots().collect();
    let span = |boot: usize, known: &Boot| Span { boot, lasts: lasts(&known.first, &known.last) };
    if boots.len() <= MOST_BOOTS {
        return boots.into_iter().map(|(boot, known)| span(boot, known)).collect();
    }
    let failed: BTreeSet<usize> =
        part.conclusions.findings.iter().map(|finding| finding.incident.boot).collect();
    let surplus = failed.len().saturating_sub(MOST_BOOTS);
    let drawn = failed.into_iter().skip(surplus);
    drawn.filter_map(|boot| part.log.boots.get(boot).map(|known| span(boot, known))).collect()
}

fn lasts(first: &Stamp, last: &Stamp) -> Option<Micros> {
    first.elapsed(last).filter(|span| span.0 > 0)
}

/// Where in its boot an event stands: by time, or by its line where there is none.
fn share(log: &Log, boot: usize, observed: &Observed) -> f64 {
    let by_time = || {
        let known = log.boots.get(boot)?;
        let whole = lasts(&known.first, &known.last)?;
        Some(part_of(known.first.elapsed(&observed.stamp)?.0, whole.0))
    };
    let by_record = || {
        let start = |boot: usize| log.reading.boots.get(boot).map(|boot| boot.first_sequence);
        let first = start(boot).unwrap_or_default();
        let end = start(boot + 1).unwrap_or(log.reading.records);
        let place = |sequence: u64| i64::try_from(sequence.saturating_sub(first)).unwrap_or(0);
        part_of(place(observed.sequence), place(end))
    };
    by_time().unwrap_or_else(by_record)
}

#[allow(clippy::cast_precision_loss, reason = "a picture is a few hundred columns wide")]
fn part_of(part: i64, whole: i64) -> f64 {
    if whole <= 0 { 0.0 } else { (part as f64 / whole as f64).clamp(0.0, 1.0) }
}
