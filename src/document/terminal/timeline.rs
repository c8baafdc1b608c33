//! The timeline of a log as one line of characters for each GPU.

use std::collections::BTreeSet;

use super::{Page, STEP, style};
use crate::document::phases::shown;
use crate::document::timeline::{NAMELESS, Timeline, Track, lengths, widths};
use crate::kind::Milestone;

/// A time without events, or the gap between two boots.
const NOTHING: char = '-';
const NEXT_BOOT: char = '|';
/// Minimum number of columns for a boot, so that short ones are visible.
const LEAST: usize = 3;
/// Maximum number of columns; more would show no more.
const MOST: usize = 100;

impl Page {
    /// Writes the timeline of a log.
    pub(super) fn timeline(&mut self, chart: &Timeline) {
        let name = |track: &Track| {
            track.device.map_or_else(|| NAMELESS.to_owned(), |device| device.to_string())
        };
        let label = chart.tracks.iter().map(|track| name(track).len()).max().unwrap_or_default();
        let columns = self.room().min(MOST).saturating_sub(label + STEP.len());
        let room = columns.saturating_sub(chart.boots.len().saturating_sub(1));
        let widths = widths(&chart.boots, room, LEAST);
        let mut used = BTreeSet::new();
        for track in &chart.tracks {
            let cells = cells(track, &widths);
            used.extend(cells.iter().filter_map(|cell| match cell {
                Cell::Time(phase) => *phase,
                Cell::Boot => None,
            }));
            let line: String = cells.into_iter().map(|cell| self.cell(cell)).collect();
            self.line(&format!("{:<label$}{STEP}{line}", name(track)));
        }
        self.legend(chart, &used);
    }

    fn cell(&self, cell: Cell) -> String {
        match cell {
            Cell::Boot => NEXT_BOOT.to_string(),
            Cell::Time(None) => NOTHING.to_string(),
            Cell::Time(Some(phase)) => {
                self.paint(&shown(phase).block.to_string(), style(shown(phase).tone))
            }
        }
    }

    fn legend(&mut self, chart: &Timeline, used: &BTreeSet<Milestone>) {
        let mut words: Vec<String> = used
            .iter()
            .map(|phase| shown(*phase))
            .map(|it| format!("{} {}", it.block, it.word))
            .collect();
        if chart.boots.len() > 1 {
            words.push(format!("{NEXT_BOOT} next boot"));
        }
        self.prose("", &words.join(", ").into());
        self.prose("", &lengths(chart).into());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Boot,
    Time(Option<Milestone>),
}

/// The cells of a track. If several incidents fall into one cell, the last one's end is shown.
fn cells(track: &Track, widths: &[usize]) -> Vec<Cell> {
    let mut boots: Vec<Vec<Option<(usize, Milestone)>>> =
        widths.iter().map(|width| vec![None; *width]).collect();
    for mark in &track.marks {
        let Some(boot) = boots.get_mut(mark.span) else { continue };
        let place = column(mark.at, boot.len());
        if let Some(cell) = boot.get_mut(place) {
            *cell = (*cell).max(Some((mark.incident, mark.phase)));
        }
    }
    let shown = |cell: Option<(usize, Milestone)>| Cell::Time(cell.map(|(_, phase)| phase));
    let boots: Vec<Vec<Cell>> =
        boots.into_iter().map(|boot| boot.into_iter().map(shown).collect()).collect();
    boots.join(&Cell::Boot)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "0 to 1 of a hundred columns"
)]
fn column(at: f64, width: usize) -> usize {
    ((at * width as f64) as usize).min(width.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::timeline::Mark;

    #[test]
    fn how_it_ended_is_what_shows() {
        let mark = |span, at, phase| Mark { span, at, after: None, phase, incident: 1, line: 1 };
        let marks = vec![
            mark(0, 0.1, Milestone::Reset),
            mark(0, 0.1, Milestone::Fault),
            mark(0, 1.0, Milestone::Back),
            mark(1, 0.0, Milestone::Lost),
            mark(7, 0.0, Milestone::Lost),
        ];
        let track = Track { device: None, marks };
        let text: String = cells(&track, &[4, 2])
            .into_iter()
            .map(|cell| match cell {
                Cell::Boot => NEXT_BOOT,
                Cell::Time(phase) => phase.map_or(NOTHING, |phase| shown(phase).block),
            })
            .collect();
        assert_eq!(text, "R--+|x-");
        let later = |phase| Mark { incident: 2, ..mark(0, 0.1, phase) };
        let marks =
            vec![mark(0, 0.1, Milestone::Back), later(Milestone::Failure), later(Milestone::Reset)];
        let track = Track { device: None, marks };
        assert_eq!(cells(&track, &[1]), [Cell::Time(Some(Milestone::Reset))], "it never came back");
    }
}
