//! Where a run writes: its answer to one stream or a file, and what is said about the run to another.

use std::io::{self, Write};

use super::failure::Failure;
use super::output::Target;
use crate::document::untrusted::{Untrusted, is_harmful};

/// What is said about the run, apart from its answer. That nobody can be told is no reason to stop.
pub(super) struct Messages<'a>(pub(super) &'a mut dyn Write);

impl Messages<'_> {
    /// Says something in one line. Names of files are other people's text, too.
    pub(super) fn say(&mut self, text: &str) {
        let _ = writeln!(self.0, "amdtriage: {}", Untrusted(text));
    }

    /// One line that says what happened and what to try; a list of mistakes has lines of its own.
    pub(super) fn tell(&mut self, failure: &Failure) {
        let sentence = failure.to_string();
        // What is shown as something else cannot be typed.
        let hint = failure.hint().map(|hint| hint.to_string());
        let hint = hint.filter(|hint| !hint.contains(is_harmful));
        if matches!(failure, Failure::Patterns(_)) {
            let lines = sentence.lines().map(|line| Untrusted(line).to_string()).chain(hint);
            let _ = writeln!(self.0, "amdtriage: {}", lines.collect::<Vec<_>>().join("\n"));
        } else {
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let _ = writeln!(self.0, "amdtriage: {}{hint}", Untrusted(&sentence));
        }
    }
}

/// The two streams of a run.
pub(super) struct Streams<'a> {
    pub(super) out: &'a mut dyn Write,
    pub(super) messages: Messages<'a>,
}

impl Streams<'_> {
    /// Writes the answer to standard output.
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        write(self.out).and_then(|()| self.out.flush()).map_err(Failure::Output)
    }

    /// Writes the answer to a file, or else to standard output.
    pub(super) fn write_to(
        &mut self,
        target: Option<Target<'_>>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match target {
            Some(target) => target.replace(write),
            None => self.write(write),
        }
    }
}
