//! Builds the output of each command as a [`crate::document`], JSON or columns.
//!
//! Nothing is decided here: no threshold is compared and no event is searched for. `view` collects
//! what all formats for people show; `card` is the first screen, `whole` the full report.

#[cfg(feature = "system")]
pub(crate) mod bundle;
mod card;
mod certainty;
#[cfg(feature = "system")]
pub(crate) mod check;
#[cfg(feature = "columns")]
pub(crate) mod columns;
mod commands;
pub(crate) mod compare;
mod consequence;
#[cfg(feature = "system")]
pub(crate) mod coverage;
pub(crate) mod decode;
mod draft;
pub(crate) mod explain;
mod files;
#[cfg(feature = "system")]
pub(crate) mod fixtures;
#[cfg(feature = "system")]
pub mod host;
mod incidents;
pub mod json;
#[cfg(feature = "system")]
pub(crate) mod lint;
pub(crate) mod listing;
#[cfg(feature = "system")]
pub(crate) mod live;
#[cfg(test)]
mod names;
mod pieces;
pub(crate) mod plain;
mod reading;
pub(crate) mod records;
pub(crate) mod redact;
pub(crate) mod rows;
#[cfg(feature = "system")]
pub(crate) mod run;
pub(crate) mod signatures;
mod state;
pub(crate) mod status;
pub mod text;
#[cfg(feature = "system")]
pub(crate) mod ticket;
pub(crate) mod time;
pub(crate) mod unknown;
mod view;
mod whole;
pub(crate) mod why;
mod words;

use crate::diagnosis::Conclusions;
use crate::diagnosis::choice::{LeftOut, Window};
use crate::diagnosis::verdict::Verdict;
use crate::event::Observed;
use crate::event::device::Device;
use crate::event::log::{Boot, Log};
use crate::input::Compression;

use time::Zone;

/// The analysis of one input.
#[derive(Debug)]
pub struct ReportPart {
    /// The name.
    pub(crate) name: String,
    /// Its compression.
    pub(crate) compression: Option<Compression>,
    /// The code of the reason why it was not read to its end.
    pub(crate) trouble: Option<String>,
    /// The same in a sentence, if the input is the reason.
    pub(crate) cut: Option<String>,
    /// The log.
    pub(crate) log: Log,
    /// The conclusions from it, as far as they are shown.
    pub conclusions: Conclusions,
    /// The selection of what is shown.
    window: Window,
    /// The number of things that are not shown; `None` without a selection.
    left_out: Option<LeftOut>,
    /// The zone in which times of day are shown to people.
    zone: Zone,
}

impl ReportPart {
    /// An input that is shown completely.
    #[must_use]
    pub fn new(
        name: String,
        compression: Option<Compression>,
        log: Log,
        conclusions: Conclusions,
    ) -> Self {
        Self {
            name,
            compression,
            trouble: None,
            cut: None,
            log,
            conclusions,
            window: Window::default(),
            left_out: None,
            zone: Zone::AsPrinted,
        }
    }

    /// Removes what is not in `window`.
    pub(crate) fn narrow(&mut self, window: Window) {
        self.left_out = Some(window.narrow(&self.log, &mut self.conclusions));
        self.window = window;
    }

    /// Removes incidents and notices without a line from record number `records` on.
    pub(crate) fn begin_at(&mut self, records: u64) {
        let events = &self.log.events;
        let reaches = |at: &[usize]| at.iter().any(|at| events[*at].sequence >= records);
        let Conclusions { findings, notices, unused_errors, .. } = &mut self.conclusions;
        unused_errors.retain(|at| reaches(&[*at]));
        findings.retain(|finding| reaches(&finding.incident.events));
        notices.retain(|notice| reaches(&notice.diagnosis.evidence));
    }

    /// Shows times of day in `zone`.
    pub(crate) fn show_in(&mut self, zone: Zone) {
        self.zone = zone;
    }

    /// The last shown boot.
    pub(crate) fn last_boot(&self) -> Option<usize> {
        self.boots().last().map(|(place, _)| place)
    }

    /// The shown boots, with their indices.
    fn boots(&self) -> impl Iterator<Item = (usize, &Boot)> {
        let boots = self.log.boots.iter().enumerate();
        boots.filter(|(place, _)| self.window.shows_boot(*place))
    }

    /// The shown GPUs.
    fn devices(&self) -> impl Iterator<Item = &Device> {
        self.log.devices.iter().filter(|device| self.window.shows_device(device))
    }

    /// The shown events.
    fn events(&self) -> impl Iterator<Item = &Observed> {
        self.log.events.iter().filter(|observed| self.window.shows_event(observed))
    }

    /// The verdict on this input alone.
    pub(crate) fn verdict(&self) -> Verdict {
        self.conclusions.verdict(&self.log)
    }
}

/// Everything to be printed.
#[derive(Debug)]
pub struct Report {
    /// SHA-256 of the patterns.
    pub patterns: String,
    /// The inputs, in the given order.
    pub parts: Vec<ReportPart>,
    /// The inputs that could not be read.
    pub unread: Vec<status::Unread>,
}

impl Report {
    /// The number of things that are not shown; `None` without a selection.
    fn left_out(&self) -> Option<LeftOut> {
        self.parts.iter().filter_map(|part| part.left_out).reduce(|mut all, part| {
            all += part;
            all
        })
    }

    /// The worst verdict.
    pub(crate) fn verdict(&self) -> Verdict {
        self.parts.iter().map(ReportPart::verdict).max().unwrap_or(Verdict::NoKernelLog)
    }
}
