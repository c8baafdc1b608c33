//! The report for a person: the answer first, then what happened in order, what the log does not
//! show, and what to do.

use std::collections::BTreeSet;
use std::io;

use comfy_table::Cell;
use owo_colors::Style;

use super::Report;
use super::certainty::Statements;
use super::commands::typed;
use super::counts::any;
use super::page::{Look, Page, number};
use super::untrusted::Untrusted;
use super::view::{Ends, Fact, IncidentView, NoticeView, PartView, Quiet, Row};
use super::words::{role_word, same_as_after, severity_style, standing, trust};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::action::Action;
use crate::diagnosis::verdict::Verdict;
use crate::event::unknown::Unknowns;

/// So many actions are shown unless all are asked for.
const ACTIONS: usize = 3;
/// So many open questions are shown unless all are asked for.
const UNSAID: usize = 5;
/// So many incidents are told in full unless all are asked for, and so many are listed.
const TOLD: Ends = Ends { first: 8, last: 2 };
const LISTED: Ends = Ends { first: 12, last: 4 };
/// So many rows of an incident are shown unless all are asked for.
const ROWS: Ends = Ends { first: 12, last: 12 };

/// Writes `report`.
///
/// # Errors
/// What the writer returns.
pub fn write(report: &Report, look: Look, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(look);
    for (index, part) in report.parts.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        page.part(&PartView::new(part), report.parts.len() > 1, &part.log.unknown);
    }
    out.write_all(page.text().as_bytes())
}

/// Writes the answer in one line an input.
pub(crate) fn write_line(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for part in &report.parts {
        let answer = PartView::new(part).answer();
        writeln!(out, "{}: {}", Untrusted(&part.name), Untrusted(&answer))?;
    }
    Ok(())
}

impl Page {
    fn part(&mut self, part: &PartView<'_>, named: bool, unknown: &Unknowns) {
        if named {
            self.heading(&format!("== {} ==", Untrusted(part.name)));
        }
        if let Some(quiet) = &part.quiet {
            self.quiet(quiet, part.verdict);
        }
        let several = part.incidents.len() > 1;
        if several {
            self.overview(part);
        }
        // Of several incidents the picture tells how they hang together; of one it only adds.
        if let Some(chart) = part.chart.as_ref().filter(|_| several) {
            self.chart(chart);
        }
        let all = part.incidents.len();
        let told = self.ends(TOLD);
        for incident in part.incidents.iter().filter(|one| told.has(one.number, all)) {
            let said = incident.as_after.filter(|number| told.has(*number, all));
            self.incident(incident, several, said);
        }
        if let Some(chart) = part.chart.as_ref().filter(|_| !several && self.look.timeline) {
            self.chart(chart);
        }
        self.notices(&part.notices);
        if self.look.unknown {
            self.unknown(unknown);
        }
        self.gap();
        self.painted(&part.reading, Style::new().dimmed());
        if let Some(remark) = part.remark.as_ref().filter(|_| !self.look.unknown) {
            self.prose("", remark);
        }
    }

    fn quiet(&mut self, quiet: &Quiet, verdict: Verdict) {
        let style = match verdict {
            Verdict::NoKernelLog | Verdict::Incomplete | Verdict::Warning => {
                Style::new().yellow().bold()
            }
            Verdict::Clean | Verdict::Failure => Style::new().green().bold(),
        };
        self.painted(&quiet.answer, style);
        quiet.about.iter().for_each(|facts| self.facts(facts));
    }

    fn overview(&mut self, part: &PartView<'_>) {
        let title = format!("{} in this log.", part.counted);
        let title = self.paint(&title, Style::new().bold());
        self.line(&title);
        let all = part.incidents.len();
        let (first, hidden, last) = self.ends(LISTED).split(&part.incidents);
        let row = |incident: &IncidentView<'_>| {
            [
                format!("{}.", incident.number),
                incident.line.map_or_else(String::new, |line| format!("line {line}")),
                Untrusted(&incident.headline).to_string(),
            ]
        };
        let gap = ["…".to_owned(), String::new(), format!("{hidden} more (-v lists them)")];
        let gap = (hidden > 0).then_some(gap);
        self.table_of_lines(first.iter().map(row).chain(gap).chain(last.iter().map(row)));
        if !self.look.verbose && TOLD.hidden(all) > 0 {
            let text = format!(
                "The first {} and the last {} are told below; -v tells all.",
                TOLD.first, TOLD.last
            );
            self.prose("", &text);
        }
    }

    /// What happened, and how sure that is.
    pub(super) fn answer(&mut self, number: &str, incident: &IncidentView<'_>) {
        let text = format!("{number}{}", incident.headline);
        self.painted(&text, severity_style(incident.finding.severity).bold());
        if let Some(statements) = incident.statements.first() {
            self.statements("", statements);
        }
    }

    /// How something is known, and what is known of its cause.
    fn statements(&mut self, indent: &str, statements: &Statements) {
        self.prose(indent, &statements.certainty);
        if let Some(cause) = &statements.cause {
            self.prose(indent, cause);
        }
    }

    /// One incident; `as_after` is another one that says already what is to be done.
    pub(super) fn incident(
        &mut self,
        incident: &IncidentView<'_>,
        several: bool,
        as_after: Option<usize>,
    ) {
        let number = if several { format!("{}. ", incident.number) } else { String::new() };
        self.gap();
        self.answer(&number, incident);
        self.gap();
        self.facts(&incident.facts);
        self.course(&incident.rows);
        self.diagnoses(incident);
        self.unsaid(&incident.unsaid);
        match as_after {
            Some(number) => {
                self.heading("What to do");
                self.prose("  ", &same_as_after(number));
            }
            None => self.actions(&incident.actions),
        }
        self.gap();
        if let Some(place) = incident.tracker {
            self.prose("Report it to: ", &place.to_string());
        }
        self.prose("Fingerprint:  ", &incident.finding.fingerprint);
    }

    fn facts(&mut self, facts: &[Fact]) {
        for Fact { label, text } in facts {
            self.prose(&format!("{label:<10}"), text);
        }
    }

    fn course(&mut self, rows: &[Row]) {
        self.heading("What happened");
        let (first, hidden, last) = self.ends(ROWS).split(rows);
        let row = |row: &Row| {
            [
                number(row.since()),
                number(row.lines()),
                Cell::new(Untrusted(&row.summary())),
                Cell::new(row.role.map_or("", role_word)),
            ]
        };
        let gap = ["…", "", &format!("{hidden} more rows (-v shows them)"), ""].map(Cell::new);
        let gap = (hidden > 0).then_some(gap);
        self.table_of_lines(first.iter().map(row).chain(gap).chain(last.iter().map(row)));
    }

    fn ends(&self, ends: Ends) -> Ends {
        if self.look.verbose { Ends::ALL } else { ends }
    }

    /// What each diagnosis says, the headline's first.
    fn diagnoses(&mut self, incident: &IncidentView<'_>) {
        let diagnoses = &incident.finding.diagnoses;
        self.heading("What it means");
        if diagnoses.is_empty() {
            self.prose("  ", incident.unexplained);
        }
        for (place, (diagnosis, known)) in diagnoses.iter().zip(&incident.statements).enumerate() {
            let label = format!("  {:<8}", role_word(diagnosis.role));
            let title = format!("{} ({})", diagnosis.title, diagnosis.id);
            self.prose(&label, &title);
            self.prose("          ", &diagnosis.summary);
            if self.look.verbose {
                self.statements("          ", known);
                self.reasons(diagnosis);
            } else if place > 0 && !diagnosis.is_stated() {
                self.prose("          ", &known.certainty);
            }
        }
    }

    fn reasons(&mut self, diagnosis: &Diagnosis) {
        for paragraph in diagnosis.explain.split("\n\n") {
            self.prose("          ", paragraph);
        }
        for reason in &diagnosis.reasons {
            self.reason("          ", reason.by, &reason.because);
        }
        self.references("          ", &diagnosis.references);
    }

    fn unsaid(&mut self, unsaid: &[&str]) {
        let shown = self.few(UNSAID);
        self.list("What the log does not show", unsaid.iter().copied().take(shown));
        self.more("  ", unsaid.len().saturating_sub(shown));
    }

    fn actions(&mut self, actions: &[&Action]) {
        if actions.is_empty() {
            return;
        }
        self.heading("What to do");
        let shown = self.few(ACTIONS);
        for (number, action) in (1..).zip(actions.iter().take(shown)) {
            self.action(number, action);
        }
        self.more("  ", actions.len().saturating_sub(shown));
    }

    pub(super) fn action(&mut self, number: usize, action: &Action) {
        let standing = standing(action.standing);
        let label = format!("  {number}. ");
        let title = format!("{}{standing} [{}]", action.advice.summary, trust(action.advice.trust));
        self.prose(&label, &title);
        self.command("       ", &typed(&action.advice.commands));
        if self.look.verbose {
            self.prose("     why:   ", &action.advice.why);
            self.prose("     says:  ", &action.advice.source);
        }
        self.prose("     risk:  ", &action.advice.risk);
        self.instruction("     check: ", &action.advice.verify);
    }

    fn notices(&mut self, notices: &[NoticeView<'_>]) {
        if notices.is_empty() {
            return;
        }
        let (hidden, shown): (Vec<_>, Vec<_>) =
            notices.iter().partition(|notice| notice.benign && !self.look.all);
        self.heading("Also noted, no failure");
        for NoticeView { diagnosis, times, statements, .. } in shown {
            let Diagnosis { title, id, summary, actions, .. } = diagnosis;
            self.prose("  - ", &format!("{title} ({id})"));
            self.prose("    ", summary);
            if !diagnosis.is_stated() {
                self.prose("    ", &statements.certainty);
            }
            if *times > 1 {
                self.prose("    ", &format!("The log has this {times} times; this is the first."));
            }
            if let Some(action) = actions.first() {
                self.prose("    ", &format!("{}: {}", action.advice.summary, action.advice.why));
            }
        }
        let ids: BTreeSet<&str> = hidden.iter().map(|one| one.diagnosis.id.as_str()).collect();
        if let Some(ids) = any(ids, ", ") {
            self.prose("  - ", &format!("harmless: {ids} (--all shows more)"));
        }
    }
}
