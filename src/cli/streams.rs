//! Where a run writes: its answer to one stream, a pager or a file, and what is said about the run to another.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use super::args::{AnswerArguments, FileArguments, Formats, PageArguments};
use super::ascii::Ascii;
use super::failure::Failure;
use super::output::Target;
use super::pager::Paged;
use super::settings;
use crate::document::untrusted::{Untrusted, is_harmful};

/// What is said about the run, apart from its answer. That nobody can be told is no reason to stop.
pub(super) struct Messages<'a> {
    out: &'a mut dyn Write,
    /// Whether only failures are told.
    quiet: bool,
}

impl<'a> Messages<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, quiet: false }
    }

    /// From now on says failures alone, if that is asked for.
    pub(super) fn hush(&mut self, quiet: bool) {
        self.quiet = quiet;
    }

    /// The stream itself.
    pub(super) fn stream(&mut self) -> &mut dyn Write {
        self.out
    }

    /// Says something in one line. Names of files are other people's text, too.
    pub(super) fn say(&mut self, text: &str) {
        if !self.quiet {
            let _ = writeln!(self.out, "amdtriage: {}", Untrusted(text));
        }
    }

    /// What happened, and on a line of its own what helps.
    pub(super) fn tell(&mut self, failure: &Failure) {
        let sentence = failure.to_string();
        let lines: Vec<_> = if matches!(failure, Failure::Patterns(_)) {
            sentence.lines().map(|line| Untrusted(line).to_string()).collect()
        } else {
            vec![Untrusted(&sentence).to_string()]
        };
        let _ = writeln!(self.out, "amdtriage: {}", lines.join("\n"));
        // What is shown as something else cannot be typed.
        let hints = failure.hint().map(|hint| hint.lines()).unwrap_or_default();
        for line in hints.iter().filter(|line| !line.contains(is_harmful)) {
            let _ = writeln!(self.out, "{line}");
        }
    }
}

/// Where an answer goes.
pub(super) struct Destination<'p> {
    target: Option<Target<'p>>,
    /// Whether a pager shows it.
    paged: bool,
    /// Whether it may have no character beyond ASCII.
    ascii: bool,
}

impl<'p> Destination<'p> {
    /// A file, else standard output as it is.
    pub(super) fn file(file: &'p FileArguments, inputs: &[PathBuf]) -> Result<Self, Failure> {
        let target = file.path().map(|path| Target::new(path, inputs)).transpose()?;
        Ok(Self::to(target))
    }

    /// A file, else standard output; where that is a terminal, a person reads there.
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

    /// Where the answer goes that these arguments ask for; `inputs` are not written over.
    pub(super) fn of_answer<F: Formats>(
        answer: &'p AnswerArguments<F>,
        inputs: &[PathBuf],
    ) -> Result<Self, Failure> {
        Self::of(&answer.file, answer.page, answer.format(), inputs)
    }

    /// A file that was chosen, else standard output as it is.
    pub(super) fn to(target: Option<Target<'p>>) -> Self {
        Self { target, paged: false, ascii: false }
    }

    /// The same without a pager.
    pub(super) fn unpaged(self) -> Self {
        Self { paged: false, ..self }
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

    /// Writes the answer to where it goes.
    pub(super) fn write_to(
        &mut self,
        to: Destination<'_>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let written = self.give(to, |out, _| write(out).map_err(Failure::Output));
        match written {
            // Whoever ends a pager has seen enough.
            Err(Failure::Output(error)) if is_of_a_pager(&error) => Ok(()),
            written => written,
        }
    }

    /// The same for what says how the run goes meanwhile, and can fail in other ways.
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

/// Whether a pager ended before all was written to it.
fn is_of_a_pager(error: &io::Error) -> bool {
    error.get_ref().and_then(|inner| inner.downcast_ref::<super::pager::Ended>()).is_some()
}
