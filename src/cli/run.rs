//! `run`: runs a command and reports GPU failures during its run.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use signal_hook::iterator::Signals;

use super::args::{AnswerFormat, PageFormat, RunArguments};
use super::bookmark::Silence;
use super::failure::Failure;
use super::follow::{Followed, options, this_machine};
use super::output::Target;
use super::streams::Messages;
use super::system::Machine;
use super::watch::{Listener, Watch};
use super::{Ending, pages, patterns, settings, system};
use crate::input::live::Sender;
use crate::live::{IncidentUpdate, NewEvent, Session};
use crate::pattern::Patterns;
use crate::program::processes::{add_descendants, is_in_the_foreground, not_ignored};
use crate::program::{Launch, signals_are_handled};
use crate::report::run::{Ended, Meanwhile};
use crate::report::{ReportPart, json, run as told};

/// The interval for looking up the processes of the command.
const LOOK: Duration = Duration::from_millis(50);
/// The exit status if the command failed because of a GPU that works again (`EX_TEMPFAIL` of
/// sysexits.h).
const TRY_AGAIN: u8 = 75;
/// Added to a signal's number in a shell's exit status.
const BY_SIGNAL: i32 = 128;

/// Runs the command, then reports on its time.
pub(super) fn run(
    arguments: &RunArguments,
    messages: &mut Messages<'_>,
) -> Result<Ending, Failure> {
    let target = {
        let new = |path| Target::new(path, arguments.log.as_slice());
        arguments.output.as_deref().map(new).transpose()?
    };
    let mut patterns = patterns::loaded(&arguments.more.patterns)?;
    let machine = match arguments.log {
        Some(_) => Machine::Unknown,
        None => Machine::Own(None),
    };
    system::assume(&mut patterns, arguments.distro.distro.as_ref(), &machine);
    let (ran, part) = match ran(arguments, &patterns, messages) {
        Err(failure) => {
            messages.tell(&failure);
            return Ok(Ending::Status(status_of_failure(&failure)));
        }
        Ok(ran) => ran,
    };
    let meanwhile = Meanwhile::new(arguments.shown(), ran.ended(), &ran.processes, part.as_ref());
    match target {
        Some(target) => target.replace(|file| write(arguments, &meanwhile, &patterns, file))?,
        // Standard output belongs to the command.
        None => {
            write(arguments, &meanwhile, &patterns, messages.stream()).map_err(Failure::Output)?;
        }
    }
    Ok(Ending::Status(status(arguments, &meanwhile)))
}

/// Runs the command, and reads its log if possible.
fn ran(
    arguments: &RunArguments,
    patterns: &Patterns,
    messages: &mut Messages<'_>,
) -> Result<(Ran, Option<ReportPart>), Failure> {
    let [program, rest @ ..] = arguments.command.as_slice() else {
        return Err(Failure::NotACommand { text: String::new() });
    };
    if let Some(option) = program.to_str().filter(|program| program.starts_with('-')) {
        return Err(Failure::UnknownOption { option: option.to_owned() });
    }
    let command = Launch::foreground(program.as_ref()).arguments(rest);
    match opened(arguments) {
        Ok(followed) => run_while_reading(command, followed, arguments, patterns, messages),
        Err(failure) => {
            messages.tell(&failure);
            Ok((Ran::alone(command, &arguments.shown())?, None))
        }
    }
}

/// The exit status that shells use for a command that does not exist or cannot be started.
fn status_of_failure(failure: &Failure) -> u8 {
    match failure {
        Failure::NotRun { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
        Failure::NotRun { .. } => 126,
        _ => Ending::CouldNot.status(),
    }
}

fn write(
    arguments: &RunArguments,
    meanwhile: &Meanwhile<'_>,
    patterns: &Patterns,
    out: &mut dyn Write,
) -> io::Result<()> {
    match arguments.form.format {
        AnswerFormat::Page(PageFormat::Human) if arguments.quiet => {
            told::write_line(meanwhile, out)
        }
        AnswerFormat::Page(format) => {
            let look = settings::look(arguments.color);
            pages::write(&told::document(meanwhile), format, false, look, out)
        }
        AnswerFormat::Json => json::run::write(meanwhile, &patterns.digest, out),
    }
}

/// The command's own status, unless an option changes it.
fn status(arguments: &RunArguments, meanwhile: &Meanwhile<'_>) -> u8 {
    let own = meanwhile.ended.status;
    let again = meanwhile.failed() && meanwhile.is_usable() == Some(true);
    let fails = meanwhile.verdict().is_some_and(|verdict| arguments.fail_on.fails(verdict));
    match own {
        0 if arguments.gate && meanwhile.is_blind() => Ending::CouldNot.status(),
        0 if arguments.gate && fails => Ending::FailureFound.status(),
        0 => 0,
        _ if arguments.retry_safe && again => TRY_AGAIN,
        own => own,
    }
}

/// The log during the run of the command.
fn opened(arguments: &RunArguments) -> Result<Followed, Failure> {
    let Some(path) = &arguments.log else { return this_machine(None) };
    Followed::file(path, None)
}

/// Runs the command while reading the log. It starts after the existing log was read.
fn run_while_reading(
    command: Launch,
    followed: Followed,
    arguments: &RunArguments,
    patterns: &Patterns,
    messages: &mut Messages<'_>,
) -> Result<(Ran, Option<ReportPart>), Failure> {
    let Followed { name, feed, .. } = followed;
    let stop = feed.sender();
    let session = Session::new(options(None), patterns);
    let settle = arguments.settle;
    let shown = arguments.shown();
    let mut runner = Runner { command: Some(command), shown, stop, settle, run: None, records: 0 };
    let mut watch = Watch::new(name, feed, session, Silence::Beginning);
    // The command runs to its end even if the log fails.
    let failed = watch.run(&mut runner).err();
    let blind = failed.is_some();
    if let Some(failure) = failed {
        messages.tell(&failure);
    }
    let records = runner.records;
    let mut ran = match runner.run.take() {
        Some(run) => run?.wait()?,
        // The log ended before its existing part was read completely.
        None => return Ok((Ran::alone(runner.command()?, &runner.shown)?, None)),
    };
    if blind {
        return Ok((ran, None));
    }
    ran.processes.insert(ran.pid);
    // The log is from one machine.
    let part = watch.into_parts().into_iter().next().map(|mut part| {
        part.begin_at(records);
        part
    });
    Ok((ran, part))
}

/// Starts the command after the existing log was read, and stops reading after it has ended.
struct Runner {
    command: Option<Launch>,
    shown: String,
    stop: Sender,
    /// How long to wait for kernel messages after the command's end.
    settle: Duration,
    run: Option<Result<Running, Failure>>,
    /// The number of records before the start.
    records: u64,
}

impl Runner {
    fn command(&mut self) -> Result<Launch, Failure> {
        self.command.take().ok_or_else(|| Failure::NotACommand { text: self.shown.clone() })
    }
}

impl Listener for Runner {
    fn news(
        &mut self,
        _: &ReportPart,
        _: Option<usize>,
        _: &[NewEvent],
        _: &[IncidentUpdate],
    ) -> Result<(), Failure> {
        Ok(())
    }

    fn caught_up(&mut self, _: usize, records: u64) {
        self.records = records;
        let Ok(command) = self.command() else { return };
        let (stop, settle) = (self.stop.clone(), self.settle);
        let started = Running::start(command, &self.shown, settle, move || stop.stop());
        if started.is_err() {
            self.stop.stop();
        }
        self.run = Some(started);
    }
}

/// A running command.
struct Running {
    pid: u32,
    began: Instant,
    end: Receiver<(io::Result<ExitStatus>, Instant)>,
    processes: Arc<Mutex<BTreeSet<u32>>>,
}

/// A command that has ended.
struct Ran {
    pid: u32,
    status: ExitStatus,
    lasted: Duration,
    /// The ids of its processes, as far as they were seen.
    processes: BTreeSet<u32>,
}

impl Running {
    /// Starts `command`, forwards signals to it, and calls `ended` some time after its end, or at
    /// once if a signal comes in that time.
    fn start(
        command: Launch,
        shown: &str,
        settle: Duration,
        ended: impl FnOnce() + Send + 'static,
    ) -> Result<Self, Failure> {
        let failed = |source| Failure::NotRun { text: shown.to_owned(), source };
        let wanted = not_ignored(&[SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2]);
        let mut signals = Signals::new(&wanted).map_err(Failure::Signals)?;
        signals_are_handled(&wanted);
        let mut child = command.start().map_err(failed)?;
        let (pid, began) = (child.id(), Instant::now());
        let processes = Arc::new(Mutex::new(BTreeSet::from([pid])));
        let seen = Arc::clone(&processes);
        let runs = Arc::new(Mutex::new(true));
        let still = Arc::clone(&runs);
        let (hurry, hurried) = mpsc::channel();
        thread::spawn(move || {
            for signal in signals.forever() {
                // While this lock is held, the command is not waited for, so its id is not reused.
                let runs = still.lock().unwrap_or_else(PoisonError::into_inner);
                if *runs {
                    forward_signal(signal, pid);
                } else {
                    let _ = hurry.send(());
                }
            }
        });
        let (sender, end) = mpsc::channel();
        thread::spawn(move || {
            // A zombie keeps its id until it is waited for here.
            let status = loop {
                let mut runs = runs.lock().unwrap_or_else(PoisonError::into_inner);
                let polled = child.ended();
                *runs = matches!(polled, Ok(None));
                drop(runs);
                match polled {
                    Ok(None) => {}
                    Ok(Some(status)) => break Ok(status),
                    Err(error) => break Err(error),
                }
                add_descendants(pid, &mut seen.lock().unwrap_or_else(PoisonError::into_inner));
                thread::sleep(LOOK);
            };
            let _ = sender.send((status, Instant::now()));
            // On a signal, do not wait for further kernel messages.
            let _ = hurried.recv_timeout(settle);
            ended();
        });
        Ok(Self { pid, began, end, processes })
    }

    fn wait(self) -> Result<Ran, Failure> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let (status, at) = self.end.recv().unwrap_or_else(|_| (Err(gone()), Instant::now()));
        let status = status.map_err(|source| Failure::NotRun { text: String::new(), source })?;
        let lasted = at.saturating_duration_since(self.began);
        let processes =
            self.processes.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        Ok(Ran { pid: self.pid, status, lasted, processes })
    }
}

impl Ran {
    /// Runs a command without a log.
    fn alone(command: Launch, shown: &str) -> Result<Self, Failure> {
        Running::start(command, shown, Duration::ZERO, || ())?.wait()
    }

    fn ended(&self) -> Ended {
        let signal = self.status.signal();
        let code = self.status.code().or(signal.map(|signal| BY_SIGNAL + signal));
        let status = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
        Ended { status, signal, lasted: self.lasted }
    }
}

/// Forwards a signal, unless the terminal has sent it to the command, too.
fn forward_signal(signal: i32, pid: u32) {
    let from_terminal = matches!(signal, SIGINT | SIGQUIT) && is_in_the_foreground();
    let command = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let (Some(command), Some(signal), false) =
        (command, Signal::from_named_raw(signal), from_terminal)
    {
        // A command that has ended needs no signal.
        let _ = kill_process(command, signal);
    }
}
