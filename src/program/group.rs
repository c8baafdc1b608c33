//! Process groups that are killed when this program ends, also by a signal.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::processes::not_ignored;

/// The longest time between SIGTERM and SIGKILL when a signal ends this program, in milliseconds.
/// On a busy machine a child process of this program needs time to end its own children.
static GRACE: AtomicU64 = AtomicU64::new(1_000);
/// The same in such a child process, whose parent waits no longer than [`GRACE`].
const GRACE_INSIDE: u64 = 500;
/// The interval for checking whether the leaders have ended.
const STEP: Duration = Duration::from_millis(5);

/// Whether this program is ending: nothing more is started.
static ENDS: AtomicBool = AtomicBool::new(false);

/// The groups that run. Their leaders have not been waited for, so their ids cannot have been
/// reused.
static RUNNING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// The signals that another part of the program handles, one bit each.
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// A process group, identified by the id of its leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group(Pid);

impl Group {
    /// Starts a process as the leader of a group.
    ///
    /// Signals are handled before it starts, and [`end_all`] waits until it is listed: otherwise
    /// a signal in between would end this program and leave the group behind.
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Option<Self>)> {
        end_with_signals();
        let mut running = running();
        if ENDS.load(Ordering::Relaxed) {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "this program is ending"));
        }
        let child = command.process_group(0).spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).map(Self);
        running.extend(group.map(|group| group.0.as_raw_pid()));
        Ok((child, group))
    }

    /// Kills the group, if its leader has not been waited for. A process that waits in a driver
    /// ends later, or never.
    pub(crate) fn end(self) {
        // While this lock is held, no other thread waits for the leader.
        let running = running();
        if running.contains(&self.0.as_raw_pid()) {
            let _ = kill_process_group(self.0, Signal::KILL);
        }
    }

    /// Calls `reap`, which waits for the leader; if it succeeds, the group's id is not used again.
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

/// Declares that this process works for another process of this program, and must end its children
/// before its parent's time limit.
pub(crate) fn answers_for_another() {
    GRACE.store(GRACE_INSIDE, Ordering::Relaxed);
}

/// Ends all groups, first with SIGTERM so that they can end their own children, then with SIGKILL.
/// No group starts afterwards.
pub(crate) fn end_all() {
    let running = running();
    ENDS.store(true, Ordering::Relaxed);
    if running.is_empty() {
        return;
    }
    let until = Instant::now() + Duration::from_millis(GRACE.load(Ordering::Relaxed));
    signal_groups(&running, Signal::TERM);
    while Instant::now() < until && running.iter().any(|leader| !has_ended(*leader)) {
        thread::sleep(STEP);
    }
    signal_groups(&running, Signal::KILL);
}

fn signal_groups(leaders: &BTreeSet<i32>, signal: Signal) {
    for group in leaders.iter().copied().filter_map(Pid::from_raw) {
        // A group that has ended meanwhile needs no signal.
        let _ = kill_process_group(group, signal);
    }
}

/// Whether a leader has ended; it stays to be waited for.
fn has_ended(leader: i32) -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Pid::from_raw(leader).is_none_or(|leader| !matches!(waitid(WaitId::Pid(leader), how), Ok(None)))
}

/// Declares that the caller handles these signals, and calls [`end_all`] before they end the
/// program.
pub(crate) fn signals_are_handled(signals: &[i32]) {
    HANDLED.fetch_or(signals.iter().fold(0, |all, signal| all | bit(*signal)), Ordering::Relaxed);
}

const fn bit(signal: i32) -> u64 {
    1 << (signal & 63)
}

/// Installs a thread that ends the groups before a signal ends this program.
fn end_with_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let wanted = not_ignored(&[SIGINT, SIGTERM, SIGHUP, SIGQUIT]);
        // Without signal handling, programs end when their pipes close.
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
