//! Runs a command for each piece of news, with the news as JSON on its standard input.
//!
//! No shell is involved. One command runs at a time, and a limited number of calls wait; further
//! calls are dropped and counted. A command that exceeds its time limit is killed with its
//! children.

use std::io::{self, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::failure::Failure;
use crate::program::{self, Group, Launch};

/// Time limit for remaining commands at the end.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);
/// Maximum number of waiting calls.
const WAITING: usize = 64;
/// Maximum number of recorded problems.
const TROUBLES: usize = 64;

/// Runs a command for each piece of news.
#[derive(Debug)]
pub(super) struct Hook {
    queue: Option<SyncSender<Vec<u8>>>,
    worker: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// State shared with the thread that runs commands.
#[derive(Debug, Default)]
struct Shared {
    /// The number of calls that have not finished.
    waiting: AtomicU64,
    running: Mutex<Commands>,
    troubles: Mutex<Troubles>,
}

#[derive(Debug, Default)]
struct Commands {
    /// The running command.
    group: Option<Group>,
    /// Whether no further commands are started.
    over: bool,
}

/// Problems that were not reported yet.
#[derive(Debug, Default)]
struct Troubles {
    first: Vec<Trouble>,
    /// The number of dropped calls.
    left_out: u64,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display)]
pub(super) enum Trouble {
    /// It ended with a status other than 0.
    #[strum(to_string = "{0}")]
    Failed(String),
    /// It could not be started.
    #[strum(to_string = "cannot start it: {0}")]
    NotStarted(String),
    /// It exceeded its time limit and was killed.
    #[strum(to_string = "killed after {0} s (--exec-timeout)")]
    TimedOut(u64),
    /// This number of calls was dropped, because too many were waiting.
    #[strum(to_string = "not run {0} times: {WAITING} pieces of news were waiting already")]
    LeftOut(u64),
    /// This number of calls was killed or not started when the program ended.
    #[strum(to_string = "killed or not run at the end: {0} times")]
    Ended(u64),
}

impl Hook {
    /// Parses a command with arguments, quoted as for a shell; `limit` is the time limit of each
    /// run.
    pub(super) fn new(command: &str, limit: Duration) -> Result<Self, Failure> {
        let refused = || Failure::NotACommand { text: command.to_owned() };
        let words = shell_words::split(command).map_err(|_| refused())?;
        let [program, arguments @ ..] = words.as_slice() else { return Err(refused()) };
        if !program::is_known(program) {
            return Err(Failure::NoSuchProgram { program: program.clone() });
        }
        let (queue, calls) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let shared = Arc::new(Shared::default());
        let command = Command { program: program.clone(), arguments: arguments.to_vec(), limit };
        let worker = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                for call in calls {
                    if !locked(&shared.running).over
                        && let Err(trouble) = command.run(call, &shared.running)
                    {
                        locked(&shared.troubles).add(trouble);
                    }
                    shared.waiting.fetch_sub(1, Ordering::Relaxed);
                }
            })
        };
        Ok(Self { queue: Some(queue), worker: Some(worker), shared })
    }

    /// Queues a run with this standard input.
    pub(super) fn call(&mut self, json: Vec<u8>) {
        self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        let sent = self.queue.as_ref().map(|queue| queue.try_send(json));
        if matches!(sent, Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_)))) {
            self.shared.waiting.fetch_sub(1, Ordering::Relaxed);
            locked(&self.shared.troubles).left_out += 1;
        }
    }

    /// The problems since the last call.
    pub(super) fn troubles(&self) -> Vec<Trouble> {
        let Troubles { mut first, left_out } = std::mem::take(&mut *locked(&self.shared.troubles));
        first.extend((left_out > 0).then_some(Trouble::LeftOut(left_out)));
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
        if let Some(group) = running.group {
            group.end();
        }
        let waiting = self.shared.waiting.load(Ordering::Relaxed);
        drop(running);
        let mut troubles = self.troubles();
        troubles.extend((waiting > 0).then_some(Trouble::Ended(waiting)));
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
    fn run(&self, input: Vec<u8>, runs: &Mutex<Commands>) -> Result<(), Trouble> {
        let failed = |error: io::Error| Trouble::NotStarted(error.to_string());
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
        locked(runs).group = None;
        match status.map_err(failed)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(Trouble::Failed(status.to_string())),
            None => Err(Trouble::TimedOut(self.limit.as_secs())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::live;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_command_gets_the_news_and_no_shell_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("got it");
        let mut hook = Hook::new(&format!("tee -a '{}'", path.display()), LONG).unwrap();
        hook.call(b"{\"a\": \"$(id)\"}\n".to_vec());
        hook.call(b"two\n".to_vec());
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
            ("false", Trouble::Failed("exit status: 1".to_owned())),
            ("sleep 60", Trouble::TimedOut(0)),
        ] {
            let mut hook = Hook::new(command, Duration::from_millis(500)).unwrap();
            hook.call(Vec::new());
            assert_eq!(trouble(&hook), want);
            // It is reported once.
            assert_eq!(hook.finish(), []);
        }
    }

    #[test]
    fn excess_runs_are_counted_and_none_starts_after_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("began");
        let script = format!("sh -c 'echo x >> {}; exec sleep 60'", path.display());
        let mut hook = Hook::new(&script, LONG).unwrap();
        (0..WAITING + 10).for_each(|_| hook.call(Vec::new()));
        let troubles = hook.finish();
        // One may have left the queue before the last ones came.
        let count = |trouble: &Trouble| match trouble {
            Trouble::LeftOut(count) | Trouble::Ended(count) => *count,
            other => panic!("{other}"),
        };
        assert_eq!(troubles.iter().map(count).sum::<u64>(), u64::try_from(WAITING).unwrap() + 10);
        assert!(matches!(troubles.as_slice(), [Trouble::LeftOut(9 | 10), Trouble::Ended(_)]));
        thread::sleep(Duration::from_millis(200));
        assert_eq!(live::small_file(&path).unwrap().unwrap(), b"x\n");
    }

    #[test]
    fn what_is_no_command_or_not_there_is_refused() {
        for wrong in ["", "  ", "'open", "/nowhere/program", "no-such-program-anywhere -x"] {
            assert!(Hook::new(wrong, LONG).is_err(), "{wrong:?}");
        }
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
        assert_eq!(command.run(input, &Mutex::default()), Err(Trouble::TimedOut(0)));
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
