//! A running program.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use super::{Group, Launch};

/// How long to wait for a killed program before abandoning it.
const GRACE: Duration = Duration::from_millis(300);
/// The interval for checking whether it has ended.
const STEP: Duration = Duration::from_millis(5);

/// A running program. If it has a process group of its own, dropping this ends it.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    /// The group that ends with this program; `None` after it was waited for.
    group: Option<Group>,
}

impl Running {
    pub(super) fn start(mut launch: Launch) -> io::Result<Self> {
        let (child, group) = if launch.apart {
            Group::start(&mut launch.command)?
        } else {
            (launch.command.spawn()?, None)
        };
        Ok(Self { child, group })
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its group, so that another thread can end it.
    pub(crate) const fn group(&self) -> Option<Group> {
        self.group
    }

    /// Its standard input, if piped and not taken.
    pub(crate) const fn input(&mut self) -> Option<&mut ChildStdin> {
        self.child.stdin.as_mut()
    }

    /// Takes its standard input.
    pub(crate) const fn take_input(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Takes its standard output.
    pub(crate) const fn take_output(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Takes its standard error.
    pub(crate) const fn take_complaints(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Its exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        let Some(group) = self.group else { return self.child.try_wait() };
        let status = group.reaped(|| self.child.try_wait().transpose()).transpose()?;
        if status.is_some() {
            self.group = None;
        }
        Ok(status)
    }

    /// Waits for its exit status until `end`; `None` if it still runs.
    pub(crate) fn ended_by(&mut self, end: Option<Instant>) -> io::Result<Option<ExitStatus>> {
        loop {
            match self.ended()? {
                None if end.is_none_or(|end| Instant::now() < end) => thread::sleep(STEP),
                status => return Ok(status),
            }
        }
    }

    /// Kills it with its children, and waits [`GRACE`] for its end.
    pub(crate) fn end(&mut self) {
        if let Some(group) = self.group {
            group.end();
            let _ = self.ended_by(Some(Instant::now() + GRACE));
        }
    }

    /// Kills it without waiting for its end.
    pub(crate) fn kill_unawaited(mut self) {
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
