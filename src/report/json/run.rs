//! The result of `run` for programs.

use std::io;

use serde::Serialize;

use super::incident::{IncidentObject, incident};
use super::{Base, Head, whole};
use crate::diagnosis::verdict::Verdict;
use crate::report::run::{Meanwhile, Named};

/// The time in which a command ran.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RunObject<'r> {
    #[serde(flatten)]
    head: Head<'r>,
    /// The answer in one word; null where the log of that time could not be read.
    verdict: Option<Verdict>,
    /// The command, as it is typed.
    command: &'r str,
    /// Its exit status, as a shell tells it.
    status: u8,
    /// The signal that ended it.
    signal: Option<i32>,
    /// How long it ran, in seconds.
    seconds: f64,
    /// Whether the GPUs can be used again after all that happened; null where the log does not tell.
    retry_safe: Option<bool>,
    /// Processes of the command that the log names.
    named: &'r [Named],
    /// The failures of that time, in order.
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
