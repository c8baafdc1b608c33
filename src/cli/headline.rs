//! The first line of a text for people, which answers.

use std::io::{self, Write};

use crate::report::page::Look;

/// Writes what the text begins with, up to an empty line or one that is set in, as one line.
pub(super) fn write(
    look: Look,
    out: &mut dyn Write,
    text: impl FnOnce(Look, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut all = Vec::new();
    text(Look { width: u16::MAX, ..look }, &mut all)?;
    let all = String::from_utf8_lossy(&all);
    let mut lines = all.lines().skip_while(|line| line.is_empty());
    let first = lines.next().unwrap_or_default();
    let rest = lines.take_while(|line| !line.is_empty() && !line.starts_with(' '));
    let line: Vec<_> = std::iter::once(first).chain(rest).collect();
    writeln!(out, "{}", line.join(" "))
}
