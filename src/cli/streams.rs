//! The output of a run: the answer to standard output, a pager or a file, and messages to standard
//! error.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use super::args::{AnswerArguments, FileArguments, Formats, PageArguments};
use super::ascii::Ascii;
use super::failure::Failure;
use super::output::Target;
use super::pager::Paged;
use super::settings;
use crate::document::untrusted::{Untrusted, is_harmful};

/// Messages about the run. Errors in writing them are ignored.
pub(super) struct Messages<'a> {
    out: &'a mut dyn Write,
    /// Whether only failures are reported.
    quiet: bool,
}

impl<'a> Messages<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, quiet: false }
    }

    /// Restricts messages to failures, if `quiet`.
    pub(super) fn set_quiet(&mut self, quiet: bool) {
        self.quiet = quiet;
    }

    /// The stream itself.
    pub(super) fn stream(&mut self) -> &mut dyn Write {
        self.out
    }

    /// Writes a one-line message. It may contain names from outside, so it is made harmless.
    pub(super) fn say(&mut self, text: &str) {
        if !self.quiet {
            let _ = writeln!(self.out, "amdtriage: {}", Untrusted(text));
        }
    }

    /// Reports a failure, followed by its hint.
    pub(super) fn tell(&mut self, failure: &Failure) {
        let sentence = failure.to_string();
        let lines: Vec<_> = if matches!(failure, Failure::Patterns(_)) {
            sentence.lines().map(|line| Untrusted(line).to_string()).collect()
        } else {
            vec![Untrusted(&sentence).to_string()]
        };
        let _ = writeln!(self.out, "amdtriage: {}", lines.join("\n"));
        // A command that contains harmful characters cannot be typed.
        let hints = failure.hint().map(|hint| hint.lines()).unwrap_or_default();
        for line in hints.iter().filter(|line| !line.contains(is_harmful)) {
            let _ = writeln!(self.out, "{line}");
        }
    }
}

/// The destination of an answer.
pub(super) struct Destination<'p> {
    target: Option<Target<'p>>,
    /// Whether it is shown in a pager.
    paged: bool,
    /// Whether it is restricted to ASCII.
    ascii: bool,
}

impl<'p> Destination<'p> {
    /// A file, else standard output unchanged.
    pub(super) fn file(file: &'p FileArguments, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let target = file.path().map(|path| Target::new(path, inputs)).transpose()?;
        Ok(Self::to(target))
    }

    /// A file, else standard output, with a pager if it is a terminal.
    pub(super) fn of(
        file: &'p FileArguments,
        page: PageArguments,
        format: impl Formats,
        inputs: &[PathBuf],
    ) -> Result<Self, Failure> {
        let read = file.path().is_none() && format.is_for_people() && io::stdout().is_terminal();
        Ok(Self {
            paged: read && !page.no_pager,
            ascii: read && !settings::is_utf8(),
            ..Self::file(file, inputs)?
        })
    }

    /// The destination for these arguments; `inputs` are not overwritten.
    pub(super) fn of_answer<F: Formats>(
        answer: &'p AnswerArguments<F>,
        inputs: &[PathBuf],
    ) -> Result<Self, Failure> {
        Self::of(&answer.file, answer.page, answer.format(), inputs)
    }

    /// A selected file, else standard output unchanged.
    pub(super) fn to(target: Option<Target<'p>>) -> Self {
        Self { target, paged: false, ascii: false }
    }

    /// The same without a pager.
    pub(super) fn unpaged(self) -> Self {
        Self { paged: false, ..self }
    }
}

/// The streams of a run.
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

    /// Writes the answer to its destination.
    pub(super) fn write_to(
        &mut self,
        to: Destination<'_>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let written = self.give(to, |out, _| write(out).map_err(Failure::Output));
        match written {
            // A closed pager means that the reader has seen enough.
            Err(Failure::Output(error)) if is_of_a_pager(&error) => Ok(()),
            written => written,
        }
    }

    /// The same if writing can fail in other ways.
    pub(super) fn give<T>(
        &mut self,
        to: Destination<'_>,
        write: impl FnOnce(&mut dyn Write, &mut Messages<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Destination { target, paged, ascii } = to;
        let messages = &mut self.messages;
        if let Some(target) = target {
            return target.filled(|file| write(file, messages));
        }
        if paged {
            let mut page = Paged::new(&mut *self.out);
            let written = if ascii {
                write(&mut Ascii::new(&mut page), messages)
            } else {
                write(&mut page, messages)
            };
            page.finish().map_err(Failure::Output)?;
            return written;
        }
        let written = if ascii {
            write(&mut Ascii::new(&mut *self.out), messages)
        } else {
            write(&mut *self.out, messages)
        }?;
        self.out.flush().map_err(Failure::Output)?;
        Ok(written)
    }
}

/// Whether the pager was closed before everything was written.
fn is_of_a_pager(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<super::pager::Ended>()).is_some()
}
