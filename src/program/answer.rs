//! Runs a program and collects its output, within limits of time and size.

use std::io::{self, Read};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Launch;

/// Maximum length of collected standard error, in bytes.
const COMPLAINT: u64 = 4 << 10;

/// The output of a program.
#[derive(Debug)]
pub(crate) struct Said {
    /// Standard output.
    pub(crate) output: Vec<u8>,
    /// Whether standard output was cut at the limit; the exit status is then meaningless.
    pub(crate) cut: bool,
    /// Standard error, cut at [`COMPLAINT`].
    pub(crate) complaint: Vec<u8>,
    /// Whether it exited with status 0.
    pub(crate) succeeded: bool,
}

/// Runs a program to its end. At the limits its process group is killed.
///
/// # Errors
/// If it cannot be started; [`io::ErrorKind::TimedOut`] if it ran too long.
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

/// Reads in a thread, which ends when the pipe closes: one byte more than `limit`, to detect a cut.
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
