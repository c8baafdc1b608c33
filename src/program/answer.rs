//! A program that is asked one thing: all that it says, within a time and a length.

use std::io::{self, Read};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Launch;

/// Of what it complains about, so much is kept, in bytes.
const COMPLAINT: u64 = 4 << 10;

/// What a program said.
#[derive(Debug)]
pub(crate) struct Said {
    /// What it printed.
    pub(crate) output: Vec<u8>,
    /// Whether that was cut, so that it does not matter how it ended.
    pub(crate) cut: bool,
    /// What it complained about.
    pub(crate) complaint: Vec<u8>,
    /// Whether it ended well.
    pub(crate) succeeded: bool,
}

/// What a program says until it ends. At the limits it is ended, with what it has started.
///
/// # Errors
/// If it cannot be started; [`io::ErrorKind::TimedOut`] where its time was over.
pub(crate) fn answered(launch: Launch, limit: u64, patience: Duration) -> io::Result<Said> {
    let end = Instant::now() + patience;
    let mut running = launch.output(Stdio::piped()).complaints(Stdio::piped()).start()?;
    let output = collected(running.take_output(), limit);
    let complaint = collected(running.take_complaints(), COMPLAINT);
    let left = || end.saturating_duration_since(Instant::now());
    let over = || io::Error::from(io::ErrorKind::TimedOut);
    let mut output = output.recv_timeout(left()).map_err(|_| over())?;
    let cut = output.len() as u64 > limit;
    output.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    if cut {
        running.end();
        return Ok(Said { output, cut, complaint: Vec::new(), succeeded: true });
    }
    let status = running.ended_by(Some(end))?.ok_or_else(over)?;
    let complaint = complaint.recv_timeout(left()).unwrap_or_default();
    Ok(Said { output, cut, complaint, succeeded: status.success() })
}

/// Reads in a thread of its own, which ends with the pipe: one byte more than `limit`, so that a cut shows.
fn collected(from: Option<impl Read + Send + 'static>, limit: u64) -> Receiver<Vec<u8>> {
    let (to, all) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            let _ = from.by_ref().take(limit + 1).read_to_end(&mut bytes);
            let _ = to.send(bytes);
        }
    });
    all
}
