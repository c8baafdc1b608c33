//! The timeline of a log as an SVG: for each GPU a row for each phase, across the boots. Each phase
//! has its own row, shape and word, so that colours are not needed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write as _};

use super::markup::Markup;
use crate::document::counts::{any, span};
use crate::document::phases::shown;
use crate::document::timeline::{Mark, NAMELESS, Span, Timeline, Track, lengths, widths};
use crate::kind::Milestone;
use crate::value::Micros;

/// Maximum number of GPUs to draw.
const TRACKS: usize = 16;
/// Maximum number of rows in the text version.
const WORDS: usize = 200;
/// Positions and widths are in thousandths of the width, so that the picture scales.
const WIDTH: usize = 1000;
/// The gap between two boots.
const GAP: usize = 10;
/// Minimum width of a boot.
const LEAST: usize = 40;
/// Boots narrower than this are labelled only with their number.
const NARROW: usize = 160;
/// Height of a row.
const ROW: usize = 22;
/// Marks that are closer than this are drawn as one.
const NEAR: usize = 20;

/// Marks that are drawn as one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    /// The time of the first one since the start of its boot.
    after: Option<Micros>,
    count: usize,
    incidents: (usize, usize),
    lines: (u64, u64),
}

impl Group {
    const fn of(mark: &Mark) -> Self {
        let Mark { after, incident, line, .. } = *mark;
        Self { after, count: 1, incidents: (incident, incident), lines: (line, line) }
    }

    fn add(&mut self, mark: &Mark) {
        self.count += 1;
        self.incidents.0 = self.incidents.0.min(mark.incident);
        self.incidents.1 = self.incidents.1.max(mark.incident);
        self.lines.0 = self.lines.0.min(mark.line);
        self.lines.1 = self.lines.1.max(mark.line);
    }

    fn times(&self) -> String {
        if self.count > 1 { format!("{} × ", self.count) } else { String::new() }
    }

    /// A description.
    fn summary(&self, phase: Milestone) -> String {
        let count = self.times();
        let incidents = range("incident", &self.incidents);
        let lines = range("line", &self.lines);
        format!("{count}{}: {incidents}, {lines}", shown(phase).word)
    }
}

/// `line 3`, `lines 3-5`.
fn range<N: PartialEq + Display>(what: &str, (first, last): &(N, N)) -> String {
    if first == last { format!("{what} {first}") } else { format!("{what}s {first}-{last}") }
}

/// Groups the marks by key, in the order of keys.
fn grouped<K: Ord>(marks: &[Mark], key: impl Fn(&Mark) -> Option<K>) -> BTreeMap<K, Group> {
    let mut groups: BTreeMap<K, Group> = BTreeMap::new();
    for mark in marks {
        let Some(key) = key(mark) else { continue };
        groups.entry(key).and_modify(|group| group.add(mark)).or_insert_with(|| Group::of(mark));
    }
    groups
}

/// Whether there are several incidents, so that they need numbers.
fn is_several(chart: &Timeline) -> bool {
    let mut numbers = chart.tracks.iter().flat_map(|track| &track.marks).map(|mark| mark.incident);
    let first = numbers.next();
    numbers.any(|number| Some(number) != first)
}

fn name(track: &Track) -> String {
    track.device.map_or_else(|| NAMELESS.to_owned(), |device| format!("GPU {device}"))
}

/// The phases of a track, in order.
fn phases(track: &Track) -> BTreeSet<Milestone> {
    track.marks.iter().map(|mark| mark.phase).collect()
}

/// The left edge and width of each boot.
fn panels(boots: &[Span]) -> Vec<(usize, usize)> {
    let mut left = 0;
    let place = |width: usize| {
        let panel = (left, width);
        left += width + GAP;
        panel
    };
    let room = WIDTH.saturating_sub(GAP * boots.len().saturating_sub(1));
    widths(boots, room, LEAST).into_iter().map(place).collect()
}

/// Thousandths as an SVG percentage.
fn share(parts: usize) -> String {
    format!("{}.{}%", parts / 10, parts % 10)
}

/// The position of a mark, in steps of [`NEAR`].
fn place(mark: &Mark, panels: &[(usize, usize)]) -> Option<usize> {
    let (left, width) = *panels.get(mark.span)?;
    Some(left + part(mark.at, width) / NEAR * NEAR)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "0 to 1 of a thousand points"
)]
fn part(at: f64, width: usize) -> usize {
    ((at.clamp(0.0, 1.0) * width as f64) as usize).min(width)
}

/// A short description of the picture.
fn summary(chart: &Timeline) -> String {
    let mut text = "Timeline.".to_owned();
    for track in chart.tracks.iter().take(TRACKS) {
        let counts = grouped(&track.marks, |mark| Some(mark.phase));
        let counts = counts.iter().map(|(phase, group)| {
            let lines = range("line", &group.lines);
            format!("{} × {} ({lines})", group.count, shown(*phase).word)
        });
        let told = any(counts, ", ").unwrap_or_else(|| "nothing".to_owned());
        // Writing to a string cannot fail.
        let _ = write!(text, " {}: {told}.", name(track));
    }
    text
}

impl Markup {
    /// Writes the picture, the length of its boots, and the text version.
    pub(super) fn timeline(&mut self, chart: &Timeline) {
        let several = is_several(chart);
        self.picture(chart, several);
        let more = chart.tracks.len().saturating_sub(TRACKS);
        let more = if more > 0 { format!(" {more} GPUs are not drawn.") } else { String::new() };
        self.note(&format!("{}{more}", lengths(chart)));
        self.in_words(chart);
    }

    fn picture(&mut self, chart: &Timeline, several: bool) {
        let tracks = chart.tracks.get(..TRACKS.min(chart.tracks.len())).unwrap_or_default();
        let label = summary(chart);
        self.open("div", &[("class", "chart"), ("role", "img"), ("aria-label", &label)]);
        self.raw("\n");
        let panels = panels(&chart.boots);
        if chart.boots.len() > 1 {
            self.boots(chart, &panels);
        }
        for track in tracks {
            self.element("p", &[("class", "gpu")], &name(track));
            self.track(track, &panels, several);
        }
        self.close("div");
    }

    fn boots(&mut self, chart: &Timeline, panels: &[(usize, usize)]) {
        self.raw("<div class=\"lanes\"><div></div>");
        self.open("svg", &[("height", &ROW.to_string())]);
        self.raw("\n");
        for (boot, (left, width)) in chart.boots.iter().zip(panels) {
            let number = boot.boot + 1;
            let wide = *width >= NARROW;
            let text = if wide { format!("boot {number}") } else { number.to_string() };
            self.label("boot", *left, ROW - 6, &text);
        }
        self.raw("</svg></div>\n");
    }

    /// Writes the rows of a GPU: words on the left, time on the right.
    fn track(&mut self, track: &Track, panels: &[(usize, usize)], several: bool) {
        let phases = phases(track);
        let rows = phases.len().max(1);
        let base = usize::from(several) * ROW;
        self.raw("<div class=\"lanes\"><div>");
        let first = several.then_some("incident").into_iter();
        for word in first.chain(phases.iter().map(|phase| shown(*phase).word)) {
            self.inline("div", &[], word);
        }
        self.raw("</div>");
        self.open("svg", &[("height", &(base + rows * ROW).to_string())]);
        self.raw("\n");
        if several {
            self.incident_numbers(track, panels);
        }
        for &(left, width) in panels {
            self.ground(left, base, width, rows * ROW);
        }
        let key = |mark: &Mark| Some((mark.phase, place(mark, panels)?));
        for ((phase, across), group) in grouped(&track.marks, key) {
            let row = phases.iter().position(|known| *known == phase).unwrap_or_default();
            self.mark(phase, &group, across, base + row * ROW + ROW / 2);
        }
        self.raw("</svg></div>\n");
    }

    fn mark(&mut self, phase: Milestone, group: &Group, across: usize, down: usize) {
        let (across, down) = (share(across), down.to_string());
        // A nested SVG, because only those can be positioned by percentages.
        self.open("svg", &[("class", "at"), ("x", &across), ("y", &down)]);
        self.inline("title", &[], &group.summary(phase));
        self.open("path", &[("class", shown(phase).class), ("d", shown(phase).shape)]);
        self.raw("</path></svg>\n");
    }

    /// Writes the numbers of incidents at their start, as far as there is room.
    fn incident_numbers(&mut self, track: &Track, panels: &[(usize, usize)]) {
        let mut free = 0;
        let mut last = None;
        for mark in &track.marks {
            let Some(across) = place(mark, panels) else { continue };
            if last == Some(mark.incident) || across < free {
                continue;
            }
            last = Some(mark.incident);
            let text = mark.incident.to_string();
            free = across + NEAR * (text.len() + 1);
            self.label("incident", across, 15, &text);
        }
    }

    fn label(&mut self, class: &'static str, across: usize, down: usize, text: &str) {
        let (across, down) = (share(across), down.to_string());
        self.element("text", &[("class", class), ("x", &across), ("y", &down)], text);
    }

    fn ground(&mut self, left: usize, top: usize, width: usize, height: usize) {
        let [left, width] = [left, width].map(share);
        let [top, height] = [top, height].map(|one| one.to_string());
        let place = [("x", left.as_str()), ("y", &top), ("width", &width), ("height", &height)];
        self.open("rect", &[&[("class", "ground"), ("rx", "4")], &place[..]].concat());
        self.raw("</rect>\n");
    }

    /// Writes the text version of the picture.
    fn in_words(&mut self, chart: &Timeline) {
        self.fold("more", "The timeline in words");
        let columns = ["GPU", "Boot", "After", "Incident", "What", "Lines"];
        self.table("The timeline in words", "words", &columns);
        let key = |mark: &Mark| Some((mark.span, mark.incident, mark.phase));
        let mut rows: Vec<_> = chart
            .tracks
            .iter()
            .flat_map(|track| {
                let marks = grouped(&track.marks, key).into_iter();
                marks.map(move |(key, group)| (track, key, group))
            })
            .collect();
        rows.sort_by_key(|(_, (boot, ..), group)| (*boot, group.after, group.lines.0));
        let all = rows.len();
        for (track, (boot, incident, phase), group) in rows.into_iter().take(WORDS) {
            let Some(boot) = chart.boots.get(boot) else { continue };
            let after = group.after.map_or_else(|| "-".to_owned(), span);
            let cells = [
                name(track),
                (boot.boot + 1).to_string(),
                after,
                incident.to_string(),
                format!("{}{}", group.times(), shown(phase).word),
                range("line", &group.lines),
            ];
            self.raw("<tr>");
            for cell in &cells {
                self.inline("td", &[], cell);
            }
            self.raw("</tr>\n");
        }
        self.end_table();
        if all > WORDS {
            self.note(&format!("{} rows are left out here.", all - WORDS));
        }
        self.close("details");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boot(boot: usize, seconds: i64) -> Span {
        Span { boot, lasts: Some(Micros::seconds(seconds)) }
    }

    fn chart(boots: Vec<Span>, marks: Vec<Mark>) -> String {
        let tracks = vec![Track { device: None, marks }];
        let mut page = Markup::default();
        page.timeline(&Timeline { boots, left_out: 0, tracks });
        page.as_str().to_owned()
    }

    #[test]
    fn boots_fill_the_width_by_their_length() {
        let boots = [boot(0, 900), boot(1, 100), boot(2, 0)];
        let panels = panels(&boots);
        assert_eq!(panels[0].0, 0);
        assert!(panels[0].1 > 7 * panels[1].1 / 2 && panels[2].1 == LEAST, "{panels:?}");
        let (left, width) = panels[2];
        assert!(left + width <= WIDTH && left + width > WIDTH - 4, "{panels:?}");
        for boots in [vec![], vec![boot(0, i64::MAX / 2_000_000); 12]] {
            assert_eq!(super::panels(&boots).len(), boots.len());
        }
    }

    #[test]
    fn a_storm_is_few_marks() {
        let mark = |at: usize| Mark {
            span: 0,
            at: f64::from(u32::try_from(at).unwrap()) / 60_000.0,
            after: None,
            phase: Milestone::Fault,
            incident: 1 + at / 30_000,
            line: at as u64 + 1,
        };
        let text = chart(vec![boot(0, 60)], (0..60_000).map(mark).collect());
        assert!(text.matches("<path").count() <= WIDTH / NEAR, "{}", text.len());
        assert!(text.contains("60000 × fault (lines 1-60000)"), "{text}");
        assert!(text.contains("<td>2</td><td>30000 × fault</td>"), "{text}");
    }

    #[test]
    fn the_timeline_in_words_is_in_the_order_of_time() {
        let mark = |after, incident, phase, line| Mark {
            span: 0,
            at: 0.5,
            after: Some(Micros::seconds(after)),
            phase,
            incident,
            line,
        };
        let marks = vec![
            mark(1, 1, Milestone::Fault, 5),
            mark(3, 1, Milestone::Lost, 9),
            mark(2, 2, Milestone::Failure, 7),
        ];
        let text = chart(vec![boot(0, 60)], marks);
        let lines = ["line 5", "line 7", "line 9"];
        let at = lines.map(|line| text.find(&format!("<td>{line}</td>")));
        assert!(at.is_sorted() && at[0].is_some(), "{at:?} {text}");
    }

    #[test]
    fn marks_outside_of_what_is_drawn_are_passed_over() {
        let mark =
            |span, at| Mark { span, at, after: None, phase: Milestone::Lost, incident: 1, line: 1 };
        let text = chart(vec![boot(0, 60)], vec![mark(0, 7.0), mark(0, f64::NAN), mark(5, 0.5)]);
        assert_eq!(text.matches("<path").count(), 2, "{text}");
    }
}
