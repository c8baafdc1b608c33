//! Failing fixtures, one line each.

use crate::document::counts::{joined, several};
use crate::document::{Block, Document, Text, prose};
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

/// A line for each failing one of so many `fixtures`, and the counts. `passed_over` are logs
/// without a header.
pub(crate) fn document(failed: &[Failed<'_>], fixtures: usize, passed_over: usize) -> Document {
    let line = |failed: &Failed<'_>| {
        let told = failed.differences.iter();
        let told = told.map(|Difference { word, wanted, said }| {
            format!("{word} {said}, and the header wants {wanted}")
        });
        let told = joined(told.chain(failed.named.clone()), "; ");
        Text::from(format!("{}: {told}", failed.path))
    };
    let rest = if passed_over == 0 {
        String::new()
    } else {
        format!("; {} without a header passed over", several(passed_over, "log"))
    };
    let all = several(fixtures, "fixture");
    let summary =
        prose(format!("{all}: {} pass, {} fail{rest}", fixtures - failed.len(), failed.len()));
    Document::new("Fixtures", vec![Block::Lines(failed.iter().map(line).collect()), summary])
}
