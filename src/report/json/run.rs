//! The result of `run` for programs.

use std::io;

use serde::Serialize;

use super::incident::{IncidentObject, incident};
use super::{Base, Head, whole};
use crate::diagnosis::verdict::Verdict;
use crate::report::run::{Meanwhile, NamedProcess};

/// The run of a command.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RunObject<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    /// The verdict; null if the log of that time could not be read.
    verdict: Option<Verdict>,
    /// The command line.
    command: &'r str,
    /// The exit status, as reported by a shell.
    status: u8,
    /// The signal that terminated it.
    signal: Option<i32>,
    /// The duration in seconds.
    seconds: f64,
    /// Whether the GPUs can be used again; null if the log does not show it.
    retry_safe: Option<bool>,
    /// Processes of the command that the log names.
    named: &'r [NamedProcess],
    /// The failures during the run, in order of time.
    incidents: Vec<IncidentObject<'r>>,
}

/// Writes the result.
pub(crate) fn write(
    meanwhile: &Meanwhile<'_>,
    patterns: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let base = Base { input: 0, boot: 0 };
    let findings = meanwhile.part.into_iter().flat_map(|part| {
        let numbered = (1..).zip(&part.conclusions.findings);
        numbered.map(move |(id, finding)| incident(finding, id, &part.log, &base))
    });
    let object = RunObject {
        head: Head::new(patterns),
        verdict: meanwhile.part.map(crate::report::ReportPart::verdict),
        command: &meanwhile.command,
        status: meanwhile.ended.status,
        signal: meanwhile.ended.signal,
        seconds: meanwhile.ended.lasted.as_secs_f64(),
        retry_safe: meanwhile.is_usable(),
        named: &meanwhile.named,
        incidents: findings.collect(),
    };
    whole(&object, out)
}
