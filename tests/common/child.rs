//! Programs that tests start: with the signals of a terminal, and no longer than any machine needs.

use std::io;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

use amdtriage::program::processes::not_ignored;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;

/// How long to wait for what must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a program that is ended by the signals that end programs.
///
/// `nohup`, `cargo test &` in a script and many runners ignore some of them, and what is ignored stays so in
/// every child; what is caught does not.
pub(crate) fn start(command: &mut Command) -> io::Result<Child> {
    static CAUGHT: Once = Once::new();
    CAUGHT.call_once(|| {
        let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
        let heard = not_ignored(&signals);
        for signal in signals.into_iter().filter(|signal| !heard.contains(signal)) {
            // Nobody looks at the flag: the tests themselves go on ignoring it.
            flag::register(signal, Arc::default()).expect("a signal can be caught");
        }
    });
    command.spawn()
}

/// Runs a program to its end, with nothing on standard input.
pub(crate) fn run(command: &mut Command) -> io::Result<Output> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    start(command).map(end)
}

/// Waits for the end of a program, and kills it where that does not come.
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

/// The status of a program that is about to end, and is killed where it does not.
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

/// All that still comes, to the end of a stream.
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
