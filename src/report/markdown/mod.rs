//! The report as Markdown, to be pasted into a tracker: the answer and the tables in sight, the lines
//! that prove it folded.

pub(crate) mod compare;
pub(in crate::report) mod escape;
pub(crate) mod ticket;

use std::fmt::{Arguments, Write as _};
use std::io;

use super::certainty::Statements;
use super::commands::typed;
use super::counts::{joined, sign};
use super::view::{Ends, Evidence, Fact, IncidentView, NoticeView, PartView, Row};
use super::words::{role_word, same_as_after, standing, trust};
use super::{Report, ReportPart};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::action::Action;

use escape::{Code, Fenced, Inline, Instructive};

/// So many actions are in sight; the others are folded.
const ACTIONS: usize = 3;
/// So many incidents are told: a tracker takes no page of any length.
const TOLD: Ends = Ends { first: 4, last: 1 };
/// So many are listed.
const LISTED: Ends = Ends { first: 12, last: 4 };
/// So many rows of an incident are shown.
const ROWS: Ends = Ends { first: 30, last: 30 };

/// Writes `report`.
pub(crate) fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let several = report.parts.len() > 1;
    for part in &report.parts {
        let mut page = MarkdownWriter::default();
        page.part(part, several);
        out.write_all(page.text.as_bytes())?;
    }
    Ok(())
}

/// A page being written.
#[derive(Default)]
struct MarkdownWriter {
    text: String,
}

impl MarkdownWriter {
    fn line(&mut self, line: Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, level: usize, title: &str) {
        self.gap();
        self.line(format_args!("{} {}", "#".repeat(level), Inline(title)));
        self.gap();
    }

    fn paragraph(&mut self, text: &str) {
        self.gap();
        self.line(format_args!("{}", Inline(text)));
        self.gap();
    }

    /// An item of a list.
    fn point(&mut self, text: &str) {
        self.line(format_args!("- {}", Inline(text)));
    }

    fn fenced(&mut self, text: &str, language: &'static str, indent: &'static str) {
        self.line(format_args!("{}", Fenced { text, language, indent }));
    }

    /// A table of names and what they stand for.
    fn table<'f>(&mut self, rows: impl IntoIterator<Item = (&'f str, &'f str)>) {
        self.line(format_args!("| | |\n| --- | --- |"));
        for (label, text) in rows {
            self.line(format_args!("| {} | {} |", Inline(label), Inline(text)));
        }
    }

    /// What wrote the page.
    fn foot(&mut self) {
        let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
        self.line(format_args!("Written by {name} {version}.\n"));
    }

    fn fold(&mut self, title: &str, inside: impl FnOnce(&mut Self)) {
        self.gap();
        self.line(format_args!("<details>\n<summary>{}</summary>\n", Inline(title)));
        inside(self);
        self.gap();
        self.line(format_args!("</details>"));
        self.gap();
    }

    fn part(&mut self, part: &ReportPart, named: bool) {
        let view = PartView::new(part);
        if named {
            self.gap();
            self.line(format_args!("# {}", Code(view.name)));
        }
        if let Some(quiet) = &view.quiet {
            self.heading(2, &quiet.answer);
            quiet.about.iter().for_each(|facts| self.facts(facts));
        }
        let several = view.incidents.len() > 1;
        if several {
            self.overview(&view);
        }
        let all = view.incidents.len();
        for incident in view.incidents.iter().filter(|one| TOLD.has(one.number, all)) {
            let told = incident.as_after.filter(|number| TOLD.has(*number, all));
            self.incident(incident, several, told);
        }
        self.notices(&view.notices);
        self.gap();
        self.line(format_args!("---\n"));
        self.paragraph(&view.reading);
        if let Some(remark) = &view.remark {
            self.paragraph(remark);
        }
        self.foot();
    }

    fn overview(&mut self, part: &PartView<'_>) {
        self.heading(2, &format!("{} in this log", part.counted));
        self.line(format_args!("| | line | what |\n| ---: | ---: | --- |"));
        let all = part.incidents.len();
        for incident in part.incidents.iter().filter(|one| LISTED.has(one.number, all)) {
            let line = incident.line.map(|line| line.to_string()).unwrap_or_default();
            let (number, what) = (incident.number, Inline(&incident.headline));
            self.line(format_args!("| {number} | {line} | {what} |"));
        }
        if TOLD.hidden(all) > 0 {
            let text = format!(
                "Listed are the first {} and the last {}, told the first {} and the last one; JSON has all.",
                LISTED.first, LISTED.last, TOLD.first
            );
            self.paragraph(&text);
        }
        self.gap();
    }

    /// One incident; `as_after` is another one that says already what is to be done.
    fn incident(&mut self, incident: &IncidentView<'_>, several: bool, as_after: Option<usize>) {
        let number = if several { format!("{}: ", incident.number) } else { String::new() };
        self.heading(2, &format!("{number}{}", incident.headline));
        if let Some(statements) = incident.statements.first() {
            self.statements(statements);
        }
        self.facts(&incident.facts);
        self.heading(3, "What happened");
        self.course(&incident.rows);
        self.meaning(incident);
        self.list("What the log does not show", &incident.unsaid);
        match as_after {
            Some(number) => {
                self.heading(3, "What to do");
                self.paragraph(&same_as_after(number));
            }
            None => self.actions(&incident.actions),
        }
        self.gap();
        if let Some(place) = &incident.tracker {
            self.line(format_args!("Report it to: {place}\n"));
        }
        self.line(format_args!("Fingerprint: {}", Code(&incident.finding.fingerprint)));
        self.gap();
    }

    /// How something is known, and what is known of its cause.
    fn statements(&mut self, statements: &Statements) {
        self.paragraph(&statements.line());
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.gap();
        self.table(facts.iter().map(|Fact { label, text }| (*label, text.as_str())));
        self.gap();
    }

    fn course(&mut self, rows: &[Row]) {
        self.line(format_args!("| since | lines | what | part |\n| ---: | ---: | --- | --- |"));
        let (first, hidden, last) = ROWS.split(rows);
        for row in first {
            self.row(row);
        }
        if hidden > 0 {
            self.line(format_args!("| … | | {hidden} more rows | |"));
        }
        for row in last {
            self.row(row);
        }
        self.gap();
    }

    fn row(&mut self, row: &Row) {
        let (since, lines, what) = (row.since(), row.lines(), row.summary());
        let part = row.role.map_or("", role_word);
        self.line(format_args!("| {since} | {lines} | {} | {part} |", Inline(&what)));
    }

    fn meaning(&mut self, incident: &IncidentView<'_>) {
        self.heading(3, "What it means");
        let diagnoses = &incident.finding.diagnoses;
        if diagnoses.is_empty() {
            self.paragraph(incident.unexplained);
        }
        let proofs = incident.statements.iter().zip(&incident.evidence);
        for (diagnosis, (statements, evidence)) in diagnoses.iter().zip(proofs) {
            let Diagnosis { role, title, id, summary, .. } = diagnosis;
            let (title, summary) = (Inline(title), Inline(summary));
            self.gap();
            self.line(format_args!(
                "**{}: {title}** ({})\n\n{summary}",
                role_word(*role),
                Code(id)
            ));
            self.statements(statements);
            self.fold(&evidence_title(evidence), |page| page.evidence(diagnosis, evidence));
        }
    }

    fn evidence(&mut self, diagnosis: &Diagnosis, evidence: &Evidence<'_>) {
        let lines = evidence.shown.iter().map(|event| format!("{}: {}", event.line(), event.text));
        self.fenced(&joined(lines, "\n"), "text", "");
        for paragraph in diagnosis.explain.split("\n\n") {
            self.paragraph(paragraph);
        }
        for reason in &diagnosis.reasons {
            self.line(format_args!("- ({}) {}", sign(reason.by), Inline(&reason.because)));
        }
        self.gap();
        for reference in &diagnosis.references {
            self.line(format_args!("- <{reference}>"));
        }
    }

    fn list(&mut self, title: &str, points: &[&str]) {
        if points.is_empty() {
            return;
        }
        self.heading(3, title);
        for point in points {
            self.point(point);
        }
        self.gap();
    }

    fn actions(&mut self, actions: &[&Action]) {
        if actions.is_empty() {
            return;
        }
        self.heading(3, "What to do");
        let (first, rest) = actions.split_at(actions.len().min(ACTIONS));
        (1..).zip(first).for_each(|(number, action)| self.action(number, action));
        if !rest.is_empty() {
            self.fold(&format!("{} more", rest.len()), |page| {
                (ACTIONS + 1..).zip(rest).for_each(|(number, action)| page.action(number, action));
            });
        }
    }

    fn action(&mut self, number: usize, action: &Action) {
        let advice = &action.advice;
        let (summary, trust) = (Inline(&advice.summary), trust(advice.trust));
        let standing = standing(action.standing);
        self.gap();
        self.line(format_args!("{number}. **{summary}**{standing} ({trust})\n"));
        if !advice.commands.is_empty() {
            self.fenced(&typed(&advice.commands), "sh", "   ");
        }
        let said = [("Why", &advice.why), ("Risk", &advice.risk)];
        for (what, text) in said.into_iter().filter(|(_, text)| !text.is_empty()) {
            self.line(format_args!("   - {what}: {}", Inline(text)));
        }
        self.line(format_args!("   - Check: {}", Instructive(&advice.verify)));
        self.gap();
    }

    fn notices(&mut self, notices: &[NoticeView<'_>]) {
        let (benign, told): (Vec<_>, Vec<_>) = notices.iter().partition(|notice| notice.benign);
        if !told.is_empty() {
            self.heading(3, "Also noted, no failure");
            for notice in told {
                self.notice(notice);
            }
        }
        if !benign.is_empty() {
            self.fold(&format!("{} harmless messages", benign.len()), |page| {
                for notice in benign {
                    page.notice(notice);
                }
            });
        }
    }

    fn notice(&mut self, notice: &NoticeView<'_>) {
        let Diagnosis { title, id, summary, actions, .. } = notice.diagnosis;
        let times = match notice.times {
            1 => String::new(),
            times => format!(" ({times} times)"),
        };
        let (title, id, summary) = (Inline(title), Code(id), Inline(summary));
        let known = if notice.diagnosis.is_stated() {
            String::new()
        } else {
            format!(" {}", notice.statements.certainty)
        };
        self.line(format_args!("- **{title}** ({id}){times}: {summary}{}", Inline(&known)));
        if let Some(action) = actions.first() {
            let (what, why) = (Inline(&action.advice.summary), Inline(&action.advice.why));
            self.line(format_args!("  {what}: {why}"));
        }
    }
}

fn evidence_title(evidence: &Evidence<'_>) -> String {
    match (evidence.shown.len(), evidence.all) {
        (shown, all) if shown < all => format!("Evidence: {shown} of {all} events"),
        (1, _) => "Evidence".to_owned(),
        (_, all) => format!("Evidence: {all} events"),
    }
}
