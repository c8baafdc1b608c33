//! The only module that starts other programs. It decides where they are searched, what environment
//! and descriptors they get, how long they may run and how they end.
//!
//! | constructor | searched in | environment | signals of the terminal | ends |
//! | --- | --- | --- | --- | --- |
//! | [`Launch::system`]: `journalctl`, `lspci` | [`place`] | minimal | not received | with this program, or at its limit |
//! | [`Launch::own`]: this program again | - | minimal | not received | with this program |
//! | [`Launch::hook`]: a user's `--exec` | the user's `PATH` | the user's | not received | with this program, or at its limit |
//! | [`Launch::foreground`]: a user's `run`, a user's pager | the user's `PATH` | the user's | received | by itself |
//! | [`Launch::system_on_terminal`]: root's pager | [`place`] | minimal | received | by itself |
//!
//! Programs that end with this one run in a process group of their own, so that their children end
//! as well. `SIGKILL` cannot be handled: after it, a program ends at its next write, because its
//! pipe is closed, or at a limit that its starter set.
//!
//! The meaning of a program's output is not known here.

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

/// A program to be started.
#[derive(Debug)]
pub(crate) struct Launch {
    command: Command,
    /// Whether it runs in a process group of its own, which ends with this program.
    apart: bool,
}

impl Launch {
    /// A system program: without input, in the root directory, with a minimal environment.
    ///
    /// # Errors
    /// If it is in none of the searched directories.
    pub(crate) fn system(name: &str) -> io::Result<Self> {
        Ok(Self::apart(system(name)?))
    }

    /// The same for a program that the user interacts with: it gets the terminal and ends by
    /// itself.
    ///
    /// # Errors
    /// If it is in none of the searched directories.
    pub(crate) fn system_on_terminal(name: &str) -> io::Result<Self> {
        Ok(Self { command: system(name)?, apart: false })
    }

    /// This program again. It gets everything through its arguments.
    pub(crate) fn own(path: &Path) -> Self {
        let mut command = Command::new(path);
        command.env_clear();
        Self::apart(command)
    }

    /// A program that the user wants to run in the background.
    pub(crate) fn hook(program: &str) -> Self {
        Self::apart(Command::new(program))
    }

    /// A program that the user wants to run as if typed at the prompt: it gets the terminal.
    pub(crate) fn foreground(program: &OsStr) -> Self {
        Self { command: Command::new(program), apart: false }
    }

    fn apart(mut command: Command) -> Self {
        command.stdin(Stdio::null());
        Self { command, apart: true }
    }

    /// Adds arguments.
    pub(crate) fn arguments<A: AsRef<OsStr>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets an environment variable.
    pub(crate) fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sets standard input.
    pub(crate) fn input(mut self, input: impl Into<Stdio>) -> Self {
        self.command.stdin(input);
        self
    }

    /// Sets standard output.
    pub(crate) fn output(mut self, output: impl Into<Stdio>) -> Self {
        self.command.stdout(output);
        self
    }

    /// Sets standard error.
    pub(crate) fn complaints(mut self, complaints: impl Into<Stdio>) -> Self {
        self.command.stderr(complaints);
        self
    }

    /// Starts the program.
    ///
    /// # Errors
    /// If it does not exist or cannot be started.
    pub(crate) fn start(self) -> io::Result<Running> {
        Running::start(self)
    }
}

/// The command for a system program, with a minimal environment.
fn system(name: &str) -> io::Result<Command> {
    let path = place::found(name).ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(path);
    command
        // The name in its error messages.
        .arg0(name)
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", place::FOLDERS.join(":"))
        .current_dir("/");
    Ok(command)
}
