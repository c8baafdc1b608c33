//! One line for programs that watch machines.

use std::io;

use super::Checkup;
use crate::document::untrusted::Untrusted;
use crate::health::MachineVerdict;

/// So many characters of the answer are shown: such programs cut what is longer.
const LONGEST: usize = 200;

/// Writes the line.
pub(crate) fn write(checkup: &Checkup<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    // Behind a bar Nagios expects numbers.
    let answer = Untrusted(&checkup.answer()).to_string().replace('|', "/");
    let mut shown: String = answer.chars().take(LONGEST).collect();
    if shown.len() < answer.len() {
        shown.push('…');
    }
    writeln!(out, "{}: {shown}", word(checkup.verdict()))
}

/// What plugins of Nagios begin with.
const fn word(verdict: MachineVerdict) -> &'static str {
    match verdict {
        MachineVerdict::Clean => "OK",
        MachineVerdict::Warning => "WARNING",
        MachineVerdict::Failure => "CRITICAL",
        MachineVerdict::Unknown => "UNKNOWN",
    }
}
