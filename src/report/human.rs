//! The report for a person: the answer first, then what happened in order, what the log does not
//! show, and what to do.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use comfy_table::{Cell, CellAlignment};
use owo_colors::Style;

use super::page::{Look, Page};
use super::reading::{Told, around};
use super::timeline::{Row, rows};
use super::unknown::remark;
use super::untrusted::Untrusted;
use super::words::{
    certainty, gpu, headline, percent, quiet, role_word, seconds, severity_style, tracker, trust,
};
use super::{Part, Report, Verdict};
use crate::diagnosis::action::{Action, Standing};
use crate::diagnosis::{Diagnosis, Finding, Notice};
use crate::event::Observed;
use crate::event::device::Device;
use crate::event::log::{Boot, Log};
use crate::pattern::signature::Layer;
use crate::record::{Direction, Why};

/// So many actions are shown unless all are asked for.
const ACTIONS: usize = 3;
/// So many open questions are shown unless all are asked for.
const UNSAID: usize = 5;
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
        page.part(part, report.parts.len() > 1);
    }
    out.write_all(page.text().as_bytes())
}

/// Writes the answer in one line an input.
///
/// # Errors
/// What the writer returns.
pub fn write_line(report: &Report, out: &mut impl io::Write) -> io::Result<()> {
    for part in &report.parts {
        let answer = match part.conclusions.findings.as_slice() {
            [] => quiet(part),
            [only] => headline(only),
            several => {
                format!("{} incidents; the first: {}", part.incidents(), headline(&several[0]))
            }
        };
        writeln!(out, "{}: {}", Untrusted(&part.name), Untrusted(&answer))?;
    }
    Ok(())
}

impl Page {
    fn part(&mut self, part: &Part, named: bool) {
        if named {
            self.heading(&format!("== {} ==", Untrusted(&part.name)));
        }
        let findings = &part.conclusions.findings;
        match findings.as_slice() {
            [] => self.quiet(part),
            [only] => self.finding(part, only, None),
            several => {
                self.overview(part, several);
                for (index, finding) in several.iter().enumerate() {
                    self.finding(part, finding, Some(index + 1));
                }
            }
        }
        self.notices(part);
        self.reading(part);
    }

    fn quiet(&mut self, part: &Part) {
        let text = quiet(part);
        let style = match part.verdict() {
            Verdict::NoKernelLog => Style::new().yellow().bold(),
            _ => Style::new().green().bold(),
        };
        self.painted(&text, style);
        let mut told = BTreeSet::new();
        for device in &part.log.devices {
            let Some(boot) = part.log.boots.get(device.boot) else { continue };
            // A machine that was booted often is still the same one.
            if told.insert((gpu(device), &boot.kernel)) {
                self.identity(Some(device), boot);
            }
        }
    }

    fn overview(&mut self, part: &Part, findings: &[Finding]) {
        let title = format!("{} incidents in this log.", part.incidents());
        let title = self.paint(&title, Style::new().bold());
        self.line(&title);
        let mut table = self.table();
        for (index, finding) in findings.iter().enumerate() {
            let events = &finding.incident.events;
            let line = events.first().and_then(|at| part.log.events.get(*at)).map(Observed::line);
            table.add_row([
                format!("{}.", index + 1),
                line.map_or_else(String::new, |line| format!("line {line}")),
                Untrusted(&headline(finding)).to_string(),
            ]);
        }
        self.add_table(&table);
    }

    fn finding(&mut self, part: &Part, finding: &Finding, number: Option<usize>) {
        let number = number.map(|number| format!("{number}. ")).unwrap_or_default();
        if !number.is_empty() {
            self.gap();
        }
        let text = format!("{number}{}", headline(finding));
        self.painted(&text, severity_style(finding.severity).bold());
        if let Some(head) = finding.diagnoses.first() {
            self.prose("", &certainty(head));
        }
        let log = &part.log;
        let boot = finding.incident.boot;
        if let Some(known) = log.boots.get(boot) {
            self.gap();
            if log.boots.len() > 1 {
                self.prose("Boot    ", &format!("{} of {} in this log", boot + 1, log.boots.len()));
            }
            self.identity(log.device(boot, finding.incident.device), known);
        }
        self.owner(finding);
        self.course(log, finding);
        self.diagnoses(finding);
        self.unsaid(finding);
        self.actions(finding);
        self.where_to_report(finding);
    }

    fn identity(&mut self, device: Option<&Device>, boot: &Boot) {
        let gpu = device.map_or_else(|| "not named in this log".to_owned(), gpu);
        self.prose("GPU     ", &gpu);
        let kernel = boot.kernel.as_deref().unwrap_or("not in this log");
        self.prose("Kernel  ", kernel);
    }

    fn owner(&mut self, finding: &Finding) {
        let Some(owner) = &finding.owner else { return };
        let pid = owner.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        let text =
            format!("{}{pid}: its work was running; that does not prove it guilty", owner.name);
        self.prose("Owner   ", &text);
    }

    fn course(&mut self, log: &Log, finding: &Finding) {
        let rows = rows(log, finding);
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
        let lines = if row.line == row.last_line {
            row.line.to_string()
        } else {
            format!("{}-{}", row.line, row.last_line)
        };
        let count = if row.count > 1 { format!("{}x ", row.count) } else { String::new() };
        let varied = if row.varied { " (the first of them)" } else { "" };
        let part = row.role.map_or("", role_word);
        [
            Cell::new(since).set_alignment(CellAlignment::Right),
            Cell::new(lines).set_alignment(CellAlignment::Right),
            Cell::new(format!("{count}{}{varied}", Untrusted(row.means))),
            Cell::new(part),
        ]
    }

    /// What each diagnosis says, the headline's first.
    fn diagnoses(&mut self, finding: &Finding) {
        if finding.diagnoses.is_empty() {
            self.heading("What it means");
            self.prose(
                "  ",
                "No known failure fits these lines. They are real messages of the driver, but amdtriage \
                 does not know what they mean together.",
            );
            return;
        }
        self.heading("What it means");
        for diagnosis in &finding.diagnoses {
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

    fn unsaid(&mut self, finding: &Finding) {
        let mut unsaid: Vec<&str> = Vec::new();
        for text in finding.diagnoses.iter().flat_map(|diagnosis| &diagnosis.unsaid) {
            if !unsaid.contains(&text.as_str()) {
                unsaid.push(text);
            }
        }
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

    fn actions(&mut self, finding: &Finding) {
        let actions = finding.actions();
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

    fn more(&mut self, all: usize, shown: usize) {
        if all > shown {
            self.prose("  ", &format!("{} more with -v", all - shown));
        }
    }

    fn action(&mut self, number: usize, action: &Action) {
        let standing = match action.standing {
            Standing::Suggested => "",
            Standing::AlreadyActive => " (in force already, by this log)",
            Standing::NoEffect => " (set already, and without effect)",
        };
        let label = format!("  {number}. ");
        let title = format!("{}{standing} [{}]", action.advice.summary, trust(action.advice.trust));
        self.prose(&label, &title);
        self.command("       ", action.advice.command.as_deref().unwrap_or_default());
        if self.look.verbose {
            self.prose("     why:   ", &action.advice.why);
            self.prose("     says:  ", &action.advice.source);
        }
        self.prose("     risk:  ", &action.advice.risk);
        self.prose("     check: ", &action.advice.verify);
    }

    fn where_to_report(&mut self, finding: &Finding) {
        let layers =
            finding.diagnoses.first().map(|head| head.layers.as_slice()).unwrap_or_default();
        self.gap();
        if let Some(place) = layers.iter().find_map(|layer| tracker(*layer)) {
            let first = if layers.first() == Some(&Layer::Application) {
                "the program's own tracker, then "
            } else {
                ""
            };
            self.prose("Report it to: ", &format!("{first}{place}"));
        }
        self.prose("Fingerprint:  ", &finding.fingerprint);
    }

    fn notices(&mut self, part: &Part) {
        let all = &part.conclusions.notices;
        let (hidden, shown): (Vec<&Notice>, Vec<&Notice>) =
            all.iter().partition(|notice| notice.benign && !self.look.all);
        if all.is_empty() {
            return;
        }
        self.heading("Also noted, no failure");
        let key = |notice: &Notice| (notice.device, notice.diagnosis.summary.clone());
        let mut times: BTreeMap<_, usize> = BTreeMap::new();
        for notice in &shown {
            *times.entry(key(notice)).or_default() += 1;
        }
        for notice in shown {
            // What every boot says again is told once.
            let Some(times) = times.remove(&key(notice)) else { continue };
            let Diagnosis { title, id, summary, actions, .. } = &notice.diagnosis;
            self.prose("  - ", &format!("{title} ({id})"));
            self.prose("    ", summary);
            if times > 1 {
                self.prose("    ", &format!("The log has this {times} times; this is the first."));
            }
            if let Some(action) = actions.first() {
                self.prose("    ", &format!("{}: {}", action.advice.summary, action.advice.why));
            }
        }
        let mut ids: Vec<&str> = hidden.iter().map(|notice| notice.diagnosis.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        if !ids.is_empty() {
            self.prose("  - ", &format!("harmless: {} (--all shows more)", ids.join(", ")));
        }
    }

    /// What was read, and what of it could not be used.
    fn reading(&mut self, part: &Part) {
        let reading = &part.log.reading;
        let log = &part.log;
        let mut told = Told::new(&part.name, reading);
        if log.boots.len() > 1 {
            told.part(&format!("{} boots", log.boots.len()));
        }
        told.count(around(reading), "lines around the log");
        told.count(reading.lost_lines(), "lines not readable");
        told.count(reading.passed_over(Why::QuotedAgain), "records that an answer quotes again");
        let excerpts = reading.excerpts.iter().map(|range| range.end - range.start).sum();
        told.count(excerpts, "records of an excerpt, which stand in the log as a whole, too");
        told.missing(reading);
        told.count(log.dropped_events, "events beyond what is kept");
        told.count(part.conclusions.left_out as u64, "incidents left out in the middle");
        told.count(log.unknown_driver_lines, "driver lines without a known meaning");
        let not_evaluated = part.conclusions.not_evaluated.len() as u64;
        told.count(not_evaluated, "signatures not evaluated: too many events");
        if reading.direction == Direction::Reversed {
            told.remark("newest first, turned round");
        }
        // Only what happened is shown with times.
        if !part.conclusions.findings.is_empty() {
            told.derived(reading.form);
        }
        if log.filtered {
            told.remark("it went through a filter, so that what is absent proves nothing");
        }
        if self.look.unknown {
            self.unknown(&log.unknown);
        }
        self.gap();
        self.painted(&told.end(reading), Style::new().dimmed());
        if let Some(remark) = remark(&log.unknown).filter(|_| !self.look.unknown) {
            self.prose("", &remark);
        }
    }
}
