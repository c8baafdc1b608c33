//! The timeline of a log: a track for each GPU across the boots, with a mark for each event.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::timeline::{Mark, Span, Timeline, Track};
use crate::event::Observed;
use crate::event::log::{Boot, Log};
use crate::record::Stamp;
use crate::report::ReportPart;
use crate::value::{Micros, PciAddress};

/// Maximum number of boots to draw; of more, the last ones with incidents.
const MOST_BOOTS: usize = 12;

/// The timeline of `part`; `None` if nothing happened.
pub(super) fn chart(part: &ReportPart) -> Option<Timeline> {
    let findings = &part.conclusions.findings;
    if findings.is_empty() {
        return None;
    }
    let log = &part.log;
    let spans = spans(part);
    let mut tracks: BTreeMap<Option<PciAddress>, Vec<Mark>> = BTreeMap::new();
    for (number, finding) in findings.iter().enumerate() {
        let incident = &finding.incident;
        let drawn = spans.binary_search_by_key(&incident.boot, |span| span.boot);
        let Ok(span) = drawn else { continue };
        let mut place = Locator::new(log, incident.boot, &incident.events);
        for observed in incident.events.iter().map(|index| &log.events[*index]) {
            let Some(phase) = observed.event.columns().mark else { continue };
            let (at, after) = place.of(observed);
            let mark = Mark { span, at, after, phase, incident: number + 1, line: observed.line() };
            tracks.entry(observed.device.or(incident.device)).or_default().push(mark);
        }
    }
    let tracks = tracks.into_iter().map(|(device, marks)| Track { device, marks }).collect();
    Some(Timeline { left_out: part.boots().count() - spans.len(), boots: spans, tracks })
}

/// The boots that are drawn.
fn spans(part: &ReportPart) -> Vec<Span> {
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
    first.elapsed(last).filter(|span| span.0 >= 0)
}

/// Finds the position of each event in its boot: by time; without a time, next to the previous line
/// with one; by line number if no line has a time.
struct Locator<'l> {
    log: &'l Log,
    boot: usize,
    /// The position of the last event with a time, or of the next one.
    near: Option<f64>,
}

impl<'l> Locator<'l> {
    fn new(log: &'l Log, boot: usize, events: &[usize]) -> Self {
        let mut place = Self { log, boot, near: None };
        let events = events.iter().map(|index| &log.events[*index]);
        place.near = events.filter_map(|observed| place.by_time(observed)).map(|(at, _)| at).next();
        place
    }

    fn of(&mut self, observed: &Observed) -> (f64, Option<Micros>) {
        if let Some((at, after)) = self.by_time(observed) {
            self.near = Some(at);
            return (at, Some(after));
        }
        (self.near.unwrap_or_else(|| self.by_record(observed)), None)
    }

    fn by_time(&self, observed: &Observed) -> Option<(f64, Micros)> {
        let known = self.log.boots.get(self.boot)?;
        let whole = lasts(&known.first, &known.last).filter(|whole| whole.0 > 0)?;
        let after = known.first.elapsed(&observed.stamp)?;
        Some((part_of(after.0, whole.0), after))
    }

    fn by_record(&self, observed: &Observed) -> f64 {
        let boots = &self.log.reading.boots;
        let start = |boot: usize| boots.get(boot).map(|boot| boot.first_sequence);
        let first = start(self.boot).unwrap_or_default();
        let end = start(self.boot + 1).unwrap_or(self.log.reading.records);
        let place = |sequence: u64| i64::try_from(sequence.saturating_sub(first)).unwrap_or(0);
        part_of(place(observed.sequence), place(end))
    }
}

#[allow(clippy::cast_precision_loss, reason = "a picture is a few hundred columns wide")]
fn part_of(part: i64, whole: i64) -> f64 {
    if whole <= 0 { 0.0 } else { (part as f64 / whole as f64).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::patterns;
    use crate::diagnosis::conclusions;
    use crate::event::log::tests::log;

    #[test]
    fn a_line_without_a_time_is_given_none() {
        let text = "\
[   10.000000] usb 1-1: new device
[   60.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3

amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[  110.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";
        let log = log(text);
        let conclusions = conclusions(&log, &patterns());
        let part = ReportPart::new("a".to_owned(), None, log, conclusions);
        let chart = chart(&part).unwrap();
        let marks: Vec<_> =
            chart.tracks[0].marks.iter().map(|mark| (mark.at, mark.after, mark.line)).collect();
        let fifty = Micros::seconds(50);
        assert_eq!(
            marks,
            [(0.5, Some(fifty), 2), (0.5, None, 4), (1.0, Some(Micros::seconds(100)), 5)]
        );
    }
}
