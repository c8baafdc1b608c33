//! Reads and analyses the logs of a command.

use super::args::{InputFormat, Inputs};
use super::failure::Failure;
use super::sources::{self, LogOutcome, Role, Surveyed};
use super::streams::Messages;
use super::{progress, settings};
use crate::diagnosis::choice::Choice;
use crate::diagnosis::verdict::Verdict;
use crate::event::sighting::Instead;
use crate::input::Source;
use crate::inquiry;
use crate::pattern::Patterns;
use crate::record::Options;
use crate::report::ReportPart;
use crate::report::status::Unread;

/// The results for all inputs.
pub(super) struct Inquiry {
    pub(super) parts: Vec<ReportPart>,
    /// Whether there are several logs, which are then named.
    pub(super) several: bool,
    /// False if an input could not be read to its end.
    pub(super) complete: bool,
    /// The inputs that could not be read.
    pub(super) unread: Vec<Unread>,
}

impl Inquiry {
    /// Reads all inputs.
    pub(super) fn read(
        inputs: &Inputs,
        choice: &mut Choice,
        quiet: bool,
        patterns: &Patterns,
        messages: &mut Messages<'_>,
    ) -> Result<Self, Failure> {
        let mut parts = Vec::new();
        let mut several = inputs.files.len() > 1;
        let watched = progress::is_wanted(quiet);
        let Surveyed { complete, unread } =
            sources::each(inputs, choice, messages, &mut |source, role| {
                let options = options(inputs.form.input_format, &source).0;
                let source = if watched { progress::watched(source) } else { source };
                let found = inquiry::parts(source, role == Role::Asked, options, patterns)?;
                several |= role == Role::Member || found.machines > 1;
                let of_use = !found.of_use.is_empty();
                parts.extend(found.of_use);
                Ok(LogOutcome { of_use, cut: found.cut.map(Failure::from) })
            })?;
        Ok(Self { parts, several, complete, unread })
    }

    /// Reports inputs that are not kernel logs, and marks the result as incomplete.
    pub(super) fn tell_what_is_no_log(&mut self, inputs: &Inputs, messages: &mut Messages<'_>) {
        for part in self.parts.iter().filter(|part| part.verdict() == Verdict::NoKernelLog) {
            self.complete = false;
            messages.tell(&inputs.no_kernel_log(&part.name, part.log.sightings.instead()));
        }
    }
}

impl Inputs {
    /// The failure that the input of this name is not a kernel log.
    pub(super) fn no_kernel_log(&self, name: &str, has: Instead) -> Failure {
        Failure::NoKernelLog { name: name.to_owned(), said: self.form.input_format.is_some(), has }
    }
}

/// The options for reading `source`, including the year for times without one.
pub(super) fn options(said: Option<InputFormat>, source: &Source<'_>) -> (Options, &'static str) {
    let saved = settings::saved(source.modified);
    // The output of journalctl needs no declared format.
    let said = said.filter(|_| !source.journal);
    let only = said.map(InputFormat::family);
    (Options { only, reference: saved.local, ..Options::default() }, saved.by)
}
