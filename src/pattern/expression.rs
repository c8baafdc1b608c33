//! Regular expressions over log text.

use regex::bytes::{Regex, RegexBuilder};

/// Compiles an expression whose classes (`\d`, `\w`, `\b`) mean ASCII, as kernel messages are: the
/// tables for all of Unicode would cost more time than reading an ordinary log.
///
/// # Errors
/// Where it is none.
pub fn compiled(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression).unicode(false).build()
}

/// Why a text is no expression, in one line.
#[must_use]
pub fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}
