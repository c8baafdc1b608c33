//! Which fixtures fail, one line each.

use std::io;

use crate::document::counts::{joined, several};
use crate::document::untrusted::Untrusted;
use crate::fixture::Difference;

/// What is wrong with a fixture.
#[derive(Debug)]
pub(crate) struct Failed<'f> {
    pub path: &'f str,
    /// What is said, and what its header wants.
    pub differences: Vec<Difference>,
    /// What its name says and its header does not.
    pub named: Option<String>,
}

impl Failed<'_> {
    /// Whether anything is.
    pub(crate) fn is_any(&self) -> bool {
        !self.differences.is_empty() || self.named.is_some()
    }
}

/// How many fixtures there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    pub fixtures: usize,
    /// Those that fail.
    pub failed: usize,
    /// Logs without a header.
    pub passed_over: usize,
}

/// Writes one line.
pub(crate) fn write_failed(failed: &Failed<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let told = failed.differences.iter();
    let told = told.map(|Difference { word, wanted, said }| {
        format!("{word} {said}, and the header wants {wanted}")
    });
    let told = joined(told.chain(failed.named.clone()), "; ");
    writeln!(out, "{}", Untrusted(&format!("{}: {told}", failed.path)))
}

/// Writes how many fixtures pass and fail.
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
