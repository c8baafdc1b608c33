//! Signal handling for long runs.

use std::io;
use std::thread;

use rustix::fs::{Mode, OFlags};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level;

use super::Ending;
use crate::input::live::Sender;
use crate::program;
use crate::program::processes::not_ignored;

/// The effect of SIGHUP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hangup {
    /// It ends the run.
    Ends,
    /// It reloads the patterns, unless the terminal is gone.
    Reloads,
}

/// Handles signals that were not ignored at the start. A second signal to end terminates the
/// program at once.
pub(super) fn install_handlers(sender: Sender, hangup: Hangup) -> io::Result<()> {
    let wanted = not_ignored(&[SIGINT, SIGTERM, SIGHUP]);
    let mut signals = Signals::new(&wanted)?;
    program::signals_are_handled(&wanted);
    let has_terminal = terminal_is_there();
    thread::spawn(move || {
        let mut is_over = false;
        for signal in signals.forever() {
            let sender = sender.clone();
            let reloads = signal == SIGHUP && hangup == Hangup::Reloads;
            // A reader that does not read must not block the second signal.
            if reloads && has_terminal == terminal_is_there() {
                thread::spawn(move || sender.reload());
            } else if std::mem::replace(&mut is_over, true) {
                program::end_all();
                low_level::exit(i32::from(Ending::CouldNot.status()));
            } else {
                thread::spawn(move || sender.stop());
            }
        }
    });
    Ok(())
}

/// Whether this program has a controlling terminal: closing that sends SIGHUP to end the program.
fn terminal_is_there() -> bool {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    rustix::fs::open("/dev/tty", flags, Mode::empty()).is_ok()
}
