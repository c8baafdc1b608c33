//! What was private in a log: kinds and counts, never values.

use std::io::{self, Write};

use crate::document::counts::{joined, times};
use crate::document::untrusted::Untrusted;
use crate::redact::{Count, Excess, Kind, Redactor, Token};

/// What was replaced, in one line.
pub(crate) fn summary(counts: &[Count]) -> String {
    if counts.is_empty() {
        return "nothing private was found".to_owned();
    }
    let one = |count: &Count| format!("{} {} {}", count.values, count.kind, times(count.replaced));
    format!("replaced {}", joined(counts.iter().map(one), ", "))
}

/// A warning about logs with very many private values, in one line.
pub(crate) fn excess(excess: &Excess) -> Option<String> {
    let Excess { shared, by_place } = excess;
    let limit = Redactor::LIMIT;
    let mut said = Vec::new();
    if !shared.is_empty() {
        let kinds = joined(shared.iter().map(|kind| format!("<{kind}-more>")), ", ");
        said.push(format!(
            "more than {limit} values of a kind, or long ones: the others share {kinds}"
        ));
    }
    if *by_place {
        said.push(
            "too many names to search for all of them everywhere: review the result".to_owned(),
        );
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// What would be replaced in a line of a log.
pub(crate) fn write_place(
    name: &str,
    line: u64,
    kinds: &[Kind],
    out: &mut dyn Write,
) -> io::Result<()> {
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    writeln!(out, "{}:{line}: {}", Untrusted(name), kinds.join(", "))
}

/// The token map: token, tab, value, one per line.
pub(crate) fn write_map(mapping: &[(Token, &str)], out: &mut dyn Write) -> io::Result<()> {
    mapping.iter().try_for_each(|(token, value)| writeln!(out, "{token}\t{}", Untrusted(value)))
}
