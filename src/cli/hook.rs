//! Runs a command for each piece of news, with the news as JSON on its standard input.
//!
//! No shell is involved. One command runs at a time, and a limited number of calls wait; further
//! calls are dropped and counted. A command that exceeds its time limit is killed with its
//! children.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::failure::Failure;
use crate::document::counts::joined;
use crate::program::{self, Group, Launch};

/// Time limit for remaining commands at the end.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);
/// Maximum number of waiting calls.
const WAITING: usize = 64;
/// Maximum number of recorded problems.
const TROUBLES: usize = 64;
/// Maximum number of incidents to name.
const NAMED: usize = 10;

/// Runs a command for each piece of news.
#[derive(Debug)]
pub(super) struct Hook {
    queue: Option<SyncSender<Call>>,
    worker: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// A run of the command.
#[derive(Debug)]
struct Call {
    subject: Subject,
    /// Its standard input.
    json: Vec<u8>,
}

/// The subject of a piece of news.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Subject {
    /// The number of the incident; `None` for an event.
    pub(super) incident: Option<usize>,
    /// The host name, if the log states one.
    pub(super) host: Option<String>,
}

/// State shared with the thread that runs commands.
#[derive(Debug, Default)]
struct Shared {
    running: Mutex<Commands>,
    troubles: Mutex<Troubles>,
}

#[derive(Debug, Default)]
struct Commands {
    /// The calls that have not finished, oldest first.
    waiting: VecDeque<Subject>,
    /// The running command.
    group: Option<Group>,
    /// Whether no further commands are started.
    over: bool,
}

/// Problems that were not reported yet.
#[derive(Debug, Default)]
struct Troubles {
    first: Vec<Trouble>,
    /// The subjects of dropped calls.
    left_out: Vec<Subject>,
}

/// A problem with the command, and the news it was run for; of several calls, the first one's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) subject: Subject,
    pub(super) error: HookError,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display)]
pub(super) enum HookError {
    /// It ended with a status other than 0.
    #[strum(to_string = "{0}")]
    Failed(String),
    /// It could not be started.
    #[strum(to_string = "cannot start it: {0}")]
    NotStarted(String),
    /// It exceeded its time limit and was killed.
    #[strum(to_string = "killed after {0} s (--exec-timeout)")]
    TimedOut(u64),
    /// It was killed when the program ended.
    #[strum(to_string = "killed at the end")]
    Killed,
    /// This many calls were dropped, because too many were waiting.
    #[strum(to_string = "calls not run: {0}{1}; {WAITING} pieces of news were waiting already")]
    LeftOut(usize, String),
    /// This many calls were not started when the program ended.
    #[strum(to_string = "calls not run at the end: {0}{1}")]
    Ended(usize, String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject: Subject { incident, host }, error } = self;
        match (incident, host) {
            (Some(number), Some(host)) => write!(f, "incident {number} ({host}): {error}"),
            (Some(number), None) => write!(f, "incident {number}: {error}"),
            (None, Some(host)) => write!(f, "{host}: {error}"),
            (None, None) => write!(f, "{error}"),
        }
    }
}

/// The problem of several calls; `None` if there are none.
fn of_several(subjects: Vec<Subject>, error: fn(usize, String) -> HookError) -> Option<Trouble> {
    let count = subjects.len();
    let mut numbers: Vec<usize> = subjects.iter().filter_map(|one| one.incident).collect();
    numbers.dedup();
    let more = if numbers.len() > NAMED { " and others" } else { "" };
    let named = joined(numbers.iter().take(NAMED), ", ");
    let named = match numbers.len() {
        0 | 1 => String::new(),
        _ => format!(" (incidents {named}{more})"),
    };
    let subject = subjects.into_iter().next()?;
    Some(Trouble { subject, error: error(count, named) })
}

impl Hook {
    /// Parses a command with arguments, quoted as for a shell; `limit` is the time limit of each
    /// run.
    pub(super) fn new(command: &str, limit: Duration) -> Result<Self, Failure> {
        let refused = || Failure::NotACommand { text: command.to_owned() };
        let words = shell_words::split(command).map_err(|_| refused())?;
        let [program, arguments @ ..] = words.as_slice() else { return Err(refused()) };
        if !program::is_known(program) {
            let program = program.clone();
            let is_file = program.contains('/') && Path::new(&program).is_file();
            return Err(if is_file {
                Failure::NotExecutable { program }
            } else {
                Failure::NoSuchProgram { program }
            });
        }
        let (queue, calls) = mpsc::sync_channel::<Call>(WAITING);
        let shared = Arc::new(Shared::default());
        let command = Command { program: program.clone(), arguments: arguments.to_vec(), limit };
        let worker = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for Call { subject, json } in calls {
                    if locked(&shared.running).over {
                        return;
                    }
                    let result = command.run(json, &shared.running);
                    // At the end of the program a call has either ended with its problem, or not.
                    let mut running = locked(&shared.running);
                    running.group = None;
                    running.waiting.pop_front();
                    if let Err(error) = result {
                        locked(&shared.troubles).add(Trouble { subject, error });
                    }
                }
            })
        };
        Ok(Self { queue: Some(queue), worker: Some(worker), shared })
    }

    /// Queues a run with this standard input.
    pub(super) fn call(&mut self, subject: Subject, json: Vec<u8>) {
        // Before the worker can finish it.
        locked(&self.shared.running).waiting.push_back(subject.clone());
        let call = Call { subject, json };
        let sent = self.queue.as_ref().map(|queue| queue.try_send(call));
        if let Some(Err(TrySendError::Full(call) | TrySendError::Disconnected(call))) = sent {
            locked(&self.shared.running).waiting.pop_back();
            locked(&self.shared.troubles).left_out.push(call.subject);
        }
    }

    /// The problems since the last call.
    pub(super) fn troubles(&self) -> Vec<Trouble> {
        let Troubles { mut first, left_out } = std::mem::take(&mut *locked(&self.shared.troubles));
        first.extend(of_several(left_out, HookError::LeftOut));
        first
    }

    /// Waits for queued commands for some time; returns the remaining problems.
    pub(super) fn finish(mut self) -> Vec<Trouble> {
        self.queue = None;
        let until = Instant::now() + PATIENCE;
        while let Some(worker) = &self.worker
            && !worker.is_finished()
            && Instant::now() < until
        {
            thread::sleep(LOOK);
        }
        let mut running = locked(&self.shared.running);
        running.over = true;
        let mut waiting: Vec<Subject> = running.waiting.drain(..).collect();
        let mut troubles = self.troubles();
        if let Some(group) = running.group {
            group.end();
            if !waiting.is_empty() {
                let subject = waiting.remove(0);
                troubles.push(Trouble { subject, error: HookError::Killed });
            }
        }
        drop(running);
        troubles.extend(of_several(waiting, HookError::Ended));
        troubles
    }
}

impl Troubles {
    fn add(&mut self, trouble: Trouble) {
        if self.first.len() < TROUBLES {
            self.first.push(trouble);
        }
    }
}

/// Ignores poisoning: a panic in another thread must not suppress reports.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Command {
    program: String,
    arguments: Vec<String>,
    limit: Duration,
}

impl Command {
    /// Runs it. Its output goes to standard error, because standard output is for the report.
    fn run(&self, input: Vec<u8>, runs: &Mutex<Commands>) -> Result<(), HookError> {
        let failed = |error: io::Error| self.not_started(&error);
        let end = Instant::now() + self.limit;
        let launch = Launch::hook(&self.program).arguments(&self.arguments);
        let mut running = {
            // Holding the lock, either the end of the program is noticed here, or the end finds
            // this command.
            let mut commands = locked(runs);
            if commands.over {
                return Ok(());
            }
            let running = launch.input(Stdio::piped()).output(io::stderr()).start();
            let running = running.map_err(failed)?;
            commands.group = running.group();
            running
        };
        if let Some(mut stdin) = running.take_input() {
            // The command may close its input or not read it; neither blocks us.
            thread::spawn(move || stdin.write_all(&input));
        }
        let status = running.ended_by(Some(end));
        match status.map_err(failed)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(HookError::Failed(status.to_string())),
            None => Err(HookError::TimedOut(self.limit.as_secs())),
        }
    }

    fn not_started(&self, error: &io::Error) -> HookError {
        let lacks_interpreter =
            error.kind() == io::ErrorKind::NotFound && program::is_known(&self.program);
        HookError::NotStarted(if lacks_interpreter {
            "the program that its first line (#!) names does not exist".to_owned()
        } else {
            error.to_string()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt as _;

    use super::*;
    use crate::input::live;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_command_gets_the_news_and_no_shell_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("got it");
        let mut hook = Hook::new(&format!("tee -a '{}'", path.display()), LONG).unwrap();
        hook.call(Subject::default(), b"{\"a\": \"$(id)\"}\n".to_vec());
        hook.call(Subject::default(), b"two\n".to_vec());
        assert_eq!(hook.finish(), []);
        let got = live::small_file(&path).unwrap().unwrap();
        assert_eq!(got, b"{\"a\": \"$(id)\"}\ntwo\n");
    }

    /// The first problem.
    fn trouble(hook: &Hook) -> Trouble {
        let until = Instant::now() + LONG;
        loop {
            if let Some(first) = hook.troubles().into_iter().next() {
                return first;
            }
            assert!(Instant::now() < until, "nothing goes wrong");
            thread::sleep(LOOK);
        }
    }

    #[test]
    fn a_failing_command_is_reported_at_once() {
        for (command, want) in [
            ("false", HookError::Failed("exit status: 1".to_owned())),
            ("sleep 60", HookError::TimedOut(0)),
        ] {
            let mut hook = Hook::new(command, Duration::from_millis(500)).unwrap();
            hook.call(about(7), Vec::new());
            let told = trouble(&hook);
            assert_eq!((told.subject.incident, told.error), (Some(7), want));
            // It is reported once.
            assert_eq!(hook.finish(), []);
        }
    }

    fn about(incident: usize) -> Subject {
        Subject { incident: Some(incident), host: Some("node1".to_owned()) }
    }

    #[test]
    fn an_interpreter_that_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hook");
        let mut file = std::fs::OpenOptions::new();
        let mut file = file.write(true).create_new(true).mode(0o755).open(&path).unwrap();
        file.write_all(b"#!/no/such/interpreter\n").unwrap();
        drop(file);
        let mut hook = Hook::new(&path.display().to_string(), LONG).unwrap();
        hook.call(about(1), Vec::new());
        let told = trouble(&hook).to_string();
        let want = "incident 1 (node1): cannot start it: the program that its first line (#!) names does not exist";
        assert_eq!(told, want);
    }

    #[test]
    fn excess_runs_are_counted_and_none_starts_after_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("began");
        let script = format!("sh -c 'echo x >> {}; exec sleep 60'", path.display());
        let mut hook = Hook::new(&script, LONG).unwrap();
        (0..WAITING + 10).for_each(|number| hook.call(about(number + 1), Vec::new()));
        let troubles = hook.finish();
        // One may have left the queue before the last ones came.
        let count = |trouble: &Trouble| match trouble.error {
            HookError::LeftOut(count, _) | HookError::Ended(count, _) => count,
            HookError::Killed => 1,
            _ => panic!("{trouble}"),
        };
        assert_eq!(troubles.iter().map(count).sum::<usize>(), WAITING + 10);
        let [left_out, killed, not_run] = troubles.as_slice() else { panic!("{troubles:?}") };
        assert!(matches!(left_out.error, HookError::LeftOut(9 | 10, _)));
        assert_eq!(killed.to_string(), "incident 1 (node1): killed at the end");
        let told = not_run.to_string();
        assert!(told.starts_with("incident 2 (node1): calls not run at the end: 6"), "{told}");
        assert!(told.ends_with(" (incidents 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and others)"));
        thread::sleep(Duration::from_millis(200));
        assert_eq!(live::small_file(&path).unwrap().unwrap(), b"x\n");
    }

    #[test]
    fn what_is_no_command_or_not_there_is_refused() {
        for wrong in ["", "  ", "'open", "/nowhere/program", "no-such-program-anywhere -x"] {
            assert!(Hook::new(wrong, LONG).is_err(), "{wrong:?}");
        }
        let told = Hook::new("/etc/passwd -x", LONG).unwrap_err();
        assert_eq!(told.to_string(), "cannot run `/etc/passwd`: not executable");
    }

    #[test]
    fn a_command_that_does_not_end_is_ended_with_all_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pid");
        let script = format!("sleep 600 & echo $! > '{}'; wait", path.display());
        let arguments = ["-c".to_owned(), script];
        let limit = Duration::from_millis(500);
        // More than a pipe holds, and nobody reads it.
        let input = vec![b'x'; 1 << 20];
        let command = Command { program: "sh".to_owned(), arguments: arguments.into(), limit };
        assert_eq!(command.run(input, &Mutex::default()), Err(HookError::TimedOut(0)));
        let pid = live::small_file(&path).unwrap().unwrap();
        let process = format!("/proc/{}/cmdline", String::from_utf8(pid).unwrap().trim());
        let runs = || {
            live::small_file(process.as_ref()).is_ok_and(|it| it.is_some_and(|it| !it.is_empty()))
        };
        let until = Instant::now() + PATIENCE;
        while runs() && Instant::now() < until {
            thread::sleep(LOOK);
        }
        assert!(!runs(), "{process} goes on");
    }
}
