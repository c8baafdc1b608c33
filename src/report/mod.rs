//! What a renderer may print, and the renderers: one format each.
//!
//! Renderers decide nothing: no threshold is compared here, no event looked for.

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

/// One input with all that is known of it.
#[derive(Debug)]
pub struct ReportPart {
    /// What it is called.
    pub(crate) name: String,
    /// How it was packed.
    pub(crate) compression: Option<Compression>,
    /// Why it could not be read to its end, in a word; `None` where it was.
    pub(crate) trouble: Option<String>,
    /// The same in a sentence, where the input itself is why.
    pub(crate) cut: Option<String>,
    /// What it says.
    pub(crate) log: Log,
    /// What follows from that, as far as it is shown.
    pub conclusions: Conclusions,
    /// What else is shown.
    window: Window,
    /// How much is not; `None` where nothing was chosen.
    left_out: Option<LeftOut>,
    /// The zone that people see its times of day in.
    zone: Zone,
}

impl ReportPart {
    /// An input of which everything is shown.
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

    /// Leaves out what does not stand in `window`.
    pub(crate) fn narrow(&mut self, window: Window) {
        self.left_out = Some(window.narrow(&self.log, &mut self.conclusions));
        self.window = window;
    }

    /// Leaves out what was over before record number `records`: incidents and notices without a line from
    /// there on.
    pub(crate) fn begin_at(&mut self, records: u64) {
        let events = &self.log.events;
        let reaches = |at: &[usize]| at.iter().any(|at| events[*at].sequence >= records);
        let Conclusions { findings, notices, .. } = &mut self.conclusions;
        findings.retain(|finding| reaches(&finding.incident.events));
        notices.retain(|notice| reaches(&notice.diagnosis.evidence));
    }

    /// Shows times of day in `zone`.
    pub(crate) fn show_in(&mut self, zone: Zone) {
        self.zone = zone;
    }

    /// The last of the boots that are shown.
    pub(crate) fn last_boot(&self) -> Option<usize> {
        self.boots().last().map(|(place, _)| place)
    }

    /// The boots that are shown, with their places among all.
    fn boots(&self) -> impl Iterator<Item = (usize, &Boot)> {
        let boots = self.log.boots.iter().enumerate();
        boots.filter(|(place, _)| self.window.shows_boot(*place))
    }

    /// The GPUs that are shown.
    fn devices(&self) -> impl Iterator<Item = &Device> {
        self.log.devices.iter().filter(|device| self.window.shows_device(device))
    }

    /// The events that are shown.
    fn events(&self) -> impl Iterator<Item = &Observed> {
        self.log.events.iter().filter(|observed| self.window.shows_event(observed))
    }

    /// The verdict on this input alone.
    pub(crate) fn verdict(&self) -> Verdict {
        self.conclusions.verdict(&self.log)
    }
}

/// Everything that is to be printed.
#[derive(Debug)]
pub struct Report {
    /// SHA-256 of the patterns.
    pub patterns: String,
    /// The inputs, in the order given.
    pub parts: Vec<ReportPart>,
    /// Those that could not be read.
    pub unread: Vec<status::Unread>,
}

impl Report {
    /// How much is not shown; `None` where nothing was chosen.
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
