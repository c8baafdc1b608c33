//! systemd journals, read with `journalctl` in export format.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{ChildStdout, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use tempfile::TempPath;

use super::journal_error::{JournalError, SILENCE};
use super::journals::Journals;
use super::live::is_readable;
use crate::program::{Group, Launch, Running};

/// The requested fields; time, boot and cursor are always included.
const FIELDS: &str = "--output-fields=MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,SYSLOG_FACILITY,_TRANSPORT,\
                      _SOURCE_MONOTONIC_TIMESTAMP,_SOURCE_BOOTTIME_TIMESTAMP,_KERNEL_DEVICE,\
                      _KERNEL_SUBSYSTEM,_COMM,_PID,_HOSTNAME,_MACHINE_ID";

/// Maximum length of standard error to keep.
const SAID_LIMIT: u64 = 4 << 10;

/// Maximum length of a quoted line.
const QUOTED_LIMIT: usize = 200;

/// How long to wait for standard error of a program that has ended.
const PATIENCE: Duration = Duration::from_secs(2);

/// The entries to read.
pub(super) enum Entries {
    /// All of a journal file; a temporary file is deleted afterwards.
    Of(File, Option<TempPath>),
    /// The entries selected by these options, and new ones.
    Followed(Vec<OsString>),
    /// The entries of some boots of a machine, oldest first; of all boots if `ids` is empty.
    Boots {
        /// Its journals.
        journals: Journals,
        /// The ids of the boots.
        ids: Vec<String>,
    },
}

/// The output of `journalctl`. The program ends when this is dropped.
#[derive(Debug)]
pub(super) struct Export {
    running: Running,
    stdout: ChildStdout,
    /// Maximum time without output.
    silence: Option<Duration>,
    said: Receiver<String>,
    /// journalctl rejects journals without a name, so this one is deleted only after the program
    /// ends.
    _spool: Option<TempPath>,
    /// Whether there was any output.
    begun: bool,
    ended: bool,
}

impl Export {
    /// Starts `program`, which is [`JOURNALCTL`] except in tests.
    pub(super) fn start(program: &str, entries: Entries) -> io::Result<Self> {
        let launch = Self::launch(program)?;
        let launch = launch.arguments(["--no-pager", "-q", "-a", "-o", "export", FIELDS]);
        // An open file is passed, because its name may look like an option or a pattern.
        match entries {
            Entries::Of(file, spool) => {
                let launch = launch.arguments(["--file=/proc/self/fd/0"]).input(file);
                Ok(Self { _spool: spool, ..Self::of(launch)? })
            }
            Entries::Boots { journals, ids } => {
                let launch = of_machine(launch, &journals)?;
                Self::of(launch.arguments(ids.iter().map(|id| format!("_BOOT_ID={id}"))))
            }
            // A followed log may be idle for days.
            Entries::Followed(options) => {
                Ok(Self { silence: None, ..Self::of(launch.arguments(options))? })
            }
        }
    }

    /// A system program with English messages and times in UTC.
    pub(super) fn launch(program: &str) -> io::Result<Launch> {
        let launch = Launch::system(program).map_err(|error| not_started(&error))?;
        Ok(launch.variable("SYSTEMD_COLORS", "0").variable("TZ", "UTC"))
    }

    /// Starts it and reads its output.
    pub(super) fn of(launch: Launch) -> io::Result<Self> {
        let launch = launch.output(Stdio::piped()).complaints(Stdio::piped());
        let mut running = launch.start().map_err(|error| not_started(&error))?;
        let stderr = running.take_complaints();
        let Some(stdout) = running.take_output() else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let (sender, said) = mpsc::channel();
        // Both pipes are read at once: a program that blocks on standard error writes no entries.
        thread::spawn(move || {
            let first = stderr.map(first_line).unwrap_or_default();
            // The receiver may be gone.
            let _ = sender.send(first);
        });
        Ok(Self {
            running,
            stdout,
            silence: Some(SILENCE),
            said,
            _spool: None,
            begun: false,
            ended: false,
        })
    }

    /// Its process group, so that another thread can end it.
    pub(super) const fn group(&self) -> Option<Group> {
        self.running.group()
    }

    /// Its standard output.
    pub(super) const fn stdout(&self) -> &ChildStdout {
        &self.stdout
    }

    /// The first line of its standard error, after it has ended.
    pub(super) fn first_error_line(&self) -> String {
        self.said.recv_timeout(PATIENCE).unwrap_or_default()
    }

    /// Checks its exit status after the end of output.
    fn finish(&mut self) -> io::Result<()> {
        let Some(status) = self.running.ended_by(None)? else {
            unreachable!("it is waited for without an end");
        };
        if status.success() && self.begun {
            return Ok(());
        }
        let said = self.first_error_line();
        Err(match (said.is_empty(), status.success()) {
            (false, _) => JournalError::Failed(said),
            (true, true) => JournalError::NoEntries,
            (true, false) => JournalError::Failed(status.to_string()),
        }
        .raised())
    }
}

fn not_started(error: &io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound => JournalError::NoProgram.raised(),
        _ => JournalError::NotStarted(error.to_string()).raised(),
    }
}

/// Reads the journals of a machine, which stay open until the program was started.
pub(super) fn of_machine(launch: Launch, journals: &Journals) -> io::Result<Launch> {
    if journals.is_empty() {
        return Err(JournalError::NoEntries.raised());
    }
    Ok(launch.arguments(journals.options()?))
}

/// An option with an absolute path, because the program has another working directory.
pub(super) fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(std::path::absolute(path).as_deref().unwrap_or(path));
    option
}

impl Read for Export {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        if self.silence.is_some_and(|time| !is_readable(&self.stdout, time)) {
            self.running.end();
            self.ended = true;
            return Err(JournalError::Silent.raised());
        }
        let count = self.stdout.read(buffer)?;
        if count == 0 {
            self.ended = true;
            self.finish()?;
        }
        self.begun = true;
        Ok(count)
    }
}

/// Reads to the end and returns the first line that is not empty.
fn first_line(mut stderr: impl Read) -> String {
    let mut said = Vec::new();
    let _ = stderr.by_ref().take(SAID_LIMIT).read_to_end(&mut said);
    let _ = io::copy(&mut stderr, &mut io::sink());
    let said = String::from_utf8_lossy(&said);
    let line = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.trim_end_matches('.').chars().take(QUOTED_LIMIT).collect()
}

/// A replacement for `journalctl`. A shell writes it: a file that this process has open for writing
/// may be inherited by a program that another test starts, and then it cannot be executed.
#[cfg(test)]
pub(super) fn stand_in(folder: &Path, script: &str) -> String {
    let path = folder.join("program").display().to_string();
    let write = "printf '#!/bin/sh\n%s\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let status =
        std::process::Command::new("sh").args(["-c", write, &path, script]).status().unwrap();
    assert!(status.success());
    path
}

#[cfg(test)]
mod tests {
    use super::stand_in as program;
    use super::*;

    fn outcome(script: &str) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), script);
        let mut text = String::new();
        let read = start(&program).and_then(|mut export| export.read_to_string(&mut text));
        read.map(|_| text).map_err(|error| error.to_string())
    }

    fn start(program: &str) -> io::Result<Export> {
        Export::start(program, Entries::Of(tempfile::tempfile().unwrap(), None))
    }

    #[test]
    fn output_and_status_decide_the_error() {
        for (script, want) in [
            ("echo MESSAGE=x", Ok("MESSAGE=x\n")),
            ("echo 'a warning.' >&2; echo MESSAGE=x", Ok("MESSAGE=x\n")),
            ("exit 0", Err("journalctl: no entries")),
            (
                "echo >&2; echo 'No data available.' >&2; echo more >&2; exit 1",
                Err("journalctl: No data available"),
            ),
            ("echo MESSAGE=x; exit 3", Err("journalctl: exit status: 3")),
        ] {
            let want = want.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(outcome(script), want, "{script}");
        }
    }

    #[test]
    fn the_file_and_the_environment_reach_the_program() {
        let told =
            outcome("echo \"$LC_ALL $SYSTEMD_COLORS\"; for a; do echo \"$a\"; done").unwrap();
        assert!(told.starts_with("C 0\n--no-pager\n-q\n-a\n-o\nexport\n--output-fields=MESSAGE,"));
        assert!(told.ends_with(",_HOSTNAME,_MACHINE_ID\n--file=/proc/self/fd/0\n"), "{told}");
    }

    #[test]
    fn complaints_without_end_stop_nothing() {
        let script = "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo MESSAGE=x";
        assert_eq!(outcome(script), Ok("MESSAGE=x\n".to_owned()));
        let failed = outcome(&format!("{script}; exit 1")).unwrap_err();
        assert_eq!(failed.len(), "journalctl: ".len() + QUOTED_LIMIT);
    }

    #[test]
    fn a_program_ends_with_its_reader() {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), "echo MESSAGE=x; exec sleep 600");
        let mut export = start(&program).unwrap();
        let mut begun = [0; 10];
        export.read_exact(&mut begun).unwrap();
        let process = format!("/proc/{}", export.running.id());
        assert!(Path::new(&process).exists());
        drop(export);
        assert!(!Path::new(&process).exists(), "{process} goes on");
    }

    #[test]
    fn a_missing_program_is_a_different_error() {
        let error = start("/nowhere/journalctl").unwrap_err();
        let found = error.get_ref().unwrap().downcast_ref();
        assert_eq!(found, Some(&JournalError::NoProgram));
    }
}
