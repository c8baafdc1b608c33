//! The report for a person: the answer first, then what happened in order, what the log does not
//! show, and what to do.

use std::fmt::Write as _;
use std::io;

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets,
};
use owo_colors::{OwoColorize, Style};

use super::timeline::{Row, rows};
use super::untrusted::Untrusted;
use super::{Part, Report, Verdict};
use crate::diagnosis::action::{Action, Standing};
use crate::diagnosis::{Diagnosis, Finding, Notice};
use crate::event::device::{ChipEvidence, Device};
use crate::event::log::{Boot, Log};
use crate::incident::outcome::Outcome;
use crate::pattern::advice::Trust;
use crate::pattern::signature::{Layer, Role, Severity};

/// How the report looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Columns of the terminal.
    pub width: u16,
    /// Whether colours help.
    pub colour: bool,
    /// Reasons, all actions and references.
    pub verbose: bool,
    /// Benign notices, too.
    pub all: bool,
}

/// Narrower than this, wrapped text is harder to read than text that runs on.
const LEAST_WIDTH: u16 = 40;
/// Wider than this, prose is hard to read.
const MOST_PROSE: usize = 100;
/// So many actions are shown unless all are asked for.
const ACTIONS: usize = 3;
/// So many rows of an incident are shown unless all are asked for.
const ROWS: usize = 24;

/// Writes `report`.
///
/// # Errors
/// What the writer returns.
pub fn write(report: &Report, look: Look, out: &mut impl io::Write) -> io::Result<()> {
    let look = Look { width: look.width.max(LEAST_WIDTH), ..look };
    let mut page = Page { text: String::new(), look };
    for (index, part) in report.parts.iter().enumerate() {
        if index > 0 {
            page.gap();
        }
        page.part(part, report.parts.len() > 1);
    }
    out.write_all(page.text.as_bytes())
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
            several => format!("{} incidents; the first: {}", several.len(), headline(&several[0])),
        };
        writeln!(out, "{}: {answer}", Untrusted(&part.name))?;
    }
    Ok(())
}

struct Page {
    text: String,
    look: Look,
}

impl Page {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, text: &str) {
        self.gap();
        let text = self.paint(text, Style::new().bold());
        self.line(&text);
    }

    fn paint(&self, text: &str, style: Style) -> String {
        if self.look.colour { text.style(style).to_string() } else { text.to_owned() }
    }

    /// Wrapped text, `first` before its first line and blanks of that width before the others.
    fn prose(&mut self, first: &str, text: &str) {
        let width = usize::from(self.look.width).min(MOST_PROSE);
        let indent = " ".repeat(first.chars().count());
        for (index, line) in wrapped(text, width.saturating_sub(indent.len())).iter().enumerate() {
            self.line(&format!("{}{line}", if index == 0 { first } else { &indent }));
        }
    }

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
        let text = self.paint(&text, style);
        self.line(&text);
        for (index, boot) in part.log.boots.iter().enumerate() {
            for device in part.log.devices.iter().filter(|device| device.boot == index) {
                self.identity(Some(device), boot);
            }
        }
    }

    fn overview(&mut self, part: &Part, findings: &[Finding]) {
        let title = format!("{} incidents in this log.", findings.len());
        let title = self.paint(&title, Style::new().bold());
        self.line(&title);
        let mut table = self.table();
        for (index, finding) in findings.iter().enumerate() {
            let events = &finding.incident.events;
            let line = events
                .first()
                .and_then(|at| part.log.events.get(*at))
                .map(super::super::event::Observed::line);
            table.add_row([
                format!("{}.", index + 1),
                line.map_or_else(String::new, |line| format!("line {line}")),
                headline(finding),
            ]);
        }
        self.add_table(&table);
    }

    fn finding(&mut self, part: &Part, finding: &Finding, number: Option<usize>) {
        let number = number.map(|number| format!("{number}. ")).unwrap_or_default();
        if !number.is_empty() {
            self.gap();
        }
        let width = usize::from(self.look.width).min(MOST_PROSE);
        for line in wrapped(&format!("{number}{}", headline(finding)), width) {
            let line = self.paint(&line, severity_style(finding.severity).bold());
            self.line(&line);
        }
        if let Some(head) = finding.diagnoses.first() {
            self.prose("", &certainty(head));
        }
        let log = &part.log;
        let boot = finding.incident.boot;
        if let Some(known) = log.boots.get(boot) {
            self.gap();
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
        self.prose("Kernel  ", &Untrusted(kernel).to_string());
    }

    fn owner(&mut self, finding: &Finding) {
        let Some(owner) = &finding.owner else { return };
        let pid = owner.pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
        let text = format!(
            "{}{pid}: its work was running; that does not prove it guilty",
            Untrusted(&owner.name)
        );
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
            self.line(&format!("          {reference}"));
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
        let shown = if self.look.verbose { unsaid.len() } else { 5 };
        for text in unsaid.into_iter().take(shown) {
            self.prose("  - ", text);
        }
    }

    fn actions(&mut self, finding: &Finding) {
        let mut actions: Vec<&Action> = Vec::new();
        for action in finding.diagnoses.iter().flat_map(|diagnosis| &diagnosis.actions) {
            if actions.iter().all(|known| known.id != action.id) {
                actions.push(action);
            }
        }
        actions.sort_by_key(|action| action.standing);
        if actions.is_empty() {
            return;
        }
        self.heading("What to do");
        let shown = if self.look.verbose { actions.len() } else { ACTIONS };
        for (index, action) in actions.iter().take(shown).enumerate() {
            self.action(index + 1, action);
        }
        if actions.len() > shown {
            let left = actions.len() - shown;
            self.prose("  ", &format!("{left} more with -v"));
        }
    }

    fn action(&mut self, number: usize, action: &Action) {
        let standing = match action.standing {
            Standing::Suggested => "",
            Standing::AlreadyActive => " (in force already, by this log)",
            Standing::NoEffect => " (set already, and without effect)",
        };
        let label = format!("  {number}. ");
        let title = format!("{}{standing} [{}]", action.summary, trust(action.trust));
        self.prose(&label, &title);
        for line in action.command.iter().flat_map(|command| command.lines()) {
            // A command is never wrapped: it is there to be copied.
            let line = Untrusted(line).to_string();
            let line =
                if line.starts_with('#') { self.paint(&line, Style::new().dimmed()) } else { line };
            self.line(&format!("       {line}"));
        }
        if self.look.verbose {
            self.prose("     why:   ", &action.why);
        }
        self.prose("     risk:  ", &action.risk);
        self.prose("     check: ", &action.verify);
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
        let shown =
            |notice: &&Notice| self.look.all || notice.diagnosis.severity >= Severity::Warning;
        let notices: Vec<&Notice> = part.conclusions.notices.iter().filter(shown).collect();
        let hidden = part.conclusions.notices.len() - notices.len();
        if notices.is_empty() && hidden == 0 {
            return;
        }
        self.heading("Also noted, no failure");
        for notice in notices {
            self.prose("  - ", &format!("{} ({})", notice.diagnosis.title, notice.diagnosis.id));
            self.prose("    ", &notice.diagnosis.summary);
            if let Some(action) =
                notice.diagnosis.actions.first().filter(|_| self.look.all || self.look.verbose)
            {
                self.prose("    ", &format!("{}: {}", action.summary, action.why));
            }
        }
        if hidden > 0 {
            let ids: Vec<&str> = part
                .conclusions
                .notices
                .iter()
                .filter(|notice| notice.diagnosis.severity < Severity::Warning)
                .map(|notice| notice.diagnosis.id.as_str())
                .collect();
            self.prose("  - ", &format!("harmless: {} (--all shows more)", ids.join(", ")));
        }
    }

    /// What was read, and what of it could not be used.
    fn reading(&mut self, part: &Part) {
        let reading = &part.log.reading;
        let mut text = format!(
            "{}, {}, {} lines, {} records",
            Untrusted(&part.name),
            reading.form.name(),
            reading.lines,
            reading.records
        );
        let mut add = |count: u64, what: &str| {
            if count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        };
        add(part.log.boots.len().saturating_sub(1) as u64, "more boots");
        add(reading.skipped.lines, "lines not readable");
        add(
            reading.holes.iter().filter_map(|hole| hole.lost).sum(),
            "lines missing by the log's own word",
        );
        add(part.log.dropped_events, "events beyond what is kept");
        add(part.log.unknown_driver_lines, "driver lines without a known meaning");
        add(
            part.conclusions.not_evaluated.len() as u64,
            "signatures not evaluated: too many events",
        );
        if part.log.filtered {
            text.push_str("; it went through a filter, so that what is absent proves nothing");
        }
        if let Some(error) = &reading.stopped {
            let _ = write!(text, "; reading stopped early: {error}");
        }
        self.gap();
        let style = Style::new().dimmed();
        for line in wrapped(&format!("Read: {text}."), usize::from(self.look.width).min(MOST_PROSE))
        {
            let line = self.paint(&line, style);
            self.line(&line);
        }
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table
            .load_style(presets::NOTHING)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.look.width);
        table
    }

    fn add_table(&mut self, table: &Table) {
        let mut table = table.clone();
        if let Some(column) = table.column_mut(1) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(9)));
        }
        for line in table.lines() {
            let line = self.with_role_painted(line.trim_end());
            self.line(&line);
        }
    }

    /// Paints the last column after the table is laid out, whose widths colours would spoil.
    fn with_role_painted(&self, line: &str) -> String {
        for role in [Role::RootCause, Role::Mechanism, Role::Consequence, Role::Context] {
            let word = role_word(role);
            if let Some(rest) = line.strip_suffix(word).filter(|rest| rest.ends_with("  ")) {
                return format!("{rest}{}", self.paint(word, role_style(role)));
            }
        }
        line.to_owned()
    }
}

/// One sentence: which GPU, what, and how it ended.
fn headline(finding: &Finding) -> String {
    let what = finding
        .diagnoses
        .first()
        .map_or("Something failed that no signature explains", |d| &d.title);
    let gpu = finding.incident.device.map(|device| format!("GPU {device}: ")).unwrap_or_default();
    format!("{gpu}{}. {}", what.trim_end_matches('.'), ending(finding.incident.outcome))
}

const fn ending(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Recovered => "The driver brought it back, and nothing shows that work was lost.",
        Outcome::RecoveredContextLost => {
            "The driver brought it back; programs lost their GPU work."
        }
        Outcome::VramLost => "The driver brought it back; what was in video memory is lost.",
        Outcome::Failed => "It did not come back: the GPU is out of use until a reboot.",
        Outcome::NeverCompleted => {
            "The recovery never ended: the GPU is out of use until a reboot."
        }
        Outcome::Hung => "No recovery is seen: it needs a reboot.",
        Outcome::None => "The GPU itself kept working.",
        Outcome::Unknown => "The log ends too early to tell what came of it.",
    }
}

fn certainty(head: &Diagnosis) -> String {
    let percent = percent(head.confidence);
    let words = match percent {
        90.. => "Almost certain",
        75..90 => "Likely",
        50..75 => "Possible",
        _ => "Weak evidence",
    };
    let first = match head.role {
        Role::RootCause => "this is the first failure in this log",
        Role::Mechanism | Role::Consequence | Role::Context => {
            "what failed first is not in this log"
        }
    };
    format!("{words} ({percent} %) that this happened; {first}.")
}

fn quiet(part: &Part) -> String {
    let log = &part.log;
    match part.verdict() {
        Verdict::NoKernelLog => {
            "No kernel message and no message of a GPU program is in this input.".to_owned()
        }
        _ if log.devices.is_empty() && log.driver_records == 0 => format!(
            "No failure found, and no AMD GPU either: {} records read, {} of them from the kernel, none from amdgpu.",
            log.reading.records, log.reading.kernel_records
        ),
        _ => format!(
            "No GPU failure found: {} records read, {} of them from amdgpu.",
            log.reading.records, log.driver_records
        ),
    }
}

fn gpu(device: &Device) -> String {
    let mut text = device.address.map(|address| address.to_string()).unwrap_or_default();
    let name = device.name.as_deref().map(|name| Untrusted(name).to_string());
    let chip = match (device.target, device.generation) {
        (Some(target), _) => Some(target.to_string()),
        (None, Some(generation)) => {
            Some(format!("{generation} generation (the log does not name the chip)"))
        }
        (None, None) => Some("chip not named in this log".to_owned()),
    };
    let proof = match device.evidence {
        Some(ChipEvidence::ProductName | ChipEvidence::Target) => {
            Some("as a program names it".to_owned())
        }
        _ => None,
    };
    let smu = device.firmware.get("smu").map(|version| format!("SMU firmware {}", dotted(version)));
    for piece in [name, device.asic.clone(), chip, proof, smu].into_iter().flatten() {
        let _ = write!(text, "{}{piece}", if text.is_empty() { "" } else { ", " });
    }
    text
}

/// A firmware version as the driver writes it in brackets: 0x004e7300 is 78.115.0.
fn dotted(version: &str) -> String {
    let value = version.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    value.map_or_else(
        || version.to_owned(),
        |value| format!("{}.{}.{}", (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff),
    )
}

const fn role_word(role: Role) -> &'static str {
    match role {
        Role::RootCause => "first",
        Role::Mechanism => "how",
        Role::Consequence => "effect",
        Role::Context => "beside",
    }
}

const fn role_style(role: Role) -> Style {
    match role {
        Role::RootCause => Style::new().red(),
        Role::Mechanism => Style::new().yellow(),
        Role::Consequence => Style::new().cyan(),
        Role::Context => Style::new().dimmed(),
    }
}

const fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Critical | Severity::Error => Style::new().red(),
        Severity::Warning => Style::new().yellow(),
        Severity::Info => Style::new(),
    }
}

const fn trust(trust: Trust) -> &'static str {
    match trust {
        Trust::A => "A: documented",
        Trust::B => "B: several users",
        Trust::C => "C: one report",
    }
}

/// Where people of this layer take reports; programs have trackers of their own.
const fn tracker(layer: Layer) -> Option<&'static str> {
    match layer {
        Layer::Kernel | Layer::Firmware | Layer::Hardware | Layer::Settings => {
            Some("https://gitlab.freedesktop.org/drm/amd/-/issues")
        }
        Layer::Mesa => Some("https://gitlab.freedesktop.org/mesa/mesa/-/issues"),
        Layer::Rocm => Some("https://github.com/ROCm/TheRock/issues"),
        Layer::Application => None,
    }
}

fn percent(share: f64) -> u8 {
    // Shares lie between 0 and 1.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
    let percent = (share.clamp(0.0, 1.0) * 100.0).round() as u8;
    percent
}

fn seconds(micros: i64) -> String {
    format!("{}.{:03}", micros / 1_000_000, (micros % 1_000_000) / 1_000)
}

/// Breaks `text` at blanks so that no line is wider than `width`, words that are wider excepted.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used > 0 && used + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
