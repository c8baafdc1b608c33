//! Shows text that does not fit the screen in a pager, as git and journalctl do.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGINT;
use signal_hook::flag;

use super::settings::{self, Pager};
use crate::program::{Launch, Running, is_privileged, signals_are_handled};

/// The pager on nearly every machine.
const LESS: &str = "less";
/// Quit if the text fits the screen, show colours, leave the text on the screen.
const LESS_OPTIONS: &str = "FRX";

/// The user closed the pager.
#[derive(Debug, thiserror::Error)]
#[error("the pager has ended")]
pub(super) struct Ended;

/// Where the text goes.
enum State {
    /// Buffered: it may still fit the screen.
    Held(Vec<u8>),
    /// To a pager.
    Shown(Running),
    /// To standard output: no pager is wanted, or none can be started.
    Plain,
}

/// Buffers text until it is longer than the screen.
pub(super) struct Paged<'o> {
    out: &'o mut dyn Write,
    state: State,
    /// The number of free lines on the screen.
    free: usize,
}

impl<'o> Paged<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        // One line is for the prompt.
        let free = usize::from(settings::height()).saturating_sub(1);
        Self { out, state: State::Held(Vec::new()), free }
    }

    /// Shows buffered text, and waits until the pager is closed.
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

    /// Starts the pager with the text so far.
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

/// Starts the pager; `None` if none is wanted or available.
fn started() -> Option<Running> {
    let pager = settings::pager();
    let launch = if is_privileged() {
        // With elevated privileges, a pager that the user names is not run.
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
    // Ctrl+C belongs to the pager, so it is ignored here.
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
