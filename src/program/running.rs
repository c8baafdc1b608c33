//! A program that runs.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use super::{Group, Launch};

/// How long a program that was killed may take to die, before it is left behind.
const GRACE: Duration = Duration::from_millis(300);
/// How often it is looked whether it has ended.
const STEP: Duration = Duration::from_millis(5);

/// A program that runs. If it is a group of its own, that ends with this.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    /// The group that ends with us; `None` once it was waited for.
    group: Option<Group>,
}

impl Running {
    pub(super) fn start(mut launch: Launch) -> io::Result<Self> {
        let child = launch.command.spawn()?;
        let group = launch.apart.then(|| Group::begun(child.id())).flatten();
        Ok(Self { child, group })
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its group, for whoever wants to end it from elsewhere.
    pub(crate) const fn group(&self) -> Option<Group> {
        self.group
    }

    /// What it reads, if that was piped and nobody has taken it.
    pub(crate) const fn input(&mut self) -> Option<&mut ChildStdin> {
        self.child.stdin.as_mut()
    }

    /// The same, to be kept.
    pub(crate) const fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// What it prints, likewise.
    pub(crate) const fn take_output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// What it complains about, likewise.
    pub(crate) const fn take_complaints(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// How it has ended, if it has.
    pub(crate) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let Some(group) = self.group else { return self.child.try_wait() };
        let status = group.reaped(|| self.child.try_wait().transpose()).transpose()?;
        if status.is_some() {
            self.group = None;
        }
        Ok(status)
    }

    /// How it has ended by `end`; `None` where it still runs.
    pub(crate) fn ended_by(&mut self, end: Option<Instant>) -> io::Result<Option<ExitStatus>> {
        loop {
            match self.ended()? {
                None if end.is_none_or(|end| Instant::now() < end) => thread::sleep(STEP),
                status => return Ok(status),
            }
        }
    }

    /// Ends it, with all that it has started, and waits a moment for its end.
    pub(crate) fn end(&mut self) {
        if let Some(group) = self.group {
            group.end();
            let _ = self.ended_by(Some(Instant::now() + GRACE));
        }
    }

    /// Ends it, which takes effect when it can. Nobody waits for that.
    pub(crate) fn leave_behind(mut self) {
        if let Some(group) = self.group.take() {
            group.end();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
