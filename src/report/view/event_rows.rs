//! The timeline of an incident as rows: repetitions are one row with a count.

use crate::diagnosis::{Diagnosis, Finding};
use crate::document::counts::seconds;
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::Milestone;
use crate::pattern::signature::Role;
use crate::record::Stamp;
use crate::value::Micros;

/// The number of previous rows to search for the same thing, because pairs of lines repeat in turn.
pub(in crate::report) const LOOK_BACK: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::report) struct Row {
    /// The time since the incident's first event; `None` if the lines have no times.
    since: Option<Micros>,
    /// The first line.
    pub(in crate::report) line: u64,
    pub(in crate::report) last_line: u64,
    /// The number of its events.
    pub(in crate::report) count: usize,
    /// Its meaning; of several events, the first one's.
    pub(in crate::report) means: String,
    /// Whether the other events differ slightly, such as in an address.
    pub(in crate::report) varied: bool,
    /// Its role in the diagnoses.
    pub(in crate::report) role: Option<Role>,
    /// Its first event, as an index into the log's.
    pub(in crate::report) first: usize,
    /// Its mark in the timeline.
    pub(in crate::report) mark: Option<Milestone>,
    like: String,
}

impl Row {
    /// Its lines: `12-19`.
    pub(in crate::report) fn lines(&self) -> String {
        let Self { line, last_line, .. } = self;
        if line == last_line { line.to_string() } else { format!("{line}-{last_line}") }
    }

    /// The number of events in all rows that look the same to a reader.
    pub(super) fn count_in(&self, rows: &[Self]) -> usize {
        rows.iter().filter(|row| row.like == self.like).map(|row| row.count).sum()
    }

    /// Whether both look the same to a reader.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.like == other.like
    }

    /// The time since the first event.
    pub(in crate::report) fn since(&self) -> String {
        self.since.map_or_else(|| "-".to_owned(), |since| format!("+{} s", seconds(since)))
    }
}

/// Fields in which events of one row must not differ; others, such as addresses, may.
const ALIKE: [&str; 11] = [
    "ring",
    "opcode",
    "operation",
    "request",
    "process",
    "name",
    "method",
    "ip",
    "what",
    "errno",
    "file",
];

/// A key that is equal for events that look the same to a reader.
pub(in crate::report) fn likeness(observed: &Observed) -> String {
    let mut like = observed.message.as_str().to_owned();
    for value in ALIKE.iter().filter_map(|field| observed.event.field(field)) {
        like.push('|');
        like.push_str(&value.to_string());
    }
    like
}

/// The rows of an incident, in order.
pub(super) fn rows(log: &Log, finding: &Finding) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut start: Option<Stamp> = None;
    for &index in &finding.incident.events {
        let observed = &log.events[index];
        let first = *start.get_or_insert(observed.stamp);
        let role = role(&finding.diagnoses, index);
        let from = rows.len().saturating_sub(LOOK_BACK);
        let like = likeness(observed);
        match rows[from..].iter_mut().rev().find(|row| row.like == like) {
            Some(row) => extend(row, observed, role),
            None => rows.push(Row {
                since: first.elapsed(&observed.stamp),
                line: observed.first_line(),
                last_line: observed.last_line(),
                count: 1,
                means: observed.means(),
                varied: false,
                role,
                first: index,
                mark: observed.event.columns().mark,
                like,
            }),
        }
    }
    rows
}

fn extend(row: &mut Row, observed: &Observed, role: Option<Role>) {
    row.count += 1;
    row.varied = row.varied || row.means != observed.means();
    row.last_line = row.last_line.max(observed.last_line());
    row.role = match (row.role, role) {
        (Some(known), Some(new)) => Some(known.min(new)),
        (known, new) => known.or(new),
    };
}

/// The role of an event: that of the first diagnosis which it proves.
fn role(diagnoses: &[Diagnosis], index: usize) -> Option<Role> {
    // The proof is sorted; that of a storm is long.
    let proven = |diagnosis: &&Diagnosis| diagnosis.proof.binary_search(&index).is_ok();
    diagnoses.iter().find(proven).map(|diagnosis| diagnosis.role)
}
