//! Growing logs: a pipe, a file that is written and rotated, the kernel's ring buffer or a journal.
//! A thread waits for bytes, so that the receiver can also wait for timeouts.
#![allow(clippy::disallowed_methods, reason = "this module is the one that opens files")]

mod growing;
mod journal;
mod rotated;
mod written;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::machine;
use crate::program::Group;

pub use growing::file;
pub use journal::{JournalFrom, journal, journal_shows_the_kernel};
pub use rotated::LeftOff;
pub use written::FilePlace;

/// Maximum number of waiting pieces; then the sender blocks.
const WAITING: usize = 64;
/// The size of one read, in bytes.
const BLOCK: usize = 64 << 10;
/// The polling interval for files without change notifications, such as on network file systems.
const LOOK: Duration = Duration::from_secs(1);
/// How long the rest of a value may take.
const REST: Duration = Duration::from_secs(2);

/// Something that happened to a log other than growing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// All of the existing content has come.
    CaughtUp,
    /// Everything that was read by an earlier run has come.
    Remembered,
    /// A file that an earlier run read is gone, with what was written to it since.
    Lost,
    /// Everything before this position in a file has come.
    Read {
        /// The number of the file, in the order in which they had the name.
        file: u64,
        /// The position.
        place: FilePlace,
    },
    /// A file is no longer read.
    Left {
        /// The number of the file.
        file: u64,
    },
    /// The file was replaced; reading continues at the start of the new one.
    Rotated,
    /// The file was truncated; reading continues at its start. What was written just before may be
    /// lost.
    Truncated,
    /// The program that reads the journal ended for this reason; it is restarted.
    Interrupted(String),
    /// It runs again, and continues after the last entry.
    Resumed,
    /// The user asked to reload the patterns.
    Reload,
    /// The user asked to stop.
    Stop,
}

enum Piece {
    Bytes(Vec<u8>),
    Mark(Mark),
    End(io::Result<()>),
}

/// Sends pieces from the waiting thread.
#[derive(Clone)]
pub struct Sender(SyncSender<Piece>);

impl Sender {
    /// Requests the end, from another thread.
    pub fn stop(&self) {
        // If the receiver is gone, it has ended already.
        let _ = self.0.send(Piece::Mark(Mark::Stop));
    }

    /// Requests reloading the patterns, from another thread.
    pub fn reload(&self) {
        let _ = self.0.send(Piece::Mark(Mark::Reload));
    }

    /// Sends bytes; returns false if the receiver is gone.
    fn bytes(&self, bytes: impl Into<Vec<u8>>) -> bool {
        self.0.send(Piece::Bytes(bytes.into())).is_ok()
    }

    fn mark(&self, mark: Mark) -> bool {
        self.0.send(Piece::Mark(mark)).is_ok()
    }
}

/// The result of waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There is something to read, or the end.
    Ready,
    /// The time has passed.
    Nothing,
    /// Something happened.
    Mark(Mark),
}

/// The bytes of a growing log. A read that would block fails with [`io::ErrorKind::WouldBlock`].
pub struct Feed {
    pieces: Receiver<Piece>,
    sender: Sender,
    bytes: Vec<u8>,
    at: usize,
    marks: VecDeque<Mark>,
    ended: Option<io::Result<()>>,
    /// Whether a read waits for the rest of a value.
    pub wants_rest: bool,
    /// Whether it sends positions ([`FilePlace`]).
    pub has_places: bool,
    /// The program that writes the bytes.
    source: Source,
}

/// The program that currently writes the bytes.
#[derive(Clone, Debug, Default)]
struct Source(Arc<Mutex<Option<Group>>>);

impl Source {
    fn is(&self, group: Option<Group>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = group;
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Some(group) = *self.source.0.lock().unwrap_or_else(PoisonError::into_inner) {
            group.end();
        }
    }
}

impl Feed {
    /// Starts a thread that runs `pump`.
    fn new(pump: impl FnOnce(&Sender) -> io::Result<()> + Send + 'static) -> Self {
        let (sender, pieces) = mpsc::sync_channel(WAITING);
        let sender = Sender(sender);
        let own = sender.clone();
        thread::spawn(move || {
            let ended = pump(&own);
            let _ = own.0.send(Piece::End(ended));
        });
        let (marks, ended) = (VecDeque::new(), None);
        let (bytes, source) = (Vec::new(), Source::default());
        let (wants_rest, has_places) = (false, false);
        Self { pieces, sender, bytes, at: 0, marks, ended, wants_rest, has_places, source }
    }

    /// A sender of requests.
    #[must_use]
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Waits until there is something to read, at most this long.
    pub fn wait(&mut self, time: Duration) -> Waited {
        if let Some(mark) = self.marks.pop_front() {
            return Waited::Mark(mark);
        }
        if self.at < self.bytes.len() || self.ended.is_some() {
            return Waited::Ready;
        }
        match self.pieces.recv_timeout(time) {
            Ok(piece) => self.take(piece),
            Err(RecvTimeoutError::Timeout) => return Waited::Nothing,
            Err(RecvTimeoutError::Disconnected) => self.ended = Some(Ok(())),
        }
        self.marks.pop_front().map_or(Waited::Ready, Waited::Mark)
    }

    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Bytes(bytes) => (self.bytes, self.at) = (bytes, 0),
            Piece::Mark(mark) => self.marks.push_back(mark),
            Piece::End(ended) => self.ended = Some(ended),
        }
    }
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let until = Instant::now() + REST;
        while self.at == self.bytes.len() {
            // Marks are delivered between the pieces where they occurred.
            if !self.marks.is_empty() && !self.wants_rest {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            if let Some(ended) = &mut self.ended {
                return std::mem::replace(ended, Ok(())).map(|()| 0);
            }
            if self.wants_rest {
                let rest = until.saturating_duration_since(Instant::now());
                match self.pieces.recv_timeout(rest) {
                    Ok(piece) => self.take(piece),
                    Err(_) => return Ok(0),
                }
                continue;
            }
            match self.pieces.try_recv() {
                Ok(piece) => self.take(piece),
                Err(TryRecvError::Empty) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(TryRecvError::Disconnected) => self.ended = Some(Ok(())),
            }
        }
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

/// Standard input after `head`, which was read already.
///
/// # Errors
/// If the reading thread cannot be started.
pub fn standard_input(head: Vec<u8>) -> io::Result<Feed> {
    let copy = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    Ok(Feed::new(move |sender| {
        if head.is_empty() || sender.bytes(head) {
            drain(&mut File::from(copy), sender)?;
        }
        Ok(())
    }))
}

/// The beginning of piped input.
#[derive(Debug)]
pub enum Head {
    /// All of it, or a large part that may continue.
    Begun(Vec<u8>),
    /// Text that stopped coming although the pipe is open.
    Stays(Vec<u8>),
}

/// Reads standard input until it ends, becomes large, or is idle after some text. Input other than
/// a pipe is not read.
///
/// # Errors
/// If it cannot be read.
pub fn head_of_standard_input() -> io::Result<Head> {
    /// A program that writes an existing log is not idle for this long.
    const PAUSE: Duration = Duration::from_secs(2);
    /// A program that follows a log starts with no more than the kernel's buffer, in bytes.
    const MUCH: usize = 32 << 20;
    let mut input = File::from(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?);
    let mut head = Vec::new();
    if !is_a_pipe(&input)? {
        return Ok(Head::Begun(head));
    }
    let mut block = vec![0; BLOCK];
    while head.len() < MUCH {
        if !is_readable(&input, PAUSE) {
            if head.ends_with(b"\n") && !head.contains(&0) {
                return Ok(Head::Stays(head));
            }
            continue;
        }
        match input.read(&mut block) {
            Ok(0) => break,
            Ok(count) => head.extend_from_slice(block.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Head::Begun(head))
}

fn is_a_pipe(input: &File) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;
    let kind = input.metadata()?.file_type();
    Ok(kind.is_fifo() || kind.is_socket())
}

/// Sends everything until the end; returns false if the receiver is gone.
fn drain(reader: &mut impl Read, sender: &Sender) -> io::Result<bool> {
    let mut block = vec![0; BLOCK];
    loop {
        match reader.read(&mut block) {
            Ok(0) => return Ok(true),
            Ok(count) => {
                if !sender.bytes(block.get(..count).unwrap_or_default()) {
                    return Ok(false);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether there is something to read within `time`.
pub(super) fn is_readable(fd: &impl rustix::fd::AsFd, time: Duration) -> bool {
    let time = Timespec::try_from(time).ok();
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    poll(&mut fds, time.as_ref()).is_ok_and(|count| count > 0)
}

/// This machine's ring buffer. Records that are overwritten before they are read are counted by
/// their sequence numbers.
///
/// # Errors
/// If it may not be read.
pub fn ring_buffer() -> io::Result<Feed> {
    let mut records = machine::ring_buffer()?;
    Ok(Feed::new(move |sender| {
        if !drain(&mut records, sender)? || !sender.mark(Mark::CaughtUp) {
            return Ok(());
        }
        loop {
            is_readable(records.device(), LOOK);
            if !drain(&mut records, sender)? {
                return Ok(());
            }
        }
    }))
}

/// The content of a small file; `None` if it does not exist.
///
/// # Errors
/// If it cannot be read, or is not small.
pub fn small_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    /// Far more than a cursor file needs, in bytes.
    const MOST: u64 = 64 << 10;
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = Vec::new();
    file.take(MOST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(text))
}
