//! The report as one object a line, for streaming.
//!
//! Inputs come before conclusions. The summary is the last line, so that readers can detect
//! truncated output.

use std::io;

use serde::Serialize;

use super::diagnosis::NoticeObject;
use super::event::EventObject;
use super::incident::IncidentObject;
use super::log::{BootObject, DeviceObject, InputObject};
use super::{Head, Include, line};
use super::{boots, devices, events, incidents, inputs, not_evaluated, notices};
use crate::diagnosis::choice::LeftOut;
use crate::diagnosis::verdict::Verdict;
use crate::report::Report;
use crate::report::unknown::{self, UnknownObject};

/// One line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ReportLine<'r> {
    Input(InputObject<'r>),
    Boot(BootObject<'r>),
    Device(DeviceObject<'r>),
    Event(EventObject<'r>),
    Incident(Box<IncidentObject<'r>>),
    Notice(NoticeObject<'r>),
    Unknown(UnknownObject<'r>),
    Summary(SummaryObject<'r>),
}

/// The last line: the verdict, and the numbers of lines before it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SummaryObject<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    /// The verdict.
    verdict: Verdict,
    /// Ids of signatures that could not be evaluated because an incident has too many events.
    not_evaluated: Vec<&'r str>,
    /// The numbers of preceding lines by type.
    counts: Counts,
    /// The numbers of entries outside the selected part of the log; present only if a part was
    /// selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// The numbers of lines by type.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Counts {
    input: u64,
    boot: u64,
    device: u64,
    event: u64,
    incident: u64,
    notice: u64,
    unknown: u64,
}

impl Counts {
    fn count(&mut self, line: &ReportLine<'_>) {
        *match line {
            ReportLine::Input(_) => &mut self.input,
            ReportLine::Boot(_) => &mut self.boot,
            ReportLine::Device(_) => &mut self.device,
            ReportLine::Event(_) => &mut self.event,
            ReportLine::Incident(_) => &mut self.incident,
            ReportLine::Notice(_) => &mut self.notice,
            ReportLine::Unknown(_) => &mut self.unknown,
            ReportLine::Summary(_) => return,
        } += 1;
    }
}

/// Writes `report`, one object a line.
pub(crate) fn write(report: &Report, include: Include, out: &mut dyn io::Write) -> io::Result<()> {
    let mut counts = Counts::default();
    for object in lines(report, include) {
        counts.count(&object);
        line(&object, out)?;
    }
    let summary = SummaryObject {
        head: Head::new(&report.patterns),
        verdict: report.verdict(),
        not_evaluated: not_evaluated(report).collect(),
        counts,
        left_out: report.left_out(),
    };
    line(&ReportLine::Summary(summary), out)
}

/// All lines except the summary.
fn lines(report: &Report, include: Include) -> impl Iterator<Item = ReportLine<'_>> {
    let events = include.events.then(|| events(report).map(ReportLine::Event));
    let unknown = include.unknown.then(|| unknown::objects(report).map(ReportLine::Unknown));
    inputs(report)
        .map(ReportLine::Input)
        .chain(boots(report).map(ReportLine::Boot))
        .chain(devices(report).map(ReportLine::Device))
        .chain(events.into_iter().flatten())
        .chain(incidents(report).map(|incident| ReportLine::Incident(Box::new(incident))))
        .chain(notices(report).map(ReportLine::Notice))
        .chain(unknown.into_iter().flatten())
}
