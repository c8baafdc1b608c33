//! One incident: its course, what it means, what the log does not show, what to do.

use std::borrow::Borrow;

use super::Position;
use super::markup::{Attribute, Markup};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::action::Action;
use crate::pattern::instruction::{Instruction, Piece};
use crate::pattern::signature::Role;
use crate::report::certainty::Statements;
use crate::report::commands::typed;
use crate::report::counts::{joined, sign};
use crate::report::view::{Ends, Evidence, IncidentView, Row, Tracker};
use crate::report::words::{role_word, standing, trust};

/// So many rows of a course are shown: of more, the first and the last of them.
const ROWS: Ends = Ends { first: 150, last: 50 };
/// So many actions are shown unfolded.
const ACTIONS: usize = 3;

/// The class of a part.
const fn role_class(role: Role) -> &'static str {
    match role {
        Role::RootCause => "part bad",
        Role::Mechanism => "part warn",
        Role::Consequence => "part cool",
        Role::Context => "part quiet",
    }
}

impl Markup {
    /// What is told of `incident` below its headline.
    pub(super) fn incident(&mut self, incident: &IncidentView<'_>, place: Position) {
        self.course(&incident.rows, place);
        self.diagnoses(incident, place);
        self.unsaid(&incident.unsaid, place);
        self.advised(&incident.actions, place);
        self.report_it(incident.tracker, &incident.finding.fingerprint, place);
    }

    fn course(&mut self, rows: &[Row], place: Position) {
        self.heading(place.depth, "What happened");
        self.table("What happened", "course", &["Since first", "Lines", "What", "Part"]);
        let (first, hidden, last) = ROWS.split(rows);
        for row in first {
            self.row(row);
        }
        if hidden > 0 {
            self.raw("<tr><td>…</td><td></td>");
            self.inline("td", &[], &format!("{hidden} rows are left out here"));
            self.raw("<td></td></tr>\n");
        }
        for row in last {
            self.row(row);
        }
        self.end_table();
        if rows.iter().any(|row| row.role.is_some()) {
            self.raw(
                "<p class=\"note\"><b>first</b> is what broke first, <b>how</b> the way in which it \
                 failed, <b>effect</b> what that did to others, <b>beside</b> what is worth \
                 knowing.</p>\n",
            );
        }
    }

    fn row(&mut self, row: &Row) {
        self.raw("<tr>");
        self.numbers([row.since(), row.lines()]);
        self.raw("<td>");
        if row.count > 1 {
            self.inline("span", &[("class", "count")], &format!("{}×", row.count));
            self.raw(" ");
        }
        self.text(&row.means);
        if row.varied {
            self.raw(" <span class=\"quiet\">(the first of them)</span>");
        }
        self.raw("</td><td>");
        if let Some(role) = row.role {
            self.inline("span", &[("class", role_class(role))], role_word(role));
        }
        self.raw("</td></tr>\n");
    }

    /// What each diagnosis says, the headline's first.
    fn diagnoses(&mut self, incident: &IncidentView<'_>, place: Position) {
        let (diagnoses, evidence) = (&incident.finding.diagnoses, &incident.evidence);
        self.heading(place.depth, "What it means");
        if diagnoses.is_empty() {
            self.element("p", &[], incident.unexplained);
        }
        let proofs = incident.statements.iter().zip(evidence);
        for (diagnosis, (statements, evidence)) in diagnoses.iter().zip(proofs) {
            self.diagnosis(diagnosis, statements, evidence, place.below());
        }
    }

    fn diagnosis(
        &mut self,
        diagnosis: &Diagnosis,
        statements: &Statements,
        evidence: &Evidence<'_>,
        place: Position,
    ) {
        self.raw("<article class=\"diagnosis\">\n");
        self.heading(place.depth, &diagnosis.title);
        self.raw("<p class=\"tags\">");
        self.inline("span", &[("class", role_class(diagnosis.role))], role_word(diagnosis.role));
        self.raw(" ");
        self.inline("code", &[], &diagnosis.id);
        self.raw(" ");
        self.inline("span", &[("class", "quiet")], diagnosis.certainty.name());
        self.raw("</p>\n");
        self.element("p", &[], &diagnosis.summary);
        self.statements(statements);
        self.evidence(evidence);
        self.fold("reasons", "What speaks for it, and what this is in general");
        self.reasons(diagnosis);
        self.close("details");
        self.raw("</article>\n");
    }

    fn reasons(&mut self, diagnosis: &Diagnosis) {
        for paragraph in diagnosis.explain.split("\n\n") {
            self.prose(paragraph);
        }
        if !diagnosis.reasons.is_empty() {
            self.raw("<table class=\"sum\"><tbody>\n");
            for reason in &diagnosis.reasons {
                self.raw("<tr>");
                self.numbers([sign(reason.by).to_string().replace('-', "−")]);
                self.inline("td", &[], &reason.because);
                self.raw("</tr>\n");
            }
            self.raw("</tbody></table>\n");
        }
        if !diagnosis.references.is_empty() {
            self.raw("<ul class=\"references\">\n");
            for reference in &diagnosis.references {
                self.raw("<li>");
                self.link(reference);
                self.raw("</li>\n");
            }
            self.raw("</ul>\n");
        }
    }

    /// A paragraph that is broken into lines where it was written.
    fn prose(&mut self, text: &str) {
        self.element("p", &[], &joined(text.split_whitespace(), " "));
    }

    fn unsaid(&mut self, unsaid: &[&str], place: Position) {
        if unsaid.is_empty() {
            return;
        }
        self.heading(place.depth, "What the log does not show");
        self.raw("<ul>\n");
        for text in unsaid {
            self.element("li", &[], text);
        }
        self.raw("</ul>\n");
    }

    fn advised(&mut self, actions: &[&Action], place: Position) {
        if actions.is_empty() {
            return;
        }
        self.heading(place.depth, "What to do");
        let (first, rest) = actions.split_at(actions.len().min(ACTIONS));
        self.list_of_actions(first, &[("class", "actions")]);
        if !rest.is_empty() {
            self.fold("more", &format!("{} more", rest.len()));
            let number = (ACTIONS + 1).to_string();
            self.list_of_actions(rest, &[("class", "actions"), ("start", &number)]);
            self.close("details");
        }
    }

    pub(super) fn list_of_actions<'a>(
        &mut self,
        actions: impl IntoIterator<Item = &'a (impl Borrow<Action> + 'a)>,
        attributes: &[Attribute<'_>],
    ) {
        self.open("ol", attributes);
        self.raw("\n");
        actions.into_iter().for_each(|action| self.action(action.borrow()));
        self.close("ol");
    }

    /// One thing to do, as an entry of a list.
    fn action(&mut self, action: &Action) {
        let advice = &action.advice;
        self.raw("<li>\n<p>");
        self.inline("strong", &[], &advice.summary);
        self.inline("span", &[("class", "warn")], standing(action.standing));
        self.raw("</p>\n");
        self.command(&typed(&advice.commands));
        self.raw("<dl>\n");
        let founded = format!("{}: {}", trust(advice.trust), advice.source);
        self.said("Why", |page| page.text(&advice.why));
        self.said("Risk", |page| page.text(&advice.risk));
        self.said("Check", |page| page.instruction(&advice.verify));
        self.said("Trust", |page| page.text(&founded));
        self.raw("</dl>\n</li>\n");
    }

    fn said(&mut self, label: &str, write: impl FnOnce(&mut Self)) {
        self.raw("<div>");
        self.inline("dt", &[], label);
        self.open("dd", &[]);
        write(self);
        self.end("dd");
        self.raw("</div>\n");
    }

    fn instruction(&mut self, instruction: &Instruction) {
        for piece in instruction.pieces() {
            match piece {
                Piece::Words(words) => self.text(words),
                Piece::Command(command) => self.inline("code", &[], command),
            }
        }
    }

    /// What is to be typed, never wrapped: it is there to be copied.
    fn command(&mut self, command: &str) {
        if command.is_empty() {
            return;
        }
        self.raw("<pre tabindex=\"0\"><code>");
        for line in command.lines() {
            if line.starts_with('#') {
                self.inline("span", &[("class", "quiet")], line);
            } else {
                self.text(line);
            }
            self.raw("\n");
        }
        self.raw("</code></pre>\n");
    }

    fn report_it(&mut self, tracker: Option<Tracker>, fingerprint: &str, place: Position) {
        self.heading(place.depth, "Where to report it");
        if let Some(tracker) = tracker {
            self.raw("<p>");
            self.raw(tracker.before());
            self.link(tracker.address);
            self.raw("</p>\n");
        }
        self.raw("<p>Fingerprint: ");
        self.inline("code", &[], fingerprint);
        self.raw(
            " <span class=\"quiet\">(the same bug has the same one, on any machine)</span></p>\n",
        );
    }
}
