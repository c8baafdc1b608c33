//! The one door to other programs: where they are looked for, what they are handed, how long they may take
//! and how they end.
//!
//! | who | is looked for in | environment | signals of a terminal | ends |
//! | --- | --- | --- | --- | --- |
//! | [`Launch::system`]: `journalctl`, `lspci` | [`place`] | none of ours | not its matter | with us, or at its limit |
//! | [`Launch::own`]: this program again | - | none of ours | not its matter | with us |
//! | [`Launch::hook`]: a user's `--exec` | the user's `PATH` | the user's | not its matter | with us, or at its limit |
//! | [`Launch::foreground`]: a user's `run`, a user's pager | the user's `PATH` | the user's | reach it | when it wants to |
//! | [`Launch::system_on_terminal`]: root's pager | [`place`] | none of ours | reach it | when it wants to |
//!
//! What ends with us is a process group of its own, so that what it has started ends as well. The one end
//! of ours that nobody can act on is `SIGKILL`: then a program ends with its next word, since its pipe is
//! closed, or at the limit that its starter keeps.
//!
//! Knows nothing of what programs say.

#![allow(clippy::disallowed_methods, reason = "this module is the one that starts programs")]

mod answer;
mod group;
mod place;
pub mod processes;
mod running;

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) use answer::{Said, answered};
pub(crate) use group::{Group, answers_for_another, end_all, signals_are_handled};
pub(crate) use place::{is_known, is_privileged};
pub(crate) use running::Running;

/// A program that is about to be started.
#[derive(Debug)]
pub(crate) struct Launch {
    command: Command,
    /// Whether it is a group of its own, which ends with us.
    apart: bool,
}

impl Launch {
    /// A program of the system's: without input, in no folder of anybody's, with next to no environment.
    ///
    /// # Errors
    /// If it is in none of the folders that are looked in.
    pub(crate) fn system(name: &str) -> io::Result<Self> {
        Ok(Self::apart(system(name)?))
    }

    /// The same for one that a person reads with: the terminal is its own, and it ends when that person wants.
    ///
    /// # Errors
    /// If it is in none of the folders that are looked in.
    pub(crate) fn system_on_terminal(name: &str) -> io::Result<Self> {
        Ok(Self { command: system(name)?, apart: false })
    }

    /// This program, once more. It is told everything by its arguments.
    pub(crate) fn own(path: &Path) -> Self {
        let mut command = Command::new(path);
        command.env_clear();
        Self::apart(command)
    }

    /// A program that somebody wants to have run beside us.
    pub(crate) fn hook(program: &str) -> Self {
        Self::apart(Command::new(program))
    }

    /// A program that somebody wants to have run as if they had typed it: the terminal is its own.
    pub(crate) fn foreground(program: &OsStr) -> Self {
        Self { command: Command::new(program), apart: false }
    }

    fn apart(mut command: Command) -> Self {
        command.stdin(Stdio::null()).process_group(0);
        Self { command, apart: true }
    }

    /// With these arguments.
    pub(crate) fn arguments<A: AsRef<OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.command.args(arguments);
        self
    }

    /// With a variable that it needs.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// With this on its standard input.
    pub(crate) fn input(mut self, input: impl Into<Stdio>) -> Self {
        self.command.stdin(input);
        self
    }

    /// With its standard output going there.
    pub(crate) fn output(mut self, output: impl Into<Stdio>) -> Self {
        self.command.stdout(output);
        self
    }

    /// With its complaints going there.
    pub(crate) fn complaints(mut self, complaints: impl Into<Stdio>) -> Self {
        self.command.stderr(complaints);
        self
    }

    /// Starts it.
    ///
    /// # Errors
    /// If it is not there, or cannot be started.
    pub(crate) fn start(self) -> io::Result<Running> {
        Running::start(self)
    }
}

/// A program of the system's, with next to no environment.
fn system(name: &str) -> io::Result<Command> {
    let path = place::found(name).ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(path);
    command
        // What it calls itself where it complains.
        .arg0(name)
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", place::FOLDERS.join(":"))
        .current_dir("/");
    Ok(command)
}
