//! Differences as rows, for all formats.

use std::fmt::Display;

use super::Compared;
use super::words;
use crate::compare::{Comparison, EventRow, IncidentRow, NoticeRow, Presence, Trend};
use crate::document::counts::distinct;
use crate::event::unknown::Unknown;
use crate::value::Named;

/// Length of a list unless all is requested.
const NEW: usize = 10;
const NOISE: usize = 5;
const MORE: usize = 5;
const GONE: usize = 4;
const UNKNOWN: usize = 5;
const NOTICES: usize = 4;
/// Maximum number of rows of one kind.
const MOST: usize = 200;

/// A difference: its subject, and both values.
pub(in crate::report) struct Line {
    /// `kernel`, `GPU 0000:03:00.0`.
    pub(in crate::report) label: String,
    pub(in crate::report) text: String,
}

/// A failure or message.
pub(in crate::report) struct MessageRow {
    /// Its number in GOOD.
    pub(in crate::report) good: String,
    /// Its number in BAD.
    pub(in crate::report) bad: String,
    /// Its first line, in BAD if it is there.
    pub(in crate::report) line: String,
    pub(in crate::report) what: String,
}

/// Rows under one heading.
pub(in crate::report) struct Section {
    /// The heading.
    pub(in crate::report) title: &'static str,
    pub(in crate::report) rows: Vec<MessageRow>,
    /// The number of further rows.
    pub(in crate::report) more: usize,
}

/// The differences between machines: kernel, driver, firmware, parameters, GPUs.
pub(in crate::report) fn difference_lines(compared: &Compared<'_>) -> Vec<Line> {
    let comparison = compared.comparison;
    let mut lines = Vec::new();
    let mut add = |label: &str, text: String| lines.push(Line { label: label.to_owned(), text });
    if let Some((good, bad)) = comparison.kernel.change() {
        add("kernel", format!("{} → {}", Named(good), Named(bad)));
    }
    if let Some((good, bad)) = comparison.driver.change() {
        add("driver", format!("{} → {}", words::driver(good), words::driver(bad)));
    }
    if let Some((good, bad)) = comparison.interface.change() {
        let told = |[major, minor, patch]: &[u32; 3]| format!("{major}.{minor}.{patch}");
        add("interface", format!("amdgpu {} → {}", told(good), told(bad)));
    }
    for option in comparison.options.iter().flatten() {
        let label = if option.is_of_a_gpu() { "parameter" } else { "boot option" };
        add(label, words::option(option));
    }
    lines.extend(gpu_lines(compared));
    lines.extend(comparison.machine.iter().flatten().map(|change| {
        let (label, text) = words::machine(change);
        Line { label, text }
    }));
    lines
}

fn gpu_lines(compared: &Compared<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    for pair in &compared.comparison.gpus {
        let label = words::label(pair);
        let mut add = |text: String| lines.push(Line { label: label.clone(), text });
        if let Some(tie) = words::tie(pair) {
            add(tie);
        }
        if let Some((good, bad)) = pair.pci_id().change() {
            add(format!("PCI id {good} → {bad}"));
        }
        if let Some((good, bad)) = pair.vram().change() {
            add(format!("video memory {good} MiB → {bad} MiB"));
        }
        for row in &pair.firmware {
            let block = Named(&row.block.to_uppercase()).to_string();
            let told = |version: &str| words::version(row.block, version);
            match (row.version.good, row.version.bad) {
                (Some(good), Some(bad)) if good != bad && pair.is_one_chip() => {
                    add(format!("{block} firmware {} → {}", told(good), told(bad)));
                }
                (Some(same), Some(_)) if compared.all => {
                    add(format!("{block} firmware {} in both", told(same)));
                }
                (Some(good), None) if compared.all => {
                    add(format!("{block} firmware {} in GOOD, unknown in BAD", told(good)));
                }
                (None, Some(bad)) if compared.all => {
                    add(format!("{block} firmware {} in BAD, unknown in GOOD", told(bad)));
                }
                _ => {}
            }
        }
    }
    lines
}

/// A count; `-` for 0.
fn count<N: Copy + Display + PartialEq + From<u8>>(count: N) -> String {
    if count == N::from(0) { "-".to_owned() } else { count.to_string() }
}

/// The incidents, new ones first.
pub(in crate::report) fn failure_rows(compared: &Compared<'_>) -> Vec<MessageRow> {
    compared.comparison.incidents.iter().take(MOST).map(|row| failure(row, compared)).collect()
}

fn failure(row: &IncidentRow<'_>, compared: &Compared<'_>) -> MessageRow {
    let side = if row.bad.is_empty() { &compared.good } else { &compared.bad };
    let log = &side.part.log;
    let first = row.first().and_then(|finding| finding.incident.events.first());
    let line = first.map(|at| log.events[*at].line());
    let ends = |findings: &[&crate::diagnosis::Finding]| {
        let ends = findings.iter().map(|finding| words::outcome(finding.incident.outcome));
        distinct(ends).join(" or ")
    };
    let (good, bad) = (ends(&row.good), ends(&row.bad));
    let end = match row.presence() {
        Presence::New => format!("new; {bad}"),
        Presence::Gone => format!("gone; {good}"),
        Presence::Both if good == bad => bad,
        Presence::Both => format!("{good} → {bad}"),
    };
    let title = row.first().map(words::title).unwrap_or_default();
    let elsewhere = row.is_elsewhere(&compared.comparison.gpus);
    let elsewhere = if elsewhere { "; on another GPU than in GOOD" } else { "" };
    MessageRow {
        good: count(row.good.len()),
        bad: count(row.bad.len()),
        line: line.map(|line| line.to_string()).unwrap_or_default(),
        what: format!("{title}: {end}{elsewhere}"),
    }
}

fn event(row: &EventRow<'_>) -> MessageRow {
    let first = row.first();
    MessageRow {
        good: count(row.good.count),
        bad: count(row.bad.count),
        line: first.map(|observed| observed.line().to_string()).unwrap_or_default(),
        what: first.map(crate::event::Observed::means).unwrap_or_default(),
    }
}

fn notice(row: &NoticeRow<'_>) -> MessageRow {
    let diagnosis = &row.first.diagnosis;
    MessageRow {
        good: count(row.good),
        bad: count(row.bad),
        line: String::new(),
        what: format!("{} ({})", diagnosis.title.trim_end_matches('.'), diagnosis.id),
    }
}

fn unknown(row: &Unknown) -> MessageRow {
    MessageRow {
        good: "-".to_owned(),
        bad: row.count.to_string(),
        line: row.line.to_string(),
        what: row.text.clone(),
    }
}

fn section<T>(
    title: &'static str,
    rows: impl Iterator<Item = T>,
    shown: usize,
    told: impl Fn(T) -> MessageRow,
) -> Section {
    let mut rows = rows.map(told);
    let shown: Vec<MessageRow> = rows.by_ref().take(shown).collect();
    Section { title, rows: shown, more: rows.count() }
}

/// Messages and notices in sections; empty sections are omitted.
pub(in crate::report) fn message_sections(compared: &Compared<'_>) -> Vec<Section> {
    let Compared { comparison, all, verbose, .. } = *compared;
    let Comparison { events, notices, unknown: lines, .. } = comparison;
    let most = |few: usize| if all || verbose { MOST } else { few };
    let of = |presence: Presence, noise: bool| {
        let fits = move |row: &&EventRow<'_>| {
            row.presence() == presence && row.is_noise() == noise && (row.is_significant() || all)
        };
        events.iter().filter(fits)
    };
    let trend = |trend: Trend| {
        let fits = move |row: &&EventRow<'_>| {
            row.presence() == Presence::Both && row.trend == trend && (row.is_significant() || all)
        };
        events.iter().filter(fits)
    };
    let noted = |presence: Presence| {
        let fits = move |row: &&NoticeRow<'_>| {
            row.presence() == presence && (all || presence == Presence::New || !row.first.benign)
        };
        notices.iter().filter(fits)
    };
    let mut sections = vec![
        section(
            "New messages of failures and recoveries",
            of(Presence::New, false),
            most(NEW),
            event,
        ),
        section("More often than in GOOD", trend(Trend::More), most(MORE), event),
        section("Less often than in GOOD", trend(Trend::Less), most(MORE), event),
        section("New notices (no failure)", noted(Presence::New), most(NOTICES), notice),
        section(
            "New lines of the driver without a known meaning",
            lines.iter().flatten().copied(),
            most(UNKNOWN),
            unknown,
        ),
        section("New initialization messages", of(Presence::New, true), most(NOISE), event),
        section("Only in GOOD", of(Presence::Gone, false), most(GONE), event),
        section(
            "Initialization messages only in GOOD",
            of(Presence::Gone, true),
            most(GONE),
            event,
        ),
        section("Notices only in GOOD", noted(Presence::Gone), most(NOTICES), notice),
    ];
    if all {
        sections.push(section("Equally often in both", trend(Trend::Alike), MOST, event));
        sections.push(section("In both, too few to compare", trend(Trend::Unclear), MOST, event));
        sections.push(section("Notices in both", noted(Presence::Both), MOST, notice));
    }
    sections.retain(|section| !section.rows.is_empty());
    sections
}
