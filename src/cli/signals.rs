//! What signals ask of a run that goes on.

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

/// What SIGHUP asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hangup {
    /// The end.
    Ends,
    /// The patterns are loaded again, unless the terminal is gone.
    Reloads,
}

/// Asks for what a signal wants that was not ignored at the start; the second one that wants the end ends the program
/// at once, whatever it waits for.
pub(super) fn heed(sender: Sender, hangup: Hangup) -> io::Result<()> {
    let wanted = not_ignored(&[SIGINT, SIGTERM, SIGHUP]);
    let mut signals = Signals::new(&wanted)?;
    program::signals_are_handled(&wanted);
    let has_terminal = terminal_is_there();
    thread::spawn(move || {
        let mut is_over = false;
        for signal in signals.forever() {
            let sender = sender.clone();
            let reloads = signal == SIGHUP && hangup == Hangup::Reloads;
            // Who does not read any more would keep us from the second one.
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

/// Whether this program has a terminal that would end it: one that was closed has sent SIGHUP for that.
fn terminal_is_there() -> bool {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    rustix::fs::open("/dev/tty", flags, Mode::empty()).is_ok()
}
