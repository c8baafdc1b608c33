//! The report for a person: the answer first, then what happened in order, what the log does not
//! show, and what to do.

use std::io;

use comfy_table::{Cell, CellAlignment};
use owo_colors::Style;

use super::Report;
use super::page::{Look, Page};
use super::untrusted::Untrusted;
use super::view::{Ends, Fact, IncidentView, NoticeView, PartView, Quiet, Row};
use super::words::{percent, role_word, same_as_after, seconds, severity_style, standing, trust};
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
const ROWS: usize = 24;

/// Writes `report`.
///
/// # Errors
/// What the writer returns.
pub fn write(report: &Report, look: Look, out: &mut impl io::Write) -> io::Result<()> {
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
///
/// # Errors
/// What the writer returns.
pub fn write_line(report: &Report, out: &mut impl io::Write) -> io::Result<()> {
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
        let told = if self.look.verbose { Ends::ALL } else { TOLD };
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
            Verdict::NoKernelLog => Style::new().yellow().bold(),
            _ => Style::new().green().bold(),
        };
        self.painted(&quiet.answer, style);
        quiet.about.iter().for_each(|facts| self.facts(facts));
    }

    fn overview(&mut self, part: &PartView<'_>) {
        let title = format!("{} in this log.", part.counted);
        let title = self.paint(&title, Style::new().bold());
        self.line(&title);
        let mut table = self.table();
        let all = part.incidents.len();
        let listed = if self.look.verbose { Ends::ALL } else { LISTED };
        for incident in &part.incidents {
            if !listed.has(incident.number, all) {
                if incident.number == listed.first + 1 {
                    table.add_row([
                        "…",
                        "",
                        &format!("{} more (-v lists them)", listed.hidden(all)),
                    ]);
                }
                continue;
            }
            table.add_row([
                format!("{}.", incident.number),
                incident.line.map_or_else(String::new, |line| format!("line {line}")),
                Untrusted(&incident.headline).to_string(),
            ]);
        }
        self.add_table(&table);
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
        self.painted(&text, severity_style(incident.severity).bold());
        if let Some(certainty) = &incident.certainty {
            self.prose("", certainty);
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
        self.diagnoses(incident.diagnoses, incident.unexplained);
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
        self.prose("Fingerprint:  ", incident.fingerprint);
    }

    fn facts(&mut self, facts: &[Fact]) {
        for Fact { label, text } in facts {
            self.prose(&format!("{label:<10}"), text);
        }
    }

    fn course(&mut self, rows: &[Row<'_>]) {
        self.heading("What happened");
        let shown = if self.look.verbose { rows.len() } else { rows.len().min(ROWS) };
        let mut table = self.table();
        for (index, row) in rows.iter().enumerate() {
            // The beginning and the end tell the story.
            if index >= shown / 2 && index < rows.len() - (shown - shown / 2) {
                if index == shown / 2 {
                    let left_out = rows.len() - shown;
                    table.add_row(["…", "", &format!("{left_out} more rows (-v shows them)"), ""]);
                }
                continue;
            }
            table.add_row(Self::row(row));
        }
        self.add_table(&table);
    }

    fn row(row: &Row<'_>) -> [Cell; 4] {
        let since =
            row.since.map_or_else(|| "-".to_owned(), |since| format!("+{} s", seconds(since.0)));
        let part = row.role.map_or("", role_word);
        [
            Cell::new(since).set_alignment(CellAlignment::Right),
            Cell::new(row.lines()).set_alignment(CellAlignment::Right),
            Cell::new(Untrusted(&row.told())),
            Cell::new(part),
        ]
    }

    /// What each diagnosis says, the headline's first.
    fn diagnoses(&mut self, diagnoses: &[Diagnosis], unexplained: &str) {
        if diagnoses.is_empty() {
            self.heading("What it means");
            self.prose("  ", unexplained);
            return;
        }
        self.heading("What it means");
        for diagnosis in diagnoses {
            let label = format!("  {:<8}", role_word(diagnosis.role));
            let title = format!("{} ({})", diagnosis.title, diagnosis.id);
            self.prose(&label, &title);
            self.prose("          ", &diagnosis.summary);
            if self.look.verbose {
                self.reasons(diagnosis);
            }
        }
    }

    fn reasons(&mut self, diagnosis: &Diagnosis) {
        for paragraph in diagnosis.explain.split("\n\n") {
            self.prose("          ", paragraph);
        }
        self.prose("          ", &format!("certainty: {} %", percent(diagnosis.confidence)));
        for reason in &diagnosis.reasons {
            let sign = if reason.by < 0.0 { "-" } else { "+" };
            let text = format!("{} %: {}", percent(reason.by.abs()), reason.because);
            self.prose(&format!("          {sign}"), &text);
        }
        for reference in &diagnosis.references {
            self.line(&format!("          {}", Untrusted(reference)));
        }
    }

    fn unsaid(&mut self, unsaid: &[&str]) {
        if unsaid.is_empty() {
            return;
        }
        self.heading("What the log does not show");
        let shown = if self.look.verbose { unsaid.len() } else { UNSAID };
        for text in unsaid.iter().take(shown) {
            self.prose("  - ", text);
        }
        self.more(unsaid.len(), shown);
    }

    fn actions(&mut self, actions: &[&Action]) {
        if actions.is_empty() {
            return;
        }
        self.heading("What to do");
        let shown = if self.look.verbose { actions.len() } else { ACTIONS };
        for (index, action) in actions.iter().take(shown).enumerate() {
            self.action(index + 1, action);
        }
        self.more(actions.len(), shown);
    }

    pub(super) fn more(&mut self, all: usize, shown: usize) {
        if all > shown {
            self.prose("  ", &format!("{} more with -v", all - shown));
        }
    }

    pub(super) fn action(&mut self, number: usize, action: &Action) {
        let standing = standing(action.standing);
        let label = format!("  {number}. ");
        let title = format!("{}{standing} [{}]", action.advice.summary, trust(action.advice.trust));
        self.prose(&label, &title);
        self.command("       ", action.advice.command.as_deref().unwrap_or_default());
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
        for NoticeView { diagnosis, times, .. } in shown {
            let Diagnosis { title, id, summary, actions, .. } = diagnosis;
            self.prose("  - ", &format!("{title} ({id})"));
            self.prose("    ", summary);
            if *times > 1 {
                self.prose("    ", &format!("The log has this {times} times; this is the first."));
            }
            if let Some(action) = actions.first() {
                self.prose("    ", &format!("{}: {}", action.advice.summary, action.advice.why));
            }
        }
        let mut ids: Vec<&str> = hidden.iter().map(|hidden| hidden.diagnosis.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        if !ids.is_empty() {
            self.prose("  - ", &format!("harmless: {} (--all shows more)", ids.join(", ")));
        }
    }
}
