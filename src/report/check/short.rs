//! One line of output for monitoring systems.

use std::io;

use super::{Checkup, LogAnswer};
use crate::document::untrusted::Untrusted;
use crate::health::{MachineVerdict, of_a_gpu};

/// Maximum length of the line; monitoring systems cut longer ones.
const LONGEST: usize = 200;

/// Writes the line, for Nagios with performance data.
pub(crate) fn write(
    checkup: &Checkup<'_>,
    for_nagios: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    // Nagios expects performance data after a bar.
    let missing = checkup.if_missing().map(|it| format!(" If there should be one: {it}"));
    let answer = format!("{}{}", checkup.answer(), missing.unwrap_or_default());
    let answer = Untrusted(&answer).to_string().replace('|', "/");
    let mut shown: String = answer.chars().take(LONGEST).collect();
    if shown.len() < answer.len() {
        shown.push('…');
    }
    let numbers = if for_nagios { performance(checkup) } else { String::new() };
    writeln!(out, "{}: {shown}{numbers}", word(checkup.verdict()))
}

/// Performance data, as far as known: `label=value;warn;crit;min` without limits (Monitoring
/// Plugins Development Guidelines, "Performance data").
fn performance(checkup: &Checkup<'_>) -> String {
    let gpus = checkup.host.gpus.as_ref().ok().map(Vec::len);
    let waiting = checkup.host.tasks.as_ref().ok().map(|_| of_a_gpu(checkup.host).len());
    let incidents = match &checkup.log {
        LogAnswer::Read { part, .. } => {
            Some(part.conclusions.findings.len() + part.conclusions.left_out)
        }
        LogAnswer::Unread(_) | LogAnswer::Elsewhere(_) => None,
    };
    let numbers = [("gpus", gpus), ("waiting_tasks", waiting), ("incidents", incidents)];
    let known =
        numbers.iter().filter_map(|(name, number)| Some(format!("{name}={};;;0", (*number)?)));
    let known: Vec<String> = known.collect();
    if known.is_empty() { String::new() } else { format!(" | {}", known.join(" ")) }
}

/// The word with which a Nagios plugin's output begins.
const fn word(verdict: MachineVerdict) -> &'static str {
    match verdict {
        MachineVerdict::Clean => "OK",
        MachineVerdict::Warning => "WARNING",
        MachineVerdict::Failure => "CRITICAL",
        MachineVerdict::Unknown => "UNKNOWN",
    }
}
