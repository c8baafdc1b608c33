//! A command that is run whenever something is new, with the news as JSON on its standard input.
//!
//! No shell is asked. One command runs at a time, and so many wait; what comes while all places are
//! taken is left out and counted. A command that does not end is ended, with what it has started.

use std::io::{self, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::failure::Failure;
use crate::program::{Group, Launch};

/// How long commands may go on after the end.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long one may take: while it runs, the others wait.
const LIMIT: Duration = Duration::from_secs(300);
const LOOK: Duration = Duration::from_millis(10);
/// So many calls wait.
const WAITING: usize = 64;

/// Runs a command for each piece of news.
#[derive(Debug)]
pub(super) struct Hook {
    queue: Option<SyncSender<Vec<u8>>>,
    worker: Option<JoinHandle<()>>,
    left_out: u64,
    failed: Arc<AtomicU64>,
    /// Calls that were not run to their end yet.
    waiting: Arc<AtomicU64>,
    /// The command that runs.
    running: Arc<Mutex<Option<Group>>>,
}

/// How often a hook did not do what it should.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missed {
    /// Calls for which there was no place.
    pub(super) left_out: u64,
    /// Commands that could not be started, or said that they failed.
    pub(super) failed: u64,
}

impl Hook {
    /// For a command and its arguments as one text, quoted as for a shell.
    pub(super) fn new(command: &str) -> Result<Self, Failure> {
        let refused = || Failure::NotACommand { text: command.to_owned() };
        let words = shell_words::split(command).map_err(|_| refused())?;
        let [program, arguments @ ..] = words.as_slice() else { return Err(refused()) };
        let (program, arguments) = (program.clone(), arguments.to_vec());
        let (queue, calls) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let failed = Arc::new(AtomicU64::new(0));
        let waiting = Arc::new(AtomicU64::new(0));
        let running = Arc::default();
        let (counted, done) = (Arc::clone(&failed), Arc::clone(&waiting));
        let runs = Arc::clone(&running);
        let worker = thread::spawn(move || {
            for call in calls {
                if !run(&program, &arguments, call, LIMIT, &runs).unwrap_or(false) {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
                done.fetch_sub(1, Ordering::Relaxed);
            }
        });
        Ok(Self { queue: Some(queue), worker: Some(worker), left_out: 0, failed, waiting, running })
    }

    /// Has the command run with this on its standard input, once its turn comes.
    pub(super) fn call(&mut self, json: Vec<u8>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let sent = self.queue.as_ref().map(|queue| queue.try_send(json));
        if matches!(sent, Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_)))) {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.left_out += 1;
        }
    }

    /// Gives the commands that wait still some time.
    pub(super) fn finish(mut self) -> Missed {
        self.queue = None;
        let until = Instant::now() + PATIENCE;
        while let Some(worker) = &self.worker
            && !worker.is_finished()
            && Instant::now() < until
        {
            thread::sleep(LOOK);
        }
        let waiting = self.waiting.load(Ordering::Relaxed);
        if let Some(group) = *self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            group.end();
        }
        self.left_out += waiting;
        Missed { left_out: self.left_out, failed: self.failed.load(Ordering::Relaxed) }
    }
}

/// Whether the command did what it should. What it writes goes where our messages go: our standard output
/// is for others.
fn run(
    program: &str,
    arguments: &[String],
    input: Vec<u8>,
    limit: Duration,
    runs: &Mutex<Option<Group>>,
) -> io::Result<bool> {
    let end = Instant::now() + limit;
    let launch = Launch::hook(program).arguments(arguments);
    let mut running = launch.input(Stdio::piped()).output(io::stderr()).start()?;
    *runs.lock().unwrap_or_else(PoisonError::into_inner) = running.group();
    if let Some(mut stdin) = running.take_input() {
        // Who does not want to know closes it, and who does not read it at all keeps nobody waiting.
        thread::spawn(move || stdin.write_all(&input));
    }
    let status = running.ended_by(Some(end));
    *runs.lock().unwrap_or_else(PoisonError::into_inner) = None;
    Ok(status?.is_some_and(|status| status.success()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::live;

    #[test]
    fn a_command_gets_the_news_and_no_shell_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("got it");
        let mut hook = Hook::new(&format!("tee -a '{}'", path.display())).unwrap();
        hook.call(b"{\"a\": \"$(id)\"}\n".to_vec());
        hook.call(b"two\n".to_vec());
        assert_eq!(hook.finish(), Missed::default());
        let got = live::small_file(&path).unwrap().unwrap();
        assert_eq!(got, b"{\"a\": \"$(id)\"}\ntwo\n");
    }

    #[test]
    fn what_fails_and_what_has_no_place_is_counted() {
        let mut hook = Hook::new("false").unwrap();
        hook.call(Vec::new());
        assert_eq!(hook.finish(), Missed { left_out: 0, failed: 1 });
        let mut hook = Hook::new("/nowhere/program").unwrap();
        hook.call(Vec::new());
        assert_eq!(hook.finish(), Missed { left_out: 0, failed: 1 });
        let mut hook = Hook::new("sleep 0.2").unwrap();
        (0..WAITING + 10).for_each(|_| hook.call(Vec::new()));
        assert!(hook.left_out >= 9, "{}", hook.left_out);
        // Not waited for here.
        hook.queue = None;
        for wrong in ["", "  ", "'open"] {
            assert!(Hook::new(wrong).is_err(), "{wrong:?}");
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
        let done = run("sh", &arguments, input, limit, &Mutex::default()).unwrap();
        assert!(!done);
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
