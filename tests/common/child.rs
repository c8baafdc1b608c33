//! Child processes of tests: with default signal handling and a time limit.

use std::io;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

use amdtriage::program::processes::not_ignored;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;

/// Time limit for something that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a program with default signal handling.
///
/// `nohup`, `cargo test &` in a script and many CI runners ignore some signals, and ignored signals
/// stay ignored in children; caught ones do not.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    static CAUGHT: Once = Once::new();
    CAUGHT.call_once(|| {
        let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
        let heard = not_ignored(&signals);
        for signal in signals.into_iter().filter(|signal| !heard.contains(signal)) {
            // The flag is not read: the tests themselves still ignore the signal.
            flag::register(signal, Arc::default()).expect("a signal can be caught");
        }
    });
    command.spawn()
}

/// Runs a program to its end with empty standard input.
pub(crate) fn run(command: &mut Command) -> io::Result<Output> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    start(command).map(end)
}

/// Waits for the end of a program; kills it after the time limit.
#[track_caller]
pub(crate) fn end(child: Child) -> Output {
    let id = child.id().to_string();
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    match ended.recv_timeout(PATIENCE) {
        Ok(output) => output.expect("a child can be waited for"),
        Err(_) => {
            let killed = Command::new("kill").args(["-KILL", &id]).status();
            panic!("the program did not end in {PATIENCE:?} (killed: {killed:?})");
        }
    }
}

/// The exit status of a program; kills it after the time limit.
#[track_caller]
pub(crate) fn status(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status;
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("a child can be killed");
    panic!("the program did not end in {PATIENCE:?}");
}

/// Everything until the end of a stream.
#[track_caller]
pub(crate) fn rest<T>(from: &Receiver<T>) -> Vec<T> {
    let mut all = Vec::new();
    loop {
        match from.recv_timeout(PATIENCE) {
            Ok(one) => all.push(one),
            Err(RecvTimeoutError::Disconnected) => return all,
            Err(RecvTimeoutError::Timeout) => panic!("the stream did not end in {PATIENCE:?}"),
        }
    }
}
