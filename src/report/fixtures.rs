//! Failing fixtures, one line each.

use std::io;

use crate::document::counts::{joined, several};
use crate::document::untrusted::Untrusted;
use crate::fixture::Difference;

/// The problems of a fixture.
#[derive(Debug)]
pub(crate) struct Failed<'f> {
    pub path: &'f str,
    /// Differences between the result and its header.
    pub differences: Vec<Difference>,
    /// A contradiction between its path and its header.
    pub named: Option<String>,
}

impl Failed<'_> {
    /// Whether there are any problems.
    pub(crate) fn is_any(&self) -> bool {
        !self.differences.is_empty() || self.named.is_some()
    }
}

/// Counts of fixtures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub fixtures: usize,
    /// Failing fixtures.
    pub failed: usize,
    /// Logs without a header.
    pub passed_over: usize,
}

/// Writes the line for a fixture.
pub(crate) fn write_failed(failed: &Failed<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let told = failed.differences.iter();
    let told = told.map(|Difference { word, wanted, said }| {
        format!("{word} {said}, and the header wants {wanted}")
    });
    let told = joined(told.chain(failed.named.clone()), "; ");
    writeln!(out, "{}", Untrusted(&format!("{}: {told}", failed.path)))
}

/// Writes the counts.
pub(crate) fn write_summary(tally: Tally, out: &mut dyn io::Write) -> io::Result<()> {
    let Tally { fixtures, failed, passed_over } = tally;
    let rest = if passed_over == 0 {
        String::new()
    } else {
        format!("; {} without a header passed over", several(passed_over, "log"))
    };
    let all = several(fixtures, "fixture");
    writeln!(out, "{all}: {} pass, {failed} fail{rest}", fixtures - failed)
}
