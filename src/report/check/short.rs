//! One line for programs that watch machines.

use std::io;

use super::Checkup;
use crate::health::Verdict;
use crate::report::untrusted::Untrusted;

/// So many characters of the answer are shown: such programs cut what is longer.
const LONGEST: usize = 200;

/// Writes the line.
///
/// # Errors
/// What the writer returns.
pub fn write(checkup: &Checkup<'_>, out: &mut impl io::Write) -> io::Result<()> {
    // Behind a bar Nagios expects numbers.
    let answer = Untrusted(&checkup.answer()).to_string().replace('|', "/");
    let mut shown: String = answer.chars().take(LONGEST).collect();
    if shown.len() < answer.len() {
        shown.push('…');
    }
    writeln!(out, "{}: {shown}", word(checkup.verdict()))
}

/// What plugins of Nagios begin with.
const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clean => "OK",
        Verdict::Warning => "WARNING",
        Verdict::Failure => "CRITICAL",
        Verdict::Unknown => "UNKNOWN",
    }
}
