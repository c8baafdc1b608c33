//! Text for a terminal: what does not fit the screen goes through a pager, as with git and journalctl.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::settings::{self, Pager};
use crate::program::{Launch, Running, is_privileged, signals_are_handled};

/// The pager that is there on nearly every machine.
const LESS: &str = "less";
/// Quit where the text fits the screen, let colours through, leave the text on the screen.
const LESS_OPTIONS: &str = "FRX";

/// Whoever reads has ended the pager.
#[derive(Debug, thiserror::Error)]
#[error("the pager has ended")]
pub(super) struct Ended;

/// What becomes of the text.
enum State {
    /// It may still fit the screen.
    Held(Vec<u8>),
    /// A pager shows it.
    Shown(Running),
    /// No pager is wanted, or none starts.
    Plain,
}

/// Holds text back until it is longer than the screen.
pub(super) struct Paged<'o> {
    out: &'o mut dyn Write,
    state: State,
    /// How many lines the screen has that are still free.
    free: usize,
}

impl<'o> Paged<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        // The last line is for the prompt.
        let free = usize::from(settings::height()).saturating_sub(1);
        Self { out, state: State::Held(Vec::new()), free }
    }

    /// Shows what was held back, and waits until whoever reads has read.
    pub(super) fn finish(mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.state, State::Plain) {
            State::Held(text) => self.out.write_all(&text)?,
            State::Shown(mut pager) => {
                drop(pager.take_input());
                pager.ended_by(None)?;
            }
            State::Plain => {}
        }
        self.out.flush()
    }

    /// Lets a pager show what there is so far.
    fn begin(&mut self, text: &[u8]) -> io::Result<()> {
        self.state = started().map_or(State::Plain, State::Shown);
        self.write_all(text)
    }
}

impl Write for Paged<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Held(text) => {
                text.extend_from_slice(bytes);
                let lines = memchr::memchr_iter(b'\n', bytes).count();
                match self.free.checked_sub(lines) {
                    Some(free) => self.free = free,
                    None => {
                        let text = std::mem::take(text);
                        self.begin(&text)?;
                    }
                }
            }
            State::Shown(pager) => {
                let Some(input) = pager.input() else { return Err(io::Error::other(Ended)) };
                input.write_all(bytes).map_err(|error| match error.kind() {
                    io::ErrorKind::BrokenPipe => io::Error::other(Ended),
                    _ => error,
                })?;
            }
            State::Plain => self.out.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Held(_) | State::Shown(_) => Ok(()),
            State::Plain => self.out.flush(),
        }
    }
}

/// Starts the pager; `None` where none is wanted, or none is there.
fn started() -> Option<Running> {
    let pager = settings::pager();
    let launch = if is_privileged() {
        // What the caller names would run with rights that the caller may not have.
        matches!(pager, Pager::Command(_) | Pager::Usual).then_some(())?;
        let launch = Launch::system_on_terminal(LESS).ok()?;
        settings::of_a_terminal()
            .into_iter()
            .fold(launch, |launch, (name, value)| launch.variable(name, &value))
    } else {
        let words = match pager {
            Pager::None => return None,
            Pager::Command(words) => words,
            Pager::Usual => vec![LESS.to_owned()],
        };
        let (program, rest) = words.split_first()?;
        Launch::foreground(program.as_ref()).arguments(rest)
    };
    let launch = if settings::has_less_options() && !is_privileged() {
        launch
    } else {
        launch.variable("LESS", LESS_OPTIONS)
    };
    // Ctrl+C is for the pager. Nobody looks at the flag.
    signals_are_handled(&[SIGINT]);
    flag::register(SIGINT, Arc::new(AtomicBool::new(false))).ok()?;
    launch.input(std::process::Stdio::piped()).start().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_the_screen_is_written_as_it_is() {
        let mut out = Vec::new();
        let mut page = Paged::new(&mut out);
        page.write_all(b"one\ntwo\n").unwrap();
        assert!(matches!(page.state, State::Held(_)));
        page.finish().unwrap();
        assert_eq!(out, b"one\ntwo\n");
    }
}
