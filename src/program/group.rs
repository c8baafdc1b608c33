//! Process groups that end with this program, also where a signal ends it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::processes::not_ignored;

/// How long a group has to put its things in order, where a signal ends us, in milliseconds.
static GRACE: AtomicU64 = AtomicU64::new(100);
/// The same in a process that answers for another one of this program, which gives it no more than that.
const GRACE_INSIDE: u64 = 20;

/// Whether this program ends: nothing more is started.
static ENDS: AtomicBool = AtomicBool::new(false);

/// Those that run. Who is in here was not waited for yet, so that its number is nobody else's.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The signals on which somebody else acts, a bit each.
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// A process group, which has the number of the process that it began with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group(Pid);

impl Group {
    /// The group of a process that was just started as one, and was not waited for.
    pub(super) fn begun(leader: u32) -> Option<Self> {
        let group = Pid::from_raw(i32::try_from(leader).ok()?)?;
        end_with_signals();
        let mut running = running();
        running.insert(group.as_raw_pid());
        if ENDS.load(Ordering::Relaxed) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        Some(Self(group))
    }

    /// Ends all that is in it, if it was not waited for. A process that waits for a driver goes later, or
    /// never.
    pub(crate) fn end(self) {
        // While this is held, nobody waits for it.
        let running = running();
        if running.contains(&self.0.as_raw_pid()) {
            let _ = kill_process_group(self.0, Signal::KILL);
        }
    }

    /// Has `reap` wait for its leader, with whose number nothing is done from then on if that worked.
    pub(super) fn reaped<T>(self, reap: impl FnOnce() -> Option<T>) -> Option<T> {
        let mut running = running();
        let done = reap();
        if done.is_some() {
            running.remove(&self.0.as_raw_pid());
        }
        done
    }
}

fn running() -> MutexGuard<'static, BTreeSet<i32>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This process answers for another one, and ends what it has started before that one's time for it is over.
pub(crate) fn answers_for_another() {
    GRACE.store(GRACE_INSIDE, Ordering::Relaxed);
}

/// Ends all groups: first so that they can end what they have started themselves, then in any case. What is
/// started later ends at once.
pub(crate) fn end_all() {
    let running = running();
    ENDS.store(true, Ordering::Relaxed);
    if running.is_empty() {
        return;
    }
    let grace = Duration::from_millis(GRACE.load(Ordering::Relaxed));
    for (signal, time) in [(Signal::TERM, grace), (Signal::KILL, Duration::ZERO)] {
        for group in running.iter().copied().filter_map(Pid::from_raw) {
            // One that has ended meanwhile needs no signal.
            let _ = kill_process_group(group, signal);
        }
        thread::sleep(time);
    }
}

/// Whoever calls this acts on these signals from now on, and calls [`end_all`] before they end the program.
pub(crate) fn signals_are_handled(signals: &[i32]) {
    HANDLED.fetch_or(signals.iter().fold(0, |all, signal| all | bit(*signal)), Ordering::Relaxed);
}

const fn bit(signal: i32) -> u64 {
    1 << (signal & 63)
}

/// Lets a signal that ends this program end the groups before.
fn end_with_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let wanted = not_ignored(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT]);
        // Where they cannot be had, programs end with their pipes.
        let Ok(mut signals) = Signals::new(wanted) else { return };
        thread::spawn(move || {
            for signal in signals.forever() {
                if HANDLED.load(Ordering::Relaxed) & bit(signal) == 0 {
                    end_all();
                    let _ = emulate_default_handler(signal);
                }
            }
        });
    });
}
