//! What is worth knowing and no failure, and the driver's lines that are not understood.

use super::Position;
use super::markup::Markup;
use crate::event::log::Log;
use crate::event::unknown::Unknowns;
use crate::report::counts::several;
use crate::report::view::{Evidence, NoticeView};
use crate::value::Level;

/// So many notices are shown.
const NOTICES: usize = 200;
/// So many shapes of lines are shown.
const SHAPES: usize = 100;

impl Markup {
    /// What is no failure; what is harmless, folded.
    pub(super) fn notices(&mut self, notices: &[NoticeView<'_>], log: &Log, place: Position) {
        if notices.is_empty() {
            return;
        }
        self.heading(place.depth, "Also noted, no failure");
        let shown = notices.iter().take(NOTICES);
        let (benign, telling): (Vec<_>, Vec<_>) = shown.partition(|notice| notice.benign);
        for notice in telling {
            self.notice(notice, log, place.below());
        }
        if !benign.is_empty() {
            self.fold("more", &several(benign.len(), "harmless notice"));
            for notice in benign {
                self.notice(notice, log, place.below());
            }
            self.close("details");
        }
        if notices.len() > NOTICES {
            self.note(&format!("{} more are in JSON.", notices.len() - NOTICES));
        }
    }

    fn notice(&mut self, notice: &NoticeView<'_>, log: &Log, place: Position) {
        let NoticeView { diagnosis, times, statements, .. } = notice;
        self.raw("<article class=\"diagnosis\">\n");
        self.heading(place.depth, &diagnosis.title);
        self.raw("<p class=\"tags\">");
        self.inline("code", &[], &diagnosis.id);
        self.raw("</p>\n");
        self.element("p", &[], &diagnosis.summary);
        self.statements(statements);
        if *times > 1 {
            self.note(&format!("The log has this {times} times; this is the first."));
        }
        self.evidence(&Evidence::new(diagnosis, log));
        if !diagnosis.actions.is_empty() {
            self.fold("reasons", "What to do");
            self.list_of_actions(&diagnosis.actions, &[("class", "actions")]);
            self.close("details");
        }
        self.raw("</article>\n");
    }

    /// The driver's lines that no message matches, folded.
    pub(super) fn unknown(&mut self, unknown: &Unknowns, place: Position) {
        if unknown.is_empty() {
            return;
        }
        let shapes = unknown.by_level();
        self.heading(place.depth, "Lines of the driver without a known meaning");
        let summary = match unknown.errors() {
            0 => format!("{} kinds of lines, no errors among them", shapes.len()),
            errors => format!("{} kinds of lines, {errors} lines of errors", shapes.len()),
        };
        self.fold("more", &summary);
        let columns = ["Level", "Lines", "First", "Text"];
        self.table("Lines without a known meaning", "unknown", &columns);
        for one in shapes.iter().take(SHAPES) {
            self.raw("<tr>");
            self.inline("td", &[], one.level.map_or("-", Level::name));
            self.numbers([one.count.to_string(), one.line.to_string()]);
            self.raw("<td>");
            self.inline("code", &[], &one.body);
            self.raw("</td></tr>\n");
        }
        self.end_table();
        if shapes.len() > SHAPES || unknown.beyond() > 0 {
            self.raw("<p class=\"note\">Further kinds are left out here.</p>\n");
        }
        self.close("details");
    }
}
