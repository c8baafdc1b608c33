//! A command that is run whenever something is new, with the news as JSON on its standard input.
//!
//! No shell is asked. One command runs at a time, and so many wait; what comes while all places are
//! taken is left out and counted. A command that does not end is ended, with what it has started.

use std::io::{self, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::failure::Failure;
use crate::program::{self, Group, Launch};

/// How long commands may go on after the end.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);
/// So many calls wait.
const WAITING: usize = 64;
/// So many troubles are kept until somebody asks for them.
const TROUBLES: usize = 64;

/// Runs a command for each piece of news.
#[derive(Debug)]
pub(super) struct Hook {
    queue: Option<SyncSender<Vec<u8>>>,
    worker: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
}

/// What both sides know.
#[derive(Debug, Default)]
struct Shared {
    /// Calls that were not run to their end yet.
    waiting: AtomicU64,
    running: Mutex<Commands>,
    troubles: Mutex<Troubles>,
}

#[derive(Debug, Default)]
struct Commands {
    /// The command that runs.
    group: Option<Group>,
    /// Whether no more are started.
    over: bool,
}

/// What did not go as it should and was not told yet.
#[derive(Debug, Default)]
struct Troubles {
    first: Vec<Trouble>,
    /// Calls for which there was no place.
    left_out: u64,
}

/// Why a command did not do what it should.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display)]
pub(super) enum Trouble {
    /// It ended with another status than 0.
    #[strum(to_string = "{0}")]
    Failed(String),
    /// It could not be started.
    #[strum(to_string = "cannot start it: {0}")]
    NotStarted(String),
    /// It took longer than it may, and was ended.
    #[strum(to_string = "killed after {0} s (--exec-timeout)")]
    TimedOut(u64),
    /// It was not run so many times, since no more may wait.
    #[strum(to_string = "not run {0} times: {WAITING} pieces of news were waiting already")]
    LeftOut(u64),
    /// So many runs were killed or not begun when the program ended.
    #[strum(to_string = "killed or not run at the end: {0} times")]
    Ended(u64),
}

impl Hook {
    /// For a command and its arguments as one text, quoted as for a shell; each run may take so long.
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

    /// Has the command run with this on its standard input, once its turn comes.
    pub(super) fn call(&mut self, json: Vec<u8>) {
        self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        let sent = self.queue.as_ref().map(|queue| queue.try_send(json));
        if matches!(sent, Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_)))) {
            self.shared.waiting.fetch_sub(1, Ordering::Relaxed);
            locked(&self.shared.troubles).left_out += 1;
        }
    }

    /// What has gone wrong since the last time.
    pub(super) fn troubles(&self) -> Vec<Trouble> {
        let Troubles { mut first, left_out } = std::mem::take(&mut *locked(&self.shared.troubles));
        first.extend((left_out > 0).then_some(Trouble::LeftOut(left_out)));
        first
    }

    /// Gives the commands that wait still some time; what has gone wrong until then.
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

/// A panic elsewhere is no reason not to tell.
fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Command {
    program: String,
    arguments: Vec<String>,
    limit: Duration,
}

impl Command {
    /// Runs it. What it writes goes where our messages go: our standard output is for others.
    fn run(&self, input: Vec<u8>, runs: &Mutex<Commands>) -> Result<(), Trouble> {
        let failed = |error: io::Error| Trouble::NotStarted(error.to_string());
        let end = Instant::now() + self.limit;
        let launch = Launch::hook(&self.program).arguments(&self.arguments);
        let mut running = {
            // Whoever says that it is over either sees this one or keeps it from beginning.
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
            // Who does not want to know closes it, and who does not read it at all keeps nobody waiting.
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

    /// What goes wrong first.
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
    fn what_fails_is_told_at_once() {
        for (command, want) in [
            ("false", Trouble::Failed("exit status: 1".to_owned())),
            ("sleep 60", Trouble::TimedOut(0)),
        ] {
            let mut hook = Hook::new(command, Duration::from_millis(500)).unwrap();
            hook.call(Vec::new());
            assert_eq!(trouble(&hook), want);
            // And once.
            assert_eq!(hook.finish(), []);
        }
    }

    #[test]
    fn what_has_no_place_is_counted_and_nothing_runs_behind_the_end() {
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
