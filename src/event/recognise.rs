//! Turns records into events one by one: prefilter, prefix, message, joining of lines.

mod begin;
mod forget;
mod kernel;
mod machines;
pub(crate) mod reports;

use std::collections::VecDeque;

use serde::Serialize;

use self::begin::{Attribution, BeginningMessage, Known};
pub(crate) use self::machines::{AllProgress, Recognisers};
pub(crate) use self::reports::Reports;
use super::budget::{Budget, Gap};
use super::by_device::ByDevice;
use super::complaint::{ComplaintSearch, Complaints};
use super::facts::Facts;
use super::fill::worker_queue;
use super::gate::Prefilter;
use super::landmark;
use super::mention::MentionSearch;
use super::prose;
use super::sighting::{SightingSearch, Sightings};
use super::told::Told;
use super::unknown::Unknowns;
use super::{Observed, Program};
use crate::input::Words;
use crate::kind::{Event, Kind};
use crate::pattern::Patterns;
use crate::pattern::distribution::Distributions;
use crate::pattern::hardware::KernelNames;
use crate::pattern::matcher::{CaptureBuffer, Matcher};
use crate::pattern::message::Printer;
use crate::record::{Origin, Process, Read, Record, Said, Visit};
use crate::value::PciAddress;
use crate::value::field::Conversion;

/// The number of records after one of an event that may belong to it.
const BEHIND: u32 = 1;

/// What a log says about GPUs.
#[derive(Debug, Default)]
pub struct Recognised {
    /// The events, in the order of their first lines.
    pub(crate) events: Vec<Observed>,
    /// Evidence about each GPU.
    pub(crate) facts: Facts,
    /// The number of kernel records, and of those that name the driver.
    pub(crate) kernel_records: u64,
    /// See `kernel_records`.
    pub(crate) driver_records: u64,
    /// The number of kernel records that name the driver's source or module.
    pub(crate) source_records: u64,
    /// What else shows that the log is about an AMD GPU.
    pub(crate) sightings: Sightings,
    /// Lines of programs that report a failure that is not known.
    pub(crate) complaints: Complaints,
    /// What its text says of the machine.
    pub(crate) told: Told,
    /// Where reports of the kernel about itself begin.
    pub(crate) reports: Reports,
    /// The number of records that name the driver and a device but were not attributed to it.
    pub(crate) unattributed: u64,
    /// The number of events that were not kept.
    pub(crate) dropped_events: u64,
    /// Where relevant events were dropped.
    pub(crate) gap: Option<Gap>,
    /// The number of the driver's lines without a message.
    pub(crate) unknown_driver_lines: u64,
    /// These lines and those of the DRM core and memory manager, by shape.
    pub(crate) unknown: Unknowns,
    /// The kernel's last line, if it may be an error of the driver whose end is missing.
    pub(crate) cut_off: Option<CutOff>,
}

/// A line with which an input ends and that may be the beginning of an error of the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CutOffLine"))]
pub(crate) struct CutOff {
    /// The line number, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) line: u64,
    /// The text without time and host.
    pub(crate) text: String,
    /// Whether its level is that of an error, so that it is counted among the driver's error lines.
    #[serde(skip)]
    pub(crate) is_error: bool,
}

/// Turns records into events.
#[derive(Debug)]
pub struct Recogniser<'p> {
    matcher: Matcher<'p>,
    words: Option<Words>,
    /// The number of records since the last one of an event.
    since: u32,
    gate: Prefilter<'p>,
    kernel_names: &'p KernelNames,
    distributions: &'p Distributions,
    prose: prose::Reader<'p>,
    sightings: SightingSearch,
    mentions: MentionSearch<'p>,
    complaints: ComplaintSearch<'p>,
    /// The latest events of each device, newest last: index and last joined record.
    begun: ByDevice<Option<PciAddress>, VecDeque<(usize, u64)>>,
    /// The messages found so far, by index.
    known: Vec<Option<Known>>,
    /// The last record without prefix whose words only the driver prints.
    bare: Option<u64>,
    /// The last line of an event that names its GPU: the GPU and the record.
    named: Option<(PciAddress, u64)>,
    /// The buffer for captures.
    room: CaptureBuffer,
    budget: Budget,
    result: Recognised,
}

/// The state of a recogniser without its patterns, while they are reloaded.
#[derive(Debug)]
pub(crate) struct Progress {
    since: u32,
    open: u32,
    begun: ByDevice<Option<PciAddress>, VecDeque<(usize, u64)>>,
    bare: Option<u64>,
    named: Option<(PciAddress, u64)>,
    budget: Budget,
    result: Recognised,
}

impl Progress {
    /// Continues with `patterns`. Earlier events stay unchanged.
    fn by(self, patterns: &Patterns) -> Recogniser<'_> {
        let Self { since, open, begun, bare, named, budget, result } = self;
        let mut recogniser = Recogniser::new(patterns);
        recogniser.gate.keep(open);
        Recogniser { since, begun, bare, named, budget, result, ..recogniser }
    }
}

impl Visit for Recogniser<'_> {
    fn see(&mut self, read: Read<'_>) {
        match read {
            Read::Record(record) => self.record(record),
            Read::Passed(passed) => {
                self.sight(passed.line, passed.text);
                self.see_quoted(passed.line, passed.text);
                self.result.told.see(self.distributions, passed.text);
            }
            Read::Hole(_) => {}
        }
    }

    fn words(&self) -> Option<&Words> {
        self.words.as_ref()
    }

    fn wants_next(&self) -> bool {
        self.gate.is_open() || self.since < BEHIND
    }

    fn prefix(&self, text: &str) -> Option<usize> {
        landmark::prefix(text)
    }

    fn is_kernel_text(&self, text: &str) -> bool {
        landmark::is_kernel_text(self.matcher, text)
    }

    fn is_unfinished(&self, text: &str) -> bool {
        landmark::is_unfinished(self.matcher, text)
    }

    fn said<'t>(&self, introduction: &str, text: &'t str) -> Said<'t> {
        self.prose.said(introduction, text, &self.gate)
    }

    fn titled<'t>(&self, introduction: &str, text: &'t str, is_sure: bool) -> Option<&'t str> {
        self.prose.titled(introduction, text, is_sure, &self.gate)
    }

    fn message(&self, text: &str) -> bool {
        self.is_kernel_text(text) || landmark::is_of_a_program(self.matcher, text)
    }

    fn skimmed(&mut self, of_kernel: u64, of_another: Option<u64>) {
        self.result.kernel_records += of_kernel;
        self.result.sightings.are_partial = true;
        if let Some(sequence) = of_another {
            self.result.facts.see_another_driver(sequence);
        }
    }
}

impl<'p> Recogniser<'p> {
    /// A recogniser for the messages of `patterns`.
    #[must_use]
    pub fn new(patterns: &'p Patterns) -> Self {
        Self {
            matcher: patterns.matcher(),
            words: Words::new(
                patterns.words.iter().map(String::as_str),
                patterns.hardware.names.other_drivers().map(String::as_str),
            ),
            since: 0,
            gate: Prefilter::new(patterns.matcher()),
            kernel_names: &patterns.hardware.names,
            distributions: &patterns.distributions,
            prose: prose::Reader::new(patterns),
            sightings: SightingSearch::new(&patterns.hardware.names),
            mentions: MentionSearch::new(&patterns.hardware.names),
            complaints: ComplaintSearch::new(&patterns.hardware.names, &patterns.prose),
            begun: ByDevice::default(),
            known: vec![None; patterns.messages.len()],
            bare: None,
            named: None,
            room: CaptureBuffer::default(),
            budget: Budget::default(),
            result: Recognised::default(),
        }
    }

    fn sight(&mut self, line: u64, text: &str) {
        let is_no_log = self.result.kernel_records == 0 && self.result.events.is_empty();
        self.result.sightings.see(&self.sightings, line, text, is_no_log);
        self.mentions.see(text, &mut self.result.sightings.mentions);
    }

    /// Handles the next record.
    fn record(&mut self, record: &Record<'_>) {
        let record = &Record { message: untagged(record), ..*record };
        self.sight(record.line, record.message);
        if record.origin != Origin::Unstated {
            self.result.cut_off = None;
        }
        if let Origin::Program { name, .. } = record.origin {
            self.mentions.see(name, &mut self.result.sightings.mentions);
        }
        self.result.kernel_records += u64::from(record.origin == Origin::Kernel);
        if record.origin == Origin::Unstated {
            self.result.told.see(self.distributions, record.message);
        } else {
            self.result.told.end_section();
        }
        if let Some(process) = &record.process {
            self.see_process(record, process);
            return;
        }
        self.since = self.since.saturating_add(1);
        self.see_report(record);
        if !self.gate.passes(record.origin, record.message) {
            self.complain(record);
            return;
        }
        match record.origin {
            Origin::Program { .. } => {
                if !self.see_program(record) {
                    self.complain(record);
                }
            }
            Origin::Kernel => {
                if !self.see_kernel(record) {
                    self.count_unknown(record);
                }
            }
            Origin::Unstated => {
                let before = self.result.driver_records;
                if self.see_kernel(record) {
                    return;
                }
                if self.see_program(record) {
                    // Mesa's lines begin with the driver's name, too.
                    self.result.driver_records = before;
                } else {
                    self.count_unknown(record);
                    self.complain(record);
                }
            }
        }
    }

    /// Keeps a line that is no message if a program reports a failure with it, or if it quotes an
    /// error of a driver that is not in the catalogue.
    fn complain(&mut self, record: &Record<'_>) {
        if record.origin == Origin::Unstated {
            self.see_quoted(record.line, record.message);
        }
        if self.complaints.is_one(record) {
            self.result.complaints.add(record.line, record.message);
        }
    }

    /// The result for a growing input so far, without unknown lines.
    #[must_use]
    pub(crate) fn so_far(&self) -> Recognised {
        let Recognised { events, facts, sightings, complaints, told, reports, .. } = &self.result;
        Recognised {
            complaints: complaints.clone(),
            told: told.clone(),
            reports: reports.clone(),
            events: events.clone(),
            facts: facts.clone(),
            sightings: sightings.clone(),
            unknown: Unknowns::default(),
            cut_off: None,
            ..self.result
        }
    }

    /// Detaches the patterns.
    fn progress(self) -> Progress {
        let open = self.gate.open();
        let Self { since, begun, bare, named, budget, result, .. } = self;
        Progress { since, open, begun, bare, named, budget, result }
    }

    /// The number of kept events.
    #[must_use]
    pub(crate) fn count(&self) -> usize {
        self.result.events.len()
    }

    /// The final result.
    #[must_use]
    pub fn finish(self) -> Recognised {
        self.result
    }

    fn see_program(&mut self, record: &Record<'_>) -> bool {
        let unstated = record.origin == Origin::Unstated;
        let (text, printers) = (record.message, &[Printer::Program]);
        let found = self.matcher.find_with(&mut self.room, text, printers, unstated);
        let Some(found) = found else { return false };
        let program = match record.origin {
            Origin::Program { name, pid } => Some(Box::new(Program { name: name.to_owned(), pid })),
            Origin::Kernel | Origin::Unstated => None,
        };
        // Mesa's winsys names its driver; other programs may lose a context of any driver.
        let loss = found.message.kinds.first() == Some(&Kind::ContextLost);
        let of_any_vendor = found.message.shared;
        let of_a_tool = [Kind::KfdUnavailable, Kind::ManagementFailed];
        if of_any_vendor && found.message.kinds.iter().any(|kind| of_a_tool.contains(kind)) {
            self.result.sightings.see_tool(&self.sightings, record.message);
        }
        let shared = loss && !text.contains("amdgpu") || of_any_vendor;
        let needs = found.message.needs;
        let place = Attribution { shared, of_any_vendor, needs, ..Attribution::default() };
        self.take(record, place, program, &found);
        self.room = found.into_room();
        true
    }

    /// A process in uninterruptible sleep is an event; whether it concerns a GPU is decided later.
    fn see_process(&mut self, record: &Record<'_>, process: &Process<&str>) {
        if !process.state.starts_with('D') || self.refuse_event(record) {
            return;
        }
        let task = process.command.trim_matches(['[', ']']);
        let mut event = Event::empty(Kind::BlockedTask);
        let mut set = |name: &str, text: &str| event.set(name, text, Conversion::Text);
        set("task", task);
        set("state", process.state);
        set("pid", &process.pid.to_string());
        if let Some(channel) = process.wait_channel {
            set("wait_channel", channel);
        }
        if let Some(queue) = worker_queue(task) {
            set("queue", queue);
        }
        let text = record.message.into();
        let printed = BeginningMessage { name: LISTED_PROCESS.into(), level: None, text };
        self.begin(record, Attribution::default(), None, event, printed);
    }
}

/// The text of a record without the tag that people put before a title, `[Driver] BUG: unable to
/// handle …`, where a sentence of the kernel's core follows.
fn untagged<'t>(record: &Record<'t>) -> &'t str {
    const CORE: [&str; 7] = [
        "BUG: ",
        "WARNING: ",
        "Oops: ",
        "INFO: ",
        "kernel BUG at ",
        "general protection fault",
        "Kernel panic - not syncing",
    ];
    let text = record.message;
    let tagged = text.strip_prefix('[').filter(|_| record.origin == Origin::Unstated);
    let behind = tagged.and_then(|tagged| tagged.split_once(']')).map(|(_, behind)| behind);
    let behind = behind.map(|behind| behind.trim_start_matches(':').trim_start());
    let is_core = |behind: &&str| CORE.iter().any(|core| behind.starts_with(core));
    behind.filter(is_core).unwrap_or(text)
}

/// The name for a row of a process listing, in place of a message id.
pub(super) const LISTED_PROCESS: &str = "process-listing";

#[cfg(test)]
mod tests;
