//! The report as Markdown, to be pasted into a tracker: the answer and the tables in sight, the lines
//! that prove it folded.

pub mod compare;
pub(in crate::report) mod escape;
pub mod ticket;

use std::fmt::{Arguments, Write as _};
use std::io;

use super::view::{Ends, Evidence, Fact, IncidentView, NoticeView, PartView, Row};
use super::words::{percent, role_word, same_as_after, seconds, standing, trust};
use super::{Part, Report};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::action::Action;
use crate::event::Observed;

use escape::{Code, Fenced, Inline, Instructive};

/// So many actions are in sight; the others are folded.
const ACTIONS: usize = 3;
/// So many incidents are told: a tracker takes no page of any length.
const TOLD: Ends = Ends { first: 4, last: 1 };
/// So many are listed.
const LISTED: Ends = Ends { first: 12, last: 4 };
/// So many rows of an incident are shown.
const ROWS: usize = 60;

/// Writes `report`.
///
/// # Errors
/// What the writer returns.
pub fn write(report: &Report, out: &mut impl io::Write) -> io::Result<()> {
    let several = report.parts.len() > 1;
    for part in &report.parts {
        let mut sheet = Sheet::default();
        sheet.part(part, several);
        out.write_all(sheet.text.as_bytes())?;
    }
    Ok(())
}

/// A page being written.
#[derive(Default)]
struct Sheet {
    text: String,
}

impl Sheet {
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

    fn fold(&mut self, title: &str, inside: impl FnOnce(&mut Self)) {
        self.gap();
        self.line(format_args!("<details>\n<summary>{}</summary>\n", Inline(title)));
        inside(self);
        self.gap();
        self.line(format_args!("</details>"));
        self.gap();
    }

    fn part(&mut self, part: &Part, named: bool) {
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
        self.line(format_args!(
            "Written by {} {}.\n",
            env!("CARGO_PKG_NAME"),
            env!("CARGO_PKG_VERSION")
        ));
    }

    fn overview(&mut self, part: &PartView<'_>) {
        self.heading(2, &format!("{} in this log", part.counted));
        self.line(format_args!("| | line | what |\n| ---: | ---: | --- |"));
        let all = part.incidents.len();
        for incident in part.incidents.iter().filter(|one| LISTED.has(one.number, all)) {
            let line = incident.line.map(|line| line.to_string()).unwrap_or_default();
            self.line(format_args!(
                "| {} | {line} | {} |",
                incident.number,
                Inline(&incident.headline)
            ));
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
        if let Some(certainty) = &incident.certainty {
            self.paragraph(certainty);
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
        self.line(format_args!("Fingerprint: {}", Code(incident.fingerprint)));
        self.gap();
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.gap();
        self.line(format_args!("| | |\n| --- | --- |"));
        for Fact { label, text } in facts {
            self.line(format_args!("| {label} | {} |", Inline(text)));
        }
        self.gap();
    }

    fn course(&mut self, rows: &[Row<'_>]) {
        self.line(format_args!("| since | lines | what | part |\n| ---: | ---: | --- | --- |"));
        let left_out = rows.len().saturating_sub(ROWS);
        let hidden = ROWS / 2..ROWS / 2 + left_out;
        for (index, row) in rows.iter().enumerate() {
            if hidden.contains(&index) {
                if index == hidden.start {
                    self.line(format_args!("| … | | {left_out} more rows | |"));
                }
                continue;
            }
            let since = row.since.map(|since| format!("+{} s", seconds(since.0)));
            let since = since.unwrap_or_else(|| "-".to_owned());
            let part = row.role.map_or("", role_word);
            let what = row.told();
            self.line(format_args!("| {since} | {} | {} | {part} |", row.lines(), Inline(&what)));
        }
        self.gap();
    }

    fn meaning(&mut self, incident: &IncidentView<'_>) {
        self.heading(3, "What it means");
        if incident.diagnoses.is_empty() {
            self.paragraph(incident.unexplained);
        }
        for (diagnosis, evidence) in incident.diagnoses.iter().zip(&incident.evidence) {
            let Diagnosis { role, title, id, confidence, summary, .. } = diagnosis;
            let certain = percent(*confidence);
            let (title, summary) = (Inline(title), Inline(summary));
            self.gap();
            self.line(format_args!(
                "**{}: {title}** ({}, {certain} %)\n\n{summary}",
                role_word(*role),
                Code(id)
            ));
            self.fold(&evidence_title(evidence), |sheet| sheet.evidence(diagnosis, evidence));
        }
    }

    fn evidence(&mut self, diagnosis: &Diagnosis, evidence: &Evidence<'_>) {
        let lines: Vec<String> = evidence.shown.iter().map(|event| quoted(event)).collect();
        self.line(format_args!(
            "{}",
            Fenced { text: &lines.join("\n"), language: "text", indent: "" }
        ));
        for paragraph in diagnosis.explain.split("\n\n") {
            self.paragraph(paragraph);
        }
        for reason in &diagnosis.reasons {
            let sign = if reason.by < 0.0 { '-' } else { '+' };
            let by = percent(reason.by.abs());
            self.line(format_args!("- {sign}{by} %: {}", Inline(&reason.because)));
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
            self.line(format_args!("- {}", Inline(point)));
        }
        self.gap();
    }

    fn actions(&mut self, actions: &[&Action]) {
        if actions.is_empty() {
            return;
        }
        self.heading(3, "What to do");
        let (first, rest) = actions.split_at(actions.len().min(ACTIONS));
        for (index, action) in first.iter().enumerate() {
            self.action(index + 1, action);
        }
        if !rest.is_empty() {
            self.fold(&format!("{} more", rest.len()), |sheet| {
                for (index, action) in rest.iter().enumerate() {
                    sheet.action(ACTIONS + index + 1, action);
                }
            });
        }
    }

    fn action(&mut self, number: usize, action: &Action) {
        let advice = &action.advice;
        let (summary, trust) = (Inline(&advice.summary), trust(advice.trust));
        let standing = standing(action.standing);
        self.gap();
        self.line(format_args!("{number}. **{summary}**{standing} ({trust})\n"));
        if let Some(command) = &advice.command {
            self.line(format_args!("{}", Fenced { text: command, language: "sh", indent: "   " }));
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
            self.fold(&format!("{} harmless messages", benign.len()), |sheet| {
                for notice in benign {
                    sheet.notice(notice);
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
        self.line(format_args!("- **{title}** ({id}){times}: {summary}"));
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

/// A line of the log with its number.
fn quoted(event: &Observed) -> String {
    format!("{}: {}", event.line(), event.text)
}
