//! The result of `run`: GPU failures while a command ran.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use serde::Serialize;

use super::ReportPart;
use super::pieces;
use super::view::IncidentView;
use super::whole::{Extent, banner};
use crate::diagnosis::Finding;
use crate::diagnosis::verdict::Verdict;
use crate::document::counts::{several, shortened, span};
use crate::document::untrusted::Untrusted;
use crate::document::{Block, Document, prose};
use crate::event::Observed;
use crate::kind::{Event, Owner};
use crate::value::{self, Micros, Outcome};

/// Maximum length of a command in a line.
const LONGEST: usize = 60;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Its status, as a shell reports it: 128 plus the number of the signal that ended it.
    pub status: u8,
    pub signal: Option<i32>,
    /// How long it ran.
    pub lasted: Duration,
}

/// The run of a command.
#[derive(Debug)]
pub(crate) struct Meanwhile<'r> {
    /// The command as typed.
    pub command: String,
    pub ended: Ended,
    /// The log of that time; `None` if it could not be read.
    pub part: Option<&'r ReportPart>,
    /// The processes of the command that the log names, in order.
    pub named: Vec<NamedProcess>,
}

/// A process of the command that the log names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NamedProcess"))]
pub(crate) struct NamedProcess {
    /// Its number.
    pub pid: u32,
    /// The name of the process, if the log contains it.
    pub name: Option<String>,
    /// The line number, from 1.
    pub line: u64,
}

impl<'r> Meanwhile<'r> {
    /// What `part`, which begins with the command, says about it and its `processes`.
    pub(crate) fn new(
        command: String,
        ended: Ended,
        processes: &BTreeSet<u32>,
        part: Option<&'r ReportPart>,
    ) -> Self {
        let found = part.into_iter().flat_map(events).filter_map(process);
        let mut seen = BTreeSet::new();
        let named = found.filter(|found| processes.contains(&found.pid) && seen.insert(found.pid));
        let named = named.collect();
        Self { command, ended, part, named }
    }

    fn findings(&self) -> impl Iterator<Item = &'r Finding> {
        self.part.into_iter().flat_map(|part| &part.conclusions.findings)
    }

    /// Whether the log of that time could not be read.
    pub(crate) const fn is_blind(&self) -> bool {
        self.part.is_none()
    }

    /// Whether a GPU failed in that time.
    pub(crate) fn failed(&self) -> bool {
        self.findings().any(Finding::is_failure)
    }

    /// The verdict on that time; `None` if unknown.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        self.part.map(ReportPart::verdict)
    }

    /// Whether the GPUs are usable afterwards; `None` if the log does not show it.
    pub(crate) fn is_usable(&self) -> Option<bool> {
        self.part?.conclusions.is_usable()
    }

    /// The result in one sentence.
    pub(crate) fn answer(&self) -> String {
        let Self { command, ended, .. } = self;
        let command = shortened(command.lines().next().unwrap_or_default(), LONGEST);
        let lasted = Micros(i64::try_from(ended.lasted.as_micros()).unwrap_or(i64::MAX));
        let lasted = span(Micros(lasted.0 / 1_000 * 1_000));
        let end = match ended.signal {
            Some(signal) => format!("ended by signal {signal}"),
            None => format!("exit status {}", ended.status),
        };
        let count = self.findings().count();
        let gpu = match (self.is_blind(), count) {
            (true, _) => "the kernel's log of that time could not be read".to_owned(),
            (false, 0) => "no GPU failure in the kernel's log of that time".to_owned(),
            (false, count) => format!("{} in that time", several(count, "GPU incident")),
        };
        format!("{command} ran for {lasted} ({end}); {gpu}.")
    }

    /// Whether the GPU is usable, in a sentence; only if something happened.
    fn usable(&self) -> Option<&'static str> {
        (self.findings().count() > 0).then(|| match self.is_usable() {
            Some(true) if self.findings().all(|known| known.incident.outcome == Outcome::None) => {
                "The log shows nothing that keeps the GPU from being used."
            }
            Some(true) => "The driver reports that the GPU can be used again.",
            Some(false) => "The log does not show that the GPU came back.",
            None => "The log does not show whether the GPU can be used again.",
        })
    }
}

fn events(part: &ReportPart) -> impl Iterator<Item = &Observed> {
    let indices = part.conclusions.findings.iter().flat_map(|finding| &finding.incident.events);
    indices.map(|at| &part.log.events[*at])
}

/// The process that an event names.
fn process(observed: &Observed) -> Option<NamedProcess> {
    let names = |event: &&Event| match event.columns().owner {
        Owner::Process | Owner::AddressSpace => true,
        Owner::Nobody | Owner::Program => false,
    };
    let event = Some(&observed.event).filter(names);
    let program = observed.program.as_ref();
    let pid = event.and_then(|event| event.get("pid").copied()).or_else(|| program?.pid)?;
    let name = event
        .and_then(|event| event.text("process"))
        .map(str::to_owned)
        .or_else(|| Some(program?.name.clone()));
    Some(NamedProcess { pid, name, line: observed.line() })
}

/// The result as a document.
pub(crate) fn document(meanwhile: &Meanwhile<'_>) -> Document {
    let named = meanwhile.named.iter().map(|NamedProcess { pid, name, line }| {
        let name = name.as_deref().map(|name| value::Named(name).to_string());
        let name = name.as_deref().unwrap_or("a process");
        format!("{name} (pid {pid}), a process of this command, is named on line {line}.")
    });
    let forgotten = meanwhile.part.map_or(0, |part| part.log.dropped_events);
    let forgotten =
        (forgotten > 0).then(|| format!("{forgotten} repeated events were counted and not kept."));
    let usable = meanwhile.usable().map(str::to_owned);
    let said = [meanwhile.answer()].into_iter().chain(named).chain(usable).chain(forgotten);
    let mut blocks: Vec<Block> = said.map(|text| prose(format!("amdtriage: {text}"))).collect();
    if let Some(part) = meanwhile.part {
        for (at, finding) in part.conclusions.findings.iter().enumerate() {
            let view = IncidentView::new(part, finding, at + 1);
            blocks.push(Block::Banner(banner(&view)));
            blocks.append(&mut pieces::incident(&view, &Extent::TERMINAL.scale));
        }
    }
    Document::new(meanwhile.answer(), blocks)
}

/// Writes the result in one line.
pub(crate) fn write_line(meanwhile: &Meanwhile<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let usable = meanwhile.usable().map(|usable| format!(" {usable}")).unwrap_or_default();
    writeln!(out, "amdtriage: {}{usable}", Untrusted(&meanwhile.answer()))
}
